"""Methods made of calls: the arguments, documentation and answer of a call, without the id that the object has.

    class Set(Bound):
        ranking = own_call(calls.ranking)  # set.ranking(top_k=3) sends calls.ranking(set.id, top_k=3)

A call is described once; `own_call` sends it, and `async_own_call` sends it with `await`.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

from nextpair.calls import Call, Id, Listing
from nextpair.sending.senders import AsyncSender, Sender

P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")
M = TypeVar("M")
F = TypeVar("F", bound=Callable[..., object])


class Documented:
    """Its methods that are made of calls say their own names and arguments in `help`."""

    def __init_subclass__(cls) -> None:
        for name, method in vars(cls).items():
            if hasattr(method, "__wrapped__"):
                method.__name__, method.__qualname__ = name, f"{cls.__name__}.{name}"


class Resource(Documented):
    def __init__(self, sender: Sender) -> None:
        self._sender = sender


class AsyncResource(Documented):
    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender


class Bound(Resource):
    """Something that the service knows by an id."""

    def __init__(self, sender: Sender, known_as: UUID) -> None:
        super().__init__(sender)
        self.id = known_as


class AsyncBound(AsyncResource):
    def __init__(self, sender: AsyncSender, known_as: UUID) -> None:
        super().__init__(sender)
        self.id = known_as


R = TypeVar("R", bound=Resource)
A = TypeVar("A", bound=AsyncResource)


def _like(describe: Callable[..., object], *, own: bool) -> Callable[[F], F]:
    """The name, documentation and arguments of a call for a method; `self` stands for the id that is its own."""
    arguments = list(signature(describe).parameters.values())
    method_arguments = [Parameter("self", Parameter.POSITIONAL_ONLY), *(arguments[1:] if own else arguments)]

    def dress(method: F) -> F:
        wraps(describe)(method)
        vars(method)["__signature__"] = Signature(method_arguments)
        return method

    return dress


def by_fields(describe: Callable[[Id, M], Call[T]], model: Callable[P, M]) -> Callable[Concatenate[Id, P], Call[T]]:
    """The call with the fields of its body as keyword arguments."""

    @wraps(describe)
    def described(known_as: Id, /, *args: P.args, **kwargs: P.kwargs) -> Call[T]:
        return describe(known_as, model(*args, **kwargs))

    known_as, _ = signature(describe).parameters.values()
    vars(described)["__signature__"] = Signature([known_as, *signature(model).parameters.values()])
    return described


def of_fields(describe: Callable[[M], Call[T]], model: Callable[P, M]) -> Callable[P, Call[T]]:
    """The call of a body alone, with the fields of it as keyword arguments."""

    @wraps(describe)
    def described(*args: P.args, **kwargs: P.kwargs) -> Call[T]:
        return describe(model(*args, **kwargs))

    vars(described)["__signature__"] = signature(model)
    return described


# For a sender that blocks


def call(describe: Callable[P, Call[T]]) -> Callable[Concatenate[Resource, P], T]:
    @_like(describe, own=False)
    def send(self: Resource, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._sender.send(describe(*args, **kwargs))

    return send


def own_call(describe: Callable[Concatenate[Id, P], Call[T]]) -> Callable[Concatenate[Bound, P], T]:
    @_like(describe, own=True)
    def send(self: Bound, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._sender.send(describe(self.id, *args, **kwargs))

    return send


def listing(describe: Callable[P, Listing[T]]) -> Callable[Concatenate[Resource, P], Iterator[T]]:
    @_like(describe, own=False)
    def read(self: Resource, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        return self._sender.each(describe(*args, **kwargs))

    return read


def own_listing(describe: Callable[Concatenate[Id, P], Listing[T]]) -> Callable[Concatenate[Bound, P], Iterator[T]]:
    @_like(describe, own=True)
    def read(self: Bound, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        return self._sender.each(describe(self.id, *args, **kwargs))

    return read


def presented(
    method: Callable[Concatenate[R, P], T], present: Callable[[Sender, T], U]
) -> Callable[Concatenate[R, P], U]:
    """The method, with its answer as an object that knows the sender."""

    @wraps(method)
    def send(self: R, /, *args: P.args, **kwargs: P.kwargs) -> U:
        return present(self._sender, method(self, *args, **kwargs))

    return send


# For asyncio


def async_call(
    describe: Callable[P, Call[T]],
) -> Callable[Concatenate[AsyncResource, P], Coroutine[Any, Any, T]]:
    @_like(describe, own=False)
    async def send(self: AsyncResource, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._sender.send(describe(*args, **kwargs))

    return send


def async_own_call(
    describe: Callable[Concatenate[Id, P], Call[T]],
) -> Callable[Concatenate[AsyncBound, P], Coroutine[Any, Any, T]]:
    @_like(describe, own=True)
    async def send(self: AsyncBound, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._sender.send(describe(self.id, *args, **kwargs))

    return send


def async_listing(
    describe: Callable[P, Listing[T]],
) -> Callable[Concatenate[AsyncResource, P], AsyncIterator[T]]:
    @_like(describe, own=False)
    def read(self: AsyncResource, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        return self._sender.each(describe(*args, **kwargs))

    return read


def async_own_listing(
    describe: Callable[Concatenate[Id, P], Listing[T]],
) -> Callable[Concatenate[AsyncBound, P], AsyncIterator[T]]:
    @_like(describe, own=True)
    def read(self: AsyncBound, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        return self._sender.each(describe(self.id, *args, **kwargs))

    return read


def async_presented(
    method: Callable[Concatenate[A, P], Coroutine[Any, Any, T]], present: Callable[[AsyncSender, T], U]
) -> Callable[Concatenate[A, P], Coroutine[Any, Any, U]]:
    @wraps(method)
    async def send(self: A, /, *args: P.args, **kwargs: P.kwargs) -> U:
        return present(self._sender, await method(self, *args, **kwargs))

    return send
