"""The MAP parameters and the covariance around them: from nothing (fit), and from comparison to comparison (fold).

Maximise over theta in R^P, with q the prior's precision and h its pull (model.py)

    L(theta) = sum_e l_e(d_e) - sum_i (q_i theta_i^2 / 2 - h_i theta_i),    d = R theta + offset

    gradient g = R^T l' + h - q theta
    Hessian -H,  H = diag(q) + R^T diag(w) R,  w = -l''

by damped Newton steps (GPM 4.1, PoE A.5; core/maximum.py). l_e is what an edge says, up to a constant (core/edges.py).
Laplace's approximation around the maximum mu is N(mu, H^-1). The prior makes H positive definite whatever the
comparisons are: none at all, islands, ties only, or one candidate that always wins.

Where the expert has a kink, l(d) = -b |t - d|, the maximum is that of a quadratic program. With c_k = b weight_k, and a
slope u_k in [-c_k, c_k], theta is the maximum where (PoE-v1 App. B, with a Gaussian prior)

    q theta = R^T u + h
    t - R theta = over - under,   over (c - u) = 0,   under (c + u) = 0,   all four factors >= 0

An interior point (Nocedal and Wright 2006, 16.6) follows the products from a positive mean down to 0. Its Newton steps
aim at a share of that mean, and solve (diag(q) + R^T D R) x = y for D = 1 / (over / (c - u) + under / (c + u)).

A fold has the exact MAP after every comparison: Newton's steps go on from where one by the Sigma of before, with what
is new, leads. Sigma is computed again every `period` comparisons, and in between carries one rank-one update for each
edge that changed: what is added to its weight, at the new MAP. It is computed again at once where a weight has drifted,
|w - w in Sigma| > MAX_DRIFT w in Sigma, or falls: a verdict that a judge repeats may take from the weight of another
edge. What is published is always computed in full (`exact`; decision 73). Up to SMALL parameters are always fitted
again, which is quicker. Among more than MEDIUM candidates no request should wait for a fresh Sigma: `is_due` says when
it is wanted, and a process that has time fits and folds on from there.

Where curvature depends only on p (gaussian, logit-gaussian, laplace) rank-one updates are always exact. Beyond DENSE
candidates H is kept in rows, if the model has such a form (gaussian), and every fold is a fit.

    mu, Sigma, w in Sigma   Posterior.mean, .covariance, .weights        (P,), (P, P), (E,)
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve
from scipy.special import log_expit

from app.inference.core.edges import Edges, derivatives, p_of, require_matrix, slopes, step_of, told_since
from app.inference.core.maximum import CLOSE, Maximum, maximum
from app.inference.fitting.model import NONE, Model, edges_of
from app.inference.gaussian import Covariance, Scores, SparseCovariance, from_edges, from_precision, plain
from app.inference.regimes import DENSE, MEDIUM, SMALL
from app.inference.types import Comparisons, Convergence, Floats, Outcome, no_comparisons

MAX_DRIFT = 0.5
MAX_PERIOD = 128
OVERDUE = 3  # periods without a process that had time: it is computed again at once
ROUNDED = 1e-12  # of a weight
NEAR = 300  # parameters, of whom the last covariance makes the next fit shorter
VAGUEST = 1e4  # prior variance of scores whose covariance is sparse
MAX_ITERATIONS = 200  # of the interior point
KINK_TOLERANCE = 1e-9  # on how far any comparison is from its kink, or its slope from the end that holds off it
HEAVIEST = 1e13  # times the least precision of the prior: beyond it the prior is lost in rounding
EXHAUSTED = 1e-24  # of the mean product: past it only rounding moves
NEARER = 0.3  # of their mean, what products are to be after a step, and less after a long one
SHORT_OF_THE_EDGE = 0.99
SIGN = np.array([[1.0], [-1.0]])


class Posterior(NamedTuple):
    """N(mean, covariance) over the P parameters of a model, given what edges say."""

    mean: Floats  # (P,) exact MAP
    covariance: Covariance  # (P, P)
    weights: Floats  # (E,) w as they stand in the covariance; (0,) where that is sparse
    convergence: Convergence
    edges: Edges
    model: Model
    since_exact: int = 0  # changes of weights since the covariance was exact

    @property
    def scores(self) -> Scores:
        """The marginal of the scores. Their ln det follows from that of all by ln det of the biases' own precision."""
        mean, covariance, model, n = self.mean, self.covariance, self.model, self.model.n
        if model.size == n or isinstance(covariance, SparseCovariance):
            return Scores(mean, covariance)
        if model.covariates is not None:
            return Scores(mean[:n], plain(covariance.matrix()[:n, :n].copy()))
        of_biases = (model.prior.precision + self.edges.design.information(self.weights))[n:]
        base, columns, diagonal, log_det = covariance
        log_det += float(np.log(of_biases).sum())
        return Scores(
            mean[:n],
            covariance._replace(base=base[:n, :n], columns=columns[:, :n], diagonal=diagonal[:n], log_det=log_det),
        )

    @property
    def size_bytes(self) -> int:
        of_edges = sum(each.nbytes for each in (*self.edges[1:], *self.edges.design[2:4]))
        return self.covariance.size_bytes + self.mean.nbytes + self.weights.nbytes + of_edges


def map_of(edges: Edges, model: Model, *, start: Floats | None = None, near: Floats | None = None) -> Maximum[Floats]:
    """The MAP (P,), and w (E,) there; from the prior's mean on by default. Args: `near` (P, P) is close to H^-1."""
    q, pull, *_ = model.prior
    if not edges.size:
        return Maximum(pull / q, np.empty(0), Convergence(Outcome.CONVERGED, 0, 0.0))
    start = pull / q if start is None else start
    if model.expert.kink is not None:
        return _at_kinks(start, edges, model)
    theta, curvature, convergence = maximum(
        lambda theta: derivatives(edges, theta, model.expert, q, pull),
        lambda curvature, gradient: step_of(edges.design, curvature, q, gradient, near),
        start,
    )
    return Maximum(theta, curvature.weights, convergence)


def _at_kinks(start: Floats, edges: Edges, model: Model) -> Maximum[Floats]:
    """The MAP of an expert with a kink, of at least one edge, each of one comparison."""
    kink, design, (q, pull, *_) = model.expert.kink, edges.design, model.prior
    assert kink is not None
    p = p_of(edges)
    at = kink(p)
    theta, distance, steepest = start, at - design.differences(start), edges.votes * model.expert.slope(at - 1.0, p)
    slack = np.tile(steepest, (2, 1))
    gap = np.maximum(SIGN * distance, 0.0) + np.abs(distance).mean() + 1e-3
    iterations, share, moved = 0, 0.0, np.inf
    while True:
        slope = 0.5 * (slack[1] - slack[0])
        gradient = design.scatter(slope) + pull - q * theta
        to_kink = np.abs(slope - np.clip(slope + distance, -steepest, steepest)).max()
        converged, mean = to_kink <= KINK_TOLERANCE and moved <= CLOSE, (gap * slack).mean()
        if converged or iterations == MAX_ITERATIONS or not mean > EXHAUSTED:
            break
        goal = min(NEARER, 1.02 - share) * mean
        weights = 1.0 / ((gap / slack).sum(axis=0) + 1.0 / (HEAVIEST * q.min()))
        short = distance - (SIGN * goal / slack).sum(axis=0)
        try:
            factor = np.linalg.cholesky(design.precision(weights, q))
        except np.linalg.LinAlgError:
            break
        step = cho_solve((factor, True), gradient + design.scatter(weights * short), check_finite=False)
        steeper = weights * (short - design.times(step))
        wider = (goal + SIGN * gap * steeper) / slack - gap
        fall = max((-wider / gap).max(), (SIGN * steeper / slack).max())
        share = SHORT_OF_THE_EDGE / max(fall, SHORT_OF_THE_EDGE)
        theta, gap, slack = theta + share * step, gap + share * wider, slack - share * SIGN * steeper
        distance = at - design.differences(theta)
        iterations, moved = iterations + 1, (np.abs(step) * np.sqrt(q)).max()
    norm = float(np.abs(gradient).max())
    outcome = Outcome.MAX_ITERATIONS if np.isfinite(norm) else Outcome.NOT_FINITE
    convergence = Convergence(Outcome.CONVERGED if converged else outcome, iterations, norm)
    return Maximum(theta, edges.votes * model.expert.curvature(design.differences(theta), p), convergence)


def log_posterior(theta: Floats, edges: Edges, model: Model) -> float:
    """L(theta), up to a constant."""
    (design, votes, wins, weight, pulled), prior = edges, model.prior
    d = design.differences(theta)
    if model.expert.as_soft_bt is None:
        of_edges = votes @ model.expert.log_density(d, p_of(edges))
    else:
        of_edges = wins @ log_expit(d) + (votes - wins) @ log_expit(-d) + pulled @ d - 0.5 * (weight @ (d * d))
    return float(of_edges + theta @ (prior.pull - 0.5 * prior.precision * theta))


def period(n: int) -> int:
    """Changes of edges between two fresh covariances."""
    return min(max(n // 10, 1), MAX_PERIOD)


def is_sparse(model: Model, dense: int | None = None) -> bool:
    """True of more than `dense` candidates, scores alone being parameters, under one prior that is not too vague."""
    q = model.prior.precision
    has_scores_alone = not model.allows_for_biases and model.covariates is None and model.expert.kink is None
    is_many = model.n > (DENSE if dense is None else dense)
    return is_many and has_scores_alone and bool((q == q[0]).all() and q[0] >= 1.0 / VAGUEST)


def prior(model: Model) -> Posterior:
    """The posterior before any comparison."""
    return fit(no_comparisons(), model)


def fit(comparisons: Comparisons, model: Model, *, start: Floats | None = None, dense: int | None = None) -> Posterior:
    """`fit_edges` of what these comparisons say."""
    return fit_edges(edges_of(comparisons, model), model, start=start, dense=dense)


def fit_edges(edges: Edges, model: Model, *, start: Floats | None = None, dense: int | None = None) -> Posterior:
    """The exact Laplace posterior of all that edges say; the prior, not converged, where H cannot be factored.

    Args: of more than `dense` candidates the covariance is sparse, where the model has that form.
    """
    try:
        return _around(map_of(edges, model, start=start), edges, model, dense if edges.size else None)
    except np.linalg.LinAlgError:
        mean, none = model.prior.pull / model.prior.precision, np.zeros(edges.size)
        return _around(Maximum(mean, none, Convergence(Outcome.SINGULAR, 0, np.nan)), edges, model)


def _around(top: Maximum[Floats], edges: Edges, model: Model, dense: int | None = None) -> Posterior:
    """The posterior around a MAP. Raises numpy.linalg.LinAlgError and TooMany."""
    (mean, weights, convergence), q = top, model.prior.precision
    if is_sparse(model, dense):
        return Posterior(mean, from_edges(edges.design, weights, q), NONE, convergence, edges, model)
    if weights.any():
        sigma = from_precision(edges.design.precision(weights, q))
    else:
        require_matrix(model.size)
        sigma = plain(np.diag(1.0 / q), -float(np.log(q).sum()))
    return Posterior(mean, sigma, weights, convergence, edges, model)


def fold(posterior: Posterior, edges: Edges) -> Posterior:
    """Bring `posterior` up to `edges`, whatever they say now; quickly, if they begin with the rows that it has seen.

    Equivalent to `fit_edges(edges, model)`: exactly for the mean, for the covariance within MAX_DRIFT of each weight.
    """
    model, sigma, mean = posterior.model, posterior.covariance, posterior.mean
    start, dense = mean if posterior.convergence.converged else None, None if sigma.has_matrix else 0
    since = told_since(edges, posterior.edges)
    if since is None:
        return fit_edges(edges, model, start=start, dense=dense)
    changed, told = since
    if not len(changed):
        return posterior
    since_exact = 0 if model.expert.fixed_curvature else posterior.since_exact + len(changed)
    latest = period(model.n) if model.n <= MEDIUM else OVERDUE * period(model.n)
    is_quicker = len(mean) <= SMALL or len(changed) > model.n or since_exact >= latest or start is None
    if isinstance(sigma, SparseCovariance) or is_quicker:
        return fit_edges(edges, model, start=start, dense=dense)
    slope, more = slopes(told, told.design.differences(mean), model.expert)
    spread = sigma.times_rows(told.design)
    ahead = np.linalg.solve(np.eye(len(changed)) + more[:, None] * told.design.times(spread.T), slope) @ spread
    near = sigma.base if len(mean) <= NEAR else None
    mean, weights, convergence = map_of(edges, model, start=mean + ahead, near=near)
    _, more = slopes(told, told.design.differences(mean), model.expert)
    in_sigma = np.append(posterior.weights, np.zeros(edges.size - posterior.edges.size))
    in_sigma[changed] += more
    is_near = convergence.converged and bool((np.abs(weights - in_sigma) <= MAX_DRIFT * in_sigma).all())
    if not is_near or (more < -ROUNDED * in_sigma.max()).any():
        return fit_edges(edges, model, start=mean if convergence.converged else None)
    updated = sigma.condition(told.design, np.maximum(more, 0.0))
    return Posterior(mean, updated, in_sigma, convergence, edges, model, since_exact)


def is_due(posterior: Posterior) -> bool:
    """Whether the covariance is to be computed again, by whichever process has time."""
    is_late = posterior.since_exact >= period(posterior.model.n)
    return is_late and posterior.convergence.converged and posterior.covariance.has_matrix


def exact(posterior: Posterior, dense: int | None = None) -> Posterior:
    """`posterior` with its covariance exact at its mean: what is published. Args: `dense` as of `fit_edges`."""
    edges, model = posterior.edges, posterior.model
    if posterior.since_exact == 0 and (dense is None or not is_sparse(model, dense)):
        return posterior._replace(covariance=posterior.covariance.compact())
    return fit_edges(edges, model, start=posterior.mean, dense=dense)
