"""The server of a data directory: where it listens, how it is made, and how it is started."""

import hashlib
import os
import shutil
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from errno import ENOSPC
from functools import partial
from pathlib import Path

from app.storage.embedded.account import Account, choose_account, hand_over, run_as
from app.storage.embedded.binaries import EmbeddedPostgresError, choose_binaries, copy_binaries
from app.storage.embedded.keeper import first_pid, runs, serves
from app.storage.embedded.wire import NO_DATABASE, NOT_YET, READY, SILENT, ask

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


def require_space(home: Path, least: int) -> None:
    """Raises OSError (ENOSPC) if the disk has less: where its log finds no space, PostgreSQL stops, for readers too."""
    disk = os.statvfs(home / "data")
    if disk.f_bavail * disk.f_frsize < least:
        raise OSError(ENOSPC, f"under {least / 1e6:,.0f} MB are free, which the private PostgreSQL keeps", str(home))


def socket_of(home: Path) -> Path:
    name = f".s.PGSQL.{PORT}"
    near = home / "s" / name
    if len(os.fsencode(near)) <= LONGEST_SOCKET and "," not in str(near):  # in URLs a comma separates hosts
        return near
    return Path("/tmp", "nextpair-" + hashlib.sha256(os.fsencode(home)).hexdigest()[:16], name)


def own_socket(home: Path) -> Path:
    """The socket, in a folder that no other user made or can write to; the folder may not exist yet.

    Raises EmbeddedPostgresError for any other folder, where a stranger may be listening.
    """
    address = socket_of(home)
    with suppress(FileNotFoundError):
        status = address.parent.lstat()
        ours = status.st_uid in (os.geteuid(), home.stat().st_uid)
        if not (stat.S_ISDIR(status.st_mode) and ours and status.st_mode & 0o077 == 0):
            raise EmbeddedPostgresError(
                f"The socket's folder {address.parent} is not a folder of yours with mode 700, so another user may "
                "listen there. Remove it, or choose a data directory with a shorter path."
            )
    return address


def bring_up(home: Path) -> None:
    server = first_pid(home / "data" / "postmaster.pid")
    outcome = _final_answer(home, lambda: serves(server, home / "data"))
    if outcome == SILENT:
        outcome = _boot(home)
    if outcome == NO_DATABASE:
        _create_database(home)


def _create_database(home: Path) -> None:
    sql = f"CREATE DATABASE {DATABASE} TEMPLATE template0"
    outcome = ask(socket_of(home), "postgres", sql, timeout=RECOVERY_SECONDS)
    if outcome != READY:
        raise EmbeddedPostgresError(f"The database was not created ({outcome}): see {home}/server.log.")


def _final_answer(home: Path, is_running: Callable[[], bool]) -> str:
    """The server's answer once it has made up its mind; SILENT when it is not running."""
    deadline = time.monotonic() + RECOVERY_SECONDS
    pause = 0.01
    while time.monotonic() < deadline:
        running = is_running()
        outcome = ask(socket_of(home), DATABASE)
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
    log, deadline, failed_before = home / "server.log", time.monotonic() + LEAVING, False
    while True:
        before = log.stat().st_size if log.exists() else 0
        outcome = _final_answer(home, partial(runs, _launch(home, account, folder)))
        if outcome != SILENT:
            return outcome
        last_words = _read_from(log, before)
        children_leave = "shared memory block" in last_words and time.monotonic() < deadline  # a killed server's
        if failed_before and not children_leave:
            raise EmbeddedPostgresError(f"PostgreSQL did not start: read {log}.\n{last_words}")
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
    with suppress(FileExistsError):
        socket_of(home).parent.mkdir(mode=0o700)
    own_socket(home)
    for ours in (home, socket_of(home).parent):
        hand_over(account, ours, KEPT)
    if _succeeds(account, '"$0" --version', folder / "postgres"):
        return folder
    return copy_binaries(folder, home / "binaries")


def _succeeds(account: Account, script: str, path: Path) -> bool:
    return run_as(account, "/bin/sh", "-c", script, path).returncode == 0


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
    """Start the server detached, so that it outlives this process; return its pid.

    A shell sends it to the background instead of pg_ctl, which would expand `$` and quotes in the path.
    """
    _drop_stale_locks(home)
    options = [f"--{name}={value}" for name, value in SETTINGS.items()]
    sockets = str(socket_of(home).parent).replace('"', '""')
    options.append(f'--unix_socket_directories="{sockets}"')  # a list, of one
    script = 'exec "$@" </dev/null >>"$0" 2>&1 & echo $!'
    command: list[str | Path] = [folder / "postgres", "-D", home / "data", *options]
    done = run_as(account, "/bin/sh", "-c", script, home / "server.log", *command)
    return int(done.stdout)


def _drop_stale_locks(home: Path) -> None:
    """PostgreSQL believes any living pid, even a zombie or a stranger that was given an old number."""
    address = socket_of(home)
    for lock in (home / "data" / "postmaster.pid", address.with_name(f"{address.name}.lock")):
        if not serves(first_pid(lock), home / "data"):
            lock.unlink(missing_ok=True)


def _read_from(log: Path, start: int) -> str:
    with open(log, "rb") as stream:
        stream.seek(start)
        return stream.read().decode(errors="replace")[-1500:]
