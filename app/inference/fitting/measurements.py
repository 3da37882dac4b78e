"""The evidence of measurements alone, exact (methods 11).

Repeats of a pair of one item by one judge are one group g, for they share its error. y_g is the mean of y = logit p,
u_g the largest of their weights, l_g the mean of +-1 by order.

    y_g = s_low - s_high + l_g delta + e_g       e_g ~ N(0, sigma2 / u_g), sigma2 of its judge       s ~ N(0, tau2 I)

With sigma2_j = kappa r_j, D = diag(u_g / r_judge), R the rows e_low - e_high, R^T D R = U diag(lambda) U^T and
c = U^T R^T D y, each with delta taken out as by a flat prior,

    -2 ln Z = G ln kappa + sum_i ln(1 + tau2 lambda_i / kappa)
              + (y^T D y - sum_i c_i^2 tau2 / (kappa + tau2 lambda_i)) / kappa

which is y ~ N(0, tau2 R R^T + kappa D^-1).

Of more than RANKED_DENSE candidates no matrix is decomposed. Both sums are z^T f(R^T D R) z, by quadrature.py: that
over c from z = R^T D y, that of ln(1 + ...) from PROBES vectors of random signs. Every tau2 and kappa takes the same
nodes; the maximum of the evidence moves by a few hundredths of its own standard deviation.

    lambda, c, y^T D y, G   Spectrum
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from app.inference.experts import is_vote, measurement
from app.inference.fitting.model import Model
from app.inference.fitting.quadrature import quadrature, random_signs
from app.inference.fitting.verdict_weights import same_question
from app.inference.regimes import RANKED_DENSE
from app.inference.types import Comparisons, Floats, Ints, take
from app.inference.verdicts import firsts, pair_numbers

PROBES, STEPS = 32, 32  # of Lanczos' quadrature
NEGLIGIBLE = 1e-9  # share of a node in the weights of its vector
SMALLEST_PHI, LARGEST_PHI = 1e-3, 1e3
FLAT = 1e-9  # precision of a bias, of what answers tell of it


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


def measurements(comparisons: Comparisons, item: Ints, n: int) -> Groups:
    """The measurements among the comparisons, in groups."""
    rows = ~is_vote(comparisons.p)
    measured = take(comparisons, rows)
    group = same_question(measured, item[rows], n)
    size, once = group.max(initial=-1) + 1, firsts(group)
    turned = np.where(measured.first < measured.second, 1.0, -1.0)
    count = np.maximum(np.bincount(group, measured.weight, size), np.finfo(np.float64).tiny)
    largest = np.zeros(size)
    np.maximum.at(largest, group, measured.weight)
    low, high = np.divmod(pair_numbers(measured, n)[once], n)
    y, lean, spread = (
        np.bincount(group, measured.weight * each, size) / count
        for each in (turned * measurement(measured.p), turned, measured.p * (1.0 - measured.p))
    )
    return Groups(low, high, y, lean, largest, measured.judge[once], spread)


def spectrum(groups: Groups, r: Floats, model: Model) -> Spectrum:
    n, d = model.n, groups.weight / r
    pull, squares = _scattered(groups, d * groups.y, n), float(d @ groups.y**2)
    size, taken_out = float(len(d)), [np.empty((0, n))]
    for judge in np.unique(groups.judge) if model.allows_for_biases else ():
        lean = np.where(groups.judge == judge, groups.lean, 0.0)
        if (explained := float(d @ lean**2)) > 0.0:
            towards, tells = _scattered(groups, d * lean, n), float(d @ (lean * groups.y))
            taken_out.append(towards[None] / np.sqrt(explained * (1.0 + FLAT)))
            pull, squares, size = pull - towards * tells / explained, squares - tells**2 / explained, size - 1.0
    decompose = _exact if n <= RANKED_DENSE else _by_quadrature
    return Spectrum(*decompose(_gram(groups, d, n), np.concatenate(taken_out), pull), squares, size)


def _gram(groups: Groups, d: Floats, n: int) -> csr_array:
    """R^T D R, (N, N)."""
    ends = np.concatenate([groups.low, groups.high]), np.concatenate([groups.high, groups.low])
    links = csr_array((np.concatenate([d, d]), ends), shape=(n, n))
    return csr_array(diags_array(links.sum(axis=1)) - links)


def _exact(gram: csr_array, taken_out: Floats, pull: Floats) -> tuple[Floats, Floats, Floats]:
    """Eigenvalues of `gram` (N, N) less the squares of the (B, N) rows taken out, 1 of each, and c of `pull` (N,)."""
    eigenvalues, vectors = np.linalg.eigh(gram.toarray() - taken_out.T @ taken_out)
    return np.maximum(eigenvalues, 0.0), np.ones(len(pull)), vectors.T @ pull


def _by_quadrature(gram: csr_array, taken_out: Floats, pull: Floats) -> tuple[Floats, Floats, Floats]:
    """Nodes that stand for these in sums over them. Slow formula: `_exact`."""
    start = np.column_stack([random_signs(len(pull), PROBES), pull])
    nodes, weights = quadrature(lambda z: gram @ z - taken_out.T @ (taken_out @ z), start, STEPS)
    multiplicity, projections = np.zeros_like(nodes), np.zeros_like(nodes)
    multiplicity[:-1], projections[-1] = weights[:-1] / PROBES, np.sqrt(weights[-1])
    kept = weights > NEGLIGIBLE * weights.sum(axis=1, keepdims=True)
    return np.maximum(nodes[kept], 0.0), multiplicity[kept], projections[kept]


def _scattered(groups: Groups, values: Floats, n: int) -> Floats:
    """R^T values, (N,)."""
    return np.asarray(np.bincount(groups.low, values, n) - np.bincount(groups.high, values, n), np.float64)


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
