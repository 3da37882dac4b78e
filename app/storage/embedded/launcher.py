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
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import quote

from app.storage.embedded import keeper
from app.storage.embedded.account import Account, choose_account, hand_over, run_as
from app.storage.embedded.binaries import EmbeddedPostgresError, choose_binaries, copy_binaries
from app.storage.embedded.keeper import first_pid, runs, serves, stop_server
from app.storage.embedded.wire import NO_DATABASE, NOT_YET, READY, SILENT, ask

__all__ = ["EmbeddedPostgres", "EmbeddedPostgresError"]

DATABASE = "nextpair"
PORT = 5432  # only part of the socket's file name
SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "max_connections": "100",
    "shared_buffers": "64MB",
    "jit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}
INITDB = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--data-checksums")
KEPT = ("data", "server.log", "clients.lock", "start.lock", "keeper.lock")  # in the data directory
LONGEST_SOCKET = 100  # bytes; the kernels allow 103 (macOS) and 107 (Linux)
RECOVERY_SECONDS = 300.0  # for a server that is replaying its log
LEAVING = 20.0  # seconds for the children of a killed server to notice


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
            if ask(_own_socket(self._home), DATABASE) != READY:
                with _locked(self._home / "start.lock"):
                    _bring_up(self._home)

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
        folder = quote(str(_socket(self._home).parent))
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
        stop_server(home / "data")


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


def _socket(home: Path) -> Path:
    name = f".s.PGSQL.{PORT}"
    near = home / "s" / name
    if len(os.fsencode(near)) <= LONGEST_SOCKET and "," not in str(near):  # in URLs a comma separates hosts
        return near
    return Path("/tmp", "nextpair-" + hashlib.sha256(os.fsencode(home)).hexdigest()[:16], name)


def _own_socket(home: Path) -> Path:
    """The socket, in a folder that no other user made or can write to; the folder may not exist yet.

    Raises EmbeddedPostgresError for any other folder, where a stranger may be listening.
    """
    address = _socket(home)
    with suppress(FileNotFoundError):
        status = address.parent.lstat()
        ours = status.st_uid in (os.geteuid(), home.stat().st_uid)
        if not (stat.S_ISDIR(status.st_mode) and ours and status.st_mode & 0o077 == 0):
            raise EmbeddedPostgresError(
                f"The socket's folder {address.parent} is not a folder of yours with mode 700, so another user may "
                "listen there. Remove it, or choose a data directory with a shorter path."
            )
    return address


def _bring_up(home: Path) -> None:
    server = first_pid(home / "data" / "postmaster.pid")
    outcome = _settled(home, lambda: serves(server, home / "data"))
    if outcome == SILENT:
        outcome = _boot(home)
    if outcome == NO_DATABASE:
        _create_database(home)


def _create_database(home: Path) -> None:
    sql = f"CREATE DATABASE {DATABASE} TEMPLATE template0"
    outcome = ask(_socket(home), "postgres", sql, timeout=RECOVERY_SECONDS)
    if outcome != READY:
        raise EmbeddedPostgresError(f"The database was not created ({outcome}): see {home}/server.log.")


def _settled(home: Path, is_running: Callable[[], bool]) -> str:
    """The server's answer once it has made up its mind; SILENT when it is not running."""
    deadline = time.monotonic() + RECOVERY_SECONDS
    pause = 0.01
    while time.monotonic() < deadline:
        running = is_running()
        outcome = ask(_socket(home), DATABASE)
        if outcome not in (NOT_YET, SILENT) or (outcome == SILENT and not running):
            return outcome
        time.sleep(pause)
        pause = min(pause * 1.3, 0.5)  # each question leaves a line in the log
    raise EmbeddedPostgresError(f"PostgreSQL does not answer: see {home}/server.log and try again.")


def _boot(home: Path) -> str:
    account = choose_account(home)
    folder = _prepare(home, account)
    if not (home / "data").exists():
        _create_cluster(home, account, folder)
    deadline = time.monotonic() + LEAVING
    failed_before = False
    while True:
        before = _size(home / "server.log")
        outcome = _settled(home, partial(runs, _launch(home, account, folder)))
        if outcome != SILENT:
            return outcome
        last_words = _read_from(home / "server.log", before)
        children_leave = "shared memory block" in last_words and time.monotonic() < deadline  # a killed server's
        if failed_before and not children_leave:
            raise EmbeddedPostgresError(f"PostgreSQL did not start: read {home}/server.log.\n{last_words}")
        failed_before = True
        time.sleep(0.2)


def _prepare(home: Path, account: Account) -> Path:
    """Let the account reach the directory, what we made in it, and the binaries; return their folder."""
    _refuse_foreign_data(home)
    folder = choose_binaries(home / "data").folder
    if not _succeeds(account, 'cd "$0"', home.parent):
        raise EmbeddedPostgresError(
            f"PostgreSQL refuses to run as root, and {account.name} cannot reach {home}: "
            "choose a data directory outside private folders, or set DATABASE_URL."
        )
    _make_socket_folder(home)
    for ours in (home, _socket(home).parent):
        hand_over(account, ours, KEPT)
    if _succeeds(account, '"$0" --version', folder / "postgres"):
        return folder
    return copy_binaries(folder, home / "binaries")


def _succeeds(account: Account, script: str, path: Path) -> bool:
    return run_as(account, "/bin/sh", "-c", script, path).returncode == 0


def _make_socket_folder(home: Path) -> None:
    with suppress(FileExistsError):
        _socket(home).parent.mkdir(mode=0o700)
    _own_socket(home)


def _refuse_foreign_data(home: Path) -> None:
    """A link may lead to another disk, but not to the data of another user, nor to nothing."""
    cluster = home / "data"
    if cluster.is_symlink() and not (cluster.exists() and cluster.stat().st_uid == home.stat().st_uid):
        raise EmbeddedPostgresError(
            f"{cluster} is a link to {cluster.readlink()}, which is missing or another user's. "
            f"Give that folder to the owner of {home}, or remove the link."
        )


def _create_cluster(home: Path, account: Account, folder: Path) -> None:
    """Run initdb aside and rename, so that an interrupted one is never taken for a cluster."""
    for unfinished in home.glob("data.new.*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    new = home / f"data.new.{os.getpid()}"
    done = run_as(account, folder / "initdb", "-D", new, *INITDB)
    if done.returncode != 0:
        raise EmbeddedPostgresError(f"initdb failed in {home}: {done.stderr.strip() or done.stdout.strip()}")
    new.rename(home / "data")


def _launch(home: Path, account: Account, folder: Path) -> int:
    """Start the server as a child of nobody, whose life does not hang on ours; return its pid.

    A shell sends it to the background instead of pg_ctl, which would expand `$` and quotes in the path.
    """
    _drop_stale_locks(home)
    options = [f"--{name}={value}" for name, value in SETTINGS.items()]
    sockets = str(_socket(home).parent).replace('"', '""')
    options.append(f'--unix_socket_directories="{sockets}"')  # a list, of one
    script = 'exec "$@" </dev/null >>"$0" 2>&1 & echo $!'
    command: list[str | Path] = [folder / "postgres", "-D", home / "data", *options]
    done = run_as(account, "/bin/sh", "-c", script, home / "server.log", *command)
    return int(done.stdout)


def _drop_stale_locks(home: Path) -> None:
    """PostgreSQL believes any living pid, even a zombie or a stranger that was given an old number."""
    address = _socket(home)
    for lock in (home / "data" / "postmaster.pid", address.with_name(f"{address.name}.lock")):
        if not serves(first_pid(lock), home / "data"):
            lock.unlink(missing_ok=True)


def _size(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0


def _read_from(log: Path, start: int) -> str:
    with open(log, "rb") as stream:
        stream.seek(start)
        return stream.read().decode(errors="replace")[-1500:]
