"""Where people's next verdict is worth most."""

import numpy as np

from app.inference.choosing.human_checks import gains
from app.inference.judges.rank_sets import Instances, RankSets, Wins, prediction_powered, squared_radius
from app.inference.types import Bools, Floats, Ints

ALPHA = 0.1


def rank_sets(theta: list[float], sd: float) -> RankSets:
    k = len(theta)
    return RankSets(np.array(theta), sd**2 * np.eye(k), 0.0, np.inf, np.zeros((k, 2), np.int64))


def by_the_book(found: RankSets, counts: Ints) -> Floats:
    """The sum of the module's docstring, term by term."""
    k, gain = len(counts), np.zeros(counts.shape)
    radius = squared_radius(k, ALPHA, found.freedom)
    for a in range(k):
        for b in range(k):
            c = max(counts[a, b], 0.5)
            for m in range(k):
                for other in range(m + 1, k):
                    v = found.covariance[m, m] + found.covariance[other, other] - 2.0 * found.covariance[m, other]
                    close = abs(found.theta[m] - found.theta[other]) / np.sqrt(radius * v)
                    touched = len({m, other} & {a, b}) ** 2
                    if a != b and close < 1.0:
                        gain[a, b] += close * touched * (1.0 / c - 1.0 / (c + 1.0)) / v
    return gain


def test_gains_are_those_of_the_formula() -> None:
    found = rank_sets([0.7, 0.55, 0.5, 0.3], 0.08)
    counts = np.array([[0, 3, 5, 2], [3, 0, 1, 4], [5, 1, 0, 6], [2, 4, 6, 0]])
    np.testing.assert_allclose(gains(found, counts, ALPHA), by_the_book(found, counts), rtol=1e-3)


def test_what_people_never_saw_comes_first_and_then_what_they_saw_least() -> None:
    counts = np.full((4, 4), 3)
    counts[1, 2] = counts[2, 1] = 0
    gain = gains(None, counts, ALPHA)
    assert gain[1, 2] == gain.max() > np.delete(gain[1], 2).max()
    assert np.diag(gain).tolist() == [0.0] * 4
    np.testing.assert_allclose(gain, gain.T)


def test_systems_that_are_nearly_apart_are_worth_more_than_those_that_are_or_never_will_be() -> None:
    found = rank_sets([0.9, 0.55, 0.4, 0.4], 0.04)
    gain = gains(found, np.full((4, 4), 5), ALPHA)
    assert gain[1, 2] > gain[0, 1]
    assert gain[1, 2] > gain[2, 3]


def spent(how: str, seed: int, k: int = 8, people: int = 400, judged: int = 3000) -> float:
    """Mean size of the rank-sets after so many verdicts of people, on instances that a judge (80%) has judged.

    The judge saw some pairs of systems much more often than others, as in Chatbot Arena.
    """
    rng = np.random.default_rng(seed)
    strength = np.linspace(1.0, -1.0, k)
    pairs = np.column_stack(np.triu_indices(k, 1))
    shown = Instances(*pairs[rng.choice(len(pairs), size=judged, p=rng.dirichlet(np.ones(len(pairs))))].T)
    won = (rng.random(judged) < 1.0 / (1.0 + np.exp(strength[shown.second] - strength[shown.first]))).astype(float)
    said = np.where(rng.random(judged) < 0.8, won, 1.0 - won)
    seen, counts, found = np.zeros(judged, np.bool_), np.zeros((k, k), np.int64), None

    def of(w: Floats, rows: Bools) -> Wins:
        return Wins(w[rows], 1.0 - w[rows])

    def fit() -> RankSets:
        near, far = (Instances(shown.first[rows], shown.second[rows]) for rows in (seen, ~seen))
        return prediction_powered(near, of(won, seen), of(said, seen), far, of(said, ~seen), k=k, alpha=ALPHA)

    for n in range(people):
        if n % 40 == 0 and np.bincount(np.concatenate([x[seen] for x in shown]), minlength=k).min() >= 2:
            found = fit()
        value = gains(found, counts, ALPHA)[shown] if how == "gains" else np.ones(judged)
        value = np.where(seen, -1.0, value)
        pick = int(rng.choice(np.flatnonzero(value >= value.max() * (1.0 - 1e-9))))
        seen[pick] = True
        counts[shown.first[pick], shown.second[pick]] += 1
        counts[shown.second[pick], shown.first[pick]] += 1
    ranks = fit().ranks
    return float((ranks[:, 1] - ranks[:, 0] + 1).mean())


def test_rank_sets_shrink_faster_than_by_chance() -> None:
    """400 verdicts of people, 12 seeds."""
    ours, chance = (np.mean([spent(how, seed) for seed in range(12)]) for how in ("gains", "chance"))
    assert ours < 0.9 * chance
