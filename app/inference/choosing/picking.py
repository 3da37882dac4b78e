"""One open pair: drawn, or the best by the criterion where Sigma is an array; what is chosen is explained and answered.

Conceptually: the argmax of criteria.score over every open pair.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from app.inference.choosing.contention import most_contended
from app.inference.choosing.criteria import DRAWN, Criterion, Policy, score
from app.inference.choosing.goals import RANKING, Goal, favoured
from app.inference.choosing.joining import joining
from app.inference.choosing.knowledge import (
    JudgedRound,
    answered_in,
    best_gains,
    best_gains_in_round,
    gains,
    most_gains,
)
from app.inference.choosing.pair_sets import listed
from app.inference.choosing.shortlist import shortlist
from app.inference.core.design import Design
from app.inference.fitting.model import Model, expected_weight
from app.inference.gaussian import Covariance, DenseCovariance, OneCovariance
from app.inference.kernels.pair_sets import Kinds, PairSet, has, mask, nth, size
from app.inference.regimes import MEDIUM, SMALL
from app.inference.types import Chance, Floats, Ints

TIE = 1e-9
SHORTLIST = 24  # pairs of many candidates whose knowledge gradient is summed
LISTED = 256  # pairs of more than MEDIUM candidates, for one
NOTHING = np.empty(0, np.int64), np.empty(0, np.int64)


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


class Search(NamedTuple):
    """One batch being chosen."""

    mean: Floats  # (N,)
    model: Model
    policy: Policy
    floor: float  # of m^2
    goal: Goal
    matters: Kinds  # the pairs that the goal is about
    judged: JudgedRound | None  # where win rates in all pairs are what is ranked

    def score(self, m: Floats, v: Floats) -> Floats:
        """The criterion of (L,) pairs."""
        return score(self.policy, self.model, m, v, self.floor)


def fantasise(sigma: OneCovariance, mean: Floats, model: Model, first: Ints, second: Ints) -> OneCovariance:
    """The covariance once these (L,) pairs are answered, whatever the answers."""
    return sigma.condition(Design(model.n, model.n, first, second), expected_weight(mean[first] - mean[second], model))


def pick(search: Search, open_pairs: PairSet, component: Ints, sigma: DenseCovariance, rng: Chance) -> Choice:
    """One open pair; at least one must be open."""
    many_open, joins = size(open_pairs), joining(component, open_pairs, search.policy.criterion)
    share = drawn_share(search.policy, joins)
    uniform = share / many_open
    if share == 1.0:
        return explain(search, sigma, *draw(open_pairs, many_open, rng), uniform, True)
    best, gain = (joins, None) if joins is not None else _best_pairs(search, open_pairs, sigma, rng)
    many = size(best)
    random = share > 0.0 and bool(rng.random() < share)
    i, j = draw(open_pairs, many_open, rng) if random else draw(best, many, rng)
    is_best = has(best, i, j)
    propensity = uniform + (1.0 - share) * is_best / many
    return explain(search, sigma, i, j, propensity, random, gain if is_best else None)


def explain(
    search: Search, sigma: Covariance, i: int, j: int, propensity: float, random: bool, gain: float | None = None
) -> Choice:
    m, v = float(search.mean[i] - search.mean[j]), sigma.variance_of_difference(i, j)
    if gain is not None:
        value = gain
    elif search.policy.criterion is Criterion.KNOWLEDGE and isinstance(sigma, DenseCovariance):
        pair = np.array([i]), np.array([j])
        (value,) = gains(*pair, search.mean, sigma, search.model, search.matters).tolist()
    else:
        value = float(search.score(np.array([m]), np.array([v]))[0])
    return Choice(i, j, value, m, float(np.sqrt(v)), propensity, random)


def draw(pairs: PairSet, many: int, rng: Chance) -> tuple[int, int]:
    """One of the `many` pairs, uniformly; one alone needs no chance."""
    return nth(pairs, int(rng.integers(many)) if many > 1 else 0)


def drawn_share(policy: Policy, joins: PairSet | None) -> float:
    """The share of picks that are drawn from every open pair: all of them where a criterion is a draw."""
    return 1.0 if policy.criterion in DRAWN and joins is None else policy.random_share


def _best_pairs(
    search: Search, open_pairs: PairSet, sigma: DenseCovariance, rng: Chance
) -> tuple[PairSet, float | None]:
    """The pairs that are tied for the best, and their score by the criterion, if they were chosen by it."""
    criterion, ranks = search.policy.criterion, search.goal == RANKING
    if criterion is not Criterion.KNOWLEDGE:
        pairs = open_pairs if ranks else favoured(open_pairs, search.matters)
        return listed(len(search.mean), best_of(pairs, search, sigma)[0]), None
    if search.judged and search.goal.top_k is not None and search.goal.top_k < len(search.mean):
        contended = most_contended(open_pairs, search.mean, sigma, search.goal.top_k, rng)
        if contended:
            return listed(
                len(search.mean), np.array([contended.i * len(search.mean) + contended.j])
            ), contended.contention
    is_exact = len(search.mean) <= SMALL
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


def _most_telling(open_pairs: PairSet, search: Search, sigma: DenseCovariance) -> tuple[PairSet, float | None]:
    """Pairs of the most knowledge on the SHORTLIST; where more pairs are tied for the best own term, all of these."""
    code, own = best_of(open_pairs, search, sigma, SHORTLIST)
    if len(own) > SHORTLIST and own.min() >= own.max() * (1.0 - TIE):
        return listed(len(search.mean), code), None
    i, j = np.divmod(code[np.argsort(-own, kind="stable")[:SHORTLIST]], len(search.mean))
    values = most_gains(i, j, search.mean, sigma, search.model, search.matters, TIE)
    return _tied(i, j, values, len(search.mean)), float(values.max())


def best_of(pairs: PairSet, search: Search, sigma: DenseCovariance, places: int = 1) -> tuple[Ints, Floats]:
    """Codes i N + j of the pairs of the first `places` places and of those tied with the last of them; their scores."""
    n, mean = len(search.mean), search.mean
    in_common, wanted = 1.0 / search.model.prior.precision[:n].sum(), LISTED + 2 * places
    i, j = shortlist(mean, sigma.diagonal - in_common, search.score, pairs, wanted) if n > MEDIUM else NOTHING
    if len(i) < wanted and (pairs.leaves_out or n <= MEDIUM):  # few of the pairs on the list are open
        i, j = np.nonzero(mask(pairs))
    values = search.score(mean[i] - mean[j], np.maximum(sigma.variances(i, j), 0.0))
    line = np.partition(values, -min(places, len(values)))[-min(places, len(values))]
    best = np.flatnonzero(values >= line * (1.0 - TIE))
    code = i[best] * n + j[best]
    ascending = np.argsort(code)
    return code[ascending], values[best[ascending]]


def _tied(i: Ints, j: Ints, values: Floats, n: int) -> PairSet:
    """Pairs, of the (L,), whose values are tied for the best."""
    best = values >= values.max() * (1.0 - TIE)
    return listed(n, np.sort(i[best] * n + j[best]))
