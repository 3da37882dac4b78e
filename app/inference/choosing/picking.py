"""The next pairs: the best open pair by the criterion, as many times as are wanted.

Several pairs at once are chosen greedily with fantasies: a chosen pair conditions the covariance before the next is
sought. Its weight needs the means only, never the outcome: it is the expert's curvature at the p that m lets one
expect. "top" takes the best of one list instead, as GPM 6.3 does; it is kept to compare with.

Joining (decision 47), for the ranking of more than SMALL candidates. Between two components of the graph of
comparisons the prior alone says who is ahead, so that no criterion has anything to go by. Until all are connected,
pairs are drawn:

    two candidates that were never compared, while any such pair is open
    else a candidate of the largest component and one that is outside it

Candidates with an absolute score are connected by it: it says who is ahead. The criterion `covering` begins like this
in every set, for every goal and whatever the absolute scores, but it goes on with a candidate that was never compared
and one that was. It joins nothing else.

Contention, for a top k in the round of all pairs (top-two sampling, Russo 2016; ours for k > 1):

    C_ij = P(i is in, j is out) P(j is in, i is out)        by draws of the posterior N(mu, Sigma)

The pair of the largest C is that of the two likeliest to change places; for k = 1, of the two likeliest winners. So
winners meet winners, and a consistent judge needs little more than the N - 1 comparisons that any tournament takes
(decision 70). Pairs of C = 0 do not contend. Only SMALL candidates are looked at, who are in front at mean + sd.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from app.inference.choosing.criteria import (
    DRAWN,
    VAGUEST,
    Batch,
    Criterion,
    Policy,
    apart,
    equality,
    score,
    shortlist,
)
from app.inference.choosing.goals import RANKING, Goal, favoured, goal_kinds
from app.inference.choosing.knowledge import (
    JudgedRound,
    best_gains,
    best_gains_in_round,
    expecting,
    gains,
)
from app.inference.core.design import Design
from app.inference.fitting.model import Model, expected_weight
from app.inference.gaussian import Covariance, DenseCovariance, OneCovariance, SparseCovariance
from app.inference.pair_sets import Kinds, PairSet, among, has, listed, mask, nth, size, within, without
from app.inference.regimes import MEDIUM, SMALL
from app.inference.types import Chance, Floats, Ints
from app.inference.verdicts import joined

TIE = 1e-9
SHORTLIST = 24  # pairs of many candidates whose knowledge gradient is summed
LISTED = 256  # pairs of more than MEDIUM candidates, for one
PLACES = 4  # on a shortlist, for each pair that is wanted
EVEN = 1e-7  # by how much, relatively, chance raises a variance: one of the pairs that are level leads
DRAWS = 400  # in which candidates contend
SEEDS = 2**62
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


class Best(NamedTuple):
    """The pairs that are tied for the best."""

    pairs: PairSet
    value: float | None = None  # that they were chosen by, where it is not `Search.score`


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
    judged: JudgedRound | None = None,
) -> list[Choice]:
    """Up to `count` different open pairs, in the order of choice.

    Args:
        mean, sigma: the posterior over N scores.
        open_pairs: those that may be chosen.
        component: (N,) which candidates are connected, as `connected` has it.
        judged: what is there of it, and what is out, where win rates in all pairs are what is ranked.

    Conceptually, for each pick: score every open pair, take the argmax, close it, condition sigma on it.
    """
    search = Search(mean, model, policy, equality(sigma, policy.equal), goal, goal_kinds(goal, mean), judged)
    choices = list[Choice]()
    while len(choices) < count and size(open_pairs):
        picks = _picks(search, open_pairs, component, sigma, count - len(choices), rng)
        choices += picks
        if len(choices) == count:
            break
        first, second = np.array([(pick.i, pick.j) for pick in picks]).T.copy()
        open_pairs = without(open_pairs, first, second)
        if policy.batch is Batch.GREEDY or isinstance(sigma, SparseCovariance):
            component = joined(component, first, second)
            sigma = fantasise(sigma, mean, model, first, second)
            if search.judged:
                search = search._replace(judged=expecting(search.judged, mean, first, second))
    return choices


def fantasise(sigma: OneCovariance, mean: Floats, model: Model, first: Ints, second: Ints) -> OneCovariance:
    """The covariance once these (L,) pairs are answered, whatever the answers."""
    return sigma.condition(Design(model.n, model.n, first, second), expected_weight(mean[first] - mean[second], model))


def connected(component: Ints, first: Ints, second: Ints, model: Model, goal: Goal, criterion: Criterion) -> Ints:
    """(N,) the component of each, once these (L,) pairs are answered too; one of all where nothing is to be joined.

    Args: `component` (N,) are those by the comparisons.
    """
    if criterion is Criterion.COVERING:
        return joined(component, first, second)
    if criterion is Criterion.RANDOM or goal != RANKING or model.n <= SMALL:
        return np.zeros(model.n, np.int64)
    scored = np.flatnonzero(model.prior.absolute[: model.n])
    if not len(first) and len(scored) < 2:
        return component
    return joined(component, np.append(first, scored[:-1]), np.append(second, scored[1:]))


def joining(component: Ints, open_pairs: PairSet, criterion: Criterion) -> PairSet | None:
    """The open pairs to draw from; none if all is connected, or covered, or no open pair is such."""
    if (component == component[0]).all():
        return None
    sizes = np.bincount(component)[component]
    alone = sizes == 1
    outside = alone if criterion is Criterion.COVERING else component != component[np.argmax(sizes)]
    never_compared = among(open_pairs, Kinds(alone.astype(np.int64), np.array([[False, False], [False, True]])))
    across = among(open_pairs, Kinds(outside.astype(np.int64), np.array([[False, True], [True, False]])))
    return next((pairs for pairs in (never_compared, across) if size(pairs)), None)


def draw(pairs: PairSet, many: int, rng: Chance) -> tuple[int, int]:
    """One of the `many` pairs, uniformly; one alone needs no chance."""
    return nth(pairs, int(rng.integers(many)) if many > 1 else 0)


def contentions(mean: Floats, sigma: Floats, k: int, rng: Chance) -> Floats:
    """(N, N) C of all pairs of N candidates."""
    noise = np.random.default_rng(rng.integers(SEEDS)).standard_normal((DRAWS, len(mean)))
    scores = mean + noise @ np.linalg.cholesky(sigma).T
    is_in = np.zeros_like(scores)
    np.put_along_axis(is_in, np.argpartition(-scores, k - 1, axis=1)[:, :k], 1.0, axis=1)
    takes_place = is_in.T @ (1.0 - is_in) / DRAWS
    return np.asarray(takes_place * takes_place.T)


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


def _picks(
    search: Search, open_pairs: PairSet, component: Ints, sigma: Covariance, count: int, rng: Chance
) -> list[Choice]:
    """One open pair, of which there is one at least: drawn, or the best; where Sigma is no matrix, a round of them."""
    joins, many_open = joining(component, open_pairs, search.policy.criterion), size(open_pairs)
    share = 1.0 if search.policy.criterion in DRAWN and joins is None else search.policy.random_share
    uniform, best = share / many_open, None if joins is None else Best(joins)
    if best is None and share < 1.0 and isinstance(sigma, DenseCovariance):
        best = _best_pairs(search, open_pairs, sigma, rng)
    random = share == 1.0 or (share > 0.0 and bool(rng.random() < share))
    if random and best is None:
        return [_explain(search, sigma, *draw(open_pairs, many_open, rng), uniform, True)]
    if best is None:
        return _round(search, sigma, open_pairs, count if share == 0.0 else 1, uniform, rng)
    many = size(best.pairs)
    i, j = draw(open_pairs, many_open, rng) if random else draw(best.pairs, many, rng)
    is_best = bool(has(best.pairs, i, j))
    propensity = uniform + (1.0 - share) * is_best / many
    return [_explain(search, sigma, i, j, propensity, random, best.value if is_best else None)]


def _explain(
    search: Search, sigma: Covariance, i: int, j: int, propensity: float, random: bool, value: float | None = None
) -> Choice:
    m, v = float(search.mean[i] - search.mean[j]), sigma.variance_of_difference(i, j)
    if value is None and search.policy.criterion is Criterion.KNOWLEDGE and isinstance(sigma, DenseCovariance):
        pair = np.array([i]), np.array([j])
        value = float(gains(*pair, search.mean, sigma, search.model, search.matters)[0])
    elif value is None:
        value = float(search.score(np.array([m]), np.array([v]))[0])
    return Choice(i, j, value, m, float(np.sqrt(v)), propensity, random)


def _best_pairs(search: Search, open_pairs: PairSet, sigma: DenseCovariance, rng: Chance) -> Best:
    mean, goal, n = search.mean, search.goal, len(search.mean)
    if search.policy.criterion is not Criterion.KNOWLEDGE:
        pairs = open_pairs if goal == RANKING else favoured(open_pairs, search.matters)
        return Best(listed(n, best_of(pairs, search, sigma)[0]))
    if search.judged and goal.top_k is not None and goal.top_k < n:
        contended = _most_contended(open_pairs, mean, sigma, goal.top_k, rng)
        if contended:
            return contended
    if n <= SMALL or goal != RANKING:
        state = mean, sigma, search.model, search.matters
        if search.judged and n <= SMALL:
            i, j, values = best_gains_in_round(open_pairs, *state, search.judged, TIE)
        else:
            i, j, values = best_gains(open_pairs, *state, TIE)
        if len(i):
            best = _tied(i, j, values, n)
            return best if n <= SMALL else Best(best.pairs)
    code, own = best_of(open_pairs, search, sigma, SHORTLIST)
    if len(own) > SHORTLIST and own.min() >= own.max() * (1.0 - TIE):
        return Best(listed(n, code))
    i, j = np.divmod(code[np.argsort(-own, kind="stable")[:SHORTLIST]], n)
    return _tied(i, j, gains(i, j, mean, sigma, search.model, search.matters, TIE), n)


def _most_contended(open_pairs: PairSet, mean: Floats, sigma: Covariance, k: int, rng: Chance) -> Best | None:
    """The open pair of the largest C; none where none contends."""
    reach = mean + np.sqrt(sigma.diagonal)
    in_front = np.sort(np.argsort(-reach, kind="stable")[: max(SMALL, 2 * k)])
    first, second = within(open_pairs, in_front)
    if not len(first):
        return None
    contention = contentions(mean[in_front], sigma.matrix()[np.ix_(in_front, in_front)], k, rng)[first, second]
    at = int(np.argmax(contention))
    if contention[at] == 0.0:
        return None
    code = in_front[first[at]] * len(mean) + in_front[second[at]]
    return Best(listed(len(mean), np.array([code])), float(contention[at]))


def _tied(i: Ints, j: Ints, values: Floats, n: int) -> Best:
    """Those of (L,) pairs whose values are tied for the best."""
    best = values >= values.max() * (1.0 - TIE)
    return Best(listed(n, np.sort(i[best] * n + j[best])), float(values.max()))


def _round(
    search: Search, sigma: Covariance, open_pairs: PairSet, count: int, uniform: float, rng: Chance
) -> list[Choice]:
    """Pairs of a shortlist that share no candidate, as good as the best or nearly."""
    pairs = open_pairs if search.goal == RANKING else favoured(open_pairs, search.matters)
    level = np.random.default_rng(rng.integers(SEEDS)).random(len(search.mean))
    variance, places = sigma.diagonal * (1.0 + EVEN * level), PLACES * count
    first, second = shortlist(search.mean, variance, search.score, pairs, places, max(VAGUEST, 2 * places))
    share = search.policy.random_share
    if not len(first):  # none of the list is open
        many = size(pairs)
        return [_explain(search, sigma, *draw(pairs, many, rng), uniform + (1.0 - share) / many, False)]
    value = search.score(search.mean[first] - search.mean[second], sigma.variances(first, second))
    taken = apart(first, second, value, count)
    ends = zip(first[taken].tolist(), second[taken].tolist(), strict=True)
    return [_explain(search, sigma, i, j, uniform + 1.0 - share, random=False) for i, j in ends]
