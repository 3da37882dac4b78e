"""Prediction-powered scores of systems: people's verdicts, helped by those of judges (PPR 3).

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
of instances of its pair of systems, so that theta_m is m's mean chance of beating each other system (eq. 1) however
often each was met.

"published" is the paper to the letter: omega_i = 1 (eq. 5), which is not eq. 1 where counts are uneven; the covariance
of eq. 7, too small by (k / 2)^2 where they are balanced (erratum 6); and for one judge lam of eq. 14,
n / (n + N) tr S(judge, people; n) / tr S(judge; N), at most 1. Nothing below holds for it, except for several judges.

As every pair weighs the same, only what happens within pairs is chance: the sandwich, around t, errs on the safe side.
The lam_j, each in [0, 1], minimise the variance within pairs, tr Sigma with residuals around the mean of a pair that
was met c > 1 times, times sqrt(c / (c - 1)): a quadratic, whose minimum is a least-squares problem, and for one judge
tr S(judge, people; n) / (tr S(judge; N) + tr S(judge; n)).

Few instances have no spread of their own. But what a judge says of a pair has one distribution in both parts, so
its mean and its spread are taken from all c = n_ab + N_ab instances: the judge's x_i in S(lam judge - people; n) is
c / n_ab times that of all, S(judge; N) is c / N_ab times what varies within pairs in all.

Where people's verdicts on m are all alike, their spread is 0 and proves nothing. m's error is then what one more
verdict unlike them would change, 1 / (1 + 1 / sum_i w_i^2), with w_i the weight of instance i in theta_m.

Instances of one prompt are not independent: what is peculiar to an output is in all that it meets. So where instances
share prompts, of which there are several, x_m is what theta loses without prompt m, its lam as they were:

    S = (M - 1) / M sum_m x_m x_m^T,   x_m = theta - theta without prompt m,   at most M - 1 degrees of freedom

Both t of a judge run over the pairs of systems that it judged beside people and, twice at least, alone. They differ
by chance alone, and theta is where people put it whatever a judge says, wherever it was asked. A pair that people never
judged is in no t_n: theta_m is then m's mean chance of beating the systems that people saw it against.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from nextpair.words import CovarianceName
from numpy.typing import NDArray

from app.inference.types import Bools, Floats, Ints

ALIKE = 1e-12  # error of a verdict up to which it is like the others
ALONE = 2  # instances of a pair that a judge has to judge alone for the pair to count

Instances = NDArray[np.int64]  # (2, M) the systems shown first and second
Wins = NDArray[np.float64]  # (2, M) v and v', or shares of a win: 0 and 0 in a tie, NaN where nothing was said


class SystemScores(NamedTuple):
    """theta and its error."""

    theta: Floats  # (k,) chance of beating the average other system
    covariance: Floats  # (k, k)
    lambdas: Floats  # (J,) of the judges: 0 leaves one out
    freedom: float  # nu of the covariance: infinite for one that is taken as known
    freedom_of_differences: Floats  # (k, k) nu of the variance of each difference


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


class CrossMoments(NamedTuple):
    """Sums over instances of x_a^p x_b^q, for each two systems a and b."""

    one_one: Floats  # (k, k)
    three_one: Floats  # (k, k)
    two_two: Floats  # (k, k)


def by_people(
    shown: Instances, people: Wins, k: int, covariance: CovarianceName = "sandwich", item: Ints | None = None
) -> SystemScores:
    """People's verdicts alone."""
    return prediction_powered(shown, people, [], item, k=k, covariance=covariance, lambdas=[])


def prediction_powered(
    shown: Instances,
    people: Wins,
    judges: Sequence[Wins],
    item: Ints | None = None,
    *,
    k: int,
    covariance: CovarianceName = "sandwich",
    lambdas: Sequence[float] | None = None,
) -> SystemScores:
    """People's verdicts, in which every system has to be twice at least, helped by judges'.

    Args: `item` (M,) is the prompt of each instance, by default each its own; `lambdas`, one for each judge, are tuned
    by default.
    """
    of_people = mean_wins(shown, people, k, covariance)
    helps = [help_of(shown, people, judge, k, covariance) for judge in judges]
    if lambdas is not None:
        lam = np.array(lambdas, dtype=np.float64)
    elif covariance == "published" and len(helps) == 1:
        share = float(is_judged(people)[is_judged(judges[0])].mean())  # n / (n + N)
        together, alone = (helps[0].beside * of_people.error).sum(), (helps[0].alone ** 2).sum()
        lam = np.clip([share * together / alone if alone > 0.0 else 0.0], 0.0, 1.0)
    else:
        lam = tuned(of_people, helps)
    theta, *parts, _ = _together(of_people, helps, lam)
    if covariance == "published":
        known = moments(shown, parts, np.zeros(k)).one_one
        return SystemScores(theta, known, lam, np.inf, np.full((k, k), np.inf))
    own, most = _one_unlike(shown, of_people, k), np.inf
    errors = moments(shown, parts, own)
    used = np.any([is_judged(wins) for wins in (people, *judges)], axis=0)
    prompts = np.empty(0) if item is None else np.unique(item[used])
    if item is not None and 1 < len(prompts) < used.sum():
        lost = [theta - _theta(shown, people, judges, lam, k, item != prompt) for prompt in prompts]
        rows = np.concatenate([np.sqrt(1.0 - 1.0 / len(prompts)) * np.array(lost), np.diag(own)])
        errors = CrossMoments(rows.T @ rows, (rows**3).T @ rows, (rows**2).T @ rows**2)
        most = len(prompts) - 1.0
    freedom, of_differences = min(degrees_of_freedom(errors), most), np.minimum(freedom_of_differences(errors), most)
    return SystemScores(theta, errors.one_one, lam, freedom, of_differences)


def verdicts_saved(alone: SystemScores, helped: SystemScores, people: int) -> int:
    """Verdicts of people that judges save, beside so many of theirs: as many more would vary as little."""
    gain = float(np.trace(alone.covariance) / np.trace(helped.covariance))
    return max(round((gain - 1.0) * people), 0)


def is_judged(wins: Wins) -> Bools:
    """(M,) whether there is a verdict."""
    return np.asarray(~np.isnan(wins[0]))


def pair_numbers(shown: Instances, k: int) -> Ints:
    """(M,) the number of each instance's pair of systems, the same for either side."""
    return np.asarray(np.minimum(*shown) * k + np.maximum(*shown))


def mean_wins(shown: Instances, wins: Wins, k: int, covariance: CovarianceName = "sandwich") -> MeanWins:
    """t(v). A system without a verdict has t = 0, no error."""
    used, won = is_judged(wins), np.nan_to_num(wins)
    weight, times = _weights(shown, used, k, covariance)
    theta = _by_system(shown, weight * won, k)
    around_theta = used * (won - theta[shown])
    if covariance == "published":
        error = around_theta / max(used.sum(), 1)
        return MeanWins(theta, times, weight, error, error)
    error = weight * around_theta / _or_infinite(1.0 - weight)
    against = shown * k + shown[::-1]
    around_rate = used * (won - np.bincount(against.ravel(), won.ravel(), k * k)[against] / _or_infinite(times))
    chance = np.sqrt(times / _or_infinite(times - 1.0)) * weight * around_rate
    return MeanWins(theta, times, weight, error, np.where(times > 1.0, chance, error))


def help_of(shown: Instances, people: Wins, judge: Wins, k: int, covariance: CovarianceName = "sandwich") -> Help:
    """The part of one judge."""
    parts = _beside_and_alone(shown, people, judge, k, covariance)
    of_beside, of_alone = (mean_wins(shown, part, k, covariance) for part in parts)
    theta = of_alone.theta - of_beside.theta
    if covariance == "published":
        return Help(theta, of_alone.error, of_beside.error, of_beside.chance)
    by_people = is_judged(people)
    of_all = mean_wins(shown, np.where(by_people, *parts), k)
    far = np.sqrt(of_all.times / _or_infinite(of_alone.times)) * of_all.chance
    near = by_people * of_all.times / _or_infinite(of_beside.times) * of_all.error
    return Help(theta, far, near, of_beside.chance)


def tuned(people: MeanWins, helps: Sequence[Help]) -> Floats:
    """(J,) lam of each judge in [0, 1]: how much it counts. 0 where it never varies.

    Conceptually: where sum (sum_j lam_j alone_j)^2 + sum (sum_j lam_j beside_j - people)^2 is least, within pairs.
    """
    from scipy.optimize import lsq_linear  # slow to load, and few need it

    errors = np.column_stack([np.concatenate([each.chance_beside, each.alone]).ravel() for each in helps])
    aim = np.concatenate([people.chance, np.zeros_like(people.chance)]).ravel()
    return np.asarray(lsq_linear(errors, aim, (0.0, 1.0), method="bvls").x)


def moments(shown: Instances, parts: Sequence[Floats], own: Floats) -> CrossMoments:
    """Moments of errors (2, M) of several parts, and of errors (k,) that systems have of their own.

    Conceptually: rows.T**p @ rows**q of (n, k) rows of errors, in which an instance has but two that are not 0.
    """
    k, (a, b), (x, y) = len(own), np.tile(shown, len(parts)), np.hstack(parts)

    def sums(p: int, q: int) -> Floats:
        of_pairs = np.bincount(a * k + b, x**p * y**q, k * k) + np.bincount(b * k + a, y**p * x**q, k * k)
        of_systems = np.bincount(a, x ** (p + q), k) + np.bincount(b, y ** (p + q), k) + own ** (p + q)
        return np.asarray(of_pairs.reshape(k, k) + np.diag(of_systems), dtype=np.float64)

    return CrossMoments(sums(1, 1), sums(3, 1), sums(2, 2))


def degrees_of_freedom(errors: CrossMoments) -> float:
    """nu of the covariance that errors add up to; 0 where it is 0.

    That of a Wishart matrix that varies as much as sum_i x_i x_i^T does (Nel and van der Merwe, 1986):
    ((tr Sigma)^2 + tr Sigma^2) / sum_i |x_i|^4. It is small where many pairs were met once or twice.
    """
    covariance, fourth = errors.one_one, float(errors.two_two.sum())
    return float(np.trace(covariance) ** 2 + (covariance**2).sum()) / fourth if fourth > 0.0 else 0.0


def freedom_of_differences(errors: CrossMoments) -> Floats:
    """(k, k) the same for the variance of each difference, infinite where it is 0.

    Conceptually: degrees_of_freedom of the errors x_a - x_b for each a and b.
    """
    second, four = variances_of_differences(errors.one_one), np.diag(errors.two_two)
    mixed = 6.0 * errors.two_two - 4.0 * (errors.three_one + errors.three_one.T)
    fourth = four[:, None] + four + mixed
    return np.asarray(np.divide(2.0 * second**2, fourth, out=np.full(second.shape, np.inf), where=second > 0.0))


def variances_of_differences(covariance: Floats) -> Floats:
    """(k, k) of theta_a - theta_b."""
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own - 2.0 * covariance, 0.0)


def _one_unlike(shown: Instances, people: MeanWins, k: int) -> Floats:
    """(k,) the errors of the systems on which people's verdicts are all alike, 0 of the others."""
    error, weight = (_by_system(shown, each**2, k) for each in (people.error, people.weight))
    return np.where(error <= ALIKE**2, 1.0 / (1.0 + 1.0 / _or_infinite(weight)), 0.0)


def _theta(shown: Instances, people: Wins, judges: Sequence[Wins], lambdas: Floats, k: int, kept: Bools) -> Floats:
    """(k,) theta by the instances that are kept."""
    shown, people = shown[:, kept], people[:, kept]

    def t(wins: Wins) -> Floats:
        return _by_system(shown, _weights(shown, is_judged(wins), k)[0] * np.nan_to_num(wins), k)

    theta = t(people)
    for lam, judge in zip(lambdas, judges, strict=True):
        beside, alone = _beside_and_alone(shown, people, judge[:, kept], k)
        theta = theta + lam * (t(alone) - t(beside))
    return theta


def _together(people: MeanWins, helps: Sequence[Help], lambdas: Floats) -> Help:
    """theta and its errors by people, helped by judges."""
    by_people = Help(people.theta, np.zeros_like(people.error), -people.error, -people.chance)
    weights = np.concatenate([[1.0], lambdas])
    return Help(*(np.tensordot(weights, np.array(parts), 1) for parts in zip(by_people, *helps, strict=True)))


def _beside_and_alone(
    shown: Instances, people: Wins, judge: Wins, k: int, covariance: CovarianceName = "sandwich"
) -> tuple[Wins, Wins]:
    """The verdicts of a judge that count, on what people judged and on what it judged alone; NaN elsewhere."""
    pair, by_people = pair_numbers(shown, k), is_judged(people)
    if covariance == "sandwich":
        beside, alone = (
            np.bincount(pair[part & is_judged(judge)], minlength=k * k) for part in (by_people, ~by_people)
        )
        judge = np.where(((beside > 0) & (alone >= ALONE))[pair], judge, np.nan)
    return np.where(by_people, judge, np.nan), np.where(by_people, np.nan, judge)


def _weights(shown: Instances, used: Bools, k: int, covariance: CovarianceName = "sandwich") -> tuple[Floats, Floats]:
    """(2, M) w_i of the instances that are used in t, and (M,) how many they are of the pair of each."""
    pair, (first, second) = pair_numbers(shown, k), shown
    times = np.asarray(np.bincount(pair, used, k * k), np.float64)[pair]
    omega = used / (_or_infinite(times) if covariance == "sandwich" else 1.0)
    c = np.bincount(first, omega, k) + np.bincount(second, omega, k)
    return omega / _or_infinite(c)[shown], times


def _by_system(shown: Instances, values: Floats, k: int) -> Floats:
    """(k,) sums of the values (2, M) of the systems shown."""
    return np.asarray(np.bincount(shown.ravel(), values.ravel(), k))


def _or_infinite(weight: NDArray[Any]) -> Floats:
    """The weight, or infinity for none, by which nothing is divided."""
    return np.asarray(np.where(weight > 0.0, weight, np.inf))
