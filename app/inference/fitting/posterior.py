"""The live posterior: posterior = fold(comparisons), which goes on from comparison to comparison.

The mean is the exact MAP after every comparison. Sigma is computed again every `period` comparisons, and in between
carries one rank-one update per comparison, its weight taken at the new MAP. Where a weight has drifted too far from the
one that is in Sigma, |w - w in Sigma| > MAX_DRIFT w in Sigma, it is computed again at once. What is published is always
computed in full (`exact`); what chooses a pair is within this tolerance (decision 73).

Up to FACTORED parameters of soft-bt are always fitted again, by one compiled loop, which is quicker.

Among more than INVERTED_AT_ONCE candidates no request should wait for a fresh Sigma. There `is_due` says when it is
wanted, and a process that has time fits and folds on from there.

Where verdict weights are learnt, a verdict that a judge repeats takes from the weight of the one before. A comparison
keeps the weight that it has in Sigma, times the change of its own.

An expert whose curvature depends only on p (gaussian, logit-gaussian, laplace) needs no fresh Sigma: its weights never
move and rank-one updates are always exact. After 100,000 of them on 40 candidates no entry of Sigma is off by more
than 1e-14, and ln det Sigma by less than 1e-10 (a test measures 20,000).

Beyond DENSE candidates H is kept in rows, if the model has such a form (gaussian), and every fold is a fit from where
the last one was.

    mu, Sigma, w in Sigma   Posterior.mean, .covariance, .weights        (P,), (P, P), (K,)
"""

from typing import NamedTuple

import numpy as np

from app.inference.fitting import newton
from app.inference.fitting.model import NONE, Model, hessian, information
from app.inference.fitting.newton import Fit
from app.inference.gaussian import (
    Covariance,
    DesignRows,
    Scores,
    SparseCovariance,
    from_precision,
    plain,
    require_matrix,
)
from app.inference.gaussian.sparse import from_rows
from app.inference.graphs.comparison_graph import Graph, Precision, precision_of
from app.inference.growing import appended
from app.inference.kernels import contiguous
from app.inference.kernels.bradley_terry import serves
from app.inference.kernels.design import are_near
from app.inference.regimes import DENSE, INVERTED_AT_ONCE
from app.inference.types import Comparisons, Convergence, Floats, Outcome, no_comparisons, take

MAX_DRIFT = 0.5
MAX_PERIOD = 128
OVERDUE = 3  # periods without a process that had time: it is computed again at once
ROUNDED = 1e-12  # of a weight
VAGUEST = 1e4  # prior variance of scores whose covariance is sparse


class Posterior(NamedTuple):
    """N(mean, covariance) over the P parameters of a model, given K comparisons."""

    mean: Floats  # (P,) exact MAP
    covariance: Covariance  # (P, P)
    weights: Floats  # (K,) w_k as they stand in the covariance; (0,) where that is sparse
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
        if model.size == model.n:
            return Scores(mean, covariance)
        if model.covariates is not None:
            return Scores(mean[: model.n], plain(covariance.matrix()[: model.n, : model.n].copy()))
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


def is_sparse(model: Model, dense: int | None = None) -> bool:
    """True of more than `dense` candidates, where only scores are parameters, under one prior that is not too vague.

    Args: `dense` is DENSE by default.
    """
    precision = model.prior.precision
    return (
        model.n > (DENSE if dense is None else dense)
        and not model.allows_for_biases
        and model.covariates is None
        and model.expert.kink is None
        and bool((precision == precision[0]).all() and precision[0] >= 1.0 / VAGUEST)
    )


def prior(model: Model) -> Posterior:
    """The posterior before any comparison."""
    mean, converged = model.prior.pull / model.prior.precision, Convergence(Outcome.CONVERGED, 0, 0.0)
    return _at(Fit(mean, converged, NONE), no_comparisons(), model)


def fit(comparisons: Comparisons, model: Model, *, start: Floats | None = None, dense: int | None = None) -> Posterior:
    """The exact Laplace posterior of all `comparisons`: MAP and fresh covariance.

    Where H cannot be factored, the prior: it has seen the comparisons with weights of 0, and has not converged.

    Args: of more than `dense` candidates the covariance is sparse, where the model has that form.
    """
    if not comparisons.size:
        return prior(model)
    fitted = newton.fit_compiled(comparisons, model, start) or newton.fit(comparisons, model, start=start)
    try:
        return _at(fitted, comparisons, model, dense)
    except np.linalg.LinAlgError:
        convergence = Convergence(Outcome.SINGULAR, 0, np.nan)
        weights = np.zeros(comparisons.size)
        return prior(model)._replace(weights=weights, convergence=convergence, comparisons=comparisons)


def _at(fitted: Fit, comparisons: Comparisons, model: Model, dense: int | None = None) -> Posterior:
    """The posterior around a MAP. Raises numpy.linalg.LinAlgError and TooMany."""
    mean, convergence, _, graph, _, sigma = fitted
    if is_sparse(model, dense):
        sparse = from_rows(_in_rows(fitted, comparisons, model))
        return Posterior(mean, sparse, NONE, convergence, comparisons, model, graph)
    weights = newton.weights_of(fitted, comparisons, model)
    if sigma is None and not comparisons.size:
        require_matrix(model.size)
        sigma = plain(np.diag(1.0 / model.prior.precision), -float(np.log(model.prior.precision).sum()))
    elif sigma is None:
        sigma = from_precision(hessian(weights, comparisons, model))
    return Posterior(mean, sigma, weights, convergence, comparisons, model, graph)


def _in_rows(fitted: Fit, comparisons: Comparisons, model: Model) -> Precision:
    """H in rows in the order of the log."""
    if fitted.precision is not None:
        return fitted.precision
    first, second = contiguous(comparisons.first), contiguous(comparisons.second)
    weights = newton.weights_of(fitted, comparisons, model)
    return precision_of(first, second, contiguous(weights), contiguous(model.prior.precision))


def fold(posterior: Posterior, comparisons: Comparisons) -> Posterior:
    """Bring `posterior` up to `comparisons`, which begin with those that it has seen, whatever these weigh now.

    Equivalent to `fit(comparisons, model)`: exactly for the mean, for the covariance within MAX_DRIFT of each weight.
    """
    model, old, sigma, seen = posterior.model, posterior.comparisons, posterior.covariance, posterior.seen
    new = comparisons.size - seen
    weigh_the_same = np.array_equal(comparisons.weight[:seen], old.weight)
    goes_on = weigh_the_same and np.array_equal(comparisons.p[:seen], old.p)
    if goes_on and not new:
        return posterior
    stays_exact = model.expert.fixed_curvature and sigma.has_matrix
    since_exact = 0 if stays_exact else posterior.since_exact + max(new, 1)
    if serves(model.expert, model.size) or (new and _is_recomputed(posterior, new, since_exact)):
        return fit(comparisons, model, start=posterior.mean if posterior.convergence.converged else None)
    graph = posterior.graph if goes_on else None
    fitted = newton.fit(comparisons, model, start=posterior.mean, near=sigma, before=graph)
    mean, convergence, _, graph, *_ = fitted
    if isinstance(sigma, SparseCovariance):
        return _at(fitted, comparisons, model, dense=0)
    weights, kept = newton.weights_of(fitted, comparisons, model), posterior.weights
    if not weigh_the_same:
        kept = kept * np.divide(comparisons.weight[:seen], old.weight, out=np.ones(seen), where=old.weight > 0.0)
    in_sigma = appended(kept, weights[seen:])
    rows, changes = _changes(posterior, in_sigma, comparisons)
    is_near = convergence.converged and are_near(weights, in_sigma, MAX_DRIFT)
    if not is_near or (changes < -ROUNDED * in_sigma.max()).any():
        return fit(comparisons, model, start=mean if convergence.converged else None)
    updated = sigma.condition(rows, np.maximum(changes, 0.0))
    return Posterior(mean, updated, in_sigma, convergence, comparisons, model, graph, since_exact)


def _is_recomputed(posterior: Posterior, new: int, since_exact: int) -> bool:
    """Whether so many new comparisons are cheaper by a fit, or its time has come."""
    n, converged = posterior.model.n, posterior.convergence.converged
    latest = period(n) if n <= INVERTED_AT_ONCE else OVERDUE * period(n)
    return posterior.covariance.has_matrix and (not converged or new > n or since_exact >= latest)


def _changes(posterior: Posterior, weights: Floats, comparisons: Comparisons) -> tuple[DesignRows, Floats]:
    """The different rows whose weights in Sigma change where it is to have these (K,), and by how much."""
    model, seen = posterior.model, posterior.seen
    old = np.flatnonzero(weights[:seen] != posterior.weights)
    moved = np.append(old, np.arange(seen, len(weights)))
    first, second, _, judge, _ = take(comparisons, moved)
    change = weights[moved]
    change[: len(old)] -= posterior.weights[old]
    return DesignRows(first, second, model.n + judge if model.has_biases else None).distinct(change, model.n)


def is_due(posterior: Posterior) -> bool:
    """Whether the covariance is to be computed again, by whichever process has time."""
    is_late = posterior.since_exact >= period(posterior.model.n)
    return is_late and posterior.convergence.converged and posterior.covariance.has_matrix


def exact(posterior: Posterior, dense: int | None = None) -> Posterior:
    """`posterior` with its covariance exact at its mean: what is published. Args: `dense` as of `fit`."""
    comparisons, model = posterior.comparisons, posterior.model
    if posterior.since_exact == 0 and (dense is None or not is_sparse(model, dense)):
        return posterior._replace(covariance=posterior.covariance.compact())
    return fit(comparisons, model, start=posterior.mean, dense=dense)
