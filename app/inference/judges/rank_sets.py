"""Prediction-powered rank-sets: systems ranked by people's verdicts, helped by a judge's (PPR 3 and 4).

Each instance shows two of k systems; w says whether the first won, w' whether the second did, neither in a tie. A few
instances (n) were judged by people and by the judge, many (N) by the judge alone. With the unit vectors e_a of the
first system and e_b of the second, and omega_i the weight of an instance,

    t(v) = C^-1 sum_i omega_i (e_a v_i + e_b v'_i),      C = diag sum_i omega_i (e_a + e_b)
    theta = lam t_N(judge) - t_n(lam judge - people)                                                        (eq. 5)
    Sigma = S(lam judge; N) + S(lam judge - people; n)
    r_i(v) = e_a (v_i - t_a) + e_b (v'_i - t_b)
    S(v) = sum_i x_i x_i^T,   x_i = omega_i (C - omega_i)^-1 r_i                    "sandwich"
         = (1 / n^2) sum_i r_i r_i^T                                               "published" (eq. 7)

x_i is what t loses without instance i: the jackknife, HC3 of MacKinnon and White (1985). The published form is too
small by (k / 2)^2 where counts are balanced (erratum 6). omega_i is 1 over the number of instances of its pair of
systems, so that theta_m is m's mean chance of beating each other system (eq. 1) however often each was met.

As every pair weighs the same, only what happens within pairs is chance: the sandwich, around t, errs on the safe side.
lam minimises the variance within pairs, a parabola: lam = tr S(judge, people; n) / (tr S(judge; N) + tr S(judge; n)),
with residuals around the mean of a pair that was met c > 1 times, times sqrt(c / (c - 1)). With "published" it is that
of the published form, which agrees with eq. 14 for many instances.

Few instances have no spread of their own. But what the judge says of a pair has one distribution in both parts, so
its mean and its spread are taken from all c = n_ab + N_ab instances: the judge's x_i in S(lam judge - people; n) is
c / n_ab times that of all, S(judge; N) is c / N_ab times what varies within pairs in all.

Where people's verdicts on m are all alike, their spread is 0 and proves nothing. m's error is then what one more
verdict unlike them would change, 1 / (1 + 1 / sum_i w_i^2), with w_i the weight of instance i in theta_m.

Both of the judge's t run over the pairs of systems that are in both parts, so that they differ by chance alone, and
theta is where people put it whatever the judge says and wherever it was asked. A pair that people never judged is in
no t_n: theta_m is then m's mean chance of beating the systems that people saw it against.

A rank-set [l, u] counts the systems that the whole ellipsoid (theta - x)^T Sigma^-1 (theta - x) <= R puts on one side
(eq. 10, 11): all of them hold together with probability 1 - alpha. R is chi2_{k, 1 - alpha} for a Sigma that is taken
as known, hence for "published". The sandwich is estimated, so its R is Hotelling's:

    R = k nu / (nu - k + 1) F_{k, nu - k + 1, 1 - alpha},    nu = ((tr Sigma)^2 + tr Sigma^2) / sum_i |x_i|^4

with nu the degrees of freedom of a Wishart matrix that varies as much as Sigma = sum_i x_i x_i^T does (Nel and van der
Merwe, 1986): few where many pairs were met once or twice. With nu < k everyone may have any rank.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from nextpair.words import CovarianceName
from scipy.stats import chi2, f

from app.inference.types import Bools, Floats, Ints

ALIKE = 1e-12  # error of a verdict up to which it is like the others


class Instances(NamedTuple):
    """The pairs of systems that were shown, n of them."""

    first: Ints  # (n,)
    second: Ints  # (n,)

    @property
    def size(self) -> int:
        """n."""
        return len(self.first)


class Wins(NamedTuple):
    """Shares of a win of the systems shown first and second; 0 and 0 in a tie."""

    first: Floats  # (n,)
    second: Floats  # (n,)


class RankSets(NamedTuple):
    theta: Floats  # (k,) chance of beating the average other system
    covariance: Floats  # (k, k)
    tuned: float  # lam: 0 leaves the judge out
    freedom: float  # nu: infinite for a covariance that is taken as known
    ranks: Ints  # (k, 2) best and worst


class MeanWins(NamedTuple):
    """t(v) and the contributions of the instances to its error."""

    theta: Floats  # (k,)
    weight: Floats  # (n, k) w_i of each instance in theta
    error: Floats  # (n, k) x_i
    chance: Floats  # (n, k) the same around the means of pairs
    published: Floats  # (n, k) r_i / n


def by_people(
    shown: Instances, people: Wins, k: int, alpha: float, covariance: CovarianceName = "sandwich"
) -> RankSets:
    """Rank-sets from people's verdicts alone, two at least for each system."""
    wins = mean_wins(shown, people, k)
    rows = [wins.published] if covariance == "published" else [wins.error, _one_unlike(wins)]
    return _ranked(wins.theta, rows, 0.0, alpha, covariance)


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
    """People and the judge on `shown`, in which every system has to be twice at least; the judge alone on `more`.

    theta is as PPR eq. 5 has it, with the tuned lam clipped to [0, 1].
    """
    here, there = pair_numbers(shown, k), pair_numbers(more, k)
    by_both, alone = (np.bincount(met, minlength=k * k) for met in (here, there))
    used = (by_both > 0) & (alone > 0)
    of_people = mean_wins(shown, people, k)
    of_judge = mean_wins(shown, judge, k, used[here])
    of_more = mean_wins(more, judge_more, k, used[there])
    if covariance == "published":
        lam = tuned(of_people.published, of_judge.published, of_more.published)
        rows = [lam * of_more.published, lam * of_judge.published - of_people.published]
    else:
        everywhere, times = np.concatenate([here, there]), by_both + alone
        together = mean_wins(*all_judged(shown, judge, more, judge_more), k, used[everywhere])
        near = (times[here] / by_both[here])[:, None] * together.error[: shown.size]
        far = np.sqrt(times[everywhere] / _or_infinite(alone[everywhere]))[:, None] * together.chance
        lam = tuned(of_people.chance, of_judge.chance, far)
        rows = [lam * far, lam * near - of_people.error, _one_unlike(of_people)]
    theta = lam * of_more.theta - (lam * of_judge.theta - of_people.theta)
    return _ranked(theta, rows, lam, alpha, covariance)


def all_judged(shown: Instances, judge: Wins, more: Instances, judge_more: Wins) -> tuple[Instances, Wins]:
    """All instances that the judge judged, with or without people."""
    return Instances(*np.hstack([shown, more])), Wins(*np.hstack([judge, judge_more]))


def verdicts_saved(alone: RankSets, helped: RankSets, people: int) -> int:
    """Verdicts of people that the judge is worth, beside so many of theirs: as many more would vary as little."""
    gain = float(np.trace(alone.covariance) / np.trace(helped.covariance))
    return max(round((gain - 1.0) * people), 0)


def pair_numbers(shown: Instances, k: int) -> Ints:
    """(n,) the number of each instance's pair of systems, the same for either side."""
    return np.minimum(shown.first, shown.second) * k + np.maximum(shown.first, shown.second)


def mean_wins(shown: Instances, wins: Wins, k: int, used: Bools | None = None) -> MeanWins:
    """t(v), each system held against every other alike.

    Args: `used` (n,) says which pairs of systems count, all by default; a system in none of them has t = 0, no error.
    """
    used = np.ones(shown.size, np.bool_) if used is None else used
    met = _against(shown, used, used, k)
    rate = _against(shown, used * wins.first, used * wins.second, k) / _or_infinite(met)
    opponents = (met > 0.0).sum(axis=1).astype(np.float64)
    theta = rate.sum(axis=1) / _or_infinite(opponents)
    a, b = shown
    around_theta = _rows(shown, wins.first - theta[a], wins.second - theta[b], k)
    around_rate = _rows(shown, wins.first - rate[a, b], wins.second - rate[b, a], k)
    times = met[a, b]
    share = 1.0 / _or_infinite(times)
    weight = _rows(shown, share / _or_infinite(opponents[a]), share / _or_infinite(opponents[b]), k)
    error = weight * around_theta / _or_infinite(1.0 - weight)
    chance = np.sqrt(times / _or_infinite(times - 1.0))[:, None] * weight * around_rate
    return MeanWins(
        theta, weight, error, np.where(times[:, None] > 1.0, chance, error), used[:, None] * around_theta / shown.size
    )


def tuned(people: Floats, judge: Floats, more: Floats) -> float:
    """lam in [0, 1], from contributions (n, k): how far the judge is worth having. 0 for a judge who never varies."""
    cross, spread = float((people * judge).sum()), float((more**2).sum() + (judge**2).sum())
    return float(np.clip(cross / spread, 0.0, 1.0)) if spread > 0.0 else 0.0


def squared_radius(k: int, alpha: float, freedom: float) -> float:
    """R of the ellipsoid."""
    if np.isinf(freedom):
        return float(chi2.ppf(1.0 - alpha, k))
    left = freedom - k + 1.0
    return float(k * freedom / left * f.ppf(1.0 - alpha, k, left)) if left > 0.0 else np.inf


def degrees_of_freedom(rows: Floats) -> float:
    """nu of the covariance that rows (n, k) add up to; 0 where it is 0."""
    covariance, fourth = rows.T @ rows, float(((rows**2).sum(axis=1) ** 2).sum())
    return float(np.trace(covariance) ** 2 + (covariance**2).sum()) / fourth if fourth > 0.0 else 0.0


def ranks(theta: Floats, covariance: Floats, squared_radius: float) -> Ints:
    """(k, 2) rank-sets from the ellipsoid around theta."""
    variance = np.diag(covariance)[:, None] + np.diag(covariance) - 2.0 * covariance
    reach = np.sqrt(np.maximum(variance, np.finfo(np.float64).tiny) * squared_radius)
    apart = theta[None, :] - theta[:, None] > reach
    return np.column_stack([1 + apart.sum(axis=1), len(theta) - apart.sum(axis=0)])


def _one_unlike(people: MeanWins) -> Floats:
    """(k, k) the errors of the systems on which people's verdicts are all alike."""
    alike = np.abs(people.error).max(axis=0) <= ALIKE
    return np.diag(np.where(alike, 1.0 / (1.0 + 1.0 / _or_infinite((people.weight**2).sum(axis=0))), 0.0))


def _ranked(theta: Floats, rows: Sequence[Floats], lam: float, alpha: float, covariance: CovarianceName) -> RankSets:
    """Rank-sets around theta, from (., k) rows whose squares add up to the covariance."""
    every = np.concatenate(rows)
    sigma = every.T @ every
    freedom = degrees_of_freedom(every) if covariance == "sandwich" else np.inf
    return RankSets(theta, sigma, lam, freedom, ranks(theta, sigma, squared_radius(len(theta), alpha, freedom)))


def _against(shown: Instances, first: Floats | Bools, second: Floats | Bools, k: int) -> Floats:
    """(k, k) sums over the instances in which the row met the column, of what is given for the row's system."""
    of_first = np.bincount(shown.first * k + shown.second, first, minlength=k * k)
    of_second = np.bincount(shown.second * k + shown.first, second, minlength=k * k)
    return np.asarray(of_first + of_second, dtype=np.float64).reshape(k, k)


def _or_infinite(weight: Floats) -> Floats:
    """The weight, or infinity for none, by which nothing is divided."""
    return np.where(weight > 0.0, weight, np.inf)


def _rows(shown: Instances, first: Floats, second: Floats, k: int) -> Floats:
    """(n, k) a value for each of the two systems shown, 0 for the others."""
    rows, at = np.zeros((shown.size, k)), np.arange(shown.size)
    rows[at, shown.first], rows[at, shown.second] = first, second
    return rows
