"""Pairs that several judges are to judge: which are drawn, and for whom they are due; where people help most."""

import numpy as np
import pytest

from app.inference.choosing.second_opinions import Overlap, drawn, due, gains
from app.inference.judges import RankBounds, prediction_powered, ranked
from app.inference.judges.rank_sets import SystemScores
from app.inference.types import Comparisons, Floats, Ints, once_each
from benchmarks.studies.rank_sets.simulation import where

ALL = Overlap(1.0, 2, seed=1)
NOBODY = np.empty(0, np.int64)


def grid(items: int, n: int) -> tuple[Ints, Ints, Ints]:
    """All pairs of outputs."""
    low, high = np.triu_indices(n, 1)
    return np.repeat(np.arange(items), len(low)), np.tile(low, items), np.tile(high, items)


def judged(*rows: tuple[int, int, int]) -> Comparisons:
    """Rows of (first, second, judge)."""
    first, second, judge = np.array(rows).T
    return once_each(first, second, np.full(len(first), 0.9), judge)


def due_for(overlap: Overlap, comparisons: Comparisons, *askers: int) -> list[tuple[int, int]]:
    found = due(overlap, np.zeros(comparisons.size, np.int64), comparisons, 5, askers)
    return [(low, high) for _, low, high, _ in found.tolist()]


@pytest.mark.parametrize("share", [0.05, 0.2, 0.9])
def test_a_share_is_drawn_in_every_set_and_among_the_pairs_of_every_candidate(share: float) -> None:
    pairs = grid(3, 60)
    in_set = [drawn(Overlap(share, 2, seed), *pairs) for seed in (0, 1, 2**64 - 1)]
    for each in in_set:
        assert each.mean() == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / len(each)))
        for column in (pairs[1], pairs[2]):
            counts = np.bincount(column, minlength=60)
            worst = np.abs(np.bincount(column, each, 60) - share * counts) / np.sqrt(share * (1 - share) * counts + 1)
            assert worst.max() < 4.5
    both = (in_set[0] & in_set[1]).mean()
    assert both == pytest.approx(share**2, abs=4 * np.sqrt(share**2 / len(in_set[0])))


def test_a_larger_share_keeps_what_was_drawn_and_all_is_all() -> None:
    pairs = grid(2, 30)
    some, more, every = (drawn(Overlap(share, 2, 5), *pairs) for share in (0.2, 0.4, 1.0))
    assert not (some & ~more).any()
    assert every.all()
    assert not drawn(ALL, NOBODY, NOBODY, NOBODY).size


def test_a_pair_is_due_for_others_until_so_many_judges_have_judged_it() -> None:
    log = judged((3, 1, 7), (0, 2, 8), (1, 3, 7), (2, 0, 9), (4, 0, 7))
    assert due_for(ALL, log, 7) == []
    assert due_for(ALL, log, 8) == [(1, 3), (0, 4)]
    assert due_for(ALL._replace(judges=3), log, 7) == [(0, 2)]
    assert due(ALL._replace(judges=4), np.zeros(5, np.int64), log, 5, [6])[:, 3].tolist() == [3, 2, 3]


def test_among_several_askers_a_pair_is_due_while_one_of_them_has_not_judged_it() -> None:
    log, three = judged((0, 1, 7), (0, 1, 8), (0, 2, 7)), ALL._replace(judges=3)
    assert due_for(three, log, 7, 8) == [(0, 2)]
    assert due_for(three, log, 7, 8, 9) == [(0, 1), (0, 2)]
    assert due_for(three, log) == []


def test_items_are_judged_each_by_itself_and_only_drawn_pairs_are_due() -> None:
    log, few = judged((0, 1, 7), (0, 1, 8), (0, 1, 7)), Overlap(0.0, 2, 1)
    found = due(ALL, np.array([2, 0, 0]), log, 5, [9])
    assert found[:, [0, 3]].tolist() == [[2, 1]]
    assert due_for(few, log, 9) == []


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
