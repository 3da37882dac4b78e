"""Which pair next (PoE 3.6, GPM 4.2).

For every open pair, with m_ij = mu_i - mu_j and v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij, maximise

    variance      v_ij                       GPM eq. 4
    determinant   phi w(m_ij) v_ij           PoE A.6, GPM eq. 3; w is the expert's curvature, phi the answer's votes
    reordering    v_ij / m_ij^2              GPM eq. 5: the argmax of P(order is wrong) = Phi(-|m_ij| / sqrt(v_ij))
    exponent      v_ij / |m_ij|^epsilon      GPM eq. 6
    knowledge     KG_ij                      methods 12; kernels/knowledge.py has the equation. Where win rates in
                                             all pairs are ranked, theirs; for a top k, contention.py comes first
    random        uniform over the open pairs

For the ranking of more than FULLY_SUMMED candidates pairs that join what no comparison connects yet come before all
of these (joining.py), but for random.

All but random speak of the goal (goals.py): knowledge sums over the pairs that matter, the others choose among them
while one of them is open. Beyond FULLY_SUMMED candidates the sum is taken for some pairs only: for the ranking those
whose own term, (k, l) = (i, j), is largest; for another goal those among the candidates that are least settled in it.

m^2 carries a floor, (a tenth of a typical posterior sd)^2: means that are closer count as equal, and among such pairs
v decides. Without it nothing but m counts near m = 0, and a judge that ties texts exactly is asked about the tied ones
until none of their pairs is left (decision 9). The tenth is `equal` of the policy; with 0 the criteria are GPM's, and v
decides among means that are exactly equal. Scores within a relative 1e-9 count as tied and one of the tied pairs is
drawn uniformly.

Several pairs at once are chosen greedily with fantasies: a chosen pair conditions the covariance before the next is
sought. Its weight needs the means only, never the outcome: it is the expert's curvature at the p that m lets one
expect. "top" takes the best of one list instead, as GPM 6.3 does; it is kept to compare with.
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr

from app.inference.choosing import certified
from app.inference.choosing.contention import most_contended
from app.inference.choosing.goals import RANKING, Goal, favoured, goal_kinds
from app.inference.choosing.joining import joining
from app.inference.choosing.knowledge import (
    Questions,
    answered_in,
    best_gains,
    best_gains_in_round,
    gains,
    most_gains,
    own_term,
)
from app.inference.choosing.pair_sets import leading, listed, without
from app.inference.covariance import (
    Covariance,
    Rows,
    condition_all,
    dense,
    plain,
    variance_of_difference,
)
from app.inference.fitting.model import Model, expected_weight
from app.inference.intervals import ends
from app.inference.kernels.bradley_terry import serves
from app.inference.kernels.components import joined
from app.inference.kernels.fantasies import conditioned
from app.inference.kernels.pair_sets import (
    DETERMINANT,
    OWN_TERM,
    POWER,
    Kinds,
    Landscape,
    PairSet,
    Rule,
    has,
    mask,
    nth,
    size,
)
from app.inference.regimes import FULLY_SUMMED
from app.inference.types import Chance, Comparisons, Floats, Ints, by_one_judge, join

EQUAL = 0.1  # of a typical posterior sd: means that are closer count as equal
EXACTLY = 1e-6  # the same where no means that differ are to
TIE = 1e-9
SHORTLIST = 24  # pairs of many candidates whose knowledge gradient is summed
MOST_READ = 50  # entries of Sigma for each candidate, beyond which it is made dense and all of it may be read


class Criterion(StrEnum):
    VARIANCE = "variance"
    DETERMINANT = "determinant"
    REORDERING = "reordering"
    EXPONENT = "exponent"
    KNOWLEDGE = "knowledge"
    RANDOM = "random"


class Batch(StrEnum):
    GREEDY = "greedy"
    TOP = "top"


class Policy(NamedTuple):
    criterion: Criterion
    epsilon: float = 0.5  # of exponent
    random_share: float = 0.0  # share of the picks that are drawn uniformly
    batch: Batch = Batch.GREEDY
    equal: float = EQUAL  # of reordering and exponent: the share of a typical posterior sd


class Choice(NamedTuple):
    """One chosen pair, i < j, and why."""

    i: int
    j: int
    score: float
    mean_difference: float  # m_ij
    sd_difference: float  # sqrt(v_ij)
    propensity: float  # probability of this pick given the state before it
    random: bool  # drawn uniformly, whatever the criterion says

    @property
    def probability_of_reordering(self) -> float:
        """Phi(-|m| / sqrt(v)): how likely the true order is the other one."""
        return float(ndtr(-abs(self.mean_difference) / self.sd_difference))


class Judged(NamedTuple):
    """The round of all pairs: K comparisons of it that are there, or out and answered as one expects."""

    comparisons: Comparisons
    questions: Questions  # what each answers


class _Search(NamedTuple):
    """One batch being chosen."""

    mean: Floats  # (N,)
    model: Model
    policy: Policy
    floor: float  # of m^2
    goal: Goal
    matters: Kinds  # the pairs that the goal is about
    judged: Judged | None  # where win rates in all pairs are what is ranked


def select(
    mean: Floats,
    sigma: Covariance,
    model: Model,
    open_pairs: PairSet,
    component: Ints,
    policy: Policy,
    goal: Goal,
    count: int,
    rng: Chance,
    judged: Judged | None = None,
) -> list[Choice]:
    """Up to `count` different open pairs, in the order of choice.

    Args:
        mean, sigma: the posterior over N scores.
        open_pairs: those that may be chosen.
        component: (N,) which candidates are connected, as joining.connected has it.
        judged: what is there of it, and what is out, where win rates in all pairs are what is ranked.

    Conceptually, for each pick: score every open pair, take the argmax, close it, condition sigma on it.
    """
    search = _Search(mean, model, policy, equality(sigma, policy.equal), goal, goal_kinds(goal, mean), judged)
    if sigma.bounds:
        return _select_of_many(search, sigma, open_pairs, component, count, rng)
    choices: list[Choice] = []
    for left in reversed(range(min(count, size(open_pairs)))):
        choice = _pick(search, open_pairs, component, sigma, rng)
        choices.append(choice)
        pair = np.array([choice.i]), np.array([choice.j])
        if left:
            open_pairs = without(open_pairs, *pair)
        if left and policy.batch is Batch.GREEDY:
            component = joined(component, *pair)
            sigma = fantasise(sigma, mean, model, *pair)
            if search.judged:
                search = search._replace(judged=expecting(search.judged, mean, *pair))
    return choices


def equality(sigma: Covariance, share: float = EQUAL) -> float:
    """The squared difference below which two means count as equal, for a share of a typical posterior sd."""
    typical = float(sigma.diagonal.sum()) / max(len(sigma.diagonal), 1)
    return max(share, EXACTLY) ** 2 * typical


def expecting(before: Judged, mean: Floats, first: Ints, second: Ints) -> Judged:
    """The round once these (L,) pairs are answered as the mean scores let one expect, by the first of those asked."""
    comparisons, (number, per_pair) = before
    expected = by_one_judge(first, second, expit(mean[first] - mean[second]))
    return Judged(join(comparisons, expected), Questions(np.append(number, np.zeros(len(first), np.int64)), per_pair))


def fantasise(sigma: Covariance, mean: Floats, model: Model, first: Ints, second: Ints) -> Covariance:
    """The covariance once these (L,) pairs are answered, whatever the answers."""
    if serves(model.expert, model.n) and not sigma.bounds:
        after, fall = conditioned(np.ascontiguousarray(dense(sigma)), mean, first, second, model.votes)
        return plain(after, sigma.log_det - fall)
    return condition_all(sigma, Rows(first, second), expected_weight(mean[first] - mean[second], model))


def score(policy: Policy, model: Model, m: Floats, v: Floats, floor: float) -> Floats:
    """The criterion, elementwise; larger is more informative. Of `knowledge` the own term; `random` likes all alike."""
    match policy.criterion:
        case Criterion.VARIANCE:
            return v
        case Criterion.DETERMINANT:
            return expected_weight(m, model) * v
        case Criterion.REORDERING:
            return v / (m * m + floor)
        case Criterion.EXPONENT:
            return v / (m * m + floor) ** (0.5 * policy.epsilon)
        case Criterion.KNOWLEDGE:
            return own_term(m, v, expected_weight(m, model))
        case Criterion.RANDOM:
            return np.ones_like(v)


def _pick(search: _Search, open_pairs: PairSet, component: Ints, sigma: Covariance, rng: Chance) -> Choice:
    """One open pair; at least one must be open."""
    policy, many_open = search.policy, size(open_pairs)
    share = 1.0 if policy.criterion is Criterion.RANDOM else policy.random_share
    uniform = share / many_open
    if share == 1.0:
        return _explain(search, sigma, *_draw(open_pairs, many_open, rng), uniform, True)
    best, gain = _best_pairs(search, open_pairs, component, sigma, rng)
    many = size(best)
    random = share > 0.0 and bool(rng.random() < share)
    i, j = _draw(open_pairs, many_open, rng) if random else _draw(best, many, rng)
    is_best = has(best, i, j)
    propensity = uniform + (1.0 - share) * is_best / many
    return _explain(search, sigma, i, j, propensity, random, gain if is_best else None)


def _select_of_many(
    search: _Search, sigma: Covariance, open_pairs: PairSet, component: Ints, count: int, rng: Chance
) -> list[Choice]:
    """`select` where Sigma is known by its bounds: what is left to the criterion is chosen in rounds (certified.py)."""
    policy, choices = search.policy, list[Choice]()
    share = 1.0 if policy.criterion is Criterion.RANDOM else policy.random_share
    while len(choices) < min(count, len(choices) + size(open_pairs)):
        joins = joining(component, open_pairs)
        random = share == 1.0 or (share > 0.0 and bool(rng.random() < share))
        uniform = share / size(open_pairs)
        if random or joins is not None:
            pairs = open_pairs if random or joins is None else joins
            i, j = _draw(pairs, size(pairs), rng)
            by_joining = (1.0 - share) / size(joins) if joins is not None and has(joins, i, j) else 0.0
            picks = [_explain(search, sigma, i, j, uniform + by_joining, random)]
        else:
            picks = _certified(search, sigma, open_pairs, count - len(choices) if share == 0.0 else 1, uniform, rng)
        if len(choices := choices + picks) < count:
            first, second = np.array([(pick.i, pick.j) for pick in picks]).T.copy()
            open_pairs, component = without(open_pairs, first, second), joined(component, first, second)
            sigma = fantasise(sigma, search.mean, search.model, first, second)
    return choices


def _certified(
    search: _Search, sigma: Covariance, open_pairs: PairSet, count: int, uniform: float, rng: Chance
) -> list[Choice]:
    """Pairs that are the best but for a factor that is known."""
    assert sigma.bounds is not None
    rule = _rule(search) or Rule(POWER, 0.0, search.floor, search.model.votes)
    pairs = open_pairs if search.goal == RANKING else favoured(open_pairs, search.matters)
    picks = certified.choose(
        search.mean, sigma.bounds.held, ends(sigma.bounds)[1], search.model, rule, pairs, count,
        np.random.default_rng(rng.integers(2**62)),
    )  # fmt: skip
    share = search.policy.random_share
    return [_explain(search, sigma, pick.i, pick.j, uniform + 1.0 - share, random=False) for pick in picks]


def _explain(
    search: _Search, sigma: Covariance, i: int, j: int, propensity: float, random: bool, gain: float | None = None
) -> Choice:
    m, v = float(search.mean[i] - search.mean[j]), variance_of_difference(sigma, i, j)
    if gain is not None:
        value = gain
    elif search.policy.criterion is Criterion.KNOWLEDGE and not sigma.bounds:
        pair = np.array([i]), np.array([j])
        (value,) = gains(*pair, search.mean, sigma, search.model, search.matters).tolist()
    else:
        value = float(score(search.policy, search.model, np.array(m), np.array(v), search.floor))
    return Choice(i, j, value, m, float(np.sqrt(v)), propensity, random)


def _draw(pairs: PairSet, many: int, rng: Chance) -> tuple[int, int]:
    """One of the `many` pairs, uniformly; one alone needs no chance."""
    return nth(pairs, int(rng.integers(many)) if many > 1 else 0)


def _best_pairs(
    search: _Search, open_pairs: PairSet, component: Ints, sigma: Covariance, rng: Chance
) -> tuple[PairSet, float | None]:
    """The pairs that are tied for the best, and what they are worth where that is no criterion of their own."""
    if (joins := joining(component, open_pairs)) is not None:
        return joins, None
    criterion, ranks = search.policy.criterion, search.goal == RANKING
    if criterion is not Criterion.KNOWLEDGE:
        pairs = open_pairs if ranks else favoured(open_pairs, search.matters)
        return listed(len(search.mean), _best_of(pairs, search, sigma)[0]), None
    if search.judged and search.goal.top_k is not None and search.goal.top_k < len(search.mean):
        contended = most_contended(open_pairs, search.mean, sigma, search.goal.top_k, rng)
        if contended:
            return listed(
                len(search.mean), np.array([contended.i * len(search.mean) + contended.j])
            ), contended.contention
    is_exact = len(search.mean) <= FULLY_SUMMED
    if is_exact or not ranks:
        state = search.mean, sigma, search.model, search.matters
        if search.judged and is_exact:
            answered = answered_in(*search.judged, len(search.mean))
            i, j, values = best_gains_in_round(open_pairs, *state, answered, TIE)
        else:
            i, j, values = best_gains(open_pairs, *state, TIE)
        if len(i):
            return _tied(i, j, values, len(search.mean)), float(values.max()) if is_exact else None
    return _most_telling(open_pairs, search, sigma)


def _most_telling(open_pairs: PairSet, search: _Search, sigma: Covariance) -> tuple[PairSet, float | None]:
    """Those of the most knowledge on the SHORTLIST; where more pairs are tied for the best own term, all of these."""
    code, own = _best_of(open_pairs, search, sigma, SHORTLIST)
    if len(own) > SHORTLIST and own.min() >= own.max() * (1.0 - TIE):
        return listed(len(search.mean), code), None
    i, j = np.divmod(code[np.argsort(-own, kind="stable")[:SHORTLIST]], len(search.mean))
    values = most_gains(i, j, search.mean, sigma, search.model, search.matters, TIE)
    return _tied(i, j, values, len(search.mean)), float(values.max())


def _best_of(pairs: PairSet, search: _Search, sigma: Covariance, places: int = 1) -> tuple[Ints, Floats]:
    """Codes i N + j of the pairs of the first `places` places and of those tied with the last of them; their scores."""
    n, rule = len(search.mean), _rule(search)
    if rule is None:
        return _best_by_scan(pairs, search, sigma, places)
    land = Landscape(search.mean, sigma.diagonal, sigma.base, sigma.columns, not search.model.has_biases)
    code, scored, is_all = leading(land, rule, pairs, places, TIE, MOST_READ * n)
    if not is_all:
        land = land._replace(base=dense(sigma), columns=np.empty((0, n)))
        code, scored, _ = leading(land, rule, pairs, places, TIE, n * n)
    return code, scored


def _best_by_scan(pairs: PairSet, search: _Search, sigma: Covariance, places: int) -> tuple[Ints, Floats]:
    """`_best_of` where weights are those of an expert that kernels do not know: the slow formula, too."""
    (i, j), full = np.nonzero(mask(pairs)), dense(sigma)
    variance = full.diagonal()
    v = np.maximum(variance[i] + variance[j] - 2.0 * full[i, j], 0.0)
    values = score(search.policy, search.model, search.mean[i] - search.mean[j], v, search.floor)
    line = np.partition(values, -min(places, len(values)))[-min(places, len(values))]
    best = values >= line * (1.0 - TIE)
    return i[best] * len(search.mean) + j[best], values[best]


def _rule(search: _Search) -> Rule | None:
    """The criterion as kernels know it; None where it reads weights that they do not know."""
    policy, model = search.policy, search.model
    match policy.criterion:
        case Criterion.VARIANCE:
            form, power = POWER, 0.0
        case Criterion.REORDERING:
            form, power = POWER, 1.0
        case Criterion.EXPONENT:
            form, power = POWER, 0.5 * policy.epsilon
        case criterion:
            form, power = DETERMINANT if criterion is Criterion.DETERMINANT else OWN_TERM, 0.0
    if form != POWER and model.expert.as_soft_bt is None:
        return None
    return Rule(form, power, search.floor, model.votes)


def _tied(i: Ints, j: Ints, values: Floats, n: int) -> PairSet:
    """Those of the (L,) pairs whose values are tied for the best."""
    best = values >= values.max() * (1.0 - TIE)
    return listed(n, np.sort(i[best] * n + j[best]))
