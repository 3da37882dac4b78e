"""A ranking by any method as rows, best first: what the service, the command line and the drawings show."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from nextpair.words import InferenceTargetName, JointName

from app.inference.fitting import judge_aware
from app.inference.fitting.baselines import BASELINES
from app.inference.fitting.effects import JudgeEffects, consensus, judge_effects_of
from app.inference.fitting.judge_aware import JudgeAware
from app.inference.fitting.model import Model
from app.inference.fitting.published import Published
from app.inference.gaussian import Precision, Scores, SparseCovariance
from app.inference.kernels.pair_sets import matching
from app.inference.reporting import drawn_ranking, sparse_ranking
from app.inference.reporting.bias import Bias, estimates, listed
from app.inference.reporting.confidence import Confidence, PairsOf, all_pairs, concordance_after
from app.inference.reporting.ranking import RankTable, Wanted, ranks, summarise
from app.inference.reporting.win_rates import VOTES, attenuation, never_missed, reaching
from app.inference.targets import DRAWS_SEED, Quantity, WinRates, is_drawn
from app.inference.types import Bools, Comparisons, Convergence, Floats, Ints, Outcome
from app.inference.verdicts import components, means

ROUNDING = 12  # decimals of a score
TIMES = (1.25, 1.5, 2.0, 4.0)  # as many comparisons: how sure a ranking is expected to be then


class Uncertainty(NamedTuple):
    sd: float
    interval: tuple[float, float]
    rank_interval: tuple[int, int]  # best and worst
    p_best: float
    p_top_k: float
    tie_group: int
    win_rate: float
    win_rate_interval: tuple[float, float]


class Standing(NamedTuple):
    candidate: int
    rank: int
    score: float
    uncertainty: Uncertainty | None  # None from a baseline
    comparisons: int
    component: int


class ForecastPoint(NamedTuple):
    comparisons: int  # of weight 1 in all
    expected_concordance: float


class Standings(NamedTuple):
    rows: list[Standing]
    convergence: Convergence
    components: int
    entropy: float | None = None  # nats; None from a baseline, and without a matrix
    confidence: Confidence | None = None  # None from a baseline, and where there are no two candidates
    forecast: Sequence[ForecastPoint] = ()  # with more comparisons of the same kind; none where there is none yet
    biases: Sequence[Bias] = ()  # one per judge where they are estimated
    judge_effects: Sequence[JudgeEffects] = ()  # one per judge by consensus


def by_posterior(
    published: Published,
    wanted: Wanted,
    pairs_of: PairsOf = all_pairs,
    quantity: Quantity | None = None,
    target: InferenceTargetName = "latent",
) -> Standings:
    """The ranking of a posterior; no rows where it has not converged.

    Args: `quantity` is what is ranked, that of the `target` (targets): the scores themselves by default.
    """
    marginal, posterior, answers, comparisons, model, *_ = published
    if not model.n:
        return Standings([], posterior.convergence, 0, 0.0)
    if not posterior.convergence.converged:
        return Standings([], posterior.convergence, 0)
    if isinstance(marginal.covariance, SparseCovariance):
        standings = _by_rows(published, marginal.covariance.precision, wanted)
        is_about_all = len(pairs_of(marginal.mean).meets) == 1
        return standings if is_about_all else standings._replace(confidence=None, forecast=[])
    biases = estimates(posterior, comparisons, model)
    summary = summary_of(quantity or marginal, wanted, pairs_of, attenuation(published, target))
    if not isinstance(quantity, WinRates):
        summary = _reaching(summary, published)
    return _summarised(summary, quantity or marginal, posterior.convergence, biases, answers, model, pairs_of)


def _by_rows(published: Published, precision: Precision, wanted: Wanted) -> Standings:
    """The ranking of a posterior without a matrix."""
    mean, comparisons = published.scores.mean, published.comparisons
    summary = _reaching(summary_of(published.scores, wanted, attenuation=attenuation(published)), published)
    rows, components = _rows(summary.rank, summary.score, _uncertainties(summary), comparisons)
    votes = float(comparisons.weight.sum())
    later = sparse_ranking.concordances_after(mean, precision, summary.sd, TIMES)
    forecast = [ForecastPoint(int(np.ceil(times * votes)), share) for times, share in zip(TIMES, later, strict=True)]
    return Standings(rows, published.posterior.convergence, components, None, summary.confidence, forecast)


def _reaching(summary: RankTable, published: Published) -> RankTable:
    return summary._replace(win_rate_interval=reaching(summary.win_rate_interval, never_missed(published)))


def by_judges(
    name: JointName,
    comparisons: Comparisons,
    model: Model,
    people: Bools,
    wanted: Wanted,
    pairs_of: PairsOf = all_pairs,
) -> Standings:
    """The ranking by a method that estimates judges and scores together, and what it says of the judges.

    No rows where a matrix of it cannot be factored.

    Args: `people` (J,) tells who they are. Raises ValueError as `consensus` does.
    """
    try:
        with np.errstate(all="ignore"):
            return _by_judges(name, comparisons, model, people, wanted, pairs_of)
    except np.linalg.LinAlgError:
        return Standings([], Convergence(Outcome.SINGULAR, 0, np.nan), 0)


def _by_judges(
    name: JointName, comparisons: Comparisons, model: Model, people: Bools, wanted: Wanted, pairs_of: PairsOf
) -> Standings:
    """Raises numpy.linalg.LinAlgError."""
    if name == "consensus":
        agreed = consensus(comparisons, model, len(people))
        biases = listed(comparisons, agreed.delta, agreed.sd_of_delta, agreed.share_of_verdicts)
        summary = summary_of(agreed.of_scores, wanted, pairs_of)
        common = _summarised(summary, agreed.of_scores, agreed.convergence, biases, comparisons, model, pairs_of)
        return common._replace(judge_effects=judge_effects_of(agreed, comparisons))
    aware = judge_aware.fit(comparisons, model, people)
    biases = judge_biases(aware, comparisons)
    summary = summary_of(aware.of_scores, wanted, pairs_of)
    return _summarised(summary, aware.of_scores, aware.convergence, biases, comparisons, model, pairs_of)


def by_baseline(name: str, comparisons: Comparisons, n: int) -> Standings:
    """Raises KeyError for a name that is not in BASELINES."""
    score, convergence = BASELINES[name](comparisons, n)
    rows, components = _rows(ranks(score), score, [None] * n, comparisons)
    return Standings(rows, convergence, components)


def judge_biases(aware: JudgeAware, comparisons: Comparisons) -> list[Bias]:
    """Biases and discriminations of the judges that compared anything."""
    (delta, c), sd = aware.judges, aware.sd_of_judges
    every = listed(comparisons, delta, sd.delta, aware.share_of_verdicts)
    return [
        bias._replace(discrimination=float(c[bias.judge]), sd_of_discrimination=float(sd.c[bias.judge]))
        for bias in every
    ]


def _summarised(
    summary: RankTable,
    quantity: Quantity,
    convergence: Convergence,
    biases: list[Bias],
    comparisons: Comparisons,
    model: Model,
    pairs_of: PairsOf,
) -> Standings:
    rows, components = _rows(summary.rank, summary.score, _uncertainties(summary), comparisons)
    forecast = list[ForecastPoint]()
    if summary.confidence and isinstance(quantity, WinRates):
        forecast = _forecast_of_win_rates(quantity, comparisons, pairs_of)
    elif summary.confidence and isinstance(quantity, Scores):
        forecast = _forecast(quantity, comparisons, model, pairs_of, summary.confidence)
    return Standings(rows, convergence, components, summary.entropy, summary.confidence, forecast, biases)


def summary_of(
    quantity: Quantity, wanted: Wanted, pairs_of: PairsOf = all_pairs, attenuation: Floats = VOTES
) -> RankTable:
    """The ranking of what is ranked; `attenuation` of verdicts is for win rates by scores (win_rates.py)."""
    if is_drawn(quantity):
        return drawn_ranking.summarise(quantity, wanted, pairs_of, attenuation)
    assert isinstance(quantity, Scores)
    (mean, sigma, *_), rng = quantity, np.random.default_rng(DRAWS_SEED)
    if isinstance(sigma, SparseCovariance):
        return sparse_ranking.summarise(mean, sigma.precision, wanted, rng, attenuation)
    return summarise(quantity, wanted, rng, pairs_of, attenuation)


def _forecast_of_win_rates(drawn: WinRates, comparisons: Comparisons, pairs_of: PairsOf) -> list[ForecastPoint]:
    votes = float(comparisons.weight.sum())
    most = votes * drawn.verdicts / max(drawn.judged, 1)
    counts = sorted({int(np.ceil(min(times * votes, most))) for times in TIMES if votes < most})
    return [ForecastPoint(count, drawn_ranking.concordance_after(drawn, count / votes, pairs_of)) for count in counts]


def _forecast(
    marginal: Scores, comparisons: Comparisons, model: Model, pairs_of: PairsOf, now: Confidence
) -> list[ForecastPoint]:
    votes, prior = float(comparisons.weight.sum()), 1.0 / model.prior.precision[: model.n]
    if not votes:
        return []
    pairs = matching(pairs_of(marginal.mean))
    shares = [concordance_after(marginal, prior, pairs, times) for times in TIMES]
    if marginal.has_votes:
        of_normals = 1.0 - concordance_after(marginal, prior, pairs, 1.0)
        left = (1.0 - now.expected_concordance) / of_normals if of_normals else 1.0
        shares = [1.0 - left * (1.0 - share) for share in shares]
    return [ForecastPoint(int(np.ceil(times * votes)), share) for times, share in zip(TIMES, shares, strict=True)]


def _uncertainties(summary: RankTable) -> list[Uncertainty | None]:
    columns = (
        summary.sd, summary.interval, summary.rank_interval, summary.p_best, summary.p_top, summary.tie_group,
        summary.win_rate, summary.win_rate_interval,
    )  # fmt: skip
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [
        Uncertainty(
            sd=sd,
            interval=(low, high),
            rank_interval=(best, worst),
            p_best=p_best,
            p_top_k=p_top,
            tie_group=group,
            win_rate=win_rate,
            win_rate_interval=(least, most),
        )
        for sd, (low, high), (best, worst), p_best, p_top, group, win_rate, (least, most) in rows
    ]


def _rows(
    rank: Ints, score: Floats, uncertainty: list[Uncertainty | None], comparisons: Comparisons
) -> tuple[list[Standing], int]:
    """The rows, and how many components they are in. Those who share a rank differ by rounding: they share a score."""
    n = len(rank)
    score = np.round(means(score, rank, n + 1)[rank], ROUNDING) + 0.0  # no score is -0
    component = components(comparisons, n)
    times = np.bincount(np.append(comparisons.first, comparisons.second), minlength=n)
    columns = rank.tolist(), score.tolist(), uncertainty, times.tolist(), component.tolist()
    rows = [
        Standing(candidate=candidate, rank=place, score=value, uncertainty=known, comparisons=count, component=part)
        for candidate, (place, value, known, count, part) in enumerate(zip(*columns, strict=True))
    ]
    return sorted(rows, key=lambda row: (row.rank, row.candidate)), int(component.max(initial=-1)) + 1
