"""Ablations of the parts of a method: the exponent, the Beta expert, absolute scores (GPM table 6, figure 2)."""

from collections.abc import Callable, Mapping
from functools import partial
from math import ceil
from pathlib import Path

import numpy as np

from app.inference.choosing import Criterion, Order, Policy
from app.inference.types import Floats
from app.offline.ranking import RankingMethod
from app.offline.replay import Setup, open_loop, replay
from app.offline.simulation import case_seed
from benchmarks.studies.methods import experts, figures, measuring
from benchmarks.studies.methods.data import SUMMEVAL, SUMMEVAL_JUDGES, summeval, summeval_scores
from benchmarks.studies.methods.markdown import command, estimate, figure, table
from benchmarks.studies.methods.measuring import Band, Campaign, Measured, MeasuringPlan

EXPONENTS = (0.0, 0.5, 1.0, 2.0, 4.0)
BETA = ((0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (3.0, 3.0))
LIMIT, SHARE = 0.3, 0.25  # of N (N - 1)
MANY = SUMMEVAL_JUDGES[:1] + SUMMEVAL_JUDGES[3:]

TEXT = """\
## What the parts do

As GPM's table 6: comparisons to 90% by `exponent`, which divides by |m| to the power epsilon; 0 is `variance` and 2 is
`reordering`, except for the floor that they share."""

FIGURES = """\
As GPM's figure 2, on SummEval's coherence: (a) soft-bt alone, and with absolute scores beside comparisons, as selection
by `reordering` goes on (comparisons from two prompts, absolute scores from the other three); (b) the parameters of the
Beta model; (c) the exponent."""


def write(campaign: Campaign) -> str:
    swept = {epsilon: _by_exponent(campaign, epsilon) for epsilon in EXPONENTS}
    panels = {
        "(a) with absolute scores": _combined(campaign),
        "(b) Beta expert": {f"a = b = {a}": _beta(campaign, a, b) for a, b in BETA},
        "(c) exponent": {f"epsilon = {epsilon}": _of(swept[epsilon][SUMMEVAL_JUDGES[0]]) for epsilon in EXPONENTS},
    }
    figures.line_chart("ablations", campaign.figures, panels, {})
    caption = "SummEval, coherence: mean over documents; bands are one standard error"
    options = f"--seeds 1 --limit-fraction {LIMIT} --verdict-weight one-vote"
    line = f"nextpair simulate {SUMMEVAL.command.format(part='coherence')} {options}"
    lines = [
        f"{line} --criterion exponent --epsilon 0.5",
        f"{line} --criterion reordering --method sigma-beta -p a=3 -p b=3",
    ]
    return "\n\n".join([TEXT, _table(swept), FIGURES, figure("ablations", caption), command(*lines)])


def _by_exponent(campaign: Campaign, epsilon: float) -> Mapping[str, Measured]:
    plan = MeasuringPlan((Criterion.EXPONENT,), epsilon=epsilon, limit=LIMIT)
    return {
        judge: measuring.measure(
            campaign,
            SUMMEVAL._replace(title=f"SummEval {judge}", load=partial(summeval, judge=judge)),
            plan,
            campaign.size.some_documents,
        )
        for judge in MANY
    }


def _table(swept: Mapping[float, Mapping[str, Measured]]) -> str:
    rows = [[judge, f"{epsilon}", *_costs(swept[epsilon][judge])] for judge in MANY for epsilon in EXPONENTS]
    return table(["judge", "epsilon", *swept[0.0][MANY[0]], "mean"], rows)


def _costs(measured: Measured) -> list[str]:
    parts = [{part: curves} for part, curves in measured.items()]
    return [estimate(measuring.cost(each, Criterion.EXPONENT, 0.9)) for each in (*parts, measured)]


def _of(measured: Measured) -> Band:
    return measuring.band(dict(list(measured.items())[:1]), Criterion.EXPONENT)


def _beta(campaign: Campaign, a: float, b: float) -> Band:
    method = RankingMethod("sigma-beta", parameters=(("a", a), ("b", b)))
    coherence = SUMMEVAL._replace(parts=SUMMEVAL.parts[:1])
    plan = MeasuringPlan((Criterion.REORDERING,), method=method, limit=LIMIT)
    measured = measuring.measure(campaign, coherence, plan, campaign.size.some_documents)
    return measuring.band(measured, Criterion.REORDERING)


def _combined(campaign: Campaign) -> Mapping[str, Band]:
    tasks: Mapping[str, Callable[[], Floats]] = {
        name: partial(_curves, campaign.datasets, campaign.size.some_documents, both)
        for name, both in ((f"{campaign.size.some_documents} combined", True), ("alone", False))
    }
    both, alone = campaign.checkpoints.all(tasks, campaign.pool)
    return {"soft-bt": _band(alone), "with absolute scores": _band(both)}


def _curves(folder: Path, documents: int, both: bool) -> Floats:
    """(C, K) correlations."""
    scored, rows = summeval_scores(folder, "coherence"), []
    for k, case in enumerate(experts.from_two_prompts(folder, "coherence")[:documents]):
        setup = Setup(Policy(Criterion.REORDERING), Order.BALANCED, case_seed(0, k), RankingMethod("soft-bt"))
        if both:
            case = case._replace(absolute=experts.absolute(case, scored, experts.HELD_OUT))
        rows.append(replay(open_loop(case, setup), case, ceil(SHARE * case.ordered_pairs))[0])
    return np.array(rows)


def _band(curves: Floats) -> Band:
    error = curves.std(axis=0) / np.sqrt(len(curves))
    return Band(np.arange(1.0, curves.shape[1] + 1.0), curves.mean(axis=0), np.asarray(error, np.float64))
