"""The machine and the code that figures belong to. Needs nothing but the standard library."""

import contextlib
import os
import platform
import re
import subprocess
from datetime import date
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class BenchRun(NamedTuple):
    """Time and place of a measurement."""

    date: str
    commit: str  # with a + where files of app differ from it
    machine: str  # figures of two runs are only compared where it is the same
    load: float  # how many processes wanted a core as it began

    @property
    def in_words(self) -> str:
        return f"{self.date}, commit {self.commit}, {self.machine}, one thread, load {self.load:.1f} when it began"


def new_run() -> BenchRun:
    names = re.findall(r"model name\s*: (.*)", _read("/proc/cpuinfo"))
    machine = f"{os.cpu_count()} cores of {names[0] if names else platform.processor()}"
    return BenchRun(date.today().isoformat(), _commit(), machine, os.getloadavg()[0])


def _commit() -> str:
    try:
        return _git("rev-parse", "--short", "HEAD") + ("+" if _git("status", "--porcelain", "app") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def peak_mb() -> float:
    """The most memory that this process has had, in MB; 0 where the system does not tell."""
    peak = re.search(r"VmHWM:\s+(\d+) kB", _read("/proc/self/status"))
    return int(peak[1]) / 1024.0 if peak else 0.0


def forget_peak() -> None:
    """Let `peak_mb` count from now on, where the system can."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""
