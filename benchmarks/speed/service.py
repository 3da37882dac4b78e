"""A service in a process of its own, for the benchmarks."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from nextpair import Client
from nextpair.calls import ready


class Service(NamedTuple):
    """A service that runs."""

    url: str
    pid: int


@contextmanager
def running(data_dir: Path) -> Iterator[Service]:
    """Run a service with a private database; it is ready to work."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")}
    port = free_port()
    program = Path(sys.executable).with_name("nextpair")
    command = [str(program), "serve", "--port", str(port), "--data-dir", str(data_dir)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            service = Service(f"http://127.0.0.1:{port}", process.pid)
            with Client(service.url, retries=10) as client:
                client.send(ready())
            yield service
        finally:
            process.send_signal(signal.SIGTERM)


def wait_until_idle(services: Sequence[Service]) -> None:
    """A process that has just started compiles, beside its work, what large sets need."""
    spent, before = sum(cpu_ms(service.pid) for service in services), -1000.0
    while spent - before > 50.0:
        time.sleep(1.0)
        spent, before = sum(cpu_ms(service.pid) for service in services), spent


def cpu_ms(pid: int) -> float:
    """Read the processor time of a process, which a busy machine changes less than the clock's."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6


def status_kib(pid: int, name: str) -> int:
    """Read one of the memory figures of /proc/PID/status; 0 where there is none."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
