"""The examples of README, guide, client and tutorial run as they stand, in their order, against one service."""

import asyncio
import re
import shutil
import sys
from contextlib import nullcontext, redirect_stdout
from io import StringIO

import pytest

from tests.end_to_end.commands import ROOT, run
from tests.end_to_end.processes import Server

BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)
REPOSITORY = "https://github.com/nextpair/nextpair/blob/main/"


@pytest.mark.skipif(shutil.which("curl") is None, reason="the shell examples use curl")
@pytest.mark.parametrize(
    "page", ["README.md", "docs/how-to/guide.md", "docs/tutorial.md", "docs/how-to/models-over-prompts.md"]
)
async def test_every_example_runs(server: Server, page: str) -> None:
    examples = BLOCK.findall((ROOT / page).read_text())
    assert {language for language, _ in examples} == {"bash", "python"}
    for language, code in examples:
        program = ("bash", "-euo", "pipefail") if language == "bash" else (sys.executable,)
        done = await run(*program, "-c", code.replace("http://127.0.0.1:8000", server.url), server=server.url)
        assert done.code == 0, f"{code}\n{done.stderr}"
        assert done.stdout
        assert "urn:nextpair:problem" not in done.stdout, done.stdout


@pytest.mark.parametrize("page", ["docs/how-to/python.md", "client/README.md"])
async def test_every_example_of_the_client_runs(server: Server, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, and a server of their own is the one that runs already: README.md starts one."""
    monkeypatch.setenv("NEXTPAIR_URL", server.url)
    monkeypatch.setattr("nextpair.client.running", lambda data_dir: nullcontext(server.url))
    examples = BLOCK.findall((ROOT / page).read_text())
    assert {language for language, _ in examples} == {"python"}
    for _, code in examples:
        with redirect_stdout(StringIO()) as stdout:
            await asyncio.to_thread(exec, compile(code, page, "exec"), {"__name__": "__main__"})
        assert stdout.getvalue()


def test_the_readme_names_files_that_exist() -> None:
    text = (ROOT / "README.md").read_text()
    links = re.findall(r"^\[.+\]: ([^#?\n]+)", text, re.MULTILINE)
    assert links
    assert "](" not in text
    assert [link for link in links if not link.startswith(REPOSITORY)] == []  # on PyPI a relative one is dead
    assert [link for link in links if not (ROOT / link.removeprefix(REPOSITORY)).exists()] == []
