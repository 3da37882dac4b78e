"""Futures of a round of all pairs, compiled: verdicts are drawn until a claim, or a share of the pairs, is sure.

The equations are those of choosing/round_forecasting.py. Slow formula: draw W again from every state on the way.
"""

import math

import numpy as np

from app.inference.kernels import unchecked_kernel
from app.inference.types import Bools, Floats, Ints

ROUNDING = 1e-9  # of a win rate, within which candidates tie
MOST_VERDICTS = 4  # drawn for a pair, whatever the questions
STEADY = 8  # steps, of which one batch is a share
FAR = -8.0  # standard deviations
PROBIT = math.sqrt(8.0 / math.pi)  # sigma(d) is about Phi(d / PROBIT)


@unchecked_kernel
def _count(s: Floats, said: Floats, left: Ints, asked: Floats, sd: float, noise: Floats, at: Ints, w: Floats) -> None:
    """Write W into (N, R) `w`: what was said, and verdicts drawn at random where nothing was."""
    n, draws = s.shape
    for i in range(n):
        w[i] = said[i].sum()
    for i in range(n):
        for j in range(i):
            verdicts = min(left[i, j], MOST_VERDICTS)
            for verdict in range(verdicts):
                share, start = left[i, j] / verdicts, at[i, j] + 31 * verdict
                for r in range(draws):
                    d = s[i, r] - s[j, r]
                    if sd == 0.0:
                        x = share if d + noise[start + r] > 0.0 else 0.0
                    else:  # sigma by Pade's tanh
                        half = min(max(0.5 * (d + sd * noise[start + r]), -3.0), 3.0)
                        x = share * (0.5 + 0.5 * half * (27.0 + half * half) / (27.0 + 9.0 * half * half))
                    w[i, r] += x
                    w[j, r] += share - x
    for i in range(n):
        w[i] /= max(asked[i], 1.0)


@unchecked_kernel
def _tell(
    i: int, j: int, d: float, sd: float, mean: Floats, sigma: Floats, log_weight: Floats, of_part: Ints, s: Floats
) -> None:
    """Condition the parts of the posterior, and the draws of each, on who of i and j has d > 0, or on d within sd."""
    n, draws = s.shape
    move = np.empty(draws)
    for g in range(len(mean)):
        m, v = mean[g, i] - mean[g, j], sigma[g, i, i] + sigma[g, j, j] - 2.0 * sigma[g, i, j]
        if sd == 0.0:
            sign, root = (1.0 if d > 0.0 else -1.0), math.sqrt(PROBIT * PROBIT + v)
            u = sign * m / root
            hazard = -u
            if u > FAR:
                chance = 0.5 * math.erfc(-u / math.sqrt(2.0))
                hazard = math.exp(-0.5 * u * u) / math.sqrt(2.0 * math.pi) / chance
                log_weight[g] += math.log(chance)
            else:
                log_weight[g] -= 0.5 * u * u + math.log(-u * math.sqrt(2.0 * math.pi))
            shift, fall = sign * hazard / root, hazard * (hazard + u) / (root * root)
        else:
            shift, fall = (d - m) / (v + sd * sd), 1.0 / (v + sd * sd)
            log_weight[g] -= 0.5 * (math.log(v + sd * sd) + (d - m) ** 2 / (v + sd * sd))
        column = sigma[g, :, i] - sigma[g, :, j]
        shrink = math.sqrt(max(1.0 - fall * v, 0.0))
        start, end = of_part[g], of_part[g + 1]
        for r in range(start, end):
            now = s[i, r] - s[j, r]
            move[r] = (m + shift * v + (now - m) * shrink - now) / v
        for a in range(n):
            mean[g, a] += shift * column[a]
            for b in range(n):
                sigma[g, a, b] -= fall * column[a] * column[b]
            for r in range(start, end):
                s[a, r] += column[a] * move[r]


@unchecked_kernel
def _weigh(log_weight: Floats, of_part: Ints, weight: Floats) -> None:
    """Write the weights of the draws into (R,) `weight`."""
    share = np.exp(log_weight - log_weight.max())
    share /= share.sum()
    for g in range(len(share)):
        weight[of_part[g] : of_part[g + 1]] = share[g] / (of_part[g + 1] - of_part[g])


@unchecked_kernel
def _doubts(w: Floats, weight: Floats, pairs: Bools, k: int, doubt: Floats) -> tuple[float, float]:
    """Write into (N, N) `doubt` how likely the order of each pair of the goal is the other one; -1 for other pairs.

    Returns: how likely all are in order at once, and the mean share that is.
    """
    n, draws = w.shape
    mean = np.zeros(n)
    for i in range(n):
        for r in range(draws):
            mean[i] += weight[r] * w[i, r]
    place = np.argsort(np.argsort(-mean))
    all_right = np.ones(draws)
    total, count = 0.0, 0
    for i in range(n):
        doubt[i, i] = -1.0
        for j in range(i):
            doubt[i, j] = doubt[j, i] = -1.0
            if (place[i] < k) == (place[j] < k) if k else not pairs[i, j]:
                continue
            above, below = (i, j) if place[i] < place[j] else (j, i)
            wrong, tied, are_tied = 0.0, 0.0, mean[above] - mean[below] <= ROUNDING
            for r in range(draws):
                lead = w[above, r] - w[below, r]
                if lead < -ROUNDING:
                    wrong += weight[r]
                    all_right[r] = 0.0
                elif lead <= ROUNDING and not are_tied:
                    tied += weight[r]
                    all_right[r] *= k > 0
            doubt[i, j] = doubt[j, i] = wrong + (tied if k == 0 else 0.0)
            total += 1.0 - wrong - 0.5 * tied
            count += 1
    return (all_right * weight).sum(), total / max(count, 1)


@unchecked_kernel
def _next_pair(doubt: Floats, left: Ints, mean: Floats) -> tuple[int, int]:
    """The open pair of the goal in most doubt; else, of those with who is in most doubt, the closest; else any."""
    n = len(doubt)
    first, second, most, closest = -1, -1, 0.0, np.inf
    one, other, worst = 0, 0, -1.0
    for i in range(n):
        for j in range(i):
            if doubt[i, j] > worst:
                one, other, worst = i, j, doubt[i, j]
            if left[i, j] > 0 and doubt[i, j] > most:
                first, second, most = i, j, doubt[i, j]
    if first >= 0:
        return first, second
    for only_theirs in (True, False):
        for i in range(n):
            for j in range(i):
                is_theirs = i in (one, other) or j in (one, other)
                if left[i, j] > 0 and (is_theirs or not only_theirs) and abs(mean[i] - mean[j]) < closest:
                    first, second, closest = i, j, abs(mean[i] - mean[j])
        if first >= 0:
            break
    return first, second


@unchecked_kernel
def verdicts_needed(
    truth: Floats,
    sd: float,
    mean: Floats,
    sigma: Floats,
    weight: Floats,
    of_part: Ints,
    s: Floats,
    said: Floats,
    left: Ints,
    asked: Floats,
    noise: Floats,
    at: Ints,
    so_far: int,
    pairs: Bools,
    k: int,
    claim: float,
    share: float,
) -> Floats:
    """(F,) verdicts that each future takes, in which (F, N) `truth` are the scores.

    Args:
        sd: of a measurement's error, 0 of votes.
        mean, sigma, weight: (G, N), (G, N, N), (G,) the parts of the posterior.
        of_part, s: (G + 1,) where the draws of each part begin in the (N, R) draws.
        said, left: (N, N) the sum of the verdicts that i is better than j, and how many there are to come.
        asked: (N,) verdicts on each candidate in the whole round.
        so_far: verdicts that sd was learnt from; those of a future, which have no errors, bring it down.
        noise, at: errors of verdicts, and (N, N) where those on a pair begin.
        pairs, k: (N, N) the pairs of the goal, or those across the first k, if k > 0.
        claim, share: the probability of all the pairs at once, and the mean share of them, of which one suffices.
    """
    futures, n = truth.shape
    needed, w, doubt, of_draw = np.empty(futures), np.empty(s.shape), np.empty((n, n)), np.empty(s.shape[1])
    for f in range(futures):
        m, c, log_weight, draws = mean.copy(), sigma.copy(), np.log(weight), s.copy()
        known, still = said.copy(), left.copy()
        verdicts, batch, to_come = 0, 0, np.triu(left).sum()
        while to_come > 0:
            _weigh(log_weight, of_part, of_draw)
            error = sd * math.sqrt(so_far / (so_far + verdicts))
            _count(draws, known, still, asked, error, noise, at, w)
            sure, right = _doubts(w, of_draw, pairs, k, doubt)
            if verdicts > 0 and (sure >= claim or right >= share):
                break
            batch = min(max(1, n // (2 * STEADY), verdicts // STEADY), to_come)
            for _ in range(batch):
                i, j = _next_pair(doubt, still, m[np.argmax(log_weight)])
                d = truth[f, i] - truth[f, j]
                verdict = (1.0 if d > 0.0 else 0.0) if sd == 0.0 else 1.0 / (1.0 + math.exp(-d))
                _tell(i, j, d, error, m, c, log_weight, of_part, draws)
                known[i, j] += verdict
                known[j, i] += 1.0 - verdict
                still[i, j] -= 1
                still[j, i] -= 1
                doubt[i, j] = doubt[j, i] = 0.0
            verdicts += batch
            to_come -= batch
        needed[f] = verdicts - (batch - 1) // 2
    return needed
