"""Columns that hold comparisons, and the words of a verdict."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from app.files.comparisons import ComparisonColumns, read_grouped
from app.files.reading import read
from app.files.tables import InputError
from tests.files.factories import case, grouped, write


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
    assert grouped(path).p.tolist() == [p]


NAMES, SIDES = ["a,b,a", "b,a,a", "c,b,b", "b,c,b"], ["a,b,a", "b,a,a", "c,b,a", "b,c,b"]


@pytest.mark.parametrize(
    ("rows", "p"),
    [
        (NAMES, [1.0, 0.0, 0.0, 1.0]),
        (SIDES, [1.0, 1.0, 1.0, 0.0]),
        (["tie,draw,tie", "oak,tie,tie", "oak,draw,both_bad"], [1.0, 0.0, 0.5]),
        (["tie,oak,tie", "oak,elm,tie", "elm,tie,oak"], None),
        (["oak,elm,oak", "oak,elm,second", "1,elm,1"], [1.0, 0.0, 1.0]),
        (["GPT,gpt,GPT", "GPT,gpt,gpt", "gpt,GPT,first"], [1.0, 0.0, 1.0]),
        (["a,b,a", "a,b,b"], [1.0, 0.0]),
    ],
)
def test_a_column_of_winners_has_one_reading(tmp_path: Path, rows: list[str], p: list[float] | None) -> None:
    path = write(tmp_path, "log.csv", "\n".join(["first,second,winner", *rows]))
    if p is None:
        with pytest.raises(InputError, match="line 4, column 'winner': 'oak' is not a verdict"):
            grouped(path)
        return
    assert grouped(path).p.tolist() == p


@pytest.mark.parametrize("rows", ["1,2,1\n2,1,1\n", "tie,oak,tie\noak,tie,tie\n"])
def test_two_readings_are_both_named(tmp_path: Path, rows: str) -> None:
    path = write(tmp_path, "log.csv", f"first,second,winner\n{rows}")
    with pytest.raises(
        InputError, match=r"line \d, column 'winner': as a key '(1|tie)' means .*, as a verdict .* both"
    ):
        grouped(path)


def test_a_row_that_only_the_other_reading_fits_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "\n".join(["first,second,winner", *NAMES, "a,c,c", "b,c,a"]))
    with pytest.raises(
        InputError, match="line 7, column 'winner': 'a' has a meaning as a verdict, and more rows as a key"
    ):
        grouped(path)


def test_the_parts_of_a_file_have_one_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.files.reading.PART", 4)
    path = write(tmp_path, "log.csv", "\n".join(["first,second,winner", *NAMES, *["b,a,b"] * 3]))
    assert grouped(path).p.tolist() == [1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "winners"),
    [("letters", "AAABBA"), ("numbers", "313331"), ("sides", "78777"), ("teams", ["tie", "right", "left"])],
)
def test_winners_of_the_cases(name: str, winners: Sequence[str]) -> None:
    sides = ("player_a", "player_b") if name == "teams" else ()
    read = grouped(case(f"ranking/c09_{name}.csv"), ComparisonColumns(*sides))
    assert [read.keys[i] for i in np.where(read.p == 1.0, read.first, read.second)] == [*winners]
    assert set(read.p) <= {0.0, 1.0}


def test_a_weight_column_counts(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "first,second,p_first,weight,n\nkelp,oak,0.9,5000,1\noak,fern,0.25,0.5,2\n")
    assert grouped(path).weight.tolist() == [5000.0, 0.5]
    assert grouped(path, ComparisonColumns(weight="n")).weight.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("cell", ["0", "-1", "", "1e-7", "1000001", "nan"])
def test_a_weight_is_within_its_bounds(tmp_path: Path, cell: str) -> None:
    path = write(tmp_path, "log.csv", f"first,second,p_first,weight\nkelp,oak,0.9,1\nkelp,oak,0.9,{cell}\n")
    with pytest.raises(InputError, match="line 3, column 'weight': "):
        grouped(path)


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "x,y,winner,q\nkelp,oak,second,0.9\n")
    assert grouped(path, ComparisonColumns("x", "y", p_first="q")).p.tolist() == [0.9]
    assert grouped(path, ComparisonColumns("x", "y", winner="winner")).p.tolist() == [0.0]


def test_groups_by_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "g,first,second,winner\nu,a1,a2,tie\nv,a1,a2,tie\nu,a2,a1,tie\n")
    result = read_grouped([read(path)], ComparisonColumns(), ["g"])
    assert result.groups == [("u",), ("v",)]
    assert result.group.tolist() == [0, 1, 0]


@pytest.mark.parametrize("name", ["item", "prompt_id", "question_id", "instance_id", "prompt", "question"])
def test_what_was_judged_has_one_of_the_usual_names(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, "log.csv", f"first,second,winner,{name},kind\na,b,a,p1,x\na,b,b,p2,y\n")
    assert grouped(path).items == ["p1", "p2"]
    assert grouped(path, ComparisonColumns(item="kind")).items == ["x", "y"]


def test_the_key_of_what_was_judged_comes_before_its_text(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "first,second,winner,question,prompt_id\na,b,a,Why?,p1\na,b,b,Why?,p2\n")
    assert grouped(path).items == ["p1", "p2"]


@pytest.mark.parametrize("header", ["model,prompt_id,prompt,output", "prompt,gpt,llama,qwen"])
def test_a_table_of_outputs_says_how_to_rank_it(tmp_path: Path, header: str) -> None:
    path = write(tmp_path, "outputs.csv", f"{header}\na,b,c,d\n")
    with pytest.raises(InputError, match="these are outputs, not comparisons; send them with nextpair import, judge"):
        grouped(path)


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("prompt,chosen,rejected,id", "they are texts and no candidates; put the names of those who wrote them into"),
        ("prompt,left,right,winner", "no column 'first'; give --first"),
    ],
)
def test_verdicts_on_prompts_are_no_outputs(tmp_path: Path, header: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        grouped(write(tmp_path, "log.csv", f"{header}\na,b,c,d\ne,f,g,h\n"))


def test_the_names_of_columns_are_read_blind(tmp_path: Path) -> None:
    plain = write(tmp_path, "a.csv", "model_a,model_b,winner,prompt_id,judge,weight\nx,y,model_b,p,ann,2\n")
    other = write(tmp_path, "b.csv", "Model A,MODEL-B,Winner,Prompt ID,Judge,WEIGHT\nx,y,Model B,p,ann,2\n")
    read, expected = grouped(other), grouped(plain)
    assert [*map(str, read)] == [*map(str, expected)]
    assert (read.items, read.judges, read.weight.tolist()) == (["p"], ["ann"], [2.0])


def test_the_exact_name_of_a_column_comes_first(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "first,second,winner,Judge,judge,W\na,b,a,x,y,3\n")
    assert grouped(path).judges == ["y"]
    assert grouped(path, ComparisonColumns(judge="JUDGE", weight="w")).weight.tolist() == [3.0]


def test_prompts_in_a_capital_column_are_kept() -> None:
    assert len(grouped(case("files/capital.csv")).items) == 40
