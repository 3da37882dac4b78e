"""Verdicts of these judges on all pairs: known where they judged, drawn where they did not (methods 13a; ours).

A question q is asked by one judge about one item; Q of them are asked about each pair of candidates who have an output
there. W_i is the mean of i's verdicts against the others over all questions: the expected win rate, by which a complete
round of comparisons ranks (decision 70). With s and delta from the posterior, d = s_i - s_j, delta > 0 where the judge
favours the first position, the verdict on a pair is the mean of both orders. The share r of it comes back whenever this
is asked, and the rest is new each time. With r = 1

    a vote            x = 1 where d + delta + e > 0, e logistic, the same e whenever this is asked, in any order
    a probability     sigma(d + delta + e), e ~ N(0, sigma2 of the judge), the same e
    what was said     stays: of one order, the other is drawn given it, and is the same where the judge has no bias

With r = 0 what was said tells no more than s does, and the verdict is the mean over e. Between them, for votes alone,

    q = r f + (1 - r) sigma(d + delta), f lasting as e has it; two votes then correlate by rho = r^2. Given a votes
    for i and b against in each order, P(f) ~ P(f by e) prod over orders q^a (1 - q)^b

Where no question can be asked about a candidate, strangers vote. Slow formulas of the kernels are in the tests.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from app.inference.experts import LONGEST, is_vote
from app.inference.fitting import Published, Repetition
from app.inference.fitting.repetition import DRAWS_ANEW
from app.inference.gaussian import Scores
from app.inference.kernels import unchecked_kernel
from app.inference.targets.drawing import best_first, draw_scores
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import means

VERDICTS, FEWEST, MOST = 50_000_000, 200, 4000  # drawn in all; draws
ROUNDING = 10  # decimals of a win rate, below which candidates tie
WIDEST = 1000.0  # between the scores of a draw: wider ones have odds that are no finite numbers, or 0
LEAST = 1e-300  # of a probability, so that its logarithm is finite


class Lasting(NamedTuple):
    """How much of the verdicts of J judges comes back when they are asked again (decision 97)."""

    share: Floats  # (J,) r
    probability: Floats  # (J,) of that r, in a part of the draws; else it is 0
    consistent: Floats  # (J,) of that, that delta = 0


class WinRates(NamedTuple):
    """Draws of the win rates that all pairs would give, and the scores from which they were drawn."""

    scores: Scores
    values: Floats  # (D, N) W
    wins: Floats  # (N, N) the sum of the verdicts that i is better than j, in a complete round of all questions
    left: Ints  # (N, N) how many are to come
    about: Floats  # (N,) verdicts on each candidate
    judged: int  # of the verdicts, in either order
    known: float  # of them, as far as they come back
    repeats: bool  # whether every judge is taken to answer alike when it is asked again

    @property
    def verdicts(self) -> int:
        """In a complete round."""
        return int(self.about.sum()) // 2

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


def asked_in(published: Published, answers: Comparisons, item: Ints, has: Bools) -> RoundAnswers:
    """The answers of every judge, who may be asked about all items, votes where they count as such; of nobody, none."""
    n, taken = has.shape[1], published.comparisons.p
    (judges, number), (items, place) = _as_they_came(answers.judge), _as_they_came(item)
    if not answers.size:
        judges, items, has = np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones((1, n), np.bool_)
    question = number * len(items) + place
    shape = len(judges) * len(items), n, n
    cell, cells = (question * n + answers.first) * n + answers.second, len(judges) * len(items) * n * n
    as_taken = np.where(is_vote(taken), taken, answers.p)
    p = np.minimum(means(as_taken, cell, cells, answers.weight), 1.0).reshape(shape)
    times: Floats = np.bincount(cell, answers.weight, cells).astype(np.float64).reshape(shape)
    return RoundAnswers(np.repeat(judges, len(items)), np.tile(has[items], (len(judges), 1)), p, times)


def _as_they_came(values: Ints) -> tuple[Ints, Ints]:
    """The different values, in the order of the log, whoever has which number; and (K,) the place of each value."""
    different, first, number = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return different[order], np.argsort(order)[number]


def lasting_of(known: Repetition, people: Bools, rho: Floats, *, supposing: bool = False) -> Lasting:
    """What comes back: of people (J,) by `rho` (J,), of models all or nothing; `supposing` that who may repeat does."""
    probability, consistent = known.probability, known.consistent
    if supposing:
        supposed = known.supposed, known.supposed_consistent
        probability, consistent = ((each > DRAWS_ANEW).astype(np.float64) for each in supposed)
    share = np.where(people, np.sqrt(rho), 1.0)
    return Lasting(share, np.where(people, 1.0, probability), np.where(people, 0.0, consistent))


def on_all_pairs(
    published: Published, asked: RoundAnswers, lasting: Lasting, rng: np.random.Generator, draws: int | None = None
) -> WinRates:
    """Draws of W, more of them for fewer candidates, whoever is listed first; `lasting` is of all who answered."""
    scores, n = published.scores, published.model.n
    if not published.answers.size:
        lasting = Lasting(np.ones(1), np.ones(1), np.zeros(1))
    questions, order = len(asked.judge), best_first(scores.mean)
    draws = draws or int(np.clip(2 * VERDICTS // max(n * (n - 1) * questions, 1), FEWEST, MOST))
    drawn, noise = draw_scores(scores, order, rng, draws)
    judges, number = _as_they_came(asked.judge)
    quantiles = np.array([rng.permutation((np.arange(draws) + 0.5) / draws) for _ in judges])[number]
    repeats, consistent = (quantiles < each[asked.judge, None] for each in (lasting.probability, lasting.consistent))
    shares = lasting.share[asked.judge, None] * repeats
    biases = np.where(consistent, 0.0, _biases(published, asked, rng, draws))
    errors = _errors(published, asked)[:, None] * np.sqrt(noise)
    pairs = np.ix_(np.arange(questions), order, order)
    in_order = RoundAnswers(asked.judge, np.ascontiguousarray(asked.has[:, order]), asked.p[pairs], asked.times[pairs])
    rates = mean_verdicts(np.ascontiguousarray(drawn.T), biases, in_order, errors, shares, rng).T
    has = asked.has[:, :, None] & asked.has[:, None, :] & ~np.eye(n, dtype=np.bool_)
    about = has.sum(axis=(0, 2)).astype(np.float64)
    if not about.all():
        rates = _with_strangers(rates, about[order], drawn, rng)
    values = np.empty((draws, n))
    values[:, order] = np.round(rates, ROUNDING)
    shown, turned = asked.times > 0.0, asked.times.swapaxes(1, 2) > 0.0
    answers_sum = np.where(shown, asked.p, 0.0) + np.where(turned, 1.0 - asked.p.swapaxes(1, 2), 0.0)
    by_question = (shown | turned).sum(axis=(1, 2)) // 2
    comes_back = (lasting.share * lasting.probability)[asked.judge]
    return WinRates(
        scores,
        values,
        wins=(answers_sum / np.maximum(shown.astype(np.float64) + turned, 1.0)).sum(axis=0),
        left=(has & ~shown & ~turned).sum(axis=0),
        about=about,
        judged=int(by_question.sum()),
        known=float(by_question @ comes_back),
        repeats=bool((comes_back == 1.0).all()),
    )


def _with_strangers(rates: Floats, asked: Floats, scores: Floats, rng: np.random.Generator) -> Floats:
    """(D, N) W with votes of strangers, without a bias, on who has none of (N,) `asked`; `rates` are W, (D, N)."""
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
    judges = int(answers.judge.max(initial=0)) + 1
    measures = np.bincount(answers.judge, ~is_vote(published.comparisons.p), judges) > 0.0
    if learnt is None:
        d = published.scores.mean[answers.first] - published.scores.mean[answers.second]
        variance = means((np.clip(logit(answers.p), -LONGEST, LONGEST) - d) ** 2, answers.judge, judges)
    else:
        variance = learnt.noise[:judges]
    return np.where(measures, np.sqrt(variance), 0.0)[asked.judge]


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


@unchecked_kernel
def _odds(scores: Floats) -> Floats:
    """(N, D) exp of the scores less the middle of each draw, whose scores are drawn together where they are wider."""
    odds = np.empty_like(scores)
    for draw in range(scores.shape[1]):
        low, high = scores[:, draw].min(), scores[:, draw].max()
        middle, shrink = 0.5 * (low + high), min(1.0, WIDEST / max(high - low, 1.0))
        for i in range(len(scores)):
            odds[i, draw] = math.exp(shrink * (scores[i, draw] - middle))
    return odds


@unchecked_kernel
def _sigma(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


@unchecked_kernel
def _in_both_orders(
    d: float, delta: float, forth: float, back: float, measures: bool, rng: np.random.Generator
) -> float:
    """The mean of the verdicts in both orders, of which one was given; NaN is the other."""
    answer, favour = (forth, delta) if math.isnan(back) else (back, -delta)
    if favour == 0.0:
        return answer
    if measures:
        odds = math.exp(-2.0 * favour)
        return 0.5 * (answer + answer * odds / (answer * odds + (1.0 - answer)))
    if answer == 0.5:
        return answer
    here, there = _sigma(d + favour), _sigma(d - favour)
    won = min(here, there) / here if answer > 0.5 else max(there - here, 0.0) / max(1.0 - here, LEAST)
    return 0.5 * (answer + (rng.random() < won))


@unchecked_kernel
def _lasting(here: float, there: float, cast: Floats, won: Floats, share: float, rng: np.random.Generator) -> float:
    """The mean of the lasting votes in both orders of a judge who repeats itself with probability `share`.

    Args: of one shown first, and second, `here` and `there` are the probabilities of a vote for it, `cast` (2,) and
        `won` (2,) how many votes there were, and for it.
    """
    both = _log_of_votes(min(here, there), 1.0, 1.0, here, there, cast, won, share)
    neither = _log_of_votes(1.0 - max(here, there), 0.0, 0.0, here, there, cast, won, share)
    one, first = -math.inf, 1.0 if here > there else 0.0
    if here != there:
        one = _log_of_votes(abs(here - there), first, 1.0 - first, here, there, cast, won, share)
    most = max(both, one, neither)
    p_both, p_one, p_neither = math.exp(both - most), math.exp(one - most), math.exp(neither - most)
    u = rng.random() * (p_both + p_one + p_neither)
    return 0.5 * ((u < p_both) + (u < p_both + p_one))


@unchecked_kernel
def _log_of_votes(
    p: float, first: float, second: float, here: float, there: float, cast: Floats, won: Floats, share: float
) -> float:
    """The log-probability of all votes and of these lasting ones, shown first, and second, which by themselves is p."""
    total = math.log(max(p, LEAST))
    for order, (lasting, q) in enumerate(((first, here), (second, there))):
        wins = share * lasting + (1.0 - share) * q
        if won[order] > 0.0:
            total += won[order] * math.log(max(wins, LEAST))
        if cast[order] > won[order]:
            total += (cast[order] - won[order]) * math.log(max(1.0 - wins, LEAST))
    return total


@unchecked_kernel
def mean_verdicts(
    scores: Floats, bias: Floats, asked: RoundAnswers, sd: Floats, share: Floats, rng: np.random.Generator
) -> Floats:
    """(N, D) each candidate's mean verdict in D draws, 0 where nothing is asked about it.

    Args: `scores` (N, D); of who is asked, `bias`, `sd` of a measurement's error, 0 of votes, and `share`, r, which of
        a measurement is 0 or 1, (Q, D) each.
    """
    n, draws = scores.shape
    total, count = np.zeros((n, draws)), np.zeros((n, 1))
    odds, verdict = _odds(scores), np.empty(draws)
    cast, won = np.zeros(2), np.zeros(2)
    for q in range(len(bias)):
        tilt, measures = np.exp(bias[q]), sd[q, 0] > 0.0
        for i in range(n):
            for j in range(i):
                if not (asked.has[q, i] and asked.has[q, j]):
                    continue
                count[i, 0] += 1.0
                count[j, 0] += 1.0
                forth, back = asked.p[q, i, j], 1.0 - asked.p[q, j, i]
                cast[0], cast[1] = asked.times[q, i, j], asked.times[q, j, i]
                won[0] = cast[0] * forth if cast[0] > 0.0 else 0.0
                won[1] = cast[1] * back if cast[1] > 0.0 else 0.0
                for draw in range(draws):  # as a function of its own this takes four times as long
                    above, below, d = odds[i, draw], odds[j, draw], scores[i, draw] - scores[j, draw]
                    if measures and share[q, draw] == 0.0:
                        flatter, delta = 1.0 / math.sqrt(1.0 + math.pi / 8.0 * sd[q, draw] ** 2), bias[q, draw]
                        verdict[draw] = 0.5 * (_sigma(flatter * (d + delta)) + _sigma(flatter * (d - delta)))
                    elif measures and cast[0] + cast[1] == 0.0:
                        x = math.exp(-d - sd[q, draw] * rng.standard_normal())
                        verdict[draw] = 0.5 / (1.0 + x / tilt[draw]) + 0.5 / (1.0 + x * tilt[draw])
                    elif share[q, draw] < 1.0 and not measures:
                        here = above * tilt[draw] / (above * tilt[draw] + below)
                        there = above / (above + below * tilt[draw])
                        verdict[draw] = 0.5 * (here + there)
                        if share[q, draw] > 0.0:
                            lasting = _lasting(here, there, cast, won, share[q, draw], rng)
                            verdict[draw] += share[q, draw] * (lasting - verdict[draw])
                    elif cast[0] + cast[1] == 0.0:
                        u = rng.random()
                        wins = u * (above * tilt[draw] + below) < above * tilt[draw]
                        verdict[draw] = 0.5 * (wins + (u * (above + below * tilt[draw]) < above))
                    elif cast[0] > 0.0 and cast[1] > 0.0:
                        verdict[draw] = 0.5 * (forth + back)
                    else:
                        verdict[draw] = _in_both_orders(d, bias[q, draw], forth, back, measures, rng)
                total[i] += verdict
                total[j] += 1.0 - verdict
    return total / np.maximum(count, 1.0)
