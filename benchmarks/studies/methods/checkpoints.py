"""Results on disk, so that a run that was stopped goes on where it was."""

import pickle
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


class Checkpoints:
    """Results by name, in memory, and in a folder if there is one."""

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
