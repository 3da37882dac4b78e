"""The live posterior: posterior = fold(comparisons, model), one comparison at a time.

The mean is the exact MAP after every comparison. Sigma is exact at a checkpoint, every `period` comparisons, and in
between carries one rank-one update per comparison, its weight taken at the new MAP. Where a weight has drifted too far
from its value at the checkpoint, max_k |w_k(now) / w_k(checkpoint) - 1| > MAX_DRIFT, the covariance is computed afresh
at once. Checkpoints depend on the number of comparisons alone, so any process that folds the same comparisons holds the
same posterior, whenever it looked at the log.

Among more than AT_ONCE candidates an exact Sigma takes so long that nobody should wait for it. There a checkpoint
starts from the exact one of the checkpoint before, for which a whole period was time, and takes the comparisons since
in one product, their weights at its own MAP.

Where it is learnt what answers are worth, one that a judge repeats takes from the weight of the one before. Then each
covariance has the weights that the comparisons had when there were no more of them, and goes on by what they change.

An expert whose curvature hangs on p alone (gaussian, logit-gaussian, laplace) needs no checkpoint: its weights never
move and rank-one updates are exact for ever. After 100,000 of them on 40 candidates no entry of Sigma is off by more
than 1e-14, and ln det Sigma by less than 1e-10 (a test measures 20,000).

A sparse posterior (sparse.py) has no array Sigma, but intervals that are certain (covariance.py): every fold is a fit
from where the last one was, and the intervals follow its weights. They hold whichever comparisons were followed, but
how wide they are hangs on that.

    mu, Sigma, w   Posterior.mean, .covariance, .weights        (P,), (P, P), (seen,)
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
    plain,
    require_matrix,
    size_bytes,
)
from app.inference.fitting import newton
from app.inference.fitting.model import Model, hessian, information
from app.inference.fitting.sparse import fit_sparse, is_sparse, precision_at, size
from app.inference.kernels import bradley_terry, contiguous
from app.inference.kernels.comparison_graph import Graph
from app.inference.kernels.components import joined
from app.inference.types import Comparisons, Convergence, Floats, Ints, Outcome, no_comparisons, take
from app.inference.verdicts import pair_numbers

MAX_DRIFT = 0.5
MAX_PERIOD = 128
ROUNDED = 1e-12  # of a weight
AT_ONCE = 256  # candidates whose covariance is inverted within milliseconds


class Posterior(NamedTuple):
    """N(mean, covariance) over P parameters, given the first `seen` comparisons."""

    mean: Floats  # (P,) exact MAP
    covariance: Covariance  # (P, P)
    weights: Floats  # (seen,) w_k as they stand in the covariance; (0,) where they stand in rows
    convergence: Convergence
    votes: Graph | None = None  # what a sparse one has seen, in rows, where all are votes
    component: Ints | None = None  # (N,) of a sparse one, whom comparisons connect

    @property
    def seen(self) -> int:
        return len(self.weights) if self.votes is None else size(self.votes)

    @property
    def size_bytes(self) -> int:
        of_votes = 0 if self.votes is None else self.votes.weight.nbytes  # the rest is the covariance's, too
        return size_bytes(self.covariance) + self.mean.nbytes + self.weights.nbytes + of_votes


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
    if is_sparse(model):
        return _of_many(no_comparisons(), model, None)
    require_matrix(model.size)
    variances = 1.0 / model.prior.precision
    sigma = plain(np.diag(variances), float(np.log(variances).sum()))
    return Posterior(model.prior.pull * variances, sigma, np.empty(0), Convergence(Outcome.CONVERGED, 0, 0.0))


def fit(comparisons: Comparisons, model: Model, *, start: Floats | None = None) -> Posterior:
    """The exact Laplace posterior of all `comparisons`: MAP and fresh covariance."""
    if not comparisons.size:
        return prior(model)
    if is_sparse(model):
        return _of_many(comparisons, model, None, start=start)
    if bradley_terry.serves(model.expert, model.size) and (compiled := _fit_compiled(comparisons, model, start)):
        return compiled
    mean, weights, convergence = newton.fit(comparisons, model, start=start)
    return Posterior(mean, from_precision(hessian(weights, comparisons, model)), weights, convergence)


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
    return model.n > AT_ONCE and not is_sparse(model) and not model.expert.fixed_curvature


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
    mean, weights, convergence = newton.fit(comparisons, model, start=start)
    if not convergence.converged:
        return fit(comparisons, model)
    seen = posterior.seen
    counts = np.divide(comparisons.weight[:seen], before.weight, out=np.ones(seen), where=before.weight > 0.0)
    stale = np.append(posterior.weights * counts, weights[seen:])
    has_drifted = (np.abs(weights - stale) > MAX_DRIFT * stale).any()
    changes = stale - np.append(posterior.weights, np.zeros(comparisons.size - seen))
    rows, more = _by_row(take(comparisons, changes != 0.0), changes[changes != 0.0], model)
    if has_drifted or (more < -ROUNDED * stale.max()).any():
        return Posterior(mean, from_precision(hessian(weights, comparisons, model)), weights, convergence)
    return Posterior(mean, _conditioned(posterior.covariance, rows, np.maximum(more, 0.0), model), stale, convergence)


def _by_row(changed: Comparisons, changes: Floats, model: Model) -> tuple[Comparisons, Floats]:
    """Comparisons that have different rows in the design, and the sums of the changes of their weights.

    A judge who repeats a pair takes from the answer that it gave before what the new one weighs.
    """
    if changed.size < 2:
        return changed, changes
    row = pair_numbers(changed, model.n)
    if model.has_biases:
        row = (row * 2 + (changed.first < changed.second)) * (changed.judge.max() + 1) + changed.judge
    _, at, group = np.unique(row, return_index=True, return_inverse=True)
    return take(changed, at), np.asarray(np.bincount(group, changes), np.float64)


def exact(posterior: Posterior, comparisons: Comparisons, model: Model) -> Posterior:
    """`posterior` with its covariance exact at its mean: what is published."""
    if posterior.covariance.bounds:
        precision = precision_at(posterior.mean, comparisons, model, posterior.votes)
        return posterior._replace(covariance=bounded(precision, posterior.mean))
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


def _of_many(
    comparisons: Comparisons, model: Model, before: Posterior | None, *, start: Floats | None = None
) -> Posterior:
    """A sparse posterior: the MAP of all comparisons, and intervals of the variances."""
    votes, sigma = (before.votes, before.covariance) if before else (None, None)
    mean, precision, convergence, votes = fit_sparse(comparisons, model, start=start, before=votes)
    weights = newton.NONE if votes else newton.weights(mean, comparisons, model)
    component = _component(comparisons, model, before)
    return Posterior(mean, bounded(precision, mean, sigma), weights, convergence, votes, component)


def _component(comparisons: Comparisons, model: Model, before: Posterior | None) -> Ints:
    apart = np.arange(model.n)
    known, seen = (apart, 0) if before is None or before.component is None else (before.component, before.seen)
    return joined(known, contiguous(comparisons.first[seen:]), contiguous(comparisons.second[seen:]))


def _of_more(posterior: Posterior, comparisons: Comparisons, model: Model) -> Posterior:
    if posterior.seen == comparisons.size:
        return posterior
    return _of_many(comparisons, model, posterior, start=posterior.mean)


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
