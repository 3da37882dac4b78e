"""Wins by people and by a judge on the same pairs of outputs, as rank-sets read them (rank_sets.py)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.inference.judges.pair_votes import PairVotes
from app.inference.judges.rank_sets import Instances, Wins
from app.inference.types import Bools
from app.inference.verdicts import directions

ENOUGH = 2  # instances of each system that people judged, from which on there are rank-sets


class JudgedInstances(NamedTuple):
    shown: Instances  # judged by both
    people: Wins
    judge: Wins
    more: Instances  # judged by the judge alone
    judge_more: Wins


def judged_instances(votes: PairVotes, judge: int, people: Sequence[int]) -> JudgedInstances:
    """Several people on one pair of outputs count for one, each for a share; a judge's probabilities are used as such.

    Args: judges by their number.
    """
    named = directions(votes.p[:, people] - 0.5)
    voters = np.maximum((~np.isnan(named)).sum(axis=1), 1)
    by_people = Wins((named > 0.0).sum(axis=1) / voters, (named < 0.0).sum(axis=1) / voters)
    p = votes.p[:, judge]
    is_tie = directions(p - 0.5) == 0.0  # nobody's win
    by_judge = Wins(np.where(is_tie, 0.0, p), np.where(is_tie, 0.0, 1.0 - p))
    both, alone = by_both(votes, judge, people), by_judge_alone(votes, judge, people)
    return JudgedInstances(
        Instances(votes.low[both], votes.high[both]),
        Wins(by_people.first[both], by_people.second[both]),
        Wins(by_judge.first[both], by_judge.second[both]),
        Instances(votes.low[alone], votes.high[alone]),
        Wins(by_judge.first[alone], by_judge.second[alone]),
    )


def by_both(votes: PairVotes, judge: int, people: Sequence[int]) -> Bools:
    """(M,) pairs that the judge and any of the people judged."""
    return np.asarray(~np.isnan(votes.p[:, judge]) & ~np.isnan(votes.p[:, people]).all(axis=1))


def by_judge_alone(votes: PairVotes, judge: int, people: Sequence[int]) -> Bools:
    """(M,) pairs that the judge judged and none of the people."""
    return np.asarray(~np.isnan(votes.p[:, judge]) & np.isnan(votes.p[:, people]).all(axis=1))


def least_seen(instances: JudgedInstances, k: int) -> tuple[int, int]:
    """The system that people saw least, and how often."""
    times = np.bincount(np.concatenate(instances.shown), minlength=k)
    least = int(np.argmin(times))
    return least, int(times[least])
