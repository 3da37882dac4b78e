"""The next pairs: the best open pair by the criterion, as many times as are wanted.

Several pairs at once are chosen greedily with fantasies: a chosen pair conditions the covariance before the next is
sought. Its weight needs the means only, never the outcome: it is the expert's curvature at the p that m lets one
expect. "top" takes the best of one list instead, as GPM 6.3 does; it is kept to compare with.
"""

import numpy as np

from app.inference.choosing.criteria import Batch, Policy, equality
from app.inference.choosing.goals import RANKING, Goal, favoured, goal_kinds
from app.inference.choosing.joining import joining
from app.inference.choosing.knowledge import JudgedRound, expecting
from app.inference.choosing.pair_sets import without
from app.inference.choosing.picking import Choice, Search, draw, drawn_share, explain, fantasise, pick
from app.inference.choosing.shortlist import VAGUEST, apart, shortlist
from app.inference.fitting.model import Model
from app.inference.gaussian import Covariance, SparseCovariance
from app.inference.kernels.pair_sets import PairSet, has, size
from app.inference.types import Chance, Floats, Ints
from app.inference.verdicts import joined

PLACES = 4  # on a shortlist, for each pair that is wanted
EVEN = 1e-7  # by how much, relatively, chance raises a variance: one of the pairs that are level leads


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
        component: (N,) which candidates are connected, as joining.connected has it.
        judged: what is there of it, and what is out, where win rates in all pairs are what is ranked.

    Conceptually, for each pick: score every open pair, take the argmax, close it, condition sigma on it.
    """
    search = Search(mean, model, policy, equality(sigma, policy.equal), goal, goal_kinds(goal, mean), judged)
    if isinstance(sigma, SparseCovariance):
        return _select_of_many(search, sigma, open_pairs, component, count, rng)
    choices: list[Choice] = []
    for left in reversed(range(min(count, size(open_pairs)))):
        choice = pick(search, open_pairs, component, sigma, rng)
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


def _select_of_many(
    search: Search, sigma: SparseCovariance, open_pairs: PairSet, component: Ints, count: int, rng: Chance
) -> list[Choice]:
    """`select` where Sigma is no matrix: what is left to the criterion is chosen in rounds (shortlist.py)."""
    choices = list[Choice]()
    while len(choices) < min(count, len(choices) + size(open_pairs)):
        joins = joining(component, open_pairs, search.policy.criterion)
        share = drawn_share(search.policy, joins)
        random = share == 1.0 or (share > 0.0 and bool(rng.random() < share))
        uniform = share / size(open_pairs)
        if random or joins is not None:
            pairs = open_pairs if random or joins is None else joins
            i, j = draw(pairs, size(pairs), rng)
            by_joining = (1.0 - share) / size(joins) if joins is not None and has(joins, i, j) else 0.0
            picks = [explain(search, sigma, i, j, uniform + by_joining, random)]
        else:
            picks = _round(search, sigma, open_pairs, count - len(choices) if share == 0.0 else 1, uniform, rng)
        if len(choices := choices + picks) < count:
            first, second = np.array([(pick.i, pick.j) for pick in picks]).T.copy()
            open_pairs, component = without(open_pairs, first, second), joined(component, first, second)
            sigma = fantasise(sigma, search.mean, search.model, first, second)
    return choices


def _round(
    search: Search, sigma: SparseCovariance, open_pairs: PairSet, count: int, uniform: float, rng: Chance
) -> list[Choice]:
    """Pairs that share no candidate, as good as the best or nearly."""
    pairs = open_pairs if search.goal == RANKING else favoured(open_pairs, search.matters)
    level = np.random.default_rng(rng.integers(2**62)).random(len(search.mean))
    variance = sigma.diagonal * (1.0 + EVEN * level)
    first, second = shortlist(
        search.mean, variance, search.score, pairs, PLACES * count, max(VAGUEST, 2 * PLACES * count)
    )
    share = search.policy.random_share
    if not len(first):  # none of the list is open
        return [explain(search, sigma, *draw(pairs, size(pairs), rng), uniform + (1.0 - share) / size(pairs), False)]
    value = search.score(search.mean[first] - search.mean[second], sigma.variances(first, second))
    taken = apart(first, second, value, count)
    ends = zip(first[taken].tolist(), second[taken].tolist(), strict=True)
    return [explain(search, sigma, i, j, uniform + 1.0 - share, random=False) for i, j in ends]
