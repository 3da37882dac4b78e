"""The share of verdicts in what is known of a positional bias (ours; none of the papers).

A bias is identifiable beside the scores only if orders are mixed. Where scores exist with s_first - s_second = 1 in
every comparison of a judge, raising delta by one and lowering those scores changes no d. Then what is known of delta is
what the scores' prior makes of it. How much the verdicts tell is a matter of degree: with V the posterior variance of
delta and V_flat that under a flat prior on the scores, both from H,

    share = V (1 / V_flat - 1 / prior variance)

of what is known of delta comes from verdicts and from no prior: 0 in a tree of comparisons or where one half is always
shown first, near 1 where each candidate is first as often as second. The same holds for the effect of a covariate,
which has a prior variance of its own, and is identifiable only if outputs of the same candidate differ in it.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from app.inference.fitting.model import BIAS_VARIANCE, Model
from app.inference.types import Floats

FLAT = 1e-6  # of the precision of the scores' prior


def share_of_verdicts(
    precision: Floats,
    variance: Floats,
    model: Model,
    start: int | None = None,
    prior_variance: Floats | float = BIAS_VARIANCE,
) -> Floats:
    """(J,) shares, from H (over N scores, then J biases and whatever else) and the biases' variances (J,).

    Args: `start` is the place of the first of these J parameters, N by default; `prior_variance` is of each.

    0 where the verdicts tell so little without the prior that H cannot be factored.
    """
    n, prior, start = model.n, model.prior, model.n if start is None else start
    flat = precision.copy()
    flat[np.arange(n), np.arange(n)] += np.maximum(prior.absolute[:n], FLAT / prior.variance) - prior.precision[:n]
    places = np.arange(len(variance))
    of_biases = np.zeros((len(flat), len(variance)))
    of_biases[start + places, places] = 1.0
    try:
        factor = cho_factor(flat.T, overwrite_a=True)
    except np.linalg.LinAlgError:
        return np.zeros(len(variance))
    alone = cho_solve(factor, of_biases)[start + places, places]
    return np.asarray(variance * (1.0 / alone - 1.0 / prior_variance))
