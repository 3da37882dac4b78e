"""The knowledge gradient of pairs (methods 12; its equations are in kernels/knowledge.py), for any expert.

exact           among up to SMALL candidates, the sum over all pairs that matter
own term        (k, l) = (i, j) alone: what the pair tells of its own order
win rates       where the round of all pairs is ranked (targets/all_pairs.py): a verdict that is given is decided, and
                tells of s besides. With w_ij the curvature times the open share of the Q questions about the pair,
                L = diag(w 1) - w, phi the votes of a verdict and W wins, the u and mu of scores are
                u = (L Sigma + I / (phi Q)) r_ij sqrt(w / (1 + w v)) and E W
least decided   candidates whose order with others matters and is least known, by sum over l of g(m_kl, sqrt v_kl)
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr

from app.inference.core.design import Design
from app.inference.fitting.model import Model, expected_weight
from app.inference.gaussian import DenseCovariance
from app.inference.kernels.knowledge import ROOT_TWO_PI, knowledge, most_knowledge
from app.inference.kernels.pair_sets import Kinds, PairSet, within
from app.inference.regimes import SMALL
from app.inference.types import Comparisons, Floats, Ints, by_one_judge, join
from app.inference.verdicts import pair_numbers


class Questions(NamedTuple):
    """The questions that K comparisons answer, one about each pair by each judge on each item."""

    number: Ints  # (K,)
    per_pair: int  # Q


class JudgedRound(NamedTuple):
    """The round of all pairs: K comparisons of it that are there, or out and answered as one expects."""

    comparisons: Comparisons
    questions: Questions  # what each answers


class Answered(NamedTuple):
    """The part of the round of all pairs that is answered."""

    verdict: Floats  # (N, N) mean of the answers that i is better than j, 0 where there is none
    share: Floats  # (N, N) of the questions
    questions: int  # Q


def gains(first: Ints, second: Ints, mean: Floats, sigma: DenseCovariance, model: Model, matters: Kinds) -> Floats:
    """(L,) KG of these pairs."""
    spread = sigma.times_rows(Design(len(mean), len(mean), first, second))
    return knowledge(first, second, _moves(spread, first, second, mean, model), mean, np.argsort(mean), *matters)


def most_gains(
    first: Ints, second: Ints, mean: Floats, sigma: DenseCovariance, model: Model, matters: Kinds, tie: float
) -> Floats:
    """(L,) KG of those pairs that may be the best or tied with it, and no more than KG of the others."""
    spread = sigma.times_rows(Design(len(mean), len(mean), first, second))
    moves = _moves(spread, first, second, mean, model)
    return most_knowledge(first, second, moves, mean, np.argsort(mean), *matters, tie)


def best_gains(
    open_pairs: PairSet, mean: Floats, sigma: DenseCovariance, model: Model, matters: Kinds, tie: float
) -> tuple[Ints, Ints, Floats]:
    """Open pairs (L,) among the least decided candidates, and their KG where it is within a relative `tie` of the best.

    It sums over the pairs that matter among these candidates. Where a pair cannot be the best it gives less than KG.
    """
    who = _least_decided(mean, sigma, matters)
    few, mean, kind = np.ix_(who, who), mean[who], matters.kind[who]
    first, second = within(open_pairs, who)
    covariance = sigma.base[few] - sigma.columns[:, who].T @ sigma.columns[:, who]
    moves = _moves(covariance[first] - covariance[second], first, second, mean, model)
    gained = most_knowledge(first, second, moves, mean, np.argsort(mean), kind, matters.meets, tie)
    return who[first], who[second], gained


def expecting(before: JudgedRound, mean: Floats, first: Ints, second: Ints) -> JudgedRound:
    """The round once these (L,) pairs are answered as the mean scores let one expect, by the first of those asked."""
    comparisons, (number, per_pair) = before
    expected = by_one_judge(first, second, expit(mean[first] - mean[second]))
    return JudgedRound(
        join(comparisons, expected), Questions(np.append(number, np.zeros(len(first), np.int64)), per_pair)
    )


def answered_in(comparisons: Comparisons, questions: Questions, n: int) -> Answered:
    """The answers to all questions; further ones to the same question are of the same verdict."""
    times, wins = np.zeros((n, n)), np.zeros((n, n))
    np.add.at(times, (comparisons.first, comparisons.second), 1.0)
    np.add.at(wins, (comparisons.first, comparisons.second), comparisons.p)
    both = times + times.T
    verdict = (wins + times.T - wins.T) / np.maximum(both, 1.0)
    pair = np.unique(pair_numbers(comparisons, n) * questions.per_pair + questions.number) // questions.per_pair
    share = np.bincount(pair, minlength=n * n).reshape(n, n) / questions.per_pair
    return Answered(np.where(both > 0.0, verdict, 0.0), share + share.T, questions.per_pair)


def best_gains_in_round(
    open_pairs: PairSet,
    mean: Floats,
    sigma: DenseCovariance,
    model: Model,
    matters: Kinds,
    answered: Answered,
    tie: float,
) -> tuple[Ints, Ints, Floats]:
    """Open pairs (L,) and what a verdict on each adds to the order of the win rates, as `best_gains` has it."""
    who, full = np.arange(len(mean)), sigma.matrix()
    variance = full.diagonal()
    v = np.maximum(variance[:, None] + variance - 2.0 * full, 0.0)
    expected = expit((mean[:, None] - mean) / np.sqrt(1.0 + np.pi / 8.0 * v))
    w = (1.0 - answered.share) * expected * (1.0 - expected)
    np.fill_diagonal(w, 0.0)
    wins = answered.share * answered.verdict + (1.0 - answered.share) * expected
    np.fill_diagonal(wins, 0.0)
    step = (np.diag(w.sum(axis=1)) - w) @ full + np.eye(len(mean)) / (model.votes * answered.questions)
    first, second = within(open_pairs, who)
    weight = model.votes * expected[first, second] * expected[second, first]
    moves = (step[:, first] - step[:, second]).T * np.sqrt(weight / (1.0 + weight * v[first, second]))[:, None]
    total = wins.sum(axis=1)
    gained = most_knowledge(
        first, second, np.ascontiguousarray(moves), total, np.argsort(total), matters.kind, matters.meets, tie
    )
    return first, second, gained


def _least_decided(mean: Floats, sigma: DenseCovariance, matters: Kinds) -> Ints:
    """The SMALL candidates that are least decided, or all, ascending; here v_kl = Sigma_kk + Sigma_ll."""
    n = len(mean)
    if n <= SMALL:
        return np.arange(n)
    variances, of_each = sigma.diagonal, np.zeros(n)
    for kind, partner in np.argwhere(matters.meets):
        ones, others = np.flatnonzero(matters.kind == kind)[:, None], np.flatnonzero(matters.kind == partner)
        undecided = gain(mean[ones] - mean[others], np.sqrt(variances[ones] + variances[others]))
        of_each[ones[:, 0]] += np.where(ones != others, undecided, 0.0).sum(axis=1)
    return np.sort(np.argsort(-of_each, kind="stable")[:SMALL])


def _moves(spread: Floats, first: Ints, second: Ints, mean: Floats, model: Model) -> Floats:
    """(L, N) u of each pair, from Sigma r of each."""
    row, weight = np.arange(len(first)), expected_weight(mean[first] - mean[second], model)
    v = np.maximum(spread[row, first] - spread[row, second], 0.0)
    return np.ascontiguousarray(spread * np.sqrt(weight / (1.0 + weight * v))[:, None])


def gain(m: Floats, s: Floats) -> Floats:
    """g(m, s)."""
    distance = np.abs(m)
    z = np.divide(distance, s, out=np.full(np.shape(s), np.inf), where=s > 0.0)
    return np.asarray(2.0 * (s * np.exp(-0.5 * z * z) / ROOT_TWO_PI - distance * ndtr(-z)))
