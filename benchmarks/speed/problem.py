"""A log to measure with, and the posterior of its scores in plain numpy, for whoever minimises it.

Minimise, with p_k the probability that `first` is better and d_k = s_first - s_second,

    L(s) = q |s|^2 / 2 + sum_k (log(1 + exp(d_k)) - p_k d_k)
"""

import numpy as np
from scipy.special import expit

from app.inference.types import Comparisons, Floats, by_one_judge


def simulated_log(n: int) -> Comparisons:
    """Probabilities by scores that are standard normal: 10 N comparisons, fewer where those would be half the pairs."""
    rng, count = np.random.default_rng(0), min(10 * n, n * (n - 1) // 4)
    scores, first = rng.standard_normal(n), rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    return by_one_judge(first, second, expit(scores[first] - scores[second] + 0.5 * rng.standard_normal(count)))


def winners(log: Comparisons) -> Comparisons:
    """The same log where each comparison has a winner, drawn by its p."""
    return log._replace(p=(np.random.default_rng(1).random(log.size) < log.p).astype(np.float64))


def loss(s: Floats, log: Comparisons, precision: float) -> float:
    d = s[log.first] - s[log.second]
    return float(0.5 * precision * s @ s + np.logaddexp(0.0, d).sum() - log.p @ d)


def gradient(s: Floats, log: Comparisons, precision: float) -> Floats:
    return precision * s + _scatter(expit(s[log.first] - s[log.second]) - log.p, log, len(s))


def hessian_times(s: Floats, x: Floats, log: Comparisons, precision: float) -> Floats:
    q = expit(s[log.first] - s[log.second])
    return precision * x + _scatter(q * (1.0 - q) * (x[log.first] - x[log.second]), log, len(s))


def _scatter(values: Floats, log: Comparisons, n: int) -> Floats:
    return np.asarray(np.bincount(log.first, values, n) - np.bincount(log.second, values, n))
