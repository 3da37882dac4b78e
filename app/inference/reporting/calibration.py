"""Probabilities against what was said: judges beside a reference, such as people, and predictions of verdicts.

    a pair        an item and two candidates, the lower-numbered and the other; verdicts are turned to the lower
    truth         the direction of the mean of what the references said of the pair, each verdict counting once
    agreement     share of the pairs on which the mean of the others has that direction, if neither is a tie
    p             the judge's probability that the first candidate is better: (K,), or (2, K) of both orders, turned to
                  one; the same twice where there was one order only
    y             (K,) the truth of the pair: 1 for the first, 0 for the second, 1/2 for a tie
    temperature   p~ = sigma(logit(p) / T); T > 1 makes the judge less sure, T < 1 surer; no p~ crosses 1/2 (GPM App. B)
    both orders   a judge's n-th answer to a pair in one order is coupled with its n-th in the other: together they say
                  p~ = (p~_ij + 1 - p~_ji) / 2 (PoE 3.5), without position bias; a temperature is of single answers
    log-loss      mean of -(y log p + (1 - y) log(1 - p))
    rejection     share of right verdicts among the surest, as the least sure are left out           (GPM, Fig. 5)
    ECE           sum_b K_b |accuracy_b - confidence_b| / K over 15 bins of equal width that divide [1/2, 1], the
                  range of the confidence max(p, 1 - p)      (Guo, Pleiss, Sun and Weinberger 2017)

Logarithms and logits read p clipped to [1e-6, 1 - 1e-6]; bins read p as it is. T is sought in [1/20, 20]: the ECE
jumps wherever an answer changes its bin, so it is taken at thousands. T can change the ranking (methods, erratum 5).

Predictions are made from what was known before the verdict (prequential validation, Dawid 1984). Of a whole log, they
come in one pass (an extended Kalman filter). Scores are N(0, 1) and biases N(0, BIAS_VARIANCE) before the first
verdict, and taken as independent ever after. Verdict k, of judge j, with a shown first and b second:

    x = m_a - m_b    v = v_a + v_b    d = x + delta_j    u = v + v_j          what is known before it
    q = sigma(d / sqrt(1 + pi u / 8))    w = weight q (1 - q)    g = weight (p - q) / (1 + w u)
    m_a += v_a g    m_b -= v_b g    delta_j += v_j g    v_i -= v_i^2 w / (1 + w u)    for i = a, b, j

How far scores are spread, and how many votes a verdict counts for, is not known beforehand. So a verdict is predicted
once for each c in SCALES, as if scores were c times what the filter takes them for:

    P(first wins | c) = sigma(c x / sqrt(1 + pi c^2 v / 8) + delta)           delta > 0 favours the first position

Of a set, they are those of random pairs by the posterior of the moment they were drawn in: selection picks the pairs it
is least sure of. Always saying 1/2 gives a log-loss of ln 2.
"""

import math
from typing import NamedTuple

import numpy as np
from nextpair.words import ObjectiveName
from scipy.special import expit, log_expit, logit

from app.inference.experts import Expert, is_vote, unsaturated
from app.inference.kernels import contiguous, kernel
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import Share, directions, firsts, lean_to_lower, means, numbered, share_of, times_before

FEWEST_ANSWERS = 20  # that a temperature is estimated from
BINS = 15
EDGES = np.linspace(0.5, 1.0, BINS + 1)
MAX_LOG_T = math.log(20.0)
GRID, STEP = np.linspace(-MAX_LOG_T, MAX_LOG_T, 121), MAX_LOG_T / 60
WORK, FEWEST, MOST = 2_000_000, 301, 10_001  # answers read, and temperatures tried, in search of the least ECE
AT_BOUND = 1e-3  # in log T
REJECTED = np.linspace(0.0, 0.9, 10)
SCALES = np.array([1.0 / 9.0, 1.0 / 3.0, 1.0, 3.0, 9.0])
BIAS_VARIANCE = 0.25
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(32)


class Reliability(NamedTuple):
    low: Floats  # (B,) of each bin [low, high) that holds a verdict, the last one [low, 1]
    high: Floats  # (B,)
    verdicts: Ints  # (B,) at least 1
    confidence: Floats  # (B,) mean confidence
    accuracy: Floats  # (B,) share of right verdicts


class ProbabilityErrors(NamedTuple):
    log_loss: float
    ece: float
    biased_ece: float  # of single answers, a position bias included (GPM table 3)


class TemperatureFit(NamedTuple):
    temperature: float
    before: ProbabilityErrors  # of p as it is
    after: ProbabilityErrors  # of p at the temperature
    at_bound: bool  # the best temperature may lie outside the range that was searched
    verdicts: int  # K


class Predictions(NamedTuple):
    difference: Floats  # (K,) x, of first minus second
    variance: Floats  # (K,) v
    bias: Floats  # (K,) delta of who judges


class HeldOutCheck(NamedTuple):
    comparisons: int
    agreement: float | None  # of those with a winner, half for a prediction of 1/2; None without any
    log_loss: float


def validation_by_people(
    comparisons: Comparisons, item: Ints, people: Bools, level: float
) -> tuple[Share | None, dict[int, TemperatureFit]]:
    """How far all other judges agree with people (J,), and the temperature of each of them whose answers tell one."""
    if not people.any() or people.all():
        return None, {}
    beside = {judge: beside_references(comparisons, item, judge, people) for judge in np.flatnonzero(~people).tolist()}
    temperatures = {judge: temperature(*each) for judge, each in beside.items() if tells_temperature(each[0])}
    pair, lean, by_people = _pairs(comparisons, item), lean_to_lower(comparisons), people[comparisons.judge]
    theirs, others = (means(lean[side], pair[side], pair.max(initial=-1) + 1) for side in (by_people, ~by_people))
    alike = directions(theirs) * directions(others)
    return share_of(alike[np.abs(alike) == 1.0] > 0.0, level), temperatures


def beside_references(comparisons: Comparisons, item: Ints, judge: int, reference: Bools) -> tuple[Floats, Floats]:
    """p (2, K) of a judge and y, by the references (J,); couples count once."""
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
    """(K,) numbers without gaps."""
    first, second, *_ = comparisons
    return numbered(item, np.minimum(first, second), np.maximum(first, second))


def tells_temperature(p: Floats) -> bool:
    """Whether answers of a judge, (K,) or (2, K), are enough for one, and not only a winner or a tie."""
    return p.shape[-1] >= FEWEST_ANSWERS and not is_vote(p).all()


def temperature(p: Floats, outcome: Floats, objective: ObjectiveName = "log-loss") -> TemperatureFit:
    """The T that minimises `objective`; 1 without verdicts, or where every p is 1/2."""
    search = _least_log_loss if objective == "log-loss" else _least_ece
    t = math.exp(search(p, outcome)) if (p != 0.5).any() else 1.0
    at_bound = abs(math.log(t)) > MAX_LOG_T - AT_BOUND
    return TemperatureFit(t, errors(p, outcome), errors(tempered(p, t), outcome), at_bound, len(outcome))


def tempered(p: Floats, temperature: float | Floats) -> Floats:
    """p~, with one temperature or one for each; at T = 1 it is p itself, 0 and 1 included."""
    return np.where(np.equal(temperature, 1.0), p, expit(logit(unsaturated(p)) / temperature))


def debiased(p: Floats, temperature: float) -> Floats:
    """(K,) what both orders say together at a temperature of each."""
    return np.asarray(np.atleast_2d(tempered(p, temperature)).mean(axis=0))


def errors(p: Floats, outcome: Floats) -> ProbabilityErrors:
    together, single = debiased(p, 1.0), np.atleast_2d(p)
    biased = ece(single.ravel(), np.tile(outcome, len(single)))
    return ProbabilityErrors(log_loss(together, outcome), float(ece(together, outcome)), float(biased))


def log_loss(p: Floats, outcome: Floats) -> float:
    """Nats per verdict; 0 without verdicts."""
    x = logit(unsaturated(p))
    log_likelihood = outcome * log_expit(x) + (1.0 - outcome) * log_expit(-x)
    return float((-log_likelihood).sum()) / max(len(x), 1)


def ece(p: Floats, outcome: Floats) -> Floats:
    """(...,) of p (..., K); 0 without verdicts. From `reliability`: verdicts @ |accuracy - confidence| / K."""
    confidence, right, bins = _binned(np.atleast_2d(p), outcome)
    bins += BINS * np.arange(len(bins))[:, None]
    gaps = np.bincount(bins.ravel(), (right - confidence).ravel(), BINS * len(bins)).reshape(-1, BINS)
    return np.asarray(np.abs(gaps).sum(axis=1) / max(len(outcome), 1)).reshape(p.shape[:-1])


def reliability(p: Floats, outcome: Floats) -> Reliability:
    """The reliability diagram of one judge, who is half right where it or the reference ties."""
    confidence, right, bins = _binned(p, outcome)
    used, verdicts = np.unique(bins, return_counts=True)
    sure, correct = np.bincount(bins, confidence)[used], np.bincount(bins, right)[used]
    return Reliability(EDGES[used], EDGES[used + 1], verdicts, sure / verdicts, correct / verdicts)


def rejection(p: Floats, outcome: Floats) -> tuple[Floats, Ints, Floats]:
    """(R,) shares of the verdicts that are left out, how many are left in, and the share of right ones among these."""
    confidence, right, _ = _binned(p, outcome)
    level = np.unique(-np.round(confidence, 9), return_inverse=True)[1]  # 0 is the surest
    right_at = (np.bincount(level, right) / np.bincount(level))[np.sort(level)]
    kept = np.ceil(np.round((1.0 - REJECTED) * len(outcome), 9)).astype(np.int64)
    used = kept > 0
    return REJECTED[used], kept[used], np.cumsum(right_at)[kept[used] - 1] / kept[used]


def _binned(p: Floats, outcome: Floats) -> tuple[Floats, Floats, Ints]:
    """Confidence, how right it is, and the bin, each of the shape of `p`, (..., K)."""
    confidence, right = np.maximum(p, 1.0 - p), 0.5 + np.sign(p - 0.5) * (outcome - 0.5)
    return confidence, right, np.searchsorted(EDGES[1:-1], confidence, side="right")


def _least_log_loss(p: Floats, outcome: Floats) -> float:
    """log T. The loss of single answers is convex in 1/T, that of both orders is not."""
    from scipy.optimize import minimize_scalar  # slow to load, and few need it

    def loss(log_t: float) -> float:
        return log_loss(debiased(p, math.exp(log_t)), outcome)

    near = float(GRID[np.argmin([loss(log_t) for log_t in GRID])])
    low, high = np.clip([near - STEP, near + STEP], -MAX_LOG_T, MAX_LOG_T).tolist()
    nearby = minimize_scalar(loss, bounds=(low, high), method="bounded")
    return float(nearby.x) if nearby.fun < loss(near) else near


def _least_ece(p: Floats, outcome: Floats) -> float:
    """log T: between two the ECE changes by less than a quarter of the step in log T, except for jumps."""
    x = np.atleast_2d(logit(unsaturated(p)))

    def best(grid: Floats) -> float:
        parts = np.array_split(grid, 1 + 10 * grid.size * p.size // WORK)
        eces = [ece(expit(x[:, None] * np.exp(-part)[:, None]).mean(axis=0), outcome) for part in parts]
        return float(grid[np.argmin(np.concatenate(eces))])

    count = min(max(WORK // len(outcome), FEWEST), MOST)
    near, step = best(np.linspace(-MAX_LOG_T, MAX_LOG_T, count)), 2.0 * MAX_LOG_T / (count - 1)
    low, high = np.clip([near - step, near + step], -MAX_LOG_T, MAX_LOG_T)
    return best(np.linspace(low, high, 101))


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
