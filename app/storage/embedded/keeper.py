"""Recognise and stop the server of a data directory; as a script, stop it when the last client is gone.

The script runs with `python -I -S`, without site-packages or our own package, so this file imports nothing
but the standard library. It needs no PostgreSQL binaries either: a signal is enough to stop the server.
"""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SHUTDOWN_SECONDS = 60.0  # of an orderly one
PROC = Path("/proc/self")  # where the kernel tells of processes; elsewhere ps does


def first_pid(lock_file: Path) -> int:
    """The pid on the first line of one of PostgreSQL's lock files, 0 when there is none."""
    try:
        return int(lock_file.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 0


def serves(pid: int, data: Path) -> bool:
    """Whether `pid` is a living server of the data directory `data`, and no other process with an old pid."""
    arguments = _command_line(pid)
    return "postgres" in arguments and f" -D {data} " in arguments


def runs(pid: int) -> bool:
    """Has the process `pid` not ended? Its command line cannot tell: it is empty while a program is being loaded."""
    state = _state(pid)
    return state != "" and state not in "ZX"


def stop_server(data: Path) -> None:
    """Stop the server of `data`, if one runs, and wait until it is gone."""
    pid = first_pid(data / "postmaster.pid")
    for how in (signal.SIGINT, signal.SIGQUIT):  # in order; then at once, leaving the log to be replayed
        if not serves(pid, data):
            return
        os.kill(pid, how)
        deadline = time.monotonic() + SHUTDOWN_SECONDS
        while serves(pid, data) and time.monotonic() < deadline:
            time.sleep(0.02)


def _command_line(pid: int) -> str:
    """The arguments of a process, a space after each; empty for a dead one and for a zombie."""
    if not PROC.exists():
        return "" if _state(pid) == "Z" else f"{_from_ps('args', pid)} "
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="surrogateescape")
    except OSError:
        return ""


def _state(pid: int) -> str:
    """The letter that stands for a process's state, empty where there is no such process."""
    if not PROC.exists():
        return _from_ps("stat", pid)[:1]
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _from_ps(field: str, pid: int) -> str:
    ps = ["ps", "-ww", "-o", f"{field}=", "-p", str(pid)]
    return subprocess.run(ps, capture_output=True, text=True, check=False).stdout.strip()


def keep(home: Path, keeper_lock: int) -> None:
    """Wait for the last client to let go, then stop the server.

    The next client waits on clients.lock meanwhile and must find the keeper's place free once it gets in,
    so that lock is dropped first.
    """
    with open(home / "clients.lock", "r+") as clients:
        fcntl.flock(clients, fcntl.LOCK_EX)
        stop_server(home / "data")
        os.close(keeper_lock)


if __name__ == "__main__" and os.fork() == 0:  # the parent ends here: no client has a child to reap
    keep(Path(sys.argv[2]), int(sys.argv[3]))
