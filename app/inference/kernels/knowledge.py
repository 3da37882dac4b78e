"""The knowledge gradient: what one more verdict is expected to add to the confidence of an order (methods 12).

An answer of expected weight w on the pair (i, j) moves the scores by u times a standard normal variable, and so the
difference of k and l by s_kl, with r_ij = e_i - e_j:

    u = Sigma r_ij sqrt(w / (1 + w v_ij))        s_kl = |u_k - u_l|

To the sum of |m_kl| = |mu_k - mu_l| over the pairs that matter it adds, in expectation,

    KG_ij = sum E |m'_kl| - |m_kl| = sum g(m_kl, s_kl)        g(m, s) = 2 (s phi(m / s) - |m| Phi(-|m| / s)) >= 0

g is below 1e-9 s, and counts as 0, where |m| > UNMOVED s. As most candidates move little, those that are near each
other are found in the order of the means. Only few pairs can be the best, by a bound that needs no exponential. Most of
the sum has i or j in it; as g is convex in s, the rest is at most

    sum over k, l of g(m_kl, |u_k| + |u_l|) <= 1/2 sum over k of Q_k(2 |u_k|)        Q_k(s) = sum over l of g(m_kl, s)

and g(m, s) = s h(|m| / s). h and Q_k are convex too: between points where they are known they lie below their chords.
Of fewer pairs than candidates no Q_k is made: all are summed.

    kernel               slow formula
    knowledge            the sum over all k < l that matter
    most_knowledge       its maximum
"""

import math

import numpy as np

from app.inference.kernels import kernel
from app.inference.types import Bools, Floats, Ints

UNMOVED = 6.0
POINTS = 24  # where Q is known, besides 0; closer to each other where s is small
CHORDS = 60  # of h, between 0 and UNMOVED
ROOT_TWO, ROOT_TWO_PI = math.sqrt(2.0), math.sqrt(2.0 * math.pi)


@kernel
def knowledge(first: Ints, second: Ints, moves: Floats, mean: Floats, order: Ints, kind: Ints, meets: Bools) -> Floats:
    """(L,) KG_ij of each of these pairs.

    Args:
        first, second: (L,) i and j.
        moves: (L, N) u of each.
        mean, order: (N,) of the scores, and who has them from the least to the largest.
        kind, meets: (N,) and (C, C), which pairs matter: those whose kinds meet.
    """
    gains = np.empty(len(first))
    for a in range(len(first)):
        gains[a] = _sum(first[a], second[a], moves[a], mean, kind, meets, order)
    return gains


@kernel
def most_knowledge(
    first: Ints, second: Ints, moves: Floats, mean: Floats, order: Ints, kind: Ints, meets: Bools, tie: float
) -> Floats:
    """(L,) KG_ij of the pairs that may be the best or tied with it, and no more than KG_ij of those that cannot.

    Args: those of `knowledge`; what is within a relative `tie` of the best is tied with it.
    """
    if len(first) < len(mean):
        return knowledge(first, second, moves, mean, order, kind, meets)
    bounds, gains, exactly = np.empty(len(first)), np.zeros(len(first)), np.empty(0)
    chords = np.array([_gain(UNMOVED * point / CHORDS, 1.0, exactly) for point in range(CHORDS + 1)])
    largest = 2.0 * np.abs(moves).max()
    most = _most_with_each(largest, mean, kind, meets, chords)
    for a in range(len(first)):
        i, j, u = first[a], second[a], moves[a]
        bounds[a] = _with_either(i, j, u, mean, kind, meets, chords) + _most_without_them(i, j, u, most, largest)
    best = 0.0
    for a in np.argsort(-bounds):
        if bounds[a] < best * (1.0 - 2.0 * tie):
            break
        gains[a] = _sum(first[a], second[a], moves[a], mean, kind, meets, order)
        best = max(best, gains[a])
    return gains


@kernel
def _sum(i: int, j: int, u: Floats, mean: Floats, kind: Ints, meets: Bools, order: Ints) -> float:
    """KG_ij."""
    with_either = _with_either(i, j, u, mean, kind, meets, np.empty(0))
    return with_either + _without_them(i, j, u, mean, kind, meets, order)


@kernel
def _with_either(i: int, j: int, u: Floats, mean: Floats, kind: Ints, meets: Bools, chords: Floats) -> float:
    """The part of the sum that has i or j in it; with `chords`, a bound of it."""
    total = _gain(mean[i] - mean[j], u[i] - u[j], chords) if meets[kind[i], kind[j]] else 0.0
    for k in range(len(mean)):
        if k != i and k != j:
            if meets[kind[i], kind[k]]:
                total += _gain(mean[i] - mean[k], u[i] - u[k], chords)
            if meets[kind[j], kind[k]]:
                total += _gain(mean[j] - mean[k], u[j] - u[k], chords)
    return total


@kernel
def _without_them(i: int, j: int, u: Floats, mean: Floats, kind: Ints, meets: Bools, order: Ints) -> float:
    """The part of the sum that has neither i nor j in it; `order` (N,) is that of the means."""
    exactly = np.empty(0)
    others = order[(order != i) & (order != j)]
    m, s, total = mean[others], u[others], 0.0
    for a in range(len(others)):
        reach = 2.0 * UNMOVED * abs(s[a])  # to those that move no more
        for step in (1, -1):
            b = a + step
            while 0 <= b < len(others) and abs(m[b] - m[a]) < reach:
                moves_less = abs(s[b]) < abs(s[a]) or (abs(s[b]) == abs(s[a]) and step > 0)
                if moves_less and meets[kind[others[a]], kind[others[b]]]:
                    total += _gain(m[b] - m[a], s[b] - s[a], exactly)
                b += step
    return total


@kernel
def _most_with_each(largest: float, mean: Floats, kind: Ints, meets: Bools, chords: Floats) -> Floats:
    """(N, POINTS + 1) a bound of Q_k at s = largest (point / POINTS)^2."""
    most = np.zeros((len(mean), POINTS + 1))
    for k in range(len(mean)):
        for other in range(k + 1, len(mean)):
            if meets[kind[k], kind[other]]:
                for point in range(1, POINTS + 1):
                    gain = _gain(mean[k] - mean[other], largest * (point / POINTS) ** 2, chords)
                    most[k, point] += gain
                    most[other, point] += gain
    return most


@kernel
def _most_without_them(i: int, j: int, u: Floats, most: Floats, largest: float) -> float:
    """1/2 sum of Q_k(2 |u_k|) over k other than i and j, along the chords of Q."""
    total = 0.0
    for k in range(len(u)):
        if k != i and k != j and u[k] != 0.0:
            place = POINTS * math.sqrt(2.0 * abs(u[k]) / largest)
            below = min(int(place), POINTS - 1)
            share = (place * place - below * below) / (2 * below + 1)
            total += 0.5 * (most[k, below] + share * (most[k, below + 1] - most[k, below]))
    return total


@kernel
def _gain(m: float, s: float, chords: Floats) -> float:
    """g(m, s), of either sign; with `chords`, h at (CHORDS + 1,) points, a bound of it."""
    m, s = abs(m), abs(s)
    if m >= UNMOVED * s:
        return 0.0
    z = m / s
    if len(chords):
        place = z * CHORDS / UNMOVED
        below = min(int(place), CHORDS - 1)
        return float(s * (chords[below] + (place - below) * (chords[below + 1] - chords[below])))
    return 2.0 * s * math.exp(-0.5 * z * z) / ROOT_TWO_PI - m * math.erfc(z / ROOT_TWO)
