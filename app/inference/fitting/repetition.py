"""Whether a judge repeats itself (methods 17; ours).

    H1   it gives its answer again whenever it is asked the same in the same order, but for a lapse
    H0   each of its verdicts is a new draw

w1 = P(H1) starts from what is known of the judge beforehand: what the user declared, or its record in other sets. Of an
unknown judge it is USUAL from its first repeat on, and 0 until then: its verdicts count as draws. Of votes in one cell,
one judge's on one question in one order, n_k say k (first, second or tie), whose probabilities q_k are

    q_tie = T, the share of the judge's ties;  q_first = (1 - T) sigma(d + delta);  q_second = (1 - T) sigma(-d - delta)
    P(n | a) = sum_k q_k (a + (1 - a) q_k)^n_k prod_(l != k) ((1 - a) q_l)^n_l

With a = 0 that is H0, and with a = sqrt(1 - LAPSE) H1, a^2 being the correlation of two votes. The odds of w1 gain

    prod over cells  E [ P(n | a) / F ] / E [ P(n | 0) / F ],  F = (sigma(d + delta)^wins sigma(-d - delta)^losses)^c

where E is over the posterior of d + delta, in which the share c of these votes counts already. Two measurements within
ALIKE of each other agree, which under H0, with sigma2 of the judge's error, has a probability of at most

    b = 2 ALIKE / (p (1 - p) sqrt(4 pi sigma2));  the odds gain (1 - LAPSE (1 - b)) / b, or LAPSE where they differ

The other order is no repeat: a position bias contradicts as well.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp, xlogy

from app.inference.experts.measured_bt import is_vote
from app.inference.fitting.published import Published
from app.inference.fitting.verdict_weights import shares
from app.inference.types import Bools, Comparisons, Floats, Ints, take
from app.inference.verdicts import numbered

LAPSE = 0.02  # of answers of one that repeats itself, that are other ones all the same
USUAL = 0.5  # w1 of an unknown judge once it is asked again
DRAWS_ANEW, REPEATS_ITSELF = 0.02, 0.99  # w1 at which more repeats decide nothing
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
    supposed: Floats  # (J,) the same if the unknown ones were asked again: USUAL
    repeats: Ints  # (J,) answers to a question that the judge had answered in the same order
    alike: Ints  # (J,) of them, as the answer that came most

    def is_taken(self, people: Bools) -> bool:
        """Whether all judges, of whom `people` (J,) are people, are models that are taken to repeat themselves."""
        return bool((~people & (self.probability >= TAKEN)).all())


class _Repeated(NamedTuple):
    """Answers in cells with several of them."""

    answers: Comparisons  # (K',)
    cell: Ints  # (K',) numbers without gaps
    counted: Floats  # (K',) c


class _OfCells(NamedTuple):
    gain: Floats  # (C,) of the log-odds
    repeats: Floats  # (C,)
    alike: Floats  # (C,)


def unknown(judges: int) -> Floats:
    """(J,) what is known beforehand of judges of whom nothing is."""
    return np.full(judges, np.nan)


def repetition_of(published: Published, answers: Comparisons, item: Ints, before: Floats) -> Repetition:
    """Repetition of J judges, from the answers that a posterior is given.

    Args: `answers` (K,) are those of the posterior, each as many as came; `item` (K,) is what each was about; `before`
        (J,) is w1 beforehand, NaN where nothing is known.
    """
    taken, judges, n = published.comparisons.p, len(before), published.model.n
    cell = numbered(answers.judge, item, answers.first, answers.second)
    is_repeated = (np.bincount(cell, answers.weight) > 1.0 + 1e-9)[cell]
    log_odds, votes = np.zeros(judges), is_vote(taken)
    repeats, alike = np.zeros(judges), np.zeros(judges)
    for rows, of_kind in ((is_repeated & votes, _of_votes), (is_repeated & ~votes, _of_measurements)):
        if rows.any():
            theirs = take(answers._replace(p=np.where(votes, taken, answers.p)), rows)
            repeated = _Repeated(theirs, numbered(cell[rows]), _counted(published, item, n)[rows])
            judge = theirs.judge[np.unique(repeated.cell, return_index=True)[1]]
            gains = [np.bincount(judge, each, judges) for each in of_kind(published, repeated)]
            log_odds, repeats, alike = log_odds + gains[0], repeats + gains[1], alike + gains[2]
    known = np.where(np.isnan(before), USUAL, before)
    with np.errstate(divide="ignore"):
        supposed = expit(np.log(known) - np.log1p(-known) + log_odds)
    is_untested = np.isnan(before) & (repeats == 0.0)
    is_silent = np.bincount(answers.judge, minlength=judges) == 0
    probability = np.where(is_silent, 1.0, np.where(is_untested, 0.0, supposed))
    return Repetition(before, probability, supposed, *(np.rint(each).astype(np.int64) for each in (repeats, alike)))


def _counted(published: Published, item: Ints, n: int) -> Floats:
    """(K,) c, the share of each answer that counts in the posterior."""
    if published.learnt is None:
        return np.ones(published.comparisons.size)
    as_came = published.comparisons._replace(weight=published.answers.weight)
    return shares(as_came, item, n, published.learnt.repeat_correlation)


def _of_votes(published: Published, repeated: _Repeated) -> _OfCells:
    cast, cell, counted = repeated
    once = np.unique(cell, return_index=True)[1]
    of_kind = np.array([np.bincount(cell, cast.weight * (cast.p == answer)) for answer in (1.0, 0.0, 0.5)])
    pi = np.clip(expit(_differences(published, take(cast, once))), LEAST, 1.0 - LEAST)  # (C, nodes)
    ties = _share_of_ties(published)[cast.judge[once]][:, None]
    q = np.array([(1.0 - ties) * pi, (1.0 - ties) * (1.0 - pi), ties + np.zeros_like(pi)])
    wins = of_kind[0] + 0.5 * of_kind[2]
    losses = of_kind[1] + 0.5 * of_kind[2]
    in_fit = counted[once][:, None] * (wins[:, None] * np.log(pi) + losses[:, None] * np.log1p(-pi))
    repeating, drawing = (
        logsumexp(_log_probability(of_kind[:, :, None], q, a) - in_fit + LOG_WEIGHTS, axis=1)
        for a in (np.sqrt(1.0 - LAPSE), 0.0)
    )
    return _OfCells(repeating - drawing, of_kind.sum(axis=0) - 1.0, of_kind.max(axis=0) - 1.0)


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


def _of_measurements(published: Published, repeated: _Repeated) -> _OfCells:
    """Each answer is compared with the first one of its cell."""
    given, cell, _ = repeated
    once = np.unique(cell, return_index=True)[1]
    p = np.clip(given.p[once][cell], LEAST, 1.0 - LEAST)
    again = given.weight.copy()
    again[once] -= 1.0
    is_alike = np.abs(given.p - p) <= ALIKE
    noise = np.ones(len(p)) if published.learnt is None else published.learnt.noise[given.judge]
    by_chance = np.minimum(2.0 * ALIKE / (p * (1.0 - p) * np.sqrt(4.0 * np.pi * noise)), 1.0)
    gain = np.where(is_alike, np.log1p(-LAPSE * (1.0 - by_chance)) - np.log(by_chance), np.log(LAPSE))
    gains, repeats, alike = (
        np.bincount(cell, again * each).astype(np.float64) for each in (gain, np.ones(len(p)), is_alike)
    )
    return _OfCells(gains, repeats, alike)


def _differences(published: Published, rows: Comparisons) -> Floats:
    """(C, nodes) d + delta of these rows, at the nodes of their posterior."""
    scores, posterior, model = published.scores, published.posterior, published.model
    mean = scores.mean[rows.first] - scores.mean[rows.second]
    variance = scores.covariance.variances(rows.first, rows.second, WIDTH)
    if model.known_biases is not None:
        mean = mean + model.known_biases[rows.judge]
    elif model.has_biases:
        place = model.n + rows.judge
        mean, variance = mean + posterior.mean[place], variance + posterior.covariance.diagonal[place]
    return np.asarray(mean[:, None] + np.sqrt(variance)[:, None] * NODES)
