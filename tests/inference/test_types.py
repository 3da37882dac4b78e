import numpy as np
import pytest

from app.inference.types import LONG, Convergence, Ints, Outcome, appended, join, take
from tests.inference.factories import comparisons


def test_take_cuts_every_column() -> None:
    log = take(comparisons((0, 1, 0.9), (2, 0, 0.1), (1, 2, 0.3)), slice(1, 2))

    assert [column.tolist() for column in log] == [[2], [0], [0.1], [0], [1.0]]


def test_join_puts_the_new_ones_last() -> None:
    old, new = comparisons((0, 1, 0.9)), comparisons((2, 0, 0.1), (1, 2, 0.3))._replace(judge=np.array([4, 5]))

    new = new._replace(weight=np.array([2.0, 0.5]))

    columns = [[0, 2, 1], [1, 0, 2], [0.9, 0.1, 0.3], [0, 4, 5], [1.0, 2.0, 0.5]]
    assert [column.tolist() for column in join(old, new)] == columns


@pytest.mark.parametrize("outcome", Outcome)
def test_only_what_converged_counts_as_converged(outcome: Outcome) -> None:
    assert Convergence(outcome, 1, 0.0).converged == (outcome in (Outcome.CONVERGED, Outcome.UNLEARNT))


def some(count: int, seed: int = 0) -> Ints:
    return np.random.default_rng(seed).integers(1000, size=count)


@pytest.mark.parametrize("count", [0, 5, LONG - 1, LONG, 3 * LONG])
@pytest.mark.parametrize("more", [0, 1, LONG])
def test_it_is_both_one_after_the_other(count: int, more: int) -> None:
    old, new = some(count), some(more, seed=1)

    np.testing.assert_array_equal(appended(old, new), np.concatenate([old, new]))
    np.testing.assert_array_equal(appended(appended(old, new), new), np.concatenate([old, new, new]))


def test_what_is_appended_one_by_one_is_copied_now_and_then_alone() -> None:
    grown = expected = some(LONG)
    homes = set()
    for k in range(LONG):
        grown = appended(grown, np.array([k]))
        homes.add(grown.ctypes.data)

    np.testing.assert_array_equal(grown, np.concatenate([expected, np.arange(LONG)]))
    assert len(homes) <= 5


def test_two_that_go_on_from_the_same_array_do_not_meet() -> None:
    old = appended(some(LONG), np.array([1, 2]))
    kept = old.copy()

    one, other = appended(old, np.array([3])), appended(old, np.array([4, 5]))
    longer = appended(one, np.array([6]))

    np.testing.assert_array_equal(old, kept)
    np.testing.assert_array_equal(one, np.append(kept, 3))
    np.testing.assert_array_equal(other, np.append(kept, [4, 5]))
    np.testing.assert_array_equal(longer, np.append(kept, [3, 6]))
    assert np.shares_memory(old, longer)


def test_a_part_of_an_array_goes_its_own_way() -> None:
    old = appended(some(2 * LONG), np.array([1]))

    for part in (old[:LONG], old[1:], old[::2], old[:]):
        np.testing.assert_array_equal(appended(part, np.array([7])), np.append(part, 7))
    np.testing.assert_array_equal(old, np.append(some(2 * LONG), 1))


def test_rows_grow_as_entries_do() -> None:
    start, more = np.random.default_rng(0).random((3, LONG)), np.random.default_rng(1).random((2, LONG))

    old = appended(start, more[:1])
    one, other, part = appended(old, more[1:]), appended(old, more), appended(old[:, :5], more[:, :5])

    np.testing.assert_array_equal(one, np.concatenate([start, more]))
    np.testing.assert_array_equal(other, np.concatenate([start, more[:1], more]))
    np.testing.assert_array_equal(part, np.concatenate([start, more[:1], more])[:, :5])
    assert np.shares_memory(appended(one, more[:0]), one)


def test_what_has_grown_is_an_array_like_any_other() -> None:
    grown = appended(some(LONG).astype(np.float64), np.array([0.5]))

    assert type(grown) is np.ndarray
    assert grown.flags.carray
    assert grown.dtype == np.float64
