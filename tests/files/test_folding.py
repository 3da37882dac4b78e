"""Rows put together, in one go and as they come."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.files.folding import Rows, compact, folded, gathered

A_ROW = st.tuples(
    st.integers(0, 1),
    st.integers(0, 1),
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(0, 9),
    st.floats(0.0, 1.0),
    st.floats(0.1, 100.0),
)
PARTS = st.lists(st.lists(A_ROW, min_size=1, max_size=12), min_size=1, max_size=9)


def rows(part: list[tuple[float, ...]]) -> Rows:
    *codes, p, weight = (np.array(column) for column in zip(*part, strict=True))
    group, judge, first, second, item = (compact(code.astype(np.int64), 10) for code in codes)
    return Rows(group, judge, first, second, item, p, weight, np.ones(len(p), np.uint32))


def sums(parts: list[list[tuple[float, ...]]]) -> dict[tuple[float, ...], tuple[float, float, int]]:
    """Weight, weight times p, and rows, of those alike, one by one."""
    totals: dict[tuple[float, ...], tuple[float, float, int]] = {}
    for *alike, _, p, weight in (row for part in parts for row in part):
        before = totals.get(tuple(alike), (0.0, 0.0, 0))
        totals[tuple(alike)] = before[0] + weight, before[1] + weight * p, before[2] + 1
    return totals


@given(PARTS)
def test_sums_are_those_of_the_rows_however_they_come(parts: list[list[tuple[float, ...]]]) -> None:
    gathered_rows = gathered(map(rows, parts), most=3)
    if sum(map(len, parts)) <= 3:
        assert len(gathered_rows.p) == sum(map(len, parts))
        gathered_rows = folded(gathered_rows)
    group, judge, first, second, _, p, weight, times = gathered_rows
    names = list(zip(*(column.tolist() for column in (group, judge, first, second)), strict=True))
    expected = sums(parts)
    assert names == sorted(expected)
    for name, *result in zip(names, weight, weight * p, times, strict=True):
        np.testing.assert_allclose(result, expected[name], rtol=1e-12, atol=1e-300)


def test_few_rows_stay_as_they_are() -> None:
    part = rows([(0, 0, 1, 2, 5, 0.5, 1.0), (0, 0, 1, 2, 5, 0.5, 1.0)])
    assert gathered([part], most=2).item.tolist() == [5, 5]
