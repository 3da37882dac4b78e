"""Prediction-powered rank-sets: reference values, coverage by simulation, and the erratum."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from app.inference.rank_sets import (
    Instances,
    RankSets,
    Wins,
    by_people,
    estimate,
    prediction_powered,
    ranks,
)
from app.inference.types import Floats
from app.words import CovarianceName

N_PEOPLE, N_JUDGE, ALPHA, RUNS = 990, 5346, 0.1, 150


def truth(k: int, seed: int = 0) -> tuple[Floats, Floats]:
    """(k, k) chances that the row beats the column and that they tie."""
    strength = np.linspace(1.0, -1.0, k) + 0.1 * np.random.default_rng(seed).standard_normal(k)
    tie = np.full((k, k), 0.15)
    return (1.0 - tie) / (1.0 + np.exp(strength[None, :] - strength[:, None])), tie


def theta_of(win: Floats) -> Floats:
    k = len(win)
    return np.asarray((win.sum(axis=1) - np.diag(win)) / (k - 1))


def draw(win: Floats, tie: Floats, count: int, rng: np.random.Generator, *, uneven: bool) -> tuple[Instances, Wins]:
    k = len(win)
    pairs = np.array([(i, j) for i in range(k) for j in range(k) if i != j])
    share = rng.dirichlet(np.ones(len(pairs)) * 4.0) if uneven else np.full(len(pairs), 1.0 / len(pairs))
    first, second = pairs[rng.choice(len(pairs), size=count, p=share)].T
    u = rng.random(count)
    p, t = win[first, second], tie[first, second]
    return Instances(first, second), Wins((u < p).astype(float), (u >= p + t).astype(float))


def noisy(wins: Wins, rng: np.random.Generator, right: float) -> Wins:
    """A judge who agrees with people so often, and else calls the other one."""
    turned = rng.random(len(wins.first)) > right
    return Wins(np.where(turned, wins.second, wins.first), np.where(turned, wins.first, wins.second))


def one_run(seed: int, k: int, right: float, covariance: CovarianceName, *, uneven: bool) -> tuple[RankSets, RankSets]:
    """With the judge's help, and without."""
    rng, (win, tie) = np.random.default_rng([seed, k]), truth(k)
    shown, people = draw(win, tie, N_PEOPLE, rng, uneven=uneven)
    more, unseen = draw(win, tie, N_JUDGE, rng, uneven=uneven)
    judges = noisy(people, rng, right), noisy(unseen, rng, right)
    found = prediction_powered(shown, people, judges[0], more, judges[1], k=k, alpha=ALPHA, covariance=covariance)
    return found, by_people(shown, people, k, ALPHA)


def covers(found: RankSets, theta: Floats) -> tuple[bool, bool]:
    """Whether the ellipsoid holds theta, and the rank-sets all true ranks."""
    gap, true = found.theta - theta, 1 + (theta[None, :] > theta[:, None]).sum(axis=1)
    inside = gap @ np.linalg.pinv(found.covariance) @ gap <= chi2.ppf(1.0 - ALPHA, len(theta))
    return bool(inside), bool(((found.ranks[:, 0] <= true) & (true <= found.ranks[:, 1])).all())


@pytest.mark.parametrize("k", [4, 12])
@pytest.mark.parametrize("uneven", [False, True])
def test_the_corrected_covariance_covers(k: int, uneven: bool) -> None:
    """The ellipsoid at least 1 - alpha - 0.03 of the time, rank-sets 1 - alpha, give or take 2.5 standard errors."""
    theta = theta_of(truth(k)[0])
    held = np.array([covers(one_run(seed, k, 0.8, "sandwich", uneven=uneven)[0], theta) for seed in range(RUNS)])
    margin = 2.5 * np.sqrt(ALPHA * (1.0 - ALPHA) / RUNS)
    assert held[:, 0].mean() >= 1.0 - ALPHA - 0.03 - margin
    assert held[:, 1].mean() >= 1.0 - ALPHA - margin


def test_the_published_covariance_does_not() -> None:
    """Erratum 6: with 12 systems it is too small by about (12 / 2)^2, and covers nothing."""
    theta = theta_of(truth(12)[0])
    published = [one_run(seed, 12, 0.8, "published", uneven=False)[0] for seed in range(30)]
    corrected = [one_run(seed, 12, 0.8, "sandwich", uneven=False)[0] for seed in range(30)]
    assert sum(covers(found, theta)[0] for found in published) == 0
    ratios = [np.trace(c.covariance) / np.trace(p.covariance) for c, p in zip(corrected, published, strict=True)]
    assert np.mean(ratios) == pytest.approx(36.0, rel=0.15)


def test_a_good_judge_saves_human_verdicts_and_a_useless_one_costs_nothing() -> None:
    def spread(right: float) -> tuple[float, float]:
        found = [one_run(seed, 6, right, "sandwich", uneven=False) for seed in range(30)]
        ratio = np.mean([np.trace(helped.covariance) / np.trace(alone.covariance) for helped, alone in found])
        return float(ratio), float(np.mean([helped.tuned for helped, _ in found]))

    good, useless = spread(0.95), spread(0.5)
    assert good[0] < 0.6
    assert useless[0] <= 1.05
    assert useless[1] < 0.2 < good[1]


def test_a_judge_who_always_agrees_makes_one_large_sample() -> None:
    rng, (win, tie) = np.random.default_rng(1), truth(5)
    shown, people = draw(win, tie, 400, rng, uneven=False)
    more, unseen = draw(win, tie, 4000, rng, uneven=False)
    found = prediction_powered(shown, people, people, more, unseen, k=5, alpha=ALPHA)
    assert 0.85 < found.tuned < 1.0
    assert np.trace(found.covariance) < 0.15 * np.trace(by_people(shown, people, 5, ALPHA).covariance)


def test_theta_is_the_mean_chance_against_each_other_system_however_often_it_was_met() -> None:
    """By hand: 0 beats 1 in 3 of 4, and ties with 2 in the one time they met."""
    shown = Instances(np.array([0, 0, 1, 0, 2]), np.array([1, 1, 0, 1, 0]))
    wins = Wins(np.array([1.0, 1.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, 0.0, 0.0, 0.0]))
    np.testing.assert_allclose(estimate(shown, wins, 3).theta, [0.375, 0.25, 0.0])


def test_showing_the_other_one_first_changes_nothing() -> None:
    rng, (win, tie) = np.random.default_rng(2), truth(4)
    shown, wins = draw(win, tie, 200, rng, uneven=True)
    turned = estimate(Instances(shown.second, shown.first), Wins(wins.second, wins.first), 4)
    np.testing.assert_allclose(turned.theta, estimate(shown, wins, 4).theta)
    np.testing.assert_allclose(turned.error, estimate(shown, wins, 4).error)


def test_rank_sets_by_hand() -> None:
    """Two sd of a difference times sqrt(chi2) is what separates."""
    reach = np.sqrt(2.0 * 0.01 * chi2.ppf(0.9, 3))
    theta = np.array([2.5 * reach, 1.2 * reach, 0.9 * reach])
    np.testing.assert_array_equal(ranks(theta, 0.01 * np.eye(3), chi2.ppf(0.9, 3)), [[1, 1], [2, 3], [2, 3]])


def test_published_theta_of_chatbot_arena(shared_data: Path) -> None:
    """All twelve systems, people and three judges, against the reference values."""
    folder = shared_data / "chatbot_arena_ppr"
    with gzip.open(folder / "comparisons.csv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["in12"] == "1"]
    with open(folder / "theta_full.csv") as file:
        reference = {row[""]: row for row in csv.DictReader(file)}
    place = {system: n for n, system in enumerate(sorted(reference))}
    shown = Instances(*(np.array([place[row[side]] for row in rows]) for side in ("model_a", "model_b")))
    for judge in ("human", "gpt4", "gpt35", "claude3opus"):
        won = [np.array([float(row[judge] == side) for row in rows]) for side in "ab"]
        expected = [float(reference[system][judge]) for system in sorted(reference)]
        np.testing.assert_allclose(estimate(shown, Wins(*won), 12).theta, expected, atol=1e-9)
