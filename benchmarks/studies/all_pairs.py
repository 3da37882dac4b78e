"""Rankings of all pairs beside the truth: `python -m benchmarks.studies.all_pairs`, the tables of uncertainty.md.

N candidates with scores N(0, 1) and a judge that repeats its verdicts: on each pair d = s_i - s_j + e with a fixed
e ~ N(0, errors^2), the same in both orders. It votes for d > 0, gives .999 or .001 instead, or gives sigma(d).
The truth is the order of the mean verdicts on all pairs, where ties share the better rank.

    held     all rank intervals, 95%, hold at once      best    P(best) of the leader, stated, and how often it was true
    stop     the set's rule, goal top 1 at 0.95, tested after every comparison

The third table replays judges with verdicts on all pairs of real texts, until both orders of each are judged; their
position bias is estimated, as by default. Its truth is their own mean verdicts, and what `latent` does with the same
answers stands beside it.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from nextpair.words import InferenceTargetName, PositionBiasChoice
from scipy.special import expit

from app.inference.choosing import Criterion, Goal, Order, Plan, Policy, Stop
from app.inference.fitting import Method
from app.inference.reporting import Wanted, ranks, summary_of
from app.inference.state import Checked, Reopening, Snapshot, Sought, check, exact, quantity
from app.inference.types import Floats, Ints
from benchmarks import loop
from benchmarks.pages import show, with_error
from benchmarks.studies.data import HANNA, SUMMEVAL, TOPICALCHAT, VICUNA, missing
from benchmarks.studies.running import DATA, options
from benchmarks.studies.truth import held

SEED = 20_281
UNCHECKED = Checked(None)
SHARES = (0.25, 0.5, 1.0)
JUDGES, ERRORS = ("votes", ".999 / .001", "probabilities"), (0.0, 0.5, 1.5)
WAYS = {"random": Criterion.RANDOM, "adaptive": Criterion.KNOWLEDGE}
ROUNDING = 9  # decimals of a win, below which candidates tie
STOP, GOAL = Stop(goal=0.95), Goal(top_k=1)


class RoundWorld(NamedTuple):
    judge: str
    errors: float
    n: int


class RoundCampaign(NamedTuple):
    """A set that is being judged."""

    verdicts: Floats  # (N, N) p that i is better than j when i is shown first
    plan: Plan
    sought: Sought

    @property
    def pairs(self) -> int:
        return len(self.verdicts) * (len(self.verdicts) - 1) // 2

    def answer(self, first: Ints, second: Ints) -> Floats:
        return self.verdicts[first, second]


class End(NamedTuple):
    """A set that stopped."""

    comparisons: int
    is_right: bool  # its leader is among the first of all pairs


def main() -> None:
    """`--stop` are the candidates of the second table, `--sets` those of each part of a data set."""
    chosen = options(__doc__, runs=200, candidates=[12, 24], stop=[16, 24], data=DATA, sets=25)
    columns = ["share", "held, %", "best, stated / so", "width of ranks"]
    show(["judge", "errors", "N", "pairs", *columns], coverage(chosen.candidates, chosen.runs))
    columns = ["reached", "comparisons, median (90%)", "right, %"]
    show(["judge", "errors", "N", *columns], stopped(chosen.stop, chosen.runs))
    show(["data", "sets", "pairs", "target", *columns], replayed(chosen.data, chosen.sets))


def coverage(candidates: Sequence[int], runs: int) -> Iterator[Sequence[str]]:
    """Yield the rows, latent → all pairs."""
    for n, judge, errors, way in product(candidates, JUDGES, ERRORS, WAYS):
        world = RoundWorld(judge, errors, n)
        of_runs = np.array([one_run(world, WAYS[way], number) for number in range(runs)])  # (runs, shares, 2, 4)
        for share, of_share in zip(SHARES, of_runs.swapaxes(0, 1), strict=True):
            mean = of_share.mean(axis=0)
            hold = " → ".join(with_error(100 * of_target, ".0f") for of_target in of_share[:, :, 0].T)
            best = " → ".join(f"{m[1]:.2f} / {m[2]:.2f}" for m in mean)
            yield judge, f"{errors:g}", str(n), way, f"{share:g}", hold, best, f"{mean[0, 3]:.1f} → {mean[1, 3]:.1f}"


def stopped(candidates: Sequence[int], runs: int) -> Iterator[Sequence[str]]:
    for n, judge, errors in product(candidates, JUDGES, ERRORS):
        ends = [
            run_to_stop(*campaign(RoundWorld(judge, errors, n), Criterion.KNOWLEDGE, number)) for number in range(runs)
        ]
        reached, cost, right = _of_ends(ends)
        yield judge, f"{errors:g}", str(n), reached, f"{cost} of {n * (n - 1) // 2}", right


def replayed(folder: Path, sets: int) -> Iterator[Sequence[str]]:
    for data_set in (SUMMEVAL, TOPICALCHAT, HANNA, VICUNA):
        if absent := missing(folder, data_set.folder):
            print(absent)
            continue
        cases = [case for part in data_set.parts for case in data_set.cases(folder, part, sets)]
        for target in ("latent", "all-pairs"):
            ends = [
                run_to_stop(*started(case.answers, Criterion.KNOWLEDGE, number, target, "auto"), orders=2)
                for number, case in enumerate(cases)
            ]
            pairs = f"{np.median([len(case.keys) * (len(case.keys) - 1) // 2 for case in cases]):.0f}"
            yield data_set.title, str(len(cases)), pairs, target, *_of_ends(ends)


def _of_ends(ends: Sequence[End | None]) -> tuple[str, str, str]:
    reached = [end for end in ends if end is not None]
    middle, late = np.quantile([end.comparisons for end in reached], [0.5, 0.9]) if reached else (np.nan, np.nan)
    right = np.mean([end.is_right for end in reached]) if reached else np.nan
    return f"{len(reached)} of {len(ends)}", f"{middle:.0f} ({late:.0f})", f"{100 * right:.1f}"


def campaign(world: RoundWorld, criterion: Criterion, number: int) -> tuple[RoundCampaign, Snapshot]:
    rng = np.random.default_rng([SEED, world.n, number])
    s, errors = rng.standard_normal(world.n), np.triu(world.errors * rng.standard_normal((world.n, world.n)), 1)
    d = s[:, None] - s + errors - errors.T
    is_above = d > 0.0
    verdicts = {"votes": is_above.astype(float), ".999 / .001": np.where(is_above, 0.999, 0.001)}.get(
        world.judge, expit(d)
    )
    return started(verdicts, criterion, number)


def started(
    verdicts: Floats,
    criterion: Criterion,
    seed: int,
    target: InferenceTargetName = "all-pairs",
    position_bias: PositionBiasChoice = "none",
) -> tuple[RoundCampaign, Snapshot]:
    plan = Plan(Policy(criterion), Order.BALANCED, seed, GOAL, target=target)
    sought = Sought(target, loop.texts(len(verdicts)), (), {0: 1.0})  # by a judge declared to repeat itself
    method = Method(verdict_weight="learnt", position_bias=position_bias)
    return RoundCampaign(verdicts, plan, sought), loop.unjudged(len(verdicts), method)


def further(of: RoundCampaign, snapshot: Snapshot, count: int = 1, checked: Checked = UNCHECKED) -> Snapshot:
    """More comparisons, asked for at once."""
    return loop.further(snapshot, of.plan, of.answer, count, checked=checked)


def truth_of(of: RoundCampaign) -> Floats:
    """(N,) wins in all pairs, in both orders."""
    mean = of.verdicts - of.verdicts.T
    return np.asarray(np.nansum(mean - np.diag(mean.diagonal()), axis=1).round(ROUNDING))


def one_run(world: RoundWorld, criterion: Criterion, number: int) -> Floats:
    """(shares, 2, 4): held, P(best), whether it was, width; latent and all pairs."""
    of, snapshot = campaign(world, criterion, number)
    rank, rows = ranks(truth_of(of)), []
    for share in SHARES:
        while missing := round(share * of.pairs) - snapshot.version:
            at_once = criterion is Criterion.RANDOM or share == 1.0
            snapshot = further(of, snapshot, missing if at_once else 1)
        published = exact(snapshot), exact(snapshot, target="all-pairs")
        of_targets = published[0].scores, quantity(snapshot, published[1], of.sought)
        rankings = [summary_of(each, Wanted())[0] for each in of_targets]
        rows.append([held(each, rank, int(each.p_best.argmax())) for each in rankings])
    return np.array(rows)


def run_to_stop(of: RoundCampaign, snapshot: Snapshot, orders: int = 1) -> End | None:
    """The end of a set; None where it does not stop before all pairs are judged in so many orders."""
    checked = UNCHECKED
    reopening = Reopening(0, False, STOP) if orders > 1 else None
    while snapshot.version < orders * of.pairs:
        snapshot = loop.further(snapshot, of.plan, of.answer, reopening=reopening, checked=checked)
        checked = check(snapshot, STOP, GOAL, of.sought)
        if checked.reason:
            ranked = quantity(snapshot, exact(snapshot, target=of.sought.target), of.sought)
            return End(snapshot.version, bool(ranks(truth_of(of))[int(ranked.mean.argmax())] == 1))
    return None


if __name__ == "__main__":
    main()
