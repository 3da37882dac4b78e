"""The posterior as it is published: from all comparisons, by one method, with everything that the method learns.

Learnt hyperparameters are integrated out: the posterior of the scores is a mixture over their grid (weights.py),

    p(s) = sum_g w_g N(mu_g, Sigma_g)        mu_g, Sigma_g the posterior at point g; w_g, N(mu_g, Sigma_g) Scores.parts

Covariates are what may sway a judge beside how good an output is, such as its length. They are taken out of the scores
(decision 75; ours). Output i of prompt m has the value f_mi. With sd the standard deviation of f over the outputs that
were compared, comparison k has

    x_k = (f_first - f_second) / sd      d_k = s_first - s_second + delta_judge + x_k beta      beta ~ N(0, 1)

beta > 0: outputs with more of it win more. Like the scores, beta is a parameter (model.py). The marginal of the scores
is what candidates would score if all outputs had the same value. Verdict weights are learnt as if there were none, and
again from measurements y_k - x_k beta^, beta^ the mode by the first ones. Votes stay as they are, so that their tau2
holds what covariates add to the scores.

An effect is identifiable beside the scores only if outputs of the same candidate differ in it, and a positional bias
only if orders are mixed. With V the posterior variance of delta and V_flat that under a flat prior on the scores, both
from H,

    share = V (1 / V_flat - 1 / prior variance)

of what is known of delta comes from verdicts and from no prior: 0 in a tree of comparisons or where one half is always
shown first, near 1 where each candidate is first as often as second. Likewise of beta.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, logit

from app.inference.core.cells import Hyperparameters
from app.inference.core.edges import Edges
from app.inference.experts import is_vote
from app.inference.fitting.absolute import AbsoluteScores, Scale, combine
from app.inference.fitting.evidence import Approximation, approximate
from app.inference.fitting.measurements import as_votes
from app.inference.fitting.model import (
    BIAS_VARIANCE,
    Covariates,
    Method,
    Model,
    as_learnt,
    at_scale,
    build_for,
    edges_of,
)
from app.inference.fitting.posterior import Posterior, fit, fit_edges
from app.inference.fitting.weights import WEAK, Grid, Hyperprior, learn, repeat_correlation_of_votes, weighed
from app.inference.gaussian import Scores, mixed
from app.inference.types import Comparisons, Floats, Ints, Outcome

ONE_POINT = Grid(np.ones(1), np.ones(1), np.ones(1))  # of what is not learnt
EFFECT_VARIANCE = 1.0  # of beta, before any comparison
LARGEST_P = np.nextafter(1.0, 0.0)  # of what is no vote
FLAT = 1e-6  # of the precision of the scores' prior


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


class Effect(NamedTuple):
    """beta of one covariate, in logits for each standard deviation."""

    name: str
    mean: float
    sd: float
    share: float  # of what is known of beta that verdicts tell: near 0 where outputs of a candidate are all alike in it


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

    With absolute scores, verdict weights stay as they were learnt from comparisons, and are not integrated over.

    Args: of more than `dense` candidates the covariance is sparse where the model has that form, unless it is a mixture
        or has `covariates`. `approximation` is of the scores, "ep" where the prior is unit and it serves. With
        `saturated_as_votes`, probabilities that pile up are votes where weights are learnt (measurements.py).

    Raises ValueError where covariates are not of these comparisons, or the expert is not soft-bt.
    """
    learns = method.verdict_weight == "learnt"
    verdicts = as_votes(answers, item) if saturated_as_votes and learns else answers
    alone, comparisons, learnt, grid = build_for(method, n, verdicts, judges), verdicts, None, ONE_POINT
    model = alone if covariates is None else with_covariates(alone, covariates, verdicts)
    approximation = approximation if method.prior == "unit" else "laplace"
    if learns and verdicts.size:
        learnt, grid = learn(verdicts, item, alone, judges, hyperprior, approximation)
        unswayed = verdicts if covariates is None else without_effects(verdicts, item, model, covariates, learnt)
        if (unswayed.p != verdicts.p).any():
            learnt, grid = learn(unswayed, item, alone, judges, hyperprior, approximation)
        model, comparisons = as_learnt(model, verdicts, learnt), weighed(verdicts, item, learnt)
    if absolute.size:
        is_given = method.absolute_scale == "given"
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
    """(J,) rho as it was learnt, else by how far repeated votes vary (weights.py)."""
    if published.learnt is not None:
        return published.learnt.repeat_correlation
    return repeat_correlation_of_votes(published.posterior, published.comparisons, item, judges)


def covariates_of(outputs: Mapping[str, Floats], comparisons: Comparisons, item: Ints) -> Covariates:
    """The covariates of K comparisons, by name, from those of `outputs` (I, N).

    Raises ValueError where an output that was compared has no finite value.
    """
    first, second, x = comparisons.first, comparisons.second, np.empty((comparisons.size, len(outputs)))
    for column, (name, values) in zip(x.T, outputs.items(), strict=True):
        column[:] = values[item, first] - values[item, second]
        if without := int((~np.isfinite(column)).sum()):
            raise ValueError(f"{without} comparisons are of an output without a value of {name}; give one for each")
        is_compared = np.zeros(values.shape, np.bool_)
        is_compared[item, first] = is_compared[item, second] = True
        column /= (values.std(where=is_compared) if len(x) else 0.0) or 1.0
    return Covariates(tuple(outputs), x)


def with_covariates(model: Model, covariates: Covariates, comparisons: Comparisons) -> Model:
    """The same model with beta beside its parameters. Raises ValueError."""
    names, values = covariates
    if model.expert.as_soft_bt is None:
        raise ValueError("covariates need the expert soft-bt or hard-bt")
    if values.shape != (comparisons.size, len(names)) or not np.isfinite(values).all():
        raise ValueError(f"covariates need {len(names)} finite values for each of the {comparisons.size} comparisons")
    prior = model.prior.and_others(model.size, np.full(len(names), 1.0 / EFFECT_VARIANCE))
    return model._replace(prior=prior, covariates=covariates)


def without_effects(
    verdicts: Comparisons, item: Ints, model: Model, covariates: Covariates, learnt: Hyperparameters
) -> Comparisons:
    """The verdicts, whose measurements are y - x beta^."""
    weights = weighed(verdicts, item, learnt)
    effect = covariates.values @ fit(weights, as_learnt(model, verdicts, learnt)).mean[model.biases_end :]
    unswayed = np.clip(expit(logit(weights.p) - effect), 1.0 - LARGEST_P, LARGEST_P)
    return verdicts._replace(p=np.where(is_vote(weights.p) | (effect == 0.0), weights.p, unswayed))


def effects_of(published: Published, covariance: Floats | None = None) -> list[Effect]:
    """The effects of the covariates, if any, by the `covariance` (P, P), which is the posterior's by default."""
    posterior, model = published.posterior, published.model
    if model.covariates is None:
        return []
    n, start, sigma = model.n, model.biases_end, posterior.covariance.matrix() if covariance is None else covariance
    precision = posterior.edges.design.precision(posterior.weights, model.prior.precision)
    shares = share_of_verdicts(precision, posterior.covariance.diagonal[n:], model, 1.0 / model.prior.precision[n:])
    columns = posterior.mean[start:], np.sqrt(sigma.diagonal()[start:]), shares[start - n :]
    return [Effect(*row) for row in zip(model.covariates.names, *(each.tolist() for each in columns), strict=True)]


def share_of_verdicts(
    precision: Floats, variance: Floats, model: Model, prior_variance: Floats | float = BIAS_VARIANCE
) -> Floats:
    """(J,) shares, from the variances (J,) of J biases or effects, and H over N scores, these, and whatever else.

    0 where the verdicts tell so little without the prior that H cannot be factored.
    """
    n, prior, flat, apart = model.n, model.prior, precision.copy(), np.eye(len(precision), len(variance), -model.n)
    flat[np.diag_indices(n)] += (np.maximum(prior.absolute, FLAT / prior.variance) - prior.precision)[:n]
    try:
        alone = (apart.T @ cho_solve(cho_factor(flat.T, overwrite_a=True), apart)).diagonal()
    except np.linalg.LinAlgError:
        return np.zeros(len(variance))
    return np.asarray(variance * (1.0 / alone - 1.0 / prior_variance))
