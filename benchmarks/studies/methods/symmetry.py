"""HANNA's stories as one set, up to 50 N calls on random pairs, in both orders or one (PoE table 3, fig. 4, 7, 8)."""

from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from nextpair.words import PositionBias
from scipy.optimize import brentq
from scipy.special import expit, logit

from app.inference import fitting
from app.inference.fitting import BASELINES
from app.inference.fitting.model import build_for
from app.inference.types import Comparisons, Floats, by_one_judge
from app.offline.cases import Case
from app.offline.ranking import RankingMethod, definition_of
from app.offline.replay import spearman
from benchmarks.pages import figure, table
from benchmarks.studies import figures
from benchmarks.studies.data import STORIES, DataSet
from benchmarks.studies.figures import Band, band_of
from benchmarks.studies.methods.criteria import first_stories
from benchmarks.studies.methods.measuring import Campaign
from benchmarks.studies.methods.scoring import covering

DIMENSIONS = {"CH": "coherence", "CX": "complexity", "SU": "surprise"}  # PoE's COH, CMP, SUR
CALLS = (1, 2, 3, 5, 10, 20, 50)  # of the judge, for each story
IN_TABLE = (5, 10, 20, 50)
NOISE, BIASES = 1.0, {"no bias": 0.5, "a mean p of 0.78": 0.78}  # of the judge's logits; the mean p of the judge
BOTH, ONE = "both orders", "one order"


class SymmetryScorer(NamedTuple):
    """A curve: a method on pairs in both orders or in one."""

    name: str
    order: str
    debias: PositionBias = "none"

    @property
    def label(self) -> str:
        return f"{self.name}, {self.order}{', debiased' * (self.debias != 'none')}"


SCORERS = (
    SymmetryScorer("soft-bt", BOTH),
    SymmetryScorer("soft-bt", ONE),
    SymmetryScorer("soft-bt", ONE, "closed-form"),
    SymmetryScorer("average-probability", BOTH),
    SymmetryScorer("average-probability", ONE),
    SymmetryScorer("win-ratio", BOTH),
    SymmetryScorer("win-ratio", ONE),
)
IN_BOTH = [place for place, scorer in enumerate(SCORERS) if scorer.order == BOTH]

TEXT = """\
## Both orders or one

As PoE's table 3 and figures 4, 7 and 8, on all 1,056 stories of HANNA (N) and the paper's three dimensions. Random
pairs that cover every story are asked in both orders each, or twice as many in one order, drawn at random. Calls of the
judge are counted: 5 N are 2.5 N pairs in both orders. The judge is ChatGPT with noise, N(0, 1), on the logit of every
verdict, drawn again for the other order; as it is, or with a bias that makes its mean p 0.78, as the paper's Llama2-7B
has. *Debiased* is the paper's closed form, delta = logit(mean p). Spearman with people x 100 is the mean over the
dimensions; errors are those of {draws} draws of pairs and noise."""


def write(campaign: Campaign) -> str:
    source, draws = STORIES._replace(parts=tuple(DIMENSIONS)), campaign.size.draws
    parts = source.parts[: campaign.size.parts]
    by_bias = {
        bias: np.array([campaign.of_parts(_curves, source, campaign.size.stories, bias, n) for n in range(draws)])
        for bias in BIASES
    }  # (S, D, M, K)
    few = [place for place, calls in enumerate(CALLS) if calls <= 20]
    panels = {
        bias: {scorer.label: _band(curves[:, :, m, few]) for m, scorer in enumerate(SCORERS)}
        for bias, curves in by_bias.items()
    }
    axes = ("calls of the judge for each story", figures.AGREEMENT)
    figures.line_chart("efficiency-symmetry", campaign.figures, panels, {}, 2, axes)
    caption = "HANNA, 1,056 stories: mean over three dimensions; bands are one standard error over draws"
    tables = [
        f"**{bias}**\n\n{table(['method', *(f'{calls} N' for calls in CALLS)], _rows(curves))}"
        for bias, curves in by_bias.items()
    ]
    fair = by_bias["no bias"].mean(axis=0)  # (D, M, K)
    header = ["calls", *(f"{DIMENSIONS[part]}, {SCORERS[m].name}" for part in parts for m in IN_BOTH[:2])]
    text, shown = TEXT.format(draws=draws), figure("efficiency-symmetry", caption)
    return "\n\n".join([text, shown, *tables, _gain(fair), table(header, _table_3(fair))])


def _rows(curves: Floats) -> list[list[str]]:
    rows = []
    for m, scorer in enumerate(SCORERS):
        band = _band(curves[:, :, m])
        cells = [f"{100 * mean:.1f} ± {100 * error:.1f}" for mean, error in zip(band.mean, band.error, strict=True)]
        rows.append([scorer.label, *cells])
    return rows


def _gain(fair: Floats) -> str:
    gains = [
        100.0 * float((fair[:, m, CALLS.index(50)] - fair[:, m, CALLS.index(5)]).mean()) for m in reversed(IN_BOTH[:2])
    ]
    return (
        f"From 5 N to 50 N calls average-probability gains {gains[0]:.1f} and soft-bt {gains[1]:.1f}; in the paper's "
        "table 3, over its judges and data, 2.5 and 0.8. Its layout, without bias:"
    )


def _table_3(fair: Floats) -> list[list[str]]:
    return [
        [f"{calls} N", *(f"{100.0 * part[m, CALLS.index(calls)]:.1f}" for part in fair for m in IN_BOTH[:2])]
        for calls in IN_TABLE
    ]


def _band(curves: Floats) -> Band:
    """Args: `curves` (S, D, K) of draws and dimensions."""
    return band_of(np.array(CALLS[: curves.shape[2]], np.float64), curves.mean(axis=1), ddof=1)


def _curves(folder: Path, _: DataSet, part: str, stories: int | None, bias: str, draw: int) -> Floats:
    """(M, K) Spearman of each scorer after so many calls."""
    (case,) = first_stories(stories, folder, part)
    rng, n = np.random.default_rng([draw, list(DIMENSIONS).index(part)]), len(case.keys)
    answers = noisy_answers(case, BIASES[bias], rng)
    pairs = np.array(list(islice(covering(~np.isnan(case.answers), rng), CALLS[-1] * n)))
    shown = np.where(rng.random((len(pairs), 1)) < 0.5, pairs, pairs[:, ::-1])
    curves = np.empty((len(SCORERS), len(CALLS)))
    for k, calls in enumerate(CALLS):
        half = pairs[: calls * n // 2]
        shown_in = {BOTH: np.vstack([half, half[:, ::-1]]), ONE: shown[: calls * n]}
        for m, scorer in enumerate(SCORERS):
            first, second = shown_in[scorer.order].T
            curves[m, k] = spearman(_scores(scorer, by_one_judge(first, second, answers[first, second]), n), case.truth)
    return curves


def noisy_answers(case: Case, mean: float, rng: np.random.Generator) -> Floats:
    """(N, N) the judge's p with noise of its own for either order, and a bias that makes their mean `mean`."""
    logits = logit(case.answers) + NOISE * rng.standard_normal(case.answers.shape)
    delta = brentq(lambda delta: float(np.nanmean(expit(logits + delta))) - mean, -10.0, 10.0)
    return np.asarray(expit(logits + delta))


def _scores(scorer: SymmetryScorer, comparisons: Comparisons, n: int) -> Floats:
    if scorer.name in BASELINES:
        return BASELINES[scorer.name](comparisons, n).score
    definition = definition_of(RankingMethod("soft-bt", position_bias=scorer.debias))
    return fitting.fit(comparisons, build_for(definition, n, comparisons, 1)).mean[:n]
