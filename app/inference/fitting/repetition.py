"""Whether a judge repeats itself, and whether it is moved by the position (methods 17; ours).

Three hypotheses about each judge:

    moved        it gives its answer again whenever it is asked the same in the same order, but for a lapse
    consistent   it gives it again in the other order, too: it votes, and has no position bias
    drawing      each of its verdicts is a new draw

w1 = P(moved) + P(consistent) starts from what is known of the judge beforehand: what the user declared, or its record
in other sets. Of an unknown judge it is USUAL from the first time on that it is asked again, and 0 until then: its
verdicts count as draws. The share CONSISTENT of w1 is that of consistent judges once a pair was shown both ways, and
until then there are none: the bias, a parameter, is drawn. Of votes in one cell, one judge's on one question in one
order, n_k say k (first, second or tie), whose probabilities q_k are

    q_tie = T, the share of the judge's ties;  q_first = (1 - T) sigma(d + delta);  q_second = (1 - T) sigma(-d - delta)
    P(n | a) = sum_k q_k (a + (1 - a) q_k)^n_k prod_(l != k) ((1 - a) q_l)^n_l

With a = 0 these are draws, and with a = sqrt(1 - LAPSE) repeats, a^2 being the correlation of two votes. Of a
consistent judge both orders are one cell, and delta = 0. The odds against drawing gain

    prod over cells E [P(n | a) / F] / prod over cells E [P(n | 0) / F]
    F = (sigma(d + delta)^wins sigma(-d - delta)^losses)^c

where E is over the posterior of d + delta, in which the share c of these votes counts already. Two measurements within
ALIKE of each other agree, which of draws, with sigma2 of the judge's error, has a probability of at most

    b = 2 ALIKE / (p (1 - p) sqrt(4 pi sigma2));  the odds gain (1 - LAPSE (1 - b)) / b, or LAPSE where they differ
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp, xlogy

from app.inference.experts.measured_bt import is_vote
from app.inference.fitting.published import Published
from app.inference.fitting.verdict_weights import shares
from app.inference.types import Bools, Comparisons, Floats, Ints, take
from app.inference.verdicts import numbered, pair_numbers

LAPSE = 0.02  # of answers of one that repeats itself, that are other ones all the same
REPEATING = np.sqrt(1.0 - LAPSE)  # a
USUAL = 0.5  # w1 of an unknown judge once it is asked again
CONSISTENT = 2 / 3  # of it, of a judge who votes
DRAWS_ANEW, REPEATS_ITSELF = 0.02, 0.99  # w1 at which more repeats decide nothing
RECORDED = 0.02  # from 0 and from 1, of w1 by other sets
TIED = 0.3  # probability of a tie, of whose judge nothing else is known here
TAKEN = 0.9  # w1 from which a judge is taken to repeat itself, so that what it says needs no evidence of signal
ALIKE = 0.01  # measurements closer than this are: batches move the third digit of a model's p
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
LOG_WEIGHTS = np.log(WEIGHTS / WEIGHTS.sum())
LEAST = 1e-9  # of a probability
WIDTH = 0.03  # relative, of intervals of variances


class Repetition(NamedTuple):
    """What is known of judges' repeating themselves."""

    before: Floats  # (J,) w1 before any repeat, NaN where nothing is known
    probability: Floats  # (J,) w1; 1 of who answered nothing
    consistent: Floats  # (J,) of it, P(consistent)
    supposed: Floats  # (J,) w1 if the unknown ones were asked again: USUAL
    supposed_consistent: Floats  # (J,) of it, if pairs were shown both ways: CONSISTENT of it
    repeats: Ints  # (J,) answers to a question that the judge had answered in the same order
    alike: Ints  # (J,) of them, as the answer that came most
    swaps: Ints  # (J,) answers of who may be consistent, to what it had answered in the other order alone
    swaps_alike: Ints  # (J,) of them, as the answer that came most

    def is_taken(self, people: Bools) -> bool:
        """Whether all judges, of whom `people` (J,) are people, are models that are taken to repeat themselves."""
        return bool((~people & (self.probability >= TAKEN)).all())


class _Cells(NamedTuple):
    """Answers, by the cell that they are in."""

    answers: Comparisons  # (K',)
    cell: Ints  # (K',) numbers without gaps
    counted: Floats  # (K',) c

    @property
    def first_of_each(self) -> Comparisons:
        """(C,)."""
        return take(self.answers, np.unique(self.cell, return_index=True)[1])

    def of_judges(self, values: Floats, judges: int) -> Floats:
        """(J,) the sums of (C,) values."""
        return np.bincount(self.first_of_each.judge, values, judges).astype(np.float64)


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
    for_first = float(expit(mean + sd * NODES) @ np.exp(LOG_WEIGHTS))
    by_chance = for_first if before > 0.5 else 1.0 - for_first if before < 0.5 else TIED
    is_alike = (p > 0.5) == (before > 0.5) and (p < 0.5) == (before < 0.5)
    if not is_vote(np.array([p, before])).all():  # whose values may be but two, as those of votes
        inside = np.clip(before, LEAST, 1.0 - LEAST)
        by_chance, is_alike = max(by_chance, float(_by_chance(inside, np.ones(())))), abs(p - before) <= ALIKE
    gain = float(_gain_alike(np.array(by_chance))) if is_alike else float(np.log(LAPSE))
    return Gains(0.0 if turned else gain, gain)


def record_of(gains: Gains) -> float:
    """w1 of a judge by what it answered in other sets, within RECORDED of 0 and 1: the next set may be another."""
    log_odds = np.logaddexp(np.log(1.0 - CONSISTENT) + gains.moved, np.log(CONSISTENT) + gains.consistent)
    w1 = expit(np.log(USUAL) - np.log1p(-USUAL) + log_odds)
    return float(np.clip(w1, RECORDED, 1.0 - RECORDED))


def unknown(judges: int) -> Floats:
    """(J,) what is known beforehand of judges of whom nothing is."""
    return np.full(judges, np.nan)


def repetition_of(published: Published, answers: Comparisons, item: Ints, before: Floats) -> Repetition:
    """Repetition of J judges, from the answers that a posterior is given.

    Args: `answers` (K,) are those of the posterior, each as many as came; `item` (K,) is what each was about; `before`
        (J,) is w1 beforehand, NaN where nothing is known.
    """
    taken, judges, n = published.comparisons.p, len(before), published.model.n
    votes, counted, gains = is_vote(taken), _counted(published, item, n), np.zeros((2, judges))
    times = np.zeros((4, judges))
    pair = numbered(answers.judge, item, pair_numbers(answers, n))
    if (rows := votes & _is_repeated(pair, answers.weight)).any():
        cast = take(answers._replace(p=taken), rows)
        in_order = _Cells(cast, numbered(pair[rows], cast.first), counted[rows])
        in_either = _Cells(_lower_first(cast), numbered(pair[rows]), counted[rows])
        drawing = in_order.of_judges(_log_of_votes(published, in_order, 0.0), judges)
        moved = in_order.of_judges(_log_of_votes(published, in_order, REPEATING), judges)
        consistent = in_either.of_judges(_log_of_votes(published, in_either, REPEATING, biased=False), judges)
        gains += [moved - drawing, consistent - drawing]
        same, either = (
            np.array([cells.of_judges(each, judges) for each in _again(cells)]) for cells in (in_order, in_either)
        )
        times += [*same, *np.maximum(either - same, 0.0)]
    question = numbered(pair, answers.first)
    if (rows := ~votes & _is_repeated(question, answers.weight)).any():
        measured = _Cells(take(answers, rows), numbered(question[rows]), counted[rows])
        gain, *again = (measured.of_judges(each, judges) for each in _of_measurements(published, measured))
        gains[0] += gain
        times[:2] += again
    may = _may_be_consistent(published, answers.judge, votes, judges)
    known = np.where(np.isnan(before), USUAL, before)
    share = np.where(may, CONSISTENT, 0.0)
    with np.errstate(divide="ignore"):
        moved, consistent = np.log([1.0 - share, share]) + gains
        supposed = expit(np.log(known) - np.log1p(-known) + np.logaddexp(moved, consistent))
        of_consistent = supposed * expit(consistent - moved)
    times[2:] *= may
    was_swapped = times[2] > 0.0
    is_untested = np.isnan(before) & (times[0] == 0.0) & ~was_swapped
    is_silent = np.bincount(answers.judge, minlength=judges) == 0
    probability = np.where(is_silent, 1.0, np.where(is_untested, 0.0, supposed))
    counts = np.rint(times).astype(np.int64)
    return Repetition(before, probability, np.where(was_swapped, of_consistent, 0.0), supposed, of_consistent, *counts)


def _is_repeated(cell: Ints, weight: Floats) -> Bools:
    """(K,) whether more than one answer lies in its cell."""
    return np.asarray((np.bincount(cell, weight) > 1.0 + 1e-9)[cell])


def _lower_first(answers: Comparisons) -> Comparisons:
    """The same answers, as if whoever has the lower number had been shown first."""
    first, second, p, *_ = answers
    turned = first > second
    return answers._replace(
        first=np.minimum(first, second), second=np.maximum(first, second), p=np.where(turned, 1.0 - p, p)
    )


def _may_be_consistent(published: Published, judge: Ints, votes: Bools, judges: int) -> Bools:
    """(J,) who votes alone, and has a bias in the model."""
    if not published.model.has_biases:
        return np.zeros(judges, np.bool_)
    return np.asarray(published.model.estimated_biases & (np.bincount(judge, ~votes, judges) == 0.0))


def _counted(published: Published, item: Ints, n: int) -> Floats:
    """(K,) c, the share of each answer that counts in the posterior."""
    if published.learnt is None:
        return np.ones(published.comparisons.size)
    as_came = published.comparisons._replace(weight=published.answers.weight)
    return shares(as_came, item, n, published.learnt.repeat_correlation)


def _log_of_votes(published: Published, cells: _Cells, a: float, *, biased: bool = True) -> Floats:
    """(C,) ln E [ P(n | a) / F ]. Args: `biased` is false where delta is 0."""
    pi = np.clip(expit(_differences(published, cells.first_of_each, biased=biased)), LEAST, 1.0 - LEAST)  # (C, nodes)
    ties = _share_of_ties(published)[cells.first_of_each.judge][:, None]
    q = np.array([(1.0 - ties) * pi, (1.0 - ties) * (1.0 - pi), ties + np.zeros_like(pi)])
    wins, losses, tied = _of_kinds(cells, cells.counted)
    in_fit = (wins + 0.5 * tied)[:, None] * np.log(pi) + (losses + 0.5 * tied)[:, None] * np.log1p(-pi)
    log_probability = _log_probability(_of_kinds(cells)[:, :, None], q, a)
    return np.asarray(logsumexp(log_probability - in_fit + LOG_WEIGHTS, axis=1))


def _of_kinds(cells: _Cells, counted: Floats | float = 1.0) -> Floats:
    """(3, C) n: how many say first, second and tie."""
    weight, p = counted * cells.answers.weight, cells.answers.p
    return np.array([np.bincount(cells.cell, weight * (p == answer)) for answer in (1.0, 0.0, 0.5)])


def _again(cells: _Cells) -> tuple[Floats, Floats]:
    """(C,) how many answers are repeats, and how many of them are as the one that came most."""
    of_kinds = _of_kinds(cells)
    return of_kinds.sum(axis=0) - 1.0, of_kinds.max(axis=0) - 1.0


def _log_probability(times: Floats, q: Floats, a: float) -> Floats:
    """ln P(n | a), elementwise behind the first axis, which is that of the answers."""
    if not a:
        return np.asarray(xlogy(times, q).sum(axis=0))
    same, other = xlogy(times, a + (1.0 - a) * q), xlogy(times, (1.0 - a) * q)
    with np.errstate(divide="ignore"):
        lasting = np.log(q) + same + (other.sum(axis=0) - other)
    return np.asarray(logsumexp(lasting, axis=0))


def _share_of_ties(published: Published) -> Floats:
    """(J',) T."""
    judge, p = published.answers.judge, published.comparisons.p
    return np.bincount(judge, p == 0.5) / np.maximum(np.bincount(judge), 1)


def _of_measurements(published: Published, cells: _Cells) -> tuple[Floats, Floats, Floats]:
    """(C,) what the log-odds gain, and as of `_again`: each answer is compared with the first one of its cell."""
    given, cell, _ = cells
    once = np.unique(cell, return_index=True)[1]
    p = np.clip(given.p[once][cell], LEAST, 1.0 - LEAST)
    again = given.weight.copy()
    again[once] -= 1.0
    is_alike = np.abs(given.p - p) <= ALIKE
    noise = np.ones(len(p)) if published.learnt is None else published.learnt.noise[given.judge]
    gain = np.where(is_alike, _gain_alike(_by_chance(p, noise)), np.log(LAPSE))
    gains, repeats, alike = (
        np.bincount(cell, again * each).astype(np.float64) for each in (gain, np.ones(len(p)), is_alike)
    )
    return gains, repeats, alike


def _by_chance(p: Floats, noise: Floats) -> Floats:
    """b: the probability, at most, that two measurements agree."""
    return np.minimum(2.0 * ALIKE / (p * (1.0 - p) * np.sqrt(4.0 * np.pi * noise)), 1.0)


def _gain_alike(by_chance: Floats) -> Floats:
    return np.log1p(-LAPSE * (1.0 - by_chance)) - np.log(by_chance)


def _differences(published: Published, rows: Comparisons, *, biased: bool) -> Floats:
    """(C, nodes) d + delta of these rows, or d, at the nodes of their posterior."""
    scores, posterior, model = published.scores, published.posterior, published.model
    mean = scores.mean[rows.first] - scores.mean[rows.second]
    variance = scores.covariance.variances(rows.first, rows.second, WIDTH)
    if model.known_biases is not None:
        mean = mean + model.known_biases[rows.judge]
    elif model.has_biases and biased:
        place = model.n + rows.judge
        mean, variance = mean + posterior.mean[place], variance + posterior.covariance.diagonal[place]
    return np.asarray(mean[:, None] + np.sqrt(variance)[:, None] * NODES)
