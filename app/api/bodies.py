"""Request bodies: JSON in which every member stands once, held against the contract.

FastAPI would do both on the event loop, where ten megabytes keep everyone waiting.
"""

import asyncio
import json
import json.scanner
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from nextpair.schemas import LONGEST_LIST, MOST_FAULTS, Counted, TooManyFaults
from pydantic import TypeAdapter, ValidationError

from app.api.problems import pointer
from app.service.errors import FieldFault, InvalidRequest

LARGE = 2**16  # bytes from which reading is no work for the event loop
MANY = 100_000  # commas from which the C parser, which lets no other thread run, could take a tenth of a second
SHORT = 1000  # characters
CLOSED = ("{", "[", '"')  # beginnings of values that cannot be shorter than they are
Path = tuple[str | int, ...]
Scan = Callable[[str, int], tuple[Any, int]]  # the value that begins there, and where it ends


class BodyRoute(APIRoute):
    """An endpoint that reads a body."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        annotation = None if self.body_field is None else self.body_field.field_info.annotation
        if annotation is None:
            return handle
        contract: TypeAdapter[Any] = TypeAdapter(annotation)

        async def read(request: Request) -> Response:
            return await handle(_JsonRequest(request, contract))

        return read


class _JsonRequest(Request):
    def __init__(self, request: Request, contract: TypeAdapter[Any]) -> None:
        super().__init__(request.scope, request.receive)
        self._contract = contract

    async def json(self) -> Any:
        """The body as the contract makes it. Raises json.JSONDecodeError, InvalidRequest, RequestValidationError."""
        body = await self.body()
        return self._read(body) if len(body) < LARGE else await asyncio.to_thread(self._read, body)

    def _read(self, body: bytes) -> Any:
        try:
            return self._contract.validate_python(parse(body), context=Counted())
        except TooManyFaults:
            raise InvalidRequest(
                f"The body has more than {MOST_FAULTS:,} faults, too many to list; send fewer entries at once."
            ) from None
        except ValidationError as error:
            errors = error.errors(include_url=False)
            raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in errors]) from None


class _PatientDecoder(json.JSONDecoder):
    """Reads in Python what is longer than SHORT, so that other threads get their turn, and the rest in C."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        own: Any = self  # typeshed has few of its attributes
        in_c, read_array, read_object = own.scan_once, own.parse_array, own.parse_object
        own.parse_array = lambda start, _: read_array(start, self._scan)
        own.parse_object = lambda start, strict, _, *hooks: read_object(start, strict, self._scan, *hooks)
        own.scan_once = json.scanner.py_make_scanner(self)  # type: ignore[attr-defined]  # likewise
        self._in_c: Scan = in_c
        self._in_python: Scan = own.scan_once

    def _scan(self, text: str, at: int) -> tuple[Any, int]:
        if text.startswith(CLOSED, at):
            with suppress(json.JSONDecodeError, StopIteration):  # where it is cut off
                value, length = self._in_c(text[at : at + SHORT], 0)
                return value, at + length
        return self._in_python(text, at)


def parse(body: bytes) -> Any:
    """The JSON value. Raises json.JSONDecodeError, InvalidRequest."""
    flawed: list[tuple[dict[str, Any], list[tuple[str, Any]]]] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(pairs) > LONGEST_LIST:
            raise InvalidRequest(f"The body has an object with more than {LONGEST_LIST:,} members; send fewer at once.")
        unique = dict(pairs)
        if len(unique) < len(pairs):
            flawed[:] = [(unique, pairs)]  # the last one: whatever holds it is read later, and has no such flaw
        return unique

    try:
        decoder = _PatientDecoder if body.count(b",") > MANY else json.JSONDecoder
        value = json.loads(body, cls=decoder, object_pairs_hook=members)
        repeated = [(*_path(value, unique), _repeated(pairs)) for unique, pairs in flawed]
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError):
        raise InvalidRequest("The body cannot be read: not UTF-8, numbers too long, or lists too deep.") from None
    for path in repeated:
        raise InvalidRequest(f"{pointer(path)} occurs twice; send it once.", FieldFault(pointer(path), "occurs twice"))
    return value


def _repeated(pairs: list[tuple[str, Any]]) -> str:
    ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
    return name


def _path(value: Any, wanted: dict[str, Any]) -> Path:
    """The path to `wanted` itself in `value`. Raises RecursionError."""
    return next(path for path, each in _walk(value, ()) if each is wanted)


def _walk(value: Any, at: Path) -> Iterator[tuple[Path, Any]]:
    """Everything in a JSON value, and where it stands."""
    yield at, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield from _walk(each, (*at, name))
