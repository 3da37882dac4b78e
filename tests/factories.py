"""Small sets to test with, and short ways to use them."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx
from fastapi import FastAPI
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.types import Message

KEYS = ("ash", "birch", "cedar", "elm")
TABLES = ("sets", "candidates", "items", "outputs", "judges", "assignments", "comparisons", "voids", "idempotency")


def candidates(*keys: str) -> list[dict[str, Any]]:
    return [{"key": key, "text": f"The text of {key}."} for key in keys]


async def create_set(http: httpx.AsyncClient, *keys: str, **fields: Any) -> dict[str, Any]:
    """A set of texts, as the service answers it."""
    body = {"name": "Trees", "question": "Which is better?", "candidates": candidates(*(keys or KEYS)), **fields}
    answer = await http.post("/v1/sets", json=body)
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


async def create_systems(http: httpx.AsyncClient, items: Iterable[str], *keys: str, **fields: Any) -> dict[str, Any]:
    """A set of systems that all answered all items."""
    items = list(items)
    systems = [{"key": key, "outputs": {item: f"{key} on {item}" for item in items}} for key in keys]
    prompts = [{"key": item, "prompt": f"Do {item}."} for item in items]
    return await create_set(http, candidates=systems, items=prompts, **fields)


async def ask(http: httpx.AsyncClient, set_id: str, judge: str = "alice", **fields: Any) -> dict[str, Any]:
    answer = await http.post(f"/v1/sets/{set_id}/next-pair", json={"judge": judge, **fields})
    assert answer.status_code == 200, answer.text
    asked: dict[str, Any] = answer.json()
    return asked


async def ask_one(http: httpx.AsyncClient, set_id: str, judge: str = "alice", **fields: Any) -> dict[str, Any]:
    """The one assignment that an ask gives."""
    (assignment,) = (await ask(http, set_id, judge, **fields))["assignments"]
    return dict(assignment)


async def tell(http: httpx.AsyncClient, assignment_id: str, **verdict: Any) -> httpx.Response:
    return await http.post(f"/v1/assignments/{assignment_id}/verdict", json=verdict)


async def answer_all(
    http: httpx.AsyncClient, set_id: str, judge: str = "alice", count: int = 1
) -> list[dict[str, Any]]:
    """Ask and tell until nothing is handed out; earlier keys are better. Returns the assignments in order."""
    done = []
    while pairs := (await ask(http, set_id, judge, count=count))["assignments"]:
        for pair in pairs:
            better = pair["first"]["key"] < pair["second"]["key"]
            assert (await tell(http, pair["id"], p_first=0.9 if better else 0.1)).status_code == 201
            done.append(pair)
    return done


def comparison(first: str, second: str, p_first: float = 0.9, judge: str = "bob", **fields: Any) -> dict[str, Any]:
    return {"first": first, "second": second, "p_first": p_first, "judge": judge, **fields}


async def send(http: httpx.AsyncClient, set_id: str, *new: dict[str, Any], **headers: str) -> httpx.Response:
    """Comparisons that were judged elsewhere."""
    return await http.post(f"/v1/sets/{set_id}/comparisons", json={"comparisons": new}, headers=headers)


async def compare(http: httpx.AsyncClient, set_id: str, *pairs: str, judge: str = "bob") -> None:
    """`"ash>elm"` is a win of ash, shown first."""
    sides = [pair.split(">") for pair in pairs]
    answer = await send(http, set_id, *(comparison(first, second, judge=judge) for first, second in sides))
    assert answer.status_code == 201, answer.text


async def void(http: httpx.AsyncClient, set_id: str, seq: int, **headers: str) -> httpx.Response:
    url = f"/v1/sets/{set_id}/comparisons/{seq}/void"
    return await http.post(url, json={"reason": "clicked the wrong side"}, headers=headers)


async def ranking(http: httpx.AsyncClient, set_id: str, **params: Any) -> dict[str, Any]:
    return await get(http, f"/v1/sets/{set_id}/ranking", **params)


async def log(http: httpx.AsyncClient, set_id: str, **params: Any) -> list[dict[str, Any]]:
    return list((await get(http, f"/v1/sets/{set_id}/comparisons", **params))["comparisons"])


async def get(http: httpx.AsyncClient, url: str, **params: Any) -> dict[str, Any]:
    answer = await http.get(url, params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def names(pair: dict[str, Any]) -> tuple[str, str]:
    """Of a pair, as shown."""
    return pair["first"]["key"], pair["second"]["key"]


def unordered(pair: dict[str, Any]) -> frozenset[str]:
    return frozenset(names(pair))


async def count_rows(engine: AsyncEngine) -> dict[str, int]:
    """Rows of every table: the same before and after what must not write."""
    async with engine.connect() as db:
        return {t: (await db.execute(text(f"SELECT count(*) FROM {t}"))).scalar_one() for t in TABLES}


async def run_sql(engine: AsyncEngine, *statements: str) -> None:
    async with engine.begin() as db:
        for statement in statements:
            await db.execute(text(statement))


class Event(NamedTuple):
    name: str
    data: dict[str, Any]
    id: int


class EventStream:
    """What a server-sent event stream has said; None for a comment."""

    def __init__(self) -> None:
        self.status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._blocks: asyncio.Queue[Event | None] = asyncio.Queue()
        self._rest = ""

    async def hear(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status.set_result(message["status"])
            return
        *blocks, self._rest = (self._rest + message.get("body", b"").decode()).split("\n\n")
        for block in blocks:
            self._blocks.put_nowait(_parse(block))

    async def next(self) -> Event | None:
        return await asyncio.wait_for(self._blocks.get(), 10)

    async def take(self, count: int) -> list[Event]:
        """The next events, leaving out comments."""
        events: list[Event] = []
        while len(events) < count:
            if (event := await self.next()) is not None:
                events.append(event)
        return events


def _parse(block: str) -> Event | None:
    fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
    return Event(fields["event"], json.loads(fields["data"]), int(fields["id"])) if fields else None


@asynccontextmanager
async def follow(app: FastAPI, set_id: str, query: str = "", **headers: str) -> AsyncIterator[EventStream]:
    """Listen to a set's events until the block ends, as a browser would."""
    gone, stream = asyncio.Event(), EventStream()
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": "GET",
        "scheme": "http", "path": f"/v1/sets/{set_id}/events", "raw_path": b"", "query_string": query.encode(),
        "root_path": "", "headers": [(b"host", b"test"), *sent], "client": ("test", 1), "server": ("test", 80),
    }  # fmt: skip

    async def receive() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    serving = asyncio.create_task(app(scope, receive, stream.hear))
    try:
        yield stream
    finally:
        gone.set()
        await asyncio.wait_for(serving, 10)
