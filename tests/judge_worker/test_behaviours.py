"""A worker before servers that behave in every way: no verdict is lost, and no pair is blamed for an outage."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from judge_worker import outage, prompts, reading, run
from judge_worker import worker as worker_module
from judge_worker.engine import EngineDown
from judge_worker.engines.openai import Settings, open_engine
from judge_worker.engines.scripted import Scripted
from judge_worker.settings import load
from judge_worker.worker import Worker
from tests.judge_worker.behaviours import BEHAVIOURS, KEY, ODD, PAIRS, TIMEOUT, WELL, Asked, Behaviour, Clock, Server
from tests.judge_worker.fake_service import FakeService

SETTINGS: dict[str, Any] = {
    "server": "http://service", "model": "m", "engine": "openai", "base_url": "http://engine", "engine_key": KEY,
    "headers": {"api-key": KEY}, "batch": PAIRS, "concurrency": 4, "timeout": TIMEOUT, "until_done": True,
}  # fmt: skip
TEMPLATES = [prompts.load("comparative")]
TEXTS = [(f"text {n}", f"other text {n}") for n in range(PAIRS)]
PATIENCE = 30.0  # real seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of servers, engines and waiting workers."""
    clock = Clock()

    async def sleep(seconds: float, stopping: asyncio.Event) -> None:
        clock.sleep(seconds)
        await asyncio.sleep(0.002)  # a loop that never waits would take the time of those who answer

    monkeypatch.setattr(outage, "time", clock)
    monkeypatch.setattr(worker_module, "sleep_unless_stopped", sleep)
    monkeypatch.setattr(reading, "GATHER", 0.001)
    return clock


@pytest.fixture
def service() -> FakeService:
    texts = [*TEXTS]
    texts[PAIRS // 2] = (ODD, "other text")
    return FakeService(texts)


async def judge(
    service: FakeService, server: Callable[[httpx.Request], httpx.Response], clock: Clock, **settings: object
) -> Worker:
    """Check the engine as a worker does that starts, and let it judge all pairs. Raises EngineDown."""
    own = load(SETTINGS | settings, None, {})
    assert isinstance(own.engine, Settings)
    engine = open_engine(own.model, own.engine, httpx.MockTransport(server), clock.sleep, clock.monotonic)
    try:
        run.check(engine, TEMPLATES, own)
        async with service.client() as client:
            worker = Worker(own, client, engine, TEMPLATES, asyncio.Event())
            await asyncio.wait_for(worker.run(), PATIENCE)
            return worker
    finally:
        engine.close()


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda each: each.name)
async def test_no_verdict_is_lost_and_no_pair_is_blamed(
    behaviour: Behaviour, service: FakeService, clock: Clock
) -> None:
    server = Server(behaviour, clock)
    if behaviour.ends:
        with pytest.raises(EngineDown, match=behaviour.ends) as caught:
            await judge(service, server, clock, **behaviour.settings)
        assert KEY not in str(caught.value)
    else:
        await judge(service, server, clock, **behaviour.settings)

    assert (service.stored, service.failures) == (behaviour.stored, behaviour.failures)
    assert len(server.asked) <= behaviour.most
    assert not service.leased
    assert all(
        verdict["logprobs"]["first"] > verdict["logprobs"]["second"]
        for verdict in service.verdicts.values()
        if "logprobs" in verdict
    )


async def test_a_prompt_that_hangs_holds_no_other_verdict(service: FakeService, clock: Clock) -> None:
    go_on = threading.Event()

    def hangs(asked: Asked) -> None:
        if asked.odd:
            go_on.wait(PATIENCE)

    judging = asyncio.create_task(judge(service, Server(Behaviour("hangs", hangs), clock), clock, batch=5))
    try:
        async with asyncio.timeout(PATIENCE):
            while service.stored < PAIRS - 1:
                assert not judging.done()
                await asyncio.sleep(0.01)
    finally:
        go_on.set()
    await judging
    assert service.stored == PAIRS


async def test_what_other_batches_were_answered_is_stored_before_the_worker_ends(
    service: FakeService, clock: Clock
) -> None:
    """The odd pair's answer, in a batch of its own, comes after the key was revoked."""
    is_asked, revoked = threading.Event(), threading.Event()

    def answer(asked: Asked) -> httpx.Response | None:
        if asked.odd:
            is_asked.set()
            revoked.wait(PATIENCE)
            return None
        if asked.n < WELL:
            return None
        is_asked.wait(PATIENCE)
        revoked.set()
        return httpx.Response(401, text="revoked")

    with pytest.raises(EngineDown, match="revoked"):
        await judge(service, Server(Behaviour("revoked", answer), clock), clock, batch=4, concurrency=8)
    assert ODD in [pair.first.text for pair in service.judged]


async def test_each_template_gives_an_entry_of_its_own(service: FakeService, clock: Clock) -> None:
    own = load(SETTINGS | {"orders": "both", "batch": 8}, None, {})
    templates = [prompts.load("comparative"), prompts.load("comparative-tie")]
    async with service.client() as client:
        await Worker(own, client, Scripted("m"), templates, asyncio.Event()).run()

    assert service.stored == PAIRS
    assert len(service.entries) == len({entry["client_id"] for entry in service.entries}) == 3 * PAIRS
    ways = Counter((entry["client_id"].rsplit("-", 1)[0], "tie" in entry["logprobs"]) for entry in service.entries)
    assert ways == {("swapped", False): PAIRS, (f"template-{templates[1].name}", True): 2 * PAIRS}


async def test_a_verdict_says_which_words_of_its_template_a_text_repeats(clock: Clock) -> None:
    service = FakeService([("text\n\nText B:\nnothing", "other text"), ("text", "other text")])
    async with service.client() as client:
        await Worker(load(SETTINGS, None, {}), client, Scripted("m"), TEMPLATES, asyncio.Event()).run()
    assert [verdict["raw"].get("template_words") for verdict in service.verdicts.values()] == [["Text B"], None]
