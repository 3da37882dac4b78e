"""Predictions of verdicts, each made from what was known before it (prequential validation, Dawid 1984).

Of a whole log, they come in one pass (an extended Kalman filter). Scores are N(0, 1) and biases N(0, BIAS_VARIANCE)
before the first verdict, and taken as independent ever after, so that a verdict costs O(1). Verdict k, of judge j, with
a shown first and b second:

    x = m_a - m_b    v = v_a + v_b    d = x + delta_j    u = v + v_j          what is known before it
    q = sigma(d / sqrt(1 + pi u / 8))    w = weight q (1 - q)    g = weight (p - q) / (1 + w u)
    m_a += v_a g    m_b -= v_b g    delta_j += v_j g    v_i -= v_i^2 w / (1 + w u)    for i = a, b, j

How far scores are spread, and how many votes a verdict counts for, is not known beforehand. So a verdict is predicted
once for each c in SCALES, as if scores were c times what the filter takes them for:

    P(first wins | c) = sigma(c x / sqrt(1 + pi c^2 v / 8) + delta)           delta > 0 favours the first position

Of a set, they are those of random pairs by the posterior of the moment they were drawn in: selection picks the pairs it
is least sure of, so agreement on those says little. Always saying 1/2 gives a log-loss of ln 2.
"""

import math
from typing import NamedTuple

import numpy as np

from app.inference.experts import Expert
from app.inference.kernels import contiguous, kernel
from app.inference.reporting.calibration import log_loss
from app.inference.types import Bools, Comparisons, Floats, Ints

SCALES = np.array([1.0 / 9.0, 1.0 / 3.0, 1.0, 3.0, 9.0])
BIAS_VARIANCE = 0.25
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(32)


class Predictions(NamedTuple):
    difference: Floats  # (K,) x, of first minus second
    variance: Floats  # (K,) v
    bias: Floats  # (K,) delta of who judges


class HeldOutCheck(NamedTuple):
    comparisons: int
    agreement: float | None  # of those with a winner, half for a prediction of 1/2; None without any
    log_loss: float


def predict(comparisons: Comparisons, n: int) -> Predictions:
    first, second, p, judge, weight = comparisons
    variance = np.append(np.ones(n), np.full(int(judge.max(initial=-1)) + 1, BIAS_VARIANCE))
    rows = contiguous(first), contiguous(second), n + judge, contiguous(p), contiguous(weight)
    return Predictions(*filtered(*rows, np.zeros(len(variance)), variance))


@kernel
def filtered(
    first: Ints, second: Ints, bias: Ints, p: Floats, weight: Floats, mean: Floats, variance: Floats
) -> tuple[Floats, Floats, Floats]:
    """x, v and delta (K,); `mean` and `variance` (N + J,), scores first, are overwritten."""
    x, v, delta = np.empty(len(p)), np.empty(len(p)), np.empty(len(p))
    for k in range(len(p)):
        a, b, j = first[k], second[k], bias[k]
        x[k], v[k], delta[k] = mean[a] - mean[b], variance[a] + variance[b], mean[j]
        of_d = v[k] + variance[j]
        q = 1.0 / (1.0 + math.exp(-(x[k] + delta[k]) / math.sqrt(1.0 + math.pi * of_d / 8.0)))
        w = weight[k] * q * (1.0 - q)
        gain = 1.0 / (1.0 + w * of_d)
        pull = weight[k] * (p[k] - q) * gain
        mean[a] += variance[a] * pull
        mean[b] -= variance[b] * pull
        mean[j] += variance[j] * pull
        for i in (a, b, j):
            variance[i] -= variance[i] ** 2 * w * gain
    return x, v, delta


def logits(predictions: Predictions) -> Floats:
    """(C, K) logits of P(first wins) by each of SCALES."""
    difference, variance, bias = predictions
    c = SCALES[:, None]
    return np.asarray(c * difference / np.sqrt(1.0 + np.pi * c**2 * variance / 8.0) + bias)


def log_likelihoods(logits: Floats, first_won: Bools) -> Floats:
    """(C, K) log-probability of what was decided."""
    return np.asarray(-np.logaddexp(0.0, np.where(first_won, -logits, logits)))


def check_predictions(p: Floats, m: Floats, sd: Floats, expert: Expert) -> HeldOutCheck:
    """Hold (K,) verdicts p against the mean, over d ~ N(m, sd^2), of the p that the expert expects; K >= 1."""
    expected = expert.expected(m[:, None] + sd[:, None] * NODES) @ WEIGHTS / WEIGHTS.sum()
    decided, named = p != 0.5, np.sign(np.round(expected - 0.5, 9))
    right = 0.5 + 0.5 * named * np.sign(p - 0.5)
    agreement = float(right[decided].mean()) if decided.any() else None
    return HeldOutCheck(len(p), agreement, log_loss(expected, p))
