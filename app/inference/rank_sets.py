"""Prediction-powered rank-sets: systems ranked by people's verdicts, helped by a judge's (PPR 3 and 4).

Each instance shows two of k systems; w says whether the first won, w' whether the second did, neither in a tie. A few
instances (n) were judged by people and by the judge, many (N) by the judge alone. With E the sum over the instances of
both rows, e_a for the first system and e_b for the second, each weighed by omega,

    t(v) = C^-1 sum_i omega_i (e_a v_i + e_b v'_i),      C = diag sum_i omega_i (e_a + e_b)
    theta = lam t_N(judge) - t_n(lam judge - people)                                                        (eq. 5)
    Sigma = S(lam judge; N) + S(lam judge - people; n)
    S(v) = C^-1 (sum_i u_i u_i^T) C^-1,   u_i = omega_i (e_a (v_i - t_a) + e_b (v'_i - t_b))      "sandwich"
         = (1 / n^2) sum_i u_i u_i^T                                                     "published" (eq. 7)

The published form is too small by (k / 2)^2 where counts are balanced (erratum 6). omega_i is 1 over the number of
instances of its pair of systems, so that theta_m is m's mean chance of beating each other system (eq. 1) however often
each was met. lam minimises tr Sigma, a parabola: lam = tr S(judge, people; n) / (tr S(judge; N) + tr S(judge; n)).

A rank-set [l, u] counts the systems that the whole ellipsoid (theta - x)^T Sigma^-1 (theta - x) <= chi2_{k, 1 - alpha}
puts on one side (eq. 10, 11): all of them hold together with probability 1 - alpha.
"""

from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import chi2

from app.inference.types import Floats, Ints
from app.words import CovarianceName


class Instances(NamedTuple):
    """What was shown: n pairs of systems."""

    first: Ints  # (n,)
    second: Ints  # (n,)

    @property
    def size(self) -> int:
        """n."""
        return len(self.first)


class Wins(NamedTuple):
    """Of the systems shown first and second; 0 and 0 in a tie."""

    first: Floats  # (n,)
    second: Floats  # (n,)


class RankSets(NamedTuple):
    theta: Floats  # (k,) chance of beating the average other system
    covariance: Floats  # (k, k)
    tuned: float  # lam: 0 leaves the judge out
    ranks: Ints  # (k, 2) best and worst


class Estimate(NamedTuple):
    """t(v) and the contributions of the instances to its error."""

    theta: Floats  # (k,)
    error: Floats  # (n, k) C^-1 u_i
    published: Floats  # (n, k) u_i / n


def by_people(shown: Instances, people: Wins, k: int, alpha: float) -> RankSets:
    """From people's verdicts alone."""
    found = estimate(shown, people, k)
    covariance = found.error.T @ found.error
    return RankSets(found.theta, covariance, 0.0, ranks(found.theta, covariance, alpha))


def prediction_powered(
    shown: Instances,
    people: Wins,
    judge: Wins,
    more: Instances,
    judge_more: Wins,
    *,
    k: int,
    alpha: float,
    covariance: CovarianceName = "sandwich",
) -> RankSets:
    """People and the judge on `shown`, the judge alone on `more`.

    Every system has to be shown in both; then `theta` is as PPR eq. 5 has it, with the tuned lam clipped to [0, 1].
    """
    of_people, of_judge, of_more = (
        estimate(shown, people, k), estimate(shown, judge, k), estimate(more, judge_more, k),
    )  # fmt: skip
    lam = tuned(of_people, of_judge, of_more)
    theta = lam * of_more.theta - (lam * of_judge.theta - of_people.theta)
    name: Literal["error", "published"] = "error" if covariance == "sandwich" else "published"
    far, near = lam * getattr(of_more, name), lam * getattr(of_judge, name) - getattr(of_people, name)
    sigma: Floats = far.T @ far + near.T @ near
    return RankSets(theta, sigma, lam, ranks(theta, sigma, alpha))


def estimate(shown: Instances, wins: Wins, k: int) -> Estimate:
    """t(v), each system held against every other alike."""
    pair = np.minimum(shown.first, shown.second) * k + np.maximum(shown.first, shown.second)
    weight = 1.0 / np.bincount(pair, minlength=k * k)[pair]
    counts = _sums(shown, weight, weight, k)
    theta = _sums(shown, weight * wins.first, weight * wins.second, k) / counts
    u = np.zeros((shown.size, k))
    rows = np.arange(shown.size)
    u[rows, shown.first] = weight * (wins.first - theta[shown.first])
    u[rows, shown.second] = weight * (wins.second - theta[shown.second])
    return Estimate(theta, u / counts, u / weight[:, None] / shown.size)


def tuned(people: Estimate, judge: Estimate, more: Estimate) -> float:
    """lam in [0, 1]: how far the judge's verdicts are worth having. 0 for a judge who never varies."""
    cross = float((people.error * judge.error).sum())
    spread = float((more.error**2).sum() + (judge.error**2).sum())
    return float(np.clip(cross / spread, 0.0, 1.0)) if spread > 0.0 else 0.0


def ranks(theta: Floats, covariance: Floats, alpha: float) -> Ints:
    """(k, 2) rank-sets from the ellipsoid around theta."""
    k = len(theta)
    variance = np.diag(covariance)[:, None] + np.diag(covariance) - 2.0 * covariance
    reach = np.sqrt(np.maximum(variance, 0.0) * chi2.ppf(1.0 - alpha, k))
    above = theta[None, :] - theta[:, None] > reach
    return np.column_stack([1 + above.sum(axis=1), k - above.sum(axis=0)])


def _sums(shown: Instances, first: Floats, second: Floats, k: int) -> Floats:
    """(k,) over the rows of each system."""
    of_first, of_second = np.bincount(shown.first, first, minlength=k), np.bincount(shown.second, second, minlength=k)
    return np.asarray(of_first + of_second, dtype=np.float64)
