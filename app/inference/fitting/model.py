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
    R            design_of: core/design.py                       (K, P): +1 at first, -1 at second, +1 at the bias, x
    q, h         prior.precision, prior.pull                     (P,): mean and variance of the prior are h / q, 1 / q
    phi w(d)     expected_weight                                 of an answer that has not come yet
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from app.inference import experts
from app.inference.core.cells import Cells
from app.inference.core.design import NO_BIAS, NO_OFFSET, Design
from app.inference.core.edges import Edges, merged
from app.inference.experts import SOFT_BT, Expert, measured_bt
from app.inference.kernels import contiguous
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
        expert = measured_bt()
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
    curvature = SOFT_BT.curvature if model.expert.measurement else model.expert.curvature
    return model.votes * curvature(d, model.expert.expected(d))


def design_of(comparisons: Comparisons, model: Model) -> Design:
    """R of these (K,) comparisons."""
    first, second, _, judge, _ = comparisons
    return Design(
        n=model.n,
        size=model.size,
        first=contiguous(first),
        second=contiguous(second),
        bias=model.n + judge if model.has_biases else NO_BIAS,
        offset=NO_OFFSET if model.known_biases is None else model.known_biases[judge],
        covariates=None if model.covariates is None else model.covariates.values,
    )


def edges_of(comparisons: Comparisons, model: Model) -> Edges:
    """What these (K,) comparisons say, added up where that is quicker. Raises IndexError of a candidate beyond N."""
    edges = rows_of(comparisons, model)
    return edges if model.expert.as_soft_bt is None else merged(edges)


def rows_of(comparisons: Comparisons, model: Model) -> Edges:
    """What each of these (K,) comparisons says. Raises IndexError of a candidate beyond N."""
    design, c, none = design_of(comparisons, model), comparisons.weight, np.zeros(comparisons.size)
    if max(design.first.max(initial=-1), design.second.max(initial=-1)) >= model.n:
        raise IndexError(f"a candidate's number is beyond {model.n:,}")
    if model.expert.as_soft_bt is None:
        return Edges(design, c, c * comparisons.p, none, none)
    p = model.expert.as_soft_bt(comparisons.p)
    y = none + np.nan if model.expert.measurement is None else model.expert.measurement(p)
    is_vote = np.isnan(y)
    votes, y = np.where(is_vote, c, 0.0), np.where(is_vote, 0.0, y)
    return Edges(design, votes, votes * p, c - votes, (c - votes) * y)


def cells_of(comparisons: Comparisons, item: Ints, model: Model, judges: int) -> Cells:
    """What J judges said, by the question, of an expert that is soft-bt; `item` (K,) is what each was about."""
    has_orders, measures = model.allows_for_biases, model.expert.measurement is not None
    read, about = as_read(comparisons, item, model)
    return Cells.of(read, about, model.n, max(judges, 1), has_orders=has_orders, measures=measures)


def as_read(comparisons: Comparisons, item: Ints, model: Model) -> tuple[Comparisons, Ints]:
    """The comparisons with the p that soft-bt reads, and what each was about.

    Where neither biases nor noise are anybody's own, all are of one judge and one item.
    """
    assert model.expert.as_soft_bt is not None
    p, judge = model.expert.as_soft_bt(comparisons.p), comparisons.judge
    if not model.allows_for_biases and model.expert.measurement is None:
        judge = item = np.zeros_like(judge)
    return comparisons._replace(p=p, judge=judge), item
