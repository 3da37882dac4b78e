"""Numbers by key: each once, or their means."""

from pathlib import Path

import numpy as np
import pytest

from app.files.reading import read
from app.files.tables import InputError
from app.files.values import read_means, read_values
from tests.files.factories import write


def test_values_by_key(tmp_path: Path) -> None:
    table = read(write(tmp_path, "truth.csv", "doc,key,v\n0,x,1.5\n1,x,2\n"))
    assert read_values(table, ["doc", "key"], "v") == {("0", "x"): 1.5, ("1", "x"): 2.0}
    with pytest.raises(InputError, match="line 3, column 'key': this row repeats an earlier one"):
        read_values(table, ["key"], "v")
    with pytest.raises(InputError, match="no column 'w'; the columns are doc, key, v"):
        read_values(table, ["key"], "w")


def test_means_leave_out_empty_cells(tmp_path: Path) -> None:
    table = read(write(tmp_path, "scores.csv", "key,v\nx,1\nx,\nx,2\ny,\n"))
    means = read_means(table, ["key"], "v")
    assert means[("x",)] == 1.5
    assert np.isnan(means[("y",)])
