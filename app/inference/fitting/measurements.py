"""The evidence of measurements alone, exact (methods 11); and whether probabilities are measurements (ours).

Repeats of a pair of one item by one judge are one group g, for they share its error. y_g is the mean of y = logit p,
u_g the largest of their weights, l_g the mean of +-1 by order.

    y_g = s_low - s_high + l_g delta + e_g       e_g ~ N(0, sigma2 / u_g), sigma2 of its judge       s ~ N(0, tau2 I)

With sigma2_j = kappa r_j, D = diag(u_g / r_judge), R the rows e_low - e_high, R^T D R = U diag(lambda) U^T and
c = U^T R^T D y, each with delta taken out as by a flat prior,

    -2 ln Z = G ln kappa + sum_i ln(1 + tau2 lambda_i / kappa)
              + (y^T D y - sum_i c_i^2 tau2 / (kappa + tau2 lambda_i)) / kappa

which is y ~ N(0, tau2 R R^T + kappa D^-1).

Of more than RANKED_DENSE candidates no matrix is decomposed. Both sums are z^T f(R^T D R) z, by quadrature
(evidence.py): that over c from z = R^T D y, that of ln(1 + ...) from PROBES vectors of random signs. Every tau2 and
kappa takes the same nodes; the maximum of the evidence moves by a few hundredths of its own standard deviation.

A judge whose logits pile up at one value says which, not by how much. A language model at temperature 0 says .999 or
.001 whatever it compares. As a reading of the difference on an interval scale that would have to add up,
6.9 + 6.9 = 13.8, and it never does. So two models of the same numbers are compared with each other, for each judge that
measures, y = logit p of its G answers, the first on each question:

    A   y ~ N(d, sigma2)                                                     measurements, as above
    B   sign y ~ sigma(d),  |y| ~ N(m, v) whatever d is                      votes, and a way of speaking

    Z_A = E N(y; 0, tau2 R R^T + sigma2 I)       over the priors of ln sigma2, ln(tau2 / sigma2)
    Z_B = E Z_votes E N(|y|; 0, v I + FARTHEST^2 1 1^T)       over that of ln tau2, and of ln v as of ln sigma2

The judge's answers are votes where Z_B > Z_A: that is p = 1 for p > 1/2, p = 0 below, at its weight as a vote. Neither
sigma2 nor v is below LEAST_NOISE, so that neither model gains without end by numbers that are printed alike. No bias is
allowed for: it widens sigma2 in A and flattens votes in B.

    lambda, c, y^T D y, G   Spectrum
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array
from scipy.special import logsumexp

from app.inference.core.cells import TIE, with_measured_words
from app.inference.core.edges import Design
from app.inference.experts import LONGEST, is_vote, measurement
from app.inference.fitting.evidence import log_evidence_of, quadrature, random_signs
from app.inference.fitting.model import Method, Model, at_scale, build, edges_of
from app.inference.gaussian import links_of
from app.inference.regimes import RANKED_DENSE
from app.inference.types import Comparisons, Floats, Ints, take
from app.inference.verdicts import among_compared, firsts, same_question, words

PROBES, STEPS = 32, 32  # of Lanczos' quadrature
NEGLIGIBLE = 1e-9  # share of a node in the weights of its vector
SMALLEST_PHI, LARGEST_PHI = 1e-3, 1e3
FLAT = 1e-9  # precision of a bias, of what answers tell of it
LEAST_NOISE = 0.001  # sigma2
FINE, COARSE = 41, 9  # points on an axis: of formulas, of fits
REACH = 3.0  # standard deviations of a prior to either side
FARTHEST = 0.5 * LONGEST  # standard deviation of m


class Normal(NamedTuple):
    mean: float
    sd: float


WEAK_NOISE = Normal(0.0, 2.5)  # of ln sigma2
WEAK_RATIO = Normal(-0.5, 2.5)  # of ln(tau2 / sigma2)


class Groups(NamedTuple):
    """G groups of measurements that share their errors."""

    low: Ints  # (G,)
    high: Ints  # (G,)
    y: Floats  # (G,) of low minus high
    lean: Floats  # (G,) l
    weight: Floats  # (G,) u
    judge: Ints  # (G,)
    spread: Floats  # (G,) mean p (1 - p)


class Spectrum(NamedTuple):
    """All that the evidence of measurements depends on, at given r: M eigenvalues, N of them where they are exact."""

    eigenvalues: Floats  # (M,)
    multiplicity: Floats  # (M,) how many there are of each; 1 where they are exact
    projections: Floats  # (M,)
    squares: float
    size: float  # G, less the biases that are taken out


def measurements(comparisons: Comparisons, item: Ints) -> Groups:
    """The measurements among the comparisons, in groups; `item` (K,) is what each was about."""
    rows = ~is_vote(comparisons.p)
    first, second, p, judge, weight = measured = take(comparisons, rows)
    group = same_question(measured, item[rows])
    once, turned = firsts(group), np.where(first < second, 1.0, -1.0)
    count, largest = np.bincount(group, weight, len(once)), np.zeros(len(once))
    np.maximum.at(largest, group, weight)
    y, lean, spread = (
        np.bincount(group, weight * each, len(once)) / np.maximum(count, np.finfo(np.float64).tiny)
        for each in (turned * measurement(p), turned, p * (1.0 - p))
    )
    low, high = np.minimum(first, second)[once], np.maximum(first, second)[once]
    return Groups(low, high, y, lean, largest, judge[once], spread)


def spectrum(groups: Groups, r: Floats, model: Model) -> Spectrum:
    """The spectrum of R^T D R less what biases explain; of many candidates, nodes that stand for it in sums over it."""
    rows, d = Design(model.n, model.n, groups.low, groups.high), groups.weight / r
    pull, squares = rows.scatter(d * groups.y), float(d @ groups.y**2)
    size, taken_out = float(len(d)), [np.empty((0, model.n))]
    for judge in np.unique(groups.judge) if model.allows_for_biases else ():
        lean = np.where(groups.judge == judge, groups.lean, 0.0)
        if (explained := float(d @ lean**2)) > 0.0:
            towards, tells = rows.scatter(d * lean), float(d @ (lean * groups.y))
            taken_out.append(towards[None] / np.sqrt(explained * (1.0 + FLAT)))
            pull, squares, size = pull - towards * tells / explained, squares - tells**2 / explained, size - 1.0
    links, out = links_of(rows, d), np.concatenate(taken_out)
    gram = csr_array(diags_array(links.sum(axis=1)) - links)
    if model.n <= RANKED_DENSE:
        eigenvalues, vectors = np.linalg.eigh(gram.toarray() - out.T @ out)
        return Spectrum(np.maximum(eigenvalues, 0.0), np.ones(model.n), vectors.T @ pull, squares, size)
    start = np.column_stack([random_signs(model.n, PROBES), pull])
    nodes, weights = quadrature(lambda z: gram @ z - out.T @ (out @ z), start, STEPS)
    multiplicity, projections = np.zeros_like(nodes), np.zeros_like(nodes)
    multiplicity[:-1], projections[-1] = weights[:-1] / PROBES, np.sqrt(weights[-1])
    kept = weights > NEGLIGIBLE * weights.sum(axis=1, keepdims=True)
    return Spectrum(np.maximum(nodes[kept], 0.0), multiplicity[kept], projections[kept], squares, size)


def log_evidence(of_groups: Spectrum, ratio: Floats, kappa: Floats) -> Floats:
    """ln Z at each tau2 / kappa and kappa, which broadcast to the shape of the result, up to a constant."""
    eigenvalues, multiplicity, projections, squares, size = of_groups
    signal = ratio[..., None] * eigenvalues
    left = squares - (projections**2 * ratio[..., None] / (1.0 + signal)).sum(axis=-1)
    spread = (multiplicity * np.log1p(signal)).sum(axis=-1)
    return np.asarray(-0.5 * (size * np.log(kappa) + spread + left / kappa))


def phi_of_measurements(groups: Groups, noise: Floats, judges: int) -> Floats:
    """(J,) phi of those who measure; 1 of all others."""
    answers = np.bincount(groups.judge, groups.weight, judges)
    spread = np.bincount(groups.judge, groups.weight * groups.spread, judges) / np.maximum(answers, 1e-300)
    phi = 1.0 / np.maximum(noise * spread, 1.0 / LARGEST_PHI)
    return np.where(answers > 0.0, np.maximum(phi, SMALLEST_PHI), 1.0)


def as_votes(comparisons: Comparisons, item: Ints) -> Comparisons:
    """The comparisons with p = 0, 1/2 or 1 for judges whose probabilities tell no more than that.

    Args: `item` (K,) is what each was about.
    """
    measured, p = with_measured_words(comparisons, least=0.0), comparisons.p.copy()
    measures = ~is_vote(measured.p)
    for judge in np.unique(comparisons.judge[measures]):
        own = comparisons.judge == judge
        if log_odds_of_words(take(measured, own & measures), item[own & measures], least=0.0) > 0.0:
            p[own] = words(p[own])
    return comparisons._replace(p=p)


def log_odds_of_words(comparisons: Comparisons, item: Ints, least: float = -np.inf) -> float:
    """ln Z_B - ln Z_A of answers by one judge, none of them 0 or 1; `item` (K,) is what each was about.

    Args: below `least` a bound from above will do: Z_votes is at most 1.
    """
    comparisons, n = among_compared(comparisons)
    once, model = firsts(same_question(comparisons, item)), build(Method(), n)
    comparisons, item = take(comparisons, once), item[once]
    p = np.where(comparisons.p == 0.5, TIE, comparisons.p)
    comparisons = comparisons._replace(p=p, weight=np.ones(len(p)))
    bound = _as_ways_of_speaking(comparisons.p) - _as_measurements(comparisons, item, model)
    if bound < least:
        return bound
    edges = edges_of(comparisons._replace(p=words(comparisons.p)), model)
    log_scale, of_scale = _axis(WEAK_RATIO, COARSE)
    of_votes = [log_evidence_of(edges, at_scale(model, float(np.exp(x))), "ep") for x in log_scale]
    return bound + float(logsumexp(of_votes + of_scale))


def _as_measurements(comparisons: Comparisons, item: Ints, model: Model) -> float:
    """ln Z_A."""
    groups = measurements(comparisons, item)
    (log_noise, of_noise), (log_ratio, of_ratio) = _axis(WEAK_NOISE, FINE), _axis(WEAK_RATIO, FINE)
    noise = LEAST_NOISE + np.exp(log_noise)
    by_ratio = log_evidence(spectrum(groups, np.ones(len(groups.y)), model), np.exp(log_ratio)[:, None], noise)
    return float(logsumexp(by_ratio + of_ratio[:, None] + of_noise)) - _constant(comparisons.size)


def _as_ways_of_speaking(p: Floats) -> float:
    """ln of E N(|y|; 0, v I + FARTHEST^2 1 1^T)."""
    length, (log_spread, of_spread) = np.abs(measurement(p)), _axis(WEAK_NOISE, FINE)
    size, mean = len(length), length.mean()
    v = LEAST_NOISE + np.exp(log_spread)
    along = v + size * FARTHEST**2
    squares = ((length - mean) ** 2).sum() / v + size * mean**2 / along
    log_normal = -0.5 * ((size - 1) * np.log(v) + np.log(along) + squares) - _constant(size)
    return float(logsumexp(log_normal + of_spread))


def _axis(prior: Normal, points: int) -> tuple[Floats, Floats]:
    """Points of an axis and the logarithms of their weights, which sum to 1."""
    z = REACH * np.linspace(-1.0, 1.0, points)
    weight = -0.5 * z**2
    return prior.mean + prior.sd * z, weight - logsumexp(weight)


def _constant(size: int) -> float:
    return 0.5 * size * float(np.log(2.0 * np.pi))
