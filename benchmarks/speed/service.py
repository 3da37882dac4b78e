"""A service in a process of its own, sets on it, and requests whose time counts."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

from nextpair import Client
from nextpair.calls import add_comparisons, create_set, ready
from nextpair.schemas import CandidateIn, ComparisonIn, ComparisonsIn, SetIn

from app.inference.types import Floats, Ints

MARK = "its mark"  # that was set for a figure beforehand


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


def new_sets(url: str, n: int, words: int | None = None, count: int = 1) -> list[UUID]:
    """Ids of new sets of n texts of so many words; without `words` each is a word longer than the one before."""
    texts = [CandidateIn(key=f"c{number:05}", text="word " * (words or number + 1)) for number in range(n)]
    with Client(url) as client:
        new = [SetIn(name=f"set {number}", question="Which is longer?", candidates=texts) for number in range(count)]
        return [client.send(create_set(each)).id for each in new]


def import_log(url: str, set_id: UUID, first: Ints, second: Ints, p: Floats, judges: int = 1) -> None:
    """Comparisons of a set of `new_sets` that were made elsewhere, 5,000 in a request, by so many judges in turn."""
    rows = [
        ComparisonIn(first=f"c{i:05}", second=f"c{j:05}", p_first=float(each), judge=f"judge {k % judges}")
        for k, (i, j, each) in enumerate(zip(first, second, p, strict=True))
    ]
    with Client(url) as client:
        for start in range(0, len(rows), 5000):
            client.send(add_comparisons(set_id, ComparisonsIn(comparisons=rows[start : start + 5000])))


def connection_to(service: Service) -> closing[HTTPConnection]:
    at = urlsplit(service.url)
    return closing(HTTPConnection(at.hostname or "", at.port, timeout=600.0))


def send(connection: HTTPConnection, path: str, body: Any = None, key: str | None = None) -> Any:
    """Response to a POST of this body, which may be bytes of JSON, or to a GET."""
    headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
    content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    connection.request("GET" if body is None else "POST", path, content, headers)
    answer = connection.getresponse()
    read = answer.read()
    assert answer.status < 300, read
    return json.loads(read)


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
