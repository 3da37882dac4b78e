"""The live posterior: posterior = fold(comparisons, model), one comparison at a time.

The mean is the exact MAP after every comparison. Sigma is exact at a checkpoint, every `period` comparisons, and in
between carries one rank-one update per comparison, its weight taken at the new MAP. Where a weight has drifted too far
from its value at the checkpoint, max_k |w_k(now) / w_k(checkpoint) - 1| > MAX_DRIFT, the covariance is computed afresh
at once. Checkpoints depend on the number of comparisons alone, so any process that folds the same comparisons holds the
same posterior, whenever it looked at the log.

Among more than INVERTED_AT_ONCE candidates an exact Sigma takes so long that nobody should wait for it. There a
checkpoint starts from the exact one of the checkpoint before, for which a whole period was time, and takes the
comparisons since in one product, their weights at its own MAP.

Where it is learnt what answers are worth, one that a judge repeats takes from the weight of the one before. Then each
covariance has the weights that the comparisons had when there were no more of them, and goes on by what they change.

An expert whose curvature hangs on p alone (gaussian, logit-gaussian, laplace) needs no checkpoint: its weights never
move and rank-one updates are exact for ever. After 100,000 of them on 40 candidates no entry of Sigma is off by more
than 1e-14, and ln det Sigma by less than 1e-10 (a test measures 20,000).

A sparse posterior (sparse.py) has no array Sigma, but intervals that are certain (covariance.py): every fold is a fit
from where the last one was, and the intervals follow its weights. They hold whichever comparisons were followed, but
how wide they are hangs on that.

    mu, Sigma, w   Posterior.mean, .covariance, .weights        (P,), (P, P), (seen,) or, with a graph, (2 seen,)
"""

from collections.abc import Callable
from math import isfinite
from typing import NamedTuple

import numpy as np

from app.inference.covariance import (
    Covariance,
    Rows,
    block,
    bounded,
    compact,
    condition_all,
    from_precision,
    in_rows,
    plain,
    require_matrix,
    size_bytes,
)
from app.inference.fitting import newton
from app.inference.fitting.model import Model, hessian, information
from app.inference.fitting.newton import Climbed
from app.inference.fitting.sparse import fit_sparse, is_sparse, precision_at
from app.inference.kernels import bradley_terry, contiguous
from app.inference.kernels.comparison_graph import Graph, carried, evaluate, with_room, without_room
from app.inference.regimes import INVERTED_AT_ONCE
from app.inference.types import Comparisons, Convergence, Floats, Outcome, no_comparisons, take

MAX_DRIFT = 0.5
MAX_PERIOD = 128
ROUNDED, UNMOVED = 1e-12, 1e-9  # of a weight


class Posterior(NamedTuple):
    """N(mean, covariance) over P parameters, given the first `seen` comparisons."""

    mean: Floats  # (P,) exact MAP
    covariance: Covariance  # (P, P)
    weights: Floats  # w_k as they stand in the covariance: (seen,), or in the rows of the graph; (0,) of a sparse one
    convergence: Convergence
    graph: Graph | None = None  # what was seen, in rows, where the mean was found by them

    @property
    def seen(self) -> int:
        return len(self.weights) if self.graph is None else self.graph.size

    @property
    def size_bytes(self) -> int:
        of_rows = 0 if self.graph is None else self.graph.size_bytes
        return size_bytes(self.covariance) + self.mean.nbytes + self.weights.nbytes + of_rows


class _Moved(NamedTuple):
    """A posterior at a new mean, before its covariance follows."""

    posterior: Posterior
    are_near: bool  # all weights are within MAX_DRIFT of those that are held
    rows: Rows
    changes: Floats  # (L,) of the weights that are held of these rows


class Scores(NamedTuple):
    """The marginal posterior of the N scores, biases integrated out: what selection and rankings read."""

    mean: Floats  # (N,)
    covariance: Covariance  # (N, N)
    parts: "tuple[tuple[float, Scores], ...]" = ()  # weights and posteriors of the mixture that it is, if it is one
    scale: float | None = None  # tau2 of a part
    noise: float = 1.0  # sigma2 of a part, relative to that learnt


def period(n: int) -> int:
    """Comparisons between two exact covariances: every one for small sets, N/10 for large ones."""
    return min(max(n // 10, 1), MAX_PERIOD)


def prior(model: Model) -> Posterior:
    """The posterior before any comparison."""
    if is_sparse(model):
        return _of_many(no_comparisons(), model, None)
    require_matrix(model.size)
    variances = 1.0 / model.prior.precision
    mean, sigma = model.prior.pull * variances, plain(np.diag(variances), float(np.log(variances).sum()))
    if climbed := newton.fit_in_rows(no_comparisons(), model, start=mean):
        return _in_rows(climbed, sigma, newton.NONE)
    return Posterior(mean, sigma, newton.NONE, Convergence(Outcome.CONVERGED, 0, 0.0))


def fit(comparisons: Comparisons, model: Model, *, start: Floats | None = None, dense: int | None = None) -> Posterior:
    """The exact Laplace posterior of all `comparisons`: MAP and fresh covariance.

    Where H cannot be factored, the prior: it has seen the comparisons with weights of 0, and has not converged.

    Args: of more than `dense` candidates nothing of the covariance is worked out where it need not be a matrix.
    """
    if not comparisons.size:
        return prior(model)
    if dense is not None and is_sparse(model, dense):
        mean, precision, convergence, graph = fit_sparse(comparisons, model, start=start)
        return Posterior(
            mean, in_rows(precision), _weights_of_many(mean, graph, comparisons, model), convergence, graph
        )
    if is_sparse(model):
        return _of_many(comparisons, model, None, start=start)
    if bradley_terry.serves(model.expert, model.size) and (compiled := _fit_compiled(comparisons, model, start)):
        return compiled
    start = np.zeros(model.size) if start is None else start
    try:
        return _fit_by_matrix(comparisons, model, start)
    except np.linalg.LinAlgError:
        convergence = Convergence(Outcome.SINGULAR, 0, np.nan)
        return prior(model)._replace(weights=np.zeros(comparisons.size), convergence=convergence, graph=None)


def _fit_by_matrix(comparisons: Comparisons, model: Model, start: Floats) -> Posterior:
    """Raises numpy.linalg.LinAlgError."""
    if climbed := newton.fit_in_rows(comparisons, model, start=start):
        weights = newton.weights(climbed.mean, comparisons, model)
        return _in_rows(climbed, from_precision(hessian(weights, comparisons, model)), climbed.graph.weights)
    mean, weights, convergence = newton.fit(comparisons, model, start=start)
    return Posterior(mean, from_precision(hessian(weights, comparisons, model)), weights, convergence)


def _in_rows(climbed: Climbed, sigma: Covariance, weights: Floats) -> Posterior:
    return Posterior(climbed.mean, sigma, weights, climbed.convergence, without_room(climbed.graph))


def _fit_compiled(comparisons: Comparisons, model: Model, start: Floats | None) -> Posterior | None:
    """`fit` by one call of a kernel; None where that meets what is not finite or not positive definite."""
    votes, tolerance = newton.votes_of(comparisons, model), newton.tolerance(comparisons, model)
    start = np.zeros(model.size) if start is None else contiguous(start)
    mean, sigma, log_det, weights, iterations, gradient_norm = bradley_terry.fit(*votes, start, tolerance)
    if not isfinite(log_det + gradient_norm):
        return None
    return Posterior(mean, plain(sigma, log_det), weights, Convergence.of(gradient_norm, iterations, tolerance))


def fold(
    posterior: Posterior,
    comparisons: Comparisons,
    model: Model,
    checkpoint: Posterior | None = None,
    first: Callable[[int], Comparisons] | None = None,
) -> Posterior:
    """Bring `posterior` up to all of `comparisons`, the first `posterior.seen` of which it has seen.

    Args:
        checkpoint: the exact posterior of the first `last_checkpoint` of those seen, where it is known already.
        first: the first ones of them with the weights that they had when there were no more; by default they never had
            others.
    """
    if is_sparse(model) or model.expert.fixed_curvature:
        if first and not np.array_equal(first(posterior.seen).weight, comparisons.weight[: posterior.seen]):
            posterior = prior(model)
        return (_of_more if is_sparse(model) else _extend)(posterior, comparisons, model)
    first, end = first or (lambda size: take(comparisons, slice(size))), last_checkpoint(comparisons.size, model)
    if posterior.seen < end:
        posterior = _at_checkpoint(posterior.mean, end, first, model, checkpoint)
    for seen in range(posterior.seen, comparisons.size):
        posterior = _update(posterior, first(seen), first(seen + 1), model, start=posterior.mean)
    return posterior


def last_checkpoint(seen: int, model: Model) -> int:
    """How many comparisons there were at the last checkpoint."""
    return seen - seen % period(model.n)


def is_inverted_ahead(model: Model) -> bool:
    """Whether the exact posterior at a checkpoint is what the next checkpoint starts from."""
    return model.n > INVERTED_AT_ONCE and not is_sparse(model) and not model.expert.fixed_curvature


def _at_checkpoint(
    start: Floats, end: int, first: Callable[[int], Comparisons], model: Model, before: Posterior | None
) -> Posterior:
    if not is_inverted_ahead(model):
        return fit(first(end), model, start=start)
    seen = end - period(model.n)
    if before is None or before.seen != seen:
        before = fit(first(seen), model, start=start)
    posterior = _update(before, first(seen), first(end), model, start=start)
    return posterior._replace(covariance=compact(posterior.covariance))


def _update(
    posterior: Posterior, before: Comparisons, comparisons: Comparisons, model: Model, *, start: Floats
) -> Posterior:
    """The posterior after more comparisons than those `before`, which it has seen and which may have other weights now.

    Equivalent to `fit(comparisons, model)`: exactly so for the mean, up to drift for the covariance.
    """
    moved = (_move if posterior.graph is None else _move_in_rows)(posterior, before, comparisons, model, start)
    if moved is None or not moved.posterior.convergence.converged:
        return fit(comparisons, model)
    rows, changes = _once_each(moved.rows, moved.changes, model.n)
    if not moved.are_near or (changes < -ROUNDED * moved.posterior.weights.max()).any():
        return fit(comparisons, model, start=moved.posterior.mean)
    return moved.posterior._replace(covariance=condition_all(posterior.covariance, rows, np.maximum(changes, 0.0)))


def _move(posterior: Posterior, before: Comparisons, comparisons: Comparisons, model: Model, start: Floats) -> _Moved:
    mean, weights, convergence = newton.fit(comparisons, model, start=start, near=posterior.covariance)
    seen, in_sigma = posterior.seen, posterior.weights
    counts = np.divide(comparisons.weight[:seen], before.weight, out=np.ones(seen), where=before.weight > 0.0)
    in_next = np.append(in_sigma * counts, weights[seen:])
    are_near = bool((np.abs(weights - in_next) <= MAX_DRIFT * in_next).all())
    changes = in_next - np.append(in_sigma, np.zeros(len(weights) - seen))
    rows = _rows_of(take(comparisons, changes != 0.0), model)
    return _Moved(Posterior(mean, posterior.covariance, in_next, convergence), are_near, rows, changes[changes != 0.0])


def _move_in_rows(
    posterior: Posterior, before: Comparisons, comparisons: Comparisons, model: Model, start: Floats
) -> _Moved | None:
    """Equivalent to `_move`, of what the rows of a graph know.

    None where no MAP is found that way, and where votes of a judge who says 1/2 have become measurements: these have
    other places in the rows.
    """
    old = posterior.graph
    assert old is not None
    if not np.array_equal(comparisons.p[: old.size], before.p):
        return None
    goes_on = start is posterior.mean and np.array_equal(comparisons.weight[: old.size], before.weight)
    climbed = newton.fit_in_rows(comparisons, model, start=start, before=old if goes_on else None)
    if climbed is None:
        return None
    in_next, are_near, first, second, changes = carried(old, posterior.weights, climbed.graph, MAX_DRIFT)
    return _Moved(_in_rows(climbed, posterior.covariance, in_next), are_near, Rows(first, second), changes)


def _rows_of(comparisons: Comparisons, model: Model) -> Rows:
    return Rows(comparisons.first, comparisons.second, model.n + comparisons.judge if model.has_biases else None)


def _once_each(rows: Rows, changes: Floats, n: int) -> tuple[Rows, Floats]:
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
    different = Rows(first[at], second[at], None if bias is None else bias[at])
    return different, np.asarray(np.bincount(group, changes), np.float64)


def exact(posterior: Posterior, comparisons: Comparisons, model: Model, dense: int | None = None) -> Posterior:
    """`posterior` with its covariance exact at its mean: what is published. Args: `dense` as of `fit`."""
    if dense is not None and comparisons.size and is_sparse(model, dense):
        return fit(comparisons, model, start=posterior.mean, dense=dense)
    if posterior.covariance.bounds:
        precision = precision_at(posterior.mean, comparisons, model, posterior.graph)
        return posterior._replace(covariance=bounded(precision, posterior.mean))
    if model.expert.fixed_curvature:
        return posterior._replace(covariance=compact(posterior.covariance))
    if not len(posterior.covariance.columns) and _holds_its_own_weights(posterior, comparisons, model):
        return posterior
    return fit(comparisons, model, start=posterior.mean)


def _holds_its_own_weights(posterior: Posterior, comparisons: Comparisons, model: Model) -> bool:
    """Whether no weight has moved since it entered the covariance; at a checkpoint of many candidates it may have."""
    if posterior.graph is None:
        weights = newton.weights(posterior.mean, comparisons, model)
    else:
        _, weights = evaluate(posterior.mean, with_room(posterior.graph))
    return bool((np.abs(weights - posterior.weights) <= UNMOVED * weights).all())


def scores(posterior: Posterior, comparisons: Comparisons, model: Model) -> Scores:
    """The marginal of the scores. Their ln det follows from that of all by ln det of the biases' own precision."""
    if not model.has_biases:
        return Scores(posterior.mean, posterior.covariance)
    n, seen = model.n, take(comparisons, slice(posterior.seen))
    of_biases = (model.prior.precision + information(posterior.weights, seen, model))[n:]
    log_det = posterior.covariance.log_det + float(np.log(of_biases).sum())
    return Scores(posterior.mean[:n], block(posterior.covariance, n, log_det))


def _of_many(
    comparisons: Comparisons, model: Model, before: Posterior | None, *, start: Floats | None = None
) -> Posterior:
    """A sparse posterior: the MAP of all comparisons, and intervals of the variances."""
    graph, sigma = (before.graph, before.covariance) if before else (None, None)
    mean, precision, convergence, graph = fit_sparse(comparisons, model, start=start, before=graph)
    weights = _weights_of_many(mean, graph, comparisons, model)
    return Posterior(mean, bounded(precision, mean, sigma), weights, convergence, graph)


def _weights_of_many(mean: Floats, graph: Graph | None, comparisons: Comparisons, model: Model) -> Floats:
    return newton.NONE if graph else newton.weights(mean, comparisons, model)


def _of_more(posterior: Posterior, comparisons: Comparisons, model: Model) -> Posterior:
    if posterior.seen == comparisons.size:
        return posterior
    return _of_many(comparisons, model, posterior, start=posterior.mean)


def _extend(posterior: Posterior, comparisons: Comparisons, model: Model) -> Posterior:
    """`fold` for fixed curvature: rank-one updates, many at a time; more than N of them are cheaper afresh."""
    if comparisons.size == posterior.seen:
        return posterior
    if comparisons.size - posterior.seen > model.n or not posterior.convergence.converged:
        return fit(comparisons, model, start=posterior.mean)
    mean, weights, convergence = newton.fit(comparisons, model, start=posterior.mean)
    new = slice(posterior.seen, None)
    sigma = condition_all(posterior.covariance, _rows_of(take(comparisons, new), model), weights[new])
    return Posterior(mean, sigma, weights, convergence)
