"""How often is what a ranking states true? N = 12 texts, pairs chosen by `reordering`.

True scores are drawn from N(0, sd^2). A ranking is compared with the judge's own scores, unit * s: a log does not
identify the unit of a judge.
"""

from functools import partial
from itertools import islice, product
from typing import NamedTuple

import numpy as np

from app.inference.choosing import Criterion, Order, Plan, Policy
from app.inference.fitting import Method
from app.inference.reporting import Wanted, expected_wins, observed_wins, ranks, summary_of
from app.inference.state import Snapshot, exact
from app.inference.types import Floats
from benchmarks.loop import judged
from benchmarks.studies.evidence.judges import JUDGES, answering
from benchmarks.studies.methods.checkpoints import Checkpoints
from benchmarks.studies.processes import of_runs
from benchmarks.studies.truth import held, inside

SEED = 20_263
N = 12
SDS = (0.2, 1.0, 3.0)
ASKED = (1, 4, 10)  # times in a row each chosen pair is asked
LENGTHS = (5 * N, 10 * N)  # comparisons
METHODS = {"one-vote": Method(), "learnt": Method(verdict_weight="learnt")}  # by the kind of evidence
SURE = 0.9


class EvidenceSetting(NamedTuple):
    """A row of the tables, except its length."""

    judge: str
    sd: float  # of the true scores
    in_a_row: int  # times that a chosen pair is asked


class CoverageOutcome(NamedTuple):
    """One ranking compared with the truth; the mean of many."""

    pairs: float  # different ones that were asked
    ranks: float  # whether all rank intervals hold together
    best_stated: float  # P(best) of the text at the top
    best: float  # whether it is the best
    claims: float  # "i is above j" with a probability of more than SURE
    true_claims: float
    scores: float  # share of the marginal intervals that hold the score, less the mean of all
    width: float  # worst rank minus best, mean of the texts
    groups: float  # of ties
    false_groups: float  # whether a text of a later one is better than the text at the top


class CoverageRow(NamedTuple):
    """A row of the tables."""

    setting: EvidenceSetting
    length: int
    outcomes: list[CoverageOutcome]  # by METHODS


SETTINGS = tuple(EvidenceSetting(*each) for each in product(JUDGES, SDS, ASKED))


def rows_of(setting: EvidenceSetting, runs: int, checkpoints: Checkpoints) -> list[CoverageRow]:
    """The row at each of LENGTHS."""
    judge, sd, in_a_row = setting
    measured = [
        checkpoints.once(f"{judge}-{sd:g}-{in_a_row}-{evidence}-{runs}", partial(measure, setting, evidence, runs))
        for evidence in METHODS
    ]
    return [
        CoverageRow(setting, *at_length)
        for at_length in zip(LENGTHS, map(list, zip(*measured, strict=True)), strict=True)
    ]


def measure(setting: EvidenceSetting, evidence: str, runs: int) -> list[CoverageOutcome]:
    """The mean outcome at each of LENGTHS."""
    by_run = of_runs(partial(one_run, setting, evidence), runs)
    return [CoverageOutcome(*np.mean(at_length, axis=0).tolist()) for at_length in zip(*by_run, strict=True)]


def one_run(setting: EvidenceSetting, evidence: str, number: int) -> list[CoverageOutcome]:
    """The outcome at each of LENGTHS; texts and judge are the same under every kind of evidence."""
    rng = np.random.default_rng([SEED, SETTINGS.index(setting), number])
    truth, judge = rng.normal(0.0, setting.sd, N), JUDGES[setting.judge]
    answer, plan = answering(judge, truth, rng), Plan(Policy(Criterion.REORDERING), Order.BALANCED, number)
    snapshots = islice(judged(answer, N, METHODS[evidence], plan, in_a_row=setting.in_a_row), max(LENGTHS))
    return [outcome(snapshot, judge.unit * truth) for snapshot in snapshots if snapshot.version in LENGTHS]


def outcome(snapshot: Snapshot, truth: Floats) -> CoverageOutcome:
    """The published ranking compared with the (N,) true scores."""
    posterior = exact(snapshot).scores
    stated, _ = summary_of(posterior, Wanted())
    leader, later = int(np.argmax(stated.score)), stated.tie_group > 1
    of_ranks = held(stated, ranks(truth), leader)
    claims = expected_wins(posterior) > SURE
    return CoverageOutcome(
        np.isfinite(observed_wins(snapshot.comparisons, len(truth))).sum() / 2,
        of_ranks.ranks,
        of_ranks.stated,
        of_ranks.so,
        claims.sum(),
        (claims & (truth[:, None] > truth)).sum(),
        inside(truth - truth.mean(), stated.interval).mean(),
        of_ranks.width,
        stated.tie_group.max(),
        (truth[later] > truth[leader]).any(),
    )
