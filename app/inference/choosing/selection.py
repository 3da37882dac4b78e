"""Which pair next (PoE 3.6, GPM 4.2).

For every open pair, with m_ij = mu_i - mu_j and v_ij = Sigma_ii + Sigma_jj - 2 Sigma_ij, maximise

    variance      v_ij                       GPM eq. 4
    determinant   phi w(m_ij) v_ij           PoE A.6, GPM eq. 3; w is the expert's curvature, phi the answer's votes
    reordering    v_ij / m_ij^2              GPM eq. 5: the argmax of P(order is wrong) = Phi(-|m_ij| / sqrt(v_ij))
    exponent      v_ij / |m_ij|^epsilon      GPM eq. 6
    knowledge     KG_ij                      methods 12; kernels/knowledge.py has the equation
    random        uniform over the open pairs

For the ranking of more than knowledge.EXACT candidates pairs that join what no comparison connects yet come before all
of these (joining.py), but for random.

All but random speak of the goal (goals.py): knowledge sums over the pairs that matter, the others choose among them
while one of them is open. Beyond knowledge.EXACT candidates the sum is taken for some pairs only: for the ranking those
whose own term, (k, l) = (i, j), is largest; for another goal those among the candidates that are least settled in it.

m^2 carries a floor, (a tenth of a typical posterior sd)^2: means that are closer count as equal, and among such pairs
v decides. Without it nothing but m counts near m = 0, and a judge that ties texts exactly is asked about the tied ones
until none of their pairs is left (decision 9). Scores within a relative 1e-9 count as tied and one of the tied pairs is
drawn uniformly.

Several pairs at once are chosen greedily with fantasies: a chosen pair conditions the covariance before the next is
sought. Its weight needs the means only, never the outcome: it is the expert's curvature at the p that m lets one
expect. Under such updates m stays and v only falls, so every score (of knowledge: the own term) is an upper bound of
its later self: after the first scan only rows whose old best could still win are read again, and the choice is the
same as by a full scan after each pick. "top" takes the best of one list instead, as GPM 6.3 does; it is kept to compare
with.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from app.inference.choosing.goals import RANKING, Goal, favoured, goal_pairs, upper_triangle
from app.inference.choosing.joining import joining
from app.inference.choosing.knowledge import EXACT, best_gains, gains, own_term
from app.inference.covariance import (
    Covariance,
    Rows,
    condition_all,
    dense,
    diagonal,
    mean_variance,
    plain,
    variance_of_difference,
)
from app.inference.fitting.model import Model, expected_weight
from app.inference.kernels.bradley_terry import serves
from app.inference.kernels.knowledge import most_own_terms
from app.inference.kernels.pairs import best_pairs, conditioned, nth_pair
from app.inference.types import Bools, Chance, Floats, Ints

BLOCK = 64  # rows scored at a time: what fits in cache
EQUAL = 0.1  # of a typical posterior sd: means that are closer count as equal
TIE = 1e-9
SHORTLIST = 24  # pairs of many candidates whose knowledge gradient is summed


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


class _Search(NamedTuple):
    """One batch being chosen; all arrays after `matters` are written in place."""

    mean: Floats  # (N,)
    model: Model
    policy: Policy
    floor: float  # of m^2
    goal: Goal
    matters: Bools  # (N, N) its pairs i < j
    component: Ints  # (N,) which candidates are connected, counting pairs chosen before
    upper: Bools  # (N, N) open pairs i < j
    favoured: Bools  # (N, N) those of them that the criterion chooses from
    best: Floats  # (N,) per row, an upper bound of its best score; -inf where nothing is open
    fresh: Bools  # (N,) whether that bound is exact for the present covariance


def select(
    mean: Floats,
    sigma: Covariance,
    model: Model,
    open_pairs: Bools,
    component: Ints,
    policy: Policy,
    goal: Goal,
    count: int,
    rng: Chance,
) -> list[Choice]:
    """Up to `count` different open pairs, in the order of choice.

    Args:
        mean, sigma: the posterior over N scores.
        open_pairs: (N, N), True at [i, j], i < j, where a pair may be chosen; the rest is ignored.
        component: (N,) which candidates are connected, as joining.connected has it.

    Conceptually, for each pick: score every open pair, take the argmax, close it, condition sigma on it.
    """
    n, upper = len(mean), open_pairs & upper_triangle(len(mean))
    matters = goal_pairs(goal, mean)
    favours = upper if policy.criterion is Criterion.KNOWLEDGE or goal == RANKING else favoured(upper, matters)
    bounds = np.full(n, np.inf), np.zeros(n, np.bool_)
    search = _Search(mean, model, policy, equality(sigma), goal, matters, component.copy(), upper, favours, *bounds)
    choices: list[Choice] = []
    for left in reversed(range(min(count, int(np.count_nonzero(upper))))):
        choice = _pick(search, sigma, rng)
        choices.append(choice)
        upper[choice.i, choice.j] = search.favoured[choice.i, choice.j] = False
        if policy.batch is Batch.TOP:
            search.fresh[choice.i] = False
        elif left:
            search.component[search.component == search.component[choice.i]] = search.component[choice.j]
            search.fresh[:] = False
            sigma = fantasise(sigma, mean, model, np.array([choice.i]), np.array([choice.j]))
    return choices


def equality(sigma: Covariance) -> float:
    """The squared difference below which two means count as equal."""
    return EQUAL**2 * mean_variance(sigma)


def fantasise(sigma: Covariance, mean: Floats, model: Model, first: Ints, second: Ints) -> Covariance:
    """The covariance once these (L,) pairs are answered, whatever the answers."""
    if serves(model.expert, model.n):
        after, fall = conditioned(_array(sigma), mean, first, second, model.votes)
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


def _array(sigma: Covariance) -> Floats:
    """(N, N), as kernels want it."""
    return np.ascontiguousarray(dense(sigma))


def _pick(search: _Search, sigma: Covariance, rng: Chance) -> Choice:
    """One open pair; at least one must be open."""
    policy, upper = search.policy, search.upper
    share = 1.0 if policy.criterion is Criterion.RANDOM else policy.random_share
    open_pairs = int(np.count_nonzero(upper))
    uniform = share / open_pairs
    if share == 1.0:
        return _explain(search, sigma, *_draw(upper, open_pairs, rng), uniform, True)
    if not search.favoured.any():
        _favour_more(search)
    rows, tied, many = _best_pairs(search, sigma)
    random = share > 0.0 and bool(rng.random() < share)
    if random:
        i, j = _draw(upper, open_pairs, rng)
    else:
        row, j = _draw(tied, many, rng)
        i = int(rows[row])
    is_best = not random or bool(tied[rows == i, j].any())
    return _explain(search, sigma, i, j, uniform + (1.0 - share) * is_best / many, random)


def _favour_more(search: _Search) -> None:
    """Go on with the pairs that come next once those of the goal are used up."""
    search.favoured[:] = favoured(search.upper, search.matters)
    search.best[:], search.fresh[:] = np.inf, False


def _explain(search: _Search, sigma: Covariance, i: int, j: int, propensity: float, random: bool) -> Choice:
    m, v = float(search.mean[i] - search.mean[j]), variance_of_difference(sigma, i, j)
    if search.policy.criterion is Criterion.KNOWLEDGE:
        pair = np.array([i]), np.array([j])
        (value,) = gains(*pair, search.mean, sigma, search.model, search.matters).tolist()
    else:
        value = float(score(search.policy, search.model, np.array(m), np.array(v), search.floor))
    return Choice(i, j, value, m, float(np.sqrt(v)), propensity, random)


def _draw(pairs: Bools, many: int, rng: Chance) -> tuple[int, int]:
    """Row and column of one of the `many` True entries, uniformly; one alone needs no chance."""
    return nth_pair(pairs, int(rng.integers(many)) if many > 1 else 0)


def _best_pairs(search: _Search, sigma: Covariance) -> tuple[Ints, Bools, int]:
    """Rows (R,) that hold a best pair, (R, N) which of their pairs are tied for it, and how many these are."""
    joins = joining(search.component, search.upper)
    if many := int(np.count_nonzero(joins)):
        return np.arange(len(joins)), joins, many
    if search.policy.criterion is Criterion.KNOWLEDGE:
        return _most_telling(search, sigma)
    if serves(search.model.expert, search.model.n):
        return _best_of_few(search, sigma)
    return _best_of_many(search, sigma)


def _best_of_many(search: _Search, sigma: Covariance) -> tuple[Ints, Bools, int]:
    """All rows that could win, a few at a time."""
    variances = diagonal(sigma)
    rows, line = _leading_rows(search, sigma, variances, 1)
    tied = np.zeros((len(rows), len(variances)), np.bool_)
    for start, block in _blocks(rows):
        scores = _row_scores(search, sigma, variances, block)
        tied[start : start + len(block), int(block[0]) :] = scores >= line
    return rows, tied, int(np.count_nonzero(tied))


def _leading_rows(search: _Search, sigma: Covariance, variances: Floats, places: int) -> tuple[Ints, float]:
    """Rows (R,) that hold the pairs of the first `places` places, or tied with them, and what it takes to be there."""
    places = min(places, len(search.best))
    while True:
        line = float(np.partition(search.best, -places)[-places]) * (1.0 - TIE)
        rows = np.flatnonzero(search.best >= line)
        stale = rows[~search.fresh[rows]]
        if not stale.size:
            return rows, line
        for _, block in _blocks(stale):
            search.best[block] = _row_bests(search, sigma, variances, block)
        search.fresh[stale] = True


def _most_telling(search: _Search, sigma: Covariance) -> tuple[Ints, Bools, int]:
    """The pairs of the largest knowledge gradient; where the best own term is that of many pairs, all of those."""
    state = search.mean, sigma, search.model, search.matters
    if len(search.mean) <= EXACT or search.goal != RANKING:
        i, j, values = best_gains(search.upper, *state, TIE)
        if len(i):
            return _tied(i, j, values, len(search.mean))
    rows, tied, many = _best_of_many(search, sigma)
    if many > SHORTLIST:
        return rows, tied, many
    i, j = _shortlist(search, sigma)
    return _tied(i, j, gains(i, j, *state), len(search.mean))


def _tied(i: Ints, j: Ints, values: Floats, n: int) -> tuple[Ints, Bools, int]:
    """As `_best_pairs`, from the (L,) values of some pairs."""
    tied, best = np.zeros((n, n), np.bool_), values >= values.max() * (1.0 - TIE)
    tied[i[best], j[best]] = True
    return np.arange(n), tied, int(np.count_nonzero(best))


def _shortlist(search: _Search, sigma: Covariance) -> tuple[Ints, Ints]:
    """Rows and columns of the pairs that score best, SHORTLIST of them where so many are open."""
    variances = diagonal(sigma)
    rows, line = _leading_rows(search, sigma, variances, SHORTLIST)
    leading = np.empty((3, 0))
    for _, block in _blocks(rows):
        scores = _row_scores(search, sigma, variances, block)
        row, column = np.nonzero((scores >= line) & np.isfinite(scores))
        pairs = np.vstack([block[row], block[0] + column, scores[row, column]])
        leading = np.hstack([leading, pairs])
        leading = leading[:, np.argsort(-leading[2], kind="stable")[:SHORTLIST]]
    return leading[0].astype(np.int64), leading[1].astype(np.int64)


def _best_of_few(search: _Search, sigma: Covariance) -> tuple[Ints, Bools, int]:
    """All rows, by one call of a kernel."""
    policy = search.policy
    determinant = policy.criterion is Criterion.DETERMINANT
    power = {
        Criterion.VARIANCE: 0.0,
        Criterion.REORDERING: 1.0,
        Criterion.EXPONENT: 0.5 * policy.epsilon,
        Criterion.DETERMINANT: 0.0,
    }[policy.criterion]
    pairs = search.mean, _array(sigma), search.favoured
    tied, many = best_pairs(*pairs, determinant, power, search.floor, TIE)
    return np.arange(len(search.mean)), tied, many


def _blocks(rows: Ints) -> Iterator[tuple[int, Ints]]:
    """Rows a few at a time, each with its place."""
    for start in range(0, len(rows), BLOCK):
        yield start, rows[start : start + BLOCK]


def _row_bests(search: _Search, sigma: Covariance, variances: Floats, rows: Ints) -> Floats:
    """(R,) the best score of each of the ascending `rows`; -inf if nothing is open."""
    if search.policy.criterion is Criterion.KNOWLEDGE and search.model.expert.as_soft_bt is not None:
        m, v = _row_differences(search, sigma, variances, rows)
        v[~search.favoured[rows, int(rows[0]) :]] = -np.inf
        return np.asarray(most_own_terms(m, v, search.model.votes))
    return np.asarray(_row_scores(search, sigma, variances, rows).max(axis=1))


def _row_scores(search: _Search, sigma: Covariance, variances: Floats, rows: Ints) -> Floats:
    """Scores of the pairs (i, j) for i in the ascending `rows` and j from the first of them on; -inf if not open."""
    m, v = _row_differences(search, sigma, variances, rows)
    value = score(search.policy, search.model, m, v, search.floor)
    return np.where(search.favoured[rows, int(rows[0]) :], value, -np.inf)


def _row_differences(search: _Search, sigma: Covariance, variances: Floats, rows: Ints) -> tuple[Floats, Floats]:
    """m and v of the same pairs."""
    left = int(rows[0])
    covariances = sigma.base[rows, left:] - sigma.columns[rows] @ sigma.columns[left:].T
    v = variances[rows, None] + variances[None, left:] - 2.0 * covariances
    return search.mean[rows, None] - search.mean[None, left:], np.maximum(v, 0.0)
