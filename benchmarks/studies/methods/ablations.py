"""Parts of a method: exponent, Beta expert, absolute scores (GPM table 6, figure 2); what a position bias costs."""

from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.inference.choosing import Criterion, Order, Policy
from app.inference.types import Floats
from app.offline.cases import Case
from app.offline.ranking import RankingMethod
from app.offline.replay import Setup, open_loop, replay
from app.offline.simulation import case_seed
from benchmarks.pages import command, figure, table
from benchmarks.studies import figures
from benchmarks.studies.data import (
    SUMMEVAL,
    SUMMEVAL_JUDGES,
    VICUNA,
    DataSet,
    biased,
    by_judge,
    summeval,
    summeval_scores,
)
from benchmarks.studies.figures import Band, band_of
from benchmarks.studies.methods import experts, measuring
from benchmarks.studies.methods.measuring import Campaign, Measured, MeasuringPlan

EXPONENTS = (0.0, 0.5, 1.0, 2.0, 4.0)
BETA = ((0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (3.0, 3.0))
LIMIT, SHARE = 0.3, 0.25  # of N (N - 1)
MANY = SUMMEVAL_JUDGES[:1] + SUMMEVAL_JUDGES[3:]
COHERENCE = SUMMEVAL._replace(parts=SUMMEVAL.parts[:1])

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
        "(a) with absolute scores": {
            "soft-bt": _combined(campaign, both=False),
            "with absolute scores": _combined(campaign, both=True),
        },
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
    return {judge: measuring.measure(campaign, by_judge(judge), plan, campaign.size.some_documents) for judge in MANY}


def _table(swept: Mapping[float, Mapping[str, Measured]]) -> str:
    rows = [[judge, f"{epsilon}", *_costs(swept[epsilon][judge])] for judge in MANY for epsilon in EXPONENTS]
    return table(["judge", "epsilon", *swept[0.0][MANY[0]], "mean"], rows)


def _costs(measured: Measured) -> list[str]:
    parts = (*measuring.by_part(measured).values(), measured)
    return [measuring.cost(each, Criterion.EXPONENT, 0.9).text() for each in parts]


def _of(measured: Measured) -> Band:
    return measuring.band(dict(list(measured.items())[:1]), Criterion.EXPONENT)


def _beta(campaign: Campaign, a: float, b: float) -> Band:
    method = RankingMethod("sigma-beta", parameters=(("a", a), ("b", b)))
    plan = MeasuringPlan((Criterion.REORDERING,), method=method, limit=LIMIT)
    measured = measuring.measure(campaign, COHERENCE, plan, campaign.size.some_documents)
    return measuring.band(measured, Criterion.REORDERING)


def _combined(campaign: Campaign, *, both: bool) -> Band:
    (curves,) = campaign.of_parts(_curves, COHERENCE, campaign.size.some_documents, both)
    return band_of(np.arange(1.0, curves.shape[1] + 1.0), curves)


def _curves(folder: Path, _: DataSet, part: str, documents: int, both: bool) -> Floats:
    """(C, K) correlations."""
    scored, rows = summeval_scores(folder, part), []
    for k, case in enumerate(experts.from_two_prompts(folder, part)[:documents]):
        setup = Setup(Policy(Criterion.REORDERING), Order.BALANCED, case_seed(0, k), RankingMethod("soft-bt"))
        if both:
            case = case._replace(absolute=experts.absolute(case, scored, experts.HELD_OUT))
        rows.append(replay(open_loop(case, setup), case, ceil(SHARE * case.ordered_pairs))[0])
    return np.array(rows)


# A judge with position bias

DELTA = 1.0
SOFT_BT, ESTIMATED = RankingMethod("soft-bt"), RankingMethod("soft-bt", position_bias="estimate")


class Treatment(NamedTuple):
    """A way to deal with a bias."""

    name: str
    method: RankingMethod
    order: Order


TREATMENTS = (
    Treatment("one fixed order, ignored", SOFT_BT, Order.AS_SELECTED),
    Treatment("balanced order, ignored", SOFT_BT, Order.BALANCED),
    Treatment("balanced order, estimated", ESTIMATED, Order.BALANCED),
    Treatment("one fixed order, estimated", ESTIMATED, Order.AS_SELECTED),
    Treatment("both orders", SOFT_BT, Order.BOTH),
)

BIAS = """\
## Position bias

One is added to the logits of SummEval's judge, in favour of the first position; Vicuna's judges have biases of their
own. *Fixed* shows the candidate that was added earlier first in every pair; *both orders* averages the bias out
at two calls a pair; *estimated* makes it one more parameter. Pairs are chosen by `reordering`; calls to 90% of the
unbiased full set, and Spearman x 100 at the end: after 30% of N(N-1) on SummEval, after every pair on Vicuna."""


def write_position_bias(campaign: Campaign) -> str:
    with_bias = SUMMEVAL._replace(title="SummEval, bias of 1", load=_biased)
    fair = measuring.measure(campaign, SUMMEVAL, _plan(TREATMENTS[1], LIMIT), campaign.size.some_documents)
    rows = [_row(campaign, with_bias, treatment, LIMIT, fair) for treatment in TREATMENTS]
    rows += [_row(campaign, each, treatment, 1.0) for each in campaign.present(VICUNA) for treatment in TREATMENTS]
    return f"{BIAS}\n\n{table(['data', 'what is done about it', 'judge calls to 90%', 'at the end'], rows)}"


def _biased(folder: Path, dimension: str) -> list[Case]:
    return [biased(case, DELTA) for case in summeval(folder, dimension)]


def _plan(treatment: Treatment, limit: float) -> MeasuringPlan:
    return MeasuringPlan((Criterion.REORDERING,), method=treatment.method, order=treatment.order, limit=limit)


def _row(
    campaign: Campaign, source: DataSet, treatment: Treatment, limit: float, fair: Measured | None = None
) -> list[str]:
    measured = measuring.measure(campaign, source, _plan(treatment, limit), campaign.size.some_documents)
    level = {part: curves._replace(full=(fair or measured)[part].full) for part, curves in measured.items()}
    needed = measuring.cost(level, Criterion.REORDERING, 0.9)
    last = measuring.reached(measured, Criterion.REORDERING, 10**6)
    return [source.title, treatment.name, needed.text(), last.text(100)]
