"""Evidence that verdicts depend on what is compared, valid however often one looks (an e-process).

Verdict k of judge j names the first, z_k = 1, or the second, z_k = 0. Nothing depends on the texts if each judge names
the first with a probability b_j of its own, whatever it is shown and was shown before. Against that, verdicts are
foretold from those before them (fitting/foresight.py), once for each scale c:

    E_K = mean_c prod_k P(z_k | c, before k) / prod_j sup_b prod_(k of j) b^z_k (1 - b)^(1 - z_k)

The best b_j in hindsight is no worse than the true one, so E is at most a product of likelihood ratios, which is a
martingale with mean 1 whatever chose the pairs and their order. By Ville's inequality P(ever E >= 1 / alpha) <= alpha
(universal inference: Wasserman, Ramdas, Balakrishnan 2020). A judge who always names one position is foretold as
well by b, and gives none.

A judge's first verdict on a pair counts, later ones do not: who repeats itself says nothing new. Ties do not count.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, xlogy

from app.inference.fitting.foresight import SCALES, foresee, log_likelihoods, logits
from app.inference.types import Bools, Comparisons, Floats, Ints
from app.inference.verdicts import directions, numbered, pair_numbers

CLAIMED = 20.0  # E from which on a signal is claimed: 1 / alpha, alpha = 0.05
LARGEST = 700.0  # log E that is told apart


class Signal(NamedTuple):
    e_value: float  # E; 1 before the first verdict
    claimed: bool
    verdicts: int  # that count


def signal_of(comparisons: Comparisons, n: int, item: Ints) -> Signal:
    """Evidence of the whole log; `item` (K,) is what each comparison was about, p is raw."""
    log_e = float(log_evidence(comparisons, n, item)[-1]) if comparisons.size else 0.0
    e_value = float(np.exp(min(log_e, LARGEST)))
    return Signal(e_value, e_value >= CLAIMED, int(counting(comparisons, n, item).sum()))


def log_evidence(comparisons: Comparisons, n: int, item: Ints) -> Floats:
    """(K,) log E after each comparison."""
    counts, first_won = counting(comparisons, n, item), comparisons.p > 0.5
    foretold = np.where(counts, log_likelihoods(logits(foresee(comparisons, n)), first_won), 0.0).cumsum(axis=1)
    by_position = _most_likely_habits(first_won & counts, counts, comparisons.judge)
    return np.asarray(logsumexp(foretold, axis=0) - np.log(len(SCALES)) - by_position)


def counting(comparisons: Comparisons, n: int, item: Ints) -> Bools:
    """(K,) the verdicts that count."""
    question = numbered(comparisons.judge, item, pair_numbers(comparisons, n))
    counts: Bools = np.zeros(comparisons.size, np.bool_)
    counts[np.unique(question, return_index=True)[1]] = True
    return np.asarray(counts & (directions(comparisons.p - 0.5) != 0.0))


def _most_likely_habits(first_won: Bools, counts: Bools, judge: Ints) -> Floats:
    """(K,) log of the denominator after each comparison, by running counts of each judge."""
    by_judge = np.argsort(judge, kind="stable")
    begins = np.r_[True, np.diff(judge[by_judge]) > 0] if len(judge) else np.empty(0, np.bool_)
    won, of = (_running(values[by_judge], begins) for values in (first_won, counts))
    total = np.maximum(of, 1.0)
    likelihood = xlogy(won, won / total) + xlogy(of - won, (of - won) / total)
    steps = np.empty(len(judge))
    steps[by_judge] = np.diff(likelihood, prepend=0.0) + np.where(begins, np.r_[0.0, likelihood[:-1]], 0.0)
    return steps.cumsum()


def _running(values: Bools, begins: Bools) -> Floats:
    """(K,) sums from where each group begins, up to and with each place."""
    sums = values.cumsum(dtype=np.float64)
    before = np.where(begins, sums - values, 0.0)
    return sums - np.maximum.accumulate(before)
