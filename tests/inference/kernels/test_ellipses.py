"""Elliptical slices do what their slow formula does, with the same random numbers, and leave a normal as it is."""

import numpy as np
import pytest

from app.inference.core.design import NO_BIAS
from app.inference.gaussian import Votes
from app.inference.kernels import ellipses
from app.inference.kernels.ellipses import NARROWEST
from app.inference.types import Floats

D, N, M = 40, 5, 12


def votes_of(seed: int, *, biases: bool) -> Votes:
    rng = np.random.default_rng(seed)
    first = rng.integers(N, size=M)
    second, size = (first + rng.integers(1, N, size=M)) % N, N + 2 * biases
    wins, losses = rng.integers(3, size=M).astype(float), rng.choice([0.0, 0.7, 1.0], M)
    bias = N + rng.integers(2, size=M) if biases else NO_BIAS
    difference, slope = 3.0 * rng.standard_normal((2, M))
    return Votes(np.zeros(size), np.eye(size), first, second, bias, wins, losses, difference, slope, rng.random(M))


def slow_log_ratio(x: Floats, votes: Votes) -> Floats:
    """(D,) of (D, P) draws less the mean."""
    moved = x[:, votes.first] - x[:, votes.second] + (x[:, votes.bias] if len(votes.bias) else 0.0)
    d = votes.difference + moved
    of_votes = -np.logaddexp(0.0, -d) @ votes.wins - np.logaddexp(0.0, d) @ votes.losses
    return np.asarray(of_votes - moved @ votes.slope + 0.5 * moved**2 @ votes.precision)


def slow_turn(x: Floats, z: Floats, votes: Votes, rng: np.random.Generator) -> Floats:
    """(D, P) the draws, each moved."""
    moved = x.copy()
    for k, (own, other) in enumerate(zip(x, z, strict=True)):
        level = float(slow_log_ratio(own[None], votes)[0]) + np.log(1.0 - rng.random())
        angle = 2.0 * np.pi * rng.random()
        low, high = angle - 2.0 * np.pi, angle
        while high - low > NARROWEST:
            there = own * np.cos(angle) + other * np.sin(angle)
            if slow_log_ratio(there[None], votes)[0] > level:
                moved[k] = there
                break
            low, high = (angle, high) if angle < 0.0 else (low, angle)
            angle = low + (high - low) * rng.random()
    return moved


@pytest.mark.parametrize("biases", [False, True])
def test_a_step_is_that_of_the_slow_formula(biases: bool) -> None:
    votes, rng = votes_of(1, biases=biases), np.random.default_rng(2)
    x, z = rng.standard_normal((2, D, len(votes.mean)))
    ratio = ellipses.log_ratios(x, *votes[2:])
    np.testing.assert_allclose(ratio, slow_log_ratio(x, votes), rtol=1e-12, atol=1e-12)
    expected = slow_turn(x, z, votes, np.random.default_rng(3))
    ellipses.turn(x, ratio, z, *votes[2:], np.random.default_rng(3))
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ratio, slow_log_ratio(expected, votes), rtol=1e-9, atol=1e-9)


def test_thousands_of_single_votes_do_not_overflow() -> None:
    count = 5000
    ties = votes_of(0, biases=False)._replace(
        first=np.zeros(count, np.int64), second=np.ones(count, np.int64), wins=np.full(count, 0.5),
        losses=np.full(count, 0.5), difference=np.zeros(count), slope=np.zeros(count), precision=np.zeros(count),
    )  # fmt: skip
    x = np.zeros((1, N))
    np.testing.assert_allclose(ellipses.log_ratios(x, *ties[2:]), -count * np.log(2.0), rtol=1e-12)


def test_without_votes_draws_of_the_normal_stay_draws_of_it() -> None:
    """20,000 draws; moments within four standard errors."""
    nothing = votes_of(0, biases=False)
    none = np.zeros(M)
    nothing = nothing._replace(wins=none, losses=none, slope=none, precision=none)
    rng, draws = np.random.default_rng(4), 20_000
    root = np.linalg.cholesky(np.eye(N) + 0.5)
    x, *normal = (rng.standard_normal((draws, N)) @ root.T for _ in range(4))
    ratio, before = np.zeros(draws), x.copy()
    for z in normal:
        ellipses.turn(x, ratio, z, *nothing[2:], rng)
    assert (x != before).any(axis=1).all()
    np.testing.assert_allclose(x.mean(axis=0), 0.0, atol=4.0 * np.sqrt(1.5 / draws))
    np.testing.assert_allclose(np.cov(x.T), np.eye(N) + 0.5, atol=4.0 * 1.5 * np.sqrt(2.0 / draws))
