"""Methods made of calls, each written once for both clients.

    class SetMethods(Bound[S]):
        ranking = own_call(calls.ranking)

`set.ranking(top_k=3)` sends calls.ranking(set.id, top_k=3): it has the arguments and documentation of the call, without
the id that the object has. A `Sender` returns the answer, an `AsyncSender` something to await.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from inspect import Parameter, Signature, signature
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload
from uuid import UUID

from nextpair.calls import Call, Id, Listing
from nextpair.sending.senders import AsyncSender, Sender

S = TypeVar("S", bound=Sender | AsyncSender)
P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")
M = TypeVar("M")


class Resource(Generic[S]):
    """Something whose methods a sender sends."""

    def __init__(self, sender: S) -> None:
        self._sender = sender


class Bound(Resource[S]):
    """Something that the service knows by an id."""

    def __init__(self, sender: S, known_as: UUID) -> None:
        super().__init__(sender)
        self.id = known_as


class Method(Generic[P, U, V]):
    """A method with the arguments P of a call. It returns U where the sender blocks, V where it is for asyncio."""

    def __init__(self, describe: Callable[..., object], send: Callable[..., Any], *, own: bool = False) -> None:
        """Args: `own` is whether the object stands for the first argument of `describe`."""
        self.function = wraps(describe)(send)
        arguments = list(signature(describe).parameters.values())
        self_ = Parameter("self", Parameter.POSITIONAL_ONLY)
        vars(self.function)["__signature__"] = Signature([self_, *arguments[own:]])

    def __set_name__(self, kind: type, name: str) -> None:
        self.function.__name__, self.function.__qualname__ = name, f"{kind.__name__}.{name}"

    @overload
    def __get__(self, of: Resource[Sender], kind: type | None = None) -> Callable[P, U]: ...
    @overload
    def __get__(self, of: Resource[AsyncSender], kind: type | None = None) -> Callable[P, V]: ...
    @overload
    def __get__(self, of: None, kind: type | None = None) -> Callable[..., Any]: ...
    def __get__(self, of: Any, kind: type | None = None) -> Callable[..., Any]:
        return self.function if of is None else MethodType(self.function, of)


def call(describe: Callable[P, Call[T]]) -> Method[P, T, Coroutine[Any, Any, T]]:
    return Method(describe, lambda self, /, *args, **kwargs: self._sender.send(describe(*args, **kwargs)))


def listing(describe: Callable[P, Listing[T]]) -> Method[P, Iterator[T], AsyncIterator[T]]:
    return Method(describe, lambda self, /, *args, **kwargs: self._sender.each(describe(*args, **kwargs)))


def own_call(describe: Callable[Concatenate[Id, P], Call[T]]) -> Method[P, T, Coroutine[Any, Any, T]]:
    return Method(
        describe, lambda self, /, *args, **kwargs: self._sender.send(describe(self.id, *args, **kwargs)), own=True
    )


def own_listing(describe: Callable[Concatenate[Id, P], Listing[T]]) -> Method[P, Iterator[T], AsyncIterator[T]]:
    return Method(
        describe, lambda self, /, *args, **kwargs: self._sender.each(describe(self.id, *args, **kwargs)), own=True
    )


def presented(
    method: Method[P, T, Coroutine[Any, Any, T]],
    blocking: Callable[[Sender, T], U],
    waiting: Callable[[AsyncSender, T], V],
) -> Method[P, U, Coroutine[Any, Any, V]]:
    """The method, with its answer as an object that knows the sender."""

    def send(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        answer = method.function(self, *args, **kwargs)
        return blocking(self._sender, answer) if isinstance(self._sender, Sender) else awaited(self._sender, answer)

    async def awaited(sender: AsyncSender, answer: Coroutine[Any, Any, T]) -> V:
        return waiting(sender, await answer)

    return Method(method.function, send, own=True)


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
