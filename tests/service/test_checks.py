"""Whom the check of cycles doubts, by simulation: every pair of 11 candidates once, seeds stated."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import expit

from app.inference.reporting.diagnostics import circulation
from app.inference.types import Floats, Ints, by_one_judge
from app.service.checks.ranking import RARE

N, LOGS = 11, 60
Judge = Callable[[np.random.Generator, Ints, Ints], Floats]  # p of what is shown first and second


def doubted(judge: Judge) -> float:
    """Share of logs."""
    doubts = 0
    for seed in range(LOGS):
        rng, pairs = np.random.default_rng([15, seed]), np.array(np.triu_indices(N, 1))
        first, second = np.where(rng.random(pairs.shape[1]) < 0.5, pairs, pairs[::-1])
        log = by_one_judge(first, second, judge(rng, first, second))
        doubts += circulation(log, N, rng).at_random <= RARE
    return doubts / LOGS


def errs(sd: float) -> Judge:
    def judge(rng: np.random.Generator, first: Ints, second: Ints) -> Floats:
        s = rng.normal(0.0, sd, N)
        return np.asarray(rng.random(len(first)) < expit(s[first] - s[second]), np.float64)

    return judge


def gives_probabilities(noise: float, temperature: float) -> Judge:
    def judge(rng: np.random.Generator, first: Ints, second: Ints) -> Floats:
        s = rng.standard_normal(N)
        logit = s[first] - s[second] + noise * rng.standard_normal(len(first))
        return np.asarray(expit(logit / temperature), np.float64)

    return judge


def is_cyclic(right: float) -> Judge:
    """Each candidate beats the half of a circle before it, in this share of its pairs."""

    def judge(rng: np.random.Generator, first: Ints, second: Ints) -> Floats:
        place = rng.permutation(N)
        beats, errs = (place[second] - place[first]) % N < N / 2, rng.random(len(first)) >= right
        return np.asarray(beats != errs, np.float64)

    return judge


def plays_rock_paper_scissors(sure: float) -> Judge:
    """Each of three groups beats the next; within a group there is an order."""

    def judge(rng: np.random.Generator, first: Ints, second: Ints) -> Floats:
        name = rng.permutation(N)
        ahead = (name[first] - name[second]) % 3
        return np.where((ahead == 1) | ((ahead == 0) & (name[first] < name[second])), sure, 1.0 - sure)

    return judge


@pytest.mark.parametrize("sd", [0.0, 0.2, 1.0, 3.0])
def test_honest_judges_who_err_by_chance_are_rarely_doubted(sd: float) -> None:
    assert doubted(errs(sd)) <= 0.07


@pytest.mark.parametrize(("noise", "temperature"), [(1.0, 1.0), (2.0, 0.3)])
def test_honest_judges_who_give_probabilities_are_rarely_doubted(noise: float, temperature: float) -> None:
    assert doubted(gives_probabilities(noise, temperature)) <= 0.07


@pytest.mark.parametrize("judge", [is_cyclic(1.0), is_cyclic(0.9), plays_rock_paper_scissors(0.9)])
def test_cycles_are_doubted(judge: Judge) -> None:
    assert doubted(judge) >= 0.75
