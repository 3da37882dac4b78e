"""What comes with `import nextpair`."""

import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import nextpair
import pytest
from nextpair import __main__ as command

ROOT = Path(__file__).parents[2]

USE = """
import nextpair
from app import mine

def longer(first: str, second: str) -> float:
    return 0.9 if len(first) > len(second) else 0.1

def main() -> None:
    ranking = nextpair.rank({"kelp": "Green.", "fern": mine()}, judge=longer, until=nextpair.Stop(top_k=1))
    best: str = ranking.best
    by_number: int = nextpair.rank([1, 2, 3], judge=lambda first, second: first > second).best
    with nextpair.Client() as client:
        sky = client.sets.create(name="Sky", question="Which?", budget=nextpair.Budget(max_comparisons=9))
        while pair := sky.next_pair(judge=best):
            pair.tell(p_first=longer(pair.first.text or "", pair.second.text or ""))
        rows = [{"model": "gpt", "prompt": "Why?", "output": "Blue."}]
        sky = client.sets.create_from(rows, name="Sky", question="Which?", system="model", project="demo")
        scores: dict[str, float] = {row.key: row.score for row in sky.ranking(top_k=by_number).ranking}
        print(scores, [comparison.p_first for comparison in sky.comparisons()])

async def also() -> None:
    async with nextpair.AsyncClient() as client:
        async for sky in client.sets.list(project="demo"):
            version: int = (await sky.read()).version
            print(version, await sky.checks())
"""
WRONG = """
import nextpair

def main(client: nextpair.Client) -> None:
    sky = client.sets.create(nome="Sky")
    sky.ranking(topk=3)
    sky.update(status="shut")
"""


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, timeout=300)


def test_nothing_heavy_is_imported(tmp_path: Path) -> None:
    code = "import nextpair, sys; nextpair.rank; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = set(run("-c", code, folder=tmp_path).stdout.split())

    assert "nextpair" in loaded
    assert not loaded & {"app", "judge_worker", "numpy", "pandas", "fastapi", "sqlalchemy", "pydantic_settings"}


@pytest.mark.parametrize("module", ["nextpair", "nextpair.words"])
def test_words_and_names_are_there_without_any_import(tmp_path: Path, module: str) -> None:
    done = run("-c", f"import {module}, sys; print('httpx' in sys.modules, 'pydantic' in sys.modules)", folder=tmp_path)

    assert done.stdout.split() == ["False", "False"]


def test_every_name_is_there() -> None:
    names = dir(nextpair)

    assert {"AsyncClient", "Client", "rank", "Stop", "ApiError", "BadTable", "schemas", "calls"} <= set(names)
    assert all(hasattr(nextpair, name) for name in names)
    with pytest.raises(AttributeError, match="'nextpair' has no attribute 'Klient'"):
        nextpair.Klient  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.slow
def test_a_project_with_an_app_of_its_own_is_checked_strictly(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text('def mine() -> str:\n    return "Greener."\n')
    (tmp_path / "use.py").write_text(USE)
    (tmp_path / "wrong.py").write_text(WRONG)

    done = run("-m", "mypy", "--strict", "use.py", "wrong.py", folder=tmp_path)

    errors = [line.partition(": error: ") for line in done.stdout.splitlines() if ": error: " in line]
    assert [(place, message.rpartition("  ")[2]) for place, _, message in errors] == [
        ("wrong.py:5", "[call-arg]"),
        ("wrong.py:6", "[call-arg]"),
        ("wrong.py:7", "[arg-type]"),
    ]


def test_the_command_is_the_servers_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["nextpair", "--version"])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert (ended.value.code, capsys.readouterr().out.split()[0]) == (0, "nextpair")


def test_the_command_of_the_client_alone_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(command, "distribution", missing)
    with pytest.raises(SystemExit, match=r"pip install \./client '\.\[all\]'"):
        command.main()


def test_both_distributions_write_the_same_command() -> None:
    """Whichever is installed last, `nextpair` is the same file."""
    client, server = (
        tomllib.loads((ROOT / name).read_text())["project"]["scripts"]
        for name in ("client/pyproject.toml", "pyproject.toml")
    )
    assert client["nextpair"] == server["nextpair"]
    assert server.keys() == {"nextpair", "nextpair-server"}
