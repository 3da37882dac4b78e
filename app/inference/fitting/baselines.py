"""Baselines that read the same comparisons (PoE 4.2). They give scores, no covariance.

    win-ratio             share of comparisons won; a tie is half a win
    average-probability   mean probability of being better, over the comparisons that a candidate is in
    bradley-terry         MM iterations (Zermelo 1929) on hard verdicts, with 1/(N - 1) wins added to both sides of each
                          selected comparison, until no log-strength moves by more than 1e-4
    poe-g-hard            Gaussian expert on hard verdicts, one anchor: s = (W^T W)^+ W^T (y - 1/2), the least squares
                          of PoE eq. 11 (alpha = 1, beta = 1/2), shifted so that each connected part has mean 0; which
                          score is the anchor, and its variance, move nothing but that level

A candidate without a comparison gets the neutral score: 1/2 for the first two, 0 for the others.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from app.inference.types import Comparisons, Convergence, Floats, Outcome
from app.inference.verdicts import means, potentials, words

BT_THRESHOLD = 1e-4
BT_MAX_ITERATIONS = 10_000


class BaselineScores(NamedTuple):
    score: Floats  # (N,)
    convergence: Convergence


CLOSED_FORM = Convergence(Outcome.CONVERGED, 0, 0.0)


def average_probability(comparisons: Comparisons, n: int) -> BaselineScores:
    first, second, p, _, weight = comparisons
    mean = means(np.append(p, 1.0 - p), np.append(first, second), n, np.append(weight, weight))
    return BaselineScores(np.nan_to_num(mean, nan=0.5), CLOSED_FORM)


def bradley_terry(comparisons: Comparisons, n: int) -> BaselineScores:
    first, second, p, _, weight = comparisons
    extra, hard = 1.0 / max(n - 1, 1), words(p)
    won, lost = weight * hard + extra, weight * (1.0 - hard) + extra
    wins, games = np.bincount(first, won, n) + np.bincount(second, lost, n) + np.zeros(n), won + lost
    log_strength = np.zeros(n)
    iteration, change = 0, np.inf
    while change > BT_THRESHOLD and iteration < BT_MAX_ITERATIONS:
        strength, updated = np.exp(log_strength), np.zeros(n)
        rate = games / (strength[first] + strength[second])
        exposure = np.bincount(first, rate, n) + np.bincount(second, rate, n)
        played = exposure > 0
        updated[played] = np.log(wins[played] / exposure[played])  # wins_i / sum_j games_ij / (pi_i + pi_j), centred
        updated[played] -= updated[played].mean() if played.any() else 0.0
        change = float(np.abs(updated - log_strength).max(initial=0.0))
        log_strength, iteration = updated, iteration + 1
    return BaselineScores(log_strength, Convergence.of(change, iteration, BT_THRESHOLD))


BASELINES: dict[str, Callable[[Comparisons, int], BaselineScores]] = {
    "win-ratio": lambda comparisons, n: average_probability(comparisons._replace(p=words(comparisons.p)), n),
    "average-probability": average_probability,
    "bradley-terry": bradley_terry,
    "poe-g-hard": lambda comparisons, n: BaselineScores(
        potentials(words(comparisons.p) - 0.5, comparisons, n), CLOSED_FORM
    ),
}
