"""One service with a private PostgreSQL, one Chromium; a set and people of their own for every test."""

import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from nextpair import AsyncClient, calls, schemas
from playwright.async_api import Browser, Page, async_playwright

from tests.browser.annotator import Annotator
from tests.browser.chromium import HOW_TO_GET_ONE, find
from tests.end_to_end.processes import Server
from tests.factories import simulated

NewSet = Callable[..., Awaitable[UUID]]
Someone = Callable[..., Awaitable[Annotator]]
TEXTS = ("Air scatters blue light.", "The sea is blue.", "It is painted.", "Nobody knows.", "<script>alert(1)</script>")
KEYS = [f"c{n}" for n in range(len(TEXTS))]
JUDGES = ("ann", "gpt <b>")

Judged = Callable[..., Awaitable[UUID]]


@pytest.fixture(scope="session")
def chromium_path() -> str:
    path = find()
    if path is None:
        pytest.skip(HOW_TO_GET_ONE)
    return path


@pytest.fixture(scope="session")
async def chromium(chromium_path: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
async def server(chromium: Browser) -> AsyncIterator[Server]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="nextpair-", dir=memory if memory.is_dir() else None) as folder:
        server = Server(Path(folder))
        await server.start()
        yield server
        await server.stop(signal.SIGTERM)


@pytest.fixture
async def service(server: Server) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(server.url) as service:
        yield service


@pytest.fixture
def new_set(service: AsyncClient) -> NewSet:
    """A set of texts; `more` are its other fields."""

    async def create(*texts: str, **more: Any) -> UUID:
        candidates = [schemas.CandidateIn(key=f"c{n}", text=text) for n, text in enumerate(texts)]
        fields = {"name": "Sky", "question": "Which answer is clearer?", "pool_by": "none", **more}
        return (await service.send(calls.create_set(schemas.SetIn(candidates=candidates, **fields)))).id

    return create


@pytest.fixture
async def someone(chromium: Browser, server: Server) -> AsyncIterator[Someone]:
    """A person with a browser profile of their own; options are Playwright's for a context."""
    contexts = []

    async def arrive(**options: Any) -> Annotator:
        contexts.append(await chromium.new_context(**options))
        return Annotator(await contexts[-1].new_page(), server.url)

    yield arrive
    for context in contexts:
        await context.close()


@pytest.fixture
def judged(new_set: NewSet, service: AsyncClient) -> Judged:
    """A set with verdicts of two judges; `more` are its other fields."""

    async def create(**more: object) -> UUID:
        set_id = await new_set(*TEXTS, **more)
        for seed, judge in enumerate(JUDGES):
            new = [schemas.ComparisonIn(**each) for each in simulated(KEYS, 60, seed, judge)]
            await service.send(calls.add_comparisons(set_id, schemas.ComparisonsIn(comparisons=new)))
        return set_id

    return create


async def open_page(someone: Someone, set_id: UUID, path: str = "", **options: object) -> Page:
    visitor = await someone(**options)
    await visitor.page.goto(f"{visitor.url}/sets/{set_id}{path}")
    return visitor.page
