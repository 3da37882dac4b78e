"""Verdicts of these judges on all pairs: known where they judged, drawn where they did not (methods 13a; ours).

A question q is asked by one judge about one item; Q of them are asked about each pair of candidates who have an output
there. W_i is the mean of i's verdicts against the others over all questions. It is the expected win rate, by which a
complete round of comparisons ranks (for votes the order of Bradley-Terry). With s and delta from the posterior, d = s_i
- s_j, delta > 0 where the judge favours the first position, the verdict on a pair is the mean of both orders:

The share r of a verdict comes back whenever this is asked, and the rest is new each time. With r = 1

    a vote            x = 1 where d + delta + e > 0, e logistic, the same e whenever this is asked, in any order
    a probability     sigma(d + delta + e), e ~ N(0, sigma2 of the judge), the same e
    what was said     stays: of one order, the other is drawn given it, and is the same where the judge has no bias

With r = 0 what was said tells no more than s does, and the verdict is the mean over e. Between them, for votes alone,

    q = r f + (1 - r) sigma(d + delta), f lasting as e has it; two votes then correlate by rho = r^2. Given a votes
    for i and b against in each order, P(f) ~ P(f by e) prod over orders q^a (1 - q)^b

r is a judge's with a probability, else it is 0: whether a model repeats itself is known by that alone (methods 17), and
a part w1 of the draws has r = 1. Where it may be consistent, delta = 0 in a part of these. Of people r is known.

Once all questions are answered in both orders by judges who repeat themselves, W is known, and what ties is a tie. A
pair that nobody judged is drawn from s. Where no question can be asked about a candidate, a stranger's vote on it and
each other one is drawn in their place, without a bias. It may well be the best, or the last.

    W       WinRates.values     (D, N)
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from app.inference.experts import LONGEST, is_vote
from app.inference.fitting.published import Published
from app.inference.gaussian import Scores
from app.inference.kernels.all_pairs import mean_verdicts
from app.inference.targets.drawing import best_first, draw_scores
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import means

VERDICTS, FEWEST, MOST = 50_000_000, 200, 4000  # drawn in all; draws
ROUNDING = 10  # decimals of a win rate, below which candidates tie


class Round(NamedTuple):
    """The complete round of verdicts, one on each pair by each question, pair by pair."""

    wins: Floats  # (N, N) the sum of the verdicts that i is better than j
    left: Ints  # (N, N) how many are to come
    verdicts: Floats  # (N,) on each candidate
    repeats: bool  # whether every judge is taken to answer alike when it is asked again


class Lasting(NamedTuple):
    """How much of the verdicts of J judges comes back when they are asked again."""

    share: Floats  # (J,) r
    probability: Floats  # (J,) of that r; else it is 0
    consistent: Floats  # (J,) of that, that the judge has no position bias


class WinRates(NamedTuple):
    """Draws of the win rates that all pairs would give, and the scores from which they were drawn."""

    scores: Scores
    values: Floats  # (D, N) W
    verdicts: int  # in a complete round
    judged: int  # of them, in either order
    known: float  # of them, as far as they come back
    round: Round

    @property
    def mean(self) -> Floats:
        """(N,)."""
        return np.asarray(self.values.mean(axis=0))


class RoundAnswers(NamedTuple):
    """All that was answered, by question."""

    judge: Ints  # (Q,) by number
    has: Bools  # (Q, N) which candidates the question is about
    p: Floats  # (Q, N, N) mean answer to [question, first, second], NaN where there is none
    times: Floats  # (Q, N, N) how many answers


def asked_in(answers: Comparisons, item: Ints, has: Bools) -> RoundAnswers:
    """The answers of every judge, each of whom may be asked about all items.

    Args: `item` (K,) is what each was about, `has` (I, N) tells which candidates have an output for it.
    """
    n = has.shape[1]
    (judges, number), (items, place) = _as_they_came(answers.judge), _as_they_came(item)
    if not answers.size:
        return RoundAnswers(judges, has[:0], np.empty((0, n, n)), np.empty((0, n, n)))
    question = number * len(items) + place
    shape = len(judges) * len(items), n, n
    cell, cells = (question * n + answers.first) * n + answers.second, len(judges) * len(items) * n * n
    p = np.minimum(means(answers.p, cell, cells, answers.weight), 1.0).reshape(shape)
    times: Floats = np.bincount(cell, answers.weight, cells).astype(np.float64).reshape(shape)
    return RoundAnswers(np.repeat(judges, len(items)), np.tile(has[items], (len(judges), 1)), p, times)


def _as_they_came(values: Ints) -> tuple[Ints, Ints]:
    """The different values, in the order of the log, whoever has which number; and (K,) the place of each value."""
    different, first, number = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return different[order], np.argsort(order)[number]


def judged_alone(item: Ints, first: Ints, second: Ints, n: int) -> Bools:
    """(I, N) which candidates were judged on each item; all of them where there is but one item."""
    has = np.zeros((int(item.max(initial=0)) + 1, n), np.bool_)
    has[item, first] = has[item, second] = True
    return has if len(np.unique(item)) > 1 else np.ones_like(has)


def on_all_pairs(
    published: Published,
    asked: RoundAnswers,
    lasting: Lasting,
    rng: np.random.Generator,
    draws: int | None = None,
) -> WinRates:
    """Draws of W, more of them for fewer candidates; in the order of the scores, whoever is listed first.

    Args: `lasting` is of every judge who answered.
    """
    scores, n = published.scores, published.model.n
    if not len(asked.judge):
        unsaid, never = np.full((1, n, n), np.nan), np.zeros((1, n, n))
        stranger = RoundAnswers(np.zeros(1, np.int64), np.ones((1, n), np.bool_), unsaid, never)
        return on_all_pairs(published, stranger, Lasting(np.ones(1), np.ones(1), np.zeros(1)), rng, draws)
    draws = draws or int(np.clip(2 * VERDICTS // max(n * (n - 1) * len(asked.judge), 1), FEWEST, MOST))
    order = best_first(scores)
    drawn = draw_scores(scores, order, rng, draws)
    sorted_ = np.ix_(np.arange(len(asked.judge)), order, order)
    sd, judged = _errors(published, asked), (asked.times + asked.times.swapaxes(1, 2)) > 0.0
    of_round = _round(asked, judged, lasting)
    shares, consistent = _by_draw(asked.judge, lasting, rng, draws)
    rates = mean_verdicts(
        np.ascontiguousarray(drawn.scores.T), np.where(consistent, 0.0, _biases(published, asked, rng, draws)),
        asked.p[sorted_], asked.times[sorted_], np.ascontiguousarray(asked.has[:, order]),
        sd[:, None] * np.sqrt(drawn.noise), shares, rng,
    ).T  # fmt: skip
    if not of_round.verdicts.all():
        rates = _with_strangers(rates, of_round.verdicts[order], drawn.scores, rng)
    values = np.empty((draws, n))
    values[:, order] = np.round(rates, ROUNDING)
    outputs = asked.has.sum(axis=1)
    verdicts, by_question = int((outputs * (outputs - 1)).sum()) // 2, judged.sum(axis=(1, 2)) // 2
    come_back = float(by_question @ (lasting.share * lasting.probability)[asked.judge])
    return WinRates(scores, values, verdicts, int(by_question.sum()), come_back, of_round)


def _by_draw(judge: Ints, lasting: Lasting, rng: np.random.Generator, draws: int) -> tuple[Floats, Bools]:
    """(Q, D) r of who is asked, and whether it has no bias; in the same part of the draws whatever the others have."""
    judges, number = _as_they_came(judge)
    quantiles = np.array([rng.permutation((np.arange(draws) + 0.5) / draws) for _ in judges])
    drawn = lasting.share[judges][:, None] * (quantiles < lasting.probability[judges][:, None])
    return np.ascontiguousarray(drawn[number]), (quantiles < lasting.consistent[judges][:, None])[number]


def _round(asked: RoundAnswers, judged: Bools, lasting: Lasting) -> Round:
    """Args: `judged` (Q, N, N) the pairs that were judged, in either order."""
    both = np.where(asked.times > 0.0, asked.p, 0.0) + np.where(asked.times > 0.0, 1.0 - asked.p, 0.0).swapaxes(1, 2)
    shown = (asked.times > 0.0).astype(np.float64)
    wins = both / np.maximum(shown + shown.swapaxes(1, 2), 1.0)
    has = asked.has[:, :, None] & asked.has[:, None, :] & ~np.eye(asked.has.shape[1], dtype=np.bool_)
    return Round(
        wins.sum(axis=0),
        (has & ~judged).sum(axis=0),
        has.sum(axis=(0, 2)).astype(np.float64),
        bool((lasting.share * lasting.probability == 1.0)[asked.judge].all()),
    )


def _with_strangers(rates: Floats, asked: Floats, scores: Floats, rng: np.random.Generator) -> Floats:
    """(D, N) W with the votes of strangers, by what W is over (N,) `asked` verdicts, and the (D, N) scores."""
    won, count = rates * asked, asked.copy()
    unasked = np.flatnonzero(asked == 0.0)
    for place, i in enumerate(unasked):
        others = np.setdiff1d(np.arange(len(asked)), unasked[: place + 1])
        wins = rng.random((len(scores), len(others))) < expit(scores[:, [i]] - scores[:, others])
        won[:, i] += wins.sum(axis=1)
        won[:, others] += ~wins
        count[i] += len(others)
        count[others] += 1.0
    return np.asarray(won / np.maximum(count, 1.0))


def _errors(published: Published, asked: RoundAnswers) -> Floats:
    """(Q,) the sd of a measurement's error, 0 of votes."""
    answers, learnt = published.answers, published.learnt
    if not answers.size:
        return np.zeros(len(asked.judge))
    judges = int(answers.judge.max()) + 1
    measures = np.bincount(answers.judge, ~is_vote(published.comparisons.p), judges) > 0.0
    if learnt is not None:
        return np.where(measures, np.sqrt(learnt.noise[:judges]), 0.0)[asked.judge]
    d = published.scores.mean[answers.first] - published.scores.mean[answers.second]
    y = np.clip(logit(np.clip(answers.p, 1e-9, 1.0 - 1e-9)), -LONGEST, LONGEST)
    return np.where(measures, np.sqrt(means((y - d) ** 2, answers.judge, judges)), 0.0)[asked.judge]


def _biases(published: Published, asked: RoundAnswers, rng: np.random.Generator, draws: int) -> Floats:
    """(Q, D) delta of who is asked."""
    model, posterior = published.model, published.posterior
    if model.known_biases is not None:
        return np.repeat(model.known_biases[asked.judge][:, None], draws, axis=1)
    if not model.has_biases:
        return np.zeros((len(asked.judge), draws))
    judges, number = _as_they_came(asked.judge)
    place = model.n + judges
    sd = np.sqrt(posterior.covariance.matrix().diagonal()[place])
    drawn = posterior.mean[place][:, None] + sd[:, None] * rng.standard_normal((len(place), draws))
    drawn[~model.estimated_biases[judges]] = 0.0
    return np.ascontiguousarray(drawn[number])
