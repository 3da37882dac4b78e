"""How studies run: their options, a process for each core, results on disk, and how far they are."""

import os
import pickle
import sys
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import cache
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
DATA, DOCS = Path("../shared/data"), Path("docs/appendix")  # from the root of a checkout


def options(description: str | None, **defaults: Any) -> Namespace:
    """The options of a command by their defaults, whose types they have: a list takes several, False is a flag."""
    program = sys.modules["__main__"].__spec__
    name = program.name.removesuffix(".__main__") if program else ""
    parser = ArgumentParser(f"python -m {name}", description=description, formatter_class=RawDescriptionHelpFormatter)
    for option, default in defaults.items():
        if default is False:
            parser.add_argument(f"--{option}", action="store_true")
        else:
            several = isinstance(default, list)
            kind, nargs = type(default[0] if several else default), "+" if several else None
            parser.add_argument(f"--{option}", type=kind, nargs=nargs, default=default, help=f"{default} by default")
    return parser.parse_args()


_pool = cache(lambda: ProcessPoolExecutor(len(os.sched_getaffinity(0)), get_context("spawn")))


def of_runs(measure: Callable[[int], T], runs: int) -> list[T]:
    """Results of each run, in their order."""
    return list(_pool().map(measure, range(runs), chunksize=10))


def say(text: str, end: str = "\n") -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", end=end, file=sys.stderr, flush=True)


class Checkpoints:
    """Results by name, in memory, and in a folder if there is one: a run that was stopped goes on where it was."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._results: dict[str, Any] = {}
        if folder:
            folder.mkdir(parents=True, exist_ok=True)

    def once(self, name: str, compute: Callable[[], T]) -> T:
        """Compute a result, unless it is there."""
        kept: T | None = self._kept(name)
        return self._keep(name, compute()) if kept is None else kept

    def all(self, results: Mapping[str, Callable[[], T]], pool: Executor) -> list[T]:
        """`once` of each, by the workers of `pool`."""
        running = {name: pool.submit(compute) for name, compute in results.items() if self._kept(name) is None}
        for name, future in running.items():
            self._keep(name, future.result())
        return [self._results[name] for name in results]

    def _kept(self, name: str) -> Any:
        path = self._path(name)
        if name not in self._results and path and path.exists():
            self._results[name] = pickle.loads(path.read_bytes())
        return self._results.get(name)

    def _keep(self, name: str, result: T) -> T:
        self._results[name] = result
        if path := self._path(name):
            path.write_bytes(pickle.dumps(result))
        return result

    def _path(self, name: str) -> Path | None:
        return self._folder / f"{sha256(name.encode()).hexdigest()[:24]}.pickle" if self._folder else None
