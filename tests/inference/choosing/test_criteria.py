import numpy as np
import pytest

from app.inference.choosing.criteria import RANKING, Goal, goal_pairs

MEAN = np.array([0.5, -1.0, 2.0, 0.0])  # the order is 2, 0, 3, 1
EVERY_PAIR = {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}


@pytest.mark.parametrize(
    ("goal", "pairs"),
    [
        (RANKING, EVERY_PAIR),
        (Goal(top_k=1), {(0, 2), (1, 2), (2, 3)}),
        (Goal(top_k=2), {(0, 1), (0, 3), (1, 2), (2, 3)}),
        (Goal(against=3), {(0, 3), (1, 3), (2, 3)}),
        (Goal(pair=(3, 1)), {(1, 3)}),
    ],
)
def test_the_pairs_that_matter(goal: Goal, pairs: set[tuple[int, int]]) -> None:
    assert set(map(tuple, np.argwhere(goal_pairs(goal, MEAN)).tolist())) == pairs


@pytest.mark.parametrize("k", [4, 5])
def test_where_everyone_is_in_the_top_every_pair_matters(k: int) -> None:
    np.testing.assert_array_equal(goal_pairs(Goal(top_k=k), MEAN), goal_pairs(RANKING, MEAN))


def test_of_equals_the_one_that_joined_first_is_in_the_top() -> None:
    assert np.argwhere(goal_pairs(Goal(top_k=1), np.zeros(3))).tolist() == [[0, 1], [0, 2]]
