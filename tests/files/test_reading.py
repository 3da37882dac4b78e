"""Reading tables: what is understood, and one clear error for what is not."""

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.files.reading import (
    Columns,
    InputError,
    Log,
    numbers,
    parse_conditions,
    read,
    read_log,
    read_means,
    read_values,
    texts,
    where,
)

CSV = "first,second,p_first\nkelp,oak,0.9\noak,fern,0.25\n"


def write(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def log(path: str, columns: Columns = Columns()) -> Log:  # noqa: B008  # immutable
    return read_log([read(path)], columns, [])


def error(path: str, columns: Columns = Columns()) -> str:  # noqa: B008  # immutable
    with pytest.raises(InputError) as caught:
        log(path, columns)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(path)
    return str(caught.value).removeprefix(path)


def jsonl() -> str:
    rows = [
        {"first": "kelp", "second": "oak", "p_first": 0.9},
        {"first": "oak", "second": "fern", "p_first": 0.25},
    ]
    return "\n".join(map(json.dumps, rows)) + "\n"


def parquet() -> bytes:
    sink = io.BytesIO()
    cells = {"first": ["kelp", "oak"], "second": ["oak", "fern"], "p_first": [0.9, 0.25]}
    pq.write_table(pa.table(cells), sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("log.csv", CSV),
        ("LOG.CSV", "\ufeff" + CSV.replace("\n", "\r\n")),
        ("log.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        ("log.jsonl", jsonl()),
        ("a.b.jsonl.gz", gzip.compress(jsonl().encode(), mtime=0)),
        ("log.parquet", parquet()),
    ],
)
def test_every_kind_of_file_reads_the_same(tmp_path: Path, name: str, content: str | bytes) -> None:
    result = log(write(tmp_path, name, content))
    pairs = [(result.keys[i], result.keys[j]) for i, j in zip(result.first, result.second, strict=True)]
    assert pairs == [("kelp", "oak"), ("oak", "fern")]
    assert result.p.tolist() == [0.9, 0.25]
    assert result.groups == [()]


def test_standard_input_is_csv(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
    assert log("-").p.tolist() == [0.9, 0.25]


def test_keys_stay_text(tmp_path: Path) -> None:
    assert log(write(tmp_path, "log.csv", "first,second,p_first\n007,1.0,1\nNA,true,0\n")).keys == [
        "007",
        "NA",
        "1.0",
        "true",
    ]


@pytest.mark.parametrize(
    ("word", "p"),
    [
        ("first", 1.0),
        ("SECOND", 0.0),
        ("a", 1.0),
        ("b", 0.0),
        ("Left", 1.0),
        ("right", 0.0),
        ("model_a", 1.0),
        ("model_b", 0.0),
        ("1", 1.0),
        ("2", 0.0),
        ("tie", 0.5),
        ("both_bad", 0.5),
        ("tie (bothbad)", 0.5),
        ("kelp", 1.0),
        ("Oak", 0.0),
    ],
)
def test_winner_words(tmp_path: Path, word: str, p: float) -> None:
    path = write(tmp_path, "log.csv", f"model_a,model_b,winner\nkelp,oak,{word}\n")
    assert log(path).p.tolist() == [p]


def test_a_weight_column_counts(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "first,second,p_first,weight,n\nkelp,oak,0.9,5000,1\noak,fern,0.25,0.5,2\n")
    assert log(path).weight.tolist() == [5000.0, 0.5]
    assert log(path, Columns(weight="n")).weight.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("cell", ["0", "-1", "", "1e-7", "1000001", "nan"])
def test_a_weight_is_within_its_bounds(tmp_path: Path, cell: str) -> None:
    path = write(tmp_path, "log.csv", f"first,second,p_first,weight\nkelp,oak,0.9,1\nkelp,oak,0.9,{cell}\n")
    with pytest.raises(InputError, match="line 3, column 'weight': "):
        log(path)


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "x,y,winner,q\nkelp,oak,second,0.9\n")
    assert log(path, Columns("x", "y", p_first="q")).p.tolist() == [0.9]
    assert log(path, Columns("x", "y", winner="winner")).p.tolist() == [0.0]


def test_groups_by_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "g,first,second,winner\nu,a1,a2,tie\nv,a1,a2,tie\nu,a2,a1,tie\n")
    result = read_log([read(path)], Columns(), ["g"])
    assert result.groups == [("u",), ("v",)]
    assert result.group.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ": the file is empty"),
        (" \n\n", ": the file is empty"),
        ("first,second,winner\n", ": there are column names but no rows"),
        (
            "a,second,winner\nx,y,tie\n",
            ": no column 'first'; give --first; the columns are a, second, winner",
        ),
        ("first,second,w\nx,y,tie\n", ": give --winner or --p-first; the columns are first, second, w"),
        (
            "first,second,winner,p_first\nx,y,tie,1\n",
            ": two columns say who won; give one of --winner and --p-first",
        ),
        ("first,first,winner\nx,y,tie\n", ", line 1: column 'first' is there twice; rename one of them"),
        ("first,second,winner\nx,y,tie\nx,y\n", ", line 3: 2 fields, the header has 3; quote commas"),
        (
            "first,second,winner\nx,y,frist\n",
            ", line 2, column 'winner': 'frist' is not a verdict; write first, ",
        ),
        (
            "first,second,winner\nb,x,tie\nb,x,b\n",
            ", line 3, column 'winner': 'b' is a verdict and also the key of",
        ),
        (
            "first,second,winner\nx,y,tie\n\nx,x,tie\n",
            ", line 4, column 'second': compares a candidate with itself",
        ),
        (
            'first,second,winner\n"x\n1",y,tie\nx,,tie\n',
            ", line 4, column 'second': empty; every row needs a value",
        ),
        ("first,second,p_first\nx,y,1.01\n", ", line 2, column 'p_first': 1.01 is not a probability"),
        ("first,second,p_first\nx,y,-0.1\n", ", line 2, column 'p_first': -0.1 is not a probability"),
        ("first,second,p_first\nx,y,\n", ", line 2, column 'p_first': an empty cell is not a probability"),
        ("first,second,p_first\nx,y,NaN\n", ", line 2, column 'p_first': 'NaN' is not a finite number"),
        ("first,second,p_first\nx,y,many\n", ", line 2, column 'p_first': 'many' is not a finite number"),
    ],
)
def test_bad_csv_is_named_by_line_and_column(tmp_path: Path, content: str, message: str) -> None:
    assert error(write(tmp_path, "log.csv", content)).startswith(message)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("log.txt", "x", ": unknown kind of file; use .csv, .tsv, .json or .jsonl"),
        ("log.parquet.gz", b"x", ": unknown kind of file"),
        ("log", "x", ": unknown kind of file"),
        ("log.csv.gz", "first,second\n", ": not gzip, or cut short"),
        ("log.parquet", "nonsense", ": not a Parquet file"),
        ("log.csv", b"first,second,winner\nx,\xff,tie\n", ", line 2: not UTF-8 text"),
        ("log.jsonl", '{"first": "x"}\n\n{"first"\n', ", line 3: not JSON"),
        ("log.jsonl", "[1]\n", ", line 1: not a JSON object"),
        (
            "log.jsonl",
            '\n{"first": "x", "second": "y", "p_first": 2}',
            ", line 2, column 'p_first': 2 is not a p",
        ),
    ],
)
def test_bad_files_are_named(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    assert error(write(tmp_path, name, content)).startswith(message)


def test_a_path_that_is_no_file(tmp_path: Path) -> None:
    assert error(str(tmp_path)) == ": this is a folder; name a file in it"
    assert error(str(tmp_path / "none.csv")) == ": there is no such file"


def test_lines_survive_a_filter(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "g,first,second,p_first\nu,x,y,1\nv,x,y,1\nv,x,y,3\n")
    with pytest.raises(InputError, match="line 4, column 'p_first'"):
        read_log([where(read(path), [("g", "v")])], Columns(), [])
    with pytest.raises(InputError, match="no row with g=w; there is u, v"):
        where(read(path), [("g", "w")])


def test_conditions() -> None:
    assert parse_conditions(["a=b", "c = d=e"]) == [("a", "b"), ("c", "d=e")]
    with pytest.raises(InputError, match="write column=value"):
        parse_conditions(["a"])


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


def test_text_is_stripped_and_numbers_may_be_missing(tmp_path: Path) -> None:
    table = read(write(tmp_path, "t.csv", "key,v\n x ,1\ny,\n"))
    assert texts(table, "key") == ["x", "y"]
    assert np.isnan(numbers(table, "v")).tolist() == [False, True]
