"""One verdict from those of several judges on the same items (SA algorithms 1 to 3).

    y_nkc   judge k's probability of class c for item n
    v_nkb   its vote: 1 for the class b = argmax_c y_nkc, shared alike among classes that are equal; 0 for all classes
            where the judge gave no answer

An answer gives probabilities, or names a class, or is a tie of all: then y_nkc is 1 for the class named, or 1 / C for
each. Ties that are to be a class of their own are named as one.

    average          P(c | n) = mean over k of y_nkc
    majority         P(c | n) = share of the votes for c
    Dawid-Skene      votes by confusion matrix A_k of their judge, A_kcb = P(vote for b | c_n = c), and c_n ~ pi:
                     E   log P(c | n) = log pi_c + sum_kb v_nkb log A_kcb + constant
                     M   pi_c = (1 + sum_n P(c | n)) / (C + N),
                         A_kcb = (sum_n P(c | n) v_nkb + prior votes) / their sum over b
                     from the majority on, until no probability moves by more than TOLERANCE

SA 3.1 has b = 1[y > 0.5], by which a judge that cannot tell says no, and so does a majority that is tied: whoever swaps
the two classes' names gets another truth. Half a vote for each has no side. SA 3.1 also takes both classes for equally
frequent, pi_c = 1/C. To have all three to the letter is `to_first` of votes and labels, the first of equal classes
being no, and `equal_shares` of dawid_skene.

Classes are only known up to their names. If other names fit the judges' own words better (a larger trace of all
confusion matrices together), the classes are renamed. A few prior votes keep every judge fallible and, where there are
few items, better than chance: an EM without them may turn any minority into the truth.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from app.inference.types import Bools, Convergence, Floats, Ints

TOLERANCE, MAX_ITERATIONS = 1e-6, 10_000
RIGHT, WRONG = 2.0, 1.0  # votes of each class that every judge is assumed to have got right, and given each other one
ONE_SIDED = 0.95  # share of one class from which on a judge says always the same
EQUAL = 1e-9  # of probabilities that count as tied
UNKNOWN, TIE = -1, -2  # in place of the number of a class

Probabilities = NDArray[np.float64]  # (N, K, C), NaN for a judge without an answer
Votes = NDArray[np.float64]  # (N, K, C) v_nkb
Labels = NDArray[np.float64]  # (N, C) share of the people who gave item n class c; zeros where nobody labelled it


class Latent(NamedTuple):
    """The latent classes that explain the votes, as Dawid and Skene have them."""

    pi: Floats  # (C,)
    confusion: Floats  # (K, C, C) A_kcb
    counts: Floats  # (K, C) votes that each row of A rests on, those of the prior included


class Aggregate(NamedTuple):
    """The judges' common answers. The confusion matrix of a judge without an answer is the prior's."""

    probability: Floats  # (N, C)
    confusion: Floats | None = None  # (K, C, C), A_kcb, where judges are distinguished
    convergence: Convergence | None = None

    def labels(self, rng: np.random.Generator, *, to_first: bool = False) -> Ints:
        """(N,) the likeliest classes; ties are broken at random, so that no class is favoured, or go to the first."""
        best = votes(self.probability) > 0.0
        return np.asarray(np.argmax(best if to_first else best * rng.random(best.shape), axis=1), dtype=np.int64)


def binary(y: Floats) -> Probabilities:
    """(N, K, 2) from the (N, K) probabilities of class 1."""
    return np.stack([1.0 - y, y], axis=-1)


def answers_of(number: Ints, classes: int) -> Probabilities:
    """(N, K, C) of the numbers (N, K) of the classes that judges name, or TIE; NaN where UNKNOWN."""
    y = np.full((*number.shape, classes), np.nan)
    named = number >= 0
    y[named] = np.eye(classes)[number[named]]
    y[number == TIE] = 1.0 / classes
    return y


def votes(y: Probabilities, *, to_first: bool = False) -> Votes:
    """Each judge's votes on each item; half for each of two classes that it gives 0.5, or one for the first.

    Of the (N, C) answers of one it is votes (N, C).
    """
    answered = ~np.isnan(y).any(axis=-1, keepdims=True)
    best = answered & (y >= y.max(axis=-1, keepdims=True) - EQUAL)
    if to_first:
        best &= best.cumsum(axis=-1) == 1
    return np.asarray(best / np.maximum(best.sum(axis=-1, keepdims=True), 1))


def share_right(v: Floats, truth: Ints) -> float | None:
    """Share of the items of known truth (N,) that the votes (N, C) name, shares of votes included. None of nothing."""
    known = (truth != UNKNOWN) & v.any(axis=1)
    return float(v[known, truth[known]].mean()) if known.any() else None


def is_labelled(labels: Labels) -> Bools:
    """(N,) items that people labelled."""
    return np.asarray(labels.any(axis=1))


def with_labels(group: Aggregate, labels: Labels) -> Aggregate:
    """Labelled items have people's classes, whatever the judges say."""
    return group._replace(probability=np.where(is_labelled(labels)[:, None], labels, group.probability))


def one_sided(v: Votes) -> Bools:
    """(K,) judges whose votes are next to all of one class: they tell nothing of any item."""
    counts = v.sum(axis=0)
    return np.asarray(counts.max(axis=1) >= ONE_SIDED * np.maximum(counts.sum(axis=1), 1.0))


def average(y: Probabilities) -> Aggregate:
    """Items that nobody judged have every class alike."""
    return majority(np.where(np.isnan(y).any(axis=2, keepdims=True), 0.0, y))


def majority(v: Votes) -> Aggregate:
    """Items that nobody judged have every class alike."""
    counts = v.sum(axis=1)
    total = counts.sum(axis=1, keepdims=True)
    return Aggregate(np.where(total > 0.0, counts / np.where(total > 0.0, total, 1.0), 1.0 / v.shape[2]))


def dawid_skene(v: Votes, *, equal_shares: bool = False) -> Aggregate:
    """Items that nobody judged have the classes' overall shares, estimated or `equal_shares`.

    Items with the same votes are fitted as one, which counts for all of them.
    """
    n, judges, classes = v.shape
    rows, kind, count = np.unique(v.reshape(n, judges * classes), axis=0, return_inverse=True, return_counts=True)
    kinds, items = rows.reshape(len(rows), judges, classes), count[:, None]

    def step(p: Floats) -> Floats:
        return expected(kinds, estimated(kinds, items * p, equal_shares=equal_shares))

    p, convergence = fixed_point(majority(kinds).probability, step, TOLERANCE)
    confusion = estimated(kinds, items * p).confusion
    names = _names(confusion)
    return Aggregate(p[kind][:, names], confusion[:, names], convergence)


def fixed_point(p: Floats, step: Callable[[Floats], Floats], tolerance: float) -> tuple[Floats, Convergence]:
    """P(c | n), (N, C), once a step, E after M, moves no probability by more than the tolerance."""
    iterations, moved = 0, np.inf
    while moved > tolerance and iterations < MAX_ITERATIONS:
        new = step(p)
        moved, p, iterations = float(np.abs(new - p).max(initial=0.0)), new, iterations + 1
    return p, Convergence.of(moved, iterations, tolerance)


def estimated(v: Votes, p: Floats, *, equal_shares: bool = False) -> Latent:
    """The M step. Items count for the sum of their row of `p` (N, C); `equal_shares` are those of all classes."""
    n, judges, classes = v.shape
    counts = (p.T @ v.reshape(n, judges * classes)).reshape(classes, judges, classes).swapaxes(0, 1)
    counts = counts + np.where(np.eye(classes) > 0.0, RIGHT, WRONG)
    votes_of_class = counts.sum(axis=2)
    pi = np.full(classes, 1.0 / classes) if equal_shares else (1.0 + p.sum(axis=0)) / (classes + p.sum())
    return Latent(pi, counts / votes_of_class[:, :, None], votes_of_class)


def expected(v: Votes, latent: Latent, count: Floats | float = 1.0) -> Floats:
    """The E step, P(c | n), in log space: hundreds of judges do not underflow.

    Args: `count` (K,) is how many votes one of each judge counts for.
    """
    judges, classes, _ = latent.confusion.shape
    log_a = np.log(latent.confusion).swapaxes(1, 2) * np.reshape(count, (-1, 1, 1))
    evidence = v.reshape(len(v), judges * classes) @ log_a.reshape(judges * classes, classes)
    return np.asarray(softmax(np.log(latent.pi) + evidence, axis=1))


def _names(confusion: Floats) -> Ints:
    """(C,) which estimated class goes by each name, so that judges are right as often as they can be."""
    from scipy.optimize import linear_sum_assignment  # slow to load, and few need it

    estimated, name = linear_sum_assignment(-confusion.sum(axis=0))
    return np.asarray(estimated[np.argsort(name)], dtype=np.int64)
