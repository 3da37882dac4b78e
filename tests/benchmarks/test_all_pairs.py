"""The study of all pairs, in small."""

import pytest

from benchmarks.studies.all_pairs import SHARES, coverage, stopped


@pytest.mark.study
def test_the_tables_have_every_judge_and_all_pairs_are_known() -> None:
    rows = list(coverage([4], 1))
    assert len(rows) == 3 * 3 * 2 * len(SHARES)
    assert all(row[6].endswith("1.00 / 1.00") for row in rows if row[4] == "1")
    assert {row[3] for row in stopped([4], 1)} == {"1 of 1"}
