"""Verdicts of judges on all pairs, compiled: those they gave, and draws of those they did not.

The equations and signs are those of targets/all_pairs.py, which has the slow formula.
"""

import math

import numpy as np

from app.inference.kernels import unchecked_kernel
from app.inference.types import Bools, Floats

WIDEST = 1000.0  # between the scores of a draw: wider ones have odds that are no finite numbers, or 0
LEAST = 1e-300  # of a probability, so that its logarithm is finite


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
def _voted(d: float, delta: float, forth: float, back: float, rng: np.random.Generator) -> float:
    """The mean of the votes in both orders, of which one was cast; NaN is the other."""
    cast, favour = (forth, delta) if math.isnan(back) else (back, -delta)
    if favour == 0.0 or cast == 0.5:
        return cast
    here, there = _sigma(d + favour), _sigma(d - favour)
    won = min(here, there) / here if cast > 0.5 else max(there - here, 0.0) / max(1.0 - here, 1e-300)
    return 0.5 * (cast + (rng.random() < won))


@unchecked_kernel
def _measured(delta: float, forth: float, back: float) -> float:
    """The mean of the probabilities in both orders, of which one was given; NaN is the other."""
    p, favour = (forth, delta) if math.isnan(back) else (back, -delta)
    if favour == 0.0:
        return p
    odds = math.exp(-2.0 * favour)
    return 0.5 * (p + p * odds / (p * odds + (1.0 - p)))


@unchecked_kernel
def _expected(d: float, delta: float, sd: float) -> float:
    """The mean of the probabilities in both orders over an error that is drawn anew each time."""
    flatter = 1.0 / math.sqrt(1.0 + math.pi / 8.0 * sd * sd)
    return 0.5 * (_sigma(flatter * (d + delta)) + _sigma(flatter * (d - delta)))


@unchecked_kernel
def _lasting(here: float, there: float, cast: Floats, won: Floats, share: float, rng: np.random.Generator) -> float:
    """The mean of the lasting votes in both orders of a judge who repeats itself with probability `share`.

    Args: `here` and `there` are the probabilities of a vote for it shown first, and second; `cast` (2,) and `won` (2,)
        how many votes there were so, and for it.
    """
    first = 1.0 if here > there else 0.0
    both = _log(min(here, there)) + _log_of_votes(1.0, here, cast[0], won[0], share)
    both += _log_of_votes(1.0, there, cast[1], won[1], share)
    neither = _log(1.0 - max(here, there)) + _log_of_votes(0.0, here, cast[0], won[0], share)
    neither += _log_of_votes(0.0, there, cast[1], won[1], share)
    one = -math.inf
    if here != there:
        one = _log(abs(here - there)) + _log_of_votes(first, here, cast[0], won[0], share)
        one += _log_of_votes(1.0 - first, there, cast[1], won[1], share)
    most = max(both, one, neither)
    p_both, p_one, p_neither = math.exp(both - most), math.exp(one - most), math.exp(neither - most)
    u = rng.random() * (p_both + p_one + p_neither)
    return 0.5 * ((u < p_both) + (u < p_both + p_one))


@unchecked_kernel
def _log(probability: float) -> float:
    return math.log(max(probability, LEAST))


@unchecked_kernel
def _log_of_votes(lasting: float, q: float, cast: float, won: float, share: float) -> float:
    """The log-probability of these votes in one order, given the lasting one."""
    wins = share * lasting + (1.0 - share) * q
    of_wins = won * _log(wins) if won > 0.0 else 0.0
    of_losses = (cast - won) * _log(1.0 - wins) if cast > won else 0.0
    return of_wins + of_losses


@unchecked_kernel
def mean_verdicts(
    scores: Floats,
    bias: Floats,
    p: Floats,
    times: Floats,
    has: Bools,
    sd: Floats,
    share: Floats,
    rng: np.random.Generator,
) -> Floats:
    """(N, D) each candidate's mean verdict against the others, over all Q questions about a pair, in D draws.

    It is 0 of a candidate about whom nothing is asked.

    Args:
        scores: (N, D); bias: (Q, D), of who is asked.
        p: (Q, N, N) mean answer to [question, first, second], NaN where there is none; times: (Q, N, N) how many.
        has: (Q, N) which candidates the question is asked about.
        sd: (Q, D) of a measurement's error, 0 of votes; share: (Q, D) r, of a measurement 0 or 1.
    """
    n, draws = scores.shape
    total, count = np.zeros((n, draws)), np.zeros((n, 1))
    odds, verdict = _odds(scores), np.empty(draws)
    cast, won = np.zeros(2), np.zeros(2)
    for q in range(len(p)):
        tilt, measures = np.exp(bias[q]), sd[q, 0] > 0.0
        for i in range(n):
            for j in range(i):
                if not (has[q, i] and has[q, j]):
                    continue
                count[i, 0] += 1.0
                count[j, 0] += 1.0
                forth, back = p[q, i, j], 1.0 - p[q, j, i]
                cast[0], cast[1] = times[q, i, j], times[q, j, i]
                won[0] = cast[0] * forth if cast[0] > 0.0 else 0.0
                won[1] = cast[1] * back if cast[1] > 0.0 else 0.0
                for draw in range(draws):
                    above, below, d = odds[i, draw], odds[j, draw], scores[i, draw] - scores[j, draw]
                    if measures and share[q, draw] == 0.0:
                        verdict[draw] = _expected(d, bias[q, draw], sd[q, draw])
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
                    elif measures:
                        verdict[draw] = _measured(bias[q, draw], forth, back)
                    else:
                        verdict[draw] = _voted(d, bias[q, draw], forth, back, rng)
                total[i] += verdict
                total[j] += 1.0 - verdict
    return total / np.maximum(count, 1.0)
