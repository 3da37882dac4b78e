"""Evidence of votes about the spread of scores and about their own weight (methods 11; ours).

Laplace's evidence of all comparisons:  ln Z = L(mu) + ln det Sigma / 2 - N ln(tau2) / 2.

A person who is asked again may think again, a program repeats itself: of a vote's error the share rho comes back. As
votes on a pair in one order vary by pi (1 - pi), pi = E sigma(d),

    1 - rho = sum (p - mean p of its group)^2 / (V - sqrt(f V) / 2), at most 1    V = f sum (1 - 1 / m) pi (1 - pi)

with pi from a fit that counts every vote, and one standard error in favour of rho = 0. Where repeats vary about as much
as chance lets them, a little rho would make scores of little spread out of many votes. A tie varies by less than a
vote: f = 1 - T / (4 mean pi (1 - pi)) of the variance is left to a judge of whose votes the share T are ties.

Votes of a judge on a pair that differ by more than chance does, over the pairs on which it has several, count less. phi
is 1 over their dispersion, sum r^2 / sum E r^2 of residuals r of a pair, and at most 1. Single votes say nothing of
that. Pearson's, the mean of r^2 / E r^2, is twice as large as it should be after one upset where none was expected.
"""

import numpy as np

from app.inference.core.edges import Edges
from app.inference.experts import is_vote
from app.inference.fitting import newton
from app.inference.fitting.model import Model, design_of
from app.inference.fitting.posterior import Posterior
from app.inference.fitting.quadrature import quadrature, random_signs
from app.inference.fitting.verdict_weights import same_question
from app.inference.gaussian.lapack import factor_in_place
from app.inference.gaussian.sparse import Precision, from_edges
from app.inference.regimes import RANKED_DENSE
from app.inference.types import Comparisons, Floats, Ints, take
from app.inference.verdicts import firsts, numbered, pair_numbers

LEAST_VARIANCE = 0.5  # sum of variances of repeated votes below which they say too little to vary by chance
PROBES, STEPS = 8, 6  # of the quadrature
LEAST_LEFT = 0.05  # of the variance of a judge's votes, beside its ties
FIRM = 20.0  # degrees of freedom in favour of a dispersion of 1
LEAST_SQUARE = 1e-100  # of residuals that are expected, so that no dispersion is infinite


def laplace_evidence(edges: Edges, model: Model) -> float:
    """ln Z of all that edges say at the model's tau2, up to a constant; -inf where H cannot be factored."""
    mean, weights, _ = newton.fit(edges, model)
    if model.size <= RANKED_DENSE or model.has_biases:
        log_det = _log_det_of_inverse(edges.design.precision(weights, model.prior.precision).T)
    else:
        log_det = _log_det_by_quadrature(from_edges(edges.design, weights, model.prior.precision).precision)
    value = newton.log_posterior(mean, edges, model)
    return value + 0.5 * log_det - 0.5 * model.n * float(np.log(model.prior.variance))


def _log_det_of_inverse(precision: Floats) -> float:
    """ln det of the inverse of what is overwritten; -inf where it cannot be factored."""
    try:
        factor_in_place(precision)
    except np.linalg.LinAlgError:
        return -np.inf
    return -2.0 * float(np.log(precision.diagonal()).sum())


def _log_det_by_quadrature(precision: Precision) -> float:
    """Slow formula: `_log_det_of_inverse`."""
    n, root = len(precision.diagonal), np.sqrt(precision.diagonal)[:, None]
    start = random_signs(n, PROBES)
    nodes, weights = quadrature(lambda z: z - precision.links @ (z / root) / root, start, STEPS)
    if not (nodes > 0.0).all():
        return -np.inf
    return -float(np.log(precision.diagonal).sum() + (weights * (np.log(nodes) + 1.0 - nodes)).sum() / PROBES)


def agreement_of_votes(posterior: Posterior, comparisons: Comparisons, judges: int) -> Floats:
    """(J,) phi by the dispersion of each judge's votes on the pairs on which it has several; 1 where it has none.

    Args: `posterior` counts each vote of its `comparisons` as one, except for repeats.
    """
    model = posterior.model
    cast = take(comparisons, is_vote(comparisons.p))
    group = _on_a_pair(cast, model.n)
    cast = take(cast, np.bincount(group, cast.weight)[group] > 1.0 + 1e-9)
    expected = model.expert.expected(design_of(cast, model).differences(posterior.mean))
    turned, group = np.where(cast.first < cast.second, 1.0, -1.0), _on_a_pair(cast, model.n)
    once = firsts(group)
    residual = np.bincount(group, cast.weight * turned * (cast.p - expected))
    variance = np.bincount(group, cast.weight * expected * (1.0 - expected))
    left = np.maximum(1.0 - variance * _variances(posterior, cast)[once], 0.0)
    square, expected_square, freedom = (
        np.bincount(cast.judge[once], each, judges) for each in (residual**2, variance * left, left)
    )
    dispersion = square / np.maximum(expected_square, LEAST_SQUARE)
    return np.asarray(np.minimum((FIRM + freedom) / (FIRM + freedom * dispersion), 1.0), np.float64)


def repeat_correlation_of_votes(posterior: Posterior, comparisons: Comparisons, item: Ints, judges: int) -> Floats:
    """(J,) rho by how far votes on the same pair of an item in the same order vary; 1 where they never do.

    Args: `posterior` counts every repeat of its `comparisons` in full; `item` (K,) is what these were about.
    """
    model = posterior.model
    votes = is_vote(comparisons.p)
    cast = take(comparisons, votes)
    in_order = 2 * same_question(cast, item[votes], model.n) + (cast.first < cast.second)
    _, group, m = np.unique(in_order, return_inverse=True, return_counts=True)
    repeated = m[group] > 1
    if not repeated.any():
        return np.ones(judges)
    flatter = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * _variances(posterior, cast))
    expected = model.expert.expected(flatter * design_of(cast, model).differences(posterior.mean))
    of_a_coin = expected * (1.0 - expected)
    apart = cast.p - (np.bincount(group, cast.p, len(m)) / m)[group]
    by_chance = repeated * (1.0 - 1.0 / m)[group] * flatter * of_a_coin
    varies, may_vary, coins, ties = (
        np.bincount(cast.judge, each, judges) for each in (repeated * apart**2, by_chance, of_a_coin, cast.p == 0.5)
    )
    left = np.maximum(1.0 - 0.25 * ties / np.maximum(coins, LEAST_SQUARE), 0.0)
    floor = LEAST_VARIANCE * np.maximum(left, LEAST_LEFT)
    variance = np.maximum(left * may_vary - 0.5 * left * np.sqrt(may_vary), floor)
    return np.asarray(1.0 - np.minimum(varies / variance, 1.0), np.float64)


def _on_a_pair(comparisons: Comparisons, n: int) -> Ints:
    """(K,) numbers, without gaps, of the judges' groups on a pair, whatever the item."""
    return same_question(comparisons, np.zeros(comparisons.size, np.int64), n)


def _variances(posterior: Posterior, comparisons: Comparisons) -> Floats:
    """(K,) posterior variances of s_first - s_second, each pair looked at once."""
    pair = numbered(pair_numbers(comparisons, posterior.model.n))
    once = firsts(pair)
    return posterior.covariance.variances(comparisons.first[once], comparisons.second[once])[pair]
