"""A private PostgreSQL cluster in a data directory: nothing to install, nothing to configure.

    <data_dir>/data           the cluster; appears whole, by a rename
    <data_dir>/s              the directory of its unix socket (in /tmp when the path does not suit one)
    <data_dir>/server.log     what the server says
    <data_dir>/clients.lock   held shared by each process that uses the server
    <data_dir>/start.lock     held by the one process that is bringing the server up
    <data_dir>/keeper.lock    held by the keeper, which stops the server after the last client

The kernel drops a lock however its holder ends, so there is no counting to go wrong after a crash.
"""

import atexit
import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from app.storage.embedded import keeper
from app.storage.embedded.binaries import EmbeddedPostgresError
from app.storage.embedded.server import DATABASE, PORT, bring_up, own_socket, socket_of
from app.storage.embedded.wire import READY, ask


class EmbeddedPostgres:
    """One process's share in the server of `data_dir`, which all processes of this machine may use."""

    def __init__(self, data_dir: Path) -> None:
        self._home = data_dir.expanduser().resolve()
        self._share: int | None = None
        self._pid = 0

    def start(self) -> str:
        """Bring the server up, or join the one that runs; return the SQLAlchemy URL of the database.

        Raises EmbeddedPostgresError when the directory cannot be used or PostgreSQL cannot run.
        """
        if self._share is None:
            with _explained(self._home):
                self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._share = _lock(self._home / "clients.lock", fcntl.LOCK_SH)
            self._pid = os.getpid()
            atexit.register(self.stop)
        try:
            self.ensure()
        except BaseException:
            self.stop()
            raise
        return self.url()

    def ensure(self) -> None:
        """Bring the server back if it was killed; a round trip on the socket when it answers.

        Raises EmbeddedPostgresError as `start` does, and when `start` was not called.
        """
        if self._share is None:
            raise EmbeddedPostgresError("The private PostgreSQL was not started: call start() first.")
        with _explained(self._home):
            _ensure_keeper(self._home)  # before the server, to cover our own death while it boots
            if ask(own_socket(self._home), DATABASE) != READY:
                with _locked(self._home / "start.lock"):
                    bring_up(self._home)

    def stop(self) -> None:
        """Let go; the last one out stops the server and waits until it is gone."""
        if self._share is None or self._pid != os.getpid():  # a forked child shares its parent's lock
            return
        share, self._share = self._share, None
        atexit.unregister(self.stop)
        try:
            _leave(share, self._home)
        finally:
            os.close(share)

    def url(self, database: str = DATABASE) -> str:
        """The SQLAlchemy URL of a database of this server."""
        folder = quote(str(socket_of(self._home).parent))
        return f"postgresql+asyncpg://postgres@/{database}?host={folder}&port={PORT}"


def _lock(path: Path, how: int) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, how)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = _lock(path, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _explained(home: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EmbeddedPostgresError(
            f"The data directory {home} cannot be used ({error}): choose one that you can write, or set DATABASE_URL."
        ) from error


def _leave(share: int, home: Path) -> None:
    try:
        fcntl.flock(share, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        fcntl.flock(share, fcntl.LOCK_SH)  # waits only if somebody is stopping the server right now
    else:
        keeper.stop_server(home / "data")


def _ensure_keeper(home: Path) -> None:
    """Start a keeper unless one lives. It inherits our descriptor and with it the lock."""
    try:
        lock = _lock(home / "keeper.lock", fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    script = [sys.executable, "-I", "-S", keeper.__file__, "--keep", str(home), str(lock)]
    try:
        subprocess.run(
            script,
            pass_fds=[lock],
            stdin=subprocess.DEVNULL,
            stdout=lock,  # its complaints, should it have any
            stderr=lock,
            start_new_session=True,
            cwd="/",
            check=True,
        )
    finally:
        os.close(lock)
