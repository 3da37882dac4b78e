"""The next pairs: the best open pair by the criterion, as many times as are wanted.

Several pairs are chosen greedily with fantasies (methods 5): a chosen pair conditions the covariance before the next is
sought, whatever its outcome. "top" takes the best of one list instead, as GPM 6.3 does; it is kept to compare with.
Scores within a relative 1e-9 count as tied, and one of the tied pairs is drawn uniformly.

Joining, for the ranking of more than SMALL candidates: between two components of the graph of comparisons the prior
alone says who is ahead (decision 47). Until all are connected, pairs are drawn:

    two candidates that were never compared, while any such pair is open
    else a candidate of the largest component and one that is outside it

Candidates with an absolute score are connected by it. The criterion `covering` begins like this in every set, but goes
on with a candidate that was never compared and one that was.

The shortlist, for more than MEDIUM candidates (decision 99): all criteria rise with v_ij, about Sigma_ii + Sigma_jj of
two who were not compared, and fall with |m_ij|. For candidates of every two kinds that meet, it has

    VAGUEST of either kind, whose variances are the largest, with each other
    everyone with the NEAREST of the other kind, on either side in the order of the means

and of few open pairs all. Where no covariance is a matrix several pairs come in rounds, of pairs that share no
candidate and score nearly as much as the best.

The knowledge gradient of more than SMALL candidates is summed for the SHORTLIST of pairs whose own term is largest; for
another goal than the ranking, for those among the candidates that are least decided in it. Before it, for a top k in
the round of all pairs, comes contention (decision 70; top-two sampling, Russo 2016): of SMALL candidates, in front at
mean + sd, the two likeliest to change places, by draws of N(mu, Sigma),

    C_ij = P(i is in, j is out) P(j is in, i is out)
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from app.inference.choosing.criteria import DRAWN, RANKING, Batch, Criterion, Goal, Policy, favoured, goal_kinds, score
from app.inference.choosing.knowledge import JudgedRound, expecting, gains, least_decided
from app.inference.core.edges import Design
from app.inference.fitting.model import Model, expected_weight
from app.inference.gaussian import Covariance, DenseCovariance, OneCovariance, plain
from app.inference.pair_sets import Kinds, PairSet, among, has, listed, mask, nth, size, within, without
from app.inference.regimes import MEDIUM, SMALL
from app.inference.types import Floats, Ints
from app.inference.verdicts import joined

TIE = 1e-9
EXACTLY = 1e-6  # of a typical posterior sd: means that are closer count as equal, where none that differ are to
SHORTLIST = 24  # pairs of many candidates whose knowledge gradient is summed
LISTED = 256  # pairs of more than MEDIUM candidates, for one
VAGUEST, NEAREST = 64, 2
MORE = 8  # times the places that are looked at first: some of them are not open
PLACES = 4  # on a shortlist, for each pair that is wanted
NEARLY = 1.15  # times the score of a pair of a round is that of the best
EVEN = 1e-7  # by how much, relatively, chance raises a variance: one of the pairs that are level leads
DRAWS = 400  # in which candidates contend
SEEDS = 2**62


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
    """A batch that is being chosen, before its next pick."""

    mean: Floats  # (N,)
    sigma: Covariance
    model: Model
    policy: Policy
    goal: Goal
    matters: Kinds  # the pairs that the goal is about
    floor: float  # of m^2
    judged: JudgedRound | None  # where win rates in all pairs are what is ranked

    def score(self, m: Floats, v: Floats) -> Floats:
        """The criterion of (L,) pairs."""
        return score(self.policy, self.model, m, v, self.floor)


def select(
    mean: Floats,
    sigma: Covariance,
    model: Model,
    open_pairs: PairSet,
    component: Ints,
    policy: Policy,
    goal: Goal,
    count: int,
    rng: np.random.Generator,
    judged: JudgedRound | None = None,
) -> list[Choice]:
    """Up to `count` different open pairs, in the order of choice.

    Conceptually, for each pick: score every open pair, take the argmax, close it, condition sigma on it.

    Args: `component` as of `connected`; `judged` is what is there of the round, and what is out.
    """
    floor = max(policy.equal, EXACTLY) ** 2 * float(sigma.diagonal.sum()) / max(model.n, 1)
    search = Search(mean, sigma, model, policy, goal, goal_kinds(goal, mean), floor, judged)
    choices = list[Choice]()
    while len(choices) < count and size(open_pairs):
        picks = _picks(search, open_pairs, component, count - len(choices), rng)
        choices += picks
        if len(choices) == count:
            break
        first, second = np.array([(pick.i, pick.j) for pick in picks]).T.copy()
        open_pairs = without(open_pairs, first, second)
        if policy.batch is Batch.GREEDY or not isinstance(sigma, DenseCovariance):
            component = joined(component, first, second)
            search = search._replace(
                sigma=fantasise(search.sigma, mean, model, first, second),
                judged=search.judged and expecting(search.judged, mean, first, second),
            )
    return choices


def fantasise(sigma: OneCovariance, mean: Floats, model: Model, first: Ints, second: Ints) -> OneCovariance:
    """The covariance once these (L,) pairs are answered, whatever the answers."""
    if not len(first):
        return sigma
    return sigma.condition(Design(model.n, model.n, first, second), expected_weight(mean[first] - mean[second], model))


def connected(component: Ints, first: Ints, second: Ints, model: Model, goal: Goal, criterion: Criterion) -> Ints:
    """(N,) the component of each, once these (L,) pairs are answered too; one of all where nothing is to be joined."""
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


def draw(pairs: PairSet, many: int, rng: np.random.Generator) -> tuple[int, int]:
    """One of the `many` pairs, uniformly; one alone needs no chance."""
    return nth(pairs, int(rng.integers(many)) if many > 1 else 0)


def _picks(search: Search, open_pairs: PairSet, component: Ints, count: int, rng: np.random.Generator) -> list[Choice]:
    """One open pair, of which there is one at least: drawn, or the best; where Sigma is no matrix, a round of them."""
    policy, sigma, value = search.policy, search.sigma, None
    best, many_open = joining(component, open_pairs, policy.criterion), size(open_pairs)
    share = 1.0 if policy.criterion in DRAWN and best is None else policy.random_share
    uniform = share / many_open
    if best is None and share < 1.0 and isinstance(sigma, DenseCovariance):
        code, value = _best_pairs(search, sigma, open_pairs, rng)
        best = listed(len(search.mean), code)
    random = share == 1.0 or (share > 0.0 and bool(rng.random() < share))
    if best is None and not random:
        return _round(search, open_pairs, count if share == 0.0 else 1, uniform, rng)
    many = size(best) if best else 0
    i, j = draw(open_pairs, many_open, rng) if random or not best else draw(best, many, rng)
    if not best or not has(best, i, j):
        return [_explained(search, i, j, uniform, random)]
    return [_explained(search, i, j, uniform + (1.0 - share) / many, random, value)]


def _explained(search: Search, i: int, j: int, propensity: float, random: bool, value: float | None = None) -> Choice:
    """Choice of a pair, by its `value`, or else by what the criterion says of it."""
    mean, sigma = search.mean, search.sigma
    m, v = float(mean[i] - mean[j]), sigma.variance_of_difference(i, j)
    if value is None and search.policy.criterion is Criterion.KNOWLEDGE and isinstance(sigma, DenseCovariance):
        value = float(gains(np.array([i]), np.array([j]), mean, sigma, search.model, search.matters)[0])
    elif value is None:
        value = float(search.score(np.array([m]), np.array([v]))[0])
    return Choice(i, j, value, m, float(np.sqrt(v)), propensity, random)


def _best_pairs(
    search: Search, sigma: DenseCovariance, open_pairs: PairSet, rng: np.random.Generator
) -> tuple[Ints, float | None]:
    """Codes i N + j of the open pairs that are tied for the best, ascending; and their value, if it is known."""
    mean, model, goal, n = search.mean, search.model, search.goal, len(search.mean)
    if search.policy.criterion is not Criterion.KNOWLEDGE:
        return best_of(search, favoured(open_pairs, search.matters))[0], None
    if contended := _most_contended(search, sigma, open_pairs, rng):
        return contended
    if n <= SMALL:
        first, second = within(open_pairs, np.arange(n))
        values = gains(first, second, mean, sigma.compact(), model, search.matters, TIE, search.judged)
        return _tied(first * n + second, values)
    if goal != RANKING:
        who = least_decided(mean, sigma, search.matters)
        first, second = within(open_pairs, who)
        if len(first):
            kinds = Kinds(search.matters.kind[who], search.matters.meets)
            values = gains(first, second, mean[who], _of(sigma, who), model, kinds, TIE)
            return _tied(who[first] * n + who[second], values)[0], None
    code, own = best_of(search, open_pairs, SHORTLIST)
    if len(own) > SHORTLIST and own.min() >= own.max() * (1.0 - TIE):
        return code, None
    code = code[np.argsort(-own, kind="stable")[:SHORTLIST]]
    return _tied(code, gains(*np.divmod(code, n), mean, sigma, model, search.matters, TIE))


def best_of(search: Search, pairs: PairSet, places: int = 1) -> tuple[Ints, Floats]:
    """Codes i N + j of the pairs of the first `places` places and of those tied with the last of them; their scores."""
    mean, sigma, n, wanted = search.mean, search.sigma, len(search.mean), LISTED + 2 * places
    if n > MEDIUM:
        in_common = 1.0 / search.model.prior.precision[:n].sum()
        i, j = shortlist(search, pairs, sigma.diagonal - in_common, wanted)
    if n <= MEDIUM or (len(i) < wanted and pairs.leaves_out):  # few of the pairs on the list are open
        i, j = np.nonzero(mask(pairs))
    values = search.score(mean[i] - mean[j], np.maximum(sigma.variances(i, j), 0.0))
    line = np.partition(values, -min(places, len(values)))[-min(places, len(values))]
    best = np.flatnonzero(values >= line * (1.0 - TIE))
    code = i[best] * n + j[best]
    ascending = np.argsort(code)
    return code[ascending], values[best[ascending]]


def shortlist(
    search: Search, pairs: PairSet, variance: Floats, places: int, vaguest: int = VAGUEST
) -> tuple[Ints, Ints]:
    """The open pairs of the first `places` places, or as many as are listed, the best first by v as of independence."""
    mean, n, (first, second) = search.mean, len(search.mean), listed_by(search.mean, variance, pairs, vaguest)
    value = search.score(mean[first] - mean[second], variance[first] + variance[second])
    for most in (MORE * places, len(value)):
        best = np.argpartition(-value, most - 1)[:most] if most < len(value) else np.arange(len(value))
        best = best[np.argsort(-value[best], kind="stable")]
        i, j = first[best], second[best]
        _, at = np.unique(i * n + j, return_index=True)
        in_order = np.sort(at[has(pairs, i[at], j[at])])[:places]
        if len(in_order) == places:
            break
    return i[in_order], j[in_order]


def listed_by(mean: Floats, variance: Floats, pairs: PairSet, vaguest: int) -> tuple[Ints, Ints]:
    """The shortlist (L,), i < j, open or not."""
    if not pairs.leaves_out:
        return np.divmod(pairs.code, len(mean))
    ones, others = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for kind, partner in np.argwhere(np.triu(pairs.meets)):
        one, other = np.flatnonzero(pairs.kind == kind), np.flatnonzero(pairs.kind == partner)
        if not len(one) or not len(other):
            continue
        vague = [side[np.argsort(-variance[side], kind="stable")[:vaguest]] for side in (one, other)]
        ordered = other[np.argsort(mean[other], kind="stable")]
        beside = np.searchsorted(mean[ordered], mean[one])[:, None] + np.arange(-NEAREST, NEAREST + 1)
        ones += [np.repeat(vague[0], len(vague[1])), np.repeat(one, 2 * NEAREST + 1)]
        others += [np.tile(vague[1], len(vague[0])), ordered[np.clip(beside, 0, len(other) - 1)].ravel()]
    first, second = np.concatenate(ones), np.concatenate(others)
    apart = first != second
    return np.minimum(first, second)[apart], np.maximum(first, second)[apart]


def _most_contended(
    search: Search, sigma: DenseCovariance, open_pairs: PairSet, rng: np.random.Generator
) -> tuple[Ints, float] | None:
    """Code of the open pair of the largest C for a top k in a round, and C; none where none contends."""
    k, n = search.goal.top_k, len(search.mean)
    if search.judged is None or k is None or k >= n:
        return None
    reach = search.mean + np.sqrt(sigma.diagonal)
    who = np.sort(np.argsort(-reach, kind="stable")[: max(SMALL, 2 * k)])
    first, second = within(open_pairs, who)
    if not len(first):
        return None
    noise = np.random.default_rng(rng.integers(SEEDS)).standard_normal((DRAWS, len(who)))
    scores = search.mean[who] + noise @ np.linalg.cholesky(_of(sigma, who).matrix()).T
    is_in = np.zeros_like(scores)
    np.put_along_axis(is_in, np.argpartition(-scores, k - 1, axis=1)[:, :k], 1.0, axis=1)
    takes_place = is_in.T @ (1.0 - is_in) / DRAWS
    contention = (takes_place * takes_place.T)[first, second]
    best = int(np.argmax(contention))
    code = np.array([who[first[best]] * n + who[second[best]]])
    return (code, float(contention[best])) if contention[best] > 0.0 else None


def _of(sigma: DenseCovariance, who: Ints) -> DenseCovariance:
    """Covariance of some scores alone."""
    return plain(sigma.base[np.ix_(who, who)] - sigma.columns[:, who].T @ sigma.columns[:, who], np.nan)


def _tied(code: Ints, values: Floats) -> tuple[Ints, float]:
    """Those of (L,) pairs whose values are tied for the best, ascending, and the best."""
    return np.sort(code[values >= values.max() * (1.0 - TIE)]), float(values.max())


def _round(search: Search, open_pairs: PairSet, count: int, uniform: float, rng: np.random.Generator) -> list[Choice]:
    """Pairs of a shortlist that share no candidate, as good as the best or nearly."""
    mean, sigma, share = search.mean, search.sigma, search.policy.random_share
    pairs, places = favoured(open_pairs, search.matters), PLACES * count
    level = np.random.default_rng(rng.integers(SEEDS)).random(len(mean))
    first, second = shortlist(search, pairs, sigma.diagonal * (1.0 + EVEN * level), places, max(VAGUEST, 2 * places))
    if not len(first):  # none of the list is open
        many = size(pairs)
        return [_explained(search, *draw(pairs, many, rng), uniform + (1.0 - share) / many, random=False)]
    value = search.score(mean[first] - mean[second], sigma.variances(first, second))
    choices, busy = list[Choice](), set[int]()
    for k in np.argsort(-value, kind="stable").tolist():
        i, j = int(first[k]), int(second[k])
        if len(choices) == count or value[k] * NEARLY < value.max():
            break
        if not busy & {i, j}:
            choices.append(_explained(search, i, j, uniform + 1.0 - share, random=False))
            busy |= {i, j}
    return choices
