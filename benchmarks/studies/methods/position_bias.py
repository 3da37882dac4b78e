"""A judge with position bias: what it costs, and what estimating or debiasing gains."""

from pathlib import Path
from typing import NamedTuple

from app.inference.choosing import Criterion, Order
from app.offline.cases import Case
from app.offline.ranking import RankingMethod
from benchmarks.studies.methods import data, measuring
from benchmarks.studies.methods.data import SUMMEVAL, VICUNA, DataSet
from benchmarks.studies.methods.markdown import estimate, in_hundredths, table
from benchmarks.studies.methods.measuring import Campaign, Estimate, Measured, MeasuringPlan

DELTA, LIMIT = 1.0, 0.3
SOFT_BT = RankingMethod("soft-bt")
ESTIMATED = RankingMethod("soft-bt", position_bias="estimate")


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

TEXT = """\
## Position bias

One is added to the logits of SummEval's judge, in favour of the first position; Vicuna's judges have biases of their
own. *Fixed* shows the candidate that was added earlier first in every pair; *both orders* averages the bias out
at two calls a pair; *estimated* makes it one more parameter. Pairs are chosen by `reordering`; calls to 90% of the
unbiased full set, and Spearman x 100 at the end: after 30% of N(N-1) on SummEval, after every pair on Vicuna."""


def write(campaign: Campaign) -> str:
    biased = SUMMEVAL._replace(title="SummEval, bias of 1", load=_biased)
    fair = measuring.measure(campaign, SUMMEVAL, _plan(TREATMENTS[1], LIMIT), campaign.size.some_documents)
    rows = [_row(campaign, biased, treatment, LIMIT, fair) for treatment in TREATMENTS]
    if not data.missing(campaign.datasets, VICUNA.folder):
        rows += [_row(campaign, VICUNA, treatment, 1.0, None) for treatment in TREATMENTS]
    return f"{TEXT}\n\n{table(['data', 'what is done about it', 'judge calls to 90%', 'at the end'], rows)}"


def _biased(folder: Path, dimension: str) -> list[Case]:
    return [data.biased(case, DELTA) for case in data.summeval(folder, dimension)]


def _plan(treatment: Treatment, limit: float) -> MeasuringPlan:
    return MeasuringPlan((Criterion.REORDERING,), method=treatment.method, order=treatment.order, limit=limit)


def _row(campaign: Campaign, source: DataSet, treatment: Treatment, limit: float, fair: Measured | None) -> list[str]:
    measured = measuring.measure(campaign, source, _plan(treatment, limit), campaign.size.some_documents)
    level = {part: curves._replace(full=(fair or measured)[part].full) for part, curves in measured.items()}
    last: Estimate = measuring.reached(measured, Criterion.REORDERING, 10**6)
    needed = measuring.cost(level, Criterion.REORDERING, 0.9)
    return [source.title, treatment.name, estimate(needed), in_hundredths(last)]
