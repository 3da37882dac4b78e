"""Small sets to test with, and short ways to use them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import combinations
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import httpx
import numpy as np
from fastapi import FastAPI
from nextpair.words import InferenceTargetName
from scipy.special import expit
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.types import Message

from app.inference.types import Comparisons, Floats, Ints, once_each

Http = httpx.AsyncClient  # the service, as its clients see it
KEYS = ("ash", "birch", "cedar", "elm")
TABLES = (
    "sets", "candidates", "items", "outputs", "judges", "assignments", "comparisons", "voids", "absolute_scores",
    "pooled_evidence", "pools", "idempotency",
)  # fmt: skip


def candidates(*keys: str) -> list[dict[str, Any]]:
    return [{"key": key, "text": f"The text of {key}."} for key in keys]


async def create_set(http: Http, *keys: str, told: Any = (), **fields: Any) -> "Made":
    """A set of texts, as the service answers it; about scores and without biases unless `fields` say otherwise.

    Its log has what is `told`: comparisons, or wins as `compare` takes them.
    """
    body = {
        "name": "Trees", "question": "Which is better?", "candidates": candidates(*(keys or KEYS)),
        "inference_target": "latent", "position_bias": "none", **fields,
    }  # fmt: skip
    answer = await http.post("/v1/sets", json=body)
    assert answer.status_code == 201, answer.text
    made = Made(http, answer.json())
    if told:
        await made.compare_all([wins(each) if isinstance(each, str) else each for each in told])
    return made


async def create_asked(http: Http, *keys: str, **fields: Any) -> tuple["Made", dict[str, Any]]:
    """A set, and the first pair of it that alice is asked."""
    made = await create_set(http, *keys, **fields)
    return made, await made.ask_one()


async def create_systems(http: Http, items: Iterable[str], *keys: str, **fields: Any) -> "Made":
    """A set of systems that all answered all items."""
    items = list(items)
    systems = [{"key": key, "outputs": {item: f"{key} on {item}" for item in items}} for key in keys]
    prompts = [{"key": item, "prompt": f"Do {item}."} for item in items]
    return await create_set(http, candidates=systems, items=prompts, **fields)


async def patch(http: Http, set_id: str, /, **changes: Any) -> dict[str, Any]:
    answer = await http.patch(f"/v1/sets/{set_id}", json=changes)
    assert answer.status_code == 200, answer.text
    changed: dict[str, Any] = answer.json()
    return changed


async def ask(http: Http, set_id: str, /, judge: str = "alice", **fields: Any) -> dict[str, Any]:
    answer = await http.post(f"/v1/sets/{set_id}/next-pair", json={"judge": judge, **fields})
    assert answer.status_code == 200, answer.text
    asked: dict[str, Any] = answer.json()
    return asked


async def ask_one(http: Http, set_id: str, /, judge: str = "alice", **fields: Any) -> dict[str, Any]:
    """The one assignment that an ask gives."""
    (assignment,) = (await ask(http, set_id, judge, **fields))["assignments"]
    return dict(assignment)


async def tell(http: Http, assignment_id: str, **verdict: Any) -> httpx.Response:
    return await http.post(f"/v1/assignments/{assignment_id}/verdict", json=verdict)


async def answer_all(
    http: Http, set_id: str, /, judge: str = "alice", count: int = 1, most: int = 10**9, p: float = 0.9
) -> list[dict[str, Any]]:
    """Ask and tell until nothing is handed out, or `most` times; earlier keys win by p. Returns the assignments."""
    done: list[dict[str, Any]] = []
    while len(done) < most and (pairs := (await ask(http, set_id, judge, count=count))["assignments"]):
        for pair in pairs:
            better = pair["first"]["key"] < pair["second"]["key"]
            assert (await tell(http, pair["id"], p_first=p if better else round(1.0 - p, 9))).status_code == 201
            done.append(pair)
    return done


def comparison(first: str, second: str, p_first: float = 0.9, judge: str = "bob", **fields: Any) -> dict[str, Any]:
    return {"first": first, "second": second, "p_first": p_first, "judge": judge, **fields}


async def send(http: Http, set_id: str, /, *new: dict[str, Any], **headers: str) -> httpx.Response:
    """Comparisons that were judged elsewhere."""
    return await http.post(f"/v1/sets/{set_id}/comparisons", json={"comparisons": new}, headers=headers)


def wins(pair: str, judge: str = "bob") -> dict[str, Any]:
    """`"ash>elm"` is a win of ash, shown first."""
    first, second = pair.split(">")
    return comparison(first, second, judge=judge)


async def compare(http: Http, set_id: str, /, *pairs: str, judge: str = "bob") -> None:
    await compare_all(http, set_id, [wins(pair, judge) for pair in pairs])


def simulated(
    keys: Sequence[str], count: int, seed: int, judge: str = "bob", *, lean: float = 0.0, sure: float = 1.0
) -> list[dict[str, Any]]:
    """Comparisons of random pairs in random order; earlier keys are better, by 3 in all.

    The judge leans to the first position by `lean`, and its logits are `sure` times what they should be.
    """
    rng, truth = np.random.default_rng(seed), np.linspace(1.5, -1.5, len(keys))
    made = []
    for _ in range(count):
        first, second = rng.choice(len(keys), 2, replace=False)
        d = truth[first] - truth[second] + lean + 0.3 * rng.standard_normal()
        made.append(comparison(keys[first], keys[second], float(expit(sure * d)), judge))
    return made


async def declare(http: Http, judge: str, *, repeats: bool = True) -> None:
    """Say that a judge repeats itself, so that what it says of all pairs is known."""
    assert (await http.put(f"/v1/judges/{judge}", json={"repeats": repeats})).status_code == 200


async def judged_for(http: Http, target: InferenceTargetName, count: int) -> str:
    """A set about this target, six candidates with so many verdicts of a model; about people some of a person, too."""
    rng, keys = np.random.default_rng(1), list("abcdef")
    pairs = rng.permutation(list(combinations(keys, 2))).tolist()[:count]
    if target != "new-items":
        created = await create_set(http, *keys, inference_target=target)
        new = [comparison(a, b, float((a, b) != ("a", "f")), "model") for a, b in pairs]
    else:
        items = [f"item {n}" for n in range(9)]
        created = await create_systems(http, items, *keys, inference_target=target)
        logits = np.linspace(1.0, -1.0, len(keys)) + 0.8 * rng.standard_normal((len(items), len(keys)))
        d = {(item, *pair): logits[n, keys.index(pair[0])] - logits[n, keys.index(pair[1])]
             for n, item in enumerate(items) for pair in pairs}  # fmt: skip
        new = [comparison(a, b, float(expit(2.0 * each)), "model", item=item) for (item, a, b), each in d.items()]
    if target == "people":
        assert (await http.put("/v1/judges/person", json={"kind": "human"})).status_code == 200
        new += [comparison(a, b, 0.0, "person") for a, b in pairs[::4]]
    if new:
        await compare_all(http, created["id"], new)
    return str(created["id"])


async def agreed(http: Http, *keys: str, **fields: Any) -> str:
    """A set whose verdicts show signal: by ten judges each earlier key is the better one, shown first or second."""
    set_id = str((await create_set(http, *keys, **fields))["id"])
    pairs = list(combinations(keys or KEYS, 2))
    judged = [
        comparison(better, other, 1.0, f"judge {n}")
        if (n + place) % 2
        else comparison(other, better, 0.0, f"judge {n}")
        for n in range(10)
        for place, (better, other) in enumerate(pairs)
    ]
    await compare_all(http, set_id, judged)
    return set_id


async def compare_all(http: Http, set_id: str, /, new: Sequence[dict[str, Any]]) -> None:
    answer = await send(http, set_id, *new)
    assert answer.status_code == 201, answer.text


def said(candidate: str, mean: float, variance: float = 0.5, judge: str = "gpt", **fields: Any) -> dict[str, Any]:
    """An absolute score."""
    return {"candidate": candidate, "mean": mean, "variance": variance, "judge": judge, **fields}


async def send_scores(http: Http, set_id: str, /, *new: dict[str, Any], **headers: str) -> httpx.Response:
    return await http.post(f"/v1/sets/{set_id}/absolute-scores", json={"scores": new}, headers=headers)


async def score(http: Http, set_id: str, /, judge: str = "gpt", **means: float) -> None:
    """Absolute scores by key."""
    answer = await send_scores(http, set_id, *(said(key, mean, judge=judge) for key, mean in means.items()))
    assert answer.status_code == 201, answer.text


async def restore(http: Http, set_id: str, /, seq: int, **headers: str) -> httpx.Response:
    return await http.post(f"/v1/sets/{set_id}/comparisons/{seq}/restore", headers=headers)


async def void(http: Http, set_id: str, /, seq: int, **headers: str) -> httpx.Response:
    url = f"/v1/sets/{set_id}/comparisons/{seq}/void"
    return await http.post(url, json={"reason": "clicked the wrong side"}, headers=headers)


async def ranking(http: Http, set_id: str, /, **params: Any) -> dict[str, Any]:
    return await get(http, f"/v1/sets/{set_id}/ranking", **params)


async def scores_of(http: Http, set_id: str, /, **params: Any) -> dict[str, float]:
    """The published scores by key."""
    return {row["key"]: row["score"] for row in (await ranking(http, set_id, **params))["ranking"]}


async def log(http: Http, set_id: str, /, **params: Any) -> list[dict[str, Any]]:
    return list((await get(http, f"/v1/sets/{set_id}/comparisons", **params))["comparisons"])


def relative(scores: Floats) -> Floats:
    """As they are published: to the average candidate."""
    return np.asarray(scores - scores.mean())


class Counted(NamedTuple):
    """What counts of a log, as the numerics read it."""

    comparisons: Comparisons
    judges: list[str]  # names, in the order of their numbers
    item: Ints


async def counted(http: Http, set_id: str, /, keys: Sequence[str]) -> Counted:
    """Candidates are numbered as in `keys`, judges in the order in which they appear."""
    entries = [e for e in await log(http, set_id, limit=1000) if e["voided_by"] is None]
    judges, items = list(dict.fromkeys(e["judge"] for e in entries)), list(dict.fromkeys(e["item"] for e in entries))

    def numbers(names: Sequence[str | None], field: str) -> Ints:
        return np.array([names.index(e[field]) for e in entries], np.int64)

    p = np.array([e["p_first"] for e in entries], np.float64)
    comparisons = once_each(numbers(keys, "first"), numbers(keys, "second"), p, numbers(judges, "judge"))
    return Counted(comparisons, judges, numbers(items, "item"))


async def get(http: Http, url: str, **params: Any) -> dict[str, Any]:
    """What is there once it is computed, as kernels are compiled first."""
    while (answer := await http.get(url, params=params)).status_code == 425:
        continue
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def pages(http: Http, url: str, noun: str, **params: Any) -> list[dict[str, Any]]:
    """What all pages hold."""
    page = await get(http, url, **params)
    entries = list(page[noun])
    while page["next_after"] is not None:
        page = await get(http, url, **params | {"after": page["next_after"]})
        entries += page[noun]
    return entries


P = ParamSpec("P")
T = TypeVar("T")


def _here(function: Callable[Concatenate[Http, str, P], T]) -> Callable[Concatenate["Made", P], T]:
    def method(made: "Made", /, *args: P.args, **named: P.kwargs) -> T:
        return function(made.http, made["id"], *args, **named)

    return method


class Made(dict[str, Any]):
    """A set as the service answered when it was made, and the short ways to use it."""

    def __init__(self, http: Http, answer: dict[str, Any]) -> None:
        super().__init__(answer)
        self.http, self.url = http, f"/v1/sets/{answer['id']}"

    async def read(self, path: str = "", **params: Any) -> dict[str, Any]:
        return await get(self.http, self.url + path, **params)

    async def add(self, *keys: str) -> None:
        """Candidates with these keys."""
        answer = await self.http.post(f"{self.url}/candidates", json={"candidates": candidates(*keys)})
        assert answer.status_code == 201, answer.text

    patch, ask, ask_one, answer_all = _here(patch), _here(ask), _here(ask_one), _here(answer_all)
    send, compare, compare_all, void, restore = (
        _here(send), _here(compare), _here(compare_all), _here(void), _here(restore),
    )  # fmt: skip
    score, send_scores, log, counted = _here(score), _here(send_scores), _here(log), _here(counted)
    ranking, scores_of = _here(ranking), _here(scores_of)


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


@contextmanager
def statements(engine: AsyncEngine) -> Iterator[list[str]]:
    """What is sent to the database within the block."""
    sent: list[str] = []

    def note(*execution: Any) -> None:
        sent.append(execution[2])

    event.listen(engine.sync_engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine.sync_engine, "before_cursor_execute", note)


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
        "root_path": "", "headers": [(b"host", b"localhost"), *sent], "client": ("test", 1), "server": ("test", 80),
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
