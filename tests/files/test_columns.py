"""Cells as texts and numbers, and conditions on rows."""

from pathlib import Path

import numpy as np
import pytest

from app.files.columns import numbers_of, parse_conditions, texts_of, where
from app.files.comparisons import ComparisonColumns, read_grouped
from app.files.reading import read
from app.files.tables import InputError
from tests.files.factories import write


def test_lines_survive_a_filter(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "g,first,second,p_first\nu,x,y,1\nv,x,y,1\nv,x,y,3\n")
    with pytest.raises(InputError, match="line 4, column 'p_first'"):
        read_grouped(where([read(path)], [("g", "v")]), ComparisonColumns(), [])
    with pytest.raises(InputError, match="no row with g=w; there is u, v"):
        list(where([read(path)], [("g", "w")]))


def test_conditions() -> None:
    assert parse_conditions(["a=b", "c = d=e"]) == [("a", "b"), ("c", "d=e")]
    with pytest.raises(InputError, match="write column=value"):
        parse_conditions(["a"])


def test_text_is_stripped_and_numbers_may_be_missing(tmp_path: Path) -> None:
    table = read(write(tmp_path, "t.csv", "key,v\n x ,1\ny,\n"))
    assert texts_of(table, "key") == ["x", "y"]
    assert np.isnan(numbers_of(table, "v")).tolist() == [False, True]
