"""Whether a judge repeats itself, and whether it is moved by the position (methods 17, decision 97; ours).

Four hypotheses about each judge: it repeats itself or draws each verdict anew, and the position moves it or not.

    moved        it gives its answer again whenever it is asked the same in the same order, but for a lapse
    consistent   it gives it again in the other order, too: it votes, and has no position bias
    drawing      each of its verdicts is a new draw, with a bias or without

w1 = P(moved) + P(consistent) starts from what the user declared of the judge, or from its record in other sets. Of an
unknown judge it is USUAL once it is asked again, and 0 until then. The share CONSISTENT of those who vote, and repeat
themselves or not, has no bias; of w1 it is that of consistent judges once a pair was shown both ways, and 0 until then.
A cell has the votes of one judge on one question in one order, n_k of which say k (first, second or tie):

    q_tie = T, the share of ties;  q_first = (1 - T) sigma(d + delta);  q_second = (1 - T) sigma(-d - delta)
    P(n | a) = sum_k q_k (a + (1 - a) q_k)^n_k prod_(l != k) ((1 - a) q_l)^n_l

With a = 0 these are draws, and with a = sqrt(1 - LAPSE) repeats. Of a consistent judge both orders are one cell;
without a bias delta = 0. The odds of w1 gain

    E prod over cells P(n | a) / E prod over cells P(n | 0)

where E is over the prior, before any vote: s ~ N(0, tau2 I), tau2 as SCALES has it, and delta, if any. As
a + (1 - a) q is near 1, both are evidence of this judge's votes as evidence.py has it: of all of them, and of one of
the answers in each cell that came most, beside lapses. Two measurements within ALIKE of each other agree, which of
draws, with sigma2 of the judge's error, has a probability of at most

    b = 2 ALIKE / (p (1 - p) sqrt(4 pi sigma2));  the odds gain (1 - LAPSE (1 - b)) / b, or LAPSE where they differ
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, logsumexp, xlogy

from app.inference.experts import is_vote
from app.inference.fitting.evidence import log_evidence_of
from app.inference.fitting.model import HELD_VARIANCE, VOTERS_BIAS_VARIANCE, Method, build, edges_of
from app.inference.fitting.published import Published
from app.inference.types import Bools, Comparisons, Floats, Ints, take
from app.inference.verdicts import among_compared, firsts, numbered, same_question, turned_alike

LAPSE = 0.02  # of answers of one that repeats itself, that are other ones all the same
REPEATING = np.sqrt(1.0 - LAPSE)  # a
ANSWERS = np.array([1.0, 0.0, 0.5])  # first, second and tie
USUAL = 0.5  # w1 of an unknown judge once it is asked again
CONSISTENT = 2 / 3  # of judges who vote
DRAWS_ANEW, REPEATS_ITSELF = 0.02, 0.99  # w1 at which more repeats decide nothing
RECORDED = 0.02  # from 0 and from 1, of w1 by other sets
TIED = 0.3  # probability of a tie, of whose judge nothing else is known here
TAKEN = 0.9  # w1 from which a judge is taken to repeat itself, so that what it says needs no evidence of signal
ALIKE = 0.01  # measurements closer than this are: batches move the third digit of a model's p
SCALES = np.array([0.01, 0.25, 1.0, 4.0])  # tau2: with larger ones all answers are alike
SHARES = np.array([0.2, 0.2, 0.4, 0.2])  # P(tau2)
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
LEAST = 1e-9  # of a probability


class Repetition(NamedTuple):
    """What is known of judges' repeating themselves."""

    before: Floats  # (J,) w1 before any repeat, NaN where nothing is known
    probability: Floats  # (J,) w1; 1 of who answered nothing
    consistent: Floats  # (J,) of it, P(consistent)
    supposed: Floats  # (J,) w1 if the unknown ones were asked again: USUAL
    supposed_consistent: Floats  # (J,) of it, if pairs were shown both ways: CONSISTENT of it
    repeats: Ints  # (J,) answers to a question that the judge had answered in the same order, or in any without a bias
    alike: Ints  # (J,) of them, as the answer that came most
    swaps: Ints  # (J,) answers of who may be consistent, to what it had answered in the other order alone
    swaps_alike: Ints  # (J,) of them, as the answer that came most

    def is_taken(self, people: Bools) -> bool:
        """Whether all judges, of whom `people` (J,) are people, are models that are taken to repeat themselves."""
        return bool((~people & (self.probability >= TAKEN)).all())


class Gains(NamedTuple):
    """Logarithms of what the odds gain against drawing, by answers to questions that were answered before."""

    moved: float
    consistent: float


def gains_of(p: float, before: float, mean: float, sd: float, *, turned: bool) -> Gains:
    """Gains by one answer, where the earlier one is all that is known of the judge.

    Args: `before` is the earlier answer, as it was given, `turned` in the other order; d, as shown now, was expected
        to be N(mean, sd^2).
    """
    before = 1.0 - before if turned else before
    for_first = float(expit(mean + sd * NODES) @ WEIGHTS / WEIGHTS.sum())
    by_chance = for_first if before > 0.5 else 1.0 - for_first if before < 0.5 else TIED
    is_alike = np.sign(p - 0.5) == np.sign(before - 0.5)
    if not is_vote(np.array([p, before])).all():  # whose values may be but two, as those of votes
        inside = np.clip(before, LEAST, 1.0 - LEAST)
        by_chance, is_alike = max(by_chance, float(_by_chance(inside, np.ones(())))), abs(p - before) <= ALIKE
    gain = float(_gain(np.array(by_chance), np.array(is_alike)))
    return Gains(0.0 if turned else gain, gain)


def record_of(gains: Gains) -> float:
    """w1 of a judge by what it answered in other sets, within RECORDED of 0 and 1: the next set may be another."""
    log_odds = np.logaddexp(np.log(1.0 - CONSISTENT) + gains.moved, np.log(CONSISTENT) + gains.consistent)
    return float(np.clip(expit(logit(USUAL) + log_odds), RECORDED, 1.0 - RECORDED))


def repetition_of(published: Published, answers: Comparisons, item: Ints, before: Floats) -> Repetition:
    """From a posterior's `answers` (K,), each as many as came; `before` (J,) is w1 beforehand, or NaN."""
    taken, model, judges = published.comparisons.p, published.model, len(before)
    votes, pair = is_vote(taken), same_question(answers, item)
    biased = model.estimated_biases if model.has_biases else np.zeros(judges, np.bool_)
    log_evidence, times = np.zeros((2, 2, judges)), np.zeros((4, judges))
    for judge in np.unique(answers.judge[votes & _is_repeated(pair, answers.weight)]).tolist():
        mine = np.flatnonzero(votes & (answers.judge == judge))
        cast = take(answers._replace(p=taken), mine)
        log_evidence[..., judge], times[:, judge] = _of_votes(cast, pair[mine], biased=bool(biased[judge]))
    question = numbered(pair, answers.first)
    rows = ~votes & _is_repeated(question, answers.weight)
    gain, *again = _of_measurements(published, take(answers, rows), numbered(question[rows]), judges)
    log_evidence[0] += gain
    times[:2] += again
    may_be = biased & (np.bincount(answers.judge, ~votes, judges) == 0.0)
    share = CONSISTENT * may_be
    with np.errstate(divide="ignore"):
        (moved, consistent), drawing = np.log([1.0 - share, share]) + log_evidence
        log_odds = np.logaddexp(moved, consistent) - np.logaddexp(*drawing)
        supposed = expit(logit(np.where(np.isnan(before), USUAL, before)) + log_odds)
        of_consistent = supposed * expit(consistent - moved)
    times[2:] *= may_be
    was_swapped = times[2] > 0.0
    is_untested = np.isnan(before) & (times[0] == 0.0) & ~was_swapped
    is_silent = np.bincount(answers.judge, minlength=judges) == 0
    probability = np.where(is_silent, 1.0, np.where(is_untested, 0.0, supposed))
    counts = np.rint(times).astype(np.int64)
    return Repetition(before, probability, np.where(was_swapped, of_consistent, 0.0), supposed, of_consistent, *counts)


def _is_repeated(cell: Ints, weight: Floats) -> Bools:
    """(K,) whether more than one answer lies in its cell."""
    return np.asarray((np.bincount(cell, weight) > 1.0 + 1e-9)[cell])


def _of_votes(cast: Comparisons, pair: Ints, *, biased: bool) -> tuple[Floats, Floats]:
    """Log-evidence of one judge's votes (2, 2): that it repeats itself, or draws; with a bias, and without.

    And (4,) `repeats`, `alike`, `swaps` and `swaps_alike`. Unless it may be `biased`, both are without a bias, and both
    orders of a `pair` (K,) are the same question.
    """
    tied = float(np.average(cast.p == 0.5, weights=cast.weight))
    repeating, either = _of_repeats(turned_alike(cast), numbered(pair), HELD_VARIANCE, tied)
    moved = unmoved = [repeating, _log_evidence(cast, HELD_VARIANCE, tied)]
    same = either
    if biased:
        repeating, same = _of_repeats(cast, numbered(pair, cast.first), VOTERS_BIAS_VARIANCE, tied)
        moved = [repeating, _log_evidence(cast, VOTERS_BIAS_VARIANCE, tied)]
    return np.column_stack([moved, unmoved]), np.append(same, np.maximum(either - same, 0.0))


def _of_repeats(cast: Comparisons, cell: Ints, bias_variance: float, tied: float) -> tuple[float, Floats]:
    """Log-evidence that the answer of each cell that came most lasts; where several did, each of them by its share.

    And (2,) how many answers are beyond the first of their cell, and of them, no lapses.
    """
    at = firsts(cell)
    times = np.array([np.bincount(cell, cast.weight * (cast.p == answer)) for answer in ANSWERS])  # (3, C)
    most = times.max(axis=0)
    came_most = times == most
    as_likely = came_most.sum(axis=0)
    weight = np.where(came_most, (1.0 + (as_likely - 1) * most) / as_likely, times)
    kind, of_cell = np.nonzero(weight)
    answers = take(cast, at[of_cell])._replace(p=ANSWERS[kind], weight=weight[kind, of_cell])
    lapses, alike = float((times.sum(axis=0) - most).sum()), float((most - 1.0).sum())
    log_of_lapses = lapses * np.log1p(-REPEATING) + float(np.log(as_likely).sum())
    return _log_evidence(answers, bias_variance, tied) + log_of_lapses, np.array([alike + lapses, alike])


def _log_evidence(answers: Comparisons, bias_variance: float, tied: float) -> float:
    """ln E of one judge's answers. Args: `tied` is T."""
    is_tie = answers.p == 0.5
    of_ties = float((answers.weight * (xlogy(is_tie, tied) + xlogy(~is_tie, 1.0 - tied))).sum())
    if is_tie.all():
        return of_ties
    cast, n = among_compared(take(answers, ~is_tie))
    model = build(Method(), n, 1, np.array([bias_variance]))
    edges = edges_of(cast._replace(judge=np.zeros_like(cast.judge)), model)
    of_bias = 0.5 * float(np.log(model.prior.precision[model.n :]).sum())  # the constant that the evidence leaves out
    return of_ties + of_bias + float(logsumexp(log_evidence_of(edges, model, SCALES), b=SHARES))


def _of_measurements(published: Published, given: Comparisons, cell: Ints, judges: int) -> Floats:
    """(3, J) what the log-odds gain, `repeats` and `alike`: each answer is compared with the first one of its cell."""
    once = firsts(cell)
    p = np.clip(given.p[once][cell], LEAST, 1.0 - LEAST)
    again = given.weight.copy()
    again[once] -= 1.0
    is_alike = np.abs(given.p - p) <= ALIKE
    noise = np.ones(len(p)) if published.learnt is None else published.learnt.noise[given.judge]
    columns = _gain(_by_chance(p, noise), is_alike), np.ones(len(p)), is_alike
    return np.array([np.bincount(given.judge, again * column, judges) for column in columns])


def _by_chance(p: Floats, noise: Floats) -> Floats:
    """b: the probability, at most, that two measurements agree."""
    return np.minimum(2.0 * ALIKE / (p * (1.0 - p) * np.sqrt(4.0 * np.pi * noise)), 1.0)


def _gain(by_chance: Floats, is_alike: Bools) -> Floats:
    """What the log-odds gain by an answer that is alike, of draws, with this probability."""
    return np.where(is_alike, np.log1p(-LAPSE * (1.0 - by_chance)) - np.log(by_chance), np.log(LAPSE))
