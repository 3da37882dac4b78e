"""Predictions of each verdict from those before it, in one pass over the log (an extended Kalman filter).

Scores are N(0, 1) and biases N(0, BIAS_VARIANCE) before the first verdict, and taken as independent ever after, so that
a verdict costs O(1) whatever N is. Verdict k, of judge j, with a shown first and b second:

    x = m_a - m_b    v = v_a + v_b    d = x + delta_j    u = v + v_j          what is known before it
    q = sigma(d / sqrt(1 + pi u / 8))    w = weight q (1 - q)    g = weight (p - q) / (1 + w u)
    m_a += v_a g    m_b -= v_b g    delta_j += v_j g    v_i -= v_i^2 w / (1 + w u)    for i = a, b, j

How far scores are spread, and how many votes a verdict counts for, is not known beforehand. So a verdict is predicted
once for each c in SCALES, as if scores were c times what the filter takes them for:

    P(first wins | c) = sigma(c x / sqrt(1 + pi c^2 v / 8) + delta)           delta > 0 favours the first position
"""

from typing import NamedTuple

import numpy as np

from app.inference.kernels.prediction import filtered
from app.inference.types import Bools, Comparisons, Floats

SCALES = np.array([1.0 / 9.0, 1.0 / 3.0, 1.0, 3.0, 9.0])
BIAS_VARIANCE = 0.25


class Predictions(NamedTuple):
    """Knowledge before each of K verdicts."""

    difference: Floats  # (K,) x, of first minus second
    variance: Floats  # (K,) v
    bias: Floats  # (K,) delta of who judges


def predict(comparisons: Comparisons, n: int) -> Predictions:
    """Predictions of every verdict, given those before it."""
    judges = int(comparisons.judge.max(initial=-1)) + 1
    variance = np.concatenate([np.ones(n), np.full(judges, BIAS_VARIANCE)])
    first, second, p, judge, weight = comparisons
    before = np.zeros(n + judges), variance
    return Predictions(*filtered(first.copy(), second.copy(), p.copy(), judge.copy(), weight.copy(), *before))


def logits(predictions: Predictions) -> Floats:
    """(C, K) logits of P(first wins) by each of SCALES."""
    difference, variance, bias = predictions
    c = SCALES[:, None]
    return np.asarray(c * difference / np.sqrt(1.0 + np.pi * c**2 * variance / 8.0) + bias)


def log_likelihoods(logits: Floats, first_won: Bools) -> Floats:
    """(C, K) log-probability of what was decided."""
    return np.asarray(-np.logaddexp(0.0, np.where(first_won, -logits, logits)))
