"""A bar on stderr while something takes its time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress


@contextmanager
def progress_of(total: int, doing: str) -> Iterator[Callable[[int], None]]:
    """A bar on stderr where that is a terminal; call what it gives with how many more are done."""
    stderr = Console(stderr=True)
    with Progress(console=stderr, transient=True, disable=not stderr.is_terminal) as progress:
        task = progress.add_task(doing, total=total)
        yield lambda done: progress.advance(task, done)
