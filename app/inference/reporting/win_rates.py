"""Win rates: as they were observed, and as verdicts are expected, against all others, against one, and pair by pair.

A verdict on i and j is worth, on average over a judge's errors and over prompts, with d = s_i - s_j

    v(d) = sum_r share_r sigma(kappa_r d),     kappa = 1 / sqrt(1 + pi / 8 sigma2)

sigma2 is what was learnt of a judge who measures: E sigma(d + e), e ~ N(0, sigma2), by probit's integral (MacKay 1992).
Residuals of probabilities have what prompts differ by in them, so nothing is added for prompts. Votes have kappa = 1: a
fit that knows no prompts gives the score of the average verdict already.

    win rate        W_i = mean over j != i of v(s_i - s_j), its mean over the draws
    interval        quantiles of the draws, moved outwards to hold the mean, which skewed draws can have beyond them,
                    and to 1 where every verdict was a vote for i, to 0 where none was, even in part: no rate is too
                    high for that, as by a score test
    against b       v(s_i - s_b), and s_i - s_b
    pair by pair    the mean of v(s_i - s_j); `expected_of_differences` has it without draws, where they are normal

Each draw moves all scores at once. With the others held at their means, an interval of W_i would be too narrow by
(N - 1) / N: where s_i is higher, the mean of the others is lower. Where what is ranked are win rates of all pairs, what
was said counts as it is, and only the verdicts to come are expected.
"""

from typing import NamedTuple

import numpy as np
from nextpair.words import InferenceTargetName
from scipy.linalg import toeplitz
from scipy.special import expit, ndtri

from app.inference.experts import is_vote
from app.inference.fitting.published import Published
from app.inference.regimes import RANKED_DENSE
from app.inference.reporting.confidence import predict, share_above
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
WEIGHTS = WEIGHTS / WEIGHTS.sum()


class Rates(NamedTuple):
    mean: Floats  # (N,)
    interval: Floats  # (N, 2), marginal


class Against(NamedTuple):
    """A candidate beside the baseline."""

    difference: float  # of what is ranked
    interval: tuple[float, float]
    p_better: float
    win_rate: float | None  # None where what is ranked are win rates themselves
    win_rate_interval: tuple[float, float] | None


def attenuation(published: Published, target: InferenceTargetName = "latent") -> Floats:
    """(R, 2) the share of verdicts, and kappa, of each judge who measures, and of all votes together.

    What people would say counts as votes, and so does every verdict where its worth is not learnt.
    """
    learnt, weight = published.learnt, published.answers.weight
    if learnt is None or target == "people" or not weight.sum():
        return VOTES
    measured = weight * ~is_vote(published.comparisons.p)
    verdicts = np.bincount(published.answers.judge, measured, len(learnt.noise))
    verdicts = np.append(verdicts, weight.sum() - measured.sum())
    kappa = np.append(1.0 / np.sqrt(1.0 + np.pi / 8.0 * learnt.noise), 1.0)
    return np.column_stack([verdicts / weight.sum(), kappa])[verdicts > 0.0]


def never_missed(published: Published, baseline: int | None = None) -> Bools:
    """(N, 2) whether every verdict on a candidate, beside the baseline if there is one, was a lost vote, or a won one.

    False where there is no verdict.
    """
    first, second, p, _, weight = published.comparisons
    counted = np.minimum(weight, 1.0) if baseline is None else weight * ((first == baseline) | (second == baseline))
    sides, n = np.append(first, second), published.model.n
    in_all, lost, won = (
        np.bincount(sides, np.append(counted * first_has, counted * second_has), n)
        for first_has, second_has in ((1.0, 1.0), (p == 0.0, p == 1.0), (p == 1.0, p == 0.0))
    )
    return np.column_stack([(lost == in_all) & (in_all > 0.0), (won == in_all) & (in_all > 0.0)])


def reaching(interval: Floats, never: Bools) -> Floats:
    """(..., 2) intervals of win rates, to 0 or 1 where that was `never_missed`."""
    return np.where(never, np.array([0.0, 1.0]), interval)


def expected_verdict(d: Floats, attenuation: Floats) -> Floats:
    """v(d), of any shape."""
    return np.asarray(sum(share * expit(kappa * d) for share, kappa in attenuation))


def rates(values: Floats, attenuation: Floats, level: float) -> Rates:
    """The win rates against all others, from (D, N) draws of the scores. One candidate alone has 1/2.

    Slow formula: the mean of `expected_verdict` over the others, in each draw.
    """
    n, scores = values.shape[1], values - values.mean(axis=1, keepdims=True)
    drawn = (_wins(scores, scores, attenuation) - 0.5) / (n - 1) if n > 1 else np.full(scores.shape, 0.5)
    mean = drawn.mean(axis=0)
    return Rates(mean, interval_of(drawn, level, mean))


def rates_of_marginals(score: Floats, sd: Floats, interval: Floats, attenuation: Floats) -> Rates:
    """`rates` as if scores were independent, from their (N,) means and sds and (N, 2) intervals: of very many."""
    n = len(score)
    if n < 2:
        return Rates(np.full(n, 0.5), np.full((n, 2), 0.5))
    points = score + sd * ndtri((np.arange(POINTS)[:, None] + 0.5) / POINTS)
    at = np.concatenate([points, interval.T])
    wins = _wins(at.reshape(1, -1), points.reshape(1, -1), attenuation).reshape(at.shape) / POINTS
    against_others = np.clip((wins - 0.5) / (n - 1), 0.0, 1.0)
    mean = against_others[:POINTS].mean(axis=0)
    return Rates(mean, around(mean, against_others[POINTS:].T))


def _wins(at: Floats, scores: Floats, attenuation: Floats) -> Floats:
    """(D, A) the sum of v(at - score) over the (D, N) scores of the same draw, for each of (D, A) scores `at`.

    Scores are shared out between two neighbours of a grid, which makes sums of v a product of matrices.
    """
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
    """The point of the grid below each score, and the part of a step that it is above."""
    place = (scores - low) / step
    cell = np.clip(place.astype(np.int64), 0, steps - 1)
    return cell, place - cell


def against(difference: Floats, attenuation: Floats | None, never: Bools, level: float) -> Against:
    """A candidate beside the baseline.

    Args: (D,) differences of what is ranked; `attenuation` is None where these are of win rates, else `never` (2,) is
        whether the candidate was `never_missed` beside the baseline.
    """
    mean = float(difference.mean())
    (low, high), better = interval_of(difference, level, mean).tolist(), share_above(difference)
    if attenuation is None:
        return Against(mean, (low, high), better, None, None)
    win_rate = expected_verdict(difference, attenuation)
    rate = float(win_rate.mean())
    least, most = reaching(interval_of(win_rate, level, rate), never).tolist()
    return Against(mean, (low, high), better, rate, (least, most))


def beside_one(
    quantity: Quantity, published: Published, target: InferenceTargetName, first: int, second: int, level: float
) -> Against:
    """`first` beside `second`, with a win rate of all pairs too."""
    verdicts, never = attenuation(published, target), never_missed(published, second)[first]
    if not isinstance(quantity, WinRates):
        return against(_drawn_difference(quantity, first, second), verdicts, never, level)
    rate = expected_verdict(_drawn_difference(quantity.scores, first, second), verdicts)
    wins, to_come = quantity.wins, quantity.left[first, second]
    if times := wins[first, second] + wins[second, first] + to_come:
        rate = (wins[first, second] + to_come * rate) / times
    of_all = against(quantity.values[:, first] - quantity.values[:, second], None, never, level)
    mean = float(rate.mean())
    low, high = interval_of(rate, level, mean).tolist()
    return of_all._replace(win_rate=mean, win_rate_interval=(low, high))


def _drawn_difference(quantity: Quantity, first: int, second: int) -> Floats:
    """(D,) draws."""
    if len(quantity.mean) <= RANKED_DENSE:
        values = drawn_values(quantity)
        return np.asarray(values[:, first] - values[:, second])
    _, mean, sd = predict(quantity, first, second)
    return np.asarray(mean + sd * ndtri((np.arange(PAIR_POINTS) + 0.5) / PAIR_POINTS))


def observed_wins(comparisons: Comparisons, n: int) -> Floats:
    """(N, N) mean probability that the row beats the column; NaN where they never met."""
    first, second, p, _, _ = comparisons
    at = np.concatenate([first * n + second, second * n + first])
    return means(np.concatenate([p, 1.0 - p]), at, n * n).reshape(n, n)


def expected_win_rates(quantity: Quantity, attenuation: Floats) -> Floats:
    """(N, N) how often the row is expected to win against the column; NaN on the diagonal, and both ways sum to 1.

    So many draws of the scores count as take no more than seconds.
    """
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
    """(P,) the mean of v(d) of differences d that are N(mean, variance), each (P,), by Gauss-Hermite quadrature."""
    d = mean[:, None] + np.sqrt(np.maximum(variance, 0.0))[:, None] * NODES
    return np.asarray(expected_verdict(d, attenuation) @ WEIGHTS)
