"""Calls as requests of httpx, and answers as what they mean: a value, or an error whose message says what to do."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx
from pydantic import ValidationError

from nextpair.calls.description import Call
from nextpair.errors import ApiError, OlderVersionWarning, Unreachable
from nextpair.schemas import Problem
from nextpair.sending.retries import Reply

T = TypeVar("T")
MOST_TOLD = 5  # faults in one message


def build_request(http: httpx.Client | httpx.AsyncClient, call: Call[Any]) -> httpx.Request:
    """Build the request. Its body holds only what was set: an older server need not know every field."""
    key = {"Idempotency-Key": call.idempotency_key} if call.idempotency_key else {}
    content, kind = _body(call)
    return http.build_request(
        call.method,
        call.path,
        params=call.params,
        headers={**call.headers, **key, **kind},
        content=content,
        timeout=_timeout(http.timeout, call.wait),
    )


def _body(call: Call[Any]) -> tuple[str | bytes | None, dict[str, str]]:
    """The content, and the header that names its type."""
    if call.body is None:
        return None, {}
    if isinstance(call.body, bytes):
        return call.body, {"Content-Type": "application/octet-stream"}
    return call.body.model_dump_json(exclude_unset=True), {"Content-Type": "application/json"}


def require_address(url: str) -> str:
    """The address itself. Raises Unreachable for what cannot be one."""
    if not url.startswith(("http://", "https://")):
        raise Unreachable(f"{url!r} is not the address of a server; write http://HOST:PORT")
    return url


def _timeout(usual: httpx.Timeout, wait: float) -> httpx.Timeout:
    read = None if usual.read is None else usual.read + wait
    return httpx.Timeout(connect=usual.connect, read=read, write=usual.write, pool=usual.pool)


def require_success(reply: Reply, request: httpx.Request, tried: int) -> httpx.Response:
    """The answer. Raises Unreachable or ApiError for any other reply."""
    if isinstance(reply, httpx.RequestError):
        raise Unreachable(_no_answer(reply, request, tried)) from reply
    if not reply.is_success:
        raise _api_error(reply)
    return reply


def parse(call: Call[T], response: httpx.Response) -> T:
    """Raises ApiError for an answer outside the contract. Warns of a result without the newest verdicts."""
    if newer := response.headers.get("Nextpair-Newer-Version"):
        warnings.warn(
            f"{_name(response.request)} answered for version {response.headers['Nextpair-Version']} of the log, while "
            f"that of version {newer} is being computed. Ask again, or read a ranking with fresh=True.",
            OlderVersionWarning,
            stacklevel=2,
        )
    try:
        return call.parse(response.content)
    except ValidationError as error:
        raise outside_contract(response, str(error)) from error


@contextmanager
def whole(response: httpx.Response) -> Iterator[None]:
    """A body that breaks off raises Unreachable: half an export must not pass for all of it."""
    try:
        yield
    except httpx.RequestError as error:
        message = f"{_name(response.request)} broke off: {_cause(error)}. Ask for it again."
        raise Unreachable(message) from error


def _no_answer(error: httpx.RequestError, request: httpx.Request, tried: int) -> str:
    tries = f"{tried} tries" if tried > 1 else "1 try"
    remedy = "Check that the server runs (`nextpair serve`) and that this is its address."
    return f"No answer to {_name(request)} after {tries}: {_cause(error)}. {remedy}"


def _api_error(response: httpx.Response) -> ApiError:
    try:
        problem = Problem.model_validate_json(response.content)
    except ValidationError:
        return outside_contract(response, response.text[:200])
    return ApiError(response.status_code, problem, _one_line(problem))


def outside_contract(response: httpx.Response, reason: str) -> ApiError:
    answer = f"{response.status_code} {response.reason_phrase}".strip()
    remedy = "Check that this is the address of a nextpair server."
    message = f"{_name(response.request)} answered {answer}, outside the contract: {reason}. {remedy}"
    return ApiError(response.status_code, None, " ".join(message.split()))


def _one_line(problem: Problem) -> str:
    """Title: detail (pointer: what is wrong there; ...)."""
    faults = [f"{fault.pointer}: {fault.detail}" for fault in problem.errors or []]
    if len(faults) > MOST_TOLD:
        faults[MOST_TOLD:] = [f"and {len(faults) - MOST_TOLD} more"]
    message = f"{problem.title}: {problem.detail}" + (f" ({'; '.join(faults)})" if faults else "")
    return " ".join(message.split())


def _name(request: httpx.Request) -> str:
    """Method and address, without a password or parameters."""
    return f"{request.method} {request.url.scheme}://{request.url.netloc.decode()}{request.url.path}"


def _cause(error: httpx.RequestError) -> str:
    return f"{type(error).__name__} {error}".strip(" .")
