"""Files side by side, as `nextpair rank A B` prints them."""

import csv
import io
import json
from pathlib import Path

import pytest

from app.offline.leaderboard import names_of
from tests.cli.commands import failure, out

CLARITY = "first,second,winner\nash,birch,first\nbirch,cedar,first\nash,cedar,first\n"
ACCURACY = "first,second,winner\ncedar,ash,first\ncedar,birch,first\nelm,ash,first\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for name, rows in (("clarity", CLARITY), ("accuracy", ACCURACY)):
        (tmp_path / f"{name}.csv").write_text(rows)
    return [str(tmp_path / f"{name}.csv") for name in ("clarity", "accuracy")]


def test_places_are_those_of_each_file_ranked_alone(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    board = json.loads(out(capsys, "rank", *files, "--format", "json"))
    assert [each["name"] for each in board["criteria"]] == ["clarity", "accuracy"]
    for k, file in enumerate(files):
        alone = json.loads(out(capsys, "rank", file, "--format", "json"))["ranking"]
        places = {row["key"]: row["places"][k] for row in board["rows"] if row["places"][k]}
        assert places == {row["key"]: {field: row[field] for field in places[row["key"]]} for row in alone}


def test_a_table_has_a_column_for_each_criterion(
    files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    lines = out(capsys, "rank", *files).splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["clarity", "accuracy"]
    order = "In the order of clarity; the files are not averaged."
    first_place, rest = lines[2], lines[3:]
    assert first_place.startswith("No signal yet (e-value ")
    assert first_place.endswith("ash leads so far. That is by clarity alone.")
    assert rest[0] == f"{order} A file is missing for 1 of 4 candidates."
    assert rest[2].split() == ["candidate", "clarity", "accuracy"]
    assert [line.split()[0] for line in rest[4:8]] == ["ash", "birch", "cedar", "elm"]
    assert rest[7].split()[1] == "-"


def test_weights_add_a_column_and_order_the_rows(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    weights = "--criterion-weight", "clarity=1", "--criterion-weight", "accuracy=3"
    board = json.loads(out(capsys, "rank", *files, *weights, "--format", "json"))
    assert board["weights"] == {"clarity": 0.25, "accuracy": 0.75}
    rows = list(csv.DictReader(io.StringIO(out(capsys, "rank", *files, *weights, "--format", "csv"))))
    assert [row["key"] for row in rows] == [row["key"] for row in board["rows"]]
    assert float(rows[0]["weighted_win_rate"]) == pytest.approx(board["rows"][0]["weighted"]["win_rate"])
    assert float(rows[0]["low_accuracy"]) == pytest.approx(board["rows"][0]["places"][1]["interval"][0])
    assert (rows[-1]["key"], rows[-1]["rank_clarity"], rows[-1]["weighted_win_rate"]) == ("elm", "", "")
    assert "weighted wins" in out(capsys, "rank", *files, *weights)


def test_a_criterion_has_its_files_name(files: list[str]) -> None:
    assert names_of(["a/tone.csv.gz", "b/facts.jsonl"]) == ["tone", "facts"]
    assert names_of(["a/tone.csv", "b/tone.csv"]) == ["a/tone.csv", "b/tone.csv"]


def test_what_one_ranking_alone_has_is_refused(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "--group-by is of one file" in failure(capsys, "rank", *files, "--group-by", "winner")[1]
    assert "--plot is of one file" in failure(capsys, "rank", *files, "--plot", "a.svg")[1]
    assert "several FILES" in failure(capsys, "rank", files[0], "--criterion-weight", "clarity=1")[1]
    assert "no criterion of the name 'tone'" in failure(capsys, "rank", *files, "--criterion-weight", "tone=1")[1]
