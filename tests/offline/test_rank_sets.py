"""`nextpair rank-sets` on files."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from nextpair.schemas import RankSets

from app.cli import run

SYSTEMS = ("ada", "bob", "cyd", "dee")


@pytest.fixture
def file(tmp_path: Path) -> str:
    """2,000 instances of four systems, from ada down to dee; people judged 400, a judge who is right in 85% all."""
    rng, path = np.random.default_rng(0), tmp_path / "arena.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["model_a", "model_b", "human", "gpt"])
        for n in range(2000):
            a, b = rng.choice(4, size=2, replace=False)
            word = rng.choice(["a", "b", "tie"], p=_chances(a, b))
            other = {"a": "model_b", "b": "model_a", "tie": "bothbad"}[word]
            verdict = word if rng.random() < 0.85 else other
            writer.writerow([SYSTEMS[a], SYSTEMS[b], word if n < 400 else "", verdict])
    return str(path)


def _chances(a: int, b: int) -> list[float]:
    first = 0.9 / (1.0 + np.exp(1.2 * (a - b)))
    return [first, 0.9 - first, 0.1]


def test_systems_from_the_best_down(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rank-sets", file, "--people", "human", "--judge", "gpt", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    RankSets.model_validate(found)
    assert [row["key"] for row in found["systems"]] == list(SYSTEMS)
    assert all(row["ranks"][0] <= n + 1 <= row["ranks"][1] for n, row in enumerate(found["systems"]))
    assert (found["instances_by_both"], found["instances_by_judge"], found["version"]) == (400, 1600, 2000)
    assert 0.2 < found["tuned_lambda"] < 1.0
    assert found["people_saved"] > 50
    narrow, wide = (
        sum(worst - best for best, worst in ranks)
        for ranks in zip(*((row["ranks"], row["by_people"]["ranks"]) for row in found["systems"]), strict=True)
    )
    assert narrow <= wide


def test_a_weight_is_refused(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, *rows = Path(file).read_text().splitlines()
    weighted = tmp_path / "weighted.csv"
    weighted.write_text("\n".join([header + ",weight", *(row + ",2" for row in rows)]))
    assert run(["rank-sets", str(weighted), "--people", "human", "--judge", "gpt"]) == 2
    assert "remove the column 'weight'" in capsys.readouterr().err


def test_several_judges_each_with_a_lambda_and_alone(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    header, *rows = Path(file).read_text().splitlines()
    Path(file).write_text(
        "\n".join([header + ",coin", *(row + ("," if n % 2 else ",a") for n, row in enumerate(rows))])
    )
    asked = ["rank-sets", file, "--people", "human", "--judge", "gpt", "--judge", "coin"]
    assert run([*asked, "--lambda", "0.5", "--lambda", "0", "--format", "json"]) == 0
    given = json.loads(capsys.readouterr().out)
    assert [(of["judge"], of["tuned_lambda"]) for of in given["judges"]] == [("gpt", 0.5), ("coin", 0.0)]
    assert [of["instances_by_both"] + of["instances_by_judge"] for of in given["judges"]] == [2000, 1000]
    assert run([*asked, "--format", "csv"]) == 0
    alone = next(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert 0.0 < float(alone["theta_by_gpt"]) < 1.0
    assert int(alone["best_rank_by_gpt"]) <= int(alone["worst_rank_by_gpt"])
    assert run([*asked, "--lambda", "0.5"]) == 2
    assert "give one for each judge" in capsys.readouterr().err
    assert run([*asked, "--judge", "human"]) == 2
    assert "one is named twice" in capsys.readouterr().err


def test_rows_that_share_an_item_leave_more_ranks_open(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, *rows = Path(file).read_text().splitlines()
    spread = []
    for items in (2000, 8, 1):
        path = tmp_path / f"{items}.csv"
        path.write_text("\n".join([f"{header},item", *(f"{row},{n % items}" for n, row in enumerate(rows))]))
        assert run(["rank-sets", str(path), "--people", "human", "--judge", "gpt", "--format", "json"]) == 0
        spread.append([row["sd"] for row in json.loads(capsys.readouterr().out)["systems"]])
    assert run(["rank-sets", file, "--people", "human", "--judge", "gpt", "--format", "json"]) == 0
    as_today = [row["sd"] for row in json.loads(capsys.readouterr().out)["systems"]]
    assert spread[0] == spread[2] == as_today
    assert spread[1] != as_today


def test_csv_and_table(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rank-sets", file, "--people", "human", "--judge", "gpt", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["system"] for row in rows] == list(SYSTEMS)
    assert run(["rank-sets", file, "--people", "human", "--judge", "gpt", "--covariance", "published"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("400 instances judged by people, 2,000 by")
    assert "worth" not in printed  # a covariance that is too small says nothing of what was saved


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            "model_a,model_b,human,gpt\nada,bob,a,a\nada,bob,,a\n",
            "2 instances that human judged; 'ada' is in 1",
        ),
        ("model_a,model_b,human,gpt\nada,bob,a,\nada,bob,a,a\nada,bob,,a\n", "column 'gpt'"),
        ("model_a,model_b,human,gpt\nada,bob,x,a\nada,bob,a,a\nada,bob,,a\n", "'x' is not a verdict"),
        ("model_a,model_b,gpt\nada,bob,a\n", "no column 'human'"),
        ("one,two,human,gpt\nada,bob,a,a\n", "give --first"),
    ],
)
def test_bad_files_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, says: str
) -> None:
    (tmp_path / "bad.csv").write_text(content)
    assert run(["rank-sets", str(tmp_path / "bad.csv"), "--people", "human", "--judge", "gpt"]) == 2
    printed = capsys.readouterr().err
    assert says in printed
    assert printed.count("\n") == 1
