"""Judges whose probabilities pile up at one value vote; those who measure go on measuring."""

import numpy as np
import pytest
from scipy.special import expit, logit

from app.inference.experts import is_vote
from app.inference.fitting.absolute import no_absolute_scores
from app.inference.fitting.measurements import FARTHEST, LEAST_NOISE, as_votes, log_odds_of_words
from app.inference.fitting.model import Method
from app.inference.fitting.published import publish
from app.inference.types import Comparisons, Floats, Ints, by_one_judge, join

N = 16


def one_item(log: Comparisons) -> Ints:
    return np.zeros(log.size, np.int64)


def differences(count: int, seed: int, error: float = 0.0) -> tuple[Ints, Ints, Floats]:
    """Random pairs in random order, and what a judge reads of them."""
    rng = np.random.default_rng(seed)
    s, pairs = rng.standard_normal(N), np.array([(i, j) for i in range(N) for j in range(i)])
    first, second = rng.permuted(rng.permutation(pairs)[:count], axis=1).T
    return first, second, s[first] - s[second] + error * rng.standard_normal(count)


@pytest.mark.parametrize("error", [0.5, 1.5])
@pytest.mark.parametrize("count", [20, 50])
def test_probabilities_with_errors_stay_measurements(count: int, error: float) -> None:
    for seed in range(8):
        first, second, d = differences(count, seed, error)
        log = by_one_judge(first, second, expit(d))
        assert as_votes(log, one_item(log)).p is not log.p
        assert (as_votes(log, one_item(log)).p == log.p).all()


@pytest.mark.parametrize("error", [0.0, 1.5])
@pytest.mark.parametrize("count", [3, 30])
def test_probabilities_at_the_ends_become_votes(count: int, error: float) -> None:
    """All of them .999 and .001, or between .998 and .9995 and as far from 0."""
    for seed in range(4):
        first, second, d = differences(count, seed, error)
        with_jitter = logit(np.random.default_rng(seed).uniform(0.998, 0.9995, count))
        for length in (np.full(count, logit(0.999)), with_jitter):
            log = by_one_judge(first, second, expit(np.sign(d) * length))
            assert (as_votes(log, one_item(log)).p == (d > 0.0)).all()


@pytest.mark.parametrize("digits", [2, 4])
def test_what_is_rounded_to_the_ends_is_looked_at_with_the_rest(digits: int) -> None:
    """A judge whose logits are sixteen times the differences votes in whole; one who measures keeps its 0 and 1."""
    for seed in range(4):
        first, second, d = differences(60, seed, 1.0)
        sharp, soft = (by_one_judge(first, second, np.round(expit(gain * d), digits)) for gain in (16.0, 2.0))
        assert 0.1 < is_vote(sharp.p).mean() < 1.0
        assert (as_votes(sharp, one_item(sharp)).p == np.where(sharp.p == 0.5, 0.5, sharp.p > 0.5)).all()
        assert (as_votes(soft, one_item(soft)).p == soft.p).all()


def test_each_judge_is_looked_at_alone_and_votes_stay_votes() -> None:
    (first, second, d), (first_2, second_2, d_2) = differences(30, 1, 0.5), differences(20, 2)
    reads, says = (
        by_one_judge(first, second, expit(d)),
        by_one_judge(first_2, second_2, np.where(d_2 > 0, 0.999, 0.001)),
    )
    says = says._replace(judge=says.judge + 1, p=np.append(says.p[:-2], [0.5, 1.0]))
    log = join(reads, says)
    p = as_votes(log, one_item(log)).p
    assert (p[:30] == log.p[:30]).all()
    assert (p[30:48] == (d_2[:18] > 0)).all()
    assert (p[48:] == [0.5, 1.0]).all()


def test_repeats_and_other_names_change_nothing() -> None:
    first, second, d = differences(12, 3, 1.0)
    log, order = by_one_judge(first, second, expit(d)), np.random.default_rng(3).permutation(N)
    odds = log_odds_of_words(log, one_item(log))
    twice, renamed = join(log, log), log._replace(first=order[first], second=order[second])
    assert log_odds_of_words(twice, one_item(twice)) == pytest.approx(odds)
    assert log_odds_of_words(renamed, one_item(renamed)) == pytest.approx(odds, abs=1e-6)


def test_odds_are_those_of_the_integrals() -> None:
    """Of two answers that share a candidate, by draws of everything from its prior."""
    y, size = np.array([1.7, -0.4]), 400_000
    z = np.random.default_rng(5).standard_normal((6, size))
    sigma2 = LEAST_NOISE + np.exp(2.5 * z[0])
    tau2 = sigma2 * np.exp(-0.5 + 2.5 * z[1])
    a, b = 2.0 * tau2 + sigma2, tau2
    squares = (a * (y @ y) - 2.0 * b * y[0] * y[1]) / (a**2 - b**2)
    measured = np.mean(np.exp(-0.5 * squares) / (2.0 * np.pi * np.sqrt(a**2 - b**2)))
    s = np.exp(0.5 * (-0.5 + 2.5 * z[1])) * z[2:5]
    voted = np.mean(expit(s[0] - s[1]) * expit(s[2] - s[0]))
    v, mean = LEAST_NOISE + np.exp(2.5 * z[0]), FARTHEST * z[5]
    said = np.mean(np.exp(-0.5 * ((np.abs(y) - mean[:, None]) ** 2).sum(axis=1) / v) / (2.0 * np.pi * v))
    log = by_one_judge(np.array([0, 0]), np.array([1, 2]), expit(y))
    assert log_odds_of_words(log, one_item(log)) == pytest.approx(np.log(voted * said / measured), abs=0.05)


def test_only_where_it_is_asked_for() -> None:
    first, second, d = differences(30, 4)
    log = by_one_judge(first, second, np.where(d > 0.0, 0.999, 0.001))
    in_words = log._replace(p=(d > 0.0).astype(float))
    scores = [
        publish(
            each, one_item(log), no_absolute_scores(), Method(verdict_weight="learnt"), N, 1, saturated_as_votes=asked
        ).scores
        for each, asked in ((log, True), (in_words, False), (log, False))
    ]
    assert scores[0].mean == pytest.approx(scores[1].mean)
    assert np.abs(scores[2].mean - scores[1].mean).max() > 0.1
