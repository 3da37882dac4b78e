"""The posterior of scores from votes by expectation propagation (Minka 2001; Rasmussen and Williams 2006, 3.6).

Laplace's normal has the curvature at the mode. Where votes separate candidates the posterior leans away from there, and
a normal around the mode has mass where the likelihood has none. Here each row m of votes, a_m for the first and b_m for
the second, is stood for by a normal site whose moments are right:

    q(theta) = N(h / q, 1 / q) prod_m t_m(d_m)        t_m(d) = exp(nu_m d - tau_m d^2 / 2),  d_m = r_m^T theta
    H = diag(q) + R^T diag(tau) R,  H mu = h + R^T nu        mu, Sigma = H^-1 of q

    cavity   1/v_c = 1/v - tau,  m_c / v_c = m/v - nu        m = r^T mu, v = r^T Sigma r
    tilted   sigma(d)^a sigma(-d)^b N(d; m_c, v_c)           its mean m' and variance v' (kernels/tilted.py)
    site     tau = 1/v' - 1/v_c,  nu = m'/v' - m_c/v_c

All sites are renewed at once, by a share that shrinks while they do not come nearer, from where Laplace's mode has
them. Votes are log-concave: tau >= 0, and H is positive definite throughout. A measurement y of weight w is a site as
it is, tau = w and nu = w y: without votes everything is exact. With Z_m the integral of the tilted density,

    ln Z = sum_m ln C_m + ((h + R^T nu)^T mu + ln det Sigma + ln det q - h^T q^-1 h) / 2
    ln C_m = ln Z_m - (ln(v / v_c) + m^2 / v - m_c^2 / v_c) / 2

is the logarithm of the evidence, up to that of measurements where d = y: the mean of the likelihood exp(sum_e l_e(d_e))
under the prior (core/edges.py). It is stationary where moments agree, so that it is exact to about
M EVIDENCE_TOLERANCE^2 before they do.

    a, b       Sites.wins, .losses          (M,)
    tau, nu    Sites.precision, .shift      (M,)
"""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from scipy.special import expit

from app.inference.core.design import Design, rows_at
from app.inference.core.edges import Edges
from app.inference.fitting import newton
from app.inference.fitting.model import Model, Prior
from app.inference.fitting.posterior import Posterior, prior_beside
from app.inference.gaussian import DenseCovariance, Votes, from_precision
from app.inference.kernels import tilted
from app.inference.regimes import MEDIUM
from app.inference.types import Convergence, Floats, Ints, Outcome

TOLERANCE = 1e-5  # of means, in standard deviations, and of variances, relative
EVIDENCE_TOLERANCE = 1e-3  # the same where the evidence is all that is asked for
MAX_ITERATIONS = 200
FIRST_SHARE, LEAST_SHARE, LESS, MORE, NEARER = 0.9, 0.1, 0.6, 1.1, 0.25


class Sites(NamedTuple):
    """M rows of votes, with the normal that stands for each."""

    wins: Floats  # (M,)
    losses: Floats  # (M,)
    known_bias: Floats  # (M,)
    precision: Floats  # (M,)
    shift: Floats  # (M,)


Q = TypeVar("Q")


class SiteMoments(NamedTuple, Generic[Q]):
    """A normal q = prior prod_m t_m, and what the sites read of it."""

    q: Q
    mean: Floats  # (M,) of d on the rows of votes
    variance: Floats  # (M,)
    log_integral: float  # of q, up to a constant


class Converged(NamedTuple, Generic[Q]):
    q: Q
    sites: Sites
    log_evidence: float
    convergence: Convergence


class Propagated(NamedTuple):
    posterior: Posterior  # whose weights are tau, and those of measurements
    log_evidence: float  # -inf where H cannot be factored
    votes: Votes | None = None  # likewise None


def serves(edges: Edges, model: Model) -> bool:
    """Whether there are votes, few enough candidates, no covariates, and an expert that is soft-bt."""
    is_soft_bt = model.expert.as_soft_bt is not None and model.covariates is None
    return is_soft_bt and 0 < model.n <= MEDIUM and bool((edges.votes > 0.0).any())


def propagate(edges: Edges, model: Model, tolerance: float = TOLERANCE) -> Propagated:
    """The normal posterior of all that edges say by an expert that is soft-bt, and its evidence.

    Where H cannot be factored, the prior, as `posterior.fit_edges` has it. A posterior has converged once no row's mean
    is further than `tolerance` standard deviations, or its variance by that share, from the tilted one.
    """
    at = np.flatnonzero(edges.votes > 0.0)
    sites = _at_mode(edges, at, newton.fit(edges, model).theta)
    try:
        with np.errstate(all="ignore"):
            return _converged(edges, at, sites, model, tolerance)
    except np.linalg.LinAlgError:
        return Propagated(prior_beside(edges, model, Convergence(Outcome.SINGULAR, 0, np.nan)), -np.inf)


def propagated_evidence(edges: Edges, model: Model) -> float:
    """ln Z of all that edges say, -inf where H cannot be factored; Laplace's is votes.laplace_evidence."""
    return propagate(edges, model, EVIDENCE_TOLERANCE).log_evidence


def _converged(edges: Edges, at: Ints, sites: Sites, model: Model, tolerance: float) -> Propagated:
    """Args: `at` (M,) are the edges with votes. Raises numpy.linalg.LinAlgError."""
    design, of_votes, (q, pull, *_) = edges.design, rows_at(edges.design, at), model.prior
    pulled = edges.pulled - edges.weight * design.offset if len(design.offset) else edges.pulled

    def moments(sites: Sites) -> SiteMoments[tuple[Floats, DenseCovariance]]:
        weights, shift = edges.weight.copy(), pulled.copy()
        weights[at] += sites.precision
        shift[at] += sites.shift
        covariance, h = from_precision(design.precision(weights, q)), pull + design.scatter(shift)
        mean = covariance.base @ h
        v = _variances(of_votes, covariance)
        return SiteMoments((mean, covariance), of_votes.times(mean), v, _log_integral(mean, h, covariance, model.prior))

    (mean, covariance), sites, log_evidence, convergence = converge(sites, moments, tolerance)
    weights, own = edges.weight.copy(), of_votes.times(mean)
    weights[at] += sites.precision
    votes = Votes(
        mean=mean,
        covariance=covariance.matrix(),
        first=of_votes.first,
        second=of_votes.second,
        bias=of_votes.bias,
        wins=sites.wins,
        losses=sites.losses,
        difference=own + sites.known_bias,
        slope=sites.shift - sites.precision * own,
        precision=sites.precision,
    )
    return Propagated(Posterior(mean, covariance, weights, convergence, edges, model), log_evidence, votes)


def converge(sites: Sites, moments_of: Callable[[Sites], SiteMoments[Q]], tolerance: float) -> Converged[Q]:
    """The sites whose moments are right, from these on; of any normal prior. Raises numpy.linalg.LinAlgError."""
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
    convergence = Convergence.of(distance, iterations, tolerance)
    return Converged(q, sites, log_constants + log_integral, convergence)


def _log_integral(mean: Floats, pull: Floats, covariance: DenseCovariance, of: Prior) -> float:
    """ln of the integral of the prior times all exp(nu d - tau d^2 / 2)."""
    of_prior = float(np.log(of.precision).sum() - of.pull @ (of.pull / of.precision))
    return 0.5 * (float(pull @ mean) + covariance.log_det + of_prior)


def _at_mode(edges: Edges, at: Ints, theta: Floats) -> Sites:
    """The sites that Laplace's approximation has at the M edges with votes: curvature and slope at theta (P,)."""
    rows, votes, wins = rows_at(edges.design, at), edges.votes[at], edges.wins[at]
    own, known_bias = rows.times(theta), rows.offset if len(rows.offset) else np.zeros(len(at))
    above = expit(own + known_bias)
    curvature = votes * above * (1.0 - above)
    return Sites(wins, votes - wins, known_bias, curvature, curvature * own + wins - votes * above)


def _renewed(sites: Sites, m: Floats, v: Floats) -> tuple[Floats, Floats, float, float]:
    """tau and nu (M,) that have the moments of the votes, the sum of ln C, and how far the moments are apart."""
    tau, nu, bias = sites.precision, sites.shift, sites.known_bias
    cavity = v / (1.0 - v * tau)
    cavity_mean = cavity * (m / v - nu)
    log_totals, tilted_mean, tilted_variance = tilted.moments(cavity_mean + bias, cavity, sites.wins, sites.losses)
    tilted_mean = tilted_mean - bias
    distance = np.maximum(np.abs(tilted_mean - m) / np.sqrt(v), np.abs(tilted_variance / v - 1.0)).max(initial=0.0)
    log_constants = log_totals - 0.5 * (np.log(v / cavity) + m**2 / v - cavity_mean**2 / cavity)
    precision = np.maximum(1.0 / tilted_variance - 1.0 / cavity, 0.0)
    shift = tilted_mean / tilted_variance - cavity_mean / cavity
    return precision, shift, float(log_constants.sum()), float(distance)


def _variances(rows: Design, covariance: DenseCovariance) -> Floats:
    """(M,) r^T Sigma r."""
    sigma, i, j, b = covariance.base, rows.first, rows.second, rows.bias
    v = sigma[i, i] + sigma[j, j] - 2.0 * sigma[i, j]
    if len(b):
        v += sigma[b, b] + 2.0 * (sigma[i, b] - sigma[j, b])
    return np.asarray(v, np.float64)
