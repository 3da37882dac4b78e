"""What `nextpair import` reads."""

import csv
import io
import re
from pathlib import Path

import httpx
import pytest

from app.files import transfer
from app.files.candidates import CandidateColumns
from app.files.comparisons import ComparisonColumns
from app.files.outputs import OutputColumns
from app.files.tables import InputError
from tests.factories import compare
from tests.files.factories import case


def source(folder: Path, content: str) -> transfer.Source:
    path = folder / "trees.csv"
    path.write_text(content)
    return transfer.Source(str(path), ComparisonColumns())


def test_a_file_with_key_and_text_holds_candidates(tmp_path: Path) -> None:
    contents = transfer.read(source(tmp_path, "key,text\nash,Tall.\nbirch,White.\n"))
    assert [(each.key, each.text) for each in contents.candidates] == [("ash", "Tall."), ("birch", "White.")]
    assert (contents.items, contents.comparisons) == ([], [])


def test_rows_without_a_winner_are_skipped_if_you_say_so() -> None:
    said: list[str] = []
    file = transfer.Source(case("files/c21_empty.csv"), ComparisonColumns())
    with pytest.raises(InputError, match="line 3, column 'winner': empty; write first"):
        transfer.read(file)
    contents = transfer.read(file._replace(skip_empty=True), said.append)
    assert [(each.first, each.second) for each in contents.comparisons] == [("oak", "pine"), ("oak", "elm")]
    assert said == ["2 rows of 4 skipped: they do not say who won"]


def test_judges_that_look_alike_are_warned_of(tmp_path: Path) -> None:
    said: list[str] = []
    rows = "oak,elm,first,Ada\noak,elm,first,ada\noak,elm,first,cafe\u0301\noak,elm,first,caf\u00e9\n"
    contents = transfer.read(source(tmp_path, f"first,second,winner,judge\n{rows}"), said.append)
    assert [each.judge for each in contents.comparisons] == ["Ada", "ada", "caf\u00e9", "caf\u00e9"]
    assert said == ["judges look alike: 'Ada' and 'ada'; if two are the same judge, give them one name"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("key,text\ncafe\u0301,A.\ncaf\u00e9,B.\n", "line 3, column 'key': the key 'caf\u00e9' is on line 2 already"),
        ("key,text\nelm,A.\nk\u202e,B.\n", "line 3, column 'key': the key 'k.u202e' has U.202E, which nobody sees"),
        (
            "model,prompt_id,prompt,output\na\u200b,1,Why?,x\nb,1,Why?,y\nb,2,How?,z\n",
            "line 2, column 'model': 'a.u200b' has U",
        ),
        ("first,second,winner,judge\noak,elm,first,a\u00ad\n", "line 2, column 'judge': 'a.xad' has U.00AD"),
    ],
)
def test_names_that_are_one_or_not_seen_are_refused(tmp_path: Path, content: str, line: str) -> None:
    with pytest.raises(InputError, match=line):
        transfer.read(source(tmp_path, content))


def test_a_table_of_rankings_is_no_table_of_candidates() -> None:
    with pytest.raises(InputError, match=r"columns 'rank_1', 'rank_2', 'rank_3' hold rankings.*write a row for each"):
        transfer.read(transfer.Source(case("files/sheet_ranking.csv"), ComparisonColumns()))


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ("id,joke\n7,Knock knock.\n8,Why?\n", CandidateColumns("id", "joke")),
        ("Key,Text,votes\n7,Knock knock.,1\n8,Why?,2\n", CandidateColumns("Key", "Text")),
        ("source,quip,name\nweb,A horse walks into a bar.,7\nweb,Why is the sky so blue?,8\n",
         CandidateColumns("name", "quip")),
        ("response,comment,id\nKnock knock.,One of the longest comments,7\nWhy?,Another long comment,8\n",
         CandidateColumns("id", "response")),
    ],
)  # fmt: skip
def test_candidates_are_found_by_what_their_columns_are_called_or_hold(
    tmp_path: Path, content: str, columns: CandidateColumns
) -> None:
    file = source(tmp_path, content)
    candidates = transfer.read(file).candidates
    assert [each.key for each in candidates] == ["7", "8"]
    assert candidates == transfer.read(file._replace(candidates=columns)).candidates


def test_columns_of_candidates_are_named_where_they_are_not_found(tmp_path: Path) -> None:
    file = source(tmp_path, "no,line\n7,Knock knock.\n8,Why?\n")
    with pytest.raises(InputError, match="give --first and --second of comparisons, or --key and --text of candidates"):
        transfer.read(file)
    named = transfer.read(file._replace(candidates=CandidateColumns("no", "line"))).candidates
    assert [(each.key, each.text) for each in named] == [("7", "Knock knock."), ("8", "Why?")]
    numbered = transfer.read(file._replace(candidates=CandidateColumns(text="line"))).candidates
    assert [each.key for each in numbered] == ["1", "2"]


@pytest.mark.parametrize(
    "content", ["id,left,right,winner\n1,a,b,a\n", "id,name,left,right\n1,x,a,b\n", "first,second,text\na,b,x\n"]
)
def test_what_tells_verdicts_is_not_taken_for_candidates(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError):
        transfer.read(source(tmp_path, content))


def test_columns_of_candidates_and_of_comparisons_exclude_each_other(tmp_path: Path) -> None:
    file = source(tmp_path, "id,first,second,winner\n1,a,b,a\n")
    file = file._replace(candidates=CandidateColumns("id"), columns=ComparisonColumns(item="id"))
    with pytest.raises(InputError, match="leave them out for comparisons"):
        transfer.read(file)


def test_a_row_is_known_by_its_content(tmp_path: Path) -> None:
    """As it was before rows had weights, so that a file that was sent then brings nothing new."""
    content = "model_a,model_b,winner\nfinch-max,heron-2,model_b\n"
    (before,) = transfer.read(source(tmp_path, content)).comparisons
    assert before.client_id == "6e1f0100674c0f5dbb845c54226ce35c-1"

    rows = content.replace("winner", "winner,weight").replace(",model_b\n", ",model_b,{}\n")
    (once,) = transfer.read(source(tmp_path, rows.format(1))).comparisons
    (twice,) = transfer.read(source(tmp_path, rows.format(2))).comparisons
    assert (once, twice.weight) == (before, 2.0)
    assert twice.client_id != before.client_id


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("key,text\nash,Tall.\nash,Old.\n", "line 3, column 'key': the key 'ash' is on line 2 already"),
        ("key,text\nash,Tall.\n,Old.\nbirch,\n", "line 3, column 'key': empty"),
        ("key,text\nash,Tall.\nbirch,a,b\n", "line 3: 3 fields, the header has 2"),
    ],
)
def test_the_first_bad_line_is_the_error(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        transfer.read(source(tmp_path, content))
    assert message in str(caught.value)


OUTPUTS = "model,prompt,kind,output\n" + "".join(
    f"{model},Why {n}?,k{n % 2},{model} knows why it is {n}.\n" for model in ("gpt", "llama") for n in range(3)
)


def test_a_file_of_outputs_holds_systems_and_their_prompts(tmp_path: Path) -> None:
    contents = transfer.read(source(tmp_path, OUTPUTS + "qwen,Why 9?,k1,\n"))
    assert [(item.key, item.tags) for item in contents.items[:2]] == [
        ("Why 0?", {"kind": "k0"}),
        ("Why 1?", {"kind": "k1"}),
    ]
    assert [candidate.key for candidate in contents.candidates] == ["gpt", "llama", "qwen"]
    assert contents.outputs is not None
    assert transfer.summary(contents.outputs) == (
        "3 systems, 4 prompts, 6 outputs, 6 missing; tags kind; "
        "not compared: 1 system without outputs, 1 prompt with fewer than 2 outputs"
    )


def test_comparisons_on_a_long_prompt_have_the_key_of_its_outputs(tmp_path: Path) -> None:
    long = "Why? " * 50 + "Because."
    outputs = transfer.read(source(tmp_path, OUTPUTS.replace("Why 1?", long)))
    log = transfer.read(source(tmp_path, f"model_a,model_b,winner,prompt\ngpt,llama,model_a,{long}\n"))
    assert log.comparisons[0].item == outputs.items[1].key


def test_columns_of_outputs_may_be_named(tmp_path: Path) -> None:
    file = source(tmp_path, "what,x,y\nOne?,1,2\nTwo?,3,\n")
    contents = transfer.read(file._replace(outputs=OutputColumns(prompt="what", systems=("x", "y"))))
    assert [candidate.outputs for candidate in contents.candidates] == [{"One?": "1", "Two?": "3"}, {"One?": "2"}]
    with pytest.raises(InputError, match="name those of one kind"):
        transfer.read(file._replace(outputs=OutputColumns(prompt="what"), candidates=CandidateColumns("what")))


def test_outputs_in_several_files_are_put_into_one_first(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(OUTPUTS)
    with pytest.raises(InputError, match=r"b\.csv: outputs come from one file; put those of all systems into .*a\.csv"):
        transfer.read(transfer.Source(str(tmp_path), ComparisonColumns()))


KEYS = ["=cmd|' /C calc'!A0", "+1", "-1", "@sum", "'=1", "''+1", "'quoted'", "='", "plain"]


async def test_an_export_holds_no_formulas_and_comes_back_with_the_same_keys(
    http: httpx.AsyncClient, tmp_path: Path
) -> None:
    created = await http.post("/v1/sets", json={"name": "n", "question": "q", "candidates": [{"key": k} for k in KEYS]})
    url = f"/v1/sets/{created.json()['id']}"
    await compare(http, created.json()["id"], *(f"{key}>plain" for key in KEYS[:-1]))
    for path in (f"{url}/comparisons?format=csv", f"{url}/ranking?format=csv"):
        rows = list(csv.reader(io.StringIO((await http.get(path)).text)))
        assert not [cell for row in rows for cell in row if re.match(r"\s*[=+@]|-\D", cell)]
    for form in ("csv", "jsonl", "parquet"):
        file = tmp_path / f"log.{form}"
        file.write_bytes((await http.get(f"{url}/comparisons", params={"format": form})).content)
        contents = transfer.read(transfer.Source(str(file), ComparisonColumns()))
        assert {each.key for each in contents.candidates} == set(KEYS)


def test_a_folder_is_as_all_its_files_and_failures_are_no_verdicts(tmp_path: Path) -> None:
    folder = tmp_path / "verdicts"
    folder.mkdir()
    (folder / "_job.json").write_text("{}")
    (folder / "part-0.csv").write_text("first,second,p_first,failure,judge\na,b,0.25,,m\na,c,,refused,m\n")
    (folder / "part-1.csv").write_text("first,second,p_first,failure,judge\na,b,0.25,,m\nb,c,,timeout,m\n")
    contents = transfer.read(transfer.Source(str(folder), ComparisonColumns()))
    assert [(each.first, each.second, each.p_first) for each in contents.comparisons] == [("a", "b", 0.25)] * 2
    assert len({each.client_id for each in contents.comparisons}) == 2, "judged twice, in two files"


def test_annotations_of_alpaca_eval_become_comparisons() -> None:
    path = "examples/harnesses/alpaca_eval/heron/annotations.json"
    contents = transfer.read(transfer.Source(path, ComparisonColumns()))
    assert [each.key for each in contents.candidates] == ["plover", "heron"]
    assert len(contents.items) == len(contents.comparisons) == 15
    assert contents.comparisons[0].p_first == pytest.approx(2.0 - 1.6579)
    assert {each.judge for each in contents.comparisons} == {"recorded judge"}
