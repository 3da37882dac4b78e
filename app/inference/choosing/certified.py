"""The next pair where no covariance fits: the best open pair up to a known factor.

For the rules of kernels/pair_sets.py, all of which rise with v_ij. From upper ends U_i of the variances (push.py),

    v_ij <= Sigma_ii + Sigma_jj <= U_i + U_j        as no entry of Sigma is negative

leads to a shortlist of pairs, and no pair beyond it scores more than its last one could. A push gives an interval of v
for each pair on it. A pick comes with

    ratio = the most that any open pair can score / the least that this one scores        1 is the best pair for sure

Several pairs come in rounds. A round takes pairs of its shortlist that share no candidate, best first, as long as their
ratio is GOOD. Then all of them are answered, as fantasies, and the next round begins. Within a round other pairs are
taken for what they score before it, which is no less than what they score at any turn. The v of a pick is computed from
v', what it has left once the whole round is answered: v' = v / (1 + w v), with v no more than at its own turn.

The U_i of candidates that were picked are computed again; the others stay, as comparisons only lower variances.
"""

from typing import NamedTuple

import numpy as np

from app.inference.choosing.pair_sets import leading, without
from app.inference.fitting.model import Model, expected_weight
from app.inference.graphs.comparison_graph import Precision, answered
from app.inference.graphs.push import differences, variances
from app.inference.kernels.pair_sets import PairMoments, PairSet, Rule, scores
from app.inference.types import Floats, Ints

SHORTLIST = 64
GOOD = 1.15
WIDTH = 0.01  # of an interval of v
EFFORT = 100_000  # neighbours visited by one push
EVEN = 1e-7  # by how much, relatively, chance raises U: one of the pairs that are level leads
MANY_TIES = 10_000_000  # pairs looked at
ROUNDED = 1e-12


class Pick(NamedTuple):
    """A pair i < j, its v and how far from the best it may be."""

    i: int
    j: int
    lower: float  # of v_ij at its turn
    upper: float
    ratio: float


class _Round(NamedTuple):
    """A shortlist, best first by the most that each pair scores."""

    first: Ints  # (L,)
    second: Ints  # (L,)
    lower: Floats  # (L,) of v
    upper: Floats  # (L,)
    least: Floats  # (L,) of the score
    most: Floats  # (L,)
    beyond: float  # the most that a pair scores that is not listed


def choose(
    mean: Floats,
    precision: Precision,
    upper: Floats,
    model: Model,
    rule: Rule,
    pairs: PairSet,
    count: int,
    rng: np.random.Generator,
) -> list[Pick]:
    """Up to `count` different open pairs, in the order of choice.

    Args:
        mean, precision: the posterior over N scores.
        upper: (N,) no less than Sigma_ii.
        pairs: those that are open.

    Conceptually, for each pick: score every open pair, take the argmax, close it, answer it.
    """
    picks: list[Pick] = []
    while len(picks) < count:
        shortlist = _shortlist(mean, precision, upper, rule, pairs, count - len(picks), rng)
        if not len(shortlist.first):
            break
        taken = _apart(shortlist, count - len(picks))
        first, second = shortlist.first[taken], shortlist.second[taken]
        if len(picks) + len(taken) < count:
            pairs = without(pairs, first, second)
        if len(picks) + len(taken) < count or len(taken) > 1:
            weight = expected_weight(mean[first] - mean[second], model)
            precision, upper = _answered(precision, upper, first, second, weight)
        picks += _picks(shortlist, taken, mean, precision, model, rule)
    return picks


def _shortlist(
    mean: Floats,
    precision: Precision,
    upper: Floats,
    rule: Rule,
    pairs: PairSet,
    count: int,
    rng: np.random.Generator,
) -> _Round:
    """The open pairs whose bound is largest, more of them where more are wanted, measured."""
    places = SHORTLIST + (4 * count if count > 1 else 0)
    first, second, beyond = _leading(mean, upper * (1.0 + EVEN * rng.random(len(mean))), rule, pairs, places)
    lower, higher = differences(precision, first, second, WIDTH, EFFORT)
    m = mean[first] - mean[second]
    least, most = scores(rule, m, lower), scores(rule, m, higher)
    order = np.argsort(-most, kind="stable")
    return _Round(first[order], second[order], lower[order], higher[order], least[order], most[order], beyond)


def _leading(mean: Floats, upper: Floats, rule: Rule, pairs: PairSet, places: int) -> tuple[Ints, Ints, float]:
    """The open pairs of the largest bounds, and what no other's bound exceeds; -inf where all open ones are there."""
    moments = PairMoments(mean, upper, np.empty((0, 0)), np.empty((0, len(mean))), True)
    code, bounds, is_all = leading(moments, rule, pairs, places, 0.0, MANY_TIES)
    in_front = np.argsort(-bounds, kind="stable")[:places]
    first, second = np.divmod(code[in_front], len(mean))
    if not is_all:
        beyond = float(scores(rule, np.zeros(1), 2.0 * upper.max(keepdims=True))[0])
    else:
        beyond = float(bounds[in_front[-1]]) if len(in_front) == places else -np.inf
    return first, second, beyond


def _apart(shortlist: _Round, most: int) -> Ints:
    """(T,) which pairs a round takes: the best one, and good ones that share no candidate with those before."""
    limit = max(shortlist.beyond, float(shortlist.most[0]))
    best = int(np.argmax(shortlist.least))
    taken, busy = [best], {int(shortlist.first[best]), int(shortlist.second[best])}
    for k in np.flatnonzero(shortlist.least * GOOD >= limit).tolist():
        if len(taken) == most:
            break
        both = {int(shortlist.first[k]), int(shortlist.second[k])}
        if not busy & both:
            taken.append(k)
            busy |= both
    return np.array(taken)


def _answered(
    precision: Precision, upper: Floats, first: Ints, second: Ints, weight: Floats
) -> tuple[Precision, Floats]:
    """H and the upper ends once these (T,) pairs are answered."""
    precision, upper, both = answered(precision, first, second, weight), upper.copy(), np.append(first, second)
    upper[both] = np.minimum(upper[both], variances(precision, both, WIDTH, EFFORT)[1])
    return precision, upper


def _picks(shortlist: _Round, taken: Ints, mean: Floats, after: Precision, model: Model, rule: Rule) -> list[Pick]:
    """The picks of a round, given H after it."""
    first, second = shortlist.first[taken], shortlist.second[taken]
    lower, upper = shortlist.lower[taken], shortlist.upper[taken]
    m = mean[first] - mean[second]
    if len(taken) > 1:
        left, _ = differences(after, first, second, WIDTH, EFFORT)
        lower = np.minimum(lower, left / (1.0 - np.minimum(expected_weight(m, model) * left, 1.0 - ROUNDED)))
    ratios, open_still = np.empty(len(taken)), shortlist.most.copy()
    for turn, k in enumerate(taken):
        most, least = max(shortlist.beyond, float(open_still.max())), float(scores(rule, m[[turn]], lower[[turn]])[0])
        ratios[turn] = most / least if least > 0.0 else (np.inf if most > 0.0 else 1.0)
        open_still[k] = -np.inf
    return [
        Pick(min(i, j), max(i, j), *ends_and_ratio)
        for i, j, *ends_and_ratio in zip(*(x.tolist() for x in (first, second, lower, upper, ratios)), strict=True)
    ]
