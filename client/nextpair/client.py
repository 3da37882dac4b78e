"""The typed client of a nextpair service, for the command line, judge workers and your own programs.

    with Client("http://127.0.0.1:8000") as service:
        made = service.send(create_set(SetIn(name="Sky", question="Which is clearer?", candidates=[...])))
        for pair in service.send(next_pair(made.id, judge="me", count=2)).assignments:
            service.send(send_verdict(pair.id, VerdictIn(winner="first")))
        print(service.send(ranking(made.id)).ranking)

Each operation is one function that describes a `Call`; a `Client` sends it, or an `AsyncClient` with `await`.
Arguments outside the contract raise pydantic.ValidationError before anything is sent. Sending raises

    NextpairError
    ├── ApiError      the server answered with an error, or with something outside the contract
    └── Unreachable   there was no answer, or it broke off
"""

import asyncio
import codecs
import random
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Generic, Literal, NamedTuple, Self, TypeVar, final
from urllib.parse import quote
from uuid import UUID, uuid4

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from nextpair.schemas import (
    AbsoluteScorePage,
    AbsoluteScoresAccepted,
    AbsoluteScoresIn,
    Ask,
    AskMany,
    Assignments,
    Calibration,
    CandidatePage,
    CandidatesAdded,
    CandidatesIn,
    Comparison,
    ComparisonPage,
    ComparisonsAccepted,
    ComparisonsIn,
    Diagnostics,
    FailureRecorded,
    FieldError,
    Held,
    JudgeIn,
    JudgeOut,
    JudgePage,
    Judges,
    Lease,
    Prediction,
    Preview,
    Problem,
    Ranking,
    RankSets,
    Ready,
    Release,
    Released,
    ReleaseMany,
    Renewal,
    RenewMany,
    SetIn,
    SetOut,
    SetPage,
    SetPatch,
    VerdictIn,
    VerdictResults,
    VerdictsIn,
    Void,
    VoidIn,
)
from nextpair.words import AggregationName, CovarianceName, ExportFormat, JudgeKind, MethodName, ObjectiveName

T = TypeVar("T")
Id = UUID | str
Param = str | int | float | Sequence[str]
Outcome = httpx.Response | httpx.RequestError

TRANSIENT = frozenset({425, 429, 502, 503, 504, 507})
FIRST_PAUSE, DOUBLINGS = 0.5, 6  # seconds, and how often the pause doubles: up to 32 seconds
PATIENCE = 120.0  # seconds; a longer Retry-After is for the caller to decide about
RECONNECT = 1.0  # seconds before an event stream is opened again, unless the server says otherwise


# Errors


class NextpairError(Exception):
    """Everything that sending raises."""

    exit_code = 1  # of a command that ends with it


class ApiError(NextpairError):
    """The server answered with an error, or with something outside the contract (then `problem` is None)."""

    def __init__(self, status: int, problem: Problem | None, message: str) -> None:
        super().__init__(status, problem, message)
        self.status, self.problem, self.message = status, problem, message

    def __str__(self) -> str:
        return self.message


class Unreachable(NextpairError):
    """There was no answer, or it broke off; the message names the address and what to do."""


# Calls


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request and how to read its answer. Sending it again repeats its key, so a write happens once."""

    method: str
    path: str
    parse: Callable[[bytes], T]
    params: Mapping[str, Param] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: BaseModel | None = None
    idempotency_key: str | None = None
    wait: float = 0.0  # seconds that the server may hold the answer back, on top of the client's timeout


def create_set(new: SetIn) -> Call[SetOut]:
    return _write("POST", _path("sets"), SetOut.model_validate_json, new)


def list_sets(
    *,
    project: str | None = None,
    status: Literal["open", "paused"] | None = None,
    after: Id | None = None,
    limit: int | None = None,
) -> Call[SetPage]:
    """One page; pass its `next_after` as `after` for the next."""
    read = SetPage.model_validate_json
    return _get(_path("sets"), read, project=project, status=status, after=_text(after), limit=limit)


def get_set(set_id: Id) -> Call[SetOut]:
    return _get(_path("sets", set_id), SetOut.model_validate_json)


def patch_set(set_id: Id, changes: SetPatch) -> Call[SetOut]:
    """Changes the fields that were passed to `SetPatch`, null included, and no others."""
    return _write("PATCH", _path("sets", set_id), SetOut.model_validate_json, changes)


def delete_set(set_id: Id) -> Call[None]:
    return _write("DELETE", _path("sets", set_id), _nothing)


def add_candidates(set_id: Id, new: CandidatesIn) -> Call[CandidatesAdded]:
    """Adds candidates, or replaces those whose key the set has already."""
    return _write("POST", _path("sets", set_id, "candidates"), CandidatesAdded.model_validate_json, new)


def list_candidates(set_id: Id, *, after: str | None = None, limit: int | None = None) -> Call[CandidatePage]:
    """One page; pass its `next_after` as `after` for the next."""
    path = _path("sets", set_id, "candidates")
    return _get(path, CandidatePage.model_validate_json, after=after, limit=limit)


def next_pair(
    set_id: Id,
    *,
    judge: str,
    count: int = 1,
    lease_seconds: float = 600.0,
    wait_seconds: float = 0.0,
    worker: str | None = None,
    rank_sets_with: str | None = None,
) -> Call[Assignments]:
    """Leases up to `count` pairs to the judge, the live assignments of judge and worker first.

    With `rank_sets_with` a person gets those of that judge's pairs that shrink the rank-sets of both most.
    """
    given = _given(worker=worker, rank_sets_with=rank_sets_with)
    ask = Ask(judge=judge, count=count, lease_seconds=lease_seconds, wait_seconds=wait_seconds, **given)
    path = _path("sets", set_id, "next-pair")
    return _write("POST", path, Assignments.model_validate_json, ask, wait=wait_seconds)


def preview_pairs(set_id: Id, *, count: int = 1) -> Call[Preview]:
    """What `next_pair` would choose; leases nothing."""
    return _get(_path("sets", set_id, "next-pair"), Preview.model_validate_json, count=count)


def next_pairs(
    *,
    judge: str,
    count: int,
    lease_seconds: float = 600.0,
    sets: list[UUID] | None = None,
    project: str | None = None,
    worker: str | None = None,
) -> Call[Assignments]:
    """Leases up to `count` pairs over many sets: all open ones, unless `sets` or `project` narrows them."""
    narrowed = _given(sets=sets, project=project, worker=worker)
    ask = AskMany(judge=judge, count=count, lease_seconds=lease_seconds, **narrowed)
    return _write("POST", _path("next-pairs"), Assignments.model_validate_json, ask)


def renew(assignment_id: Id, *, lease_seconds: float = 600.0, generation: int | None = None) -> Call[Lease]:
    """Fails with the `generation` that the assignment came with once it was handed out again."""
    body = Renewal(lease_seconds=lease_seconds, **_given(generation=generation))
    return _write("POST", _path("assignments", assignment_id, "renew"), Lease.model_validate_json, body)


def renew_many(
    assignments: Sequence[UUID], *, lease_seconds: float = 600.0, generations: Mapping[UUID, int] | None = None
) -> Call[Held]:
    """Leaves out of the answer whatever is leased no longer, or is at another than the generation given for it."""
    body = RenewMany(assignments=list(assignments), lease_seconds=lease_seconds, **_given(generations=generations))
    return _write("POST", _path("assignments", "renew"), Held.model_validate_json, body)


def release_many(assignments: Sequence[UUID], *, generations: Mapping[UUID, int] | None = None) -> Call[Released]:
    """Leaves as it is whatever is leased no longer, or is at another than the generation given for it."""
    body = ReleaseMany(assignments=list(assignments), **_given(generations=generations))
    return _write("POST", _path("assignments", "release"), Released.model_validate_json, body)


def release(assignment_id: Id, *, generation: int | None = None) -> Call[Lease]:
    """Gives the pair back without a verdict."""
    body = None if generation is None else Release(generation=generation)
    return _write("POST", _path("assignments", assignment_id, "release"), Lease.model_validate_json, body)


def send_verdict(assignment_id: Id, verdict: VerdictIn) -> Call[Comparison | FailureRecorded]:
    """Answers the entry of the log, or the failure when that was the verdict."""
    answer: TypeAdapter[Comparison | FailureRecorded] = TypeAdapter(Comparison | FailureRecorded)
    return _write("POST", _path("assignments", assignment_id, "verdict"), answer.validate_json, verdict)


def send_verdicts(verdicts: VerdictsIn) -> Call[VerdictResults]:
    """Each verdict has a result of its own, so a problem of one raises nothing."""
    return _write("POST", _path("verdicts"), VerdictResults.model_validate_json, verdicts)


def add_comparisons(set_id: Id, new: ComparisonsIn) -> Call[ComparisonsAccepted]:
    """All or nothing; comparisons whose `client_id` is known already count as duplicates."""
    return _write("POST", _path("sets", set_id, "comparisons"), ComparisonsAccepted.model_validate_json, new)


def list_comparisons(
    set_id: Id, *, after: int | None = None, limit: int | None = None, judge: str | None = None
) -> Call[ComparisonPage]:
    """One page of the log; pass its `next_after` as `after` for the next. `Client.export` gives all of it."""
    path = _path("sets", set_id, "comparisons")
    return _get(path, ComparisonPage.model_validate_json, after=after, limit=limit, judge=judge)


def void(set_id: Id, seq: int, *, reason: str) -> Call[Void]:
    """Takes a comparison back; both stay in the log."""
    path = _path("sets", set_id, "comparisons", seq, "void")
    return _write("POST", path, Void.model_validate_json, VoidIn(reason=reason))


def add_absolute_scores(set_id: Id, new: AbsoluteScoresIn) -> Call[AbsoluteScoresAccepted]:
    """All or nothing; of several scores by one judge for one output the last counts."""
    return _write("POST", _path("sets", set_id, "absolute-scores"), AbsoluteScoresAccepted.model_validate_json, new)


def list_absolute_scores(set_id: Id, *, after: int | None = None, limit: int | None = None) -> Call[AbsoluteScorePage]:
    """One page of them; pass its `next_after` as `after` for the next."""
    path = _path("sets", set_id, "absolute-scores")
    return _get(path, AbsoluteScorePage.model_validate_json, after=after, limit=limit)


def ranking(
    set_id: Id,
    *,
    method: MethodName | None = None,
    as_of: int | None = None,
    level: float | None = None,
    top_k: int | None = None,
    epsilon: float | None = None,
) -> Call[Ranking]:
    """The ranking now, or as of an earlier version; by the set's own method unless another is named."""
    path, wanted = _path("sets", set_id, "ranking"), {"level": level, "top_k": top_k, "epsilon": epsilon}
    return _get(path, Ranking.model_validate_json, method=method, as_of=as_of, **wanted)


def diagnostics(set_id: Id) -> Call[Diagnostics]:
    """What to know before believing a ranking."""
    return _get(_path("sets", set_id, "diagnostics"), Diagnostics.model_validate_json)


def calibration(
    set_id: Id, *, judge: str, reference: Sequence[str], objective: ObjectiveName | None = None
) -> Call[Calibration]:
    """How sure a judge may be, by the verdicts of the references on the same pairs."""
    path = _path("sets", set_id, "calibration")
    return _get(path, Calibration.model_validate_json, judge=judge, reference=reference, objective=objective)


def judges(set_id: Id, *, method: AggregationName | None = None, verdicts: bool | None = None) -> Call[Judges]:
    """A card for each judge of a set, and the group's verdicts. Waits while the server weighs them."""
    shown = None if verdicts is None else str(verdicts).lower()
    return _get(_path("sets", set_id, "judges"), Judges.model_validate_json, method=method, verdicts=shown)


def rank_sets(
    set_id: Id,
    *,
    judge: str,
    reference: Sequence[str] = (),
    alpha: float | None = None,
    covariance: CovarianceName | None = None,
) -> Call[RankSets]:
    """Systems ranked by people's verdicts, helped by a judge's; people are all judges of kind human by default."""
    people = list(reference) or None
    path, wanted = _path("sets", set_id, "rank-sets"), {"alpha": alpha, "covariance": covariance}
    return _get(path, RankSets.model_validate_json, judge=judge, reference=people, **wanted)


def list_judges(
    *, kind: JudgeKind | None = None, after: str | None = None, limit: int | None = None
) -> Call[JudgePage]:
    """One page; pass its `next_after` as `after` for the next."""
    return _get(_path("judges"), JudgePage.model_validate_json, kind=kind, after=after, limit=limit)


def get_judge(name: str) -> Call[JudgeOut]:
    return _get(_path("judges", name), JudgeOut.model_validate_json)


def describe_judge(name: str, said: JudgeIn) -> Call[JudgeOut]:
    """Replaces what was said of the judge before."""
    return _write("PUT", _path("judges", name), JudgeOut.model_validate_json, said)


def predict(set_id: Id, *, first: str, second: str) -> Call[Prediction]:
    """How probably the first candidate is truly better, given every comparison so far."""
    return _get(_path("sets", set_id, "predict"), Prediction.model_validate_json, first=first, second=second)


def ready() -> Call[Ready]:
    """Answers once the server can work; until then the client tries again, as `retries` allows."""
    return _get("/readyz", Ready.model_validate_json)


def _export(set_id: Id, form: ExportFormat) -> Call[None]:
    return _get(_path("sets", set_id, "comparisons"), _nothing, format=form)


def _watch(set_id: Id, last_id: str) -> Call[None]:
    resume = {"Last-Event-ID": last_id} if last_id else {}
    headers = {"Accept": "text/event-stream", **resume}
    return Call("GET", _path("sets", set_id, "events"), _nothing, headers=headers)


def _given(**values: Any) -> dict[str, Any]:
    """Without those that are None: an older server need not know every field."""
    return {name: value for name, value in values.items() if value is not None}


def _get(path: str, parse: Callable[[bytes], T], **params: Param | None) -> Call[T]:
    given = {name: value for name, value in params.items() if value is not None}
    return Call("GET", path, parse, params=given)


def _write(
    method: str, path: str, parse: Callable[[bytes], T], body: BaseModel | None = None, *, wait: float = 0.0
) -> Call[T]:
    return Call(method, path, parse, body=body, idempotency_key=str(uuid4()), wait=wait)


def _path(*parts: Id | int) -> str:
    return "/".join(("/v1", *(quote(str(part), safe="") for part in parts)))


def _text(value: Id | int | None) -> str | None:
    return None if value is None else str(value)


def _nothing(_: bytes) -> None:
    """The answer has no body to read."""


# Requests and answers: shared by both clients, so that each adds only its way of waiting


def _request(http: httpx.Client | httpx.AsyncClient, call: Call[Any]) -> httpx.Request:
    return http.build_request(
        call.method,
        call.path,
        params=call.params,
        headers=_headers(call),
        content=_content(call),
        timeout=_timeout(http.timeout, call.wait),
    )


def _timeout(usual: httpx.Timeout, wait: float) -> httpx.Timeout:
    read = None if usual.read is None else usual.read + wait
    return httpx.Timeout(connect=usual.connect, read=read, write=usual.write, pool=usual.pool)


def _headers(call: Call[Any]) -> dict[str, str]:
    key = {"Idempotency-Key": call.idempotency_key} if call.idempotency_key else {}
    kind = {"Content-Type": "application/json"} if call.body else {}
    return {**call.headers, **key, **kind}


def _content(call: Call[Any]) -> str | None:
    """Only what was set: defaults are the server's, and an older server need not know every field."""
    return call.body.model_dump_json(exclude_unset=True) if call.body else None


def _address(base_url: str) -> str:
    if not base_url.startswith(("http://", "https://")):
        raise Unreachable(f"{base_url!r} is no address of a server; write http://HOST:PORT")
    return base_url


def _bearer(api_key: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


@dataclass(frozen=True)
class _Backoff:
    """Exponential, with full jitter: a random share of the pause, so that clients do not return together."""

    retries: int
    random: Callable[[], float]

    def pause(self, outcome: Outcome, tried: int) -> float | None:
        """Seconds before the next try, never fewer than the server asks for; None when the outcome stands."""
        asked = _retry_after(outcome)
        if tried > self.retries or asked > PATIENCE or not _transient(outcome):
            return None
        return asked + self.random() * FIRST_PAUSE * 2.0 ** min(tried - 1, DOUBLINGS)


def _transient(outcome: Outcome) -> bool:
    """Whether the same request may fare better later. A write is safe too: it carries its key."""
    if isinstance(outcome, httpx.Response):
        return outcome.status_code in TRANSIENT
    return not isinstance(outcome, httpx.UnsupportedProtocol | httpx.LocalProtocolError)


def _retry_after(outcome: Outcome) -> float:
    """Seconds, from either form of the header (RFC 9110, 10.2.3); 0 where there is none or it is neither."""
    asked = outcome.headers.get("Retry-After", "") if isinstance(outcome, httpx.Response) else ""
    if asked.isdecimal():
        return float(asked)
    with suppress(ValueError):
        return max(0.0, parsedate_to_datetime(asked).timestamp() - datetime.now(UTC).timestamp())
    return 0.0


def _success(outcome: Outcome, request: httpx.Request, tried: int) -> httpx.Response:
    """Raises Unreachable or ApiError for any other outcome."""
    if isinstance(outcome, httpx.RequestError):
        raise Unreachable(_no_answer(outcome, request, tried)) from outcome
    if not outcome.is_success:
        raise _api_error(outcome)
    return outcome


def _no_answer(error: httpx.RequestError, request: httpx.Request, tried: int) -> str:
    tries = f"{tried} tries" if tried > 1 else "1 try"
    remedy = "Check that the server runs (`nextpair serve`) and that this is its address."
    return f"No answer to {_name(request)} after {tries}: {_cause(error)}. {remedy}"


def _api_error(response: httpx.Response) -> ApiError:
    try:
        problem = Problem.model_validate_json(response.content)
    except ValidationError:
        return _outside_contract(response, response.text[:200])
    return ApiError(response.status_code, problem, _one_line(problem))


def _outside_contract(response: httpx.Response, found: str) -> ApiError:
    answer = f"{response.status_code} {response.reason_phrase}".strip()
    remedy = "Check that this is the address of a nextpair server."
    message = f"{_name(response.request)} answered {answer}, outside the contract: {found}. {remedy}"
    return ApiError(response.status_code, None, " ".join(message.split()))


def _one_line(problem: Problem) -> str:
    """Title: detail (pointer: what is wrong there; ...)."""
    errors = _few(problem.errors or [])
    message = f"{problem.title}: {problem.detail}" + (f" ({errors})" if errors else "")
    return " ".join(message.split())


def _few(errors: list[FieldError], most: int = 5) -> str:
    rest = [f"and {len(errors) - most} more"] if len(errors) > most else []
    return "; ".join([f"{error.pointer}: {error.detail}" for error in errors[:most]] + rest)


def _name(request: httpx.Request) -> str:
    """Method and address, without a password or parameters."""
    return f"{request.method} {request.url.scheme}://{request.url.netloc.decode()}{request.url.path}"


def _cause(error: httpx.RequestError) -> str:
    return f"{type(error).__name__} {error}".strip(" .")


def _parse(call: Call[T], response: httpx.Response) -> T:
    try:
        return call.parse(response.content)
    except ValidationError as error:
        raise _outside_contract(response, str(error)) from error


@contextmanager
def _whole(response: httpx.Response) -> Iterator[None]:
    """A body that breaks off raises Unreachable: half an export must not pass for all of it."""
    try:
        yield
    except httpx.RequestError as error:
        message = f"{_name(response.request)} broke off: {_cause(error)}. Ask for it again."
        raise Unreachable(message) from error


# Server-sent events


class Event(NamedTuple):
    event: str  # "comparison", "ranking" or "status"
    id: str  # pass as `after` to go on from here
    data: str  # JSON


class _EventReader:
    """The bytes of one connection to events (WHATWG HTML, 9.2.6). `last_id` and `pause` outlive it."""

    # Not str.splitlines: it also breaks at U+2028, which JSON may hold. A last CR may be half of a CRLF.
    _LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")

    def __init__(self, last_id: str, pause: float = RECONNECT) -> None:
        self.last_id, self.pause = last_id, pause
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._rest = ""
        self._fields: list[tuple[str, str]] = []

    def again(self) -> "_EventReader":
        return _EventReader(self.last_id, self.pause)

    def feed(self, chunk: bytes) -> Iterator[Event]:
        *lines, self._rest = self._LINE_END.split(self._rest + self._decode(chunk))
        for line in lines:
            if line:
                name, _, value = line.partition(":")  # a comment has an empty name
                self._fields.append((name, value.removeprefix(" ")))
            else:
                yield from self._dispatch()

    def _dispatch(self) -> Iterator[Event]:
        fields, self._fields = self._fields, []
        last, data = dict(fields), [value for name, value in fields if name == "data"]
        self.last_id = last.get("id", self.last_id)
        if last.get("retry", "").isdecimal():
            self.pause = float(last["retry"]) / 1000.0
        if data:
            yield Event(last.get("event") or "message", self.last_id, "\n".join(data))


def _over(response: httpx.Response) -> bool:
    """Whether the server ends the stream for good (204). Raises ApiError when it is no event stream."""
    kind = response.headers.get("Content-Type", "")
    if response.status_code != 204 and not kind.startswith("text/event-stream"):
        raise _outside_contract(response, f"{kind or 'no content type'} instead of text/event-stream")
    return response.status_code == 204


# Clients


@final
class Client:
    """Sends calls, and tries again, `retries` times at the most, while the server is away or asks to wait.

    One client serves many threads. `transport`, `sleep` and `random` are for tests.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout: float = 30.0,
        retries: int = 5,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        random: Callable[[], float] = random.random,
    ) -> None:
        self._http = httpx.Client(
            base_url=_address(base_url), headers=_bearer(api_key), timeout=timeout, transport=transport
        )
        self._backoff, self._sleep = _Backoff(retries, random), sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def send(self, call: Call[T]) -> T:
        """Raises ApiError or Unreachable, after the retries."""
        return _parse(call, self._answer(call))

    def export(self, set_id: Id, form: ExportFormat) -> Iterator[bytes]:
        """The whole log in pieces, never all in memory. Raises ApiError, or Unreachable, also midway."""
        with closing(self._answer(_export(set_id, form), stream=True)) as response, _whole(response):
            yield from response.iter_bytes()

    def events(self, set_id: Id, *, after: Id | int | None = None) -> Iterator[Event]:
        """What happens to a set, as it happens, from the event after `after`.

        A broken stream is opened again where it stopped. Raises ApiError, or Unreachable when that fails.
        """
        reader = _EventReader(_text(after) or "")
        while True:
            with closing(self._answer(_watch(set_id, reader.last_id), stream=True)) as response:
                if _over(response):
                    return
                with suppress(httpx.RequestError):
                    for chunk in response.iter_bytes():
                        yield from reader.feed(chunk)
            reader = reader.again()
            self._sleep(reader.pause)

    def _answer(self, call: Call[Any], *, stream: bool = False) -> httpx.Response:
        request = _request(self._http, call)
        tried, outcome = 1, self._try(request, stream)
        while (pause := self._backoff.pause(outcome, tried)) is not None:
            self._sleep(pause)
            tried, outcome = tried + 1, self._try(request, stream)
        return _success(outcome, request, tried)

    def _try(self, request: httpx.Request, stream: bool) -> Outcome:
        try:
            response = self._http.send(request, stream=stream)
            if not response.is_success:
                response.read()
        except httpx.RequestError as error:
            return error
        return response


@final
class AsyncClient:
    """`Client` for asyncio: the same calls, arguments and errors."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout: float = 30.0,
        retries: int = 5,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        random: Callable[[], float] = random.random,
    ) -> None:
        self._http = httpx.AsyncClient(
            base_url=_address(base_url), headers=_bearer(api_key), timeout=timeout, transport=transport
        )
        self._backoff, self._sleep = _Backoff(retries, random), sleep

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """Raises ApiError or Unreachable, after the retries."""
        return _parse(call, await self._answer(call))

    async def export(self, set_id: Id, form: ExportFormat) -> AsyncGenerator[bytes, None]:
        """See `Client.export`."""
        async with aclosing(await self._answer(_export(set_id, form), stream=True)) as response:
            with _whole(response):
                async for chunk in response.aiter_bytes():
                    yield chunk

    async def events(self, set_id: Id, *, after: Id | int | None = None) -> AsyncGenerator[Event, None]:
        """See `Client.events`. Under `contextlib.aclosing`, leaving it early frees the connection at once."""
        reader = _EventReader(_text(after) or "")
        while True:
            async with aclosing(await self._answer(_watch(set_id, reader.last_id), stream=True)) as response:
                if _over(response):
                    return
                with suppress(httpx.RequestError):
                    async for chunk in response.aiter_bytes():
                        for event in reader.feed(chunk):
                            yield event
            reader = reader.again()
            await self._sleep(reader.pause)

    async def _answer(self, call: Call[Any], *, stream: bool = False) -> httpx.Response:
        request = _request(self._http, call)
        tried, outcome = 1, await self._try(request, stream)
        while (pause := self._backoff.pause(outcome, tried)) is not None:
            await self._sleep(pause)
            tried, outcome = tried + 1, await self._try(request, stream)
        return _success(outcome, request, tried)

    async def _try(self, request: httpx.Request, stream: bool) -> Outcome:
        try:
            response = await self._http.send(request, stream=stream)
            if not response.is_success:
                await response.aread()
        except httpx.RequestError as error:
            return error
        return response
