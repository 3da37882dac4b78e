"""Tables: what is read of a file or of typed lines, and what is refused."""

import gzip
import io
import json
import time
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi import FastAPI

from app.files import tables
from tests.api.test_bad_input import assert_problem
from tests.factories import Http, create_set

CSV = "key,text\nash,Tall.\nbirch,White.\n"
OF_TEXTS = ("key", "text", "system", "prompt", "prompt_text", "output")
OF_VERDICTS = ("first", "second", "winner", "p_first", "judge", "item", "weight")
NO_COLUMNS = dict.fromkeys((*OF_TEXTS, *OF_VERDICTS)) | {"systems": [], "tags": []}
CANDIDATES = [{"key": "ash", "text": "Tall."}, {"key": "birch", "text": "White."}]


async def look(http: Http, content: str | bytes | AsyncIterator[bytes], **query: Any) -> httpx.Response:
    headers = {"Content-Type": "application/octet-stream"}
    return await http.post("/v1/tables", params=query, content=content, headers=headers)


async def look_at(http: Http, content: str | bytes, **query: Any) -> dict[str, Any]:
    """The preview of a file, or of typed lines."""
    answer = await look(http, content, **query)
    assert answer.status_code == 200, answer.text
    preview: dict[str, Any] = answer.json()
    return preview


def jsonl(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def parquet(**columns: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, compression="zstd", write_statistics=False)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("trees.csv", CSV),
        ("TREES.CSV", "\ufeff" + CSV.replace("\n", "\r\n")),
        ("trees.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        ("trees.csv", CSV.replace(",", ";")),
        ("trees.tsv", CSV.replace(",", "\t")),
        ("trees.json", json.dumps(CANDIDATES, indent=2)),
        ("trees.json.gz", gzip.compress(json.dumps(CANDIDATES).encode(), mtime=0)),
        ("trees.jsonl", jsonl(*CANDIDATES)),
        ("trees.parquet", parquet(key=["ash", "birch"], text=["Tall.", "White."])),
    ],
)
async def test_every_kind_of_file_is_shown(http: Http, file: str, content: str | bytes) -> None:
    assert await look_at(http, content, file=file) == {
        "kind": "texts", "layout": None, "columns": ["key", "text"],
        "used": NO_COLUMNS | {"key": "key", "text": "text"},
        "candidates": CANDIDATES, "items": [], "comparisons": [], "faults": [], "fault_count": 0, "missing": 0,
        "warnings": [],
        "rows": [["ash", "Tall."], ["birch", "White."]], "row_count": 2,
    }  # fmt: skip


async def test_typed_lines_have_a_key_or_get_a_number(http: Http) -> None:
    preview = await look_at(http, "ash: Tall.\n\n  Sunlight: it is white light. \nhttps://a.b is a text\n")
    assert [tuple(each.values()) for each in preview["candidates"]] == [
        ("ash", "Tall."), ("Sunlight", "it is white light."), ("3", "https://a.b is a text"),
    ]  # fmt: skip
    assert preview["columns"] == []


async def test_columns_are_found_or_named(http: Http) -> None:
    content = "id,title,body\n7,Ash,Tall.\n8,Birch,White.\n"
    guessed = await look_at(http, content, file="trees.csv")
    assert (guessed["used"]["key"], guessed["used"]["text"], guessed["columns"]) == (
        "id",
        "body",
        ["id", "title", "body"],
    )
    assert guessed["candidates"] == [{"key": "7", "text": "Tall."}, {"key": "8", "text": "White."}]
    unnamed = await look_at(http, content.replace("id,", "no,"), file="trees.csv")
    assert [each["key"] for each in unnamed["candidates"]] == ["1", "2"]
    named = await look_at(http, content, file="trees.csv", key="id", text="title")
    assert named["candidates"] == [{"key": "7", "text": "Ash"}, {"key": "8", "text": "Birch"}]
    bare = await look_at(http, content, file="trees.csv", key="title", text="")
    assert bare["candidates"] == [{"key": "Ash", "text": None}, {"key": "Birch", "text": None}]


async def test_every_bad_line_of_a_csv_is_reported(http: Http) -> None:
    content = f'key,text\nash,"Two\nlines."\nbirch,a,b\n,none\nash,again\ncedar,\n{"x" * 201},long\nelm,ok\n'
    preview = await look_at(http, content, file="trees.csv")
    assert [each["key"] for each in preview["candidates"]] == ["ash", "elm"]
    assert [tuple(each.values()) for each in preview["faults"]] == [
        ("line 4", None, "3 fields, the header has 2", "quote commas"),
        ("line 5", "key", "empty", "every row needs a value here"),
        ("line 6", "key", "the key 'ash' is on line 2 already", "give every candidate a key of its own"),
        ("line 7", "text", "empty", "every row needs a value here"),
        ("line 8", "key", "a key of 201 characters", "shorten it to 200"),
    ]


async def test_texts_may_be_long(http: Http) -> None:
    content = f"key,text\nash,{'Tall. ' * 150_000}\n\nbirch,{'ä' * 900_000}\nash,x\n"
    preview = await look_at(http, content, file="trees.csv")
    assert [len(each["text"]) for each in preview["candidates"]] == [899_999, 900_000]
    assert [each["place"] for each in preview["faults"]] == ["line 5"]


async def test_every_bad_line_of_json_lines_is_reported(http: Http) -> None:
    bad = ["{", "[1]", "[" * 100_000, '{"key": "\\ud800", "text": "x"}', '{"text": "x"}', '{"key": "a\\u0000"}']
    content = "\n".join([json.dumps(CANDIDATES[0]), "", *bad, json.dumps(CANDIDATES[1])])
    preview = await look_at(http, content, file="trees.jsonl")
    assert preview["candidates"] == CANDIDATES
    assert [each["place"] for each in preview["faults"]] == [f"line {n}" for n in range(3, 9)]
    assert [each["wrong"].split(" (")[0] for each in preview["faults"]] == [
        "not JSON", "not a JSON object", "numbers too long or lists too deep to read", "half a character", "empty",
        "a NUL character",
    ]  # fmt: skip


async def test_every_bad_element_of_a_json_array_is_reported(http: Http) -> None:
    content = json.dumps([CANDIDATES[0], 1, ["x"], {"key": "ash", "text": "again"}, CANDIDATES[1]])
    preview = await look_at(http, content, file="trees.json")
    assert preview["candidates"] == CANDIDATES
    assert [(each["place"], each["wrong"]) for each in preview["faults"]] == [
        ("row 2", "not a JSON object"), ("row 3", "not a JSON object"), ("row 4", "the key 'ash' is on row 1 already"),
    ]  # fmt: skip


async def test_cells_may_hold_the_other_separators(http: Http) -> None:
    content = 'key;text\nash;Tall, green, old.\n"birch";"White; slim."\n'
    preview = await look_at(http, content, file="trees.csv")
    assert [tuple(each.values()) for each in preview["candidates"]] == [
        ("ash", "Tall, green, old."), ("birch", "White; slim."),
    ]  # fmt: skip
    ragged = await look_at(http, content + "elm;a;b\n", file="trees.csv")
    assert ragged["faults"][0]["remedy"] == "quote semicolons"


async def test_bad_rows_of_parquet_and_bad_typed_lines_are_reported(http: Http) -> None:
    rows = await look_at(http, parquet(key=["ash", None, "ash"], text=["Tall.", "x", "y"]), file="trees.parquet")
    lines = await look_at(http, "ash: one\n\nash: two\n")
    faults = [(each["place"], each["column"]) for each in rows["faults"] + lines["faults"]]
    assert faults == [("row 2", "key"), ("row 3", "key"), ("line 3", "key")]


async def test_a_report_shows_a_hundred_lines_and_counts_all(http: Http) -> None:
    preview = await look_at(http, "key,text\n" + ",x\n" * 150, file="trees.csv")
    assert (len(preview["faults"]), preview["fault_count"], preview["candidates"]) == (100, 150, [])


@pytest.mark.parametrize(
    ("file", "content", "detail"),
    [
        (None, " \n", "write one per line"),
        ("trees.txt", CSV, "unknown kind of file"),
        ("trees.csv", "", "the file is empty"),
        ("trees.csv", "\ufeff", "the file is empty"),
        ("trees.csv", "key,text\n", "no rows"),
        ("trees.csv", "key,key\na,b\n", "is there twice"),
        ("trees.json", '{"key": "ash"}', "write objects between [ and ]"),
        ("trees.json", '[{"key": "ash"}, {"key": ]', "not JSON after element 1"),
        ("trees.json", '[{"key": "ash"}', "not JSON after element 1"),
        ("trees.json", b'[{"key": "\xff"}]', "not UTF-8"),
        ("trees.json", "[]", "no rows"),
        ("trees.csv", b"key,text\nash,\xff\n", "line 2: not UTF-8"),
        ("trees.csv", "first,second\nash,elm\n", "give `winner` or `p_first`"),
        ("trees.csv", "id,prompt,output\n1,Sky?,Blue.\n2,Sea?,Salt.\n", "column 'prompt' has 2 different values"),
        ("trees.csv.gz", "no gzip", "not gzip"),
        ("trees.parquet", "no parquet", "not a Parquet file"),
        ("trees.parquet", b"PAR1" + b"\x00" * 64 + b"PAR1", "not a Parquet file"),
        ("trees.parquet", parquet(key=[["nested"]], text=["x"]), "holds nested JSON"),
    ],
)
async def test_a_file_of_no_use_says_why(http: Http, file: str | None, content: str | bytes, detail: str) -> None:
    named = {} if file is None else {"file": file}
    assert_problem(await look(http, content, **named), 422, "invalid-request", detail)


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", None])
async def test_what_a_page_of_another_site_could_send_is_refused(http: Http, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    answer = await http.post("/v1/tables", content=CSV, params={"file": "trees.csv"}, headers=headers)
    assert_problem(answer, 422, "invalid-request", "application/octet-stream")


@pytest.mark.alone
async def test_a_preview_creates_nothing(http: Http) -> None:
    await look_at(http, CSV, file="trees.csv")
    await look_at(http, "ash: Tall.\nbirch: White.")
    assert (await http.get("/v1/sets")).json()["sets"] == []


async def test_names_that_look_alike_bring_a_warning(http: Http) -> None:
    texts = await look_at(http, "key,text\nGPT-4,Tall.\ngpt_4,White.\n", file="trees.csv")
    assert texts["warnings"] == [
        "candidates look alike: 'GPT-4' and 'gpt_4'; if two are the same candidate, give them one name"
    ]
    assert (await look_at(http, CSV, file="trees.csv"))["warnings"] == []
    battles = await look_at(http, "first,second,winner,judge\na,b,a,Ann\na,b,b,ann\n", file="battles.csv")
    assert [each.partition(":")[0] for each in battles["warnings"]] == ["judges look alike"]


# Outputs of systems

LONG = """model,prompt_id,prompt,category,output
gpt,p1,Why is the sky blue?,nature,Light.
llama,p1,Why is the sky blue?,nature,Paint.
gpt,p2,What is 3 + 4?,sums,7
llama,p2,What is 3 + 4?,sums,
"""
WIDE = """prompt_id,prompt,category,gpt,llama
p1,Why is the sky blue?,nature,Light.,Paint.
p2,What is 3 + 4?,sums,7,
"""
ITEMS = [
    {"key": "p1", "prompt": "Why is the sky blue?", "tags": {"category": "nature"}},
    {"key": "p2", "prompt": "What is 3 + 4?", "tags": {"category": "sums"}},
]
SYSTEMS = [{"key": "gpt", "outputs": {"p1": "Light.", "p2": "7"}}, {"key": "llama", "outputs": {"p1": "Paint."}}]
OF_OUTPUTS = NO_COLUMNS | {"prompt": "prompt_id", "prompt_text": "prompt", "tags": ["category"]}


async def test_a_long_table_is_recognised(http: Http) -> None:
    assert await look_at(http, LONG, file="outputs.csv") == {
        "kind": "systems", "layout": "long", "columns": ["model", "prompt_id", "prompt", "category", "output"],
        "used": OF_OUTPUTS | {"system": "model", "output": "output"}, "candidates": SYSTEMS, "items": ITEMS,
        "faults": [], "fault_count": 0, "missing": 1, "warnings": [], "comparisons": [], "row_count": 4,
        "rows": [line.split(",") for line in LONG.splitlines()[1:]],
    }  # fmt: skip


async def test_a_wide_table_makes_the_same_set_by_its_columns(http: Http) -> None:
    wide = await look_at(http, WIDE, file="outputs.csv", systems=["gpt", "llama"])
    assert (wide["kind"], wide["layout"], wide["missing"]) == ("systems", "wide", 1)
    assert wide["used"] == OF_OUTPUTS | {"systems": ["gpt", "llama"]}
    assert (wide["candidates"], wide["items"]) == (SYSTEMS, ITEMS)


async def test_columns_of_other_names_are_named(http: Http) -> None:
    content = LONG.replace("model,prompt_id,prompt,category,output", "who,what,asked,category,said")
    named = await look_at(http, content, file="outputs.csv", system="who", prompt="what", output="said")
    assert (named["used"]["system"], named["used"]["prompt"], named["used"]["output"]) == ("who", "what", "said")
    assert named["candidates"] == SYSTEMS
    texts = await look_at(http, LONG, file="outputs.csv", key="", text="output")
    assert (texts["kind"], texts["fault_count"], len(texts["candidates"])) == ("texts", 1, 3)


async def test_what_was_read_of_systems_can_be_created(http: Http) -> None:
    read = await look_at(http, LONG, file="outputs.csv")
    created = await create_set(http, candidates=read["candidates"], items=read["items"])
    assert (await created.read("/items"))["items"] == ITEMS
    kept = (await created.read("/candidates"))["candidates"]
    assert [{"key": each["key"], "outputs": each["outputs"]} for each in kept] == SYSTEMS


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"system": "model", "text": "output"}, "name the columns of one kind"),
        ({"system": "nope"}, "no column 'nope'; the columns are model, prompt_id, prompt, category, output"),
        ({"key": "nope"}, "the columns are model, prompt_id"),
        ({"sytem": "model"}, "Unknown query parameter 'sytem'"),
    ],
)
async def test_columns_that_cannot_be_are_refused(http: Http, query: dict[str, str], says: str) -> None:
    assert_problem(await look(http, LONG, file="outputs.csv", **query), 422, "invalid-request", says)


async def test_more_outputs_than_a_set_may_have_are_refused_before_they_are_read(http: Http) -> None:
    names = [f"m{n}" for n in range(900)]
    content = ",".join(["prompt", *names]) + "\n" + "".join(f"p{n}" + ",x" * 900 + "\n" for n in range(6500))
    answer = await look(http, content, file="outputs.csv", systems=names)
    assert_problem(answer, 413, "set-too-large", "6500 items of 900 candidates")


# Limits


async def test_a_file_over_the_limit_is_refused(small: Http) -> None:
    assert_problem(await look(small, CSV + "x" * 2000, file="trees.csv"), 413, "body-too-large", "smaller parts")


async def test_a_file_that_grows_over_the_limit_is_refused(small: Http) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(30):
            yield b" " * 100

    answer = await look(small, chunks(), file="trees.csv")
    assert_problem(answer, 413, "body-too-large", "smaller parts")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("trees.csv.gz", gzip.compress(CSV.encode() + b"elm,x\n" * 10_000)),
        ("trees.parquet", parquet(key=["ash"], text=["x" * 3000])),
    ],
)
async def test_a_file_that_unpacks_over_the_limit_is_refused(small: Http, file: str, content: bytes) -> None:
    assert_problem(await look(small, content, file=file), 422, "invalid-request", "unpacks to more than 2,000 bytes")


async def test_a_long_text_is_a_bad_line(small: Http) -> None:
    preview = await look_at(small, f"ash: Tall.\nbirch: {'x' * 101}")
    assert preview["faults"] == [
        {"place": "line 2", "column": "text", "wrong": "a text of 101 characters",
         "remedy": "shorten it to 100, or compare an excerpt"}
    ]  # fmt: skip


async def test_a_long_output_is_a_bad_cell(small: Http) -> None:
    read = await look_at(small, WIDE.replace("Light.", "x" * 101), file="outputs.csv", systems=["gpt", "llama"])
    assert [(fault["place"], fault["column"]) for fault in read["faults"]] == [("line 2", "gpt")]


async def test_too_many_candidates_are_refused(small: Http) -> None:
    assert_problem(await look(small, "a\nb\nc\nd\n"), 413, "set-too-large", "NEXTPAIR_MAX_CANDIDATES")


def shared_text(rows: int, text: str) -> bytes:
    """A Parquet file in which all rows share one text."""
    same = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), [text])
    return parquet(key=[str(n) for n in range(rows)], text=same)


TINY = "k,\n" * 5001
LARGE: list[tuple[str | None, str | bytes, int, str]] = [
    ("shared.parquet", shared_text(4000, "x" * 20_000), 422, "unpacks to more than 50,000,000 bytes"),
    ("packed.csv.gz", gzip.compress(b"key,text\n" + b"x" * 50_000_000), 422, "unpacks to more than 50,000,000 bytes"),
    ("rows.csv", "key,text\n" + TINY, 413, "more than 5,000 rows"),
    ("ragged.csv", "key,text,more\n" + TINY, 413, "more than 5,000 rows"),
    ("rows.jsonl", "{}\n" * 5001, 413, "more than 5,000 rows"),
    ("faulty.jsonl", "?\n" * 5001, 413, "more than 5,000 rows"),
    ("rows.parquet", shared_text(5001, "x"), 413, "more than 5,000 rows"),
    (None, TINY, 413, "more than 5,000 rows"),
    ("columns.csv", ",".join(map(str, range(1001))) + "\n1\n", 422, "more than 1,000 columns"),
    ("columns.jsonl", jsonl(*({str(n): 1} for n in range(1001))), 422, "more than 1,000 columns"),
    ("object.jsonl", jsonl({str(n): 1 for n in range(1001)}), 422, "more than 1,000 columns"),
    ("columns.parquet", parquet(**{str(n): [1] for n in range(1001)}), 422, "more than 1,000 columns"),
    ("line.csv", "key,text\na," + "x" * 8_000_000, 422, "line 2: longer than 8,000,000 bytes"),
    ("nested.json.gz", gzip.compress(b'[{"key":"a","text":[' + b"{}," * 2_700_000), 422, "one object per line"),
    ("nested.jsonl", '{"key":"a","text":[' + "{}," * 2_700_000, 422, "line 1: longer than 8,000,000 bytes"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "content", "status", "says"), LARGE, ids=[str(case[0]) for case in LARGE])
async def test_a_file_that_would_take_much_memory_or_time_is_refused(
    http: Http, monkeypatch: pytest.MonkeyPatch, file: str | None, content: str | bytes, status: int, says: str
) -> None:
    monkeypatch.setattr("app.service.tables.MOST_ROWS", 5000)
    answer = await (look(http, content) if file is None else look(http, content, file=file))
    assert_problem(answer, status, "set-too-large" if status == 413 else "invalid-request", says)


@pytest.mark.parametrize("file", ["blank.csv", "blank.tsv"])
async def test_a_file_of_blanks_holds_nothing_and_holds_up_nobody(http: Http, file: str) -> None:
    """What Unicode calls a space is a character of the file."""
    preview = await look_at(http, "\u00a0\n\u3000\n", file=file)
    assert (preview["candidates"], preview["fault_count"]) == ([], 1)


async def test_a_preview_that_grows_as_json_is_refused(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.service.tables.MOST_BYTES", 1000)
    assert_problem(
        await look(http, "key,text\nash," + "\1" * 200, file="t.csv"), 422, "invalid-request", "smaller parts"
    )


async def test_columns_of_no_use_may_be_nested(http: Http) -> None:
    content = parquet(key=["ash"], embedding=[[0.5] * 10_000], text=["Tall."])
    preview = await look_at(http, content, file="trees.parquet")
    assert (preview["columns"], preview["candidates"]) == (["key", "embedding", "text"], CANDIDATES[:1])


async def test_reading_stops_when_the_client_has_left(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.tables.POLL_SECONDS", 0.001)
    read_lines: list[int] = []

    def slowly(lines: Iterable[str], bounds: tables.Bounds) -> tables.Table:
        for n, _ in enumerate(lines):
            read_lines.append(n)
            time.sleep(0.01)
            bounds.hold("lines", rows=1)
        raise AssertionError("read to the end")

    monkeypatch.setattr("app.files.candidates.typed", slowly)
    messages = iter([{"type": "http.request", "body": b"a\n" * 3000}])

    async def receive() -> dict[str, Any]:
        return next(messages, {"type": "http.disconnect"})

    answers: list[Any] = []

    async def send(message: Any) -> None:
        answers.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/octet-stream")]
    scope = {"type": "http", "method": "POST", "path": "/v1/tables", "query_string": b"", "headers": headers}
    await app(scope, receive, send)
    assert 0 < len(read_lines) < 3000


# Battles

BATTLES = """question_id,model_a,model_b,winner,judge
q1,gpt,llama,model_a,ada
q1,gpt,qwen,tie (bothbad),ada
q2,qwen,llama,nobody,bea
q2,qwen,qwen,tie,bea
q2,llama,qwen,qwen,bea
"""
OF_BATTLES = {"first": "model_a", "second": "model_b", "winner": "winner", "judge": "judge", "item": "question_id"}


async def test_battles_are_recognised_and_bad_rows_are_reported(http: Http) -> None:
    read = await look_at(http, BATTLES, file="arena.csv")
    assert (read["kind"], read["used"]) == ("battles", NO_COLUMNS | OF_BATTLES)
    assert [each["key"] for each in read["candidates"]] == ["gpt", "llama", "qwen"]
    assert read["candidates"][0]["outputs"] == {"q1": None}
    assert [each["key"] for each in read["items"]] == ["q1", "q2"]
    verdicts = [(each["item"], each["first"], each["winner"], each["judge"]) for each in read["comparisons"]]
    assert verdicts == [
        ("q1", "gpt", "first", "ada"),
        ("q1", "gpt", "both_bad", "ada"),
        ("q2", "llama", "second", "bea"),
    ]
    assert [(fault["place"], fault["column"]) for fault in read["faults"]] == [
        ("line 4", "winner"),
        ("line 5", "model_b"),
    ]
    assert read["faults"][0]["remedy"] == "write first, second, tie, both_bad or the key of the winner"
    assert (read["rows"][0], read["row_count"]) == (["q1", "gpt", "llama", "model_a", "ada"], 5)


async def test_battles_that_were_read_can_be_created_twice_and_count_once(http: Http) -> None:
    read = await look_at(http, BATTLES, file="arena.csv")
    created = await create_set(http, candidates=read["candidates"], items=read["items"])
    for accepted in (3, 0):
        answer = await http.post(f"{created.url}/comparisons", json={"comparisons": read["comparisons"]})
        assert answer.json()["accepted"] == accepted
    assert (await created.read())["comparisons"] == 3


async def test_columns_of_battles_are_named(http: Http) -> None:
    content = "left one,right one,p\n<b>a</b>,b,0.25\nb,c,1.5\n"
    assert_problem(
        await look(http, content, file="b.csv", first="left one", p_first="p"), 422, "invalid-request", "`second`"
    )
    named = {"first": "left one", "second": "right one", "p_first": "p"}
    read = await look_at(http, content, file="b.csv", **named)
    assert [(each["first"], each["p_first"], each["judge"]) for each in read["comparisons"]] == [
        ("<b>a</b>", 0.25, "import")
    ]
    assert read["faults"][0]["wrong"] == "1.5 is not a probability"
    both = await look(http, content, file="b.csv", system="left one", **named)
    assert_problem(both, 422, "invalid-request", "name the columns of one kind")


async def test_annotations_of_alpaca_eval_are_battles(http: Http) -> None:
    row = {"instruction": "Why " * 100, "generator_1": "plover", "generator_2": "heron", "annotator": "gpt-4",
           "output_1": "Because of light.", "output_2": "Because air scatters it.", "preference": 1.75}  # fmt: skip
    read = await look_at(http, json.dumps([row, row | {"preference": 3}]), file="annotations.json")
    (comparison,) = read["comparisons"]
    assert (comparison["first"], comparison["p_first"], comparison["judge"]) == ("plover", 0.25, "gpt-4")
    assert read["items"][0]["prompt"] == ("Why " * 100).strip()
    assert read["items"][0]["key"] == comparison["item"]
    assert read["faults"][0]["remedy"] == "write a number from 1 (the first) to 2 (the second)"


async def test_where_no_row_is_a_verdict_the_first_says_why(http: Http) -> None:
    content = "first,second,winner\n" + "a,b,?\n" * 2000
    assert_problem(await look(http, content, file="b.csv"), 422, "invalid-request", "line 2, column 'winner'")


async def test_the_first_rows_of_any_file_are_shown(http: Http) -> None:
    headers = {"Content-Type": "application/octet-stream"}
    content = f"a,b\n<i>1</i>,{'x' * 500}\n" + "2,3\n" * 20
    answer = await http.post("/v1/tables/preview", params={"file": "any.csv"}, content=content, headers=headers)
    assert answer.json()["columns"] == ["a", "b"]
    assert (answer.json()["rows"][0], answer.json()["row_count"]) == (["<i>1</i>", f"{'x' * 200}…"], 21)
