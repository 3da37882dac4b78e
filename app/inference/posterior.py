"""The live posterior: posterior = fold(comparisons, model), one comparison at a time.

Scores are the exact MAP after every comparison. Sigma is exact at a checkpoint, every `period` comparisons, and
in between carries one rank-one update per comparison, its weight taken at the new MAP. The MAP needs no fresh
Sigma: the chord iteration (PoE A.7, methods 4)

    mu <- mu + Sigma g(mu)      until g = 0

uses the stale Sigma as a preconditioner only. Where a weight has drifted too far from its value at the
checkpoint, max_k |w_k(now) / w_k(checkpoint) - 1| > MAX_DRIFT, the covariance is computed afresh at once.
Checkpoints depend on the number of comparisons alone, so any process that folds the same comparisons holds
the same posterior, whenever it looked at the log.
"""

from typing import NamedTuple

import numpy as np

from app.inference import laplace
from app.inference.covariance import Covariance, condition, isotropic, size_bytes, times
from app.inference.laplace import Model
from app.inference.types import Comparisons, Convergence, Floats, Outcome, take

MAX_DRIFT = 0.5
MAX_CHORD_ITERATIONS = 30
MAX_PERIOD = 128


class Posterior(NamedTuple):
    """N(mean, covariance) over the scores of N candidates, given the first `seen` comparisons."""

    mean: Floats  # (N,) exact MAP
    covariance: Covariance  # (N, N)
    weights: Floats  # (seen,) w_k as they stand in the covariance
    convergence: Convergence

    @property
    def seen(self) -> int:
        return len(self.weights)

    @property
    def size_bytes(self) -> int:
        return size_bytes(self.covariance) + self.mean.nbytes + self.weights.nbytes


def period(n: int) -> int:
    """Comparisons between two exact covariances: every one for small sets, N/10 for large ones."""
    return min(max(n // 10, 1), MAX_PERIOD)


def prior(model: Model) -> Posterior:
    """What holds before any comparison: N(0, tau2 I)."""
    return Posterior(
        np.zeros(model.n),
        isotropic(model.n, model.prior_variance),
        np.empty(0),
        Convergence(Outcome.CONVERGED, 0, 0.0),
    )


def fit(comparisons: Comparisons, model: Model, *, start: Floats | None = None) -> Posterior:
    """The exact Laplace posterior of all `comparisons`: MAP and fresh covariance."""
    if not comparisons.size:
        return prior(model)
    scores, convergence = laplace.fit(comparisons, model, start=start)
    return _factored(scores, convergence, comparisons, model)


def fold(posterior: Posterior, comparisons: Comparisons, model: Model) -> Posterior:
    """Bring `posterior` up to all of `comparisons`, the first `posterior.seen` of which it has seen."""
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
    i, j = int(comparisons.first[-1]), int(comparisons.second[-1])
    guess = condition(posterior.covariance, i, j, _last_weight(posterior.mean, comparisons, model))
    mean, convergence = _chord(posterior.mean, guess, comparisons, model)
    if not convergence.converged:
        return fit(comparisons, model, start=posterior.mean)
    weight = _last_weight(mean, comparisons, model)
    weights = np.append(posterior.weights, weight)
    if _drift(weights, mean, comparisons, model) > MAX_DRIFT:
        return _factored(mean, convergence, comparisons, model)
    return Posterior(mean, condition(posterior.covariance, i, j, weight), weights, convergence)


def exact(posterior: Posterior, comparisons: Comparisons, model: Model) -> Posterior:
    """`posterior` with its covariance computed afresh at its mean: what is published."""
    if posterior.covariance.columns.shape[1] == 0:
        return posterior
    return _factored(posterior.mean, posterior.convergence, comparisons, model)


def _factored(mean: Floats, convergence: Convergence, comparisons: Comparisons, model: Model) -> Posterior:
    weights = laplace.weights(mean, comparisons, model)
    return Posterior(mean, laplace.covariance(mean, comparisons, model), weights, convergence)


def _chord(
    mean: Floats, preconditioner: Covariance, comparisons: Comparisons, model: Model
) -> tuple[Floats, Convergence]:
    g, iterations = laplace.gradient(mean, comparisons, model), 0
    while not laplace.is_small(g, comparisons, model) and iterations < MAX_CHORD_ITERATIONS:
        mean = mean + times(preconditioner, g)
        g, iterations = laplace.gradient(mean, comparisons, model), iterations + 1
    return mean, laplace.convergence(g, iterations, comparisons, model)


def _last_weight(mean: Floats, comparisons: Comparisons, model: Model) -> float:
    return float(laplace.weights(mean, take(comparisons, slice(-1, None)), model)[0])


def _drift(stale: Floats, mean: Floats, comparisons: Comparisons, model: Model) -> float:
    return float(np.abs(laplace.weights(mean, comparisons, model) / stale - 1.0).max(initial=0.0))
