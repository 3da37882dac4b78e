"""Tables that become sets: what is sent of each kind of data, and what is raised for rows that cannot be used."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest
from nextpair import BadTable
from nextpair.tabular import file_of

from tests.client.test_resources import RECORD, Server, Use, both

ROWS: list[dict[str, Any]] = [
    {"model": "gpt", "prompt_id": 1, "output": "Blue."},
    {"model": "llama", "prompt_id": 1, "output": "Red."},
]
LINES = b'{"model": "gpt", "prompt_id": 1, "output": "Blue."}\n{"model": "llama", "prompt_id": 1, "output": "Red."}\n'
CANDIDATES = [{"key": "gpt", "outputs": {"1": "Blue."}}, {"key": "llama", "outputs": {"1": "Red."}}]
ITEMS = [{"key": "1", "prompt": "Why?", "tags": {"category": "nature"}}]
USED: dict[str, Any] = {
    "key": None,
    "text": None,
    "system": "model",
    "systems": [],
    "prompt": "prompt_id",
    "prompt_text": None,
}
READ = {
    "kind": "systems", "layout": "long", "columns": list(ROWS[0]), "used": USED | {"output": "output", "tags": []},
    "candidates": CANDIDATES, "items": ITEMS, "faults": [], "fault_count": 0, "missing": 0,
}  # fmt: skip
FAULTS = [
    {"place": "line 3", "column": "output", "wrong": "a NUL character", "remedy": "remove it"},
    {"place": "line 9", "column": None, "wrong": "2 fields, the header has 3", "remedy": "quote commas"},
]


class Polars:
    """A data frame as polars has it."""

    columns = ("model", "prompt_id", "output")

    def to_dicts(self) -> list[dict[str, Any]]:
        return ROWS


@both
def test_a_table_is_read_and_its_set_created(use: Use) -> None:
    server = Server(READ, RECORD.model_dump(mode="json"))

    created = use(
        server,
        lambda c: c.sets.create_from(
            ROWS, name="Sky", question="Which?", system="model", prompt="prompt_id", project="demo"
        ),
    )

    assert created.record == RECORD
    read, new = server.requests
    assert (read.method, read.url.path) == ("POST", "/v1/tables")
    assert dict(read.url.params) == {"file": "rows.jsonl", "system": "model", "prompt": "prompt_id"}
    assert (read.headers["Content-Type"], read.content) == ("application/octet-stream", LINES)
    assert (new.method, new.url.path) == ("POST", "/v1/sets")
    assert json.loads(new.content) == {
        "name": "Sky", "question": "Which?", "project": "demo", "candidates": CANDIDATES, "items": ITEMS,
    }  # fmt: skip


@both
def test_rows_that_cannot_be_used_create_nothing(use: Use) -> None:
    server = Server(READ | {"faults": FAULTS, "fault_count": 12})

    with pytest.raises(
        BadTable, match=r"^line 3, column 'output': a NUL character; remove it \(11 more rows\)$"
    ) as bad:
        use(server, lambda c: c.sets.create_from(b"model", file="outputs.csv", name="Sky", question="Which?"))

    assert [(fault.place, fault.column) for fault in bad.value.faults] == [("line 3", "output"), ("line 9", None)]
    assert [request.url.path for request in server.requests] == ["/v1/tables"]


@both
def test_columns_of_systems_are_named_one_by_one(use: Use) -> None:
    server = Server(READ, RECORD.model_dump(mode="json"))

    use(server, lambda c: c.sets.create_from(ROWS, name="Sky", question="Which?", systems=["gpt", "llama"]))

    assert server.requests[0].url.params == httpx.QueryParams(
        [("file", "rows.jsonl"), ("systems", "gpt"), ("systems", "llama")]
    )


def test_a_path_and_bytes_are_sent_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "outputs.csv"
    path.write_bytes(b"model,prompt\r\n\xff")
    for data in (path, str(path)):
        assert file_of(data) == ("outputs.csv", b"model,prompt\r\n\xff")
    assert file_of(b"a,b", "mine.csv") == ("mine.csv", b"a,b")
    with pytest.raises(FileNotFoundError):
        file_of(tmp_path / "none.csv")
    with pytest.raises(TypeError, match="name of their file"):
        file_of(b"a,b")


def test_rows_and_frames_are_sent_as_json_lines() -> None:
    assert file_of(ROWS) == file_of(iter(ROWS)) == file_of(Polars()) == ("rows.jsonl", LINES)


def test_cells_are_written_as_people_read_them() -> None:
    row: dict[Any, Any] = {1: 2.0, "a": 0.5, "b": float("nan"), "c": date(2026, 1, 2), "d": "é\n", "e": None}
    assert (
        file_of([row]).contents.decode() == '{"1": 2, "a": 0.5, "b": null, "c": "2026-01-02", "d": "é\\n", "e": null}\n'
    )


def test_a_frame_of_pandas_has_whole_ids_and_no_text_for_missing_cells() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "prompt_id": [1, None],
            "when": pandas.to_datetime(["2026-01-02", None]),
            "output": pandas.array(["Blue.", None], dtype="string"),
            "messages": [[{"role": "user", "content": "Why?"}], None],
        }
    )
    rows = [json.loads(line) for line in file_of(frame).contents.splitlines()]
    assert rows[0]["prompt_id"] == 1
    assert isinstance(rows[0]["prompt_id"], int)
    assert rows[0]["output"] == "Blue."
    assert rows[0]["messages"] == [{"role": "user", "content": "Why?"}]
    assert rows[0]["when"].startswith("2026-01-02")
    assert rows[1] == {"prompt_id": None, "when": None, "output": None, "messages": None}


@pytest.mark.parametrize("data", [["gpt"], {"model": "gpt"}, [ROWS[0], ("gpt", 1)]])
def test_what_is_no_table_is_refused_with_its_row(data: Any) -> None:
    with pytest.raises(TypeError, match=r"row [12] is no dict but .*; pass a path, a data frame, or one dict"):
        file_of(data)
