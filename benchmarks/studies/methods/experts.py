"""Experts side by side: agreement with people, and whether the entropy tells good rankings from bad (GPM 6.1)."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.inference.experts import MAKERS
from app.inference.fitting import posterior
from app.inference.fitting.absolute import AbsoluteScores, combine, moments
from app.inference.types import Comparisons
from app.offline.cases import Case, from_scores
from app.offline.ranking import RankingMethod, model_of
from app.offline.replay import spearman
from benchmarks.studies.methods import data
from benchmarks.studies.methods.curves import SOFT_BT, say
from benchmarks.studies.methods.position_bias import everything
from benchmarks.studies.methods.size import Size

HELD_OUT = ("mcq", "rts")  # prompts that the comparisons come from; the other three are the absolute scores


class RankedDocument(NamedTuple):
    """Agreement and certainty of one document's ranking."""

    spearman: float
    log_det: float  # of the scores' covariance: twice the entropy, up to a constant


class TableRow(NamedTuple):
    """A row of the table."""

    source: str
    method: str
    spearman: Mapping[str, float]  # by dimension or judge
    auroc: Mapping[str, float]


Rank = Callable[[Case], RankedDocument]


def measure(folder: Path, size: Size) -> list[TableRow]:
    return [*_summeval(folder, size), *_vicuna(folder, size), *_topicalchat(folder, size)]


def combined(folder: Path, size: Size) -> list[TableRow]:
    """Comparisons, absolute scores, and both; never from the same scores."""
    rows: list[TableRow] = []
    for source, cases_of, prompts in (
        ("verdicts on a chain", data.summeval_verdicts, None),
        ("comparisons from two prompts", _from_two_prompts, HELD_OUT),
    ):
        say(f"experts: {source} with absolute scores")
        parts = {dimension: _usable(cases_of(folder, dimension), size) for dimension in size.summeval}
        scored = {dimension: data.summeval_scores(folder, dimension) for dimension in size.summeval}
        for name, rank in (("comparisons alone", _alone), ("absolute alone", _absolute), ("both", _both)):
            judged = {
                part: [rank(case, absolute(case, scored[part], prompts or ())) for case in cases]
                for part, cases in parts.items()
            }
            rows.append(_row(source, name, judged))
    return rows


def _summeval(folder: Path, size: Size) -> list[TableRow]:
    rows: list[TableRow] = []
    for judge in data.SUMMEVAL_JUDGES:
        parts = {part: _usable(data.summeval(folder, part, judge), size) for part in size.summeval}
        rows += _all(f"SummEval, {judge}", parts)
    chains = {part: _usable(data.summeval_verdicts(folder, part), size) for part in size.summeval}
    return rows + _all("SummEval, gpt-3.5's verdicts on a chain", chains)


def _vicuna(folder: Path, size: Size) -> list[TableRow]:
    if data.missing(folder, "prd_vicuna80"):
        return []
    return _all("Vicuna, hard verdicts", {judge: _usable(data.vicuna(folder, judge), size) for judge in size.judges})


def _topicalchat(folder: Path, size: Size) -> list[TableRow]:
    if data.missing(folder, "topicalchat"):
        return []
    return _all("TopicalChat", {part: _usable(data.topicalchat(folder, part), size) for part in size.topicalchat})


def _all(source: str, parts: Mapping[str, Sequence[Case]]) -> list[TableRow]:
    """Rank full sets by every expert."""
    say(f"experts: {source}")
    return [
        _row(source, name, {part: [full_set(case, name) for case in cases] for part, cases in parts.items()})
        for name in MAKERS
    ]


def full_set(case: Case, expert: str) -> RankedDocument:
    log = everything(case)
    model = model_of(RankingMethod(expert), len(case.keys))  # type: ignore[arg-type]
    fit = posterior.fit(log, model)
    return RankedDocument(spearman(fit.mean, case.truth), fit.covariance.log_det)


def absolute(
    case: Case, scored: Mapping[tuple[str, str], Mapping[str, float]], without: Sequence[str]
) -> AbsoluteScores:
    """Return mean and variance over the judge's prompts."""
    (doc,) = case.labels
    by_key = [[value for prompt, value in scored[doc, key].items() if prompt not in without] for key in case.keys]
    scores = [moments({value: float(values.count(value)) for value in values}) for values in by_key]
    n = len(scores)
    mean, variance = np.array([s.mean for s in scores]), np.array([max(s.variance, 1 / 12) for s in scores])
    return AbsoluteScores(np.arange(n), np.zeros(n, np.int64), mean, variance)


def _from_two_prompts(folder: Path, dimension: str) -> list[Case]:
    """Cases by the same rule as elsewhere, from the prompts that the absolute scores leave out."""
    means: dict[str, dict[str, float]] = {}
    for (doc, system), scores in data.summeval_scores(folder, dimension).items():
        means.setdefault(doc, {})[system] = float(np.mean([scores[prompt] for prompt in HELD_OUT if prompt in scores]))
    truths = {case.labels: case for case in data.summeval(folder, dimension)}
    return [
        from_scores((doc,), mean, dict(zip(truths[doc,].keys, truths[doc,].truth.tolist(), strict=True)))
        for doc, mean in means.items()
    ]


def _alone(case: Case, _: AbsoluteScores) -> RankedDocument:
    return full_set(case, "soft-bt")


def _absolute(case: Case, scores: AbsoluteScores) -> RankedDocument:
    return RankedDocument(spearman(scores.mean, case.truth), float(np.log(scores.variance).sum()))


def _both(case: Case, scores: AbsoluteScores) -> RankedDocument:
    log: Comparisons = everything(case)
    fit = combine(log, model_of(SOFT_BT, len(case.keys)), scores).posterior
    return RankedDocument(spearman(fit.mean, case.truth), fit.covariance.log_det)


def _row(source: str, method: str, judged: Mapping[str, Sequence[RankedDocument]]) -> TableRow:
    agreement = {part: float(np.mean([one.spearman for one in ones])) for part, ones in judged.items()}
    return TableRow(source, method, agreement, {part: auroc(ones) for part, ones in judged.items()})


def auroc(judged: Sequence[RankedDocument]) -> float:
    """AUROC of a small entropy as a sign of a correlation above the median; equal entropies count half."""
    agreement, certainty = np.array([one.spearman for one in judged]), -np.array([one.log_det for one in judged])
    good = agreement > np.median(agreement)
    margin = certainty[good][:, None] - certainty[~good]
    return float(np.mean((np.sign(margin) + 1.0) / 2.0)) if margin.size else float("nan")


def _usable(cases: Sequence[Case], size: Size) -> list[Case]:
    return [case for case in cases[: size.documents] if np.ptp(case.truth) > 0.0]
