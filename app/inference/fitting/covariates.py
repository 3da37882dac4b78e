"""Covariates: what may sway a judge beside how good an output is, such as its length, taken out of the scores (ours).

Output i of prompt m has the value f_mi. With sd the standard deviation of f over the outputs that were compared,
comparison k has

    x_k = (f_first - f_second) / sd      d_k = s_first - s_second + delta_judge + x_k beta      beta ~ N(0, 1)

beta > 0: outputs with more of it win more. Like the scores, beta is a parameter (model.py). The marginal of the scores
is what candidates would score if all outputs had the same value. No next pair is chosen by such a model (decision 75).

An effect is identifiable beside the scores only if outputs of the same candidate differ in it, and a positional bias
only if orders are mixed: where scores exist with s_first - s_second = 1 in every comparison of a judge, raising delta
by one and lowering those scores changes no d. It is a matter of degree. With V the posterior variance of delta and
V_flat that under a flat prior on the scores, both from H,

    share = V (1 / V_flat - 1 / prior variance)

of what is known of delta comes from verdicts and from no prior: 0 in a tree of comparisons or where one half is always
shown first, near 1 where each candidate is first as often as second. Likewise of beta.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from app.inference.fitting.model import BIAS_VARIANCE, Covariates, Model
from app.inference.types import Comparisons, Floats, Ints

EFFECT_VARIANCE = 1.0  # of beta, before any comparison
FLAT = 1e-6  # of the precision of the scores' prior


class Effect(NamedTuple):
    """beta of one covariate, in logits for each standard deviation."""

    name: str
    mean: float
    sd: float
    share: float  # of what is known of beta that verdicts tell: near 0 where outputs of a candidate are all alike in it


def covariates_of(outputs: Mapping[str, Floats], comparisons: Comparisons, item: Ints) -> Covariates:
    """The covariates of K comparisons, by name, from what each output has of them.

    Args: `outputs` (I, N), NaN where there is no output; `item` (K,) is the prompt of each comparison.

    Raises ValueError where an output that was compared has no finite value.
    """
    sides, prompt = np.concatenate([comparisons.first, comparisons.second]), np.tile(item, 2)
    x = np.empty((comparisons.size, len(outputs)))
    for column, (name, values) in zip(x.T, outputs.items(), strict=True):
        first, second = values[prompt, sides].reshape(2, -1)
        column[:] = first - second
        if without := int((~np.isfinite(column)).sum()):
            raise ValueError(f"{without} comparisons are of an output without a value of {name}; give one for each")
        compared = np.unique(prompt * values.shape[1] + sides)
        sd = float(values.ravel()[compared].std()) if len(x) else 0.0
        column /= sd or 1.0
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
