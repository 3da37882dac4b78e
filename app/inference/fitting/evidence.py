"""What votes say of scores, and of the spread of scores: Laplace's approximation, and expectation propagation.

Votes have no closed form. Laplace's normal around the mode mu has the evidence, up to a constant,

    ln Z = L(mu) + ln det Sigma / 2 - N ln(tau2) / 2

It has the curvature at the mode. Where votes separate candidates the posterior leans away from there, and a normal
around the mode has mass where the likelihood has none. By expectation propagation (Minka 2001; Rasmussen and Williams
2006, 3.6) each row m of votes, a_m for the first and b_m for the second, is stood for by a normal site whose moments
are right:

    q(theta) = N(h / q, 1 / q) prod_m t_m(d_m)        t_m(d) = exp(nu_m d - tau_m d^2 / 2),  d_m = r_m^T theta
    H = diag(q) + R^T diag(tau) R,  H mu = h + R^T nu        mu, Sigma = H^-1 of q

    cavity   1/v_c = 1/v - tau,  m_c / v_c = m/v - nu        m = r^T mu, v = r^T Sigma r
    tilted   sigma(d)^a sigma(-d)^b N(d; m_c, v_c)           its mean m' and variance v'
    site     tau = 1/v' - 1/v_c,  nu = m'/v' - m_c/v_c

All sites are renewed at once, by a share that shrinks while they do not come nearer, from where Laplace's mode has
them. Votes are log-concave: tau >= 0, and H is positive definite throughout. A measurement y of weight w is a site as
it is, tau = w and nu = w y: without votes everything is exact. With Z_m the integral of the tilted density,

    ln Z = sum_m ln C_m + ((h + R^T nu)^T mu + ln det Sigma + ln det q - h^T q^-1 h) / 2
    ln C_m = ln Z_m - (ln(v / v_c) + m^2 / v - m_c^2 / v_c) / 2

is the logarithm of the evidence, up to that of measurements where d = y: the mean of the likelihood exp(sum_e l_e(d_e))
under the prior (core/edges.py). It is stationary where moments agree, so that it is exact to about
M EVIDENCE_TOLERANCE^2 before they do.

Moments of the tilted density are by the trapezoidal rule in u, d = NARROW sinh u, from its mode outwards until it is
NEGLIGIBLE of its maximum: steps are about 1 where sigma bends, and grow with |d| up to a standard deviation of N. A
rule of even steps is exact to about exp(-2 pi^2 (width / step)^2) on a smooth bell, and what is summed is log-concave
and falls as fast as N.

Beyond RANKED_DENSE candidates sums over eigenvalues are by Lanczos' quadrature, of a matrix that is only multiplied by
(Golub and Meurant 1994):

    z^T f(A) z = sum_m weight_m f(node_m),       tr f(A) = E z^T f(A) z of random signs z

Nodes are the eigenvalues of Lanczos' tridiagonal matrices, weights the squares of their vectors' first entries times
|z|^2. The trace is a mean over a few z (Ubaru, Chen and Saad 2017), which are always the same, so that it is a smooth
function of A.

    a, b       Sites.wins, .losses          (M,)
    tau, nu    Sites.precision, .shift      (M,)

    kernel            slow formula
    tilted_moments    scipy.integrate.quad of g(d) = sigma(d)^a sigma(-d)^b N(d; m, v), d g and d^2 g
"""

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np
from scipy.special import expit

from app.inference.core.edges import Edges, rows_at
from app.inference.fitting.model import Model
from app.inference.fitting.posterior import Posterior, log_posterior, map_of
from app.inference.gaussian import (
    DenseCovariance,
    Precision,
    Scores,
    Votes,
    from_edges,
    from_precision,
    log_det_of_inverse,
)
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

    wins: Floats  # (M,)
    losses: Floats  # (M,)
    known_bias: Floats  # (M,)
    precision: Floats  # (M,)
    shift: Floats  # (M,)


class SiteMoments(NamedTuple, Generic[Q]):
    """A normal q = prior prod_m t_m, and what the sites read of it."""

    q: Q
    mean: Floats  # (M,) of d on the rows of votes
    variance: Floats  # (M,)
    log_integral: float  # of q, up to a constant


def approximate(posterior: Posterior, approximation: Approximation) -> Scores:
    """The marginal posterior of the scores; Laplace's where sites cannot be factored.

    That takes a hundred thousand votes of one answer, or a tau2 of a million.
    """
    edges, model = posterior.edges, posterior.model
    if approximation == "ep" and serves(edges, model):
        with suppress(np.linalg.LinAlgError):
            propagated, votes, _ = propagate(edges, model, posterior.mean, TOLERANCE)
            return propagated.scores._replace(votes=votes)
    return posterior.scores


def log_evidence_of(edges: Edges, model: Model, approximation: Approximation = "laplace") -> float:
    """ln Z of all that edges say at the model's tau2, up to a constant; -inf where H cannot be factored."""
    (mode, weights, _), q = map_of(edges, model), model.prior.precision
    try:
        if approximation == "ep" and serves(edges, model):
            return propagate(edges, model, mode, EVIDENCE_TOLERANCE)[2]
        if model.size <= RANKED_DENSE or model.has_biases:
            log_det = log_det_of_inverse(edges.design.precision(weights, q).T)
        else:
            log_det = _log_det_by_quadrature(from_edges(edges.design, weights, q).precision)
    except np.linalg.LinAlgError:
        return -np.inf
    return log_posterior(mode, edges, model) + 0.5 * (log_det - model.n * float(np.log(model.prior.variance)))


def serves(edges: Edges, model: Model) -> bool:
    """Whether there are votes, few enough candidates, no covariates, and an expert that is soft-bt."""
    is_soft_bt = model.expert.as_soft_bt is not None and model.covariates is None
    return is_soft_bt and 0 < model.n <= MEDIUM and bool((edges.votes > 0.0).any())


def propagate(edges: Edges, model: Model, mode: Floats, tolerance: float) -> tuple[Posterior, Votes, float]:
    """The normal posterior of all that edges say by an expert that is soft-bt, its sites, and ln Z.

    It has converged once no row's mean is further than `tolerance` standard deviations, or its variance by that share,
    from the tilted one. Its weights are tau, and those of measurements. Raises numpy.linalg.LinAlgError.

    Args: `mode` (P,) is the MAP, where the sites begin with the curvature and the slope of Laplace's approximation.
    """
    at, design, (q, pull, *_) = np.flatnonzero(edges.votes > 0.0), edges.design, model.prior
    rows, of_prior = rows_at(design, at), float(np.log(q).sum() - pull @ (pull / q))
    (i, j, b), known_bias = (rows.first, rows.second, rows.bias), rows.offset if len(rows.offset) else np.zeros(len(at))
    pulled = edges.pulled - edges.weight * design.offset if len(design.offset) else edges.pulled

    def moments(sites: Sites) -> SiteMoments[tuple[Floats, DenseCovariance]]:
        weights, shift = edges.weight.copy(), pulled.copy()
        weights[at] += sites.precision
        shift[at] += sites.shift
        covariance, h = from_precision(design.precision(weights, q)), pull + design.scatter(shift)
        mean, v = covariance.base @ h, covariance.variances(i, j)
        if len(b):
            v += covariance.base[b, b] + 2.0 * (covariance.base[i, b] - covariance.base[j, b])
        log_integral = 0.5 * (float(h @ mean) + covariance.log_det + of_prior)
        return SiteMoments((mean, covariance), rows.times(mean), v, log_integral)

    own, votes, wins = rows.times(mode), edges.votes[at], edges.wins[at]
    above = expit(own + known_bias)
    curvature = votes * above * (1.0 - above)
    sites = Sites(wins, votes - wins, known_bias, curvature, curvature * own + wins - votes * above)
    with np.errstate(all="ignore"):
        (mean, covariance), sites, log_evidence, convergence = converge(sites, moments, tolerance)
    weights, own = edges.weight.copy(), rows.times(mean)
    weights[at] += sites.precision
    of_votes = Votes(
        mean=mean,
        covariance=covariance.matrix(),
        first=i,
        second=j,
        bias=b,
        wins=sites.wins,
        losses=sites.losses,
        difference=own + known_bias,
        slope=sites.shift - sites.precision * own,
        precision=sites.precision,
    )
    return Posterior(mean, covariance, weights, convergence, edges, model), of_votes, log_evidence


def converge(
    sites: Sites, moments_of: Callable[[Sites], SiteMoments[Q]], tolerance: float
) -> tuple[Q, Sites, float, Convergence]:
    """q and the sites whose moments are right, from these on; ln Z. Raises numpy.linalg.LinAlgError."""
    share, before, iterations = FIRST_SHARE, np.inf, 0
    while True:
        q, m, v, log_integral = moments_of(sites)
        precision, shift, log_constants, distance = _renewed(sites, m, v)
        if not np.isfinite(distance + log_constants):
            raise np.linalg.LinAlgError("a cavity is not finite")
        if distance <= tolerance or iterations == MAX_ITERATIONS:
            break
        is_nearer = distance < (1.0 - NEARER * share) * before
        share = min(MORE * share, 1.0) if is_nearer else max(LESS * share, LEAST_SHARE)
        sites = sites._replace(
            precision=sites.precision + share * (precision - sites.precision),
            shift=sites.shift + share * (shift - sites.shift),
        )
        before, iterations = distance, iterations + 1
    return q, sites, log_constants + log_integral, Convergence.of(distance, iterations, tolerance)


def _renewed(sites: Sites, m: Floats, v: Floats) -> tuple[Floats, Floats, float, float]:
    """tau and nu (M,) that have the moments of the votes, the sum of ln C, and how far the moments are apart."""
    tau, nu, bias = sites.precision, sites.shift, sites.known_bias
    cavity = v / (1.0 - v * tau)
    cavity_mean = cavity * (m / v - nu)
    log_totals, tilted_mean, tilted_variance = tilted_moments(cavity_mean + bias, cavity, sites.wins, sites.losses)
    tilted_mean = tilted_mean - bias
    distance = np.maximum(np.abs(tilted_mean - m) / np.sqrt(v), np.abs(tilted_variance / v - 1.0)).max(initial=0.0)
    log_constants = log_totals - 0.5 * (np.log(v / cavity) + m**2 / v - cavity_mean**2 / cavity)
    precision = np.maximum(1.0 / tilted_variance - 1.0 / cavity, 0.0)
    shift = tilted_mean / tilted_variance - cavity_mean / cavity
    return precision, shift, float(log_constants.sum()), float(distance)


@kernel
def tilted_moments(mean: Floats, variance: Floats, wins: Floats, losses: Floats) -> tuple[Floats, Floats, Floats]:
    """ln of the integral of g, its mean and its variance, (M,) each, of these (M,) m, v, a and b."""
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


def _log_det_by_quadrature(precision: Precision) -> float:
    """ln det H^-1. Raises numpy.linalg.LinAlgError. Slow formula: `gaussian.log_det_of_inverse`."""
    n, root = len(precision.diagonal), np.sqrt(precision.diagonal)[:, None]
    start = random_signs(n, PROBES)
    nodes, weights = quadrature(lambda z: z - precision.links @ (z / root) / root, start, STEPS)
    if not (nodes > 0.0).all():
        raise np.linalg.LinAlgError("an eigenvalue is not positive")
    return -float(np.log(precision.diagonal).sum() + (weights * (np.log(nodes) + 1.0 - nodes)).sum() / PROBES)


def random_signs(n: int, count: int) -> Floats:
    """(N, C), always the same."""
    return np.random.default_rng(0).choice([-1.0, 1.0], size=(count, n)).T


def quadrature(times: Callable[[Floats], Floats], start: Floats, steps: int) -> tuple[Floats, Floats]:
    """Nodes and weights (C, M) for z^T f(A) z of each column z of `start` (N, C); exact where f has degree below 2 M.

    Args: `times` is the product with A; `steps` is M.
    """
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
