"""The loop, with the service in this process and an engine that waits to be told."""

import asyncio
import threading
from collections.abc import Sequence

import httpx
import pytest
from fastapi import FastAPI

from app.client import AsyncClient, next_pairs
from judge_worker.engine import Outcome
from judge_worker.engines.scripted import Scripted
from judge_worker.prompts import Prompt, load
from judge_worker.settings import Settings
from judge_worker.worker import SLOTS, Worker
from tests.factories import create_set, log


class Waiting(Scripted):
    """Reads nothing before `go`."""

    def __init__(self) -> None:
        super().__init__("lengths")
        self.reading, self.go = threading.Event(), threading.Event()

    def read(self, prepared: Sequence[Prompt]) -> list[Outcome]:
        self.reading.set()
        self.go.wait(10.0)
        return super().read(prepared)


async def test_what_another_process_took_over_is_passed_over(
    app: FastAPI, http: httpx.AsyncClient, capsys: pytest.CaptureFixture[str]
) -> None:
    created = await create_set(http, "ash", "elm")
    settings = Settings(server="http://test", model="lengths", engine="scripted", worker="a", until_done=True)
    engine = Waiting()
    async with AsyncClient("http://test", transport=httpx.ASGITransport(app)) as client:
        worker = Worker(settings, client, engine, load("comparative"), asyncio.Event())
        working = asyncio.create_task(worker.run())
        assert await asyncio.to_thread(engine.reading.wait, 10.0)
        for n in range(SLOTS):
            await client.send(next_pairs(judge="lengths", count=1, worker=f"a/{n}"))
        engine.go.set()
        await asyncio.wait_for(working, 10.0)
    assert worker.stats.passed_over["This lease was handed out again"] == 1
    assert "This lease was handed out again" in capsys.readouterr().err
    assert len(await log(http, created["id"])) == 1
