"""A private server of nextpair-server, as a process of its own on a free port of this machine."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from nextpair.errors import NoServer
from nextpair.words import INSTALL

STARTING = "Starting a private nextpair server; the first start compiles for up to a minute."
FIRST_START = 300.0  # seconds: it compiles, and makes a database
LAST_WORDS = 2000  # characters of what a server said that did not start
PAUSE = 0.05  # seconds between looks
LOG = "server.log"
FOREIGN = ("NEXTPAIR_", "DATABASE_URL", "PYTHONPATH")  # variables about other servers, or other packages
GOODBYE = 30.0  # seconds that a server may take to stop


@contextmanager
def running(data_dir: Path | str | None = None) -> Iterator[str]:
    """Start a server and yield its address. Its data are deleted at the end unless you name a folder for them.

    Raises NoServer where nextpair-server is not installed, or does not start.
    """
    program = _program()
    print(STARTING, file=sys.stderr, flush=True)
    with ExitStack() as stack:
        if data_dir is None:
            data_dir = stack.enter_context(TemporaryDirectory(prefix="nextpair-", ignore_cleanup_errors=True))
        folder, port = Path(data_dir), _free_port()
        folder.mkdir(parents=True, exist_ok=True)
        guard = _start(program, folder, port)
        stack.callback(_stop, guard)
        url = f"http://127.0.0.1:{port}"
        _wait_until_ready(guard, url, folder / LOG)
        yield url


@asynccontextmanager
async def async_running(data_dir: Path | str | None = None) -> AsyncIterator[str]:
    """See `running`."""
    server = running(data_dir)
    url = await asyncio.to_thread(server.__enter__)
    try:
        yield url
    finally:
        await asyncio.to_thread(server.__exit__, None, None, None)


def _program() -> str:
    """Find the command `nextpair-server` of this environment, else of the PATH; `nextpair` may be the client's own."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    program = shutil.which("nextpair-server", path=places)
    if program is None:
        remedy = f"{INSTALL} Or use a server that runs: client=nextpair.Client(URL)."
        raise NoServer(f"There is no server to start here: nextpair-server is not installed. {remedy}")
    return program


def _start(program: str, folder: Path, port: int) -> subprocess.Popen[bytes]:
    """Start a server that ends with this process, and knows nothing of other servers."""
    serve = [program, "--port", str(port), "--data-dir", str(folder)]
    with open(folder / LOG, "wb") as log:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "nextpair.guard", *serve],
            env={name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)},
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            process_group=0,  # Ctrl-C is ours: the server goes on until it is stopped
        )


def _wait_until_ready(guard: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + FIRST_START
    while guard.poll() is None and time.monotonic() < deadline:
        try:
            if httpx.get(f"{url}/readyz", timeout=5.0, trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(PAUSE)
    last_words = log.read_text(errors="replace")[-LAST_WORDS:].strip()
    raise NoServer(f"The server did not start. It said:\n{last_words}")


def _stop(guard: subprocess.Popen[bytes]) -> None:
    """Stop the server; by force if it takes too long."""
    assert guard.stdin is not None
    guard.stdin.close()
    try:
        guard.wait(GOODBYE)
    except subprocess.TimeoutExpired:
        os.killpg(guard.pid, signal.SIGKILL)
        guard.wait()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
