"""Win rates: as they were observed, and as verdicts are expected, against all others, against one, and pair by pair.

A verdict on i and j is worth, on average over a judge's errors and over prompts, with d = s_i - s_j

    v(d) = sum_r share_r sigma(kappa_r d),     kappa = 1 / sqrt(1 + pi / 8 sigma2)

sigma2 is what was learnt of a judge who measures, with what prompts differ by in it: E sigma(d + e), e ~ N(0, sigma2),
by probit's integral (MacKay 1992). Votes have kappa = 1: a fit without prompts gives the score of the average one.

    win rate        W_i = mean over j != i of v(s_i - s_j), its mean over the draws, each of all scores at once
    interval        quantiles of the draws, moved outwards to hold the mean, and to 1 where every verdict was a vote for
                    i, to 0 where none was, even in part: no rate is too high for that, as by a score test
    against b       v(s_i - s_b), and s_i - s_b
    pair by pair    the mean of v(s_i - s_j); `expected_of_differences` has it without draws, where they are normal

Of win rates of all pairs, what was said counts as it is, and only the verdicts to come are expected.
"""

from typing import NamedTuple

import numpy as np
from nextpair.words import InferenceTargetName
from scipy.linalg import toeplitz
from scipy.special import expit, ndtri

from app.inference.experts import is_vote
from app.inference.fitting.published import Published
from app.inference.regimes import RANKED_DENSE
from app.inference.reporting.confidence import predict, scores_of, share_above
from app.inference.reporting.intervals import around, interval_of
from app.inference.targets import Quantity, WinRates, drawn_values
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import means

VOTES: Floats = np.array([[1.0, 1.0]])  # an attenuation: all verdicts count as votes
STEP, MOST_STEPS = 0.1, 500  # of the scores between which sums of v are interpolated
POINTS = 8  # that stand for what one score may be
PAIR_POINTS = 2000  # that stand for a difference where candidates are too many to be drawn together
IN_ALL, FEWEST = 50_000_000, 100  # v of pairs in draws; draws
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(16)


class Against(NamedTuple):
    difference: float  # of what is ranked
    interval: tuple[float, float]
    p_better: float
    win_rate: float | None  # None where what is ranked are win rates themselves
    win_rate_interval: tuple[float, float] | None


def attenuation(published: Published, target: InferenceTargetName = "latent") -> Floats:
    """(R, 2) the share of verdicts, and kappa, of each judge who measures, and of all votes; people vote."""
    learnt, weight = published.learnt, published.answers.weight
    if learnt is None or target == "people" or not weight.sum():
        return VOTES
    measured = weight * ~is_vote(published.comparisons.p)
    verdicts = np.bincount(published.answers.judge, measured, len(learnt.noise))
    verdicts = np.append(verdicts, weight.sum() - measured.sum())
    kappa = np.append(1.0 / np.sqrt(1.0 + np.pi / 8.0 * learnt.noise), 1.0)
    return np.column_stack([verdicts / weight.sum(), kappa])[verdicts > 0.0]


def never_missed(published: Published, baseline: int | None = None) -> Bools:
    """(N, 2) whether there are verdicts on a candidate, beside the baseline if any, all lost votes, or all won."""
    first, second, p, _, weight = published.comparisons
    counted = np.minimum(weight, 1.0) if baseline is None else weight * ((first == baseline) | (second == baseline))
    sides, times, n = np.append(first, second), np.tile(counted, 2), published.model.n
    in_all = np.bincount(sides, times, n)
    of_ends = (np.bincount(sides, times * np.append(p == end, p == 1.0 - end), n) for end in (0.0, 1.0))
    return np.column_stack([(of_end == in_all) & (in_all > 0.0) for of_end in of_ends])


def expected_verdict(d: Floats, attenuation: Floats) -> Floats:
    """v(d), of any shape."""
    return np.asarray(sum(share * expit(kappa * d) for share, kappa in attenuation))


def on_average(drawn: Floats, level: float) -> tuple[Floats, Floats]:
    """(...,) means and (..., 2) intervals of (D, ...) draws."""
    mean = np.asarray(drawn.mean(axis=0))
    return mean, interval_of(drawn, level, mean)


def rates(values: Floats, attenuation: Floats, level: float) -> tuple[Floats, Floats]:
    """(N,) W, and (N, 2) intervals, from (D, N) draws of the scores; 1/2 of one alone."""
    n, scores = values.shape[1], values - values.mean(axis=1, keepdims=True)
    drawn = (_wins(scores, scores, attenuation) - 0.5) / (n - 1) if n > 1 else np.full(scores.shape, 0.5)
    return on_average(drawn, level)


def rates_of_marginals(score: Floats, sd: Floats, interval: Floats, attenuation: Floats) -> tuple[Floats, Floats]:
    """`rates` as if scores were independent, from their (N,) means and sds and (N, 2) intervals."""
    n = len(score)
    if n < 2:
        return np.full(n, 0.5), np.full((n, 2), 0.5)
    points = score + sd * ndtri((np.arange(POINTS)[:, None] + 0.5) / POINTS)
    at = np.concatenate([points, interval.T])
    wins = _wins(at.reshape(1, -1), points.reshape(1, -1), attenuation).reshape(at.shape) / POINTS
    against_others = np.clip((wins - 0.5) / (n - 1), 0.0, 1.0)
    mean = against_others[:POINTS].mean(axis=0)
    return mean, around(mean, against_others[POINTS:].T)


def _wins(at: Floats, scores: Floats, attenuation: Floats) -> Floats:
    """(D, A) sums of v(at[d, a] - scores[d, i]) over i, the scores shared out between neighbours of a grid."""
    low, high = float(min(at.min(), scores.min())), float(max(at.max(), scores.max()))
    steps = int(np.clip(np.ceil((high - low) / STEP), 1, MOST_STEPS))
    step, size, draws = max(high - low, STEP) / steps, steps + 1, len(scores)
    cell, part = _on_grid(scores, low, step, steps)
    place = (cell + size * np.arange(draws)[:, None]).ravel()
    counts = np.bincount(place, 1.0 - part.ravel(), draws * size)
    counts += np.bincount(place + 1, part.ravel(), draws * size)
    differences: Floats = step * np.arange(size, dtype=np.float64)
    verdicts = toeplitz(expected_verdict(-differences, attenuation), expected_verdict(differences, attenuation))
    curve = counts.reshape(draws, size) @ verdicts
    cell, part = _on_grid(at, low, step, steps)
    below, above = (np.take_along_axis(curve, cell + beside, axis=1) for beside in (0, 1))
    return np.asarray(below + part * (above - below))


def _on_grid(scores: Floats, low: float, step: float, steps: int) -> tuple[Ints, Floats]:
    """The point below each score, and the part of a step that it is above."""
    place = (scores - low) / step
    cell = np.clip(place.astype(np.int64), 0, steps - 1)
    return cell, place - cell


def against(difference: Floats, attenuation: Floats | None, never: Bools, level: float) -> Against:
    """A candidate beside another, by (D,) differences of what is ranked; of win rates there is no attenuation."""
    rate = None if attenuation is None else expected_verdict(difference, attenuation)
    return _against(difference, rate, never, level)


def _against(difference: Floats, rate: Floats | None, never: Bools, level: float) -> Against:
    apart, ends = on_average(difference, level)
    low, high = ends.tolist()
    above = Against(float(apart), (low, high), share_above(difference), None, None)
    if rate is None:
        return above
    won, ends = on_average(rate, level)
    low, high = np.where(never, [0.0, 1.0], ends).tolist()
    return above._replace(win_rate=float(won), win_rate_interval=(low, high))


def beside_one(
    quantity: Quantity, published: Published, target: InferenceTargetName, first: int, second: int, level: float
) -> Against:
    """`first` beside `second`, with a win rate of all pairs too."""
    scores, never = scores_of(quantity), never_missed(published, second)[first]
    if len(scores.mean) <= RANKED_DENSE:
        values = drawn_values(scores)
        difference = values[:, first] - values[:, second]
    else:
        _, mean, sd = predict(scores, first, second)
        difference = mean + sd * ndtri((np.arange(PAIR_POINTS) + 0.5) / PAIR_POINTS)
    rate = expected_verdict(difference, attenuation(published, target))
    if isinstance(quantity, WinRates):
        wins, to_come = quantity.wins, quantity.left[first, second]
        if times := wins[first, second] + wins[second, first] + to_come:
            rate = (wins[first, second] + to_come * rate) / times
        difference, never = quantity.values[:, first] - quantity.values[:, second], np.zeros_like(never)
    return _against(difference, rate, never, level)


def observed_wins(comparisons: Comparisons, n: int) -> Floats:
    """(N, N) mean probability that the row beats the column; NaN where they never met."""
    first, second, p, _, _ = comparisons
    at = np.concatenate([first * n + second, second * n + first])
    return means(np.concatenate([p, 1.0 - p]), at, n * n).reshape(n, n)


def expected_win_rates(quantity: Quantity, attenuation: Floats) -> Floats:
    """(N, N) how often the row is expected to win against the column, by IN_ALL draws at most; NaN on the diagonal."""
    if isinstance(quantity, WinRates):
        expected = expected_win_rates(quantity.scores, attenuation)
        wins, to_come = quantity.wins, quantity.left
        verdicts = wins + wins.T + to_come
        return np.divide(wins + to_come * expected, verdicts, out=expected, where=verdicts > 0.0)
    values = drawn_values(quantity)
    n = values.shape[1]
    some = values[:: max(len(values) // max(IN_ALL // max(n * n, 1), FEWEST), 1)]
    expected = np.full((n, n), np.nan)
    for i in range(n - 1):
        expected[i, i + 1 :] = expected_verdict(some[:, [i]] - some[:, i + 1 :], attenuation).mean(axis=0)
        expected[i + 1 :, i] = 1.0 - expected[i, i + 1 :]
    return expected


def expected_of_differences(mean: Floats, variance: Floats, attenuation: Floats) -> Floats:
    """(P,) the mean of v(d) where d ~ N(mean, variance), each (P,), by Gauss-Hermite quadrature."""
    d = mean[:, None] + np.sqrt(np.maximum(variance, 0.0))[:, None] * NODES
    return np.asarray(expected_verdict(d, attenuation) @ WEIGHTS / WEIGHTS.sum())
