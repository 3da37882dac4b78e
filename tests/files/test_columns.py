"""Cells as texts and numbers, and conditions on rows."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.files.columns import numbers_of, parse_conditions, texts_of, where
from app.files.comparisons import ComparisonColumns, read_grouped
from app.files.reading import read, read_all
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


@pytest.mark.parametrize(
    ("kind", "value", "cell"), [(pa.null(), None, ""), (pa.float16(), np.float16(0.5), "0.5"), (pa.string(), "x", "x")]
)
def test_a_column_in_several_parts_is_text(tmp_path: Path, kind: pa.DataType, value: object, cell: str) -> None:
    pq.write_table(pa.table({"v": pa.array([value] * 3000, kind)}), tmp_path / "t.parquet")  # read 1,000 at a time
    assert texts_of(read(str(tmp_path / "t.parquet")), "v") == [cell] * 3000


def test_a_file_of_which_nothing_counts_has_no_cells(tmp_path: Path) -> None:
    for name, voided in (("a", 2), ("b", None)):
        log = {"seq": 1, "winner": "first", "p_first": 1.0, "voided_by": voided, "created_at": np.datetime64(0, "us")}
        pq.write_table(pa.Table.from_pylist([log]), tmp_path / f"{name}.parquet")
    assert [texts_of(table, "created_at") for table in read_all(str(tmp_path))] == [[], ["1970-01-01 00:00:00.000000"]]
