"""One verdict from those of several judges on the same items (SA algorithms 1 to 3).

    y_nkc   judge k's probability of class c for item n
    b_nk    its class, argmax_c y_nkc; -1 where the judge has not said anything

    average          P(c | n) = mean over k of y_nkc
    majority         P(c | n) = share of the judges with b_nk = c
    Dawid-Skene      b_nk ~ confusion matrix A_k of its judge, A_kcb = P(b_nk = b | c_n = c), and c_n ~ pi:
                     E   log P(c | n) = log pi_c + sum_k log A_k,c,b_nk + constant
                     M   pi_c = (1 + sum_n P(c | n)) / (C + N),
                         A_kcb = (sum_n P(c | n) 1[b_nk = b] + prior votes) / their sum over b
                     from the majority on, until no probability moves by more than TOLERANCE

Classes are only known up to their names: if other names fit the judges' own words better (a larger trace of all
confusion matrices together), the classes are renamed. A few prior votes keep every judge fallible and, where there
are few items, better than chance: an EM without them may turn any minority into the truth.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax

from app.inference.types import Bools, Convergence, Floats, Ints, Outcome

TOLERANCE, MAX_ITERATIONS = 1e-6, 10_000
RIGHT, WRONG = 2.0, 1.0  # votes of each class that every judge is believed to have got right, and given each other one
ONE_SIDED = 0.95  # share of one class from which on a judge says always the same
EQUAL = 1e-9  # of probabilities that count as tied

Probabilities = NDArray[np.float64]  # (N, K, C), NaN for a judge who has not said anything


class Aggregate(NamedTuple):
    """What the judges say together. The confusion matrix of a judge who said nothing is the prior's."""

    probability: Floats  # (N, C)
    confusion: Floats | None = None  # (K, C, C), A_kcb, where judges are told apart
    convergence: Convergence | None = None

    def labels(self, rng: np.random.Generator) -> Ints:
        """(N,) the likeliest classes; ties are broken at random, so that no class is favoured."""
        best = self.probability >= self.probability.max(axis=1, keepdims=True) - EQUAL
        return np.asarray(np.argmax(best * rng.random(best.shape), axis=1), dtype=np.int64)


def binary(y: Floats) -> Probabilities:
    """(N, K, 2) from the (N, K) probabilities of class 1."""
    return np.stack([1.0 - y, y], axis=-1)


def votes(y: Probabilities) -> Ints:
    """(N, K) b_nk. A judge who gives both of two classes 0.5 votes for class 0 (SA 3.1: b = 1[y > 0.5])."""
    said = ~np.isnan(y).any(axis=2)
    return np.where(said, np.argmax(np.nan_to_num(y), axis=2), -1)


def one_sided(b: Ints, classes: int) -> Bools:
    """(K,) judges whose votes are next to all of one class: they tell nothing of any item."""
    counts = one_hot(b, classes).sum(axis=0)
    return np.asarray(counts.max(axis=1) >= ONE_SIDED * np.maximum(counts.sum(axis=1), 1.0))


def average(y: Probabilities) -> Aggregate:
    """Items that nobody judged have every class alike."""
    said = ~np.isnan(y).any(axis=2, keepdims=True)
    total = np.where(said, y, 0.0).sum(axis=1)
    return Aggregate(_normalised(total))


def majority(b: Ints, classes: int) -> Aggregate:
    """Items that nobody judged have every class alike."""
    return Aggregate(_normalised(one_hot(b, classes).sum(axis=1)))


def dawid_skene(b: Ints, classes: int) -> Aggregate:
    """Items that nobody judged have the classes' overall shares."""
    hot, p = one_hot(b, classes), majority(b, classes).probability
    outcome, iterations, moved = Outcome.MAX_ITERATIONS, 0, np.inf
    while iterations < MAX_ITERATIONS and outcome is not Outcome.CONVERGED:
        new = _expected(hot, *_estimated(hot, p))
        moved, p, iterations = float(np.abs(new - p).max(initial=0.0)), new, iterations + 1
        outcome = Outcome.CONVERGED if moved <= TOLERANCE else outcome
    _, confusion = _estimated(hot, p)
    names = _names(confusion)
    return Aggregate(p[:, names], confusion[:, names], Convergence(outcome, iterations, moved))


def one_hot(b: Ints, classes: int) -> Floats:
    """(..., C), zero where nothing was said."""
    return np.asarray(b[..., None] == np.arange(classes), dtype=np.float64)


def _normalised(weights: Floats) -> Floats:
    """Rows that sum to one; rows of zeros become uniform."""
    total = weights.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), 1.0 / weights.shape[1])


def _estimated(hot: Floats, p: Floats) -> tuple[Floats, Floats]:
    """pi (C,) and A (K, C, C)."""
    n, judges, classes = hot.shape
    counts = (p.T @ hot.reshape(n, judges * classes)).reshape(classes, judges, classes).swapaxes(0, 1)
    counts = counts + np.where(np.eye(classes) > 0.0, RIGHT, WRONG)
    return (1.0 + p.sum(axis=0)) / (classes + n), counts / counts.sum(axis=2, keepdims=True)


def _expected(hot: Floats, pi: Floats, confusion: Floats) -> Floats:
    """P(c | n), in log space: hundreds of judges do not underflow."""
    judges, classes, _ = confusion.shape
    told = np.log(confusion).swapaxes(1, 2).reshape(judges * classes, classes)
    return np.asarray(softmax(np.log(pi) + hot.reshape(len(hot), judges * classes) @ told, axis=1))


def _names(confusion: Floats) -> Ints:
    """(C,) which estimated class goes by each name, so that judges are right as often as they can be."""
    estimated, name = linear_sum_assignment(-confusion.sum(axis=0))
    return np.asarray(estimated[np.argsort(name)], dtype=np.int64)
