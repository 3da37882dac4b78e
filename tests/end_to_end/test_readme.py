"""The examples of README, guide, client and tutorial run as they stand, in their order, against one service."""

import re
import shutil
import sys

import pytest

from tests.end_to_end.commands import ROOT, run
from tests.end_to_end.processes import Server

BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)
REPOSITORY = "https://github.com/nextpair/nextpair/blob/main/"


@pytest.mark.skipif(shutil.which("curl") is None, reason="the shell examples use curl")
@pytest.mark.parametrize(
    ("page", "languages"),
    [
        ("README.md", {"bash", "python"}),
        ("docs/guide.md", {"bash", "python"}),
        ("docs/client.md", {"python"}),
        ("docs/tutorial.md", {"bash", "python"}),
        ("docs/models-over-prompts.md", {"bash", "python"}),
        ("client/README.md", {"python"}),
    ],
)
async def test_every_example_runs(server: Server, page: str, languages: set[str]) -> None:
    blocks = BLOCK.findall((ROOT / page).read_text())
    assert {language for language, _ in blocks} == languages
    for language, code in blocks:
        program = ("bash", "-euo", "pipefail") if language == "bash" else (sys.executable,)
        done = await run(*program, "-c", code.replace("http://127.0.0.1:8000", server.url), server=server.url)
        assert done.code == 0, f"{code}\n{done.stderr}"
        assert done.stdout
        assert "urn:nextpair:problem" not in done.stdout, done.stdout


def test_the_readme_names_files_that_exist() -> None:
    text = (ROOT / "README.md").read_text()
    links = re.findall(r"^\[.+\]: ([^#\n]+)", text, re.MULTILINE)
    assert links
    assert "](" not in text
    assert [link for link in links if not link.startswith(REPOSITORY)] == []  # on PyPI a relative one is dead
    assert [link for link in links if not (ROOT / link.removeprefix(REPOSITORY)).exists()] == []
