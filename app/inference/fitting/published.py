"""The posterior as it is published: from all comparisons, by one method, with everything that the method learns.

Learnt hyperparameters are integrated out: the posterior of the scores is a mixture over their grid (weights.py),

    p(s) = sum_g w_g N(mu_g, Sigma_g)        mu_g, Sigma_g the posterior at point g; w_g, N(mu_g, Sigma_g) Scores.parts
"""

from typing import NamedTuple

import numpy as np

from app.inference.core.cells import Hyperparameters
from app.inference.core.edges import Edges
from app.inference.fitting.absolute import AbsoluteScores, Scale, combine
from app.inference.fitting.covariates import Effect, share_of_verdicts, with_covariates
from app.inference.fitting.evidence import Approximation, approximate
from app.inference.fitting.measurements import as_votes
from app.inference.fitting.model import Covariates, Method, Model, as_learnt, at_scale, build_for, edges_of
from app.inference.fitting.posterior import Posterior, fit_edges
from app.inference.fitting.weights import WEAK, Grid, Hyperprior, learn, repeat_correlation_of_votes, weighed
from app.inference.gaussian import Scores, mixed
from app.inference.types import Comparisons, Floats, Ints, Outcome

ONE_POINT = Grid(np.ones(1), np.ones(1), np.ones(1))  # of what is not learnt


class Published(NamedTuple):
    """A posterior with the model that it belongs to."""

    scores: Scores  # their marginal, also over learnt verdict weights
    posterior: Posterior  # where that is as it was learnt
    answers: Comparisons  # as they came
    comparisons: Comparisons  # with their weights in the model
    model: Model
    learnt: Hyperparameters | None = None
    scale: Scale | None = None  # of the absolute scores, if there are any
    scale_converged: bool = True


def publish(
    answers: Comparisons,
    item: Ints,
    absolute: AbsoluteScores,
    method: Method,
    n: int,
    judges: int,
    hyperprior: Hyperprior = WEAK,
    dense: int | None = None,
    approximation: Approximation = "laplace",
    saturated_as_votes: bool = False,
    covariates: Covariates | None = None,
) -> Published:
    """The posterior of N candidates by J judges, fitted from scratch; `item` (K,) is what each answer was about.

    Verdict weights and the scale of absolute scores are not integrated over together: with absolute scores, the
    former stay as they were learnt from comparisons.

    Args: of more than `dense` candidates the covariance is sparse where the model has that form; that of a mixture is a
        matrix. `approximation` is of the scores: "ep", by expectation propagation, serves where there are
        votes, few enough candidates and the prior unit. With `saturated_as_votes`, judges whose probabilities pile up
        at one value vote where verdict weights are learnt (measurements.py). `covariates` of the comparisons are
        taken out of the scores, by a covariance that is a matrix and Laplace's approximation.

    Raises ValueError where covariates are not of these comparisons, or the expert is not soft-bt.
    """
    learns = method.verdict_weight == "learnt"
    verdicts = as_votes(answers, item) if saturated_as_votes and learns else answers
    model, comparisons, learnt = build_for(method, n, verdicts, judges), verdicts, None
    approximation = approximation if method.prior == "unit" else "laplace"
    grid, is_given = ONE_POINT, method.absolute_scale == "given"
    if covariates is not None:
        model = with_covariates(model, covariates, verdicts)
    if learns and verdicts.size:
        learnt, grid = learn(verdicts, item, model, judges, hyperprior, approximation)
        model, comparisons = as_learnt(model, verdicts, learnt), weighed(verdicts, item, learnt)
    if absolute.size:
        posterior, scale, converged = combine(comparisons, model, absolute, is_given=is_given)
        of_scores = approximate(posterior, approximation)
        return Published(of_scores, posterior, answers, comparisons, posterior.model, learnt, scale, converged)
    is_sharp, edges = len(grid.weight) == 1, edges_of(comparisons, model)
    posterior = fit_edges(edges, model, dense=dense if is_sharp else None)
    if learnt is not None and not posterior.convergence.converged:
        one_vote = method._replace(verdict_weight="one-vote")
        stand_in = publish(answers, item, absolute, one_vote, n, judges, dense=dense, covariates=covariates)
        convergence = stand_in.posterior.convergence
        if convergence.converged:
            convergence = convergence._replace(outcome=Outcome.UNLEARNT)
        return stand_in._replace(posterior=stand_in.posterior._replace(convergence=convergence))
    of_scores = approximate(posterior, approximation) if is_sharp else integrate(edges, model, grid, approximation)
    if learnt is not None and is_sharp:
        of_scores = of_scores._replace(scale=learnt.scale)
    return Published(of_scores, posterior, answers, comparisons, model, learnt)


def integrate(edges: Edges, model: Model, grid: Grid, approximation: Approximation) -> Scores:
    """The marginal posterior of the scores; `edges` weigh what they do at the mean of the grid.

    Points where H cannot be factored are left out, unless all are such.
    """
    parts: list[tuple[float, Scores]] = []
    failed: list[tuple[float, Scores]] = []
    for weight, scale, noise in zip(*(column.tolist() for column in grid), strict=True):
        at_point = edges._replace(weight=edges.weight / noise, pulled=edges.pulled / noise)
        posterior = fit_edges(at_point, at_scale(model, scale))
        of_scores = approximate(posterior, approximation)._replace(scale=scale, noise=noise)
        is_singular = posterior.convergence.outcome is Outcome.SINGULAR and of_scores.votes is None
        (failed if is_singular else parts).append((weight, of_scores))
    total = sum(weight for weight, _ in parts or failed)
    return mixed([(weight / total, part) for weight, part in parts or failed])


def repeat_correlations(published: Published, item: Ints, judges: int) -> Floats:
    """(J,) rho as it was learnt, else by how far repeated votes vary (weights.py); `item` (K,) as of `publish`."""
    if published.learnt is not None:
        return published.learnt.repeat_correlation
    return repeat_correlation_of_votes(published.posterior, published.comparisons, item, judges)


def effects_of(published: Published, covariance: Floats | None = None) -> list[Effect]:
    """The effects of the covariates; none where there are none.

    Args: `covariance` (P, P) of all parameters, by default the posterior's.
    """
    posterior, model = published.posterior, published.model
    if model.covariates is None:
        return []
    n, start, sigma = model.n, model.biases_end, posterior.covariance.matrix() if covariance is None else covariance
    precision = posterior.edges.design.precision(posterior.weights, model.prior.precision)
    shares = share_of_verdicts(precision, posterior.covariance.diagonal[n:], model, 1.0 / model.prior.precision[n:])
    columns = posterior.mean[start:], np.sqrt(sigma.diagonal()[start:]), shares[start - n :]
    return [Effect(*row) for row in zip(model.covariates.names, *(each.tolist() for each in columns), strict=True)]
