"""Run a command as a person would."""

import asyncio
import os
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent


class Done(NamedTuple):
    code: int
    stdout: str
    stderr: str


async def run(*command: str, server: str = "", seconds: float = 120.0) -> Done:
    """The outcome of a command in the project's root, with the project's own programs first on the PATH."""
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "NEXTPAIR_URL": server}
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=ROOT,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(seconds):
        stdout, stderr = await process.communicate()
    return Done(process.returncode or 0, stdout.decode(), stderr.decode())


async def nextpair(*arguments: str, server: str = "") -> Done:
    return await run(str(BIN / "nextpair"), *arguments, server=server)
