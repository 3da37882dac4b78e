"""Request bodies: JSON in which every member stands once, held against the contract.

FastAPI would do both on the event loop, where ten megabytes keep everyone waiting.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from nextpair.schemas import LONGEST_LIST, MOST_FAULTS, Counted, TooManyFaults
from pydantic import TypeAdapter, ValidationError

from app.api.problems import pointer
from app.service.errors import FieldFault, InvalidRequest

LARGE = 2**16  # bytes from which reading is no work for the event loop
MOST_COMMAS = 4_000_000  # in a body: so many numbers take a tenth of a second, in which no other thread gets its turn
Path = tuple[str | int, ...]


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


def parse(body: bytes) -> Any:
    """The JSON value. Raises json.JSONDecodeError, InvalidRequest.

    Between two objects other threads get their turn; what has none takes a tenth of a second at most.
    """
    if body.count(b",") > MOST_COMMAS:
        raise InvalidRequest(f"The body has more than {MOST_COMMAS:,} commas; send it in smaller parts.")
    flawed: list[tuple[dict[str, Any], list[tuple[str, Any]]]] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(pairs) > LONGEST_LIST:
            raise InvalidRequest(f"The body has an object with more than {LONGEST_LIST:,} members; send fewer at once.")
        unique = dict(pairs)
        if len(unique) < len(pairs):
            flawed[:] = [(unique, pairs)]  # the last one: whatever holds it is read later, and has no such flaw
        return unique

    try:
        value = json.loads(body, object_pairs_hook=members)
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
