"""A folder in which the blocks of one page run: one shell environment, one namespace of Python, one service."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import uvicorn

from app.settings import Settings
from tests.conftest import running
from tests.docs.blocks import ROOT, Block, commands, matches

ADDRESS = "http://127.0.0.1:8000"
LINKED = ("examples", "app", "docker-compose.yml")
SECONDS = 120.0  # that one block may take
SHELL = """set -euo pipefail
source "$SHELL_STATE" 2>/dev/null || true
trap '{{ declare -p | grep -v "^declare -[a-z]*r"; declare -f; printf "cd %q\\n" "$PWD"; }} > "$SHELL_STATE"' EXIT
{code}"""


class Done(NamedTuple):
    printed: str
    error: str
    failed: bool


class Scratch:
    """Runs blocks, and says what is wrong."""

    def __init__(self, folder: Path, server: str) -> None:
        self._folder, self._server = folder / "page", server
        self._folder.mkdir()
        for name in LINKED:
            (self._folder / name).symlink_to(ROOT / name)
        programs = folder / "programs"
        programs.mkdir()
        for name, command in {"nextpair": "-P -m nextpair", "python": "", "python3": ""}.items():
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {command} "$@"\n')
            (programs / name).chmod(0o755)
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("NEXTPAIR_", "DATABASE_URL"))},
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": f"{ROOT}:{ROOT / 'client'}",
            "NEXTPAIR_URL": server,
            "SHELL_STATE": str(folder / "state"),
            "COLUMNS": "120",
        }
        self._python: Process | None = None

    async def faults(self, block: Block, page: str) -> list[str]:
        """Run one block, and say what is wrong, a text for each command."""
        found = []
        for command in commands(block):
            place = f"{page}:{block.line}"
            code = command.code.replace(ADDRESS, self._server)
            async with asyncio.timeout(SECONDS):
                done = await (self._in_python(code, place) if block.language == "python" else self._in_shell(code))
            if wrong := _wrong(done, command.output):
                found.append(f"{place}: {wrong}\n{command.code.rstrip()}")
        return found

    async def close(self) -> None:
        if self._python is not None:
            self._python.kill()
            await self._python.wait()

    async def _in_shell(self, code: str) -> Done:
        shell = await asyncio.create_subprocess_exec(
            "bash", "-c", SHELL.format(code=code), cwd=self._folder, env=self._environment,
            stdin=DEVNULL, stdout=PIPE, stderr=PIPE,
        )  # fmt: skip
        out, error = (each.decode().replace(self._server, ADDRESS) for each in await shell.communicate())
        return Done(out, error, shell.returncode != 0)

    async def _in_python(self, code: str, place: str) -> Done:
        if self._python is None:
            self._python = await asyncio.create_subprocess_exec(
                sys.executable, "-P", str(Path(__file__).with_name("python_blocks.py")),
                cwd=self._folder, env=self._environment, stdin=PIPE, stdout=PIPE, limit=2**24,
            )  # fmt: skip
        assert self._python.stdin is not None
        assert self._python.stdout is not None
        self._python.stdin.write(json.dumps({"code": code, "place": place}).encode() + b"\n")
        answer = json.loads(await self._python.stdout.readline())
        return Done(answer["printed"].replace(self._server, ADDRESS), answer["error"], bool(answer["error"]))


def _wrong(done: Done, shown: str | None) -> str:
    """What is wrong, or nothing. An error is right where the page shows it."""
    said = f"printed:\n{done.printed}{done.error}"
    if shown is not None and matches(shown, done.error + done.printed):
        return ""
    if done.failed:
        return f"it fails, {said}"
    if shown is None:
        return f"a problem, {said}" if '"urn:nextpair:problem' in done.printed else ""
    return "" if matches(shown, done.printed) else f"the page shows:\n{shown}\n{said}"


@asynccontextmanager
async def service(database_url: str) -> AsyncIterator[str]:
    """Run a service on a port of its own, and yield its address."""
    async with running(Settings(database_url=database_url)) as application:
        server = uvicorn.Server(uvicorn.Config(application, port=0, lifespan="off", log_level="warning"))
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            server.should_exit = True
            await serving
