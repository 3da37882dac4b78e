"""Rankings, and how far to rely on them."""

from collections.abc import Sequence
from typing import Literal

from nextpair import schemas, words
from nextpair.calls.description import PAGE, Call, Id, Listing, get, path_of, without_none


def ranking(
    set_id: Id,
    *,
    method: words.MethodName | None = None,
    verdict_weight: words.VerdictWeightName | None = None,
    inference_target: words.InferenceTargetName | None = None,
    as_of: int | None = None,
    level: float | None = None,
    top_k: int | None = None,
    epsilon: float | None = None,
    baseline: str | None = None,
    scale: words.ScaleName | None = None,
    by: str | None = None,
    covariate: Sequence[words.CovariateName] = (),
    fresh: bool | None = None,
) -> Call[schemas.Ranking]:
    """Read the ranking now, or at an earlier version; by default with the set's own method and inference target.

    `baseline` is the key of a candidate that `against` of each row compares with. `by` is a tag of the items: `slices`
    has a ranking for each of its values, about new prompts. `covariate` excludes a property of outputs from the
    scores, such as their `length`. A busy service answers with its last ranking, of which the client warns; `fresh`
    waits for the ranking of all verdicts so far.
    """
    path, how = path_of("sets", set_id, "ranking"), {"method": method, "verdict_weight": verdict_weight, "as_of": as_of}
    wanted = {"level": level, "top_k": top_k, "epsilon": epsilon, "inference_target": inference_target}
    shown = {"baseline": baseline, "scale": scale, "by": by, "covariate": list(covariate) or None}
    return get(path, schemas.Ranking, **how, **wanted, **shown, fresh=fresh)


def summary(set_id: Id) -> Call[schemas.SetSummary]:
    """Read who leads a set, how sure that is, and how far the set is to its goal."""
    return get(path_of("sets", set_id, "summary"), schemas.SetSummary)


def ranking_picture(
    set_id: Id,
    *,
    form: Literal["svg", "png", "pdf"] = "svg",
    width: words.FigureWidth | None = None,
    method: words.MethodName | None = None,
    inference_target: words.InferenceTargetName | None = None,
    as_of: int | None = None,
    by: str | None = None,
    fresh: bool | None = None,
) -> Call[bytes]:
    """Draw the ranking: scores with their intervals, best first; with `by`, for each value of a tag too.

    `width` is that of a journal's column: `single` is 85 mm, `double` 174 mm.
    """
    how = {"format": form, "width": width, "method": method, "inference_target": inference_target}
    params = without_none(**how, as_of=as_of, by=by, fresh=fresh)
    return Call("GET", path_of("sets", set_id, "ranking"), bytes, params=params)


def ranking_latex(
    set_id: Id,
    *,
    method: words.MethodName | None = None,
    inference_target: words.InferenceTargetName | None = None,
    as_of: int | None = None,
    by: str | None = None,
    fresh: bool | None = None,
) -> Call[str]:
    """Write the ranking as a LaTeX table, for the package booktabs."""
    how = {"format": "latex", "method": method, "inference_target": inference_target, "as_of": as_of, "by": by}
    return Call("GET", path_of("sets", set_id, "ranking"), bytes.decode, params=without_none(**how, fresh=fresh))


def report(set_id: Id) -> Call[bytes]:
    """Read the report: one HTML file with the ranking, how it was made, and what it comes from."""
    return Call("GET", path_of("sets", set_id, "report"), bytes)


def activity(
    set_id: Id, *, judge: str | None = None, before: int | None = None, limit: int | None = None
) -> Call[schemas.Activity]:
    """Read who judges now, how far each judge is, and the newest entries of the log; pass `next_before` for older."""
    path = path_of("sets", set_id, "activity")
    return get(path, schemas.Activity, judge=judge, before=before, limit=limit)


def predict(
    set_id: Id, *, first: str, second: str, inference_target: words.InferenceTargetName | None = None
) -> Call[schemas.Prediction]:
    """Predict one pair: the probability that the first candidate is better, given all comparisons."""
    pair = {"first": first, "second": second, "inference_target": inference_target}
    return get(path_of("sets", set_id, "predict"), schemas.Prediction, **pair)


def head_to_head(
    set_id: Id,
    *,
    first: str,
    second: str,
    inference_target: words.InferenceTargetName | None = None,
    level: float | None = None,
) -> Call[schemas.HeadToHead]:
    """Compare two candidates: win rate and interval, verdicts by judge and tag, and what would decide it."""
    pair = {"first": first, "second": second, "inference_target": inference_target, "level": level}
    return get(path_of("sets", set_id, "head-to-head"), schemas.HeadToHead, **pair)


def diagnostics(set_id: Id) -> Call[schemas.Diagnostics]:
    """Read diagnostics: cycles, repeats, agreement, position bias, failures, and the ranking's history."""
    return get(path_of("sets", set_id, "diagnostics"), schemas.Diagnostics)


def checks(set_id: Id) -> Call[schemas.Checks]:
    """Check the ranking: what holds and what does not, in words, each with its figure."""
    return get(path_of("sets", set_id, "checks"), schemas.Checks)


def matrix(set_id: Id, *, of: words.MatrixName | None = None) -> Call[schemas.Matrix]:
    """Read the win matrix: how often each candidate beats each other."""
    return get(path_of("sets", set_id, "matrix"), schemas.Matrix, of=of)


def calibration(
    set_id: Id, *, judge: str, reference: Sequence[str], objective: words.ObjectiveName | None = None
) -> Call[schemas.Calibration]:
    """Calibrate a judge: the temperature that fits its probabilities to the reference's verdicts."""
    path = path_of("sets", set_id, "calibration")
    return get(path, schemas.Calibration, judge=judge, reference=reference, objective=objective)


def judges(
    set_id: Id,
    *,
    method: words.AggregationName | None = None,
    reference: Sequence[str] = (),
    debias: bool | None = None,
    ties: words.TiesName | None = None,
    verdicts: bool | None = None,
) -> Call[schemas.Judges]:
    """Read a card for each judge, validated against people, and the combined verdicts. Waits while they are computed.

    People are all judges of kind `human`, and those in `reference`.
    """
    flags = {"debias": debias, "verdicts": verdicts}
    people = list(reference) or None
    path = path_of("sets", set_id, "judges")
    return get(path, schemas.Judges, method=method, reference=people, ties=ties, **flags)


def judge(set_id: Id, name: str) -> Call[schemas.JudgeDetail]:
    """Read one judge: its card, its agreement over time, its pace, and its latest verdicts."""
    return get(path_of("sets", set_id, "judges", name), schemas.JudgeDetail)


def list_disputes(set_id: Id, *, after: int | None = None, limit: int | None = None) -> Call[schemas.DisputePage]:
    """Read one page of disputes; pass its `next_after` as `after` for the next."""
    return get(path_of("sets", set_id, "disputes"), schemas.DisputePage, after=after, limit=limit)


def all_disputes(set_id: Id, *, after: int | None = None) -> Listing[schemas.Dispute]:
    """List pairs on which judges name different winners, in the order of their last verdicts."""
    return Listing(lambda after: list_disputes(set_id, after=after, limit=PAGE), lambda page: page.disputes, after)


def list_judged_pairs(
    set_id: Id,
    *,
    item: str | None = None,
    candidate: str | None = None,
    other: str | None = None,
    judge: str | None = None,
    tag: Sequence[str] = (),
    find: str | None = None,
    sort: words.PairSort | None = None,
    after: int | None = None,
    limit: int | None = None,
) -> Call[schemas.JudgedPairPage]:
    """Read one page of judged pairs; pass its `next_after` as `after` for the next."""
    who = {"item": item, "candidate": candidate, "other": other, "judge": judge, "tag": list(tag) or None, "find": find}
    path = path_of("sets", set_id, "pairs")
    return get(path, schemas.JudgedPairPage, **who, sort=sort, after=after, limit=limit)


def all_judged_pairs(
    set_id: Id,
    *,
    item: str | None = None,
    candidate: str | None = None,
    other: str | None = None,
    judge: str | None = None,
    tag: Sequence[str] = (),
    find: str | None = None,
    sort: words.PairSort | None = None,
) -> Listing[schemas.JudgedPair]:
    """List judged pairs with their texts and every verdict that counts, newest first by default.

    Each filter narrows the list. `tag` has tags of the item, each as NAME:VALUE. `sort` puts the largest
    `disagreement` or `surprise` first.
    """
    who = {"item": item, "candidate": candidate, "other": other, "judge": judge, "find": find}
    return Listing(
        lambda after: list_judged_pairs(set_id, **who, tag=tag, sort=sort, after=after, limit=PAGE),
        lambda page: page.pairs,
    )


def list_item_statistics(
    set_id: Id,
    *,
    candidate: str | None = None,
    other: str | None = None,
    judge: str | None = None,
    tag: Sequence[str] = (),
    find: str | None = None,
    after: int | None = None,
    limit: int | None = None,
) -> Call[schemas.ItemStatisticsPage]:
    """Read one page of the statistics of items; pass its `next_after` as `after` for the next."""
    who = {"candidate": candidate, "other": other, "judge": judge, "tag": list(tag) or None, "find": find}
    path = path_of("sets", set_id, "item-statistics")
    return get(path, schemas.ItemStatisticsPage, **who, after=after, limit=limit)


def all_item_statistics(
    set_id: Id,
    *,
    candidate: str | None = None,
    other: str | None = None,
    judge: str | None = None,
    tag: Sequence[str] = (),
    find: str | None = None,
) -> Listing[schemas.ItemStatistics]:
    """List items with the agreement, disagreement and surprise of their pairs, in the order you added the items.

    Filters as of `all_judged_pairs`.
    """
    who = {"candidate": candidate, "other": other, "judge": judge, "find": find}
    return Listing(
        lambda after: list_item_statistics(set_id, **who, tag=tag, after=after, limit=PAGE), lambda page: page.items
    )


def rank_sets(
    set_id: Id,
    *,
    judge: str | Sequence[str],
    reference: Sequence[str] = (),
    alpha: float | None = None,
    covariance: words.CovarianceName | None = None,
    simultaneous: words.SimultaneousName | None = None,
    lambdas: Sequence[float] | None = None,
) -> Call[schemas.RankSets]:
    """Rank systems by people's verdicts, with the help of one judge or several, weighted by `lambdas` if you send them.

    By default, people are all judges of kind `human`.
    """
    wanted = {"alpha": alpha, "covariance": covariance, "simultaneous": simultaneous, "lambda": lambdas}
    path, people = path_of("sets", set_id, "rank-sets"), list(reference) or None
    return get(path, schemas.RankSets, judge=judge, reference=people, **wanted)


def ready() -> Call[schemas.Ready]:
    """Wait until the service is ready; the client tries again as often as `retries` allows."""
    return get("/readyz", schemas.Ready)
