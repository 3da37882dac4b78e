"""Evidence that verdicts depend on what is compared, valid however often one looks (an e-value; decision 38).

Null: what a judge answers may depend on positions, on time and on its own past in any way, but not on which of the two
candidates stands where. If the order was a coin, thrown once the pair was chosen, the WINNER is then the same coin,
given the position that was named. A unit u is what is one such coin, r_u its contrast, winner minus loser:

    a judge on a pair on an item     the first verdict that decides, of a log that grows; the net vote of a file
    a row                            of a file that names neither judge nor item
    a prompt                         where the question is about prompts to come: r_u = sum over its pairs of the mean
                                     vote in either order, times (e_a - e_b) / sqrt(pairs); a vote is as large as
                                     1/2 + |p - 1/2|, which is known before the winner is

The bet: scores s ~ N(0, tau^2 I), which judge j follows (pi) or tosses coins (1 - pi); of those who follow, some have a
habit delta, so that what they say against it tells more: h = 1 where the winner stood first, -1 second, 0 both ways,

    E = sum_(tau, pi) w INTEGRAL prod_j [ pi sum_delta w_delta prod_(u of j) f_u + 1 - pi ] N(s) ds
    f_u = sigma(kappa r_u s + l_u) / sigma(l_u),   kappa = 2 sigma(-h delta),   l_u = logit rho_u

with rho_u the chance of the order that was shown (choosing/asking.py): over both orders f has mean 1. Rows of one unit
are turned together, and l is the sum of theirs. An order that was certain for the pair had been shown the other way
round adds nothing. Orders about prompts to come are fair.

E is a martingale with mean 1 under the null: P(ever E >= 1 / alpha) <= alpha (Ville). Stated is a lower bound by
Jensen's inequality, twice, for any N(m, V) in the place of the posterior of s:

    log E >= log sum w exp { sum_j log [ pi sum_delta w_delta exp L_j + 1 - pi ] - KL(N(m, V) || N(0, tau^2 I)) }
    L_j = sum_(u of j) E log f_u(kappa t),   t ~ N(r_u m, r_u V r_u^T)

A unit of weight w at most 1 is a factor to the power of w. An order of unknown chance counts as a fair coin's. Of such
units that were shown one way only E_order is the same with "shown first" in the place of "won", and reported is
E / max(1, E_order): a judge who always names one position has at most E_order.
"""

from typing import NamedTuple

import numpy as np
from nextpair.words import SignalCase
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit, log_expit, logit, logsumexp

from app.inference.gaussian import from_precision
from app.inference.types import Bools, Comparisons, Floats, Ints, take
from app.inference.verdicts import directions, firsts, means, name_one_side, numbered, pair_numbers

CLAIMED = 20.0  # E from which on a signal is claimed: 1 / alpha, alpha = 0.05
LARGEST = 700.0  # log E that is distinguished
SPREADS = ((0.3, 0.3), (1.0, 0.4), (3.0, 0.3))  # tau, and its weight
FOLLOWING = ((1.0, 0.6), (0.5, 0.4))  # pi, and its weight
HABITS, SHARES = (0.0, 2.0, -2.0), (0.6, 0.2, 0.2)  # delta, and w_delta
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
FULL = 300  # candidates up to which V is a matrix, else its diagonal
STEPS, ENOUGH = 8, 1e-3  # towards m and V; gained by a step, below which they end
TINY, ROUNDED = 1e-12, 1e-9  # least curvature of a unit; entries of a contrast that are 0
LEAST = 1e-300  # of a probability, so that its logarithm is finite
AS_CERTAIN = 30.0  # |l| from which an order is as good as certain, or was all but impossible


class SignalTest(NamedTuple):
    e_value: float  # E / max(1, E_order); 1 before the first verdict
    case: SignalCase  # "as-judged" where a caller knows that what judges say of all pairs is known
    verdicts: int  # units
    order_e_value: float = 1.0  # E_order; 1 where it makes no difference

    @property
    def claimed(self) -> bool:
        return self.case in ("claimed", "as-judged")


class Units(NamedTuple):
    """U coins, if nothing depends on the candidates."""

    contrast: csr_array  # (U, N) r
    judge: Ints  # (U,) who follows, or tosses coins, in all of them
    stood: Floats  # (U,) h
    lean: Floats  # (U,) l, inf where the order was certain
    times: Floats  # (U,) how many are alike


def signal_of(
    comparisons: Comparisons,
    n: int,
    item: Ints,
    order_chance: Floats | None = None,
    *,
    new_items: bool = False,
    grew: bool = False,
    unnamed: Bools | None = None,
    positions: bool = True,
) -> SignalTest:
    """Evidence of the whole log; `item` (K,) is what each comparison was about, p is raw.

    Args: `order_chance` (K,) is rho, NaN where unknown. `new_items` asks it of prompts to come. `grew` is true of a log
        whose pairs were chosen by it. `unnamed` (J,) judges are nobody: each of their verdicts is another's. Without
        `positions`, as in a list of winners, who stands first means nothing.
    """
    chance = np.full(comparisons.size, np.nan) if order_chance is None else order_chance
    if new_items:
        won, shown = _of_prompts(comparisons, n, item, chance)
    else:
        won, shown = _of_pairs(comparisons, n, item, chance, grew, unnamed)
    if not positions:
        won = won._replace(stood=np.zeros_like(won.stood))
    log_e, log_order, units = log_evidence(won, n), 0.0, round(float(won.times.sum()))
    if positions and log_e >= np.log(CLAIMED):
        log_order = max(log_evidence(shown, n), 0.0)
    e_value, of_order = np.exp(np.minimum([log_e - log_order, log_order], LARGEST)).tolist()
    if e_value < CLAIMED and np.isinf(won.lean).any():  # what there would be if no order were certain
        log_e = log_evidence(won._replace(lean=np.where(np.isinf(won.lean), 0.0, won.lean)), n)
    case: SignalCase = "not-yet"
    if e_value >= CLAIMED:
        case = "claimed"
    elif positions and name_one_side(comparisons):
        case = "one-side-always-wins"
    elif log_e >= np.log(CLAIMED):
        case = "order-follows-candidates"
    elif 2.0**units < CLAIMED or (not new_items and 2 * units < np.count_nonzero(directions(comparisons.p - 0.5))):
        case = "few-units"
    return SignalTest(e_value, case, units, of_order)


def log_evidence(units: Units, n: int) -> float:
    """The bound."""
    if not len(units.judge):
        return 0.0
    logs = list[float]()
    for following, share in FOLLOWING:
        mean = np.zeros(n)
        for spread, part in SPREADS:
            value, mean = _bound(units, spread, following, mean)
            logs.append(value + np.log(share * part))
    return float(logsumexp(logs))


def _bound(units: Units, spread: float, following: float, mean: Floats) -> tuple[float, Floats]:
    """The bound of one (tau, pi), and the m (N,) at which it was largest; Newton's steps begin at `mean`."""
    contrast, judge, stood, lean, times = units
    n, by_candidate = len(mean), contrast.T.tocsr()
    habits, weights = (HABITS, SHARES) if stood.any() else ((0.0,), (1.0,))
    kappa, shares = 2.0 * expit(-stood * np.array(habits)[:, None]), np.log(weights)[:, None]  # (H, U), (H, 1)
    log_coin, tosses = log_expit(lean), np.log1p(-following) if following < 1.0 else -np.inf
    best, best_mean, variance, divergence = -np.inf, mean, np.zeros(len(stood)), np.inf
    for _ in range(STEPS):
        t = (contrast @ mean)[:, None] + np.sqrt(variance)[:, None] * NODES
        won = np.maximum(expit(kappa[..., None] * t + lean[:, None]), LEAST)  # (H, U, nodes)
        gains = [np.bincount(judge, times * of_habit) for of_habit in np.log(won) @ WEIGHTS - log_coin]
        each = np.log(following) + shares + np.array(gains)
        of_judges = np.logaddexp(logsumexp(each, axis=0), tosses)
        value = float(of_judges.sum()) - divergence
        if value > best:
            is_enough, best, best_mean = value - best < ENOUGH, value, mean
            if is_enough:
                break
        follows = np.exp(each - of_judges) if np.isfinite(divergence) else np.exp(shares) + np.zeros_like(each)
        of_each = times * follows[:, judge] * kappa
        pull = (of_each * ((1.0 - won) @ WEIGHTS)).sum(axis=0)
        curvature = (of_each * kappa * ((won - won**2) @ WEIGHTS)).sum(axis=0)
        gradient = by_candidate @ pull - mean / spread**2
        step, variance, trace, log_det = _newton_step(contrast, np.maximum(curvature, TINY), gradient, spread)
        mean = mean + step
        divergence = 0.5 * ((trace + mean @ mean) / spread**2 - n - log_det + 2.0 * n * np.log(spread))
    return best, best_mean


def _newton_step(
    contrast: csr_array, curvature: Floats, gradient: Floats, spread: float
) -> tuple[Floats, Floats, float, float]:
    """V g (N,), r_u V r_u^T (U,), the trace of V and ln det V, where V^-1 = R^T diag(curvature) R + I / tau^2."""
    n = contrast.shape[1]
    if n <= FULL:
        precision = (contrast.T @ contrast.multiply(curvature[:, None])).toarray() + np.eye(n) / spread**2
        sigma = from_precision(precision)
        return sigma.base @ gradient, _along(contrast, sigma.base), float(sigma.diagonal.sum()), sigma.log_det
    squares = contrast.multiply(contrast)
    diagonal = squares.T @ curvature + 1.0 / spread**2
    precise = LinearOperator((n, n), lambda x: contrast.T @ (curvature * (contrast @ x)) + x / spread**2)
    step, _ = cg(precise, gradient, M=diags_array(1.0 / diagonal), maxiter=30, rtol=1e-3)
    return step, squares @ (1.0 / diagonal), float((1.0 / diagonal).sum()), -float(np.log(diagonal).sum())


def _along(contrast: csr_array, v: Floats) -> Floats:
    """(U,) r_u V r_u^T."""
    if (np.diff(contrast.indptr) == 2).all():  # a pair each
        (i, j), size = contrast.indices.reshape(-1, 2).T, np.square(contrast.data[::2])
        return np.asarray(size * (v[i, i] + v[j, j] - 2.0 * v[i, j]))
    return np.asarray(contrast.multiply(contrast @ v).sum(axis=1))


def _of_pairs(
    comparisons: Comparisons, n: int, item: Ints, chance: Floats, grew: bool, unnamed: Bools | None
) -> tuple[Units, Units]:
    """Units of pairs: who won, and who was shown first where nobody knows by which chance."""
    nobody = np.zeros(comparisons.size, np.bool_) if unnamed is None or item.any() else unnamed[comparisons.judge]
    who = np.where(nobody, comparisons.judge.max(initial=0) + 1 + np.arange(len(nobody)), comparisons.judge)
    question = numbered(who, item, pair_numbers(comparisons, n))
    if grew:
        decided = np.flatnonzero(directions(comparisons.p - 0.5))
        rows = decided[np.unique(question[decided], return_index=True)[1]]
        comparisons, question = take(comparisons, rows), np.arange(len(rows))
        nobody, chance = nobody[rows], chance[rows]
    first, second, p, judge, weight = comparisons
    at, lower_first = firsts(question), first < second
    low, high, side = np.minimum(first, second)[at], np.maximum(first, second)[at], np.where(lower_first, 1.0, -1.0)
    won = directions(np.bincount(question, side * directions(p - 0.5) * weight).astype(np.float64))
    way = np.trunc(means(side, question, len(at)))  # 0 where it was shown both ways
    unknown, none = np.bincount(question, np.isnan(chance)) > 0.0, np.zeros(len(at))
    total = np.bincount(question, weight).astype(np.float64)
    times = np.where(nobody[at], np.maximum(np.floor(total), np.minimum(total, 1.0)), np.minimum(total, 1.0))

    def units(sign: Floats, stood: Floats, lean: Floats) -> Units:
        """Contrasts are `sign` (e_low - e_high), those that are alike once; a sign of 0 is none."""
        counted = np.flatnonzero(sign)
        ways = 6 * np.unique(lean, return_inverse=True)[1] + (2.0 * stood + 2.0 + (sign > 0.0)).astype(np.int64)
        alike = numbered(low[counted], high[counted], judge[at][counted], ways[counted])
        each = counted[firsts(alike)]
        contrast = _contrasts(np.arange(len(each)), low[each], high[each], sign[each], (len(each), n))
        counts = np.bincount(alike, times[counted]).astype(np.float64)
        return Units(contrast, judge[at][each], stood[each], lean[each], counts)

    lean = _leans(chance, question, question, lower_first)
    return units(won, won * way, lean), units(np.where(unknown, way, 0.0), none, none)


def _of_prompts(comparisons: Comparisons, n: int, item: Ints, chance: Floats) -> tuple[Units, Units]:
    """Units of prompts, likewise. A pair shown both ways cancels a habit in both."""
    first, second, p, judge, weight = comparisons
    pair, prompt_of_row = numbered(item, pair_numbers(comparisons, n)), numbered(item)
    at, lower_first = firsts(pair), first < second
    side = np.where(lower_first, 1.0, -1.0)
    votes = side * directions(p - 0.5) * (0.5 + np.abs(p - 0.5))
    of_ways = [means(votes[way], pair[way], len(at), weight[way]) for way in (lower_first, ~lower_first)]
    shown = np.where(np.bincount(pair, np.isnan(chance)) > 0.0, np.trunc(means(side, pair, len(at))), 0.0)
    who = judge[firsts(prompt_of_row)]
    several = np.bincount(prompt_of_row, judge != who[prompt_of_row]) > 0.0
    who = np.where(several, judge.max(initial=0) + 1, who)
    prompt, low, high = prompt_of_row[at], np.minimum(first, second)[at], np.maximum(first, second)[at]
    pairs = np.sqrt(np.bincount(prompt))[prompt]

    def units(sign: Floats, lean: Floats) -> Units:
        contrast = _contrasts(prompt, low, high, sign / pairs, (len(who), n))
        counted = np.flatnonzero(np.diff(contrast.indptr))
        none, one = np.zeros(len(counted)), np.ones(len(counted))
        return Units(contrast[counted], who[counted], none, lean[counted], one)

    won = units(np.nanmean(of_ways, axis=0), _leans(chance, pair, prompt_of_row, lower_first))
    return won, units(shown, np.zeros(len(who)))


def _contrasts(unit: Ints, ahead: Ints, behind: Ints, size: Floats, shape: tuple[int, int]) -> csr_array:
    """(U, N) the sum of size (e_ahead - e_behind) of each unit, without what is 0."""
    places = np.tile(unit, 2), np.concatenate([ahead, behind])
    contrast = csr_array(coo_array((np.concatenate([size, -size]), places), shape=shape))
    contrast.data[np.abs(contrast.data) < ROUNDED] = 0.0
    contrast.eliminate_zeros()
    return contrast


def _leans(chance: Floats, pair: Ints, unit: Ints, lower_first: Bools) -> Floats:
    """(U,) l of each unit, of all its rows (K,)."""
    lower, rows = np.bincount(pair, lower_first), np.bincount(pair)
    turns_along = ((lower > 0.0) & (lower < rows))[pair] & (chance == 1.0)
    lean = np.where(np.isnan(chance) | turns_along, 0.0, logit(chance))
    lean = np.bincount(unit, np.where(np.abs(lean) > AS_CERTAIN, np.inf, lean)).astype(np.float64)
    return np.where(np.abs(lean) > AS_CERTAIN, np.inf, lean)
