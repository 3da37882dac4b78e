"""The commands of a judge that is a language model take their options from its settings and those of its engines."""

from pathlib import Path

import pytest

from app import cli
from judge_worker.settings import ENGINES, every_setting
from tests.cli.commands import failure

PAIRS = "first,second,first_text,second_text\na,b,long text,text\nb,c,text,long text\n"


@pytest.mark.parametrize("command", ["worker", "judge"])
def test_every_engine_has_its_options(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert cli.run([command, "--help"]) == 0
    shown = capsys.readouterr().out
    for name, engine, _ in every_setting():
        is_left_out = command == "judge" and name == "distributed_executor_backend"
        if engine and not is_left_out:
            assert f"--{name.replace('_', '-').removesuffix('s')}" in shown
    assert {engine for engine in ENGINES if f" {engine}: " in shown} == {*ENGINES}
    assert ("--set ID" in shown) == (command == "worker")


def test_options_become_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs, out = tmp_path / "pairs.csv", str(tmp_path / "verdicts")
    pairs.write_text(PAIRS)
    judge = ["judge", str(pairs), "--question", "Which?", "--model", "lengths", "--out", out]
    assert cli.run([*judge, "--engine", "scripted", "--rate", "1000", "--orders", "both"]) == 0
    assert "4" in capsys.readouterr().out.splitlines()[0]
    assert failure(capsys, *judge, "--engine", "openai") == (
        2,
        "base_url is missing: write --base-url, set NEXTPAIR_WORKER_BASE_URL, or add it to the --config file",
    )
    assert failure(capsys, *judge, "--batch", "many")[0] == 2


def test_an_option_may_be_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    headers = ["--header", "X-Team: judges", "--header", "no header"]
    server = ["--engine", "openai", "--base-url", "http://127.0.0.1:9", "--model", "m"]
    assert failure(capsys, "worker", *server, *headers)[1].startswith("headers: write a header as")
