"""Pairs of outputs that a judge has judged and people should, since that shrinks the rank-sets of both most.

They come beside the set's own queue, which never shows a pair that anyone has judged.
"""

from typing import NamedTuple

import numpy as np

from app.inference.choosing.asking import Draws, Plan, Presented
from app.inference.choosing.human_checks import gains
from app.inference.choosing.order import lead, present
from app.inference.choosing.selection import TIE, Choice, probability_of_reordering
from app.inference.covariance import variance_of_difference
from app.inference.fitting.posterior import Scores, scores
from app.inference.judges.pair_votes import PairVotes
from app.inference.judges.people_and_judge import ENOUGH, by_both, by_judge_alone, fewest, helped, judged_instances
from app.inference.judges.rank_sets import RankSets
from app.inference.state.snapshot import BlockedPairs, ChosenPair, Snapshot, pair_votes_of
from app.inference.types import Bools, Ints

ALPHA = 0.05


class HumanCheck(NamedTuple):
    """Ids of the judge whose verdicts are to be checked, and of the people who check them."""

    judge: int
    people: frozenset[int]


def ask(snapshot: Snapshot, blocked: BlockedPairs, plan: Plan, who: HumanCheck, count: int) -> list[ChosenPair]:
    """Up to `count` pairs, best first; a pair that someone holds counts as judged."""
    ids, k = snapshot.evidence.judges.tolist(), snapshot.model.n
    if who.judge not in ids:
        return []
    seen, judge = pair_votes_of(snapshot), ids.index(who.judge)
    people = [number for number, name in enumerate(ids) if name in who.people]
    free = by_judge_alone(seen, judge, people)
    held = free & _held(seen, blocked, k)
    counts = _counts(seen, by_both(seen, judge, people) | held, k)
    said = judged_instances(seen, judge, people)
    found = helped(said, k, ALPHA) if fewest(said, k)[1] >= ENOUGH else None
    rng = Draws(plan, snapshot.version, blocked.leases)
    return _pick(snapshot, seen, free & ~held, counts, found, plan, rng, count)


def _pick(
    snapshot: Snapshot,
    seen: PairVotes,
    free: Bools,
    counts: Ints,
    found: RankSets | None,
    plan: Plan,
    rng: Draws,
    count: int,
) -> list[ChosenPair]:
    """One after the other; writes to `free` and `counts`, which are its own."""
    marginal = scores(snapshot.posterior, snapshot.comparisons, snapshot.model)
    leads, asks = lead(snapshot.comparisons.first, snapshot.comparisons.second, snapshot.model.n), list[ChosenPair]()
    for _ in range(min(count, int(free.sum()))):
        value = np.where(free, gains(found, counts, ALPHA)[seen.low, seen.high], -np.inf)
        best = np.flatnonzero(value >= value.max() * (1.0 - TIE))
        at = int(rng.choice(best))
        low, high = int(seen.low[at]), int(seen.high[at])
        first, second = present(low, high, leads, plan.order, rng)
        leads[first] += 1
        leads[second] -= 1
        free[at] = False
        counts[[low, high], [high, low]] += 1
        choice = _explain(marginal, low, high, float(value[at]), 1.0 / len(best))
        asks.append(ChosenPair(int(seen.item[at]), Presented(first, second, choice), "rank-sets"))
    return asks


def _explain(marginal: Scores, low: int, high: int, gain: float, propensity: float) -> Choice:
    m = float(marginal.mean[low] - marginal.mean[high])
    v = variance_of_difference(marginal.covariance, low, high)
    return Choice(low, high, gain, m, float(np.sqrt(v)), probability_of_reordering(m, v), propensity, random=False)


def _held(seen: PairVotes, blocked: BlockedPairs, k: int) -> Bools:
    """(M,) cells that an assignment keeps from being handed out."""
    low, high = np.minimum(blocked.first, blocked.second), np.maximum(blocked.first, blocked.second)
    return np.isin(_number(seen.item, seen.low, seen.high, k), _number(blocked.item, low, high, k))


def _number(item: Ints, low: Ints, high: Ints, k: int) -> Ints:
    return (item * k + low) * k + high


def _counts(seen: PairVotes, rows: Bools, k: int) -> Ints:
    """(k, k), symmetric: how many of these cells are about each pair of candidates."""
    table = np.bincount(seen.low[rows] * k + seen.high[rows], minlength=k * k).reshape(k, k)
    return np.asarray(table + table.T)
