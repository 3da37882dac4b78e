"""The evidence of measurements alone, exact (methods 11); and whether probabilities measure (decision 68; ours).

Repeats of a pair of one item by one judge are one group g, for they share its error. y_g is the mean of y = logit p,
u_g the largest of their weights, l_g the mean of +-1 by order.

    y_g = s_low - s_high + l_g delta + e_g       e_g ~ N(0, sigma2 / u_g), sigma2 of its judge       s ~ N(0, tau2 I)

With sigma2_j = kappa r_j, D = diag(u_g / r_judge), R the rows e_low - e_high, R^T D R = U diag(lambda) U^T and
c = U^T R^T D y, each with delta taken out as by a flat prior, y ~ N(0, tau2 R R^T + kappa D^-1) has

    -2 ln Z = G ln kappa + sum_i ln(1 + tau2 lambda_i / kappa)
              + (y^T D y - sum_i c_i^2 tau2 / (kappa + tau2 lambda_i)) / kappa

Of more than RANKED_DENSE candidates both sums are z^T f(R^T D R) z, by quadrature (evidence.py): that over c from
z = R^T D y, that of ln(1 + ...) from PROBES vectors of random signs. The maximum of the evidence moves by a few
hundredths of its own standard deviation.

A judge whose logits pile up at one value says which, not by how much: as readings of differences 6.9 + 6.9 would have
to be 13.8. So two models are compared, of y = logit p of the G answers of a judge that measures, the first on each
question:

    A   y ~ N(d, sigma2)                                                     measurements, as above
    B   sign y ~ sigma(d),  |y| ~ N(m, v) whatever d is                      votes, and a way of speaking

    Z_A = E N(y; 0, tau2 R R^T + sigma2 I)       over the priors of ln sigma2, ln(tau2 / sigma2)
    Z_B = E Z_votes E N(|y|; 0, v I + FARTHEST^2 1 1^T)       over that of ln tau2, and of ln v as of ln sigma2

Its answers are votes where Z_B > Z_A. Neither sigma2 nor v is below LEAST_NOISE, so that neither model gains without
end by numbers that are printed alike. No bias is allowed for: it widens sigma2 in A and flattens votes in B.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array
from scipy.special import log_softmax, logsumexp

from app.inference.core.cells import TIE, with_measured_words
from app.inference.core.edges import Design
from app.inference.experts import LONGEST, is_vote, measurement
from app.inference.fitting.evidence import log_evidence_of, quadrature
from app.inference.fitting.model import Method, Model, build, edges_of
from app.inference.gaussian import links_of
from app.inference.regimes import RANKED_DENSE
from app.inference.types import Comparisons, Floats, Ints, take
from app.inference.verdicts import among_compared, firsts, means, same_question, words

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

    def log_density(self, x: Floats) -> Floats:
        """Up to a constant."""
        return np.asarray(-0.5 * ((x - self.mean) / self.sd) ** 2)


WEAK_NOISE = Normal(0.0, 2.5)  # of ln sigma2
WEAK_RATIO = Normal(-0.5, 2.5)  # of ln(tau2 / sigma2)


class Spectrum(NamedTuple):
    """All that the evidence of measurements depends on, at given r: M eigenvalues, N of them where they are exact."""

    eigenvalues: Floats  # (M,) lambda
    multiplicity: Floats  # (M,) how many there are of each; 1 where they are exact
    projections: Floats  # (M,) c
    squares: float  # y^T D y
    size: float  # G, less the biases that are taken out

    def log_evidence(self, ratio: Floats, kappa: Floats) -> Floats:
        """ln Z at each tau2 / kappa and kappa, which broadcast to the shape of the result, up to a constant."""
        signal = ratio[..., None] * self.eigenvalues
        left = self.squares - (self.projections**2 * ratio[..., None] / (1.0 + signal)).sum(axis=-1)
        spread = (self.multiplicity * np.log1p(signal)).sum(axis=-1)
        return np.asarray(-0.5 * (self.size * np.log(kappa) + spread + left / kappa))


class Groups(NamedTuple):
    """G groups of measurements that share their errors."""

    low: Ints  # (G,)
    high: Ints  # (G,)
    y: Floats  # (G,) of low minus high
    lean: Floats  # (G,) l
    weight: Floats  # (G,) u
    judge: Ints  # (G,)
    spread: Floats  # (G,) mean p (1 - p)

    def spectrum(self, r: Floats, model: Model) -> Spectrum:
        """Eigenvalues at this r (G,); of many candidates, nodes that stand for them in sums over them."""
        rows, d = Design(model.n, model.n, self.low, self.high), self.weight / r
        pull, squares, size = rows.scatter(d * self.y), float(d @ self.y**2), float(len(d))
        taken_out = [np.empty((0, model.n))]
        for judge in np.unique(self.judge) if model.allows_for_biases else ():
            lean = np.where(self.judge == judge, self.lean, 0.0)
            if (explained := float(d @ lean**2)) > 0.0:
                towards, tells = rows.scatter(d * lean), float(d @ (lean * self.y))
                taken_out.append(towards[None] / np.sqrt(explained * (1.0 + FLAT)))
                pull, squares, size = pull - towards * tells / explained, squares - tells**2 / explained, size - 1.0
        links, out = links_of(rows, d), np.concatenate(taken_out)
        gram = csr_array(diags_array(links.sum(axis=1)) - links)
        if model.n <= RANKED_DENSE:
            eigenvalues, vectors = np.linalg.eigh(gram.toarray() - out.T @ out)
            return Spectrum(np.maximum(eigenvalues, 0.0), np.ones(model.n), vectors.T @ pull, squares, size)
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(PROBES, model.n))
        nodes, weights = quadrature(lambda z: gram @ z - out.T @ (out @ z), np.vstack([signs, pull]).T, STEPS)
        multiplicity, projections = np.zeros_like(nodes), np.zeros_like(nodes)
        multiplicity[:-1], projections[-1] = weights[:-1] / PROBES, np.sqrt(weights[-1])
        kept = weights > NEGLIGIBLE * weights.sum(axis=1, keepdims=True)
        return Spectrum(np.maximum(nodes[kept], 0.0), multiplicity[kept], projections[kept], squares, size)

    def votes(self, noise: Floats) -> Floats:
        """(J,) phi, at sigma2 (J,), of judges who measure; 1 of all others."""
        spread = means(self.spread, self.judge, len(noise), self.weight)
        phi = 1.0 / np.maximum(noise * spread, 1.0 / LARGEST_PHI)
        return np.where(np.isnan(spread), 1.0, np.maximum(phi, SMALLEST_PHI))


def measurements(comparisons: Comparisons, item: Ints) -> Groups:
    """The measurements among the comparisons that count for anything."""
    rows = ~is_vote(comparisons.p) & (comparisons.weight > 0.0)
    first, second, p, judge, weight = measured = take(comparisons, rows)
    group = same_question(measured, item[rows])
    once, turned = firsts(group), np.where(first < second, 1.0, -1.0)
    low, high, largest = np.minimum(first, second)[once], np.maximum(first, second)[once], np.zeros(len(once))
    np.maximum.at(largest, group, weight)
    columns = turned * measurement(p), turned, p * (1.0 - p)
    y, lean, spread = (means(column, group, len(once), weight) for column in columns)
    return Groups(low, high, y, lean, largest, judge[once], spread)


def as_votes(comparisons: Comparisons, item: Ints) -> Comparisons:
    """The comparisons with p = 0, 1/2 or 1 for judges whose probabilities tell no more than that."""
    measured, p = with_measured_words(comparisons, least=0.0), comparisons.p.copy()
    measures = ~is_vote(measured.p)
    for judge in np.unique(comparisons.judge[measures]):
        own = comparisons.judge == judge
        if log_odds_of_words(take(measured, own & measures), item[own & measures], least=0.0) > 0.0:
            p[own] = words(p[own])
    return comparisons._replace(p=p)


def log_odds_of_words(comparisons: Comparisons, item: Ints, least: float = -np.inf) -> float:
    """ln Z_B - ln Z_A of one judge's answers, none 0 or 1; below `least` a bound will do, as Z_votes is at most 1."""
    comparisons, n = among_compared(comparisons)
    once = firsts(same_question(comparisons, item))
    answers, item, model = take(comparisons, once), item[once], build(Method(), n)
    p, ones = np.where(answers.p == 0.5, TIE, answers.p), np.ones(len(once))
    (log_noise, of_noise), (log_ratio, of_ratio) = _axis(WEAK_NOISE, FINE), _axis(WEAK_RATIO, FINE)
    noise, length = LEAST_NOISE + np.exp(log_noise), np.abs(measurement(p))
    spectrum = measurements(answers._replace(p=p, weight=ones), item).spectrum(ones, model)
    as_measured = spectrum.log_evidence(np.exp(log_ratio)[:, None], noise) + of_ratio[:, None] + of_noise
    along, mean = noise + len(p) * FARTHEST**2, length.mean()
    squares = ((length - mean) ** 2).sum() / noise + len(p) * mean**2 / along
    as_spoken = of_noise - 0.5 * ((len(p) - 1) * np.log(noise) + np.log(along) + squares)
    bound = float(logsumexp(as_spoken) - logsumexp(as_measured))
    if bound < least:
        return bound
    edges = edges_of(answers._replace(p=words(p), weight=ones), model)
    log_scale, of_scale = _axis(WEAK_RATIO, COARSE)
    return bound + float(logsumexp(log_evidence_of(edges, model, np.exp(log_scale), "ep") + of_scale))


def _axis(prior: Normal, points: int) -> tuple[Floats, Floats]:
    """Points of an axis and the logarithms of their weights, which sum to 1."""
    at = prior.mean + prior.sd * REACH * np.linspace(-1.0, 1.0, points)
    return at, log_softmax(prior.log_density(at))
