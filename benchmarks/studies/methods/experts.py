"""Comparison models side by side: agreement with people, and what tells good rankings from bad (GPM table 1)."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
from nextpair.words import MethodName

from app.inference import fitting
from app.inference.experts import MAKERS
from app.inference.fitting import AbsoluteScores, Posterior, Scores, combine, moments
from app.inference.gaussian import plain
from app.inference.pair_sets import upper_triangle
from app.inference.reporting import concordance
from app.offline.cases import Case, from_scores
from app.offline.ranking import RankingMethod, model_of
from app.offline.replay import spearman
from benchmarks.pages import table
from benchmarks.studies import data
from benchmarks.studies.data import SUMMEVAL, SUMMEVAL_JUDGES, TOPICALCHAT, VICUNA, DataSet, by_judge, everything
from benchmarks.studies.methods.measuring import Campaign, mean_over_documents
from benchmarks.studies.truth import auroc

HELD_OUT = ("mcq", "rts")  # prompts that the comparisons come from; the other three are the absolute scores
CHAIN = "SummEval, gpt-3.5's verdicts on a chain"
ABSOLUTE = ("comparisons alone", "absolute alone", "both")

TEXT = """\
## Comparison models

As GPM's table 1: Spearman correlation with people from all of the judge's comparisons, x 100, and two signs that a
document's correlation is above the median, by their AUROC x 100 (50 is chance): minus the *entropy* of the posterior,
and the *expected concordance*, the share of pairs expected in the right order. The mean over parts.

Where comparisons come from scores of single texts, every model puts the candidates in the order of those scores: such
rows compare judges and signs, not models. The entropy of most models points the wrong way, because their curvature is
largest where the judge sees no difference; the expected concordance does not have that fault.

*Both* adds the mean and variance of gpt-3.5's scores over prompts to comparisons; the two never come from the same
prompts."""


class RankedDocument(NamedTuple):
    """Agreement and confidence of one document's ranking."""

    spearman: float
    log_det: float  # of the scores' covariance: twice the entropy, up to a constant
    concordance: float


def write(campaign: Campaign) -> str:
    chain = SUMMEVAL._replace(title=CHAIN, load=data.summeval_verdicts)
    sources = (*map(by_judge, SUMMEVAL_JUDGES), chain, *campaign.present(VICUNA, TOPICALCHAT))
    rows = [row for source in sources for row in _rows(campaign, source, tuple(MAKERS), _full_sets)]
    split = SUMMEVAL._replace(title="SummEval, comparisons from two prompts", load=from_two_prompts)
    rows += _rows(campaign, split, ABSOLUTE, _with_absolute)
    return f"{TEXT}\n\n{table(['comparisons', 'method', 'Spearman', 'AUROC entropy', 'AUROC concordance'], rows)}"


Measure = Callable[[Path, DataSet, str, int], list[list[RankedDocument]]]  # by method and document


def _rows(campaign: Campaign, source: DataSet, methods: Sequence[str], measure: Measure) -> list[list[str]]:
    by_part, rows = campaign.of_parts(measure, source, campaign.size.documents), []
    for k, method in enumerate(methods):
        documents = [np.array(part[k]) for part in by_part]  # (C, 3) as RankedDocument has them
        agreement = mean_over_documents([part[:, 0] for part in documents])
        entropy = np.mean([auroc(-part[:, 1], part[:, 0]) for part in documents])
        concordant = np.mean([auroc(part[:, 2], part[:, 0]) for part in documents])
        rows.append([source.title, method, agreement.text(100), f"{100 * entropy:.1f}", f"{100 * concordant:.1f}"])
    return rows


def _full_sets(folder: Path, source: DataSet, part: str, count: int) -> list[list[RankedDocument]]:
    cases = source.cases(folder, part, count)
    return [[_alone(case, cast(MethodName, name)) for case in cases] for name in MAKERS]


def _with_absolute(folder: Path, source: DataSet, part: str, count: int) -> list[list[RankedDocument]]:
    cases, scored = source.cases(folder, part, count), data.summeval_scores(folder, part)
    scores = [absolute(case, scored, HELD_OUT) for case in cases]
    return [
        [_alone(case, "soft-bt") for case in cases],
        [_absolute(case, each) for case, each in zip(cases, scores, strict=True)],
        [_both(case, each) for case, each in zip(cases, scores, strict=True)],
    ]


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


def from_two_prompts(folder: Path, dimension: str) -> list[Case]:
    """Cases by the same rule as elsewhere, from the prompts that the absolute scores leave out."""
    means: dict[str, dict[str, float]] = {}
    for (doc, system), scores in data.summeval_scores(folder, dimension).items():
        means.setdefault(doc, {})[system] = float(np.mean([scores[prompt] for prompt in HELD_OUT if prompt in scores]))
    truths = {case.labels: case for case in data.summeval(folder, dimension)}
    return [
        from_scores((doc,), mean, dict(zip(truths[doc,].keys, truths[doc,].truth.tolist(), strict=True)))
        for doc, mean in means.items()
    ]


def _alone(case: Case, expert: MethodName) -> RankedDocument:
    return _described(fitting.fit(everything(case), model_of(RankingMethod(expert), len(case.keys))), case)


def _absolute(case: Case, scores: AbsoluteScores) -> RankedDocument:
    sigma = plain(np.diag(scores.variance), float(np.log(scores.variance).sum()))
    return RankedDocument(spearman(scores.mean, case.truth), sigma.log_det, _concordance(Scores(scores.mean, sigma)))


def _both(case: Case, scores: AbsoluteScores) -> RankedDocument:
    combined = combine(everything(case), model_of(RankingMethod("soft-bt"), len(case.keys)), scores)
    return _described(combined.posterior, case)


def _described(posterior: Posterior, case: Case) -> RankedDocument:
    scores = Scores(posterior.mean, posterior.covariance)
    return RankedDocument(spearman(posterior.mean, case.truth), scores.covariance.log_det, _concordance(scores))


def _concordance(scores: Scores) -> float:
    return concordance(scores, upper_triangle(len(scores.mean)))
