"""What votes say of scores, and of their spread: Laplace's approximation, and expectation propagation (decision 68).

Laplace's normal around the mode mu has the evidence, up to a constant,

    ln Z = L(mu) + ln det Sigma / 2 - N ln(tau2) / 2

Where votes separate candidates the posterior leans away from the mode. By expectation propagation (Minka 2001;
Rasmussen and Williams 2006, 3.6) each row m of votes, a_m for the first and b_m for the second, is stood for by a
normal site whose moments are right:

    q(theta) = N(h / q, 1 / q) prod_m t_m(d_m)        t_m(d) = exp(nu_m d - tau_m d^2 / 2),  d_m = r_m^T theta
    H = diag(q) + R^T diag(tau) R,  H mu = h + R^T nu        mu, Sigma = H^-1 of q

    cavity   1/v_c = 1/v - tau,  m_c / v_c = m/v - nu        m = r^T mu, v = r^T Sigma r
    tilted   sigma(d)^a sigma(-d)^b N(d; m_c, v_c)           its integral Z_m, mean m' and variance v'
    site     tau = 1/v' - 1/v_c,  nu = m'/v' - m_c/v_c       tau >= 0, as votes are log-concave

    ln Z = sum_m ln C_m + ((h + R^T nu)^T mu + ln det Sigma + ln det q - h^T q^-1 h) / 2
    ln C_m = ln Z_m - (ln(v / v_c) + m^2 / v - m_c^2 / v_c) / 2

All sites are renewed at once from where Laplace's mode has them, by a share that shrinks while they do not come nearer.
A measurement y of weight w is a site as it is, tau = w and nu = w y. Z is the mean of exp(sum_e l_e(d_e)) under the
prior, up to that of measurements where d = y (core/edges.py). It is stationary where moments agree, so that it is exact
to about M EVIDENCE_TOLERANCE^2 before they do. Where d has a known offset o, theta has nu - tau o for nu, and
ln Z gains sum o (nu - tau o / 2).

Moments of the tilted density are by the trapezoidal rule in u, d = NARROW sinh u, from its mode outwards until it is
NEGLIGIBLE of its maximum: steps are about 1 where sigma bends, and grow with |d| up to a standard deviation of N. The
rule is exact to about exp(-2 pi^2 (width / step)^2) on a smooth bell. Slow formula: scipy.integrate.quad.

Beyond RANKED_DENSE candidates sums over eigenvalues are by Lanczos' quadrature, of a matrix that is only multiplied by
(Golub and Meurant 1994; Ubaru, Chen and Saad 2017):

    z^T f(A) z = sum_m weight_m f(node_m),       tr f(A) = E z^T f(A) z of random signs z, always the same
"""

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np
from scipy.special import expit

from app.inference.core.edges import Design, Edges, rows_at
from app.inference.fitting.model import Model, at_scale
from app.inference.fitting.posterior import Posterior, log_posterior, map_of
from app.inference.gaussian import DenseCovariance, Scores, Votes, from_edges, from_precision, log_det_of_inverse
from app.inference.kernels import kernel
from app.inference.regimes import MEDIUM, RANKED_DENSE
from app.inference.types import Convergence, Floats

TOLERANCE = 1e-5  # of means, in standard deviations, and of variances, relative
EVIDENCE_TOLERANCE = 1e-3  # the same where the evidence is all that is asked for
MAX_ITERATIONS = 200
FIRST_SHARE, LEAST_SHARE, LESS, MORE, NEARER = 0.9, 0.1, 0.6, 1.1, 0.25
PROBES, STEPS = 8, 6  # of the quadrature
NOTHING = 1e-300
NARROW, LONGEST = 5.0, 0.2  # where steps begin to grow, and the longest one there, in u
FAR = 6.0  # standard deviations
NEGLIGIBLE = -18.0  # logarithm
NEAR = 0.1  # of the mode, in standard deviations
ROUNDS = 60

Approximation = Literal["laplace", "ep"]  # ep: expectation propagation, where it serves
Q = TypeVar("Q")


class Sites(NamedTuple):
    """M rows of votes, with the normal that stands for each."""

    wins: Floats  # (M,) a
    losses: Floats  # (M,) b
    precision: Floats  # (M,) tau
    shift: Floats  # (M,) nu


class SiteMoments(NamedTuple, Generic[Q]):
    """A normal q = prior prod_m t_m, and what the sites read of it."""

    q: Q
    mean: Floats  # (M,) of d on the rows of votes
    variance: Floats  # (M,)
    log_integral: float  # of q, up to a constant


def approximate(posterior: Posterior, approximation: Approximation) -> Scores:
    """The marginal posterior of the scores; Laplace's where sites cannot be factored, as with a tau2 of a million."""
    edges, model = posterior.edges, posterior.model
    if approximation == "ep" and serves(edges, model):
        with suppress(np.linalg.LinAlgError):
            propagated, votes, _ = propagate(edges, model, posterior.mean, TOLERANCE)
            return propagated.scores._replace(votes=votes)
    return posterior.scores


def log_evidence_of(edges: Edges, model: Model, scales: Floats, approximation: Approximation = "laplace") -> Floats:
    """(A,) ln Z of all that edges say at each tau2 (A,), up to a constant; -inf where H cannot be factored."""
    return np.array([_log_evidence(edges, at_scale(model, scale), approximation) for scale in scales.tolist()])


def _log_evidence(edges: Edges, model: Model, approximation: Approximation) -> float:
    (mode, weights, _), q = map_of(edges, model), model.prior.precision
    try:
        if approximation == "ep" and serves(edges, model):
            return propagate(edges, model, mode, EVIDENCE_TOLERANCE)[2]
        if model.size <= RANKED_DENSE or model.has_biases:
            log_det = log_det_of_inverse(edges.design.precision(weights, q).T)
        else:
            log_det = _log_det_by_quadrature(edges.design, weights, q)
    except np.linalg.LinAlgError:
        return -np.inf
    return log_posterior(mode, edges, model) + 0.5 * (log_det - model.n * float(np.log(model.prior.variance)))


def serves(edges: Edges, model: Model) -> bool:
    """Whether there are votes, few enough candidates, no covariates, and an expert that is soft-bt."""
    is_soft_bt = model.expert.as_soft_bt is not None and model.covariates is None
    return is_soft_bt and 0 < model.n <= MEDIUM and bool((edges.votes > 0.0).any())


def propagate(edges: Edges, model: Model, mode: Floats, tolerance: float) -> tuple[Posterior, Votes, float]:
    """The normal posterior of what edges say by an expert that is soft-bt, with this `mode` (P,); its sites; and ln Z.

    It has converged once no row's mean is further than `tolerance` standard deviations, or its variance by that share,
    from the tilted one. Raises numpy.linalg.LinAlgError.
    """
    at, design, (q, pull, *_) = np.flatnonzero(edges.votes > 0.0), edges.design, model.prior
    rows, of_prior = rows_at(design, at), float(np.log(q).sum() - pull @ (pull / q))
    i, j, b = rows.first, rows.second, rows.bias
    offset = design.offset if len(design.offset) else np.zeros(edges.size)

    def moments(sites: Sites) -> SiteMoments[tuple[Floats, DenseCovariance]]:
        weights, shift = edges.weight.copy(), edges.pulled.copy()
        weights[at] += sites.precision
        shift[at] += sites.shift
        covariance, h = from_precision(design.precision(weights, q)), pull + design.scatter(shift - weights * offset)
        mean, v = covariance.base @ h, covariance.variances(i, j)
        if len(b):
            v += covariance.base[b, b] + 2.0 * (covariance.base[i, b] - covariance.base[j, b])
        of_offset = float(offset[at] @ (sites.shift - 0.5 * sites.precision * offset[at]))
        log_integral = 0.5 * (float(h @ mean) + covariance.log_det + of_prior) + of_offset
        return SiteMoments((mean, covariance), rows.differences(mean), v, log_integral)

    d, votes, wins = rows.differences(mode), edges.votes[at], edges.wins[at]
    above = expit(d)
    curvature = votes * above * (1.0 - above)
    sites = Sites(wins, votes - wins, curvature, curvature * d + wins - votes * above)
    with np.errstate(all="ignore"):
        (mean, covariance), sites, log_evidence, convergence = converge(sites, moments, tolerance)
    weights, d = edges.weight.copy(), rows.differences(mean)
    weights[at] += sites.precision
    slope = sites.shift - sites.precision * d
    of_votes = Votes(
        mean, covariance.matrix(), i, j, b, sites.wins, sites.losses, d, slope=slope, precision=sites.precision
    )
    return Posterior(mean, covariance, weights, convergence, edges, model), of_votes, log_evidence


def converge(
    sites: Sites, moments_of: Callable[[Sites], SiteMoments[Q]], tolerance: float
) -> tuple[Q, Sites, float, Convergence]:
    """q and the sites whose moments are right, from these on; ln Z. Raises numpy.linalg.LinAlgError."""
    share, before, iterations = FIRST_SHARE, np.inf, 0
    while True:
        q, m, v, log_integral = moments_of(sites)
        renewed, log_constants, distance = _renewed(sites, m, v)
        if not np.isfinite(distance + log_constants):
            raise np.linalg.LinAlgError("a cavity is not finite")
        if distance <= tolerance or iterations == MAX_ITERATIONS:
            break
        is_nearer = distance < (1.0 - NEARER * share) * before
        share = min(MORE * share, 1.0) if is_nearer else max(LESS * share, LEAST_SHARE)
        sites = Sites(*(old + share * (new - old) for old, new in zip(sites, renewed, strict=True)))
        before, iterations = distance, iterations + 1
    return q, sites, log_constants + log_integral, Convergence.of(distance, iterations, tolerance)


def _renewed(sites: Sites, m: Floats, v: Floats) -> tuple[Sites, float, float]:
    """Sites with the moments of the votes, the sum of ln C, and how far the moments are apart."""
    cavity = v / (1.0 - v * sites.precision)
    cavity_mean = cavity * (m / v - sites.shift)
    log_totals, tilted_mean, tilted_variance = tilted_moments(cavity_mean, cavity, sites.wins, sites.losses)
    distance = np.maximum(np.abs(tilted_mean - m) / np.sqrt(v), np.abs(tilted_variance / v - 1.0)).max(initial=0.0)
    log_constants = log_totals - 0.5 * (np.log(v / cavity) + m**2 / v - cavity_mean**2 / cavity)
    precision = np.maximum(1.0 / tilted_variance - 1.0 / cavity, 0.0)
    shift = tilted_mean / tilted_variance - cavity_mean / cavity
    return sites._replace(precision=precision, shift=shift), float(log_constants.sum()), float(distance)


@kernel
def tilted_moments(mean: Floats, variance: Floats, wins: Floats, losses: Floats) -> tuple[Floats, Floats, Floats]:
    """ln of the integral of g(d) = sigma(d)^a sigma(-d)^b N(d; m, v), its mean and its variance, (M,) each."""
    size = len(mean)
    log_total, tilted_mean, tilted_variance = np.empty(size), np.empty(size), np.empty(size)
    for k in range(size):
        m, v, a, b = mean[k], variance[k], wins[k], losses[k]
        centre, curvature = tilted_mode(m, v, a, b)
        at_centre, sd = math.sqrt(centre * centre + NARROW * NARROW), math.sqrt(v)
        step = min(LONGEST, 1.0 / (math.sqrt(curvature) * at_centre), sd / (abs(centre) + FAR * sd))
        top, start = log_tilted(centre, m, v, a, b), (centre + at_centre) / NARROW  # e^u
        total, first, second = at_centre, 0.0, 0.0
        for ratio in (math.exp(step), math.exp(-step)):
            e, rise = start * ratio, 0.0
            while rise > NEGLIGIBLE:
                d = 0.5 * NARROW * (e - 1.0 / e)
                rise = log_tilted(d, m, v, a, b) - top
                density = math.exp(rise) * 0.5 * NARROW * (e + 1.0 / e)
                total += density
                first += density * (d - centre)
                second += density * (d - centre) ** 2
                e *= ratio
        first /= total
        log_total[k] = top + math.log(total * step / math.sqrt(2.0 * math.pi * v))
        tilted_mean[k] = centre + first
        tilted_variance[k] = second / total - first * first
    return log_total, tilted_mean, tilted_variance


@kernel
def log_tilted(d: float, m: float, v: float, a: float, b: float) -> float:
    """ln g, up to N's constant."""
    of_votes = -(a + b) * math.log1p(math.exp(-abs(d))) + (a * min(d, 0.0) - b * max(d, 0.0))
    return of_votes - 0.5 * (d - m) ** 2 / v


@kernel
def tilted_mode(m: float, v: float, a: float, b: float) -> tuple[float, float]:
    """About where g is largest, and -(ln g)'' there: Newton's steps inside a bracket."""
    low, high = m - b * v, m + a * v
    d = min(max(m, low), high)
    curvature = 1.0 / v
    for _ in range(ROUNDS):
        e = math.exp(-abs(d))
        above = (1.0 if d > 0.0 else e) / (1.0 + e)  # sigma(d)
        slope = a - (a + b) * above - (d - m) / v
        curvature = 1.0 / v + (a + b) * e / (1.0 + e) ** 2
        if slope > 0.0:
            low = d
        else:
            high = d
        if slope * slope <= NEAR * NEAR * curvature:
            break
        d += slope / curvature
        if not low < d < high:
            d = 0.5 * (low + high)
    return d, curvature


def _log_det_by_quadrature(rows: Design, w: Floats, q: Floats) -> float:
    """ln det H^-1. Raises numpy.linalg.LinAlgError. Slow formula: `gaussian.log_det_of_inverse`."""
    links, _, diagonal = from_edges(rows, w, q).precision
    root, signs = np.sqrt(diagonal)[:, None], np.random.default_rng(0).choice([-1.0, 1.0], size=(PROBES, len(q))).T
    nodes, weights = quadrature(lambda z: z - links @ (z / root) / root, signs, STEPS)
    if not (nodes > 0.0).all():
        raise np.linalg.LinAlgError("an eigenvalue is not positive")
    return -float(np.log(diagonal).sum() + (weights * (np.log(nodes) + 1.0 - nodes)).sum() / PROBES)


def quadrature(times: Callable[[Floats], Floats], start: Floats, steps: int) -> tuple[Floats, Floats]:
    """Nodes and weights (C, steps) for z^T f(A) z of each column z of `start` (N, C), by products with A."""
    length = np.linalg.norm(start, axis=0)
    before, now, beta = np.zeros_like(start), start / np.maximum(length, NOTHING), np.zeros(len(length))
    tridiagonal = np.zeros((len(length), steps, steps + 1))
    for m in range(steps):
        ahead = times(now) - beta * before
        tridiagonal[:, m, m] = alpha = np.einsum("nc,nc->c", now, ahead)
        ahead -= alpha * now
        tridiagonal[:, m, m + 1] = beta = np.sqrt(np.einsum("nc,nc->c", ahead, ahead))
        before, now = now, ahead / np.maximum(beta, NOTHING)
    nodes, vectors = np.linalg.eigh(tridiagonal[:, :, :steps], UPLO="U")
    return nodes, length[:, None] ** 2 * vectors[:, 0] ** 2
