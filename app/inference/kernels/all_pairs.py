"""Verdicts of judges on all pairs, compiled: those they gave, and draws of those they did not.

The equations and signs are those of targets/all_pairs.py, which has the slow formula.
"""

import math

import numpy as np

from app.inference.kernels import unchecked_kernel
from app.inference.types import Bools, Floats


@unchecked_kernel
def _sigma(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


@unchecked_kernel
def _voted(d: float, delta: float, forth: float, back: float, rng: np.random.Generator) -> float:
    """The mean of the votes in both orders; NaN is one that was not cast."""
    if math.isnan(forth) and math.isnan(back):
        u = rng.random()
        return 0.5 * ((u < _sigma(d + delta)) + (u < _sigma(d - delta)))
    if not math.isnan(forth) and not math.isnan(back):
        return 0.5 * (forth + back)
    cast, favour = (forth, delta) if math.isnan(back) else (back, -delta)
    if favour == 0.0 or cast == 0.5:
        return cast
    here, there = _sigma(d + favour), _sigma(d - favour)
    won = min(here, there) / here if cast > 0.5 else max(there - here, 0.0) / max(1.0 - here, 1e-300)
    return 0.5 * (cast + (rng.random() < won))


@unchecked_kernel
def _measured(d: float, delta: float, forth: float, back: float, sd: float, rng: np.random.Generator) -> float:
    """The mean of the probabilities in both orders; NaN is one that was not given."""
    if math.isnan(forth) and math.isnan(back):
        y = d + sd * rng.standard_normal()
        return 0.5 * (_sigma(y + delta) + _sigma(y - delta)) if delta != 0.0 else _sigma(y)
    if not math.isnan(forth) and not math.isnan(back):
        return 0.5 * (forth + back)
    given, favour = (forth, delta) if math.isnan(back) else (back, -delta)
    if favour == 0.0:
        return given
    odds = math.exp(-2.0 * favour)
    return 0.5 * (given + given * odds / (given * odds + (1.0 - given)))


@unchecked_kernel
def _lasting(q: float, votes: float, won: float, echo: float, rng: np.random.Generator) -> float:
    """The mean of all votes that a judge would ever cast, who repeats itself with probability `echo`."""
    lost = votes - won
    for_it = q * (echo + (1.0 - echo) * q) ** won * ((1.0 - echo) * (1.0 - q)) ** lost
    against = (1.0 - q) * ((1.0 - echo) * q) ** won * (echo + (1.0 - echo) * (1.0 - q)) ** lost
    lasts: float = echo if rng.random() * (for_it + against) < for_it else 0.0
    return lasts + (1.0 - echo) * q


@unchecked_kernel
def mean_verdicts(
    scores: Floats,
    bias: Floats,
    p: Floats,
    times: Floats,
    has: Bools,
    sd: Floats,
    echo: Floats,
    rng: np.random.Generator,
) -> Floats:
    """(N, D) each candidate's mean verdict against the others, over all Q questions about a pair, in D draws.

    Args:
        scores: (N, D); bias: (Q, D), of who is asked.
        p: (Q, N, N) mean answer to [question, first, second], NaN where there is none; times: (Q, N, N) how many.
        has: (Q, N) which candidates the question is asked about.
        sd: (Q, D) of a measurement's error, 0 of votes; echo: (Q,) rho.
    """
    n, draws = scores.shape
    total, count = np.zeros((n, draws)), np.zeros((n, 1))
    for q in range(len(p)):
        for i in range(n):
            for j in range(i):
                if not (has[q, i] and has[q, j]):
                    continue
                count[i, 0] += 1.0
                count[j, 0] += 1.0
                forth, back = p[q, i, j], 1.0 - p[q, j, i]
                many = times[q, i, j] + times[q, j, i]
                if echo[q] == 1.0 and times[q, i, j] > 0.0 and times[q, j, i] > 0.0:
                    total[i] += 0.5 * (forth + back)
                    total[j] += 1.0 - 0.5 * (forth + back)
                    continue
                won = 0.0
                if echo[q] < 1.0 and many > 0.0:
                    won = (times[q, i, j] * forth if times[q, i, j] > 0.0 else 0.0) + (
                        times[q, j, i] * back if times[q, j, i] > 0.0 else 0.0
                    )
                for draw in range(draws):
                    d, delta = scores[i, draw] - scores[j, draw], bias[q, draw]
                    if echo[q] < 1.0:
                        verdict = _lasting(_sigma(d), many, won, echo[q], rng)
                    elif sd[q, draw] > 0.0:
                        verdict = _measured(d, delta, forth, back, sd[q, draw], rng)
                    else:
                        verdict = _voted(d, delta, forth, back, rng)
                    total[i, draw] += verdict
                    total[j, draw] += 1.0 - verdict
    return total / np.maximum(count, 1.0)
