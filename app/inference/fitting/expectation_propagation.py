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
    ln C_m = ln Z_m - (ln(v / v_c) + m^2 / v - m_c^2 / v_c) / 2,  of a measurement -w y^2 / 2

is the logarithm of the evidence: the mean of the likelihood exp(sum_k c_k l(d_k)) under the prior. It is stationary
where moments agree, so that it is exact to about M EVIDENCE_TOLERANCE^2 before they do.

    a, b       Sites.wins, .losses          (M,)
    tau, nu    Sites.precision, .shift      (M + G,) those of the measurements last
"""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from scipy.special import expit

from app.inference.experts.measured_bt import is_vote
from app.inference.fitting import newton
from app.inference.fitting.model import Model, Prior, bias_places, design_times, hessian, scatter
from app.inference.fitting.posterior import Posterior, prior
from app.inference.gaussian import DenseCovariance, Votes, from_precision
from app.inference.kernels import tilted
from app.inference.regimes import PROPAGATED
from app.inference.types import Comparisons, Convergence, Floats, Outcome, join, take
from app.inference.verdicts import numbered

TOLERANCE = 1e-5  # of means, in standard deviations, and of variances, relative
EVIDENCE_TOLERANCE = 1e-3  # the same where the evidence is all that is asked for
MAX_ITERATIONS = 200
FIRST_SHARE, LEAST_SHARE, LESS, MORE, NEARER = 0.9, 0.1, 0.6, 1.1, 0.25


class Sites(NamedTuple):
    """M rows of votes and G of measurements, with the normal that stands for each."""

    rows: Comparisons  # (M + G,) who is compared, by whom
    known_bias: Floats  # (M + G,)
    wins: Floats  # (M,)
    losses: Floats  # (M,)
    precision: Floats  # (M + G,)
    shift: Floats  # (M + G,)
    log_constant: float  # the sum of ln C of the measurements


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
    posterior: Posterior  # given (M + G,) rows: the votes, those alike together, then the measurements; w is tau
    log_evidence: float  # -inf where H cannot be factored
    votes: Votes | None = None  # likewise None


def serves(comparisons: Comparisons, model: Model) -> bool:
    """Whether there are votes, few enough candidates, no covariates, and an expert that is soft-bt."""
    if (
        model.expert.as_soft_bt is None
        or model.covariates is not None
        or not 0 < model.n <= PROPAGATED
        or not comparisons.size
    ):
        return False
    return model.expert.measurement is None or bool(is_vote(comparisons.p).any())


def propagate(comparisons: Comparisons, model: Model, tolerance: float = TOLERANCE) -> Propagated:
    """The normal posterior of all `comparisons` by an expert that is soft-bt, and its evidence.

    Where H cannot be factored, the prior, as `posterior.fit` has it. A posterior has converged once no row's mean is
    further than `tolerance` standard deviations, or its variance by that share, from the tilted one.
    """
    sites = _at_mode(_sites(comparisons, model), newton.fit(comparisons, model).mean, model)
    try:
        with np.errstate(all="ignore"):
            return _converged(sites, model, tolerance)
    except np.linalg.LinAlgError:
        convergence = Convergence(Outcome.SINGULAR, 0, np.nan)
        singular = prior(model)._replace(
            weights=np.zeros(sites.rows.size), convergence=convergence, comparisons=sites.rows
        )
        return Propagated(singular, -np.inf)


def propagated_evidence(comparisons: Comparisons, model: Model) -> float:
    """ln Z of all comparisons, -inf where H cannot be factored; Laplace's is votes.laplace_evidence."""
    return propagate(comparisons, model, EVIDENCE_TOLERANCE).log_evidence


def _converged(sites: Sites, model: Model, tolerance: float) -> Propagated:
    """Raises numpy.linalg.LinAlgError."""
    votes = len(sites.wins)

    def moments(sites: Sites) -> SiteMoments[tuple[Floats, DenseCovariance]]:
        covariance = from_precision(hessian(sites.precision, sites.rows, model))
        pull = model.prior.pull + scatter(sites.shift, sites.rows, model)
        mean = covariance.base @ pull
        m, v = design_times(mean, sites.rows, model)[:votes], _variances(sites.rows, covariance, model)[:votes]
        return SiteMoments((mean, covariance), m, v, _log_integral(mean, pull, covariance, model.prior))

    (mean, covariance), sites, log_evidence, convergence = converge(sites, moments, tolerance)
    posterior = Posterior(mean, covariance, sites.precision, convergence, sites.rows, model)
    return Propagated(posterior, log_evidence, _votes(sites, posterior))


def _votes(sites: Sites, posterior: Posterior) -> Votes:
    m, model, mean = len(sites.wins), posterior.model, posterior.mean
    rows, tau = take(sites.rows, slice(m)), sites.precision[:m]
    own = design_times(mean, rows, model)
    return Votes(
        mean=mean,
        covariance=posterior.covariance.matrix(),
        first=rows.first,
        second=rows.second,
        bias=bias_places(rows, model),
        wins=sites.wins,
        losses=sites.losses,
        difference=own + sites.known_bias[:m],
        slope=sites.shift[:m] - tau * own,
        precision=tau,
    )


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
    return Converged(q, sites, log_constants + sites.log_constant + log_integral, convergence)


def _log_integral(mean: Floats, pull: Floats, covariance: DenseCovariance, of: Prior) -> float:
    """ln of the integral of the prior times all exp(nu d - tau d^2 / 2)."""
    of_prior = float(np.log(of.precision).sum() - of.pull @ (of.pull / of.precision))
    return 0.5 * (float(pull @ mean) + covariance.log_det + of_prior)


def _sites(comparisons: Comparisons, model: Model) -> Sites:
    """The rows, votes on the same one together; nothing stands for these yet."""
    votes = newton.votes_of(comparisons, model)
    measures = ~np.isnan(votes.measurement) if len(votes.measurement) else np.zeros(comparisons.size, np.bool_)
    cast = take(comparisons._replace(p=votes.p), ~measures)
    if not model.allows_for_biases:
        cast = _low_first(cast)
    row = numbered(cast.first, cast.second, cast.judge if model.allows_for_biases else np.zeros(cast.size, np.int64))
    once = np.unique(row, return_index=True)[1]
    wins, losses = (np.bincount(row, cast.weight * p).astype(np.float64, copy=False) for p in (cast.p, 1.0 - cast.p))
    measured = take(comparisons, measures)
    rows = join(take(cast, once), measured)
    known_bias = np.zeros(rows.size) if model.known_biases is None else model.known_biases[rows.judge]
    y = votes.measurement[measures] - known_bias[len(once) :] if measured.size else np.empty(0)
    none = np.zeros(len(once))
    precision, shift = np.append(none, measured.weight), np.append(none, measured.weight * y)
    return Sites(rows, known_bias, wins, losses, precision, shift, -0.5 * float(measured.weight @ y**2))


def _low_first(comparisons: Comparisons) -> Comparisons:
    first, second, p, judge, weight = comparisons
    return Comparisons(
        np.minimum(first, second), np.maximum(first, second), np.where(first < second, p, 1.0 - p), judge, weight
    )


def _at_mode(sites: Sites, theta: Floats, model: Model) -> Sites:
    """The sites that Laplace's approximation has: curvature and slope at theta (P,)."""
    m = len(sites.wins)
    own = design_times(theta, sites.rows, model)[:m]
    above = expit(own + sites.known_bias[:m])
    votes = sites.wins + sites.losses
    curvature = votes * above * (1.0 - above)
    precision, shift = sites.precision.copy(), sites.shift.copy()
    precision[:m], shift[:m] = curvature, curvature * own + sites.wins - votes * above
    return sites._replace(precision=precision, shift=shift)


def _renewed(sites: Sites, m: Floats, v: Floats) -> tuple[Floats, Floats, float, float]:
    """tau and nu (M + G,) that have the moments of the votes, the sum of ln C, and how far the moments are apart."""
    votes = len(sites.wins)
    tau, nu, bias = sites.precision[:votes], sites.shift[:votes], sites.known_bias[:votes]
    cavity = v / (1.0 - v * tau)
    cavity_mean = cavity * (m / v - nu)
    log_totals, tilted_mean, tilted_variance = tilted.moments(cavity_mean + bias, cavity, sites.wins, sites.losses)
    tilted_mean = tilted_mean - bias
    distance = np.maximum(np.abs(tilted_mean - m) / np.sqrt(v), np.abs(tilted_variance / v - 1.0)).max(initial=0.0)
    log_constants = log_totals - 0.5 * (np.log(v / cavity) + m**2 / v - cavity_mean**2 / cavity)
    precision, shift = sites.precision.copy(), sites.shift.copy()
    precision[:votes] = np.maximum(1.0 / tilted_variance - 1.0 / cavity, 0.0)
    shift[:votes] = tilted_mean / tilted_variance - cavity_mean / cavity
    return precision, shift, float(log_constants.sum()), float(distance)


def _variances(rows: Comparisons, covariance: DenseCovariance, model: Model) -> Floats:
    """(M + G,) r^T Sigma r."""
    sigma, i, j = covariance.base, rows.first, rows.second
    v = sigma[i, i] + sigma[j, j] - 2.0 * sigma[i, j]
    if model.has_biases:
        b = bias_places(rows, model)
        v += sigma[b, b] + 2.0 * (sigma[i, b] - sigma[j, b])
    return np.asarray(v, np.float64)
