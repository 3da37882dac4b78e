"""Results on disk, so that a run that was stopped goes on where it was."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.studies.methods.curves import say

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
        if name not in self._results:
            path = self._folder / f"{name}.pickle" if self._folder else None
            if path and path.exists():
                self._results[name] = pickle.loads(path.read_bytes())
            else:
                self._results[name] = compute()
                if path:
                    path.write_bytes(pickle.dumps(self._results[name]))
                say(f"done: {name}")
        result: T = self._results[name]
        return result
