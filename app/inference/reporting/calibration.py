"""Judges validated against a reference, such as people, and one temperature that corrects their probabilities.

    a pair        an item and two candidates, the lower-numbered and the other; verdicts are turned to the lower
    truth         the direction of the mean of what the references said of the pair, each verdict counting once
    agreement     share of the pairs on which the mean of the others has that direction; where either is a tie, the
                  pair is left out. Random verdicts agree on half. Its interval is Wilson's (1927)

p is the judge's probability that the first candidate is better, y the truth of the pair: 1 for the first, 0 for the
second, 1/2 for a tie. Both have shape (K,).

    temperature   p~ = sigma(logit(p) / T); T > 1 makes the judge less sure, T < 1 surer; no p~ crosses 1/2 (GPM App. B)
    both orders   a judge's n-th answer to a pair in one order is coupled with its n-th in the other. What the two say
                  together, p~ = (p~_ij + 1 - p~_ji) / 2, has no position bias in it; a temperature is of single
                  answers, as a set applies it                                                        (PoE 3.5)
    log-loss      mean of -(y log p + (1 - y) log(1 - p))
    rejection     share of right verdicts among the surest, as the least sure are left out           (GPM, Fig. 5)
    ECE           sum_b K_b |accuracy_b - confidence_b| / K over 15 bins of equal width that divide [1/2, 1], the
                  range of the confidence max(p, 1 - p)      (Guo, Pleiss, Sun and Weinberger 2017)
    biased ECE    the same of single answers, a position bias included; GPM table 3 has it and the debiased

Logarithms and logits read p clipped to [1e-6, 1 - 1e-6]; bins read p as it is. T is sought in [1/20, 20]: the ECE
jumps wherever an answer changes its bin, and may be least in any of the pieces between, so it is taken at thousands.

One T rescales every logit, but not every score: the MAP balances a sum of verdicts and a prior, so where verdicts
outnumber scores T can change the ranking (methods, erratum 5).
"""

import math
from typing import NamedTuple

import numpy as np
from nextpair.words import ObjectiveName
from scipy.special import expit, log_expit, logit

from app.inference.experts import is_vote, unsaturated
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import directions, firsts, lean_to_lower, means, numbered, times_before, wilson

FEWEST_ANSWERS = 20  # that a temperature is estimated from
BINS = 15
EDGES = np.linspace(0.5, 1.0, BINS + 1)
MAX_LOG_T = math.log(20.0)
GRID, STEP = np.linspace(-MAX_LOG_T, MAX_LOG_T, 121), MAX_LOG_T / 60
WORK, FEWEST, MOST = 2_000_000, 301, 10_001  # answers read, and temperatures tried, in search of the least ECE
AT_BOUND = 1e-3  # in log T
REJECTED = np.linspace(0.0, 0.9, 10)


class PairsAgreed(NamedTuple):
    pairs: int  # on which both sides name a winner
    share: float  # of them with the same winner
    interval: tuple[float, float]


class Reliability(NamedTuple):
    """The reliability diagram: one entry for each bin that holds a verdict, in order of confidence."""

    low: Floats  # (B,) a bin is [low, high), the last one [low, 1]
    high: Floats  # (B,)
    verdicts: Ints  # (B,) at least 1
    confidence: Floats  # (B,) mean confidence
    accuracy: Floats  # (B,) share of right verdicts


class RejectionCurve(NamedTuple):
    """The accuracy-rejection curve: it rises where confidence tells who is right."""

    rejected: Floats  # (R,) share of the verdicts that is left out, those of least confidence
    verdicts: Ints  # (R,) that are left in, at least 1
    accuracy: Floats  # (R,) share of right ones among those left in


class ProbabilityErrors(NamedTuple):
    log_loss: float
    ece: float
    biased_ece: float  # of single answers, each pair counted once


class TemperatureFit(NamedTuple):
    temperature: float
    before: ProbabilityErrors  # of p as it is
    after: ProbabilityErrors  # of p at the temperature
    at_bound: bool  # the best temperature may lie outside the range that was searched
    verdicts: int  # K


def validation_by_people(
    comparisons: Comparisons, item: Ints, people: Bools, level: float
) -> tuple[PairsAgreed | None, dict[int, TemperatureFit]]:
    """How far all other judges agree with people, and the temperature of each of them whose answers tell one.

    Args: `item` (K,) is what each comparison was about; `people` (J,) tells who they are.
    """
    if not people.any() or people.all():
        return None, {}
    beside = {judge: beside_references(comparisons, item, judge, people) for judge in np.flatnonzero(~people).tolist()}
    temperatures = {judge: temperature(*each) for judge, each in beside.items() if tells_temperature(each[0])}
    return agreement_with(comparisons, item, people, level), temperatures


def agreement_with(comparisons: Comparisons, item: Ints, reference: Bools, level: float) -> PairsAgreed | None:
    """Agreement of all other judges with the references, None without a pair; arguments as in `beside_references`."""
    pair, lean, by_reference = _pairs(comparisons, item), lean_to_lower(comparisons), reference[comparisons.judge]
    count = pair.max(initial=-1) + 1
    theirs, others = (means(lean[side], pair[side], count) for side in (by_reference, ~by_reference))
    alike = np.nan_to_num(directions(theirs) * directions(others))
    pairs, agreeing = int(np.count_nonzero(alike)), int(np.count_nonzero(alike > 0.0))
    return PairsAgreed(pairs, agreeing / pairs, wilson(agreeing / pairs, pairs, level)) if pairs else None


def beside_references(comparisons: Comparisons, item: Ints, judge: int, reference: Bools) -> tuple[Floats, Floats]:
    """The answers of a judge beside the truth: p (2, K) of the lower-numbered candidate in both orders, and y (K,).

    Couples count once; p is the same twice where there was one order only.

    Args: `item` (K,) is what each comparison was about; `reference` (J,) says who of the judges, by number.
    """
    pair, lean, by_reference = _pairs(comparisons, item), lean_to_lower(comparisons), reference[comparisons.judge]
    truth = means(lean[by_reference], pair[by_reference], pair.max(initial=-1) + 1)
    answers = np.flatnonzero((comparisons.judge == judge) & ~np.isnan(truth[pair]))
    turned, pair = (comparisons.first > comparisons.second)[answers].astype(np.int64), pair[answers]
    couple = numbered(pair, times_before(2 * pair + turned))
    once = firsts(couple)
    p = np.full((2, len(once)), np.nan)
    p[turned, couple] = 0.5 + lean[answers]
    return np.where(np.isnan(p), p[::-1], p), 0.5 + 0.5 * directions(truth[pair[once]])


def _pairs(comparisons: Comparisons, item: Ints) -> Ints:
    """(K,) the number of each comparison's pair, without gaps."""
    first, second, _, _, _ = comparisons
    return numbered(item, np.minimum(first, second), np.maximum(first, second))


def tells_temperature(p: Floats) -> bool:
    """Whether answers of a judge, (K,) or (2, K), are enough for one, and not only a winner or a tie."""
    return p.shape[-1] >= FEWEST_ANSWERS and not is_vote(p).all()


def temperature(p: Floats, outcome: Floats, objective: ObjectiveName = "log-loss") -> TemperatureFit:
    """The T that minimises `objective`; 1 without verdicts, or where every p is 1/2.

    Args: `p` is (K,), or (2, K) of both orders, turned to one; the same twice where there was one order only.
    """
    search = _least_log_loss if objective == "log-loss" else _least_ece
    t = math.exp(search(p, outcome)) if _logits(p).any() else 1.0
    at_bound = abs(math.log(t)) > MAX_LOG_T - AT_BOUND
    return TemperatureFit(t, errors(p, outcome), errors(tempered(p, t), outcome), at_bound, len(outcome))


def tempered(p: Floats, temperature: float | Floats) -> Floats:
    """(K,) p~, with one temperature or one for each; at T = 1 it is p itself, 0 and 1 included."""
    return np.where(np.equal(temperature, 1.0), p, expit(_logits(p) / temperature))


def debiased(p: Floats, temperature: float) -> Floats:
    """(K,) what both orders say together at a temperature of each; `p` as in `temperature`."""
    return np.asarray(np.atleast_2d(tempered(p, temperature)).mean(axis=0))


def errors(p: Floats, outcome: Floats) -> ProbabilityErrors:
    """Args: `p` as in `temperature`."""
    together, single = debiased(p, 1.0), np.atleast_2d(p)
    biased = ece(single.ravel(), np.tile(outcome, len(single)))
    return ProbabilityErrors(log_loss(together, outcome), ece(together, outcome), biased)


def log_loss(p: Floats, outcome: Floats) -> float:
    """Nats per verdict; 0 without verdicts."""
    logits = _logits(p)
    log_likelihood = outcome * log_expit(logits) + (1.0 - outcome) * log_expit(-logits)
    return float((-log_likelihood).sum()) / max(len(logits), 1)


def ece(p: Floats, outcome: Floats) -> float:
    """Expected calibration error, from 0 to 1: the mean gap in the reliability diagram; 0 without verdicts."""
    return float(_eces(p[None], outcome)[0])


def reliability(p: Floats, outcome: Floats) -> Reliability:
    """The diagram of one judge. Where it or the person ties, it is half right."""
    confidence, right, bins = _binned(p, outcome)
    used, verdicts = np.unique(bins, return_counts=True)
    sure, correct = np.bincount(bins, confidence)[used], np.bincount(bins, right)[used]
    return Reliability(EDGES[used], EDGES[used + 1], verdicts, sure / verdicts, correct / verdicts)


def rejection(p: Floats, outcome: Floats) -> RejectionCurve:
    """The curve of one judge. Of verdicts of the same confidence each is as likely to be left out as another."""
    confidence, right, _ = _binned(p, outcome)
    level = np.unique(-np.round(confidence, 9), return_inverse=True)[1]  # 0 is the surest
    right_at = (np.bincount(level, right) / np.bincount(level))[np.sort(level)]
    verdicts = np.ceil(np.round((1.0 - REJECTED) * len(outcome), 9)).astype(np.int64)
    used = verdicts > 0
    return RejectionCurve(REJECTED[used], verdicts[used], np.cumsum(right_at)[verdicts[used] - 1] / verdicts[used])


def _logits(p: Floats) -> Floats:
    return np.asarray(logit(unsaturated(p)))


def _binned(p: Floats, outcome: Floats) -> tuple[Floats, Floats, Ints]:
    """Confidence, how right it is, and the bin, each of the shape of `p`, (..., K)."""
    confidence, right = np.maximum(p, 1.0 - p), 0.5 + np.sign(p - 0.5) * (outcome - 0.5)
    return confidence, right, np.searchsorted(EDGES[1:-1], confidence, side="right")


def _eces(p: Floats, outcome: Floats) -> Floats:
    """(C,) from (C, K). Conceptually, from `reliability`: verdicts @ |accuracy - confidence| / K for each row."""
    confidence, right, bins = _binned(p, outcome)
    bins_of_rows = BINS * np.arange(len(p))[:, None] + bins
    gaps = np.bincount(bins_of_rows.ravel(), (right - confidence).ravel(), BINS * len(p)).reshape(len(p), BINS)
    return np.asarray(np.abs(gaps).sum(axis=1) / max(len(outcome), 1))


def _least_log_loss(p: Floats, outcome: Floats) -> float:
    """log T. The loss of single answers is convex in 1/T; with both orders the best of the grid comes first."""
    from scipy.optimize import minimize_scalar  # slow to load, and few need it

    def loss(log_t: float) -> float:
        return log_loss(debiased(p, math.exp(log_t)), outcome)

    near = float(GRID[np.argmin([loss(log_t) for log_t in GRID])])
    nearby = minimize_scalar(loss, bounds=_around(near, STEP), method="bounded")
    return float(nearby.x) if nearby.fun < loss(near) else near


def _least_ece(p: Floats, outcome: Floats) -> float:
    """log T, the best of many, and of as many as a hundred between its neighbours.

    From one to the next the ECE changes by less than a quarter of the step in log T, except for jumps.
    """
    logits = np.atleast_2d(_logits(p))

    def best(grid: Floats) -> float:
        parts = np.array_split(grid, 1 + 10 * grid.size * p.size // WORK)
        eces = [_eces(expit(logits[:, None] * np.exp(-part)[:, None]).mean(axis=0), outcome) for part in parts]
        return float(grid[np.argmin(np.concatenate(eces))])

    count = min(max(WORK // len(outcome), FEWEST), MOST)
    near = best(np.linspace(-MAX_LOG_T, MAX_LOG_T, count))
    return best(np.linspace(*_around(near, 2.0 * MAX_LOG_T / (count - 1)), 101))


def _around(log_t: float, step: float) -> tuple[float, float]:
    return max(log_t - step, -MAX_LOG_T), min(log_t + step, MAX_LOG_T)
