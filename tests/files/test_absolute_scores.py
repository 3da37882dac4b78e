"""Absolute scores in tables."""

import re
from pathlib import Path

import pytest

from app.files.absolute_scores import KeyedScore, read_absolute_scores
from app.files.reading import read
from app.files.tables import InputError


def scores_of(tmp_path: Path, *lines: str, group_by: tuple[str, ...] = ()) -> dict[tuple[str, ...], list[KeyedScore]]:
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(lines))
    return read_absolute_scores(read(str(file)), group_by)


def test_a_score_alone_is_rounded_and_nobodys(tmp_path: Path) -> None:
    assert scores_of(tmp_path, "key,score", "ash,7", "elm,5.5") == {
        (): [KeyedScore("ash", "", 7.0, 1 / 12), KeyedScore("elm", "", 5.5, 1 / 12)]
    }


def test_columns_go_by_the_names_of_the_service_too(tmp_path: Path) -> None:
    said = scores_of(tmp_path, "candidate,mean,variance,judge", "ash,7,0.5,ann", "ash,6,0.1,bob")
    assert said == {(): [KeyedScore("ash", "ann", 7.0, 0.5), KeyedScore("ash", "bob", 6.0, 0.1)]}


def test_scores_belong_to_their_groups_where_these_are_named(tmp_path: Path) -> None:
    lines = ("doc,key,score", "u,ash,1", "v,ash,2", "u,elm,3")
    by_doc = scores_of(tmp_path, *lines, group_by=("doc",))
    assert {labels: [each.candidate for each in said] for labels, said in by_doc.items()} == {
        ("u",): ["ash", "elm"], ("v",): ["ash"],
    }  # fmt: skip
    assert list(scores_of(tmp_path, *lines, group_by=("dim",))) == [()]


def test_of_several_scores_of_one_judge_the_last_counts(tmp_path: Path) -> None:
    said = scores_of(tmp_path, "key,score,judge", "ash,1,ann", "ash,2,bob", "ash,3,ann")
    assert [(each.judge, each.mean) for each in said[()]] == [("ann", 3.0), ("bob", 2.0)]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("name,score", "ash,1"), "no column 'candidate'; the columns are name, score"),
        (("key,rating", "ash,1"), "no column 'score'; the columns are key, rating"),
        (("key,score", "ash,"), "line 2, column 'score': an empty cell; write a number from -1e+09 to 1e+09"),
        (("key,score,variance", "ash,1,0.2", "elm,1,0"), "line 3, column 'variance': 0; write a number from 1e-09"),
        (("key,score", ",1"), "line 2, column 'key': empty"),
        (("key,score", "ash,high"), "line 2, column 'score': 'high' is not a finite number"),
    ],
)
def test_a_bad_cell_is_named(tmp_path: Path, lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        scores_of(tmp_path, *lines)
