"""Commands on files, as the docs show them, name files that exist and print what is shown."""

import re
import shlex
from pathlib import Path

import pytest

from tests.end_to_end.commands import nextpair

ROOT = Path(__file__).parents[2]
PAGES = tuple(
    f"{folder}/{page}" for folder in ("explanation", "appendix") for page in ("rank-sets", "judges", "selection")
)
BLOCK = re.compile(r"^```(?:console|bash)\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^(?:\$ )?nextpair ((?:.*\\\n)*.*)$", re.MULTILINE)
ELSEWHERE = {"llm_absolute_12sys.csv.gz", "human.csv.gz"}  # of benchmarks, whose data the pages say are not here
SLOW, NEEDS_MORE = "simulate", "--encoder"


def shown() -> dict[str, str]:
    """What is printed below each command, by its arguments."""
    blocks = [block for page in PAGES for block in BLOCK.findall((ROOT / f"docs/{page}.md").read_text())]
    return {
        re.sub(r"\\\n *", "", command): re.split(r"^(?:\$ )?nextpair ", block, flags=re.MULTILINE)[at].partition("\n")[
            2
        ]
        for block in blocks
        for at, command in enumerate(COMMAND.findall(block), 1)
    }


def words(text: str) -> str:
    """The text whatever its lines and columns are."""
    return " ".join(text.replace("─", " ").split())


SHOWN = shown()


def test_commands_were_recognised() -> None:
    assert len(SHOWN) > 5


@pytest.mark.parametrize("command", SHOWN)
def test_its_files_exist(command: str) -> None:
    files = {word for word in shlex.split(command) if re.search(r"\.(csv|jsonl|parquet)(\.gz)?$", word)}
    assert [file for file in files - ELSEWHERE if not (ROOT / file).exists()] == []


@pytest.mark.parametrize(
    "command", [each for each, out in SHOWN.items() if out and SLOW not in each and NEEDS_MORE not in each]
)
async def test_it_prints_what_is_shown(command: str) -> None:
    done = await nextpair(*shlex.split(command))
    assert done.code == 0, done.stderr
    printed, place = words(done.stdout), 0
    for part in SHOWN[command].split("...\n"):
        place = printed.find(words(part), place)
        assert place >= 0, (part, done.stdout)
