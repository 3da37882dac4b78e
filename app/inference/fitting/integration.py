"""The posterior of the scores once the hyperparameters are integrated out: a mixture over their grid.

    p(s) = sum_g w_g N(mu_g, Sigma_g)        mu_g, Sigma_g the posterior at point g of the grid (hyperparameters.py)

Its mean and covariance are those of all, sum_g w_g (Sigma_g + mu_g mu_g^T) less the mean's. Draws and intervals are of
the mixture itself, whose tails are heavier than a normal's.

    w_g, N(mu_g, Sigma_g)   Scores.parts
"""

import numpy as np

from app.inference.core.edges import Edges
from app.inference.fitting.expectation_propagation import propagate, serves
from app.inference.fitting.hyperparameters import Approximation, Grid
from app.inference.fitting.model import Model
from app.inference.fitting.posterior import fit_edges
from app.inference.fitting.verdict_weights import at_scale
from app.inference.gaussian import Scores, plain
from app.inference.types import Floats, Outcome

Weighted = tuple[float, Scores]


def integrate(edges: Edges, model: Model, grid: Grid, approximation: Approximation = "laplace") -> Scores:
    """The marginal posterior of the scores; `edges` weigh what they do at the mean of the grid.

    Points where H cannot be factored are left out, unless all are such.
    """
    parts: list[Weighted] = []
    failed: list[Weighted] = []
    for weight, scale, noise in zip(*grid, strict=True):
        at_point = edges._replace(weight=edges.weight / noise, pulled=edges.pulled / noise)
        of_point = at_scale(model, float(scale))
        of_scores, outcome = approximate(at_point, of_point, approximation)
        of_scores = of_scores._replace(scale=float(scale), noise=float(noise))
        is_singular = outcome is Outcome.SINGULAR
        (failed if is_singular else parts).append((float(weight), of_scores))
    total = sum(weight for weight, _ in parts)
    return mixed([(weight / total, part) for weight, part in parts] if failed and parts else parts or failed)


def approximate(edges: Edges, model: Model, approximation: Approximation = "laplace") -> tuple[Scores, Outcome]:
    """The marginal posterior of the scores at the model's tau2; Laplace's where sites cannot be factored.

    That takes a hundred thousand votes of one answer, or a tau2 of a million.
    """
    if approximation == "ep" and serves(edges, model):
        posterior, _, votes = propagate(edges, model)
        if posterior.convergence.outcome is not Outcome.SINGULAR:
            return posterior.scores._replace(votes=votes), posterior.convergence.outcome
    posterior = fit_edges(edges, model)
    return posterior.scores, posterior.convergence.outcome


def mixed(parts: list[Weighted]) -> Scores:
    """The mixture of posteriors with these weights, which sum to 1; one alone is itself."""
    if len(parts) == 1:
        return parts[0][1]
    mean: Floats = np.sum([weight * part.mean for weight, part in parts], axis=0)
    sigma = np.zeros((len(mean), len(mean)))
    for weight, part in parts:
        apart = part.mean - mean
        sigma += weight * (part.covariance.matrix() + np.outer(apart, apart))
    return Scores(mean, plain(sigma), tuple(parts))
