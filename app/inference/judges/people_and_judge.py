"""Wins by people and by judges on the same pairs of outputs, as system_scores.py reads them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.inference.judges.mean_wins import Instances, Wins
from app.inference.judges.pair_votes import PairVotes
from app.inference.types import Bools, Ints
from app.inference.verdicts import directions

ENOUGH = 2  # instances of each system that people judged, from which on there are rank-sets


class JudgedInstances(NamedTuple):
    """Instances that at least one of the judges judged."""

    shown: Instances
    people: Wins
    judges: list[Wins]
    item: Ints | None = None  # (M,) the prompt of each; None: each its own


def judged_instances(votes: PairVotes, judges: Sequence[int], people: Sequence[int]) -> JudgedInstances:
    """Several people on one pair of outputs count for one, each for a share; a judge's probabilities are used as such.

    Args: judges by their number.
    """
    kept = by_any(votes, judges)
    p = votes.p[kept]
    named = directions(p[:, people] - 0.5)
    voters = (~np.isnan(named)).sum(axis=1)
    voters = np.where(voters > 0, voters, np.nan)
    by_people = Wins((named > 0.0).sum(axis=1) / voters, (named < 0.0).sum(axis=1) / voters)
    shown = Instances(votes.low[kept], votes.high[kept])
    return JudgedInstances(shown, by_people, [_wins(p[:, judge]) for judge in judges], votes.item[kept])


def by_any(votes: PairVotes, judges: Sequence[int]) -> Bools:
    """(M,) pairs that any of these judged."""
    return np.asarray(~np.isnan(votes.p[:, judges]).all(axis=1))


def least_seen(shown: Instances, wins: Wins, k: int) -> tuple[int, int]:
    """The system on which there are the fewest verdicts, and how many."""
    times = np.bincount(np.concatenate([side[wins.are_there] for side in shown]), minlength=k)
    least = int(np.argmin(times))
    return least, int(times[least])


def _wins(p: np.ndarray) -> Wins:
    is_tie = directions(p - 0.5) == 0.0  # nobody's win
    return Wins(np.where(is_tie, 0.0, p), np.where(is_tie, 0.0, 1.0 - p))
