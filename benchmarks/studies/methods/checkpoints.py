"""Results on disk, so that a run that was stopped goes on where it was."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from benchmarks.studies.methods.curves import say

T = TypeVar("T")


class Keep:
    """Remembers what was computed under a name, in memory and in a folder if there is one."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._known: dict[str, Any] = {}
        if folder:
            folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, name: str, compute: Callable[[], T]) -> T:
        if name not in self._known:
            self._known[name] = self._read(name) or self._write(name, compute())
        found: T = self._known[name].value
        return found

    def _read(self, name: str) -> "Kept | None":
        path = self._folder / f"{name}.pickle" if self._folder else None
        return Kept(pickle.loads(path.read_bytes())) if path and path.exists() else None

    def _write(self, name: str, value: object) -> "Kept":
        if self._folder:
            (self._folder / f"{name}.pickle").write_bytes(pickle.dumps(value))
        say(f"done: {name}")
        return Kept(value)


class Kept(NamedTuple):
    value: Any
