"""Evidence that verdicts depend on what is compared, valid however often one looks (an e-process).

Verdict k of judge j names the first, z_k = 1, or the second, z_k = 0. Nothing depends on the texts if each judge names
the first with a probability b_j of its own, whatever it is shown and was shown before. Against that, verdicts are
predicted from those before them (fitting/prediction.py), once for each scale c:

    E_K = mean_c prod_k P(z_k | c, before k) / prod_j sup_b prod_(k of j) b^z_k (1 - b)^(1 - z_k)

The best b_j in hindsight is no worse than the true one, so E is at most a product of likelihood ratios, which is a
martingale with mean 1 whatever chose the pairs and their order. By Ville's inequality P(ever E >= 1 / alpha) <= alpha
(universal inference: Wasserman, Ramdas, Balakrishnan 2020). A judge who always names one position is predicted as
well by b, and gives none.

A judge's first verdict on a pair counts, later ones do not: who repeats itself says nothing new. Ties do not count.

That is about the prompts that were judged. On each of them a candidate may do well by chance, and all verdicts on the
prompt share it. Whether candidates differ on prompts to come is asked by prompt: if they do not, their effects on a
prompt are as likely the other way round. Verdicts of a prompt are predicted from those on earlier prompts alone, with
logits l_k, less their mean over what the same judge said of the prompt, so that a position bias cancels:

    E_M = mean_c prod_m 2 sigma(T_m),    T_m = sum over the verdicts k of prompt m of (2 z_k - 1) (l_k - mean of judge)

2 sigma(T) = 2 L(z) / (L(z) + L(1 - z)) compares the prompt's verdicts with all of them inverted. Where T is as
likely -T its mean is 1, at the end of each prompt: without position bias that is exact, with one it is nearly so. A
judge's only verdict on a prompt adds nothing to T. So E_K of the first verdict on each prompt alone, E_1, is taken
with it: these are independent of each other, and b_j stands for the position bias. The evidence is (E_M + E_1) / 2.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, xlogy

from app.inference.fitting.prediction import SCALES, log_likelihoods, logits, predict
from app.inference.types import Bools, Comparisons, Floats, Ints, take
from app.inference.verdicts import directions, numbered, pair_numbers

CLAIMED = 20.0  # E from which on a signal is claimed: 1 / alpha, alpha = 0.05
LARGEST = 700.0  # log E that is distinguished


class SignalTest(NamedTuple):
    e_value: float  # E; 1 before the first verdict
    claimed: bool
    verdicts: int  # that count


def signal_of(comparisons: Comparisons, n: int, item: Ints, *, new_items: bool = False) -> SignalTest:
    """Evidence of the whole log; `item` (K,) is what each comparison was about, p is raw.

    Args: `new_items` asks it of prompts to come, as for a ranking that is about them.
    """
    by = log_evidence_on_new_items if new_items else log_evidence
    log_e = float(by(comparisons, n, item)[-1]) if comparisons.size else 0.0
    e_value = float(np.exp(min(log_e, LARGEST)))
    return SignalTest(e_value, e_value >= CLAIMED, int(counting(comparisons, n, item).sum()))


def log_evidence(comparisons: Comparisons, n: int, item: Ints) -> Floats:
    """(K,) log E after each comparison."""
    return _log_evidence(comparisons, counting(comparisons, n, item), logits(predict(comparisons, n)))


def _log_evidence(comparisons: Comparisons, counts: Bools, bets: Floats) -> Floats:
    """(K,) log E_K of the verdicts that count, from the predicted logits (C, K)."""
    first_won = comparisons.p > 0.5
    predicted = np.where(counts, log_likelihoods(bets, first_won), 0.0).cumsum(axis=1)
    by_position = _most_likely_habits(first_won & counts, counts, comparisons.judge)
    return np.asarray(logsumexp(predicted, axis=0) - np.log(len(SCALES)) - by_position)


def log_evidence_on_new_items(comparisons: Comparisons, n: int, item: Ints) -> Floats:
    """(M,) log E after each prompt, in the order in which they came up."""
    _, begins, prompt = np.unique(item, return_index=True, return_inverse=True)
    came = np.argsort(np.argsort(begins))[prompt]
    order = np.argsort(came, kind="stable")
    log, prompt = take(comparisons, order), came[order]
    counts, predicted = counting(log, n, prompt), predict(log, n, prompt)
    of_inverted = _log_evidence_of_inverted(log, prompt, counts, logits(predicted._replace(bias=np.zeros(log.size))))
    of_first = _log_evidence_of_first(log, prompt, counts, logits(predicted))
    return np.asarray(np.logaddexp(of_inverted, of_first) - np.log(2.0))


def _log_evidence_of_inverted(log: Comparisons, prompt: Ints, counts: Bools, bets: Floats) -> Floats:
    """(M,) log E_M after each prompt, from the predicted logits (C, K) without position bias; 0 after the first."""
    bets = np.where(counts, bets, 0.0)
    by_judge = numbered(prompt, log.judge)
    of_judge = np.maximum(np.bincount(by_judge, counts), 1.0)
    signs = np.where(log.p > 0.5, 1.0, -1.0) * counts
    mean = np.array([np.bincount(by_judge, bet) for bet in bets]) / of_judge
    aligned = signs * (bets - mean[:, by_judge])
    of_prompts = np.array([np.bincount(prompt, each) for each in aligned])
    log_e = (np.log(2.0) - np.logaddexp(0.0, -of_prompts)).cumsum(axis=1)
    return np.asarray(logsumexp(log_e, axis=0) - np.log(len(SCALES)))


def _log_evidence_of_first(log: Comparisons, prompt: Ints, counts: Bools, bets: Floats) -> Floats:
    """(M,) log E_1 after each prompt, from the predicted logits (C, K)."""
    first_of_prompt = np.zeros(log.size, np.bool_)
    first_of_prompt[np.flatnonzero(counts)[np.unique(prompt[counts], return_index=True)[1]]] = True
    last_of_prompt = np.r_[np.flatnonzero(np.diff(prompt)), log.size - 1]
    return _log_evidence(log, first_of_prompt, bets)[last_of_prompt]


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
