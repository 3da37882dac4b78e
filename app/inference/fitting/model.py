"""The model, which is fixed while comparisons come in: who is ranked, the expert, the prior, whether judges lean.

theta = (s_1 .. s_N, delta_1 .. delta_J, beta_1 .. beta_C), P = N + J + C parameters: scores; where positional bias is
estimated, one bias per judge; and the effects of C covariates, if any (published.py). Comparison k has

    d_k = s_first - s_second + delta_judge + x_k^T beta = r_k^T theta

delta > 0: the judge favours the first position. beta > 0: it favours the output that has more of the covariate.
(PoE writes f(d - gamma), GPM f(d - Delta): delta = -gamma = -Delta.) The prior is Gaussian and independent:

    unit      s_n ~ N(0, tau2) for every score                                                  GPM 4.2
    anchor    s_n ~ N(0, VAGUE), next to nothing, whatever tau2 is                              for PoE 3.4
    bias      delta_j ~ N(0, BIAS_VARIANCE); by default N(0, VOTERS_BIAS_VARIANCE) of who votes  decision 29, 71
              N(0, HELD_VARIANCE) of a judge that has none                                        decision 30
    effect    beta_c ~ N(0, 1)                                                                    decision 75

PoE holds one score, the anchor. Differences, which alone are published, have the same posterior whichever is held, as
long as the comparisons connect all candidates: so none is. VAGUE keeps islands and certain verdicts well posed, and
moves differences by about a millionth.

By position bias "auto" (decision 71) the biases are parameters of judges with at least N verdicts: of those who give
probabilities, and of voters who were shown pairs in orders that may be coins. With lead_i how much more often i was
first than second, of K votes

    sum_i lead_i^2 <= 2 K (1 + UNEVEN sqrt(2 / N))

Of coins the mean is 2 K, and its sd about 2 K sqrt(2 / N). Where who is first follows from who is shown it is of the
order of K^2: merit and bias are one, and votes count as they are.

In closed form (PoE 3.5, A.8, A.9) delta_j is where a judge's verdicts balance if all scores are alike,

    sum_k c_k l'(delta_j; p_k) = 0        over the judge's comparisons

that is logit(mean p) of soft-bt (A.9 misses a minus: methods, erratum 3), alpha (mean p - beta) of gaussian, and mean
logit p of logit-gaussian (eq. 12, power 0). The standard error is that of such a root, sqrt(sum (c l')^2) / sum c w,
but at least that of so many votes, 1 / sqrt(sum c w).

    N, P, J      model.n, model.size, judges
    s, delta     theta[:n], theta[n : n + J]                     (N,), (J,); known: Model.known_biases (J,)
    beta, x      theta[n + J :], covariates.values               (C,), (K, C)
    R            design_of: core/edges.py                        (K, P): +1 at first, -1 at second, +1 at the bias, x
    q, h         prior.precision, prior.pull                     (P,): mean and variance of the prior are h / q, 1 / q
    phi w(d)     expected_weight                                 of an answer that has not come yet
"""

from typing import Literal, NamedTuple, cast

import numpy as np
from nextpair.words import PositionBias

from app.inference import experts
from app.inference.core.cells import Cells, Hyperparameters
from app.inference.core.edges import NO_BIAS, NO_OFFSET, Design, Edges, merged
from app.inference.experts import MEASURED_BT, SOFT_BT, Expert, is_vote
from app.inference.kernels import contiguous
from app.inference.regimes import RANKED_DENSE
from app.inference.types import Bools, Comparisons, Floats, Ints, take

NONE = np.empty(0)
VAGUE = 1e6
BIAS_VARIANCE = 100.0
VOTERS_BIAS_VARIANCE = 1.0
HELD_VARIANCE = 1e-8  # of a bias that is 0
PRIORS = ("unit", "anchor")
CROWD = 50  # voters
UNEVEN = 4.0  # standard deviations
FARTHEST = 100.0  # bias in closed form of a judge that only ever names one position


class Method(NamedTuple):
    """The choice of a model, in words."""

    expert: str = "soft-bt"
    parameters: tuple[tuple[str, float], ...] = ()  # of the expert, where they are not its defaults
    prior: str = "unit"
    prior_variance: float = 1.0  # tau2
    position_bias: str = "none"  # or "estimate", "closed-form", or "auto"
    verdict_weight: str = "one-vote"  # or "learnt": tau2 and the weights
    absolute_scale: str = "estimate"  # or "given": of absolute scores


class Prior(NamedTuple):
    """N(pull / precision, 1 / precision), one for each parameter."""

    precision: Floats  # (P,)
    pull: Floats  # (P,) precision times mean
    variance: float  # the scale of scores: tau2, or 1 where the prior says nothing of it
    absolute: Floats  # (P,) the part of the precision that absolute scores add

    def and_others(self, n: int, precision: Floats) -> "Prior":
        """That of the first n parameters, before others with mean 0 and this precision."""
        none = np.zeros(len(precision))
        pull, absolute = (np.append(each[:n], none) for each in (self.pull, self.absolute))
        return Prior(np.append(self.precision[:n], precision), pull, self.variance, absolute)


class Covariates(NamedTuple):
    """Values that may sway judges beside the scores, of K comparisons: the first output's value less the second's."""

    names: tuple[str, ...]  # (C,)
    values: Floats  # (K, C)


class Model(NamedTuple):
    n: int  # number of candidates, N
    expert: Expert
    prior: Prior
    votes: float = 1.0  # phi: how many answers alike the next one is expected to stand for
    known_biases: Floats | None = None  # (J,) where biases are no parameters but known beforehand
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

    Args: `bias_variances` (J,) are prior, HELD_VARIANCE of a judge without a bias; by default everybody has one, or
        nobody, as the method says.
    """
    if bias_variances is None:
        bias_variances = np.full(judges, BIAS_VARIANCE if method.position_bias == "estimate" else HELD_VARIANCE)
    expert, learns = experts.make(method.expert, dict(method.parameters)), method.verdict_weight == "learnt"
    if learns and usual_verdict_weight(method.expert, method.prior) != "learnt":
        raise ValueError("verdict weight learnt needs the expert soft-bt and the prior unit; with others use one-vote")
    if method.prior not in PRIORS:
        raise KeyError(method.prior)
    if expert.kink is not None and method.prior != "unit":
        raise ValueError(f"{method.expert} needs the prior unit: with less its maximum is not unique")
    expert = MEASURED_BT if learns else expert
    of_biases = 1.0 / bias_variances if (bias_variances > HELD_VARIANCE).any() else NONE
    if method.prior == "anchor":
        return Model(n, expert, unit_prior(n, VAGUE, of_biases)._replace(variance=1.0))
    return Model(n, expert, unit_prior(n, method.prior_variance, of_biases))


def usual_verdict_weight(expert: str, prior: str) -> Literal["learnt", "one-vote"]:
    return "learnt" if expert == "soft-bt" and prior == "unit" else "one-vote"


def unit_prior(n: int, variance: float, of_biases: Floats = NONE) -> Prior:
    """Args: `of_biases` (J,) are the precisions of those that are parameters."""
    none = np.zeros(n)
    return Prior(none + 1.0 / variance, none, variance, none).and_others(n, of_biases)


def at_scale(model: Model, scale: float) -> Model:
    """The model with tau2 = `scale`."""
    return model._replace(prior=unit_prior(model.n, scale, model.prior.precision[model.n :]))


def as_learnt(model: Model, comparisons: Comparisons, hyperparameters: Hyperparameters) -> Model:
    """The model with tau2, whose next answer carries what those so far do on average; one vote before the first."""
    votes = float(hyperparameters.votes[comparisons.judge].mean()) if comparisons.size else 1.0
    return at_scale(model, hyperparameters.scale)._replace(votes=votes)


def expected_weight(d: Floats, model: Model) -> Floats:
    """The weight phi w(d) that an answer is expected to carry, elementwise: at the p that d lets one expect."""
    curvature = SOFT_BT.curvature if model.expert.measurement else model.expert.curvature
    return model.votes * curvature(d, model.expert.expected(d))


def design_of(comparisons: Comparisons, model: Model) -> Design:
    """R of these (K,) comparisons."""
    first, second, _, judge, _ = comparisons
    bias = model.n + judge if model.has_biases else NO_BIAS
    offset = NO_OFFSET if model.known_biases is None else model.known_biases[judge]
    covariates = None if model.covariates is None else model.covariates.values
    return Design(model.n, model.size, contiguous(first), contiguous(second), bias, offset, covariates)


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
    votes, y = np.where(np.isnan(y), c, 0.0), np.nan_to_num(y)
    return Edges(design, votes, votes * p, c - votes, (c - votes) * y)


def cells_of(comparisons: Comparisons, item: Ints, model: Model, judges: int) -> Cells:
    """What these (K,) comparisons say by the question, of an expert that is soft-bt."""
    return Cells(comparisons, item, model.n, max(judges, 1), model.expert, has_orders=model.allows_for_biases)


def build_for(method: Method, n: int, comparisons: Comparisons, judges: int, variances: Floats | None = None) -> Model:
    """The model of `method`, whose biases are those that these comparisons give.

    Args: `variances` (J,) are as of `bias_variances`; by default, these comparisons tell them.
    """
    if variances is None:
        variances = bias_variances(method, n, comparisons, judges)
    model = build(method, n, judges, variances)
    if method.position_bias != "closed-form":
        return model
    return model._replace(known_biases=known_biases(model.expert, comparisons, judges))


def position_bias_of(method: Method, model: Model) -> PositionBias:
    """The method's own word, or what auto came to."""
    if method.position_bias != "auto":
        return cast("PositionBias", method.position_bias)
    return "estimate" if model.has_biases else "none"


def bias_variances(method: Method, n: int, comparisons: Comparisons, judges: int) -> Floats:
    """(J,) of the prior; HELD_VARIANCE where the bias is no parameter."""
    variances = np.full(judges, BIAS_VARIANCE if method.position_bias == "estimate" else HELD_VARIANCE)
    can_tell = usual_verdict_weight(method.expert, method.prior) == "learnt" and n <= RANKED_DENSE
    if method.position_bias != "auto" or not can_tell:
        return variances
    measures = np.bincount(comparisons.judge, ~is_vote(comparisons.p), judges) > 0.0
    has_many = np.bincount(comparisons.judge, comparisons.weight, judges) >= n
    variances[measures & has_many] = BIAS_VARIANCE
    votes = ~measures & has_many
    if votes.sum() <= CROWD:
        votes &= _shown_by_coins(take(comparisons, votes[comparisons.judge]), n, judges)
        variances[votes] = VOTERS_BIAS_VARIANCE
    return variances


def _shown_by_coins(comparisons: Comparisons, n: int, judges: int) -> Bools:
    """(J,) whether the orders in which a judge was shown pairs may be coins."""
    first, second, _, judge, weight = comparisons
    lead = np.zeros((judges, n))
    np.add.at(lead, (judge, first), weight)
    np.subtract.at(lead, (judge, second), weight)
    of_coins = 2.0 * np.bincount(judge, weight, judges)
    return np.asarray(np.square(lead).sum(axis=1) <= of_coins * (1.0 + UNEVEN * np.sqrt(2.0 / max(n, 1))))


def with_biases_as_parameters(model: Model, judges: int) -> Model:
    """The same model, did it not know the biases; without covariates."""
    prior = model.prior.and_others(model.n, np.full(judges, 1.0 / BIAS_VARIANCE))
    return model._replace(prior=prior, known_biases=None, covariates=None)


def known_biases(expert: Expert, comparisons: Comparisons, judges: int) -> Floats:
    """(J,) in closed form; 0 for a judge who made none of the comparisons."""
    biases = np.zeros(judges)
    for judge in np.unique(comparisons.judge):
        _, _, p, _, weight = take(comparisons, comparisons.judge == judge)
        biases[judge] = _balance(expert, p, weight)
    return biases


def standard_errors(expert: Expert, comparisons: Comparisons, biases: Floats) -> Floats:
    """(J,) of biases (J,), at most FARTHEST."""
    (_, _, p, judge, weight), d = comparisons, biases[comparisons.judge]
    noise = np.bincount(judge, (weight * expert.slope(d, p)) ** 2, len(biases))
    information = np.maximum(np.bincount(judge, weight * expert.curvature(d, p), len(biases)), FARTHEST**-2)
    return np.asarray(np.sqrt(np.maximum(noise / information, 1.0) / information), np.float64)


def _balance(expert: Expert, p: Floats, weight: Floats) -> float:
    """The delta at which the slopes of (K,) verdicts add up to 0."""
    from scipy.optimize import brentq  # slow to load, and few need it

    def pull(delta: float) -> float:
        return float(weight @ expert.slope(np.full_like(p, delta), p))

    if pull(-FARTHEST) <= 0.0:
        return -FARTHEST
    if pull(FARTHEST) >= 0.0:
        return FARTHEST
    return float(brentq(pull, -FARTHEST, FARTHEST))
