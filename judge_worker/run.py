"""One worker process: its settings, its signals, and what it prints."""

import asyncio
import gc
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from nextpair import ApiError, AsyncClient
from nextpair.calls import describe_judge, get_judge, ready
from nextpair.schemas import JudgeIn
from prometheus_client import CollectorRegistry, start_http_server

from judge_worker import prompts
from judge_worker.absolute import Scorer
from judge_worker.engine import Away, Engine, EngineDown, Outcome, Unread
from judge_worker.engines import open_engine
from judge_worker.outage import Outage
from judge_worker.progress import Stats, event, pause_between_lines, show, summary
from judge_worker.prompts import Fields, Template
from judge_worker.reading import read_all
from judge_worker.settings import BadSettings, WorkerSettings
from judge_worker.worker import Worker

FOREVER = 10**9  # tries: a service that is away comes back, and leases outlast most outages
AT_START = 4  # tries: an address may be wrong


def work(settings: WorkerSettings) -> Stats:
    """Judge until stopped, or until all is done; returns what was done.

    Raises BadSettings, BadTemplate, BadLabels, EngineDown, and what the client raises.
    """
    if settings.engine.is_made_up and not settings.sets:
        raise BadSettings(
            f"the engine {settings.engine.name} invents verdicts, so it judges only sets that you name with --set ID"
        )
    templates = load_templates(settings)
    event("loading", model=settings.model, engine=settings.engine.name)
    engine = open_engine(settings)
    try:
        check(engine, templates, settings)
        gc.collect()
        gc.freeze()  # what start-up made is never looked at again
        return asyncio.run(_serve(settings, engine, templates))
    finally:
        engine.close()


def load_templates(settings: WorkerSettings) -> list[Template]:
    """The templates of a worker; one, if none was given. Raises BadTemplate."""
    names = settings.template or ["absolute" if settings.absolute else "comparative"]
    return [prompts.load(name, settings.scale) for name in names]


def check(engine: Engine, templates: Sequence[Template], settings: WorkerSettings) -> None:
    """Judge examples first: wrong fields and labels, and refused requests, show before any pair is leased."""
    examples = [prompts.render(template, fields) for template in templates for fields in _examples(settings)]
    for outcome in read_patiently(engine, [engine.prepare(prompt) for prompt in examples]):
        if isinstance(outcome, Unread):
            raise EngineDown(f"{settings.model} cannot judge an example: {outcome.reason}")


def read_patiently(engine: Engine, prepared: Sequence[Any]) -> list[Outcome]:
    """An outcome for each. While the engine is unavailable this waits, then asks again for the missing ones."""
    outcomes, outage = read_all(engine, prepared), Outage()
    outage.note(outcomes)
    while away := [n for n, outcome in enumerate(outcomes) if isinstance(outcome, Away)]:
        time.sleep(outage.left)
        again = read_all(engine, [prepared[n] for n in away])
        outage.note(again)
        for n, outcome in zip(away, again, strict=True):
            outcomes[n] = outcome
    return [outcome for outcome in outcomes if not isinstance(outcome, Away)]


def _examples(settings: WorkerSettings) -> list[Fields]:
    """Two examples: without and with what a set need not have."""
    if settings.absolute:
        low, high = map(str, settings.absolute)
        own: Fields = {"text": "one", "low": low, "high": high}
    else:
        own = {"first": "one", "second": "two"}
    return [{"question": "Which is better?", "context": some, "prompt": some, **own} for some in (None, "Some words.")]


async def _serve(settings: WorkerSettings, engine: Engine, templates: Sequence[Template]) -> Stats:
    async with AsyncClient(settings.server, api_key=settings.api_key, retries=AT_START) as client:
        await introduce(client, settings, engine, templates)
    async with AsyncClient(settings.server, api_key=settings.api_key, retries=FOREVER, sleep=_wait) as client:
        await client.send(ready())  # which takes a while where the service compiles for the first time
        stopping = asyncio.Event()
        worker = (Scorer if settings.absolute else Worker)(settings, client, engine, templates, stopping)
        event(
            "judging",
            judge=settings.judge_name,
            server=settings.server,
            template=", ".join(each.name for each in templates),
        )
        with _metrics(settings.metrics_port, worker.stats):
            await _watched(worker, stopping)
    event("stopped" if stopping.is_set() else "done")
    print(summary(worker.stats, settings.cost_per_hour))
    return worker.stats


async def introduce(
    client: AsyncClient, settings: WorkerSettings, engine: Engine, templates: Sequence[Template]
) -> None:
    """Describe this judge to the service. An earlier description stays, but for how it answers now, and the price of
    the settings if any.
    """
    answers_by = f"{engine.model}, template {', '.join(each.name for each in templates)}"
    described = JudgeIn(kind="llm", model=engine.model, configuration=answers_by, cost_per_1000=settings.cost_per_1000)
    try:
        known = await client.send(get_judge(settings.judge_name))
    except ApiError as error:
        if error.status != 404:
            raise
    else:
        as_it_was = JudgeIn(
            kind=known.kind, model=known.model, configuration=known.configuration, cost_per_1000=known.cost_per_1000,
            repeats=known.repeats,
        )  # fmt: skip
        is_described = (known.kind, known.model, known.cost_per_1000) != (None, None, None)
        described = as_it_was.model_copy(
            update={"configuration": answers_by}
            | ({} if is_described else {"kind": "llm", "model": engine.model})
            | ({} if settings.cost_per_1000 is None else {"cost_per_1000": settings.cost_per_1000})
        )
        if described == as_it_was:
            return
    await client.send(describe_judge(settings.judge_name, described))


async def _watched(worker: Worker | Scorer, stopping: asyncio.Event) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    showing = asyncio.create_task(_show(worker.stats))
    try:
        await worker.run()
    finally:
        showing.cancel()
        show(worker.stats)


async def _show(stats: Stats) -> None:
    while True:
        await asyncio.sleep(pause_between_lines())
        show(stats)


async def _wait(seconds: float) -> None:
    event("waiting for the service", trying_again_in=round(seconds, 1))
    await asyncio.sleep(seconds)


@contextmanager
def _metrics(port: int | None, stats: Stats) -> Iterator[None]:
    if port is None:
        yield
        return
    registry = CollectorRegistry()
    registry.register(stats)
    server, thread = start_http_server(port, registry=registry)
    try:
        yield
    finally:
        with suppress(OSError):
            server.shutdown()
        server.server_close()
        thread.join()
