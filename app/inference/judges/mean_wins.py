"""t(v): each system's mean chance of beating another, by one side's verdicts (equations: system_scores.py)."""

from typing import NamedTuple

import numpy as np
from nextpair.words import CovarianceName

from app.inference.types import Bools, Floats, Ints


class Instances(NamedTuple):
    """The pairs of systems that were shown, M of them."""

    first: Ints  # (M,)
    second: Ints  # (M,)

    @property
    def size(self) -> int:
        """M."""
        return len(self.first)


class Wins(NamedTuple):
    """Shares of a win of the systems shown first and second; 0 and 0 in a tie, NaN where nothing was said."""

    first: Floats  # (M,)
    second: Floats  # (M,)

    @property
    def are_there(self) -> Bools:
        """(M,) whether there is a verdict."""
        return ~np.isnan(self.first)


class MeanWins(NamedTuple):
    """t(v) and the contributions of the instances to its error, those to the systems shown first and second."""

    theta: Floats  # (k,)
    weight: Floats  # (2, M) w_i of each instance in theta
    error: Floats  # (2, M) x_i
    chance: Floats  # (2, M) the same around the means of pairs; x_i too as published, where it is r_i / n


def pair_numbers(shown: Instances, k: int) -> Ints:
    """(M,) the number of each instance's pair of systems, the same for either side."""
    return np.minimum(shown.first, shown.second) * k + np.maximum(shown.first, shown.second)


def mean_wins(
    shown: Instances, wins: Wins, k: int, covariance: CovarianceName = "sandwich", used: Bools | None = None
) -> MeanWins:
    """t(v), each system compared with every other alike, or as published every instance.

    Args: `used` (M,) says which instances count, by default all with a verdict; a system in none has t = 0, no error.
    """
    used = wins.are_there if used is None else used
    won = np.where(used, wins, 0.0)  # (2, M)
    if covariance == "published":
        return _mean_wins_as_published(shown, won, used, k)
    met = _against(shown, used, used, k)
    rate = _against(shown, won[0], won[1], k) / or_infinite(met)
    opponents = (met > 0.0).sum(axis=1)
    theta = rate.sum(axis=1) / or_infinite(opponents)
    system, other = np.array(shown), np.array(shown[::-1])
    times = met[system, other]
    weight = used / or_infinite(times * opponents[system])
    around_theta, around_rate = used * (won - theta[system]), used * (won - rate[system, other])
    error = weight * around_theta / or_infinite(1.0 - weight)
    chance = np.where(times > 1.0, np.sqrt(times / or_infinite(times - 1.0)) * weight * around_rate, error)
    return MeanWins(theta, weight, error, chance)


def _mean_wins_as_published(shown: Instances, won: Floats, used: Bools, k: int) -> MeanWins:
    """A part of eq. 5 and of eq. 7."""
    system = np.array(shown)
    times = np.bincount(system[:, used].ravel(), minlength=k)
    theta = np.bincount(system.ravel(), won.ravel(), k) / or_infinite(times)
    error = used * (won - theta[system]) / max(used.sum(), 1)
    return MeanWins(theta, used / or_infinite(times[system]), error, error)


def _against(shown: Instances, first: Floats | Bools, second: Floats | Bools, k: int) -> Floats:
    """(k, k) sums over the instances in which the row met the column, of what is given for the row's system."""
    of_first = np.bincount(shown.first * k + shown.second, first, minlength=k * k)
    of_second = np.bincount(shown.second * k + shown.first, second, minlength=k * k)
    return np.asarray(of_first + of_second, dtype=np.float64).reshape(k, k)


def or_infinite(weight: Floats | Ints) -> Floats:
    """The weight, or infinity for none, by which nothing is divided."""
    return np.where(weight > 0.0, weight, np.inf)
