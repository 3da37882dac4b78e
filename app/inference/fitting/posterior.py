"""The live posterior: posterior = fold(comparisons, model), one comparison at a time.

The mean is the exact MAP after every comparison. Sigma is exact at a checkpoint, every `period` comparisons, and in
between carries one rank-one update per comparison, its weight taken at the new MAP. The MAP needs no fresh Sigma: the
chord iteration (PoE A.7, methods 4)

    mu <- mu + Sigma g(mu)      until g = 0

uses the stale Sigma as a preconditioner only. Where a weight has drifted too far from its value at the checkpoint,
max_k |w_k(now) / w_k(checkpoint) - 1| > MAX_DRIFT, the covariance is computed afresh at once. Checkpoints depend on
the number of comparisons alone, so any process that folds the same comparisons holds the same posterior, whenever it
looked at the log.

An expert whose curvature hangs on p alone (gaussian, logit-gaussian, laplace) needs no checkpoint: its weights never
move and rank-one updates are exact for ever. After 100,000 of them on 40 candidates no entry of Sigma is off by more
than 1e-14, and ln det Sigma by less than 1e-10 (a test measures 20,000).

    mu, Sigma, w   Posterior.mean, .covariance, .weights        (P,), (P, P), (seen,)
"""

from math import isfinite
from typing import NamedTuple

import numpy as np

from app.inference.covariance import (
    Covariance,
    Rows,
    block,
    compact,
    condition_all,
    from_precision,
    plain,
    size_bytes,
    times,
)
from app.inference.fitting import newton
from app.inference.fitting.model import Model, differences, hessian, information
from app.inference.kernels import bradley_terry
from app.inference.types import Comparisons, Convergence, Floats, Outcome, take

MAX_DRIFT = 0.5
NO_BIAS = np.empty(0, np.int64)
MAX_CHORD_ITERATIONS = 30
MAX_PERIOD = 128


class Posterior(NamedTuple):
    """N(mean, covariance) over P parameters, given the first `seen` comparisons."""

    mean: Floats  # (P,) exact MAP
    covariance: Covariance  # (P, P)
    weights: Floats  # (seen,) w_k as they stand in the covariance
    convergence: Convergence

    @property
    def seen(self) -> int:
        return len(self.weights)

    @property
    def size_bytes(self) -> int:
        return size_bytes(self.covariance) + self.mean.nbytes + self.weights.nbytes


class Scores(NamedTuple):
    """The marginal posterior of the N scores, biases integrated out: what selection and rankings read."""

    mean: Floats  # (N,)
    covariance: Covariance  # (N, N)
    parts: "tuple[tuple[float, Scores], ...]" = ()  # weights and posteriors of the mixture that it is, if it is one
    scale: float | None = None  # tau2 of a part


def period(n: int) -> int:
    """Comparisons between two exact covariances: every one for small sets, N/10 for large ones."""
    return min(max(n // 10, 1), MAX_PERIOD)


def prior(model: Model) -> Posterior:
    """The posterior before any comparison."""
    variances = 1.0 / model.prior.precision
    sigma = plain(np.diag(variances), float(np.log(variances).sum()))
    return Posterior(model.prior.pull * variances, sigma, np.empty(0), Convergence(Outcome.CONVERGED, 0, 0.0))


def fit(comparisons: Comparisons, model: Model, *, start: Floats | None = None) -> Posterior:
    """The exact Laplace posterior of all `comparisons`: MAP and fresh covariance."""
    if not comparisons.size:
        return prior(model)
    if bradley_terry.serves(model.expert, model.size) and (compiled := _fit_compiled(comparisons, model, start)):
        return compiled
    mean, weights, convergence = newton.fit(comparisons, model, start=start)
    return Posterior(mean, from_precision(hessian(weights, comparisons, model)), weights, convergence)


def _fit_compiled(comparisons: Comparisons, model: Model, start: Floats | None) -> Posterior | None:
    """`fit` by one call of a kernel; None where that meets what is not finite or not positive definite."""
    assert model.expert.as_soft_bt is not None
    p, tolerance = model.expert.as_soft_bt(comparisons.p), newton.tolerance(comparisons, model)
    measure = model.expert.measurement
    mean, sigma, log_det, weights, iterations, gradient_norm = bradley_terry.fit(
        comparisons.first.copy(),  # whose layout a kernel knows
        comparisons.second.copy(),
        model.n + comparisons.judge if model.has_biases else NO_BIAS,
        np.zeros(len(p)) if model.known_biases is None else model.known_biases[comparisons.judge],
        p.copy(),
        np.full(len(p), np.nan) if measure is None else measure(p),
        comparisons.weight.copy(),
        model.prior.precision,
        model.prior.pull,
        np.zeros(model.size) if start is None else start,
        tolerance,
    )
    if not isfinite(log_det + gradient_norm):
        return None
    return Posterior(mean, plain(sigma, log_det), weights, Convergence.of(gradient_norm, iterations, tolerance))


def fold(posterior: Posterior, comparisons: Comparisons, model: Model) -> Posterior:
    """Bring `posterior` up to all of `comparisons`, the first `posterior.seen` of which it has seen."""
    if model.expert.fixed_curvature:
        return _extend(posterior, comparisons, model)
    checkpoint = comparisons.size - comparisons.size % period(model.n)
    if posterior.seen < checkpoint:
        posterior = fit(take(comparisons, slice(checkpoint)), model, start=posterior.mean)
    for seen in range(posterior.seen, comparisons.size):
        posterior = update(posterior, take(comparisons, slice(seen + 1)), model)
    return posterior


def update(posterior: Posterior, comparisons: Comparisons, model: Model) -> Posterior:
    """The posterior after one more comparison, the last of `comparisons`.

    Equivalent to `fit(comparisons, model)`: exactly so for the mean, up to drift for the covariance.
    """
    last, tolerance = take(comparisons, slice(-1, None)), newton.tolerance(comparisons, model)
    sigma = _conditioned(posterior.covariance, last, newton.weights(posterior.mean, last, model), model)
    mean, iterations = posterior.mean, 0
    while True:  # the chord iteration
        d = differences(mean, comparisons, model)
        g = newton.gradient(mean, d, comparisons, model)
        convergence = Convergence.of(float(np.abs(g).max()), iterations, tolerance)
        if convergence.converged or iterations == MAX_CHORD_ITERATIONS:
            break
        mean, iterations = mean + times(sigma, g), iterations + 1
    if not convergence.converged:
        return fit(comparisons, model, start=posterior.mean)
    weights = comparisons.weight * model.expert.curvature(d, comparisons.p)
    stale = np.append(posterior.weights, weights[-1])
    if np.abs(weights / stale - 1.0).max() > MAX_DRIFT:
        return Posterior(mean, from_precision(hessian(weights, comparisons, model)), weights, convergence)
    return Posterior(mean, _conditioned(posterior.covariance, last, weights[-1:], model), stale, convergence)


def exact(posterior: Posterior, comparisons: Comparisons, model: Model) -> Posterior:
    """`posterior` with its covariance exact at its mean: what is published."""
    if posterior.covariance.columns.shape[1] == 0:
        return posterior
    if model.expert.fixed_curvature:
        return posterior._replace(covariance=compact(posterior.covariance))
    weights = newton.weights(posterior.mean, comparisons, model)
    return posterior._replace(covariance=from_precision(hessian(weights, comparisons, model)), weights=weights)


def scores(posterior: Posterior, comparisons: Comparisons, model: Model) -> Scores:
    """The marginal of the scores. Their ln det follows from that of all by ln det of the biases' own precision."""
    if not model.has_biases:
        return Scores(posterior.mean, posterior.covariance)
    n, seen = model.n, take(comparisons, slice(posterior.seen))
    of_biases = (model.prior.precision + information(posterior.weights, seen, model))[n:]
    log_det = posterior.covariance.log_det + float(np.log(of_biases).sum())
    return Scores(posterior.mean[:n], block(posterior.covariance, n, log_det))


def _extend(posterior: Posterior, comparisons: Comparisons, model: Model) -> Posterior:
    """`fold` for fixed curvature: rank-one updates, many at a time; more than N of them are cheaper afresh."""
    if comparisons.size == posterior.seen:
        return posterior
    if comparisons.size - posterior.seen > model.n:
        return fit(comparisons, model, start=posterior.mean)
    mean, weights, convergence = newton.fit(comparisons, model, start=posterior.mean)
    new = slice(posterior.seen, None)
    sigma = _conditioned(posterior.covariance, take(comparisons, new), weights[new], model)
    return Posterior(mean, sigma, weights, convergence)


def _conditioned(sigma: Covariance, new: Comparisons, weights: Floats, model: Model) -> Covariance:
    bias = model.n + new.judge if model.has_biases else None
    return condition_all(sigma, Rows(new.first, new.second, bias), weights)
