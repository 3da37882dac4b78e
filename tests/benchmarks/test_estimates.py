"""The table of estimates, simulated again with other seeds: it would fail if the table were wrong."""

import numpy as np
import pytest

from app.analysis.estimate_table import LEVELS, TABLE
from benchmarks.studies.estimates import EstimateCell, cells, run

RUNS = range(100, 105)  # the table has the runs from 0 on
TIMES = 2.0  # by which the median of so few runs may differ


def test_the_table_has_every_cell_of_the_study() -> None:
    assert set(TABLE) == {tuple(cell) for cell in cells()}


@pytest.mark.study
@pytest.mark.parametrize(
    ("cell", "stop"),
    [
        (EstimateCell("probabilities", 0, 4, "best"), 0),
        (EstimateCell("votes", 0, 8, "ranking"), 1 + LEVELS.index(0.8)),
        (EstimateCell("probabilities", 50, 8, "best"), 1 + LEVELS.index(0.8)),
    ],
)
def test_sets_take_as_many_comparisons_as_the_table_says(cell: EstimateCell, stop: int) -> None:
    median = np.median([run(cell, number)[stop] for number in RUNS])
    stated = TABLE[cell][stop][1]
    sooner = 2.0 * TIMES if cell.prompts else TIMES  # votes by expectation propagation know new prompts sooner
    assert stated / sooner <= median <= stated * TIMES
