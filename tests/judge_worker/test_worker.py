"""The loop, with the service in this process and engines that fail, are away, or wait for a sign."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from nextpair import AsyncClient
from nextpair.calls import create_set, list_absolute_scores, list_comparisons, next_pair, next_pairs
from nextpair.schemas import CandidateIn, SetIn, SetOut

from judge_worker import outage, prompts, run
from judge_worker import worker as worker_module
from judge_worker.absolute import Scorer
from judge_worker.engine import Arrival, Away
from judge_worker.engines.openai import Settings, open_engine
from judge_worker.engines.scripted import Scripted
from judge_worker.settings import WorkerSettings
from judge_worker.worker import SLOTS, Worker
from tests.judge_worker.fake_server import BREAKS, QUOTA
from tests.judge_worker.fake_server import Server as FakeServer

pytestmark = pytest.mark.alone

OPENAI = Settings(base_url="http://engine")
SETTINGS = WorkerSettings(server="http://localhost", model="m", engine=OPENAI, batch=2, until_done=True)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outage, "FIRST", 0.05)
    monkeypatch.setattr(worker_module, "LONGEST_PAUSE", 0.05)
    monkeypatch.setattr(worker_module, "FIRST_PAUSE", 0.02)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[AsyncClient]:
    async with AsyncClient("http://localhost", transport=httpx.ASGITransport(app)) as client:
        yield client


async def create(client: AsyncClient, *texts: str) -> SetOut:
    candidates = [CandidateIn(key=f"c{n}", text=text) for n, text in enumerate(texts)]
    return await client.send(create_set(SetIn(name="texts", question="Which is longer?", candidates=candidates)))


class Waiting(Scripted):
    """Reads nothing before `go`."""

    def __init__(self) -> None:
        super().__init__("lengths")
        self.reading, self.go = threading.Event(), threading.Event()

    def read(self, prepared: Sequence[Any]) -> Iterator[Arrival]:
        self.reading.set()
        self.go.wait(10.0)
        yield from super().read(prepared)


class AwayAtFirst(Scripted):
    """Answers from the fourth batch on, and of the third but the first prompt."""

    def __init__(self) -> None:
        super().__init__("m")
        self.times = 0

    def read(self, prepared: Sequence[Any]) -> Iterator[Arrival]:
        self.times += 1
        for n, outcome in super().read(prepared):
            yield n, outcome if self.times > 3 or (self.times == 3 and n) else Away("no quota")


async def test_a_prompt_that_breaks_the_server_and_a_quota_that_ends_cost_no_other_verdict(
    client: AsyncClient, capfd: pytest.CaptureFixture[str]
) -> None:
    made = await create(client, "short", "longer text", BREAKS, "the longest of all")
    server = FakeServer(out=(2, 3), excuse=httpx.Response(429, json=QUOTA))
    engine = open_engine("m", OPENAI, httpx.MockTransport(server), sleep=lambda _: None)
    run.check(engine, [prompts.load("comparative")], SETTINGS)
    worker = Worker(SETTINGS, client, engine, [prompts.load("comparative")], asyncio.Event())

    await asyncio.wait_for(worker.run(), 30.0)

    log = (await client.send(list_comparisons(made.id))).comparisons
    assert sorted(sorted([entry.first, entry.second]) for entry in log) == [["c0", "c1"], ["c0", "c3"], ["c1", "c3"]]
    assert (worker.stats.judged, worker.stats.failures) == (3, {"refused": 3})
    told = capfd.readouterr().err
    assert "the engine is unavailable" in told
    assert "You exceeded your current quota" in told


async def test_while_the_engine_is_away_its_pairs_are_for_others(
    client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "FIRST", 60.0)
    made = await create(client, "short", "longer text", "the longest of all")
    stopping = asyncio.Event()
    worker = Worker(SETTINGS, client, AwayAtFirst(), [prompts.load("comparative")], stopping)
    running = asyncio.create_task(worker.run())
    async with asyncio.timeout(10.0):
        while not worker.stats.reading:
            await asyncio.sleep(0.01)
        while len((await client.send(next_pair(made.id, judge="other", count=3))).assignments) < 3:
            await asyncio.sleep(0.01)
        stopping.set()
        await running

    assert (worker.stats.judged, worker.stats.failures) == (0, {})


async def test_both_orders_of_a_pair_are_sent_together(client: AsyncClient) -> None:
    made = await create(client, "short", "longer text")
    settings = SETTINGS.model_copy(update={"orders": "both"})
    worker = Worker(settings, client, AwayAtFirst(), [prompts.load("comparative")], asyncio.Event())

    await asyncio.wait_for(worker.run(), 30.0)

    log = (await client.send(list_comparisons(made.id))).comparisons
    assert sorted((entry.first, entry.second) for entry in log) == [("c0", "c1"), ("c1", "c0")]


async def test_each_template_is_a_replicate_of_one_judge(client: AsyncClient) -> None:
    """An ask counts once, and each order of a pair has an entry by each template."""
    made = await create(client, "short", "longer text", "the longest of all")
    settings = SETTINGS.model_copy(update={"orders": "both"})
    templates = [prompts.load("comparative"), prompts.load("comparative-tie")]
    worker = Worker(settings, client, Scripted("m"), templates, asyncio.Event())

    await asyncio.wait_for(worker.run(), 30.0)

    log = (await client.send(list_comparisons(made.id))).comparisons
    times = Counter((entry.first, entry.second) for entry in log)
    assert len(times) == 6
    assert set(times.values()) == {2}
    assert {entry.judge for entry in log} == {"m"}
    assert sum(entry.assignment_id is not None for entry in log) == 3
    assert (worker.stats.judged, worker.stats.skipped) == (12, {})


async def test_scores_wait_for_the_engine_too(client: AsyncClient) -> None:
    made = await create(client, "short", "longer text", "the longest of all")
    settings = SETTINGS.model_copy(update={"absolute": (1, 10)})
    scorer = Scorer(settings, client, AwayAtFirst(), [prompts.load("absolute", settings.scale)], asyncio.Event())

    await asyncio.wait_for(scorer.run(), 30.0)

    scores = (await client.send(list_absolute_scores(made.id))).scores
    assert sorted(score.candidate for score in scores) == ["c0", "c1", "c2"]


async def test_what_another_process_took_over_is_skipped(
    client: AsyncClient, capsys: pytest.CaptureFixture[str]
) -> None:
    made = await create(client, "short", "longer text")
    settings = WorkerSettings(server="http://localhost", model="lengths", engine=OPENAI, worker="a", until_done=True)
    engine = Waiting()
    worker = Worker(settings, client, engine, [prompts.load("comparative")], asyncio.Event())
    working = asyncio.create_task(worker.run())
    assert await asyncio.to_thread(engine.reading.wait, 10.0)
    for n in range(SLOTS):
        await client.send(next_pairs(judge="lengths", count=1, worker=f"a/{n}"))
    engine.go.set()
    await asyncio.wait_for(working, 10.0)
    assert worker.stats.skipped["This pair was leased again"] == 1
    assert "This pair was leased again" in capsys.readouterr().err
    assert len((await client.send(list_comparisons(made.id))).comparisons) == 1
