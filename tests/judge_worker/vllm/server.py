"""A nextpair service from the project's other environment, for a worker of this one."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

PATIENCE = 60.0  # seconds


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def service(data_dir: Path) -> Iterator[str]:
    """Its address. NEXTPAIR_COMMAND is the `nextpair` that has everything a service needs."""
    port = free_port()
    url, deadline = f"http://127.0.0.1:{port}", time.monotonic() + PATIENCE
    command = [os.environ["NEXTPAIR_COMMAND"], "serve", "--port", str(port), "--data-dir", str(data_dir)]
    process = subprocess.Popen(command)
    while not _is_ready(url):
        assert process.poll() is None, "the service ended"
        assert time.monotonic() < deadline, "the service does not answer"
        time.sleep(0.2)
    try:
        yield url
    finally:
        process.terminate()
        process.wait(30.0)


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=5.0).is_success
    except httpx.TransportError:
        return False
