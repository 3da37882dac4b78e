"""The command line as a whole: what it loads, completes, and says of a surprise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import cli
from tests.cli.commands import JUDGE, failure


@pytest.mark.parametrize("arguments", [["--help"], ["rank", "--help"], ["rank", "none.csv"], ["import", "none.csv"]])
def test_what_needs_no_computing_imports_nothing_heavy(arguments: list[str]) -> None:
    code = f"import sys; from app.cli import run; run({arguments!r}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {"numpy", "pyarrow", "httpx", "scipy", "numba", "matplotlib"} & {*done.stdout.split()}
    assert imported == set()


def test_a_ranking_loads_neither_statistics_nor_optimizers() -> None:
    """They take longer to load than three columns to rank."""
    code = f"import sys; from app.cli import run; run(['rank', {JUDGE!r}]); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"scipy.stats", "scipy.optimize"} & {*done.stdout.split()}


@pytest.mark.parametrize(
    ("words", "completed"), [("nextpair rank-", "rank-sets"), ("nextpair judge --conc", "--concurrency")]
)
def test_the_shell_can_complete_a_command_and_an_option(words: str, completed: str) -> None:
    place = str(words.count(" "))
    variables = {"_NEXTPAIR_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": place}
    program = Path(sys.executable).with_name("nextpair")
    done = subprocess.run([program], env={**os.environ, **variables}, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [completed]


def test_a_surprise_is_one_line_and_code_1(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("app.offline.ranking.rank_file", broken)
    assert failure(capsys, "rank", JUDGE) == (
        1,
        "unexpected ZeroDivisionError: oops (NEXTPAIR_TRACEBACK=1 shows where)",
    )
    monkeypatch.setenv("NEXTPAIR_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        cli.run(["rank", JUDGE])
