"""Whom the check of cycles doubts, by simulation: every pair of 12 candidates, 60 logs, seeds stated."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import expit

from app.inference.covariance import dense
from app.inference.fitting import posterior
from app.inference.fitting.model import Method, build, differences
from app.inference.reporting.cycles import cycles, expected_cycles
from app.inference.types import Floats, Ints, by_one_judge
from app.service.trust import CYCLIC

N, LOGS = 12, 60
Judge = Callable[[np.random.Generator, Ints, Ints], Floats]  # p of what is shown first and second


def doubted(judge: Judge, times: int = 1) -> float:
    """Share of logs."""
    found = 0
    for seed in range(LOGS):
        rng, pairs = np.random.default_rng([15, seed]), np.tile(np.triu_indices(N, 1), times)
        first, second = np.where(rng.random(pairs.shape[1]) < 0.5, pairs, pairs[::-1])
        log, model = by_one_judge(first, second, judge(rng, first, second)), build(Method(), N)
        fit = posterior.fit(log, model)
        sigma = dense(fit.covariance)
        variance = sigma[first, first] + sigma[second, second] - 2.0 * sigma[first, second]
        (triads, cyclic, _), d = cycles(log, N), differences(fit.mean, log, model)
        usual = expected_cycles(log, d, variance, model.expert, N, triads)
        found += cyclic > usual.mean + CYCLIC * usual.sd
    return found / LOGS


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


def tosses_coins(sure: float) -> Judge:
    return lambda rng, first, second: np.where(rng.random(len(first)) < 0.5, sure, 1.0 - sure)


def goes_in_circles(sure: float) -> Judge:
    """Each of three groups beats the next, as in rock, paper, scissors; within a group there is an order."""

    def judge(rng: np.random.Generator, first: Ints, second: Ints) -> Floats:
        name = rng.permutation(N)
        ahead = (name[first] - name[second]) % 3
        return np.where((ahead == 1) | ((ahead == 0) & (name[first] < name[second])), sure, 1.0 - sure)

    return judge


@pytest.mark.parametrize(("sd", "times"), [(0.5, 1), (1.0, 1), (2.0, 1), (2.0, 3)])
def test_honest_judges_who_err_by_chance_are_rarely_doubted(sd: float, times: int) -> None:
    assert doubted(errs(sd), times) <= 0.07


@pytest.mark.parametrize(("noise", "temperature"), [(1.0, 1.0), (0.5, 0.5)])
def test_honest_judges_who_give_probabilities_are_rarely_doubted(noise: float, temperature: float) -> None:
    assert doubted(gives_probabilities(noise, temperature)) <= 0.07


@pytest.mark.parametrize("judge", [goes_in_circles(1.0), goes_in_circles(0.9), tosses_coins(0.9)])
def test_circles_and_confident_coins_are_doubted(judge: Judge) -> None:
    assert doubted(judge) >= 0.8
