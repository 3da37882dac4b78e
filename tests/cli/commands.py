"""Commands that succeed or fail, and the files that come with the project."""

from pathlib import Path

import pytest

from app import cli

ROOT = Path(__file__).parents[2]
JUDGE, BATTLES, RATINGS, TASTES = (
    str(ROOT / name)
    for name in ("app/demo/judge.csv", "examples/battles.csv", "app/demo/ratings.csv", "examples/tastes.csv")
)


def out(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = cli.run(list(arguments))
    printed = capsys.readouterr()
    assert (code, printed.err) == (0, "")
    return printed.out


def failure(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = cli.run(list(arguments))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("nextpair: ")
    return code, printed.err.removeprefix("nextpair: ").strip()
