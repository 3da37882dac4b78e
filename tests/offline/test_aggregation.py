"""`nextpair aggregate` on files."""

import csv
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from nextpair.schemas import Aggregation

from app.cli import run

GOOD, POOR, RANDOM = 0.9, 0.7, 0.5


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Five judges on 400 items: one good, two poor, two random; one cell in ten is empty."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=400)
    path = tmp_path / "judged.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "good", "poor", "poorer", "coin", "coin2", "truth"])
        for n, c in enumerate(truth):
            answers = [c if rng.random() < right else 1 - c for right in (GOOD, POOR, POOR, RANDOM, RANDOM)]
            p = [f"{0.5 + (yes - 0.5) * rng.uniform(0.2, 1.0):.3f}" if rng.random() < 0.9 else "" for yes in answers]
            writer.writerow([f"i{n}", *p, c])
    return str(path)


def summary(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert run(["aggregate", *arguments, "--format", "json"]) == 0
    result: dict[str, object] = json.loads(capsys.readouterr().out)
    return result


def test_the_better_judge_counts_for_more(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    accuracy = {
        method: summary(capsys, file, "--item", "id", "--truth", "truth", "--method", method)["accuracy"]
        for method in ("average", "majority", "dawid-skene")
    }
    assert isinstance(accuracy["dawid-skene"], float)
    assert isinstance(accuracy["majority"], float)
    assert accuracy["dawid-skene"] > accuracy["majority"] + 0.05


def test_json_tells_of_every_judge_and_item(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = summary(capsys, file, "--item", "id", "--truth", "truth")
    judges, items = result["judges"], result["items"]
    assert isinstance(judges, list)
    assert isinstance(items, list)
    assert [judge["judge"] for judge in judges] == ["good", "poor", "poorer", "coin", "coin2"]
    Aggregation.model_validate(result)
    good, coin = judges[0]["confusion"], judges[3]["confusion"]
    assert good["yes"]["yes"] == pytest.approx(GOOD, abs=0.07)
    assert coin["yes"]["yes"] + coin["no"]["no"] == pytest.approx(1.0, abs=0.15)
    assert len(items) == 400
    assert items[0]["item"] == "i0"


def test_csv_is_a_verdict_for_every_item(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["aggregate", file, "--item", "id", "--judge", "good", "--judge", "poor", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 400
    assert all((float(row["p"]) > 0.5) == (row["verdict"] == "1") for row in rows if abs(float(row["p"]) - 0.5) > 1e-6)


def test_the_table_says_what_it_is_of(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["aggregate", file, "--item", "id", "--truth", "truth"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("dawid-skene: 400 items, ")
    assert "accuracy 8" in printed
    assert "coin2" in printed


@pytest.fixture
def labelled(tmp_path: Path) -> str:
    """Three judges who are right in 65% of 300 answers; the answers' words tell, and so does their length."""
    rng = np.random.default_rng(1)
    path = tmp_path / "labelled.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["question", "a", "b", "c", "text", "length", "truth"])
        for n in range(300):
            c = int(rng.integers(2))
            answers = [c if rng.random() < 0.65 else 1 - c for _ in range(3)]
            words = " ".join(rng.choice(["indeed", "surely", "so"] if c else ["never", "hardly", "not"], size=4))
            writer.writerow([f"q{n // 3}", *answers, words, c + rng.normal(), c])
    return str(path)


@pytest.mark.parametrize(
    "options", [["--text", "text"], ["--feature", "length"], ["--text", "text", "--feature", "length"]]
)
def test_what_the_items_say_helps(labelled: str, options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    columns = ["--judge", "a", "--judge", "b", "--judge", "c", "--group", "question", "--truth", "truth", *options]
    plain = summary(capsys, labelled, *columns)["accuracy"]
    helped = summary(capsys, labelled, *columns, "--method", "skill-aggregation", "--regulariser", "0.1")["accuracy"]
    assert isinstance(plain, float)
    assert isinstance(helped, float)
    assert helped > plain + 0.02


def test_uninformative_judges_are_named(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = summary(capsys, file, "--item", "id", "--truth", "truth", "--method", "majority")
    assert isinstance(result["warnings"], list)
    assert any(
        str(warning).startswith("coin is no better than chance, judged by the others") for warning in result["warnings"]
    )


def test_people_say_whom_to_trust(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The truth of all items, here as the labels of a person; what is labelled needs no label."""
    result = summary(capsys, file, "--item", "id", "--reference", "truth", "--judge", "good", "--judge", "coin")
    assert "The best judge, good, does in 9" in str(result["people"])
    scored = summary(capsys, file, "--item", "id", "--reference", "truth", "--truth", "truth")
    assert scored["accuracy"] is None, "every item has its label"
    assert result["label_next"] == []
    assert isinstance(result["judges"], list)
    assert result["judges"][0]["interval"][0] > result["judges"][1]["interval"][1]
    assert isinstance(result["warnings"], list)
    assert any(
        str(warning).startswith("coin is no better than chance by people's labels") for warning in result["warnings"]
    )


def test_any_classes_are_aggregated_and_a_tie_is_one_of_them_or_half_a_vote_for_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "named.csv"
    path.write_text("x,y,z,t\nA,A,B,A\ntie,tie,A,tie\nB,tie,B,\n,B,B,B\n")
    columns = [str(path), "--judge", "x", "--judge", "y", "--judge", "z", "--truth", "t", "--method", "majority"]
    named = summary(capsys, *columns, "--class", "A", "--class", "B", "--class", "tie")
    assert named["classes"] == {"A": 1, "B": 2, "tie": 1}
    assert named["accuracy"] == 1.0
    assert isinstance(named["items"], list)
    assert named["items"][1] == {
        "item": "2",
        "verdict": "tie",
        "p": pytest.approx({"A": 1 / 3, "B": 0.0, "tie": 2 / 3}),
    }
    path.write_text(path.read_text().replace("A,tie\n", "A,\n"))
    halved = summary(capsys, *columns, "--class", "A", "--class", "B", "--tie", "tie")
    assert halved["classes"] == {"A": 2, "B": 2}


def test_both_orders_are_one_item_and_a_position_bias_is_taken_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Judge x likes what it is shown first so much that it names it whatever it is; y contradicts itself on item 2."""
    path = tmp_path / "orders.csv"
    path.write_text("pair,turned,x,y,t\n1,0,0.9,1,1\n1,1,0.6,0,0\n2,0,0.6,1,0\n2,1,0.9,1,1\n")
    columns = [str(path), "--item", "pair", "--swapped", "turned", "--truth", "t", "--method", "average"]
    plain = summary(capsys, *columns)
    assert isinstance(plain["items"], list)
    assert [item["p"]["yes"] for item in plain["items"]] == pytest.approx([(0.65 + 1.0) / 2, (0.35 + 0.5) / 2])
    assert isinstance(plain["judges"], list)
    assert [judge["accuracy"] for judge in plain["judges"]] == [1.0, 0.75]
    debiased = summary(capsys, *columns, "--debias")
    assert isinstance(debiased["items"], list)
    assert [item["p"]["yes"] > 0.5 for item in debiased["items"]] == [True, False]


def test_labels_of_one_order_hold_for_the_item_and_no_label_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Alice labelled item 1 as it was shown the other way round, and item 2 not at all."""
    path = tmp_path / "orders.csv"
    path.write_text("pair,turned,x,y,alice\n1,0,1,1,\n1,1,0,0,1\n2,0,1,1,\n2,1,0,0,\n")
    columns = [str(path), "--item", "pair", "--swapped", "turned", "--reference", "alice", "--method", "majority"]
    result = summary(capsys, *columns)
    assert "of 1 labelled item" in str(result["people"])
    assert isinstance(result["items"], list)
    assert [item["p"]["yes"] for item in result["items"]] == [0.0, 1.0]
    assert result["label_next"] == ["2"]


def test_as_published_a_tie_is_a_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tied.csv").write_text("a,b\n" + "1,0\n0.5,1\n" * 20)
    for method in ("majority", "dawid-skene"):
        result = summary(capsys, str(tmp_path / "tied.csv"), "--method", method, "--as-published")
        assert result["classes"] == {"no": 40, "yes": 0}


def test_an_item_whose_truth_is_not_known_is_not_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A vote of 0.5 is half right."""
    (tmp_path / "some.csv").write_text("a,b,t\n0.9,0.5,1\n0.1,0.5,\n0.8,0.9,0\n0.2,0.1,0\n0.7,0.5,\n")
    result = summary(capsys, str(tmp_path / "some.csv"), "--truth", "t", "--method", "majority")
    assert result["accuracy"] == pytest.approx(2.0 / 3.0)
    assert isinstance(result["judges"], list)
    assert [judge["accuracy"] for judge in result["judges"]] == pytest.approx([2.0 / 3.0, 0.5])
    assert [judge["agreement"] for judge in result["judges"]] == pytest.approx([1.0, 0.7])


@pytest.mark.parametrize(
    ("content", "options", "says"),
    [
        ("a,b\n0.5,1.5\n", [], "line 2, column 'b': write a probability of yes from 0 to 1, or nothing"),
        ("a,b\n0.5,yes\n", [], "'yes' is not a finite number"),
        ("a\n0.5\n", [], "two judges or more"),
        ("a,b\n0.5,0.5\n", ["--judge", "a", "--judge", "c"], "no column 'c'"),
        ("a,b,t\n0.5,0.5,0.5\n", ["--truth", "t"], "line 2, column 't': write 0 or 1"),
        ("i,a,b\n,0.5,0.5\n", ["--item", "i"], "every row needs a value"),
        ("a,b\n0.5,0.5\n", ["--method", "crowdlayer"], "name the columns with --text or --feature"),
        ("a,b,f\n0.5,0.5,\n", ["--feature", "f"], "line 2, column 'f': empty; a feature is a number"),
        ("a,b\nA,C\n", ["--class", "A", "--class", "B"], "line 2, column 'b': 'C' is none of A, B"),
        ("a,b\nA,A\n", ["--class", "A"], "--class: name two classes or more, each once"),
        ("a,b\n1,0\n", ["--tie", "T"], "name the classes too"),
        ("a,b,c\n1,0,1\n", ["--judge", "a", "--judge", "b", "--reference", "b"], "--reference 'b' is a judge's column"),
        ("a,b,s\n1,0,1\n", ["--swapped", "s"], "name the column that tells which with --item"),
        ("a,b\n1,0\n", ["--debias"], "--debias needs both orders (--swapped) or people's labels"),
        ("a,b\n0.5,0.5\n", ["--regulariser", "0.1"], "dawid-skene has no regulariser"),
        ("a,b\n0.5,0.5\n", ["--method", "crowdlayer", "--as-published"], "not among the algorithms of --as-published"),
        ("a,b,c\n1,0,1\n", ["--reference", "c", "--as-published"], "leave --reference out"),
        ("a,b\n0.5,0.5\n", ["--fine-tune"], "name it with --encoder"),
        ("a,b,t\n1,0,x\n", ["--text", "t", "--encoder", "gpt2"], "dawid-skene does not read what the items say"),
        ("a,b\n0.5,0.5\n", ["--method", "crowdlayer", "--encoder", "gpt2"], "name their columns with --text"),
        (
            "a,b,t,f\n1,0,x,1\n",
            ["--method", "crowdlayer", "--text", "t", "--feature", "f", "--encoder", "gpt2", "--fine-tune"],
            "leave out --feature",
        ),
    ],
)
def test_bad_files_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, options: list[str], says: str
) -> None:
    (tmp_path / "bad.csv").write_text(content)
    assert run(["aggregate", str(tmp_path / "bad.csv"), *options]) == 2
    printed = capsys.readouterr().err
    assert says in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_without_the_extra_a_transformer_says_how_to_get_it_and_all_else_works(
    labelled: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "app.offline.transformer", raising=False)
    judges = ["--judge", "a", "--judge", "b", "--judge", "c", "--text", "text", "--method", "skill-aggregation"]
    assert run(["aggregate", labelled, *judges, "--encoder", "gpt2"]) == 2
    printed = capsys.readouterr().err
    assert "pip install 'nextpair-server[transformer]'" in printed
    assert printed.count("\n") == 1
    assert run(["aggregate", labelled, *judges, "--regulariser", "0"]) == 0
