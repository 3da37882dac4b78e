"""`nextpair rank` on files in parts, with many rows, and with many candidates."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.special import expit

from app.cli import run
from app.inference.experts import MAKERS, make
from app.offline import memory, ranking

N, K = 70, 900  # more candidates than are fitted by a matrix at once


def cells(seed: int = 0) -> dict[str, list[object]]:
    rng = np.random.default_rng(seed)
    scores, first = rng.standard_normal(N), rng.integers(N, size=K)
    second = (first + rng.integers(1, N, size=K)) % N
    p = np.round(expit(scores[first] - scores[second]), 3)
    names = [f"c{n:02d}" for n in range(N)]
    return {
        "first": [names[n] for n in first],
        "second": [names[n] for n in second],
        "p_first": p.tolist(),
        "judge": [f"j{n}" for n in rng.integers(2, size=K)],
        "text": ["long"] * K,
    }


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """One Parquet file."""
    pq.write_table(pa.table(cells()), tmp_path / "log.parquet")
    return tmp_path / "log.parquet"


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """The same rows in a folder of three kinds of files."""
    table, folder = pa.table(cells()), tmp_path / "parts"
    folder.mkdir()
    pq.write_table(table.slice(0, 300), folder / "a.parquet")
    rows = table.slice(300, 300).to_pylist()
    (folder / "b.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with (folder / "c.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, table.column_names)
        writer.writeheader()
        writer.writerows(table.slice(600).to_pylist())
    return folder


def ranked(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, dict[str, str]]:
    """Rows by key."""
    plain = "--inference-target", "latent", "--position-bias", "none"
    assert run(["rank", *map(str, arguments), *plain, "--format", "csv"]) == 0
    return {row["key"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert run(["rank", *map(str, arguments)]) == 2
    return capsys.readouterr().err


def test_parts_of_any_kind_are_ranked_as_one_file(capsys: pytest.CaptureFixture[str], log: Path, parts: Path) -> None:
    assert ranked(capsys, parts) == ranked(capsys, log)


@pytest.mark.parametrize("method", [*(name for name in MAKERS if make(name).linear_in_p), "average-probability"])
def test_rows_that_are_put_together_give_the_same_ranking(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, log: Path, method: str
) -> None:
    apart = ranked(capsys, log, "--method", method, "--verdict-weight", "one-vote")
    monkeypatch.setattr(ranking, "MOST_ROWS", 100)
    together = ranked(capsys, log, "--method", method)
    assert [row["comparisons"] for row in together.values()] == [row["comparisons"] for row in apart.values()]
    for column in ("score", *(["sd", "low", "p_best"] if method != "average-probability" else [])):
        np.testing.assert_allclose(
            [float(row[column]) for row in together.values()], [float(row[column]) for row in apart.values()], atol=1e-7
        )


def test_what_sums_cannot_say_is_left_out_and_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, log: Path
) -> None:
    monkeypatch.setattr(ranking, "MOST_ROWS", 100)
    assert run(["rank", str(log), "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["left_out"] == [
        "verdict weights: each verdict counts as one vote",
        "position biases: none is assumed",
        "the signal",
        "the agreement of judges",
        "the agreement with people",
    ]
    assert (answer["comparisons"], answer["version"]) == (K, K)
    assert (answer["signal"]["verdicts"], answer["agreement"]) == (0, None)
    assert (answer["method"]["verdict_weight"], answer["method"]["position_bias"]) == ("one-vote", "none")
    assert run(["rank", str(log), "--verdict-weight", "learnt", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["left_out"], answer["signal"]["verdicts"] > 0) == ([], True)


@pytest.mark.parametrize("most_rows", [100, 10_000])
def test_many_candidates_are_ranked_without_a_matrix(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, log: Path, most_rows: int
) -> None:
    dense = ranked(capsys, log, "--verdict-weight", "one-vote")
    monkeypatch.setattr(ranking, "DENSE", 10)
    monkeypatch.setattr(ranking, "RANKED_DENSE", 10)
    monkeypatch.setattr(ranking, "MOST_ROWS", most_rows)
    monkeypatch.setattr("app.inference.fitting.posterior.from_precision", None)  # which has a matrix
    many = ranked(capsys, log)
    for column, tolerance in (("score", 1e-7), ("sd", 0.02), ("low", 0.05), ("p_best", 0.1), ("comparisons", 0.0)):
        np.testing.assert_allclose(
            [float(many[key][column]) for key in dense], [float(row[column]) for row in dense.values()], atol=tolerance
        )
    assert run(["rank", str(log), "--position-bias", "none"]) == 0
    assert "Left out of so large a file: verdict weights" in capsys.readouterr().out


def test_a_table_has_the_best_and_says_how_many_more_there_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, log: Path
) -> None:
    monkeypatch.setattr("app.offline.printing.ranking.MOST_SHOWN", 10)
    assert run(["rank", str(log)]) == 0
    shown = capsys.readouterr().out
    assert len(re.findall(r"^ *\d+ +c\d\d\b", shown, re.MULTILINE)) == 10
    assert "60 more candidates: --format csv and json list all of them." in shown


def test_what_does_not_fit_into_memory_is_refused_beforehand(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, log: Path
) -> None:
    monkeypatch.setattr(ranking, "DENSE", 10)
    monkeypatch.setattr("app.inference.fitting.posterior.DENSE", 10)
    monkeypatch.setattr(memory, "free", lambda: 200_000.0)
    assert "900 rows, each of which laplace needs: about 0.0 GiB" in refusal(capsys, log, "--method", "laplace")
    assert "memory is used up after 900 rows" in refusal(capsys, log)
    monkeypatch.setattr(memory, "RESERVE", 0)
    message = refusal(capsys, log, "--position-bias", "estimate")
    assert "soft-bt on 70 candidates makes a matrix of them: about 0.0 GiB of memory, and 0.0 GiB are free" in message
    assert ranked(capsys, log)


def test_a_condition_is_looked_for_in_every_part(capsys: pytest.CaptureFixture[str], parts: Path) -> None:
    (parts / "b.jsonl").write_text('{"first": "x", "second": "y", "p_first": 1, "judge": "only here"}\n')
    assert [*ranked(capsys, parts, "--where", "judge=only here")] == ["x", "y"]
    assert "no row with judge=nobody; there is j0, j1, only here" in refusal(capsys, parts, "--where", "judge=nobody")


def test_free_memory_is_what_the_system_says() -> None:
    assert memory.free() > 0


def test_files_that_were_read_do_not_use_up_a_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "GROUP", tmp_path)
    for name, content in (("max", "4000\n"), ("current", "3900\n"), ("stat", "anon 900\ninactive_file 3000\n")):
        (tmp_path / f"memory.{name}").write_text(content)
    assert memory.free() == 3100.0
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.free() > 4000.0
