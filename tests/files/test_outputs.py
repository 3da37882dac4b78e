"""Outputs of systems over prompts: the same set in every layout, and one message for each way a file is broken."""

import csv
import io
import json
import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.files.columns import coded
from app.files.outputs import OutputColumns, ReadOutputs, find, item_key, read, tags_of
from app.files.reading import parse
from app.files.tables import InputError

SYSTEMS = ("gpt", "llama", "qwen")
Row = dict[str, Any]


def read_as(name: str, payload: str | bytes, columns: OutputColumns = OutputColumns()) -> ReadOutputs:  # noqa: B008  # immutable
    table = parse(name, payload.encode() if isinstance(payload, str) else payload)
    found = find(table, columns)
    assert found is not None
    return read(table, found, max_chars=1000)


def set_of(outputs: ReadOutputs) -> tuple[Row, Row]:
    """Prompts and tags by item, and outputs by system and item."""
    assert outputs.faults == []
    items = {item.key: (item.prompt, item.tags) for item in outputs.items}
    return items, {candidate.key: candidate.outputs for candidate in outputs.candidates}


def csv_of(rows: list[Row]) -> str:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def jsonl_of(rows: list[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def parquet_of(rows: list[Row]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


FORMS: dict[str, Callable[[list[Row]], str | bytes]] = {
    "a.csv": csv_of, "a.jsonl": jsonl_of, "a.json": json.dumps, "a.parquet": parquet_of,
}  # fmt: skip


def long_of(outputs: dict[str, dict[str, str]], tags: dict[str, str], key: str | None = "prompt_id") -> list[Row]:
    return [
        {**({key: f"p{n}"} if key else {}), "prompt": prompt, "model": system, "category": tags[prompt], "output": text}
        for n, (prompt, texts) in enumerate(outputs.items())
        for system, text in texts.items()
    ]


def wide_of(outputs: dict[str, dict[str, str]], tags: dict[str, str], key: str | None = "prompt_id") -> list[Row]:
    return [
        {**({key: f"p{n}"} if key else {}), "prompt": prompt, **texts, "category": tags[prompt]}
        for n, (prompt, texts) in enumerate(outputs.items())
    ]


def conversations_of(outputs: dict[str, dict[str, str]], tags: dict[str, str]) -> list[Row]:
    return [
        {"prompt_id": f"p{n}", "model": system, "category": tags[prompt], "messages": [
            {"role": "user", "content": prompt}, {"role": "assistant", "content": text}]}
        for n, (prompt, texts) in enumerate(outputs.items())
        for system, text in texts.items()
    ]  # fmt: skip


WORDS = st.text(st.sampled_from("abc é,\n\"'ß0"), max_size=30).map(str.strip)


@st.composite
def answered(draw: st.DrawFn) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Outputs by prompt and system, some of them missing, and a tag for each prompt."""
    prompts = draw(st.lists(WORDS.filter(bool), min_size=2, max_size=6, unique=True))
    outputs = {prompt: {system: draw(WORDS) for system in SYSTEMS} for prompt in prompts}
    outputs[prompts[0]] |= {"gpt": "one answer", "llama": "another"}
    return outputs, {prompt: draw(st.sampled_from(["", "code", "facts"])) for prompt in prompts}


@settings(max_examples=40, deadline=None)
@given(answered(), st.randoms(use_true_random=False))
def test_every_layout_and_format_and_order_gives_the_same_set(
    drawn: tuple[dict[str, dict[str, str]], dict[str, str]], rng: random.Random
) -> None:
    wide = OutputColumns(systems=SYSTEMS)
    expected = set_of(read_as("a.jsonl", jsonl_of(long_of(*drawn))))
    assert expected[1] == {
        system: {f"p{n}": texts[system] for n, texts in enumerate(drawn[0].values()) if texts[system]}
        for system in SYSTEMS
    }
    for name, form in FORMS.items():
        for rows, columns in ((long_of(*drawn), OutputColumns()), (wide_of(*drawn), wide)):
            rng.shuffle(rows)
            order = rng.sample(list(rows[0]), len(rows[0]))
            shuffled = [{column: row[column] for column in order} for row in rows]
            assert set_of(read_as(name, form(shuffled), columns)) == expected
        if name != "a.csv":
            assert set_of(read_as(name, form(conversations_of(*drawn)))) == expected


def changed(rows: list[Row], row: int, **cells: Any) -> list[Row]:
    return [{**each, **cells} if n == row else each for n, each in enumerate(rows)]


SKY, SEA = "Why is the sky blue?", "Why is the sea salty?"
ANSWERED = {
    SKY: {"gpt": "Air scatters blue light the most.", "llama": "It is painted blue, I believe."},
    SEA: {"gpt": "Rivers carry salt from the rocks.", "llama": "The fish did it, I would say."},
}
TAGS = {SKY: "facts", SEA: "facts"}
LONG, WIDE, TALKS = long_of(ANSWERED, TAGS), wide_of(ANSWERED, TAGS), conversations_of(ANSWERED, TAGS)
BY_TEXT = long_of(ANSWERED, TAGS, key=None)


BROKEN: dict[str, tuple[list[Row], Row, list[str]]] = {  # rows, columns that are named, parts of the message
    "no system": (changed(LONG, 1, model=" "), {}, ["line 2, column 'model': empty", "needs the name of its system"]),
    "no prompt": (changed(BY_TEXT, 2, prompt=""), {}, ["line 3, column 'prompt': empty", "every row needs its prompt"]),
    "twice": ([*LONG, {**LONG[0], "output": "Rayleigh."}], {},
     ["line 5, column 'output': another output of 'gpt' for this prompt is on line 1", "keep one of them"]),
    "two texts of a prompt": (changed(LONG, 3, prompt=SKY), {},
     ["line 4, column 'prompt': another text of the prompt 'p1' is on line 3", "give each prompt a key"]),
    "two tags": (changed(LONG, 3, category="code"), {"tags": ("category",)},
     ["line 4, column 'category': 'code', but line 3 has 'facts' for the same prompt", "write one value"]),
    "one system": (LONG[::2], {}, ["column 'model': there is one system, 'gpt'", "put the outputs of two or more"]),
    "nothing in common": ([LONG[0], LONG[3]], {},
     ["column 'prompt_id': no prompt has outputs of two systems", "write a prompt alike"]),
    "too long": (changed(WIDE, 1, llama="x" * 1001), {"systems": ("gpt", "llama")},
     ["line 2, column 'llama': a text of 1,001 characters", "shorten it"]),
    "no user": (changed(TALKS, 1, messages=[{"role": "assistant", "content": "Hi."}]), {},
     ["line 2, column 'messages': no message of the role 'user'", "add what the systems were asked"]),
    "no messages": (changed(TALKS, 2, messages=[{"from": "human", "value": SEA}]), {},
     ["line 3, column 'messages': no list of messages", "write a JSON list of {\"role\""]),
    "one column": ([{"prompt": SKY, "gpt": "Air."}, {"prompt": SEA, "gpt": "Salt."}], {"systems": ("gpt",)},
     ["there is one system, 'gpt'", "put the outputs of two or more"]),
    "NUL": (changed(LONG, 2, output="Salt\0."), {}, ["line 3, column 'output': a NUL character", "remove it"]),
    "a picture": (changed(TALKS, 0, messages=[{"role": "user", "content": [{"type": "image_url"}]}]), {},
     ["line 1, column 'messages': a message that is not text", "leave the row out"]),
    "a long name": (changed(LONG, 0, model="m" * 201), {},
     ["line 1, column 'model': a text of 201 characters", "shorten it to 200"]),
    "a long tag": (changed(WIDE, 0, category="c" * 201), {"tags": ("category",)},
     ["line 1, column 'category': no tag", "at most 200 characters"]),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "columns", "messages"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_says_where_and_what_to_do(rows: list[Row], columns: Row, messages: list[str]) -> None:
    try:
        error = read_as("a.jsonl", jsonl_of(rows), OutputColumns(**columns)).faults[0].error("a.jsonl")
    except InputError as raised:
        error = raised
    assert all(message in str(error) for message in messages), error


def test_rows_at_fault_are_left_out_and_the_others_are_read() -> None:
    outputs = read_as("a.jsonl", jsonl_of(changed(changed(LONG, 0, model=""), 3, output="x" * 1001)))
    assert [(fault.line, fault.column) for fault in outputs.faults] == [(1, "model"), (4, "output")]
    assert {each.key: each.outputs for each in outputs.candidates} == {
        "llama": {"p0": ANSWERED[SKY]["llama"]}, "gpt": {"p1": ANSWERED[SEA]["gpt"]},
    }  # fmt: skip
    assert outputs.missing == 2


def test_a_row_that_is_there_twice_counts_once() -> None:
    assert set_of(read_as("a.jsonl", jsonl_of([*LONG, LONG[0]]))) == set_of(read_as("a.jsonl", jsonl_of(LONG)))


def test_wide_tables_are_known_by_their_texts_and_short_ones_by_their_names() -> None:
    outputs = read_as("a.csv", csv_of(WIDE))
    assert (outputs.layout, outputs.columns.systems, outputs.columns.tags) == ("wide", ("gpt", "llama"), ("category",))
    short = "question,gpt,llama\nTwo and two?,4,5\nTwo and three?,5,\n"
    assert find(parse("short.csv", short.encode())) is None
    named = read_as("short.csv", short, OutputColumns(systems=("gpt", "llama")))
    assert (named.missing, [item.key for item in named.items]) == (1, ["Two and two?", "Two and three?"])


def test_a_system_that_writes_much_less_than_the_others_is_one_of_them() -> None:
    long, terse = (f"Because {'of the air ' * times}above {{}}." for times in (20, 2))
    rows = [f"Why {n}?,{long.format(n)},{long.format(n + 9)},{terse.format(n)}" for n in range(9)]
    outputs = read_as("a.csv", "\n".join(["prompt,gpt,llama,terse", *rows]))
    assert outputs.columns.systems == ("gpt", "llama", "terse")


@pytest.mark.parametrize(
    "content",
    [
        "first,second,winner,prompt\na,b,a,Sky?\na,b,b,Sea?\n",
        "prompt,response_a,response_b\nSky?,Air scatters it all.,Someone painted it.\nSea?,Salt is in rocks.,Fish.\n",
        f"model,prompt,output\ngpt,{SKY},Air.\nllama,{SKY},Paint.\n",
        f"prompt,answer,reference\n{SKY},It is the air up there.,It is the air that scatters.\n{SEA},Some is here.,"
        "There is salt in all the rocks.\n",
        "key,text\na,One.\nb,Two.\n",
    ],
    ids=["comparisons", "two answers", "one prompt", "a reference", "texts"],
)
def test_other_tables_hold_no_outputs(content: str) -> None:
    assert find(parse("a.csv", content.encode())) is None


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (OutputColumns(system="kind"), "no column of prompts (--prompt) is known"),
        (OutputColumns(system="kind", prompt="what"), "no column of outputs (--output) is known"),
        (OutputColumns(prompt="what"), "no column of systems (--system, or --systems) is known"),
        (OutputColumns(system="gone"), "no column 'gone'; the columns are kind, what, said"),
        (OutputColumns(system="kind", systems=("said",)), "leave one out"),
        (OutputColumns(output="said", systems=("said",)), "leave one out"),
    ],
)
def test_a_column_that_is_missing_is_asked_for(columns: OutputColumns, message: str) -> None:
    with pytest.raises(InputError) as caught:
        find(parse("a.csv", b"kind,what,said\nx,y,z\n"), columns)
    assert message in str(caught.value)


def test_any_columns_may_be_named() -> None:
    outputs = read_as(
        "a.csv", "kind,what,said\nx,1,One.\ny,1,Uno.\n", OutputColumns(system="kind", prompt="what", output="said")
    )
    assert set_of(outputs) == ({"1": (None, {})}, {"x": {"1": "One."}, "y": {"1": "Uno."}})


def test_the_text_of_a_prompt_is_its_key_where_it_is_named() -> None:
    rows = changed(LONG, 1, prompt_id="p7")
    assert [item.key for item in read_as("a.jsonl", jsonl_of(rows)).items] == ["p0", "p7", "p1"]
    by_text = read_as("a.jsonl", jsonl_of(rows), OutputColumns(prompt="prompt"))
    assert [(item.key, item.prompt) for item in by_text.items] == [(SKY, SKY), (SEA, SEA)]
    names = {"prompt_id": "inputs.question_id", "prompt": "inputs.question"}
    dotted = [{names.get(name, name): cell for name, cell in row.items()} for row in LONG]
    assert set_of(read_as("a.jsonl", jsonl_of(dotted))) == set_of(read_as("a.jsonl", jsonl_of(LONG)))


def test_a_long_prompt_is_its_own_key_cut_short() -> None:
    long = "Why? " * 100
    first, other = (
        read_as("a.jsonl", jsonl_of(changed(BY_TEXT, 0, prompt=text))).items[0] for text in (long, long[1:])
    )
    assert first.prompt == long.strip()
    assert (len(first.key), first.key[:180]) == (189, long[:180])
    assert item_key(long) != item_key(long + "!")
    assert other.key != first.key


def test_prompts_keep_the_ids_of_a_column_that_has_one_for_each() -> None:
    rows = [{"id": 7 + n // 2, **row} for n, row in enumerate(BY_TEXT)]
    assert [item.key for item in read_as("a.jsonl", jsonl_of(rows)).items] == ["7", "8"]
    of_rows = [{"id": n, **row} for n, row in enumerate(BY_TEXT)]
    outputs = read_as("a.jsonl", jsonl_of(of_rows))
    assert ([item.key for item in outputs.items], outputs.columns.tags) == ([SKY, SEA], ("category",))


def test_a_conversation_of_several_messages_is_one_prompt() -> None:
    turns = [("system", "Be short."), ("user", "Sky?"), ("assistant", "Air."), ("user", "Why?")]
    rows = [
        {"model": system, "messages": [{"role": role, "content": text + end} for role, text in turns], "output": system}
        for system in ("gpt", "llama")
        for end in ("", "!")
    ]
    items = read_as("a.jsonl", jsonl_of(rows)).items
    assert items[0].prompt == "system: Be short.\n\nuser: Sky?\n\nassistant: Air.\n\nuser: Why?"
    parts = [{"type": "text", "text": "Sky"}, {"type": "text", "text": "Sea"}]
    of_parts: list[Row] = [
        {"model": m, "messages": [{"role": "user", "content": parts}], "output": m} for m in ("gpt", "llama")
    ]
    assert read_as("a.jsonl", jsonl_of(of_parts), OutputColumns(system="model")).items[0].prompt == "Sky\nSea"


def test_tags_have_one_value_for_each_prompt_and_empty_is_none() -> None:
    rows = [
        {**row, "language": "en" if n else "", "words": n, "source": {"url": "x"}, "note": "n" * 201}
        for n, row in enumerate(LONG)
    ]
    outputs = read_as("a.jsonl", jsonl_of(rows))
    assert [item.tags for item in outputs.items] == [{"category": "facts", "language": "en"}] * 2
    numbered = [{"prompt": f"Why {n}?", "gpt": "x", "llama": "y", "row": n, "kind": n % 3} for n in range(8)]
    named = OutputColumns(systems=("gpt", "llama"))
    assert read_as("a.jsonl", jsonl_of(numbered), named).columns.tags == ("kind",)
    assert read_as("a.jsonl", jsonl_of(numbered[:7]), named).columns.tags == ("row", "kind")
    many = [{**row, **{f"t{n}": "x" for n in range(30)}} for row in LONG]
    assert len(read_as("a.jsonl", jsonl_of(many)).items[0].tags) == 20


def test_a_tag_of_each_item_is_read_from_any_table() -> None:
    table = parse("log.csv", b"item,kind\na,code\nb,\na,\na,code\n")
    odd = parse("log.csv", b"item,kind\na,code\na,facts\n")
    assert tags_of(table, coded(table, "item"), "kind") == ["code", None]
    with pytest.raises(InputError, match="line 3, column 'kind': 'facts', but line 2 has 'code' for the same prompt"):
        tags_of(odd, coded(odd, "item"), "kind")
