"""Rank-sets: the ranks that systems may have, all of them together with probability 1 - alpha (PPR 4).

A system m is above another one m' where theta_m - theta_m' exceeds the reach of their difference, and the rank-set
[l, u] of m counts the systems above and below it (eq. 11). With V_mm' the variance of the difference, its reach is by

    contrasts    V^1/2 T_nu^-1(Phi(q)),    P(max over pairs |Z_m - Z_m'| / V_mm'^1/2 <= q) = 1 - alpha,  Z ~ N(0, Sigma)
    ellipsoid    (R V)^1/2,    R = k nu / (nu - k + 1) F_{k, nu - k + 1, 1 - alpha}                      (eq. 10)

The contrasts promise no more than a ranking is about: with probability 1 - alpha every difference is within its reach
(ours; the maximum of studentised contrasts is that of Hothorn, Bretz and Westfall, 2008). nu are the degrees of freedom
of the variance of each difference, as for contrasts of unequal variances (Hasler and Hothorn, 2008); taken as if they
erred independently, on the safe side. The ellipsoid holds all of theta, its mean and every other combination included,
so it has to be wider. It is Hotelling's, with chi2_{k, 1 - alpha} for R where the covariance is taken as known; with
fewer degrees of freedom than systems everyone may have any rank.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from nextpair.words import CovarianceName, SimultaneousName
from scipy.special import chdtri, fdtri, ndtr, ndtri, stdtrit

from app.inference.judges.pair_votes import PairVotes
from app.inference.judges.system_scores import Instances, SystemScores, Wins, is_judged, variances_of_differences
from app.inference.types import Floats, Ints
from app.inference.verdicts import directions

DRAWS = 13  # logarithm to base 2
RAREST = 0.005  # alpha from which on there are points enough
ENOUGH = 2  # instances of each system that people judged, from which on there are rank-sets


class JudgedInstances(NamedTuple):
    """M instances that at least one of the judges judged."""

    shown: Instances
    people: Wins
    judges: Sequence[Wins]
    item: Ints | None = None  # (M,) the prompt of each; None: each its own


class RankBounds(NamedTuple):
    """An estimate, and what it says of ranks."""

    estimate: SystemScores
    reach: Floats  # (k, k) how far each difference may be off
    ranks: Ints  # (k, 2) best and worst


def judged_instances(votes: PairVotes, judges: Sequence[int], people: Sequence[int]) -> JudgedInstances:
    """Several people on one pair of outputs count for one, each for a share; a judge's probabilities are used as such.

    Args: judges by their number.
    """
    kept = votes.judged_by(judges)
    p = votes.p[kept]
    named = directions(p[:, people] - 0.5)
    voters = np.isfinite(named).sum(axis=1)
    by_people = np.array([(named == way).sum(axis=1) for way in (1.0, -1.0)])
    return JudgedInstances(
        shown=np.array([votes.low[kept], votes.high[kept]]),
        people=by_people / np.where(voters > 0, voters, np.nan),
        judges=[_wins(p[:, judge]) for judge in judges],
        item=votes.item[kept],
    )


def least_seen(shown: Instances, wins: Wins, k: int) -> tuple[int, int]:
    """The system on which there are the fewest verdicts, and how many."""
    times = np.bincount(shown[:, is_judged(wins)].ravel(), minlength=k)
    least = int(np.argmin(times))
    return least, int(times[least])


def usual_simultaneous(covariance: CovarianceName) -> SimultaneousName:
    """The paper's ellipsoid goes with its covariance."""
    return "ellipsoid" if covariance == "published" else "contrasts"


def ranked(estimate: SystemScores, alpha: float, simultaneous: SimultaneousName = "contrasts") -> RankBounds:
    """Rank-sets that all hold together with probability 1 - alpha."""
    reach = (reach_by_contrasts if simultaneous == "contrasts" else reach_by_ellipsoid)(estimate, alpha)
    return RankBounds(estimate, reach, ranks(estimate.theta, reach))


def ranks(theta: Floats, reach: Floats) -> Ints:
    """(k, 2) best and worst rank."""
    apart = theta[None, :] - theta[:, None] > reach
    return np.column_stack([1 + apart.sum(axis=1), len(theta) - apart.sum(axis=0)])


def reach_by_contrasts(estimate: SystemScores, alpha: float) -> Floats:
    """(k, k), with Bonferroni's q, a little larger, where too few points lie beyond it to tell."""
    covariance, k = estimate.covariance, len(estimate.theta)
    if alpha < RAREST:
        q = -ndtri(alpha / (k * (k - 1)))
    else:
        by_rank = np.argsort(-estimate.theta)  # so that other names for the systems change nothing
        q = np.quantile(largest_contrasts(covariance[np.ix_(by_rank, by_rank)]), 1.0 - alpha)
    sd = np.sqrt(variances_of_differences(covariance))
    return np.asarray(-sd * stdtrit(estimate.freedom_of_differences, ndtr(-q)))


def largest_contrasts(covariance: Floats) -> Floats:
    """(2^DRAWS,) max over pairs |Z_m - Z_m'| / V_mm'^1/2 of evenly spread Z ~ N(0, covariance), the same every time.

    Conceptually: for Z of rng.multivariate_normal(zeros, covariance), the maximum over a loop of the pairs.
    """
    values, vectors = np.linalg.eigh(covariance)
    z = (vectors * np.sqrt(np.maximum(values, 0.0))) @ _normal_points(len(values))
    sd = np.sqrt(np.maximum(variances_of_differences(covariance), np.finfo(np.float64).tiny))
    largest = np.zeros(2**DRAWS)
    for m in range(1, len(values)):
        np.maximum(largest, (np.abs(z[:m] - z[m]) / sd[:m, [m]]).max(axis=0), out=largest)
    return largest


def reach_by_ellipsoid(estimate: SystemScores, alpha: float) -> Floats:
    """(k, k)."""
    variance = np.maximum(variances_of_differences(estimate.covariance), np.finfo(np.float64).tiny)
    return np.sqrt(squared_radius(len(estimate.theta), alpha, estimate.freedom) * variance)


def squared_radius(k: int, alpha: float, freedom: float) -> float:
    """R of the ellipsoid."""
    if np.isinf(freedom):
        return float(chdtri(k, alpha))
    left = freedom - k + 1.0
    return float(k * freedom / left * fdtri(k, left, 1.0 - alpha)) if left > 0.0 else np.inf


@lru_cache(maxsize=8)
def _normal_points(k: int) -> Floats:
    """(k, 2^DRAWS) independent normal values, spread more evenly than chance would (scrambled Sobol points)."""
    from scipy.stats.qmc import Sobol  # slow to load, and few need it

    return np.asarray(ndtri(Sobol(k, rng=0).random_base2(DRAWS)).T)


def _wins(p: Floats) -> Wins:
    """By the probabilities (M,) that the first one is better; a tie is nobody's win."""
    return np.where(directions(p - 0.5) == 0.0, 0.0, [p, 1.0 - p])
