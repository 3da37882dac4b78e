"""What people and a judge say of the same pairs of outputs, as rank-sets read it (rank_sets.py)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from nextpair.words import CovarianceName

from app.inference.judges.pair_votes import PairVotes
from app.inference.judges.rank_sets import Instances, RankSets, Wins, prediction_powered
from app.inference.types import Bools, Floats
from app.inference.verdicts import directions

ENOUGH = 2  # instances of each system that people judged


class JudgedInstances(NamedTuple):
    shown: Instances  # judged by both
    people: Wins
    judge: Wins
    more: Instances  # judged by the judge alone
    judge_more: Wins


def judged_instances(found: PairVotes, judge: int, people: Sequence[int]) -> JudgedInstances:
    """Several people on one pair of outputs count for one, each for a share; a judge's probabilities are used as such.

    Args: judges by their number.
    """
    both, alone = by_both(found, judge, people), by_judge_alone(found, judge, people)
    way = directions(found.p[:, people] - 0.5)
    said = np.maximum((~np.isnan(way)).sum(axis=1), 1)
    shares = Wins((way > 0.0).sum(axis=1) / said, (way < 0.0).sum(axis=1) / said)
    soft = _soft(found.p[:, judge])
    return JudgedInstances(_at(found, both), _of(shares, both), _of(soft, both), _at(found, alone), _of(soft, alone))


def by_both(found: PairVotes, judge: int, people: Sequence[int]) -> Bools:
    """(M,) cells that the judge and any of the people judged."""
    return np.asarray(~np.isnan(found.p[:, judge]) & ~np.isnan(found.p[:, people]).all(axis=1))


def by_judge_alone(found: PairVotes, judge: int, people: Sequence[int]) -> Bools:
    """(M,) cells that the judge judged and none of the people."""
    return np.asarray(~np.isnan(found.p[:, judge]) & np.isnan(found.p[:, people]).all(axis=1))


def fewest(said: JudgedInstances, k: int) -> tuple[int, int]:
    """The system that people saw least, and how often."""
    seen = np.bincount(np.concatenate(said.shown), minlength=k)
    least = int(np.argmin(seen))
    return least, int(seen[least])


def helped(said: JudgedInstances, k: int, alpha: float, covariance: CovarianceName = "sandwich") -> RankSets:
    """People see every system ENOUGH times."""
    return prediction_powered(*said, k=k, alpha=alpha, covariance=covariance)


def _soft(p: Floats) -> Wins:
    """A tie is nobody's win."""
    tie = directions(p - 0.5) == 0.0
    return Wins(np.where(tie, 0.0, p), np.where(tie, 0.0, 1.0 - p))


def _at(found: PairVotes, rows: Bools) -> Instances:
    return Instances(found.low[rows], found.high[rows])


def _of(wins: Wins, rows: Bools) -> Wins:
    return Wins(wins.first[rows], wins.second[rows])
