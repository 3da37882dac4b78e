"""Positional bias: how much a judge favours whatever is shown first (PoE 3.5, A.8, A.9; GPM 3.3).

delta > 0 favours the first position. Two ways to know it:

    closed form   no scores needed, sound where pairs and their order are drawn at random: fitting/model.py
    jointly       delta_j as one more parameter of any expert, with a N(0, BIAS_VARIANCE) prior that is next to flat

At the joint maximum delta is drawn to 0 with the scores, since verdicts that saturate look alike. What is reported has
the scores integrated out: one Newton step from there on ln p(delta) = L - ln det(H_ss) / 2, of at most one standard
deviation. It is the biases' part of

    Sigma R^T (l3(d) v / 2),   v_k = (e_first - e_second)^T H_ss^-1 (e_first - e_second)

with l3 the third derivative of l and H_ss the part of H over the scores.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from app.inference.core.edges import slopes
from app.inference.fitting.judge_aware import JudgeAware
from app.inference.fitting.model import Model, design_of, standard_errors, with_biases_as_parameters
from app.inference.fitting.posterior import Posterior
from app.inference.fitting.published import share_of_verdicts
from app.inference.gaussian import from_precision
from app.inference.types import Comparisons, Floats

ENOUGH = 0.5  # share of verdicts, from which on a bias counts as identified
PROVEN = 2.0  # standard deviations
STEP = 1e-4  # in d, between the curvatures that l3 is read off


class Bias(NamedTuple):
    judge: int
    delta: float
    sd: float
    identified: bool  # verdicts tell more of it than priors do
    comparisons: int
    discrimination: float | None = None  # c, where it is estimated
    sd_of_discrimination: float | None = None
    is_closed_form: bool = False

    @property
    def is_against(self) -> bool:
        c, sd = self.discrimination, self.sd_of_discrimination
        return c is not None and sd is not None and c < -PROVEN * sd


def estimates(posterior: Posterior, comparisons: Comparisons, model: Model) -> list[Bias]:
    """The bias of every judge that compared anything, and whose bias the model allows for."""
    if not model.allows_for_biases or not comparisons.size:
        return []
    if model.known_biases is not None:
        return _in_closed_form(model.known_biases, posterior, comparisons, model)
    design, variance = posterior.edges.design, posterior.covariance.diagonal[model.n :]
    _, weights = slopes(posterior.edges, design.differences(posterior.mean), model.expert)
    precision, of_prior = design.precision(weights, model.prior.precision), 1.0 / model.prior.precision[model.n :]
    sd, step = np.sqrt(variance), _scores_integrated_out(posterior, comparisons, model)[model.n :]
    delta = posterior.mean[model.n :] + np.clip(step, -sd, sd)
    shares = share_of_verdicts(precision, variance, model, prior_variance=of_prior)
    return [bias for bias in listed(comparisons, delta, sd, shares) if model.estimated_biases[bias.judge]]


def listed(comparisons: Comparisons, delta: Floats, sd: Floats, shares: Floats, *more: Floats) -> list[Bias]:
    """One for each judge of these comparisons, from what is known of each of J judges: `more` are c and its sds."""
    counts = np.bincount(comparisons.judge, minlength=len(delta))
    columns = (np.arange(len(delta)), delta, sd, shares >= ENOUGH, counts, *more)
    return [Bias(*row) for row in zip(*(column[counts > 0].tolist() for column in columns), strict=True)]


def judge_biases(aware: JudgeAware, comparisons: Comparisons) -> list[Bias]:
    return listed(comparisons, aware.delta, aware.sd_of_delta, aware.share_of_verdicts, aware.c, aware.sd_of_c)


def _in_closed_form(biases: Floats, posterior: Posterior, comparisons: Comparisons, model: Model) -> list[Bias]:
    """Identified are those that would be if they were parameters: the closed form cannot tell a mix of orders."""
    wider, design = with_biases_as_parameters(model, len(biases)), design_of(comparisons, model)
    rows = comparisons.weight * model.expert.curvature(design.differences(posterior.mean), comparisons.p)
    precision = design_of(comparisons, wider).precision(rows, wider.prior.precision)
    variance = from_precision(precision.copy()).diagonal[model.n :]
    shares, sd = share_of_verdicts(precision, variance, wider), standard_errors(model.expert, comparisons, biases)
    return [bias._replace(is_closed_form=True) for bias in listed(comparisons, biases, sd, shares)]


def _scores_integrated_out(posterior: Posterior, comparisons: Comparisons, model: Model) -> Floats:
    """(P,) the step above, with H_ss^-1 = Sigma_ss - Sigma_sb Sigma_bb^-1 Sigma_bs."""
    sigma, n, first, second = posterior.covariance.matrix(), model.n, comparisons.first, comparisons.second
    v = posterior.covariance.variances(first, second)
    spread: Floats = solve_triangular(cholesky(sigma[n:, n:], lower=True), sigma[n:, :n], lower=True)
    for column in spread:
        v -= np.square(column[first] - column[second])
    design = design_of(comparisons, model)
    d = design.differences(posterior.mean)
    below, above = (model.expert.curvature(d + h, comparisons.p) for h in (-STEP, STEP))
    third = comparisons.weight * (below - above) / (2.0 * STEP)
    return posterior.covariance.times(design.scatter(0.5 * third * v))
