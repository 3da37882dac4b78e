"""The knowledge gradient: what one more verdict is expected to add to the confidence of an order (methods 12).

An answer of expected weight w on the pair (i, j) moves the scores by u times a standard normal variable, and so the
difference of k and l by s_kl, with r_ij = e_i - e_j:

    u = Sigma r_ij sqrt(w / (1 + w v_ij))        s_kl = |u_k - u_l|

To the sum of |m_kl| = |mu_k - mu_l| over the pairs that matter it adds, in expectation,

    KG_ij = sum E |m'_kl| - |m_kl| = sum g(m_kl, s_kl)        g(m, s) = 2 (s phi(m / s) - |m| Phi(-|m| / s)) >= 0

own term        (k, l) = (i, j) alone: what the pair tells of its own order
win rates       where the round of all pairs is ranked (targets/all_pairs.py): a verdict that is given is decided, and
                tells of s besides. With w_ij the curvature times the open share of the Q questions about the pair,
                L = diag(w 1) - w, phi the votes of a verdict and W wins, the u and mu of scores are
                u = (L Sigma + I / (phi Q)) r_ij sqrt(w / (1 + w v)) and E W

Only few pairs can be the best. Most of the sum has i or j in it. As g is convex in s and 0 where s is, the rest is at
most sum |u_k| q_k, with q_k = sum over l of g(m_kl, S) / S, where no 2 |u_k| of the rest exceeds S.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr

from app.inference.core.edges import Design
from app.inference.fitting.model import Model, expected_weight
from app.inference.gaussian import DenseCovariance
from app.inference.kernels import kernel
from app.inference.pair_sets import Kinds
from app.inference.regimes import SMALL
from app.inference.types import Bools, Comparisons, Floats, Ints, by_one_judge, join
from app.inference.verdicts import pair_numbers

UNMOVED = 6  # |m| / s from which g, below 1e-9 s, counts as 0
STEPS = 100  # of |m| / s in 1, at which g(., 1) and its derivatives are known
EVERY = 1.0  # of `tie`: no pair is left out


class JudgedRound(NamedTuple):
    """The round of all pairs."""

    comparisons: Comparisons  # K that are there, or out and answered as one expects
    question: Ints  # (K,) that each answers: there is one about each pair by each judge on each item
    per_pair: int  # questions, Q


def gain(m: Floats, s: Floats) -> Floats:
    """g(m, s), elementwise."""
    distance = np.abs(m)
    z = np.divide(distance, s, out=np.full(np.shape(s), np.inf), where=s > 0.0)
    return np.asarray(2.0 * (s * np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) - distance * ndtr(-z)))


def gains(
    first: Ints,
    second: Ints,
    mean: Floats,
    sigma: DenseCovariance,
    model: Model,
    matters: Kinds,
    tie: float = EVERY,
    judged: JudgedRound | None = None,
) -> Floats:
    """(L,) KG of those of the pairs that are within a relative `tie` of the best, and no more than KG of the others.

    Args: `judged` is given where win rates in the round of all pairs are what is ranked.
    """
    if judged:
        moves, mean = _moves_of_wins(first, second, mean, sigma, model, judged)
    else:
        moves = sigma.times_rows(Design(len(mean), len(mean), first, second))
        row, weight = np.arange(len(first)), expected_weight(mean[first] - mean[second], model)
        v = np.maximum(moves[row, first] - moves[row, second], 0.0)
        moves = moves * np.sqrt(weight / (1.0 + weight * v))[:, None]
    return knowledge(first, second, np.ascontiguousarray(moves), mean, *matters, tie)


def expecting(before: JudgedRound, mean: Floats, first: Ints, second: Ints) -> JudgedRound:
    """The round once these (L,) pairs are answered as the mean scores let one expect, by the first of those asked."""
    expected = by_one_judge(first, second, expit(mean[first] - mean[second]))
    question = np.append(before.question, np.zeros(len(first), np.int64))
    return JudgedRound(join(before.comparisons, expected), question, before.per_pair)


def answered_in(judged: JudgedRound, n: int) -> tuple[Floats, Floats]:
    """(N, N) the mean of the answers that i is better than j, 0 where there is none, and the share of the questions.

    Further answers to the same question are of the same verdict.
    """
    comparisons, question, per_pair = judged
    times, wins = np.zeros((n, n)), np.zeros((n, n))
    np.add.at(times, (comparisons.first, comparisons.second), 1.0)
    np.add.at(wins, (comparisons.first, comparisons.second), comparisons.p)
    both = times + times.T
    verdict = (wins + times.T - wins.T) / np.maximum(both, 1.0)
    pair = np.unique(pair_numbers(comparisons, n) * per_pair + question) // per_pair
    share = np.bincount(pair, minlength=n * n).reshape(n, n) / per_pair
    return np.where(both > 0.0, verdict, 0.0), share + share.T


def _moves_of_wins(
    first: Ints, second: Ints, mean: Floats, sigma: DenseCovariance, model: Model, judged: JudgedRound
) -> tuple[Floats, Floats]:
    """(L, N) u of the win rates, and (N,) E W."""
    n, full, (verdict, share) = len(mean), sigma.matrix(), answered_in(judged, len(mean))
    v = np.maximum(full.diagonal()[:, None] + full.diagonal() - 2.0 * full, 0.0)
    expected = expit((mean[:, None] - mean) / np.sqrt(1.0 + np.pi / 8.0 * v))
    others = 1.0 - np.eye(n)
    w = others * (1.0 - share) * expected * (1.0 - expected)
    wins = others * (share * verdict + (1.0 - share) * expected)
    step = (np.diag(w.sum(axis=1)) - w) @ full + np.eye(n) / (model.votes * judged.per_pair)
    weight = model.votes * expected[first, second] * expected[second, first]
    moves = (step[:, first] - step[:, second]).T * np.sqrt(weight / (1.0 + weight * v[first, second]))[:, None]
    return moves, wins.sum(axis=1)


def least_decided(mean: Floats, sigma: DenseCovariance, matters: Kinds) -> Ints:
    """The SMALL candidates, of more, whose order with others matters and is least known, ascending.

    They have the largest sum over l of g(m_kl, sqrt v_kl), where v_kl = Sigma_kk + Sigma_ll.
    """
    variances, of_each = sigma.diagonal, np.zeros(len(mean))
    for kind, partner in np.argwhere(matters.meets):
        ones, others = np.flatnonzero(matters.kind == kind)[:, None], np.flatnonzero(matters.kind == partner)
        undecided = gain(mean[ones] - mean[others], np.sqrt(variances[ones] + variances[others]))
        of_each[ones[:, 0]] += np.where(ones != others, undecided, 0.0).sum(axis=1)
    return np.sort(np.argsort(-of_each, kind="stable")[:SMALL])


Z = np.arange(UNMOVED * STEPS + 1) / STEPS
PHI = np.exp(-0.5 * Z * Z) / math.sqrt(2.0 * math.pi)
# (UNMOVED STEPS + 1, 5) g(z, 1) and the coefficients of its powers about each z: within 1e-12 half a step away
SERIES = np.column_stack([gain(Z, np.ones_like(Z)), -2.0 * ndtr(-Z), PHI, -Z * PHI / 3.0, (Z * Z - 1.0) * PHI / 12.0])


@kernel
def knowledge(first: Ints, second: Ints, moves: Floats, mean: Floats, kind: Ints, meets: Bools, tie: float) -> Floats:
    """(L,) as of `gains`; conceptually, for each pair, the sum of g over all k < l that matter.

    Args: `moves` (L, N) u of each; `mean` (N,); `kind` (N,) and `meets` (C, C) tell which pairs matter.
    """
    gains, rest, best, order = np.empty(len(first)), np.abs(moves), 0.0, np.argsort(mean)
    for a in range(len(first)):
        gains[a] = _with_either(first[a], second[a], moves[a], mean, kind, meets)
        rest[a, first[a]] = rest[a, second[a]] = 0.0
    bounds = gains + (rest * _most_of_each(rest, mean, kind, meets)).sum(axis=1)
    for a in np.argsort(-bounds):
        if bounds[a] < best * (1.0 - 2.0 * tie):
            break
        gains[a] += _without_them(first[a], second[a], moves[a], mean, kind, meets, order)
        best = max(best, gains[a])
    return gains


@kernel
def _with_either(i: int, j: int, u: Floats, mean: Floats, kind: Ints, meets: Bools) -> float:
    """The part of the sum that has i or j in it."""
    total = 0.0
    for end, other in ((i, j), (j, i)):
        for k in range(len(mean)):
            if k != end and meets[kind[end], kind[k]]:
                total += _gain(mean[end] - mean[k], u[end] - u[k]) * (0.5 if k == other else 1.0)
    return total


@kernel
def _without_them(i: int, j: int, u: Floats, mean: Floats, kind: Ints, meets: Bools, order: Ints) -> float:
    """The part that has neither; each k with those that move less, near it in the `order` (N,) of the means."""
    others = order[(order != i) & (order != j)]
    m, s, total = mean[others], u[others], 0.0
    for a in range(len(others)):
        reach = 2.0 * UNMOVED * abs(s[a])
        for step in (1, -1):
            b = a + step
            while 0 <= b < len(others) and abs(m[b] - m[a]) < reach:
                moves_less = abs(s[b]) < abs(s[a]) or (abs(s[b]) == abs(s[a]) and step > 0)
                if moves_less and meets[kind[others[a]], kind[others[b]]]:
                    total += _gain(m[b] - m[a], s[b] - s[a])
                b += step
    return total


@kernel
def _most_of_each(rest: Floats, mean: Floats, kind: Ints, meets: Bools) -> Floats:
    """(N,) q of each candidate; `rest` (L, N) is |u|, 0 of i and j."""
    most, largest = np.zeros(len(mean)), 2.0 * rest.max() if rest.size else 0.0
    for k in range(len(mean) if largest > 0.0 else 0):
        for other in range(k):
            if meets[kind[k], kind[other]]:
                of_both = _gain((mean[k] - mean[other]) / largest, 1.0)
                most[k] += of_both
                most[other] += of_both
    return most


@kernel
def _gain(m: float, s: float) -> float:
    """g(m, s) by its series, of either sign."""
    m, s = abs(m), abs(s)
    if m >= UNMOVED * s:
        return 0.0
    at = int(m / s * STEPS + 0.5)
    z = m / s - at / STEPS
    return float(
        s * (SERIES[at, 0] + z * (SERIES[at, 1] + z * (SERIES[at, 2] + z * (SERIES[at, 3] + z * SERIES[at, 4]))))
    )
