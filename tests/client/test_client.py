"""Every case is run through both clients: they differ only in how they wait."""

import asyncio
import json
import pickle
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import islice
from typing import Any, Protocol, TypeVar
from uuid import UUID

import httpx
import pytest
from nextpair import ApiError, AsyncClient, Client, Event, OlderVersionWarning, Unreachable, calls
from nextpair.calls import Call
from nextpair.schemas import (
    AbsoluteScoreIn,
    AbsoluteScoresIn,
    Comparison,
    ComparisonIn,
    ComparisonsIn,
    FailureRecorded,
    FieldError,
    VerdictIn,
    VerdictOf,
    VerdictsIn,
)
from nextpair.words import ExportFormat

from app.api.contract import EXAMPLES

T = TypeVar("T")
Handler = Callable[[httpx.Request], httpx.Response]
SET, ASSIGNMENT = UUID(int=1), UUID(int=2)
JUDGE = EXAMPLES["get_judge"]["response"]


# Both clients behind one face


class User(Protocol):
    slept: list[float]

    def send(self, call: Call[T], *, retries: int = 5) -> T: ...
    def export(self, form: ExportFormat) -> bytes: ...
    def events(self, count: int, *, after: int | None = None) -> list[Event]: ...


class SyncUser:
    def __init__(self, handler: Handler) -> None:
        self.handler, self.slept = handler, list[float]()

    def client(self, retries: int = 5) -> Client:
        return Client(
            "http://service/prefix",
            api_key="secret",
            timeout=30.0,
            retries=retries,
            transport=httpx.MockTransport(self.handler),
            sleep=self.slept.append,
            random=lambda: 0.5,
        )

    def send(self, call: Call[T], *, retries: int = 5) -> T:
        with self.client(retries) as service:
            return service.send(call)

    def export(self, form: ExportFormat) -> bytes:
        with self.client() as service:
            return b"".join(service.export(SET, form))

    def events(self, count: int, *, after: int | None = None) -> list[Event]:
        with self.client() as service:
            return list(islice(service.events(SET, after=after), count))


class AsyncUser:
    def __init__(self, handler: Handler) -> None:
        self.handler, self.slept = handler, list[float]()

    def client(self, retries: int = 5) -> AsyncClient:
        return AsyncClient(
            "http://service/prefix",
            api_key="secret",
            timeout=30.0,
            retries=retries,
            transport=httpx.MockTransport(self.handler),
            sleep=self._sleep,
            random=lambda: 0.5,
        )

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def send(self, call: Call[T], *, retries: int = 5) -> T:
        async def sending() -> T:
            async with self.client(retries) as service:
                return await service.send(call)

        return asyncio.run(sending())

    def export(self, form: ExportFormat) -> bytes:
        async def exporting() -> bytes:
            async with self.client() as service:
                return b"".join([chunk async for chunk in service.export(SET, form)])

        return asyncio.run(exporting())

    def events(self, count: int, *, after: int | None = None) -> list[Event]:
        async def watching() -> list[Event]:
            async with self.client() as service, aclosing(service.events(SET, after=after)) as events:
                return await _take(events, count)

        return asyncio.run(watching())


async def _take(events: AsyncIterator[Event], count: int) -> list[Event]:
    taken: list[Event] = []
    async for event in events:
        taken.append(event)
        if len(taken) == count:
            break
    return taken


@pytest.fixture(params=[SyncUser, AsyncUser], ids=["sync", "async"])
def user_of(request: pytest.FixtureRequest) -> Callable[[Handler], User]:
    made: Callable[[Handler], User] = request.param
    return made


class Script:
    """Answers one outcome after the other, and keeps what was asked."""

    def __init__(self, *outcomes: httpx.Response | Exception) -> None:
        self.outcomes, self.asked = deque(outcomes), list[httpx.Request]()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        outcome = self.outcomes.popleft()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def ok(content: Any, status: int = 200) -> httpx.Response:
    return httpx.Response(status, json=content)


def problem(status: int, *, headers: dict[str, str] | None = None, **fields: Any) -> httpx.Response:
    body = {"type": "urn:nextpair:problem:test", "title": "Unknown set", "status": status, "detail": "No such set."}
    kind = {"Content-Type": "application/problem+json"}
    return httpx.Response(status, content=json.dumps(body | fields), headers=kind | (headers or {}))


READY = EXAMPLES["ready"]["response"]
SET_OUT = EXAMPLES["create_set"]["response"]
COMPARISON = EXAMPLES["send_verdict"]["response"]
FAILURE = {"assignment_id": str(ASSIGNMENT), "set_id": str(SET), "failure": "skipped", "reason": None}
FAILURE |= {"label_mass": None, "latency_ms": None, "raw": None}
NO_PAIRS = {"status": "exhausted", "assignments": []}
LEASE = EXAMPLES["renew"]["response"]
ONE = ComparisonsIn(comparisons=[ComparisonIn(first="kelp", second="moss", judge="me", p_first=0.8)])
RANKING = EXAMPLES["ranking"]["response"]
SCORE = EXAMPLES["list_absolute_scores"]["response"]["scores"][0]
POOLED = EXAMPLES["add_pooled_evidence"]["response"]
CALIBRATION = EXAMPLES["calibration"]["response"]


# Operations: call, method, path with query, body, answer

verdicts = VerdictsIn(verdicts=[VerdictOf(assignment_id=ASSIGNMENT, winner="tie")])
ask = {"judge": "me", "count": 2, "lease_seconds": 600.0}
accepted = {"accepted": 1, "duplicates": 0, "version": 1}
scores = AbsoluteScoresIn(
    scores=[
        AbsoluteScoreIn(candidate="kelp", judge="me", probabilities={"7": 0.8, "8": 0.2}),
        AbsoluteScoreIn(candidate="moss", judge="me", mean=5.0, variance=0.4),
    ]
)
scores_json = {
    "scores": [
        {"candidate": "kelp", "judge": "me", "probabilities": {"7": 0.8, "8": 0.2}},
        {"candidate": "moss", "judge": "me", "mean": 5.0, "variance": 0.4},
    ]
}
of_set, of_assignment = f"/v1/sets/{SET}", f"/v1/assignments/{ASSIGNMENT}"

OPERATIONS: list[tuple[Call[Any], str, str, Any, Any]] = [
    (
        calls.list_sets(project="demo", status="open", after=SET, limit=5),
        "GET",
        f"/v1/sets?project=demo&status=open&after={SET}&limit=5",
        None,
        {"sets": [SET_OUT], "next_after": None},
    ),
    (
        calls.list_candidates(SET, after="kelp & moss"),
        "GET",
        f"{of_set}/candidates?after=kelp+%26+moss",
        None,
        {"candidates": [], "next_after": None},
    ),
    (
        calls.list_items(SET, after="why?", limit=2),
        "GET",
        f"{of_set}/items?after=why%3F&limit=2",
        None,
        {"items": [{"key": "sky", "prompt": None, "tags": {"topic": "nature"}}], "next_after": None},
    ),
    (
        calls.renew(ASSIGNMENT, generation=2),
        "POST",
        f"{of_assignment}/renew",
        {"lease_seconds": 600.0, "generation": 2},
        LEASE,
    ),
    (
        calls.renew_many([ASSIGNMENT], generations={ASSIGNMENT: 2}),
        "POST",
        "/v1/assignments/renew",
        {"assignments": [str(ASSIGNMENT)], "lease_seconds": 600.0, "generations": {str(ASSIGNMENT): 2}},
        {"held": [LEASE]},
    ),
    (
        calls.release_many([ASSIGNMENT], generations={ASSIGNMENT: 2}),
        "POST",
        "/v1/assignments/release",
        {"assignments": [str(ASSIGNMENT)], "generations": {str(ASSIGNMENT): 2}},
        {"released": 1},
    ),
    (
        calls.next_pairs(judge="me", count=2, worker="gpu-0"),
        "POST",
        "/v1/next-pairs",
        ask | {"worker": "gpu-0"},
        NO_PAIRS,
    ),
    (
        calls.next_pair(SET, judge="me", count=2, rank_sets_with="gpt"),
        "POST",
        f"{of_set}/next-pair",
        ask | {"wait_seconds": 0.0, "rank_sets_with": "gpt"},
        NO_PAIRS,
    ),
    (calls.list_judges(kind="llm"), "GET", "/v1/judges?kind=llm", None, {"judges": [JUDGE], "next_after": None}),
    (calls.get_judge("a/b"), "GET", "/v1/judges/a%2Fb", None, JUDGE),
    (
        calls.judges(SET, method="majority", verdicts=False),
        "GET",
        f"{of_set}/judges?method=majority&verdicts=false",
        None,
        EXAMPLES["judges"]["response"],
    ),
    (
        calls.list_disputes(SET, after=4),
        "GET",
        f"{of_set}/disputes?after=4",
        None,
        EXAMPLES["list_disputes"]["response"],
    ),
    (
        calls.list_judged_pairs(SET, item="sky", candidate="kelp", tag=["kind:code", "kind:prose"], sort="surprise"),
        "GET",
        f"{of_set}/pairs?item=sky&candidate=kelp&tag=kind%3Acode&tag=kind%3Aprose&sort=surprise",
        None,
        EXAMPLES["list_judged_pairs"]["response"],
    ),
    (
        calls.list_item_statistics(SET, limit=2),
        "GET",
        f"{of_set}/item-statistics?limit=2",
        None,
        EXAMPLES["list_item_statistics"]["response"],
    ),
    (
        calls.rank_sets(SET, judge=["gpt", "qwen"], reference=["ann"], simultaneous="ellipsoid", lambdas=[0.2, 0.3]),
        "GET",
        f"{of_set}/rank-sets?judge=gpt&judge=qwen&reference=ann&simultaneous=ellipsoid&lambda=0.2&lambda=0.3",
        None,
        EXAMPLES["rank_sets"]["response"],
    ),
    (
        calls.leaderboard("help/desk", sets=[SET], weights={"Clarity": 2, "Tone=calm": 0.5}, level=0.9),
        "GET",
        f"/v1/projects/help%2Fdesk/leaderboard?set={SET}&weight=Clarity%3D2&weight=Tone%3Dcalm%3D0.5&level=0.9",
        None,
        {"project": "help/desk", "criteria": [], "weights": None, "sentence": "", "rows": []},
    ),
    (
        calls.release(ASSIGNMENT, generation=2),
        "POST",
        f"{of_assignment}/release",
        {"generation": 2},
        LEASE | {"status": "released"},
    ),
    (
        calls.list_comparisons(SET, after=3, judge="me"),
        "GET",
        f"{of_set}/comparisons?after=3&judge=me",
        None,
        {"comparisons": [COMPARISON], "next_after": 1},
    ),
    (
        calls.add_absolute_scores(SET, scores),
        "POST",
        f"{of_set}/absolute-scores",
        scores_json,
        {"accepted": 2, "version": 4},
    ),
    (
        calls.list_absolute_scores(SET, after=2, limit=1),
        "GET",
        f"{of_set}/absolute-scores?after=2&limit=1",
        None,
        {"scores": [SCORE], "next_after": 3},
    ),
    (
        calls.list_pooled_evidence(SET, after=2, limit=1),
        "GET",
        f"{of_set}/pooled-evidence?after=2&limit=1",
        None,
        {"entries": [POOLED], "next_after": 3},
    ),
    (
        calls.ranking(SET, method="win-ratio", as_of=0, level=0.9, top_k=3, epsilon=0.25),
        "GET",
        f"{of_set}/ranking?method=win-ratio&as_of=0&level=0.9&top_k=3&epsilon=0.25",
        None,
        RANKING,
    ),
    (
        calls.calibration(SET, judge="a&b", reference=["me", "my friend"], objective="ece"),
        "GET",
        f"{of_set}/calibration?judge=a%26b&reference=me&reference=my+friend&objective=ece",
        None,
        CALIBRATION,
    ),
    (calls.ready(), "GET", "/readyz", None, READY),
]


@pytest.mark.parametrize(
    ("call", "method", "target", "body", "answer"), OPERATIONS, ids=[f"{o[1]} {o[2][:45]}" for o in OPERATIONS]
)
def test_operations_follow_the_contract(
    user_of: Callable[[Handler], User], call: Call[Any], method: str, target: str, body: Any, answer: Any
) -> None:
    script = Script(ok(answer))

    received = user_of(script).send(call)

    [asked] = script.asked
    assert (asked.method, asked.url.raw_path.decode()) == (method, f"/prefix{target}")
    assert asked.headers["Authorization"] == "Bearer secret"
    assert (json.loads(asked.content) if asked.content else None) == body
    assert asked.headers.get("Content-Type") == ("application/json" if body else None)
    assert received == type(received).model_validate(answer)
    assert ("Idempotency-Key" in asked.headers) == (method != "GET")


def test_deleting_answers_nothing(user_of: Callable[[Handler], User]) -> None:
    script = Script(httpx.Response(204))

    user_of(script).send(calls.delete_set(str(SET)))

    assert (script.asked[0].method, script.asked[0].url.path) == ("DELETE", f"/prefix/v1/sets/{SET}")


@pytest.mark.parametrize(("answer", "model"), [(COMPARISON, Comparison), (FAILURE, FailureRecorded)])
def test_a_verdict_answers_a_comparison_or_a_failure(
    user_of: Callable[[Handler], User], answer: Any, model: type
) -> None:
    call = calls.send_verdict(ASSIGNMENT, VerdictIn(failure="skipped"))

    assert isinstance(user_of(Script(ok(answer, 201))).send(call), model)


def test_arguments_outside_the_contract_raise_before_anything_is_sent() -> None:
    with pytest.raises(ValueError, match="less than or equal to 1000"):
        calls.next_pair(SET, judge="me", count=1001)


def test_an_id_cannot_reach_another_path() -> None:
    assert calls.get_set("a/b?c").path == "/v1/sets/a%2Fb%3Fc"


def test_every_write_has_a_key_of_its_own() -> None:
    keys = {calls.add_comparisons(SET, ONE).idempotency_key for _ in range(3)}

    assert len(keys) == 3


def test_the_time_a_server_may_wait_comes_on_top_of_the_timeout(user_of: Callable[[Handler], User]) -> None:
    script = Script(ok(NO_PAIRS), ok(NO_PAIRS))
    for wait_seconds in (0.0, 60.0):
        user_of(script).send(calls.next_pair(SET, judge="me", wait_seconds=wait_seconds))

    short, long = [asked.extensions["timeout"] for asked in script.asked]
    assert short == {"connect": 30.0, "read": 30.0, "write": 30.0, "pool": 30.0}
    assert short | {"read": 90.0} == long


# Retries

DOWN = httpx.ConnectError("refused")


def test_retries_repeat_the_request_with_its_key(user_of: Callable[[Handler], User]) -> None:
    script = Script(DOWN, problem(503), httpx.ReadError(""), httpx.ReadTimeout("slow"), ok(NO_PAIRS))
    user = user_of(script)
    call = calls.next_pair(SET, judge="me")

    user.send(call)

    assert {asked.headers["Idempotency-Key"] for asked in script.asked} == {call.idempotency_key}
    assert len({asked.content for asked in script.asked}) == 1
    assert user.slept == [0.25, 0.5, 1.0, 2.0]


@pytest.mark.parametrize("status", [425, 429, 502, 503, 504, 507])
def test_retry_after_is_the_least_pause(user_of: Callable[[Handler], User], status: int) -> None:
    user = user_of(Script(problem(status, headers={"Retry-After": "7"}), ok(READY)))

    user.send(calls.ready())

    assert user.slept == [7.25]


@pytest.mark.parametrize(("ahead", "least", "most"), [(60, 55.0, 60.25), (-60, 0.25, 0.25)])
def test_retry_after_may_be_a_date(user_of: Callable[[Handler], User], ahead: int, least: float, most: float) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=ahead), usegmt=True)
    user = user_of(Script(problem(503, headers={"Retry-After": date}), ok(READY)))

    user.send(calls.ready())

    assert least <= user.slept[0] <= most


def test_retry_after_may_be_a_fraction(user_of: Callable[[Handler], User]) -> None:
    user = user_of(Script(problem(503, headers={"Retry-After": "1.5"}), ok(READY)))

    user.send(calls.ready())

    assert user.slept == [1.75]


def test_an_unreadable_retry_after_is_ignored(user_of: Callable[[Handler], User]) -> None:
    user = user_of(Script(problem(503, headers={"Retry-After": "soon"}), ok(READY)))

    user.send(calls.ready())

    assert user.slept == [0.25]


def test_a_very_long_retry_after_is_the_callers_to_decide(user_of: Callable[[Handler], User]) -> None:
    user = user_of(Script(problem(429, headers={"Retry-After": "3600"})))

    with pytest.raises(ApiError, match="Unknown set"):
        user.send(calls.ready())
    assert user.slept == []


def test_gives_up_with_the_address_and_the_remedy(user_of: Callable[[Handler], User]) -> None:
    script = Script(*[DOWN] * 3)

    with pytest.raises(Unreachable) as raised:
        user_of(script).send(calls.get_set(SET), retries=2)

    assert str(raised.value) == (
        f"No answer to GET http://service/prefix/v1/sets/{SET} after 3 tries: ConnectError refused. "
        "Check that the server runs (`nextpair serve`) and that this is its address."
    )
    assert raised.value.__cause__ is DOWN


def test_gives_up_with_the_servers_last_answer(user_of: Callable[[Handler], User]) -> None:
    script = Script(problem(503), problem(503, detail="The database is away."))

    with pytest.raises(ApiError, match="The database is away") as raised:
        user_of(script).send(calls.ready(), retries=1)

    assert raised.value.status == 503


def test_retries_for_ever_do_not_overflow(user_of: Callable[[Handler], User]) -> None:
    user = user_of(Script(*[DOWN] * 1200, ok(READY)))

    user.send(calls.ready(), retries=10**9)

    assert max(user.slept) == 16.0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 413, 422, 500])
def test_other_errors_are_final(user_of: Callable[[Handler], User], status: int) -> None:
    script = Script(problem(status))

    with pytest.raises(ApiError) as raised:
        user_of(script).send(calls.get_set(SET))

    assert (len(script.asked), raised.value.status) == (1, status)


def test_an_address_without_a_scheme_is_not_tried_again() -> None:
    with pytest.raises(Unreachable, match="write http://"):
        Client("service:8000")


# Errors


def test_a_problem_becomes_one_readable_line(user_of: Callable[[Handler], User]) -> None:
    errors = [{"pointer": f"/comparisons/{n}/p_first", "detail": "at most\n1"} for n in range(7)]
    answer = problem(422, title="Malformed payload", detail="7 fields are wrong.", errors=errors)

    with pytest.raises(ApiError) as raised:
        user_of(Script(answer)).send(calls.add_comparisons(SET, ONE))

    told = "; ".join(f"/comparisons/{n}/p_first: at most 1" for n in range(5))
    assert str(raised.value) == f"Malformed payload: 7 fields are wrong. ({told}; and 2 more)"
    assert raised.value.problem is not None
    assert raised.value.problem.errors is not None
    assert raised.value.problem.errors[6] == FieldError(pointer="/comparisons/6/p_first", detail="at most\n1")


@pytest.mark.parametrize(
    ("status", "content"),
    [(404, "<h1>nginx</h1>"), (200, "<h1>nginx</h1>"), (200, '{"name": "another service"}'), (302, ""), (500, "")],
)
def test_an_answer_outside_the_contract_says_so(user_of: Callable[[Handler], User], status: int, content: str) -> None:
    with pytest.raises(ApiError, match="outside the contract") as raised:
        user_of(Script(httpx.Response(status, text=content))).send(calls.get_set(SET))

    assert raised.value.problem is None
    assert f"answered {status}" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_result_without_the_newest_verdicts_is_warned_of(user_of: Callable[[Handler], User]) -> None:
    origin = {"Nextpair-Version": "5", "Nextpair-Newer-Version": "6"}
    script = Script(httpx.Response(200, headers=origin, content=b"picture"), httpx.Response(200, content=b"picture"))
    user = user_of(script)
    with pytest.warns(OlderVersionWarning, match="version 5 .* version 6 .* fresh=True"):
        assert user.send(calls.ranking_picture(SET)) == b"picture"
    assert user.send(calls.ranking_picture(SET, fresh=True)) == b"picture"
    assert [request.url.params.get("fresh") for request in script.asked] == [None, "true"]


def test_messages_do_not_tell_a_password() -> None:
    handler = httpx.MockTransport(Script(DOWN))
    service = Client("http://me:hunter2@service", retries=0, transport=handler)
    with service, pytest.raises(Unreachable) as raised:
        service.send(calls.ready())

    assert "hunter2" not in str(raised.value)


def test_errors_survive_pickling() -> None:
    error = ApiError(404, None, "Unknown set: no such set.")

    copied = pickle.loads(pickle.dumps(error))

    assert (copied.status, str(copied)) == (404, str(error))


# Export


class Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """Chunks, then perhaps an error; knows whether it was closed."""

    def __init__(self, *chunks: bytes, error: Exception | None = None) -> None:
        self.chunks, self.error, self.closed = chunks, error, False

    def __iter__(self) -> Iterator[bytes]:
        yield from self.chunks
        if self.error:
            raise self.error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk

    def close(self) -> None:
        self.closed = True

    async def aclose(self) -> None:
        self.closed = True


def test_export_streams_the_log(user_of: Callable[[Handler], User]) -> None:
    body = Body(b'{"seq": 1}\n', b'{"seq": 2}\n')
    script = Script(problem(503), httpx.Response(200, stream=body))

    exported = user_of(script).export("jsonl")

    assert exported == b'{"seq": 1}\n{"seq": 2}\n'
    assert script.asked[1].url.raw_path.decode() == f"/prefix{of_set}/comparisons?format=jsonl"
    assert body.closed


def test_half_an_export_is_an_error(user_of: Callable[[Handler], User]) -> None:
    body = Body(b"seq,first\n", error=httpx.RemoteProtocolError("incomplete chunked read"))

    with pytest.raises(Unreachable, match="broke off: RemoteProtocolError incomplete chunked read"):
        user_of(Script(httpx.Response(200, stream=body))).export("csv")
    assert body.closed


def test_export_of_an_unknown_set(user_of: Callable[[Handler], User]) -> None:
    with pytest.raises(ApiError, match="No such set"):
        user_of(Script(problem(404))).export("parquet")


# Server-sent events


def stream(*chunks: bytes, error: Exception | None = None) -> httpx.Response:
    return streamed(Body(*chunks, error=error))


def streamed(body: Body) -> httpx.Response:
    return httpx.Response(200, headers={"Content-Type": "text/event-stream; charset=utf-8"}, stream=body)


def end() -> httpx.Response:
    return httpx.Response(204)


EVERYTHING = (
    "\ufeff: welcome\n\n"
    "event: comparison\nid: 1\ndata: {\ndata:   1\u2028}\n\n"
    "\n"
    "event: dropped\nid: 2\n\n"
    ":ping\ndata\nunknown: field\n\n"
    "event:ranking\r\ndata:x\r\nid:3\r\n\r\n"
    "data: y\rid: 4\r\r"
    "data: unfinished"
)
READ = [
    Event("comparison", "1", "{\n  1\u2028}"),
    Event("message", "2", ""),
    Event("ranking", "3", "x"),
    Event("message", "4", "y"),
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_read_however_they_are_cut(user_of: Callable[[Handler], User], size: int) -> None:
    text = EVERYTHING.encode()
    chunks = [text[start : start + size] for start in range(0, len(text), size)]

    assert user_of(Script(stream(*chunks), end())).events(99) == READ


@pytest.mark.parametrize("error", [None, httpx.ReadTimeout("quiet"), httpx.RemoteProtocolError("cut")])
def test_a_broken_stream_goes_on_where_it_stopped(user_of: Callable[[Handler], User], error: Exception | None) -> None:
    script = Script(
        stream(b"id: 8\ndata: a\nretry: 3000\n\ndata: half", error=error), DOWN, stream(b"id: 9\ndata: b\n\n"), end()
    )
    user = user_of(script)

    events = user.events(99, after=7)

    assert events == [Event("message", "8", "a"), Event("message", "9", "b")]
    assert [asked.headers["Last-Event-ID"] for asked in script.asked] == ["7", "8", "8", "9"]
    assert script.asked[0].headers["Accept"] == "text/event-stream"
    assert user.slept == [3.0, 0.25, 3.0]


def test_events_from_now_on_name_no_last_event(user_of: Callable[[Handler], User]) -> None:
    script = Script(end())

    assert user_of(script).events(1) == []
    assert "Last-Event-ID" not in script.asked[0].headers


def test_leaving_events_early_closes_the_stream(user_of: Callable[[Handler], User]) -> None:
    body = Body(b"data: a\n\n", b"data: b\n\n")

    assert user_of(Script(streamed(body))).events(1) == [Event("message", "", "a")]
    assert body.closed


def test_events_of_an_unknown_set(user_of: Callable[[Handler], User]) -> None:
    with pytest.raises(ApiError, match="No such set"):
        user_of(Script(problem(404))).events(1)


def test_events_from_something_else(user_of: Callable[[Handler], User]) -> None:
    with pytest.raises(ApiError, match="application/json instead of text/event-stream"):
        user_of(Script(ok(READY))).events(1)


def test_events_end_when_the_server_stays_away(user_of: Callable[[Handler], User]) -> None:
    with pytest.raises(Unreachable, match="6 tries"):
        user_of(Script(stream(b"data: a\n\n"), *[DOWN] * 6)).events(2)


def test_ids_may_be_text_or_uuid() -> None:
    text = "00000000-0000-0000-0000-000000000001"

    assert calls.get_set(text).path == calls.get_set(UUID(text)).path
