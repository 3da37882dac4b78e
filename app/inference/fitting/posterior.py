"""The live posterior: posterior = fold(comparisons), which goes on from comparison to comparison.

The mean is the exact MAP after every comparison. Sigma is made afresh every `period` comparisons, and in between
carries one rank-one update per comparison, its weight taken at the new MAP. Where a weight has drifted too far from the
one that is in Sigma, |w - w in Sigma| > MAX_DRIFT w in Sigma, it is made afresh at once. What is published is always
made afresh (`exact`); what chooses a pair is within this tolerance (decision 73).

Among more than INVERTED_AT_ONCE candidates a fresh Sigma takes so long that nobody should wait for it. There `is_due`
says when it is wanted, and whoever has time fits and folds on from there.

Where it is learnt what answers are worth, one that a judge repeats takes from the weight of the one before: a
comparison keeps the weight that it has in Sigma, times what its own has changed by.

An expert whose curvature hangs on p alone (gaussian, logit-gaussian, laplace) needs no fresh Sigma: its weights never
move and rank-one updates are exact for ever. After 100,000 of them on 40 candidates no entry of Sigma is off by more
than 1e-14, and ln det Sigma by less than 1e-10 (a test measures 20,000).

Beyond DENSE candidates Sigma is certified, if the model has such a form (gaussian): every fold is a fit from where the
last one was, and the intervals follow its weights. They hold whichever comparisons were followed, but how wide they are
hangs on that.

    mu, Sigma, w in Sigma   Posterior.mean, .covariance, .weights        (P,), (P, P), (K,)
"""

from math import isfinite
from typing import NamedTuple

import numpy as np

from app.inference.fitting import newton
from app.inference.fitting.model import NONE, Model, hessian, information
from app.inference.fitting.newton import Fit
from app.inference.gaussian import (
    CertifiedCovariance,
    Covariance,
    DenseCovariance,
    DesignRows,
    Scores,
    from_precision,
    plain,
    require_matrix,
)
from app.inference.gaussian.certified import followed, measured, unmeasured
from app.inference.graphs.comparison_graph import Graph, Precision, precision_of
from app.inference.growing import appended
from app.inference.kernels import bradley_terry, contiguous
from app.inference.kernels.design import are_near
from app.inference.regimes import DENSE, INVERTED_AT_ONCE
from app.inference.types import Comparisons, Convergence, Floats, Outcome, no_comparisons, take

MAX_DRIFT = 0.5
MAX_PERIOD = 128
OVERDUE = 3  # periods without anybody who had time: it is made afresh at once
ROUNDED = 1e-12  # of a weight
VAGUEST = 1e4  # prior variance of scores whose covariance is certified


class Posterior(NamedTuple):
    """N(mean, covariance) over the P parameters of a model, given K comparisons."""

    mean: Floats  # (P,) exact MAP
    covariance: Covariance  # (P, P)
    weights: Floats  # (K,) w_k as they stand in the covariance; (0,) where that is certified
    convergence: Convergence
    comparisons: Comparisons
    model: Model
    graph: Graph | None = None  # the comparisons in rows, where the mean was found by them
    since_exact: int = 0  # comparisons, or changes of their weights, since the covariance was exact

    @property
    def seen(self) -> int:
        """K."""
        return self.comparisons.size

    @property
    def scores(self) -> Scores:
        """The marginal of the scores. Their ln det follows from that of all by ln det of the biases' own precision."""
        mean, covariance, model = self.mean, self.covariance, self.model
        if not model.has_biases:
            return Scores(mean, covariance)
        of_biases = (model.prior.precision + information(self.weights, self.comparisons, model))[model.n :]
        log_det = covariance.log_det + float(np.log(of_biases).sum())
        return Scores(mean[: model.n], covariance.block(model.n, log_det))

    @property
    def size_bytes(self) -> int:
        of_rows = 0 if self.graph is None else self.graph.size_bytes
        return self.covariance.size_bytes + self.mean.nbytes + self.weights.nbytes + of_rows


def period(n: int) -> int:
    """Comparisons between two fresh covariances: every one for small sets, N/10 for large ones."""
    return min(max(n // 10, 1), MAX_PERIOD)


def is_certified(model: Model, dense: int | None = None) -> bool:
    """True of more than `dense` candidates, where only scores are parameters, under one prior that is not too vague.

    Args: `dense` is DENSE by default.
    """
    precision = model.prior.precision
    return (
        model.n > (DENSE if dense is None else dense)
        and not model.allows_for_biases
        and model.expert.kink is None
        and bool((precision == precision[0]).all() and precision[0] >= 1.0 / VAGUEST)
    )


def prior(model: Model) -> Posterior:
    """The posterior before any comparison."""
    nothing, converged = no_comparisons(), Convergence(Outcome.CONVERGED, 0, 0.0)
    mean = model.prior.pull / model.prior.precision
    if is_certified(model):
        sigma: Covariance = measured(_precision(Fit(mean, converged), nothing, model), mean)
    else:
        require_matrix(model.size)
        sigma = plain(np.diag(1.0 / model.prior.precision), -float(np.log(model.prior.precision).sum()))
    return Posterior(mean, sigma, NONE, converged, nothing, model)


def fit(comparisons: Comparisons, model: Model, *, start: Floats | None = None, dense: int | None = None) -> Posterior:
    """The exact Laplace posterior of all `comparisons`: MAP and fresh covariance.

    Where H cannot be factored, the prior: it has seen the comparisons with weights of 0, and has not converged.

    Args: of more than `dense` candidates nothing of the covariance is worked out where it need not be a matrix.
    """
    if not comparisons.size:
        return prior(model)
    if is_certified(model, dense):
        fitted = newton.fit(comparisons, model, start=start)
        precision = _precision(fitted, comparisons, model)
        sigma = measured(precision, fitted.mean) if dense is None else unmeasured(precision)
        return _certified(fitted, sigma, comparisons, model)
    if bradley_terry.serves(model.expert, model.size) and (compiled := _fit_compiled(comparisons, model, start)):
        return compiled
    fitted = newton.fit(comparisons, model, start=start)
    weights = newton.weights(fitted.mean, comparisons, model)
    try:
        covariance = from_precision(hessian(weights, comparisons, model))
    except np.linalg.LinAlgError:
        convergence = Convergence(Outcome.SINGULAR, 0, np.nan)
        weights = np.zeros(comparisons.size)
        return prior(model)._replace(weights=weights, convergence=convergence, comparisons=comparisons)
    return Posterior(fitted.mean, covariance, weights, fitted.convergence, comparisons, model, fitted.graph)


def _fit_compiled(comparisons: Comparisons, model: Model, start: Floats | None) -> Posterior | None:
    """`fit` by one call of a kernel; None where that meets what is not finite or not positive definite."""
    votes, tolerance = newton.votes_of(comparisons, model), newton.tolerance(comparisons, model)
    start = np.zeros(model.size) if start is None else contiguous(start)
    mean, sigma, log_det, weights, iterations, gradient_norm = bradley_terry.fit(*votes, start, tolerance)
    if not isfinite(log_det + gradient_norm):
        return None
    convergence = Convergence.of(gradient_norm, iterations, tolerance)
    return Posterior(mean, plain(sigma, log_det), weights, convergence, comparisons, model)


def _precision(fitted: Fit, comparisons: Comparisons, model: Model) -> Precision:
    """H in rows in the order of the log: those of a fit to votes alone, as measurements stand behind the votes."""
    graph = fitted.graph
    if fitted.precision is not None and graph is not None and (graph.middle == graph.start[1:]).all():
        return fitted.precision
    first, second = contiguous(comparisons.first), contiguous(comparisons.second)
    weights = newton.weights(fitted.mean, comparisons, model)
    return precision_of(first, second, contiguous(weights), contiguous(model.prior.precision))


def _certified(fitted: Fit, sigma: CertifiedCovariance, comparisons: Comparisons, model: Model) -> Posterior:
    return Posterior(fitted.mean, sigma, NONE, fitted.convergence, comparisons, model, fitted.graph)


def fold(posterior: Posterior, comparisons: Comparisons) -> Posterior:
    """Bring `posterior` up to `comparisons`, which begin with those that it has seen, whatever these weigh now.

    Equivalent to `fit(comparisons, model)`: exactly for the mean, for the covariance within MAX_DRIFT of each weight.
    """
    model, new = posterior.model, comparisons.size - posterior.seen
    since_exact = posterior.since_exact + max(new, 1)
    if new and _is_made_afresh(posterior, new, since_exact):
        return fit(comparisons, model, start=posterior.mean if posterior.convergence.converged else None)
    goes_on = _has_seen(posterior.comparisons, comparisons)
    if goes_on and not new:
        return posterior
    graph = posterior.graph if goes_on else None
    if isinstance(posterior.covariance, CertifiedCovariance):
        fitted = newton.fit(comparisons, model, start=posterior.mean, before=graph)
        sigma = followed(posterior.covariance, _precision(fitted, comparisons, model), fitted.mean)
        return _certified(fitted, sigma, comparisons, model)._replace(since_exact=since_exact)
    fitted = newton.fit(comparisons, model, start=posterior.mean, near=posterior.covariance, before=graph)
    return _updated(posterior, fitted, comparisons, since_exact)


def _is_made_afresh(posterior: Posterior, new: int, since_exact: int) -> bool:
    """Whether so many new comparisons are cheaper by a fit, or its time has come."""
    if not isinstance(posterior.covariance, DenseCovariance):
        return False
    n, converged = posterior.model.n, posterior.convergence.converged
    periods = 1 if n <= INVERTED_AT_ONCE else OVERDUE
    return not converged or new > n or _wants_fresh(posterior.model, since_exact, periods)


def _has_seen(old: Comparisons, comparisons: Comparisons) -> bool:
    """Whether the old ones still say and weigh what they did."""
    return np.array_equal(comparisons.p[: old.size], old.p) and np.array_equal(
        comparisons.weight[: old.size], old.weight
    )


def _updated(posterior: Posterior, fitted: Fit, comparisons: Comparisons, since_exact: int) -> Posterior:
    """The posterior at a new MAP, where the weights that change in Sigma are rank-one updates."""
    model, seen = posterior.model, posterior.seen
    if not fitted.convergence.converged:
        return fit(comparisons, model)
    weights, before = newton.weights(fitted.mean, comparisons, model), posterior.comparisons.weight
    kept, changed = posterior.weights, np.empty(0, np.int64)
    if not np.array_equal(comparisons.weight[:seen], before):
        kept = kept * np.divide(comparisons.weight[:seen], before, out=np.ones(seen), where=before > 0.0)
        changed = np.flatnonzero(kept - posterior.weights)
    in_sigma = appended(kept, weights[seen:])
    first, second, _, judge, _ = take(comparisons, np.append(changed, np.arange(seen, len(weights))))
    rows = DesignRows(first, second, model.n + judge if model.has_biases else None)
    change = np.append(kept[changed] - posterior.weights[changed], weights[seen:])
    rows, changes = _once_each(rows, change, model.n)
    if not are_near(weights, in_sigma, MAX_DRIFT) or (changes < -ROUNDED * in_sigma.max()).any():
        return fit(comparisons, model, start=fitted.mean)
    sigma = posterior.covariance.condition(rows, np.maximum(changes, 0.0))
    return Posterior(fitted.mean, sigma, in_sigma, fitted.convergence, comparisons, model, fitted.graph, since_exact)


def _wants_fresh(model: Model, since_exact: int, periods: int = 1) -> bool:
    return not model.expert.fixed_curvature and since_exact >= periods * period(model.n)


def is_due(posterior: Posterior) -> bool:
    """Whether the covariance is to be made afresh, by whoever has time."""
    is_dense = isinstance(posterior.covariance, DenseCovariance)
    return is_dense and posterior.convergence.converged and _wants_fresh(posterior.model, posterior.since_exact)


def _once_each(rows: DesignRows, changes: Floats, n: int) -> tuple[DesignRows, Floats]:
    """The different ones of these rows, and the sums of the changes of their weights.

    A judge who repeats a pair takes from the answer that it gave before what the new one weighs.
    """
    first, second, bias = rows
    if len(changes) < 2:
        return rows, changes
    row = np.minimum(first, second) * n + np.maximum(first, second)
    if bias is not None:
        row = (row * 2 + (first < second)) * (bias.max() + 1) + bias
    _, at, group = np.unique(row, return_index=True, return_inverse=True)
    different = DesignRows(first[at], second[at], None if bias is None else bias[at])
    return different, np.asarray(np.bincount(group, changes), np.float64)


def exact(posterior: Posterior, dense: int | None = None) -> Posterior:
    """`posterior` with its covariance exact at its mean: what is published. Args: `dense` as of `fit`."""
    comparisons, model, covariance = posterior.comparisons, posterior.model, posterior.covariance
    if dense is None or not is_certified(model, dense):
        if posterior.since_exact == 0:
            return posterior
        if model.expert.fixed_curvature and isinstance(covariance, DenseCovariance):
            return posterior._replace(covariance=covariance.compact(), since_exact=0)
    return fit(comparisons, model, start=posterior.mean, dense=dense)
