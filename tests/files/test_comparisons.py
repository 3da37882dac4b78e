"""Columns that hold comparisons, and the words of a verdict."""

from pathlib import Path

import pytest

from app.files.comparisons import ComparisonColumns, read_grouped
from app.files.reading import read
from app.files.tables import InputError
from tests.files.factories import grouped, write


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


@pytest.mark.parametrize("header", ["prompt,chosen,rejected,id", "prompt,left,right,winner"])
def test_verdicts_on_prompts_are_no_outputs(tmp_path: Path, header: str) -> None:
    with pytest.raises(InputError, match="no column 'first'; give --first"):
        grouped(write(tmp_path, "log.csv", f"{header}\na,b,c,d\n"))
