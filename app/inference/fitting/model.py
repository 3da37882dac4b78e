"""The model, which is fixed while comparisons come in: who is ranked, the expert, the prior, whether judges lean.

The parameters are theta = (s_1 .. s_N, delta_1 .. delta_J, beta_1 .. beta_C): N scores; where positional bias is
estimated, one bias per judge; and the effects of C covariates, if any (covariates.py). P = N + J + C. Comparison k has

    d_k = s_first - s_second + delta_judge + x_k^T beta = r_k^T theta

delta > 0: the judge favours the first position. beta > 0: it favours the output that has more of the covariate.

(PoE writes f(d - gamma), GPM f(d - Delta): delta = -gamma = -Delta.) The prior is Gaussian and independent:

    unit      s_n ~ N(0, tau2) for every score                                                  GPM 4.2
    anchor    s_n ~ N(0, VAGUE), next to nothing, whatever tau2 is                              for PoE 3.4
    bias      delta_j ~ N(0, BIAS_VARIANCE); by default N(0, VOTERS_BIAS_VARIANCE) of who votes  decision 29, 71
              N(0, HELD_VARIANCE) of a judge that has none                                        decision 30
    effect    beta_c ~ N(0, 1)                                                                    decision 75

PoE holds one score, the anchor, and leaves the others free. As long as the comparisons connect all candidates, the
differences of scores have the same posterior whichever score is held. Only differences are published. So none is held
here: a hold on one would distinguish it from candidates that are its equals. VAGUE keeps islands and certain verdicts
well posed, and moves differences by about a millionth.

    N, P, K, J   model.n, model.size, comparisons.size, judges
    s, delta     theta[:n], theta[n : n + J]                     (N,), (J,)
    beta, x      theta[n + J :], covariates.values               (C,), (K, C)
    R            design_times (R x), scatter (R^T y)              (K, P): +1 at first, -1 at second, +1 at the bias, x
    q, h         prior.precision, prior.pull                     (P,): mean and variance of the prior are h / q, 1 / q
    H            hessian                                         (P, P)
    phi w(d)     expected_weight                                 of an answer that has not come yet
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from app.inference import experts
from app.inference.experts import Expert, measured_bt, soft_bt
from app.inference.gaussian import require_matrix
from app.inference.kernels import contiguous, design
from app.inference.kernels.design import NO_BIAS
from app.inference.types import Bools, Comparisons, Floats, Ints

NONE = np.empty(0)
VAGUE = 1e6
BIAS_VARIANCE = 100.0
VOTERS_BIAS_VARIANCE = 1.0  # by position_bias.py
HELD_VARIANCE = 1e-8  # of a bias that is 0


class Method(NamedTuple):
    """The choice of a model, in words."""

    expert: str = "soft-bt"
    parameters: tuple[tuple[str, float], ...] = ()  # of the expert, where they are not its defaults
    prior: str = "unit"
    prior_variance: float = 1.0  # tau2
    position_bias: str = "none"  # or "estimate", "closed-form", or "auto": position_bias.py
    verdict_weight: str = "one-vote"  # or "learnt": tau2 and the weights
    absolute_scale: str = "estimate"  # or "given": of absolute scores


class Prior(NamedTuple):
    """N(pull / precision, 1 / precision), one for each parameter."""

    precision: Floats  # (P,)
    pull: Floats  # (P,) precision times mean
    variance: float  # the scale of scores: tau2, or 1 where the prior says nothing of it
    absolute: Floats  # (P,) the part of the precision that absolute scores add


class Covariates(NamedTuple):
    """Values that may sway judges beside the scores, of K comparisons: the first output's value less the second's."""

    names: tuple[str, ...]  # (C,)
    values: Floats  # (K, C)


class Model(NamedTuple):
    n: int  # number of candidates, N
    expert: Expert
    prior: Prior
    votes: float = 1.0  # phi: how many answers alike the next one is expected to stand for
    known_biases: Floats | None = None  # (J,) where biases are no parameters but known beforehand (closed_form.py)
    covariates: Covariates | None = None  # of the comparisons that are fitted: such a model is of no others

    @property
    def size(self) -> int:
        """P."""
        return len(self.prior.precision)

    @property
    def biases_end(self) -> int:
        """N + J: the place behind the biases that are parameters."""
        return self.size if self.covariates is None else self.size - len(self.covariates.names)

    @property
    def has_biases(self) -> bool:
        """Whether they are parameters."""
        return self.biases_end > self.n

    @property
    def estimated_biases(self) -> Bools:
        """(J,) which of the biases that are parameters are not held at 0; (0,) where none is a parameter."""
        return np.asarray(self.prior.precision[self.n : self.biases_end] < 1.0 / HELD_VARIANCE)

    @property
    def allows_for_biases(self) -> bool:
        return self.has_biases or self.known_biases is not None


def build(method: Method, n: int, judges: int = 1, bias_variances: Floats | None = None) -> Model:
    """The model of `method` for n candidates. Raises KeyError and ValueError as `experts.make` does.

    Args: `bias_variances` (J,) are prior: HELD_VARIANCE of a judge without a bias. By default it is everybody's or, by
        the method, nobody's.
    """
    if bias_variances is None:
        bias_variances = np.full(judges, BIAS_VARIANCE if method.position_bias == "estimate" else HELD_VARIANCE)
    expert = experts.make(method.expert, dict(method.parameters))
    if method.verdict_weight == "learnt":
        if usual_verdict_weight(method.expert, method.prior) != "learnt":
            raise ValueError(
                "verdict weight learnt needs the expert soft-bt and the prior unit; with others use one-vote"
            )
        expert = measured_bt.make()
    if expert.kink is not None and method.prior != "unit":
        raise ValueError(f"{method.expert} needs the prior unit: with less its maximum is not unique")
    of_biases = 1.0 / bias_variances if (bias_variances > HELD_VARIANCE).any() else NONE
    return Model(n, expert, PRIORS[method.prior](n, method.prior_variance, of_biases))


def usual_verdict_weight(expert: str, prior: str) -> Literal["learnt", "one-vote"]:
    """Verdict weight of a method by default: learnt where it can."""
    return "learnt" if expert == "soft-bt" and prior == "unit" else "one-vote"


def unit_prior(n: int, variance: float, of_biases: Floats = NONE) -> Prior:
    """Args: `of_biases` (J,) are the precisions of those that are parameters; (0,) where nobody is biased."""
    precision = np.append(np.full(n, 1.0 / variance), of_biases)
    return Prior(precision, np.zeros(len(precision)), variance, np.zeros(len(precision)))


PRIORS: dict[str, Callable[[int, float, Floats], Prior]] = {
    "unit": unit_prior,
    "anchor": lambda n, _, of_biases: unit_prior(n, VAGUE, of_biases)._replace(variance=1.0),
}


def expected_weight(d: Floats, model: Model) -> Floats:
    """The weight phi w(d) that an answer is expected to carry, elementwise: at the p that d lets one expect."""
    curvature = soft_bt.curvature if model.expert.measurement else model.expert.curvature
    return model.votes * curvature(d, model.expert.expected(d))


def differences(theta: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """d, shape (K,): R theta and the biases that are known."""
    d = design_times(theta, comparisons, model)
    return d if model.known_biases is None else d + model.known_biases[comparisons.judge]


def design_times(theta: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """R theta, shape (K,)."""
    d = theta[comparisons.first] - theta[comparisons.second]
    if model.has_biases:
        d = d + theta[model.n + comparisons.judge]
    return d if model.covariates is None else d + model.covariates.values @ theta[model.biases_end :]


def scatter(values: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """R^T values, shape (P,)."""
    size = model.size
    total = np.bincount(comparisons.first, values, size) - np.bincount(comparisons.second, values, size)
    if model.has_biases:
        total += np.bincount(model.n + comparisons.judge, values, size)
    if model.covariates is not None:
        total[model.biases_end :] = values @ model.covariates.values
    return total.astype(np.float64, copy=False)


def information(weights: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """The diagonal of R^T diag(weights) R, shape (P,)."""
    size = model.size
    total = np.bincount(comparisons.first, weights, size) + np.bincount(comparisons.second, weights, size)
    if model.has_biases:
        total += np.bincount(model.n + comparisons.judge, weights, size)
    if model.covariates is not None:
        total[model.biases_end :] = weights @ model.covariates.values**2
    return total.astype(np.float64, copy=False)


def bias_places(comparisons: Comparisons, model: Model) -> Ints:
    """(K,) place of the judge's bias among the parameters; (0,) where biases are none."""
    return model.n + comparisons.judge if model.has_biases else NO_BIAS


def hessian(weights: Floats, comparisons: Comparisons, model: Model) -> Floats:
    """H = diag(q) + R^T diag(weights) R, shape (P, P), in Fortran order; q is the prior's precision. Raises TooMany."""
    require_matrix(model.size)
    first, second, bias = contiguous(comparisons.first), contiguous(comparisons.second), bias_places(comparisons, model)
    h = design.precision(first, second, bias, contiguous(weights), contiguous(model.prior.precision), model.n).T
    if model.covariates is not None:
        for place, x in enumerate(model.covariates.values.T, model.biases_end):
            row = scatter(weights * x, comparisons, model)
            h[place, : place + 1] = h[: place + 1, place] = row[: place + 1]
            h[place, place] += model.prior.precision[place]
    return h
