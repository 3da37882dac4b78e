"""The study of slices, made small."""

import numpy as np
import pytest

from benchmarks.studies import slices
from benchmarks.studies.slices import TaggedDesign


@pytest.mark.study
@pytest.mark.parametrize("judge", ["probabilities", "votes"])
def test_where_tags_differ_the_whole_does_not_hold_on_each(judge: str) -> None:
    design = TaggedDesign(judge, (8, 8, 8))
    readings = [slices.one_reading(design, 0.6, np.random.default_rng([1, run])) for run in range(3)]
    of_slices, whole, alone = np.mean(readings, axis=0)
    assert of_slices[0] > max(whole[0], 0.8)
    assert whole[1] < of_slices[1] < alone[1] * 1.5


def test_a_planted_reversal_is_claimed_and_right() -> None:
    tested = slices.one_test(TaggedDesign("probabilities", (10, 10, 10)), True, np.random.default_rng(2))
    assert slices.claimed(tested)
    assert slices.is_right(tested)
    assert tested[0].is_reversal


def test_tables_have_a_row_for_each_design(monkeypatch: pytest.MonkeyPatch) -> None:
    design = TaggedDesign("votes", (2, 4, 9), 0.5)
    monkeypatch.setattr(slices, "INTERVALS", [(TaggedDesign("votes", (3, 3, 3)), 0.3)])
    monkeypatch.setattr(slices, "CLAIMS", [design])
    [of_intervals], [of_claims] = slices.intervals(2), slices.claims(2, 2)
    assert of_intervals[:3] == ["votes", "9", "0.3"]
    assert of_claims[:3] == ["votes", "2 + 4 + 9", "50"]
