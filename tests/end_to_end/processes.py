"""Service processes on loopback that share one data directory, and its PostgreSQL as seen from outside."""

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx

from app.storage.embedded.keeper import first_pid
from tests.end_to_end.commands import BIN

PATIENCE = 30.0  # seconds
FIRST_START = 180.0  # that compiles
VISITOR = httpx.Client(timeout=5.0, limits=httpx.Limits(max_keepalive_connections=0))  # to make one takes longer


class Server:
    """One process. It keeps its port when it is started again."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir, self.port = data_dir, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Returns once it is ready."""
        settings = {name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")}
        with open(self.log, "ab") as log:
            command = [str(BIN / "nextpair"), "serve", "--port", str(self.port), "--data-dir", str(self.data_dir)]
            self._process = subprocess.Popen(command, env=settings, stderr=log)
        assert await eventually(self._is_ready, FIRST_START), self.log.read_text()

    async def start_again(self) -> None:
        """Starts it where it does not run."""
        if not self._runs():
            await self.start()

    async def stop(self, how: signal.Signals) -> None:
        """Returns once it is gone."""
        if self._process is not None:
            self._process.send_signal(how)
            await asyncio.to_thread(self._process.wait, PATIENCE)

    @property
    def log(self) -> Path:
        return self.data_dir / f"service-{self.port}.log"

    def _runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _is_ready(self) -> bool:
        assert self._runs(), self.log.read_text()
        try:
            return VISITOR.get(f"{self.url}/readyz").is_success
        except httpx.TransportError:
            return False


def postmaster(data_dir: Path) -> int:
    return first_pid(data_dir / "data" / "postmaster.pid")


def postgres_processes(data_dir: Path) -> list[int]:
    """The postmaster and its children: all of them work in the cluster's directory."""
    return [int(process.name) for process in Path("/proc").glob("[0-9]*") if _folder(process) == data_dir / "data"]


async def eventually(condition: Callable[[], bool], patience: float = PATIENCE) -> bool:
    clock = asyncio.get_running_loop().time
    deadline = clock() + patience
    while not condition() and clock() < deadline:
        await asyncio.sleep(0.05)
    return condition()


def _folder(process: Path) -> Path | None:
    try:
        return (process / "cwd").readlink()
    except OSError:
        return None


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
