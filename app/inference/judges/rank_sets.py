"""Rank-sets of systems by people's verdicts, helped by those of judges (PPR 3 and 4).

Each instance shows two of k systems; v says whether the first won, v' whether the second did, neither in a tie. A few
instances were judged by people (n), many by judges j: n_j of those n, and N_j alone. With the unit vectors e_a of the
first system and e_b of the second, and omega_i the weight of an instance,

    t(v) = C^-1 sum_i omega_i (e_a v_i + e_b v'_i),      C = diag sum_i omega_i (e_a + e_b)
    theta = t_n(people) + sum_j lam_j (t_Nj(j) - t_nj(j))                          (eq. 5, several judges are ours)
    Sigma = S(sum_j lam_j j; alone) + S(sum_j lam_j j - people; n)
    r_i(v) = e_a (v_i - t_a) + e_b (v'_i - t_b)
    S(v) = sum_i x_i x_i^T,   x_i = omega_i (C - omega_i)^-1 r_i                    "sandwich"
         = (1 / n^2) sum_i r_i r_i^T                                               "published" (eq. 7)

x_i is what t loses without instance i: the jackknife, HC3 of MacKinnon and White (1985). omega_i is 1 over the number
of instances of its pair of systems, so that theta_m is m's mean chance of beating each other system (eq. 1).

"published" is the paper to the letter: omega_i = 1 (eq. 5), which is not eq. 1 where counts are uneven; the covariance
of eq. 7, too small by (k / 2)^2 where they are balanced (erratum 6); and for one judge lam of eq. 14,
n / (n + N) tr S(judge, people; n) / tr S(judge; N), at most 1. The next four paragraphs are about the sandwich.

As every pair weighs the same, only what happens within pairs is chance. The lam_j, each in [0, 1], minimise the
variance within pairs, tr Sigma with residuals around the mean of a pair that was met c > 1 times, times
sqrt(c / (c - 1)). What a judge says of a pair has one distribution in both parts, so its mean and spread are taken from
all c = n_ab + N_ab instances: the judge's x_i in S(lam judge - people; n) is c / n_ab times that of all, S(judge; N) is
c / N_ab times what varies within pairs in all.

Where people's verdicts on m are all alike, m's error is what one more verdict unlike them would change,
1 / (1 + 1 / sum_i w_i^2), with w_i the weight of instance i in theta_m.

Where instances share M prompts they are not independent (decision 66), and x_m is what theta loses without prompt m,
lam as it was: S = (M - 1) / M sum_m x_m x_m^T, of at most M - 1 degrees of freedom.

Both t of a judge run over the pairs of systems that it judged beside people and, twice at least, alone: theta is where
people put it whatever a judge says, wherever it was asked. A pair that people never judged is in no t_n.

A system m is above another one m' where theta_m - theta_m' exceeds the reach of their difference, and the rank-set
[l, u] of m counts the systems above and below it (eq. 11). With V_mm' the variance of the difference, its reach is by

    contrasts    V^1/2 T_nu^-1(Phi(q)),    P(max over pairs |Z_m - Z_m'| / V_mm'^1/2 <= q) = 1 - alpha,  Z ~ N(0, Sigma)
    ellipsoid    (R V)^1/2,    R = k nu / (nu - k + 1) F_{k, nu - k + 1, 1 - alpha}                      (eq. 10)

The contrasts (ours; Hothorn, Bretz and Westfall, 2008) promise that every difference is within its reach; nu is that of
the variance of each difference, as for unequal variances (Hasler and Hothorn, 2008). The ellipsoid, Hotelling's, holds
every other combination of theta too, so it has to be wider; R is chi2_{k, 1 - alpha} where the covariance is taken as
known, and with fewer degrees of freedom than systems everyone may have any rank.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from nextpair.words import CovarianceName, SimultaneousName
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack
from scipy.special import chdtri, fdtri, ndtr, ndtri, stdtrit

from app.inference.judges.pair_votes import PairVotes
from app.inference.types import Bools, Floats, Ints
from app.inference.verdicts import directions

ENOUGH = 2  # instances of each system that people judged, from which on there are rank-sets
ALIKE = 1e-12  # error of a verdict up to which it is like the others
ALONE = 2  # instances of a pair that a judge has to judge alone for the pair to count
DRAWS = 13  # logarithm to base 2
RAREST = 0.005  # alpha from which on there are points enough

Instances = NDArray[np.int64]  # (2, M) the systems shown first and second
Wins = NDArray[np.float64]  # (2, M) v and v', or shares of a win: 0 and 0 in a tie, NaN where nothing was said


class JudgedInstances(NamedTuple):
    """M instances that at least one of the judges judged."""

    shown: Instances
    people: Wins
    judges: Sequence[Wins]
    item: Ints | None = None  # (M,) the prompt of each; None: each its own


class SystemScores(NamedTuple):
    """theta and its error."""

    theta: Floats  # (k,) chance of beating the average other system
    covariance: Floats  # (k, k)
    lambdas: Floats  # (J,) of the judges: 0 leaves one out
    freedom: float  # nu of the covariance: infinite for one that is taken as known
    freedom_of_differences: Floats  # (k, k) nu of the variance of each difference

    @property
    def variances_of_differences(self) -> Floats:
        """(k, k)."""
        return variances_of_differences(self.covariance)


class RankBounds(NamedTuple):
    """An estimate, and what it says of ranks."""

    estimate: SystemScores
    reach: Floats  # (k, k) how far each difference may be off
    ranks: Ints  # (k, 2) best and worst


class MeanWins(NamedTuple):
    """t(v) and the contributions of the instances to its error, those to the systems shown first and second."""

    theta: Floats  # (k,)
    times: Floats  # (M,) instances of the pair of each
    weight: Floats  # (2, M) w_i of each instance in theta
    error: Floats  # (2, M) x_i; as published r_i / n
    chance: Floats  # (2, M) the same around the means of pairs


class Help(NamedTuple):
    """Contribution of a judge to theta and its error, as if lam were 1."""

    theta: Floats  # (k,)
    alone: Floats  # (2, M) errors of what was judged alone
    beside: Floats  # (2, M) of what was judged beside people
    chance_beside: Floats  # (2, M) the same around the means of pairs


class Meetings(NamedTuple):
    """M instances of k systems, and how they count."""

    shown: Instances
    k: int
    covariance: CovarianceName = "sandwich"

    def t(self, wins: Wins) -> tuple[Floats, Floats, Floats]:
        """t(v), the weights (2, M) of the instances in it, and (M,) how many there are of the pair of each."""
        used, pair = is_judged(wins), pair_numbers(self.shown, self.k)
        times = np.asarray(np.bincount(pair, used, self.k**2), np.float64)[pair]
        omega = used / (_or_infinite(times) if self.covariance == "sandwich" else 1.0)
        weight = omega / _or_infinite(self.by_system(np.tile(omega, (2, 1))))[self.shown]
        return self.by_system(weight * np.nan_to_num(wins)), weight, times

    def mean_wins(self, wins: Wins) -> MeanWins:
        """t(v) and its error. A system without a verdict has t = 0, no error."""
        used, won = is_judged(wins), np.nan_to_num(wins)
        theta, weight, times = self.t(wins)
        around_theta = used * (won - theta[self.shown])
        if self.covariance == "published":
            error = around_theta / max(used.sum(), 1)
            return MeanWins(theta, times, weight, error, error)
        error = weight * around_theta / _or_infinite(1.0 - weight)
        against = self.shown * self.k + self.shown[::-1]
        around_rate = used * (won - np.bincount(against.ravel(), won.ravel(), self.k**2)[against] / _or_infinite(times))
        chance = np.sqrt(times / _or_infinite(times - 1.0)) * weight * around_rate
        return MeanWins(theta, times, weight, error, np.where(times > 1.0, chance, error))

    def help_of(self, people: Wins, judge: Wins) -> Help:
        """The part of one judge."""
        parts = self.beside_and_alone(people, judge)
        beside, alone = (self.mean_wins(part) for part in parts)
        theta = alone.theta - beside.theta
        if self.covariance == "published":
            return Help(theta, alone.error, beside.error, beside.chance)
        by_people = is_judged(people)
        of_all = self.mean_wins(np.where(by_people, *parts))
        far = np.sqrt(of_all.times / _or_infinite(alone.times)) * of_all.chance
        near = by_people * of_all.times / _or_infinite(beside.times) * of_all.error
        return Help(theta, far, near, beside.chance)

    def beside_and_alone(self, people: Wins, judge: Wins) -> tuple[Wins, Wins]:
        """The verdicts of a judge that count, on what people judged and on what it judged alone; NaN elsewhere."""
        pair, by_people = pair_numbers(self.shown, self.k), is_judged(people)
        if self.covariance == "sandwich":
            parts = (part & is_judged(judge) for part in (by_people, ~by_people))
            beside, alone = (np.bincount(pair[part], minlength=self.k**2) for part in parts)
            judge = np.where(((beside > 0) & (alone >= ALONE))[pair], judge, np.nan)
        return np.where(by_people, judge, np.nan), np.where(by_people, np.nan, judge)

    def theta_without(self, out: Bools, people: Wins, judges: Sequence[Wins], lambdas: Floats) -> Floats:
        """(k,) theta without some instances."""
        rest, people = self._replace(shown=self.shown[:, ~out]), people[:, ~out]
        theta = rest.t(people)[0]
        for lam, judge in zip(lambdas, judges, strict=True):
            beside, alone = (rest.t(part)[0] for part in rest.beside_and_alone(people, judge[:, ~out]))
            theta = theta + lam * (alone - beside)
        return theta

    def rows(self, *parts: Floats) -> csr_array:
        """(n, k) errors of each instance, those (2, M) of one part after the other."""
        errors, systems = np.hstack(parts), np.tile(self.shown, len(parts))
        ends = np.arange(0, errors.size + 1, 2)
        return csr_array((errors.T.ravel(), systems.T.ravel(), ends), (errors.shape[1], self.k))

    def by_system(self, values: Floats) -> Floats:
        """(k,) sums of the values (2, M) of the systems shown."""
        return np.asarray(np.bincount(self.shown.ravel(), values.ravel(), self.k))


def judged_instances(votes: PairVotes, judges: Sequence[int], people: Sequence[int]) -> JudgedInstances:
    """Several people on one pair of outputs count for one, each for a share; judges' probabilities are used as such."""
    kept = votes.judged_by(judges)
    p = votes.p[kept]
    named = directions(p[:, people] - 0.5)
    voters = np.isfinite(named).sum(axis=1)
    by_people = np.array([(named == way).sum(axis=1) for way in (1.0, -1.0)])
    return JudgedInstances(
        shown=np.array([votes.low[kept], votes.high[kept]]),
        people=by_people / np.where(voters > 0, voters, np.nan),
        judges=[np.where(directions(each - 0.5) == 0.0, 0.0, [each, 1.0 - each]) for each in p[:, judges].T],
        item=votes.item[kept],
    )


def is_judged(wins: Wins) -> Bools:
    """(M,) whether there is a verdict."""
    return np.asarray(~np.isnan(wins[0]))


def least_seen(shown: Instances, wins: Wins, k: int) -> tuple[int, int]:
    """The system on which there are the fewest verdicts, and how many."""
    times = np.bincount(shown[:, is_judged(wins)].ravel(), minlength=k)
    least = int(np.argmin(times))
    return least, int(times[least])


def pair_numbers(shown: Instances, k: int) -> Ints:
    """(M,) the number of each instance's pair of systems, the same for either side."""
    return np.asarray(np.minimum(*shown) * k + np.maximum(*shown))


def prediction_powered(
    shown: Instances,
    people: Wins,
    judges: Sequence[Wins] = (),
    item: Ints | None = None,
    *,
    k: int,
    covariance: CovarianceName = "sandwich",
    lambdas: Sequence[float] | None = None,
) -> SystemScores:
    """People's verdicts, in which every system has to be twice at least, helped by judges', if any.

    Args: `item` as in JudgedInstances; `lambdas`, one for each judge, are tuned by default.
    """
    met = Meetings(shown, k, covariance)
    of_people, helps = met.mean_wins(people), [met.help_of(people, judge) for judge in judges]
    if lambdas is not None or not judges:
        lam = np.array(lambdas or [], np.float64)
    elif covariance == "published" and len(judges) == 1:
        by_people = float(is_judged(people)[is_judged(judges[0])].mean())  # n / (n + N)
        together, spread = (helps[0].beside * of_people.error).sum(), (helps[0].alone ** 2).sum()
        lam = np.clip([by_people * together / spread if spread > 0.0 else 0.0], 0.0, 1.0)
    else:
        lam = _tuned(of_people, helps)
    theta, alone, beside = of_people.theta, np.zeros_like(of_people.error), -of_people.error
    for share, each in zip(lam, helps, strict=True):
        theta, alone, beside = theta + share * each.theta, alone + share * each.alone, beside + share * each.beside
    rows = met.rows(alone, beside)
    if covariance == "published":
        return SystemScores(theta, (rows.T @ rows).toarray(), lam, np.inf, np.full((k, k), np.inf))
    error, weight = (met.by_system(each**2) for each in (of_people.error, of_people.weight))
    of_one_unlike = np.where(error <= ALIKE**2, 1.0 / (1.0 + 1.0 / _or_infinite(weight)), 0.0)
    most = np.inf
    used = np.any([is_judged(wins) for wins in (people, *judges)], axis=0)
    prompts = np.empty(0) if item is None else np.unique(item[used])
    if item is not None and 1 < len(prompts) < used.sum():
        lost = [theta - met.theta_without(item == prompt, people, judges, lam) for prompt in prompts]
        rows, most = csr_array(np.sqrt(1.0 - 1.0 / len(prompts)) * np.array(lost)), len(prompts) - 1.0
    rows = vstack([rows, csr_array(np.diag(of_one_unlike))], format="csr")
    sigma, freedom, of_differences = covariance_of(rows)
    return SystemScores(theta, sigma, lam, min(freedom, most), np.minimum(of_differences, most))


def _tuned(people: MeanWins, helps: Sequence[Help]) -> Floats:
    """(J,) lam of each judge in [0, 1]: how much it counts. 0 where it never varies.

    Conceptually: where sum (sum_j lam_j alone_j)^2 + sum (sum_j lam_j beside_j - people)^2 is least, within pairs.
    """
    from scipy.optimize import lsq_linear  # slow to load, and few need it

    errors = np.column_stack([np.concatenate([each.chance_beside, each.alone]).ravel() for each in helps])
    aim = np.concatenate([people.chance, np.zeros_like(people.chance)]).ravel()
    return np.asarray(lsq_linear(errors, aim, (0.0, 1.0), method="bvls").x)


def covariance_of(rows: csr_array) -> tuple[Floats, float, Floats]:
    """(k, k) what rows of errors x_i (n, k) add up to, its nu, and (k, k) nu of the variance of each difference.

    nu is that of a Wishart matrix that varies as much as Sigma = sum_i x_i x_i^T does (Nel and van der Merwe, 1986):
    ((tr Sigma)^2 + tr Sigma^2) / sum_i |x_i|^4, 0 where Sigma is. It is small where many pairs were met once or twice.
    Of differences, infinite where they do not vary; conceptually the same for the errors x_a - x_b.
    """
    factors = (rows, rows), (rows.power(2), rows.power(2)), (rows.power(3), rows)
    covariance, two_two, three_one = ((left.T @ right).toarray() for left, right in factors)
    second, fourth = float(np.trace(covariance) ** 2 + (covariance**2).sum()), float(two_two.sum())
    own, variances = np.diag(two_two), variances_of_differences(covariance)
    of_each = own[:, None] + own + 6.0 * two_two - 4.0 * (three_one + three_one.T)
    freedoms = np.divide(2.0 * variances**2, of_each, out=np.full(variances.shape, np.inf), where=variances > 0.0)
    return covariance, second / fourth if fourth > 0.0 else 0.0, freedoms


def variances_of_differences(covariance: Floats) -> Floats:
    """(k, k) of theta_a - theta_b."""
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own - 2.0 * covariance, 0.0)


def _or_infinite(weight: NDArray[Any]) -> Floats:
    """The weight, or infinity for none, by which nothing is divided."""
    return np.asarray(np.where(weight > 0.0, weight, np.inf))


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
    sd = np.sqrt(estimate.variances_of_differences)
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
    variance = np.maximum(estimate.variances_of_differences, np.finfo(np.float64).tiny)
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
