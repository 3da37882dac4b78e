"""Pairs that several judges are to judge: which are drawn, and for whom they are due."""

import numpy as np
import pytest

from app.inference.choosing.second_opinions import Overlap, drawn, due
from app.inference.types import Comparisons, Ints, once_each

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
    return list(zip(found.low.tolist(), found.high.tolist(), strict=True))


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
    assert due(ALL._replace(judges=4), np.zeros(5, np.int64), log, 5, [6]).lacking.tolist() == [3, 2, 3]


def test_among_several_askers_a_pair_is_due_while_one_of_them_has_not_judged_it() -> None:
    log, three = judged((0, 1, 7), (0, 1, 8), (0, 2, 7)), ALL._replace(judges=3)
    assert due_for(three, log, 7, 8) == [(0, 2)]
    assert due_for(three, log, 7, 8, 9) == [(0, 1), (0, 2)]
    assert due_for(three, log) == []


def test_items_are_judged_each_by_itself_and_only_drawn_pairs_are_due() -> None:
    log, few = judged((0, 1, 7), (0, 1, 8), (0, 1, 7)), Overlap(0.0, 2, 1)
    found = due(ALL, np.array([2, 0, 0]), log, 5, [9])
    assert (found.item.tolist(), found.lacking.tolist()) == ([2], [1])
    assert due_for(few, log, 9) == []
