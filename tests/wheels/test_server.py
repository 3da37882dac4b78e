"""The service, installed in an environment of its own, away from the project."""

import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest

from tests.end_to_end.processes import free_port
from tests.wheels.conftest import HOME, Environment, Wheels

FIRST_START, PATIENCE = 300.0, 30.0  # seconds; the first start compiles
PAGES = ("/", "/sets/new", "/docs", "/openapi.json", "/static/vendor/marked.js")
VERDICTS = "first,second,winner\nkelp,rowan,first\nrowan,fern,first\nkelp,fern,first\n"


@contextmanager
def service(environment: Environment, command: str) -> Iterator[httpx.Client]:
    """`nextpair COMMAND` with a private PostgreSQL, ready."""
    port = free_port()
    with open(environment.folder / f"{command}.log", "w+") as log:
        arguments = ["--port", str(port), "--data-dir", str(environment.folder / "data")]
        process = subprocess.Popen(
            [environment.bin / "nextpair", command, *arguments],
            cwd=environment.folder, env=HOME, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as http:
                wait_for(lambda: is_ready(http) or process.poll() is not None, FIRST_START)
                assert process.poll() is None, Path(log.name).read_text()
                yield http
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)


def is_ready(http: httpx.Client) -> bool:
    try:
        return http.get("/readyz").is_success
    except httpx.TransportError:
        return False


def wait_for(condition: Callable[[], bool], seconds: float) -> None:
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end
        sleep(0.2)


@pytest.mark.slow
def test_it_ranks_a_file_serves_its_pages_and_plays_the_demo(
    wheels: Wheels, new_environment: Callable[[], Environment]
) -> None:
    environment = new_environment()
    environment.install(str(wheels.client), f"{wheels.server}[all]")
    environment.run("pip", "check")
    (environment.folder / "verdicts.csv").write_text(VERDICTS)

    assert re.search(r"1\s+kelp", environment.run("nextpair", "rank", "verdicts.csv", "--plot", "ranking.svg"))
    assert "kelp</text>" in (environment.folder / "ranking.svg").read_text()

    help_of_server = environment.run("nextpair-server", "--help")
    assert "--data-dir" in help_of_server
    assert "nextpair serve" in help_of_server

    with service(environment, "serve") as http:
        for page in PAGES:
            assert http.get(page).status_code == 200, page
        assets = re.findall(r'(?:src|href)="(/static/[^"]+)"', http.get("/").text)
        assert assets
        for asset in assets:
            assert http.get(asset).status_code == 200, asset

    with service(environment, "demo") as http:
        wait_for(lambda: compared(http) > 0, FIRST_START)


def compared(http: httpx.Client) -> int:
    """Comparisons in the demo's set, which has pages of its own."""
    for each in http.get("/v1/sets", params={"project": "demo"}).json()["sets"]:
        assert http.get(f"/sets/{each['id']}").status_code == 200
        return int(each["version"])
    return 0
