"""How far a judge's probabilities can be taken at their word, and one temperature that corrects them (GPM App. B).

p is the judge's probability that the first candidate is better, y what a person said of the same pair: 1 for the
first, 0 for the second, 1/2 for a tie. Both have shape (K,).

    temperature   p~ = sigma(logit(p) / T); T > 1 makes the judge less sure, T < 1 surer; no p~ crosses 1/2
    log-loss      mean of -(y log p + (1 - y) log(1 - p))
    ECE           sum_b K_b |accuracy_b - confidence_b| / K over 15 bins of equal width that divide [1/2, 1], the
                  range of the confidence max(p, 1 - p)      (Guo, Pleiss, Sun and Weinberger 2017)

Logarithms and logits read p clipped to [1e-6, 1 - 1e-6]; bins read p as it is. T is sought in [1/20, 20].

One T rescales every logit, but not every score: the MAP balances a sum of verdicts and a prior, so where verdicts
outnumber scores T can change the ranking (methods, erratum 5).
"""

import math
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit, logit

from app.inference.types import Floats, Ints

SATURATED = 1e-6
BINS = 15
EDGES = np.linspace(0.5, 1.0, BINS + 1)
MAX_LOG_T = math.log(20.0)
GRID, STEP = np.linspace(-MAX_LOG_T, MAX_LOG_T, 121), MAX_LOG_T / 60
FINER = np.linspace(-STEP, STEP, 41)
AT_BOUND = 1e-3  # in log T


class Objective(StrEnum):
    """What the temperature minimises."""

    LOG_LOSS = "log-loss"
    ECE = "ece"


class Reliability(NamedTuple):
    """The reliability diagram: one entry for each bin that holds a verdict, in order of confidence."""

    low: Floats  # (B,) a bin is [low, high), the last one [low, 1]
    high: Floats  # (B,)
    verdicts: Ints  # (B,) at least 1
    confidence: Floats  # (B,) mean confidence
    accuracy: Floats  # (B,) share of right verdicts


class Errors(NamedTuple):
    log_loss: float
    ece: float


class Calibration(NamedTuple):
    temperature: float
    before: Errors  # of p as it is
    after: Errors  # of p at the temperature
    at_bound: bool  # the best temperature may lie outside the range that was searched
    verdicts: int  # K


def temperature(p: Floats, outcome: Floats, objective: Objective) -> Calibration:
    """The T that minimises `objective`; 1 without verdicts, or where every p is 1/2."""
    t = math.exp(SEARCHES[objective](p, outcome)) if _logits(p).any() else 1.0
    at_bound = abs(math.log(t)) > MAX_LOG_T - AT_BOUND
    return Calibration(t, errors(p, outcome), errors(tempered(p, t), outcome), at_bound, len(p))


def tempered(p: Floats, temperature: float | Floats) -> Floats:
    """(K,) p~, with one temperature or one for each; at T = 1 it is p itself, 0 and 1 included."""
    return np.where(np.equal(temperature, 1.0), p, expit(_logits(p) / temperature))


def errors(p: Floats, outcome: Floats) -> Errors:
    return Errors(log_loss(p, outcome), ece(p, outcome))


def log_loss(p: Floats, outcome: Floats) -> float:
    """In nats per verdict; 0 without verdicts."""
    return _cross_entropy(_logits(p), outcome)


def ece(p: Floats, outcome: Floats) -> float:
    """Expected calibration error, from 0 to 1: the mean gap in the reliability diagram; 0 without verdicts."""
    bins = reliability(p, outcome)
    return float(bins.verdicts @ np.abs(bins.accuracy - bins.confidence)) / max(len(p), 1)


def reliability(p: Floats, outcome: Floats) -> Reliability:
    """How often the judge is right, by how sure it is. Where it or the person ties, it is half right."""
    confidence, right = np.maximum(p, 1.0 - p), 0.5 + np.sign(p - 0.5) * (outcome - 0.5)
    bins = np.searchsorted(EDGES[1:-1], confidence, side="right")
    used, verdicts = np.unique(bins, return_counts=True)
    sure, correct = np.bincount(bins, confidence)[used], np.bincount(bins, right)[used]
    return Reliability(EDGES[used], EDGES[used + 1], verdicts, sure / verdicts, correct / verdicts)


def _logits(p: Floats) -> Floats:
    return np.asarray(logit(np.clip(p, SATURATED, 1.0 - SATURATED)))


def _cross_entropy(logits: Floats, outcome: Floats) -> float:
    log_likelihood = outcome * log_expit(logits) + (1.0 - outcome) * log_expit(-logits)
    return float((-log_likelihood).sum()) / max(len(logits), 1)


def _least_log_loss(p: Floats, outcome: Floats) -> float:
    """log T; the loss is convex in 1/T, so it has one minimum in log T."""
    logits = _logits(p)

    def loss(log_t: float) -> float:
        return _cross_entropy(logits * math.exp(-log_t), outcome)

    return float(minimize_scalar(loss, bounds=(-MAX_LOG_T, MAX_LOG_T), method="bounded").x)


def _least_ece(p: Floats, outcome: Floats) -> float:
    """log T, on a grid and then on a finer one around its best point: the ECE jumps, and has many minima."""

    def best(grid: Floats) -> float:
        return float(grid[np.argmin([ece(tempered(p, math.exp(log_t)), outcome) for log_t in grid])])

    return best(np.clip(best(GRID) + FINER, -MAX_LOG_T, MAX_LOG_T))


SEARCHES: dict[Objective, Callable[[Floats, Floats], float]] = {
    Objective.LOG_LOSS: _least_log_loss,
    Objective.ECE: _least_ece,
}
