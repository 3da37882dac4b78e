"""Rank outputs by a function that compares two of them.

The service chooses the pairs and keeps the verdicts; the outputs and the function stay here.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from inspect import isawaitable
from threading import Event, Lock, Thread
from typing import Any, Protocol, SupportsFloat, TypeVar, get_args, overload

from nextpair.calls import create_set
from nextpair.client import Client
from nextpair.errors import ApiError, JudgeFailed, NextpairError
from nextpair.names import normal_name
from nextpair.ranked import RankedOutputs
from nextpair.resources.pairs import PairToJudge
from nextpair.resources.sets import Set
from nextpair.schemas import Budget, CandidateIn, SetIn, Stop
from nextpair.words import Winner

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Verdict = float | Winner | None
Judge = Callable[[T, T], Verdict | Awaitable[Verdict]]
JUDGE = "function"  # the name under which its verdicts are kept
EACH = 10  # comparisons for each output, unless told otherwise
WAIT_SECONDS = 20.0  # of one wait for a pair, while all that are left are being judged


class _Failure(Exception):
    """The judge failed on a pair; its error is the cause."""


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
    concurrency: int = ...,
    client: Client | None = ...,
    name: str | None = ...,
) -> RankedOutputs[T]: ...


@overload
def rank(
    outputs: Iterable[T],
    *,
    judge: Judge[T],
    question: str = ...,
    until: int | Stop | None = ...,
    concurrency: int = ...,
    client: Client | None = ...,
    name: str | None = ...,
) -> RankedOutputs[T]: ...


def rank(
    outputs: Any,
    *,
    judge: Judge[Any],
    question: str = "Which is better?",
    until: int | Stop | None = None,
    concurrency: int = 1,
    client: Client | None = None,
    name: str | None = None,
) -> RankedOutputs[Any]:
    """Rank outputs by asking `judge` about the most informative pairs.

    For example:

        import nextpair

        answers = {
            "kelp": "Air scatters blue light the most.",
            "rowan": "The sky mirrors the sea.",
            "fern": "It is painted.",
            "moss": "Blue light scatters.",
            "sage": "Air is blue.",
        }
        ranked = nextpair.rank(answers, judge=lambda first, second: 0.9 if len(first) > len(second) else 0.2)
        print(ranked)

    `outputs` are a list, a dict or a column of a data frame: texts, or anything that the judge understands. The
    service gets texts and their keys. Of other outputs it gets the keys only.

    `judge(first, second)` returns the probability that the first is better, or "first", "second" or "tie". None skips
    the pair, which then stays without a verdict. The judge may be an async function. `concurrency` calls run at a time,
    in threads, or in one event loop for an async function.

    `until` is a number of comparisons or a rule such as `Stop(top_k=1)`. By default there are ten for each output, and
    never more than there are pairs. Without `client`, a private server starts, and stops at the end. The first start
    compiles for up to a minute. A terminal or a notebook shows the number of comparisons so far.

    `name` is that of the set that `client` keeps. Call again with the same name and outputs to continue: stored
    verdicts are not asked for again. One process at a time continues a set.

    Raises JudgeFailed, with the ranking so far, when the judge does; NoServer where there is no server to start;
    TypeError, ValueError for outputs and options that cannot be used.
    """
    keys, by_key = _keyed(outputs)
    stop = until if isinstance(until, Stop) else None
    most = None if isinstance(until, Stop) else EACH * len(by_key) if until is None else until
    if most is not None and most < 1:
        raise ValueError(f"until is a number of comparisons, one at least, or a Stop; this is {until!r}")
    if concurrency < 1:
        raise ValueError(f"concurrency is how often the judge is called at once, 1 at least; this is {concurrency!r}")
    if name is not None and client is None:
        raise ValueError("name continues a set that a service keeps: give client too, such as Client.local('folder')")
    wanted = SetIn(
        name=name or f"rank: {question}"[:200],
        question=question,
        candidates=[
            CandidateIn(key=key, text=output or None if isinstance(output, str) else None)
            for key, output in by_key.items()
        ],
        budget=None if most is None else Budget(max_comparisons=most),
        stop=stop,
    )
    with nullcontext(client) if client else Client.local() as service:
        kept = None if name is None else _kept(service, wanted)
        ranked = kept or Set(service, service.send(create_set(wanted)))
        try:
            with _progress(most, ranked.record.comparisons) as show, _calling(judge) as call:
                _judge_pairs(ranked, by_key, call, concurrency, show)
        except _Failure as failure:
            raise JudgeFailed(str(failure), _read(ranked, keys, by_key)) from failure.__cause__
        return _read(ranked, keys, by_key)


def _kept(service: Client, wanted: SetIn) -> Set | None:
    """The set of that name, until the same is met as for the one wanted. Raises ValueError where it is another."""
    same_name = [each for each in service.sets.list() if each.record.name == wanted.name]
    if len(same_name) > 1:
        raise ValueError(f"{len(same_name)} sets are called {wanted.name!r}; choose another name")
    for each in same_name:
        texts = {normal_name(candidate.key): candidate.text for candidate in each.candidates()}
        if texts != {candidate.key: candidate.text for candidate in wanted.candidates}:
            raise ValueError(f"the set {wanted.name!r} has other outputs; give those, or choose another name")
        if each.record.question != wanted.question:
            raise ValueError(f"the set {wanted.name!r} asks {each.record.question!r}; ask that, or choose another name")
        return Set(service, each.update(budget=wanted.budget, stop=wanted.stop))
    return None


def _keyed(outputs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keys as they came, and the outputs, by key as the service knows it. Raises TypeError, ValueError."""
    if isinstance(outputs, str):
        raise TypeError("outputs are a list, a dict or a column of a data frame, not one text")
    if hasattr(outputs, "columns"):
        column = "frame['answer'], or frame.set_index('id')['answer'] to rank by the ids"
        raise TypeError(f"outputs are one column of a data frame, not all of it: pass {column}")
    entries = list(outputs.items() if hasattr(outputs, "items") else enumerate(outputs))
    names = [normal_name(str(key)) for key, _ in entries]
    keys = {name: key for name, (key, _) in zip(names, entries, strict=True)}
    by_key = {name: output for name, (_, output) in zip(names, entries, strict=True)}
    if len(by_key) < len(entries):
        raise ValueError("two outputs have the same key")
    if len(by_key) < 2:
        raise ValueError("to rank takes two outputs at least")
    return keys, by_key


@contextmanager
def _calling(judge: Judge[Any]) -> Iterator[Callable[[Any, Any], Verdict]]:
    """A function that returns what the judge answers; all that is to be awaited runs in one event loop, in a thread."""
    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    loop = runner.get_loop()

    def serve() -> None:
        with runner:
            loop.run_forever()

    thread = Thread(target=serve, name="nextpair.rank", daemon=True)
    thread.start()

    def call(first: Any, second: Any) -> Verdict:
        answer = judge(first, second)
        if not isawaitable(answer):
            return answer
        running = asyncio.run_coroutine_threadsafe(asyncio.wait_for(answer, None), loop)  # any awaitable
        try:
            return running.result()
        finally:
            running.cancel()  # after Ctrl-C

    try:
        yield call
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def _judge_pairs(
    ranked: Set, by_key: dict[str, Any], call: Callable[[Any, Any], Verdict], concurrency: int, show: Callable[[], None]
) -> None:
    """Judges in this thread and `concurrency` - 1 more. After an error each ends with the pair that it is at.

    Raises _Failure, and whatever ends a program.
    """
    stopping = Event()  # as soon as one ends by an error

    def work(worker: int) -> None:
        try:
            while not stopping.is_set():
                leased = ranked.next_pairs(judge=JUDGE, worker=f"{worker}", wait_seconds=WAIT_SECONDS)
                if not leased.pairs and leased.status != "all_leased":
                    return
                for pair in leased.pairs:
                    if stopping.is_set():  # while this waited
                        pair.release()
                        return
                    if _judge_pair(pair, by_key, call):
                        show()
        except BaseException:
            stopping.set()
            raise

    try:
        with ThreadPoolExecutor(max(1, concurrency - 1), "nextpair.rank") as pool:
            others = [pool.submit(work, worker) for worker in range(2, concurrency + 1)]
            work(1)
        for other in others:
            other.result()
    finally:
        stopping.set()


def _judge_pair(pair: PairToJudge, by_key: dict[str, Any], call: Callable[[Any, Any], Verdict]) -> bool:
    """True for a verdict, False where the judge skips the pair. Raises _Failure, with the pair given back."""
    try:
        answer = call(*(by_key[normal_name(shown.key)] for shown in (pair.first, pair.second)))
        if answer is None:
            pair.tell(failure="skipped", reason="The judge returned None.")
            return False
        _refuse_no_answer(answer)
        if isinstance(answer, str):
            pair.tell(winner=answer)
        else:
            pair.tell(p_first=float(answer))
        return True
    except NextpairError:
        raise
    except BaseException as error:
        with suppress(NextpairError):
            pair.release()
        if not isinstance(error, Exception):  # Ctrl-C
            raise
        raise _Failure(f"The judge failed on {pair.first.key!r} and {pair.second.key!r}: {error!r}") from error


def _refuse_no_answer(answer: object) -> None:
    """Raises ValueError."""
    is_probability = isinstance(answer, SupportsFloat) and 0.0 <= float(answer) <= 1.0
    if not is_probability and answer not in get_args(Winner):
        raise ValueError(
            f"a judge returns a probability, one of {', '.join(get_args(Winner))}, or None; this is {answer!r}"
        )


def _read(ranked: Set, keys: dict[str, Any], by_key: dict[str, Any]) -> RankedOutputs[Any]:
    stop = ranked.record.stop
    picture: str | ApiError
    try:
        picture = ranked.ranking_picture(fresh=True).decode()
    except ApiError as error:  # a service may be installed without what draws
        picture = error
    ranking = ranked.ranking(top_k=stop.top_k if stop else None, fresh=True)
    names = {row.key: normal_name(row.key) for row in ranking.ranking}  # a set may be older than normal names
    own, outputs = ({key: known[name] for key, name in names.items()} for known in (keys, by_key))
    return RankedOutputs(ranking, own, outputs, picture)


@contextmanager
def _progress(most: int | None, done: int) -> Iterator[Callable[[], None]]:
    """A function to call after each comparison: it counts on, from `done`, on a terminal or in a notebook."""
    one_thread = Lock()
    is_shown = sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel")  # a notebook's

    def show() -> None:
        nonlocal done
        with one_thread:
            done += 1
            if is_shown:
                print(f"\r{done}{f' of {most}' if most else ''} comparisons", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if done and is_shown:
            print(file=sys.stderr)
