"""Calls: a request and how its answer is read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote
from uuid import UUID, uuid4

from pydantic import BaseModel

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
Id = UUID | str
Param = str | int | float | Sequence[str] | Sequence[float]
PAGE = 1000  # entries: the most that the service gives at once


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request and how to read its answer. Sending it again repeats its key, so a write happens once."""

    method: str
    path: str
    parse: Callable[[bytes], T]
    params: Mapping[str, Param] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: BaseModel | bytes | None = None  # bytes are the contents of a file
    idempotency_key: str | None = None
    wait: float = 0.0  # seconds that the server may hold the answer back, on top of the client's timeout


@dataclass(frozen=True)
class Listing(Generic[T]):
    """The entries of all pages."""

    page: Callable[[Any], Call[Any]]  # the one behind an entry; of None, the first
    entries: Callable[[Any], Sequence[T]]  # of a page
    after: Any = None  # the entry to start behind


def get(path: str, answer: type[M], **params: Param | None) -> Call[M]:
    return Call("GET", path, answer.model_validate_json, params=without_none(**params))


def write(method: str, path: str, answer: type[M], body: BaseModel | None = None, *, wait: float = 0.0) -> Call[M]:
    return write_once(method, path, answer.model_validate_json, body, wait=wait)


def write_once(
    method: str, path: str, parse: Callable[[bytes], T], body: BaseModel | None = None, *, wait: float = 0.0
) -> Call[T]:
    """A request that is done once, however often it is sent."""
    return Call(method, path, parse, body=body, idempotency_key=str(uuid4()), wait=wait)


def path_of(*parts: Id | int) -> str:
    return "/".join(("/v1", *(quote(str(part), safe="") for part in parts)))


def without_none(**values: Any) -> dict[str, Any]:
    """Only what is said: an older server need not know every field."""
    return {name: value for name, value in values.items() if value is not None}


def nothing(_: bytes) -> None:
    """The answer has no body to read."""
