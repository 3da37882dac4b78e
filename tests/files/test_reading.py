"""Reading tables: what is understood, and one clear error for what is not."""

import gzip
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.files.columns import texts_of
from app.files.comparisons import ComparisonColumns
from app.files.reading import files_of, parse, read
from app.files.tables import Bounds, InputError
from tests.files.factories import grouped, write

CSV = "first,second,p_first\nkelp,oak,0.9\noak,fern,0.25\n"


def error(path: str, columns: ComparisonColumns = ComparisonColumns()) -> str:  # noqa: B008  # immutable
    with pytest.raises(InputError) as caught:
        grouped(path, columns)
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
    result = grouped(write(tmp_path, name, content))
    pairs = [(result.keys[i], result.keys[j]) for i, j in zip(result.first, result.second, strict=True)]
    assert pairs == [("kelp", "oak"), ("oak", "fern")]
    assert result.p.tolist() == [0.9, 0.25]
    assert result.groups == [()]


def test_nested_columns_of_parquet_are_json(tmp_path: Path) -> None:
    cells = {
        "messages": [[{"role": "user", "content": "Größe?"}], None],
        "scores": [{"a": 1.5, "b": None}, {"a": None, "b": None}],
    }
    pq.write_table(pa.table(cells), tmp_path / "a.parquet")
    table = read(str(tmp_path / "a.parquet"))
    assert texts_of(table, "messages") == ['[{"role": "user", "content": "Größe?"}]', ""]
    assert texts_of(table, "scores") == ['{"a": 1.5, "b": null}', '{"a": null, "b": null}']
    assert table.content.nested == {"messages", "scores"}


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.map_(pa.string(), pa.string())])
def test_nested_texts_of_few_bytes_are_counted_before_they_are_unpacked(kind: pa.DataType) -> None:
    cell = ["x" * 20_000] * 20 if pa.types.is_list(kind) else [(str(n), "x" * 20_000) for n in range(20)]
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": pa.array([cell] * 500, kind)}), sink)
    assert len(sink.getvalue()) < 100_000
    with pytest.raises(InputError, match="unpacks to more than 50,000,000 bytes"):
        parse("a.parquet", sink.getvalue(), Bounds(size=50_000_000))


def test_standard_input_is_csv(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
    assert grouped("-").p.tolist() == [0.9, 0.25]


def test_keys_stay_text(tmp_path: Path) -> None:
    assert grouped(write(tmp_path, "log.csv", "first,second,p_first\n007,1.0,1\nNA,true,0\n")).keys == [
        "007",
        "NA",
        "1.0",
        "true",
    ]


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
            'first,second,winner\nx,y,tie\nx,"y,tie\nx,y,first\n',
            ", line 3: a quote is opened and never closed; close it, or leave it out",
        ),
        (
            "first,second,winner\nx,y,frist\n",
            ", line 2, column 'winner': 'frist' is not a verdict; write first, ",
        ),
        (
            "first,second,winner\nb,x,tie\nb,x,b\n",
            ", line 3, column 'winner': as a key 'b' means first, as a verdict second, and both fit; write first",
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
    with pytest.raises(InputError, match="this is a folder; name a file in it"):
        read(str(tmp_path))
    assert error(str(tmp_path)).startswith(": there are no files; use .csv")
    assert error(str(tmp_path / "none.csv")) == ": there is no such file"


@pytest.mark.parametrize("pattern", ["", "*", "**", "**/*"])
def test_only_files_of_data_are_read(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "empty.csv").mkdir()
    for name in ("_job.json", ".part.parquet", "notes.txt"):
        write(tmp_path, name, "[]")
    files = [write(tmp_path, name, CSV) for name in ("a.csv", "b.csv.gz", "c.PARQUET")]
    assert files_of(str(tmp_path / pattern)) == files
