"""Positional bias: how much a judge favours whatever is shown first (PoE 3.5, A.8, A.9; GPM 3.3).

delta > 0 favours the first position. Two ways to know it:

    closed form   beta = E[p] for the gaussian expert; delta = logit(E[p]) for soft-bt: no scores needed, sound where
                  pairs and their order are drawn at random     (PoE A.9 misses the minus: gamma = -logit(E[p]))
    jointly       delta_j as one more parameter of any expert, with a N(0, 1) prior: model.py; the scores' covariance
                  is then the Schur complement of the joint one, which is what `posterior.scores` reads off

A bias can be told from the scores only if orders are mixed. Where scores exist with s_first - s_second = 1 in every
comparison of a judge, raising delta by one and lowering those scores changes no d: its value is the prior's doing.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import lsqr
from scipy.special import logit

from app.inference.covariance import diagonal
from app.inference.model import Model
from app.inference.posterior import Posterior
from app.inference.types import Bools, Comparisons, Floats, take

MISFIT = 1e-6  # root mean square, above which no such scores exist


class Bias(NamedTuple):
    judge: int
    delta: float
    sd: float
    identified: bool  # the judge saw orders mixed enough to tell bias from scores
    comparisons: int
    discrimination: float | None = None  # c, where it is estimated


class ClosedForm(NamedTuple):
    beta: float  # mean p: what the gaussian expert takes for a tie
    delta: float  # logit of it: soft-bt; infinite where the judge only ever names one position


def closed_form(p: Floats) -> ClosedForm:
    """From (K,) probabilities of one judge, at least one of them."""
    beta = float(p.mean())
    return ClosedForm(beta, float(logit(beta)))


def estimates(posterior: Posterior, comparisons: Comparisons, model: Model) -> list[Bias]:
    """The bias of every judge that compared anything; none where biases are no parameters.

    Standard deviations include what is not known of the scores.
    """
    delta, sd = posterior.mean[model.n :], np.sqrt(diagonal(posterior.covariance)[model.n :])
    mine = [comparisons.judge == judge for judge in range(len(delta))]
    return [
        Bias(judge, float(delta[judge]), float(sd[judge]), is_identified(comparisons, rows, model.n), int(rows.sum()))
        for judge, rows in enumerate(mine)
        if rows.any()
    ]


def is_identified(comparisons: Comparisons, rows: Bools, n: int) -> bool:
    """Whether no scores have s_first - s_second = 1 in all of these comparisons."""
    some = take(comparisons, rows)
    k = np.arange(some.size)
    design = coo_array(
        (np.repeat([1.0, -1.0], some.size), (np.tile(k, 2), np.concatenate([some.first, some.second]))), (some.size, n)
    )
    misfit = lsqr(design.tocsr(), np.ones(some.size), atol=1e-12, btol=1e-12)[3]
    return bool(misfit > MISFIT * np.sqrt(some.size))
