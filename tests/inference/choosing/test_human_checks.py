"""Where people's next verdict helps most."""

import numpy as np

from app.inference.choosing.second_opinions import gains
from app.inference.judges import RankBounds, prediction_powered, ranked
from app.inference.judges.system_scores import SystemScores
from app.inference.types import Floats, Ints
from benchmarks.studies.rank_sets.simulation import where

ALPHA = 0.1


def rank_sets(theta: list[float], sd: float) -> RankBounds:
    k = len(theta)
    known = np.full((k, k), np.inf)
    return ranked(SystemScores(np.array(theta), sd**2 * np.eye(k), np.zeros(0), np.inf, known), ALPHA)


def by_the_book(rank_sets: RankBounds, counts: Ints) -> Floats:
    """The sum of the module's docstring, term by term."""
    k, gain, (theta, covariance) = len(counts), np.zeros(counts.shape), rank_sets.estimate[:2]
    for a in range(k):
        for b in range(k):
            c = max(counts[a, b], 0.5)
            for m in range(k):
                for other in range(m + 1, k):
                    v = covariance[m, m] + covariance[other, other] - 2.0 * covariance[m, other]
                    close = abs(theta[m] - theta[other]) / rank_sets.reach[m, other]
                    touched = len({m, other} & {a, b}) ** 2
                    if a != b and close < 1.0:
                        gain[a, b] += close * touched * (1.0 / c - 1.0 / (c + 1.0)) / v
    return gain


def test_gains_are_those_of_the_formula() -> None:
    found = rank_sets([0.7, 0.55, 0.5, 0.3], 0.08)
    counts = np.array([[0, 3, 5, 2], [3, 0, 1, 4], [5, 1, 0, 6], [2, 4, 6, 0]])
    np.testing.assert_allclose(gains(found, counts), by_the_book(found, counts), rtol=1e-3)


def test_what_people_never_saw_comes_first_and_then_what_they_saw_least() -> None:
    counts = np.full((4, 4), 3)
    counts[1, 2] = counts[2, 1] = 0
    gain = gains(None, counts)
    assert gain[1, 2] == gain.max() > np.delete(gain[1], 2).max()
    assert np.diag(gain).tolist() == [0.0] * 4
    np.testing.assert_allclose(gain, gain.T)


def test_systems_that_are_nearly_apart_gain_more_than_those_that_are_or_never_will_be() -> None:
    found = rank_sets([0.9, 0.52, 0.4, 0.4], 0.04)
    gain = gains(found, np.full((4, 4), 5))
    assert gain[1, 2] > gain[0, 1]
    assert gain[1, 2] > gain[2, 3]


def spent(how: str, seed: int, k: int = 8, people: int = 400, judged: int = 3000) -> float:
    """Mean size of the rank-sets after so many verdicts of people, on instances that a judge (80%) has judged.

    The judge saw some pairs of systems much more often than others, as in Chatbot Arena.
    """
    rng = np.random.default_rng(seed)
    strength = np.linspace(1.0, -1.0, k)
    pairs = np.column_stack(np.triu_indices(k, 1))
    shown = pairs[rng.choice(len(pairs), size=judged, p=rng.dirichlet(np.ones(len(pairs))))].T
    won = (rng.random(judged) < 1.0 / (1.0 + np.exp(strength[shown[1]] - strength[shown[0]]))).astype(float)
    said = np.where(rng.random(judged) < 0.8, won, 1.0 - won)
    seen, counts, found = np.zeros(judged, np.bool_), np.zeros((k, k), np.int64), None

    def fit() -> RankBounds:
        by_people, by_judge = where(seen, np.array([won, 1.0 - won])), np.array([said, 1.0 - said])
        return ranked(prediction_powered(shown, by_people, [by_judge], k=k), ALPHA)

    for n in range(people):
        if n % 40 == 0 and np.bincount(shown[:, seen].ravel(), minlength=k).min() >= 2:
            found = fit()
        value = gains(found, counts)[*shown] if how == "gains" else np.ones(judged)
        value = np.where(seen, -1.0, value)
        pick = int(rng.choice(np.flatnonzero(value >= value.max() * (1.0 - 1e-9))))
        seen[pick] = True
        counts[shown[:, pick], shown[::-1, pick]] += 1
    ranks = fit().ranks
    return float((ranks[:, 1] - ranks[:, 0] + 1).mean())


def test_rank_sets_shrink_faster_than_by_chance() -> None:
    """400 verdicts of people, 8 seeds."""
    ours, chance = (np.mean([spent(how, seed) for seed in range(8)]) for how in ("gains", "chance"))
    assert ours < 0.9 * chance
