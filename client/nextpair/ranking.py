"""Outputs ranked by a function that compares two of them.

    ranking = nextpair.rank(["Air scatters blue light.", "It is painted."], judge=lambda a, b: len(a) > len(b))
    print(ranking)

The service chooses the pairs and keeps the verdicts; the outputs and the function stay here.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, Protocol, SupportsFloat, TypeVar, get_args, overload

from nextpair.client import Client
from nextpair.errors import ApiError, JudgeFailed, NextpairError
from nextpair.ranked import RankedOutputs
from nextpair.resources.sets import Set
from nextpair.schemas import Budget, CandidateIn, Stop
from nextpair.words import Winner

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Judge = Callable[[T, T], float | Winner]
JUDGE = "function"  # the name under which its verdicts are kept
EACH = 10  # comparisons for each output, unless told otherwise


class Keyed(Protocol[T_co]):
    """A dict, a column of a data frame, and whatever else has keys."""

    def items(self) -> Iterable[tuple[Any, T_co]]: ...


@overload
def rank(
    outputs: Keyed[T],
    *,
    judge: Judge[T],
    question: str = ...,
    until: int | Stop | None = ...,
    client: Client | None = ...,
) -> RankedOutputs[T]: ...


@overload
def rank(
    outputs: Iterable[T],
    *,
    judge: Judge[T],
    question: str = ...,
    until: int | Stop | None = ...,
    client: Client | None = ...,
) -> RankedOutputs[T]: ...


def rank(
    outputs: Any,
    *,
    judge: Judge[Any],
    question: str = "Which is better?",
    until: int | Stop | None = None,
    client: Client | None = None,
) -> RankedOutputs[Any]:
    """Ranks outputs by asking `judge` about the pairs that tell most.

    `outputs` are a list, a dict or a column of a data frame: texts, or anything that the judge understands. The
    service is told texts and keys, and of other outputs the keys alone.

    `judge(first, second)` returns the probability that the first is better, or "first", "second" or "tie". `until` is a
    number of comparisons or a rule such as `Stop(top_k=1)`; without it there are ten for each output, or fewer once
    all pairs are compared. Without a client a private server is started, and stopped at the end.

    Raises JudgeFailed, with the ranking so far, when the judge does; NoServer where there is no server to start.
    """
    keys, by_key = _keyed(outputs)
    stop = until if isinstance(until, Stop) else None
    most = None if isinstance(until, Stop) else EACH * len(by_key) if until is None else until
    if most is not None and most < 1:
        raise ValueError(f"until is a number of comparisons, one at least, or a Stop; this is {until!r}")
    with nullcontext(client) if client else _private() as service:
        ranked = service.sets.create(
            name=f"rank: {question}"[:200],
            question=question,
            candidates=[
                CandidateIn(key=key, text=output or None if isinstance(output, str) else None)
                for key, output in by_key.items()
            ],
            budget=None if most is None else Budget(max_comparisons=most),
            stop=stop,
        )
        with _progress(most) as show:
            _judge_pairs(ranked, keys, by_key, judge, show)
        return _read(ranked, keys, by_key)


@contextmanager
def _private() -> Iterator[Client]:
    if sys.stderr.isatty():
        print("Starting a private server; the very first one compiles, for half a minute.", file=sys.stderr)
    with Client.local() as client:
        yield client


def _keyed(outputs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keys as they came, and the outputs, by key as the service knows it. Raises TypeError, ValueError."""
    if isinstance(outputs, str):
        raise TypeError("outputs are a list, a dict or a column of a data frame, not one text")
    entries = list(outputs.items() if hasattr(outputs, "items") else enumerate(outputs))
    keys, by_key = {str(key): key for key, _ in entries}, {str(key): output for key, output in entries}
    if len(by_key) < len(entries):
        raise ValueError("two outputs have the same key")
    if len(by_key) < 2:
        raise ValueError("to rank takes two outputs at least")
    return keys, by_key


def _judge_pairs(
    ranked: Set, keys: dict[str, Any], by_key: dict[str, Any], judge: Judge[Any], show: Callable[[], None]
) -> None:
    while pair := ranked.next_pair(judge=JUDGE):
        try:
            answer = judge(by_key[pair.first.key], by_key[pair.second.key])
            _refuse_no_answer(answer)
            if isinstance(answer, str):
                pair.tell(winner=answer)
            else:
                pair.tell(p_first=float(answer))
        except NextpairError:
            raise
        except BaseException as error:
            with suppress(NextpairError):
                pair.release()
            if not isinstance(error, Exception):  # Ctrl-C
                raise
            message = f"The judge failed on {pair.first.key!r} and {pair.second.key!r}: {error!r}"
            raise JudgeFailed(message, _read(ranked, keys, by_key)) from error
        show()


def _refuse_no_answer(answer: object) -> None:
    """Raises ValueError."""
    is_probability = isinstance(answer, SupportsFloat) and 0.0 <= float(answer) <= 1.0
    if not is_probability and answer not in get_args(Winner):
        raise ValueError(f"a judge returns a probability, or one of {', '.join(get_args(Winner))}; this is {answer!r}")


def _read(ranked: Set, keys: dict[str, Any], by_key: dict[str, Any]) -> RankedOutputs[Any]:
    stop = ranked.record.stop
    picture: str | ApiError
    try:
        picture = ranked.ranking_picture().decode()
    except ApiError as error:  # a service may be installed without what draws
        picture = error
    return RankedOutputs(ranked.ranking(top_k=stop.top_k if stop else None), keys, by_key, picture)


@contextmanager
def _progress(most: int | None) -> Iterator[Callable[[], None]]:
    """A function to call after each comparison: it counts on a terminal, and says nothing elsewhere."""
    done = 0

    def show() -> None:
        nonlocal done
        done += 1
        if sys.stderr.isatty():
            print(f"\r{done}{f' of {most}' if most else ''} comparisons", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if done and sys.stderr.isatty():
            print(file=sys.stderr)
