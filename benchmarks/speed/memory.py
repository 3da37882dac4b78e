"""Memory, each of a process of its own: the most that it had, less what it had before, beside the data it works on.

`python -m benchmarks.speed.memory TASK N FILE` does the task and prints its megabytes and milliseconds.
"""

import contextlib
import io
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from app import cli
from app.inference.fitting import Method, build, posterior
from app.inference.fitting.model import edges_of
from app.inference.regimes import DENSE
from benchmarks.speed.machine import ROOT, forget_peak, peak_mb
from benchmarks.speed.measuring import Extent, Row
from benchmarks.speed.problem import simulated_log
from benchmarks.speed.votes import snapshot_of

ADDRESS_SPACE = 8 << 30  # bytes of address space
PATIENCE = 120  # seconds
Task = Callable[[], object]


def measure(extent: Extent) -> Iterator[Row]:
    for n in extent.sparse[-3:]:
        yield _row("scores from a log", n, "its log", "fit", _log_mb(n))
    for n in extent.dense[-2:]:
        half = 4.0 * n * (n + 1) / 2**20
        yield _row("a snapshot with its covariance", n, "half Sigma", "snapshot", half)
    for n in (n for n in extent.sparse if n > DENSE):
        yield _row("a snapshot without a covariance", n, "its log", "snapshot", _log_mb(n))
    for n in extent.sparse[-3:]:
        yield from _ranked(n)


def _log_mb(n: int) -> float:
    return sum(column.nbytes for column in simulated_log(n)) / 2**20


def _row(what: str, n: int, beside: str, task: str, theirs: float) -> Row:
    answer = _in_a_process(task, n)
    if isinstance(answer, str):
        return Row(what, n, beside, None, theirs, answer, "MB")
    return Row(what, n, beside, answer["mb"], theirs, "", "MB")


def _ranked(n: int) -> Iterator[Row]:
    """`nextpair rank` beside reading the same file by pyarrow."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "comparisons.csv")
        _in_a_process("write", n, file)
        read, ranked = _in_a_process("read", n, file), _in_a_process("rank", n, file)
    what = f"nextpair rank, {simulated_log(n).size:,} rows"
    assert not isinstance(read, str)
    if isinstance(ranked, str):
        yield Row(what, n, "reading the file", None, read["ms"], ranked)
    else:
        yield Row(what, n, "reading the file", ranked["ms"], read["ms"])
        yield Row(f"memory of {what}", n, "reading the file", ranked["mb"], read["mb"], "", "MB")


def _in_a_process(task: str, n: int, file: str = "") -> dict[str, float] | str:
    """Megabytes and milliseconds, or why there are none."""
    command = [sys.executable, "-m", "benchmarks.speed.memory", task, str(n), file]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=True)
    except subprocess.TimeoutExpired:
        return f"not within {PATIENCE} s"
    except subprocess.CalledProcessError as error:
        return str((error.stderr.strip().splitlines() or ["killed"])[-1])
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main(task: str, n: int, file: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    work = TASKS[task](n, file)
    forget_peak()
    before, start = peak_mb(), time.perf_counter()
    work()
    print(json.dumps({"ms": 1e3 * (time.perf_counter() - start), "mb": peak_mb() - before}))


def _fit(n: int, _: str) -> Task:
    log, model = simulated_log(n), build(Method(), n)
    few = build(Method(), 100)
    posterior.map_of(edges_of(simulated_log(100), few), few)  # so that kernels are loaded
    return lambda: posterior.map_of(edges_of(log, model), model)


def _snapshot(n: int, _: str) -> Task:
    snapshot_of(100)
    return lambda: snapshot_of(n)


def _write(n: int, file: str) -> Task:
    log, names = simulated_log(n), np.array([f"c{i}" for i in range(n)])
    table = pa.table({"first": names[log.first], "second": names[log.second], "p_first": log.p})
    return lambda: csv.write_csv(table, file)


def _read(n: int, file: str) -> Task:
    return lambda: csv.read_csv(file)


def _rank(n: int, file: str) -> Task:
    def rank() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            failed = cli.run(["rank", file, "--format", "csv"])
        if failed:
            sys.exit(failed)

    return rank


TASKS: dict[str, Callable[[int, str], Task]] = {
    "fit": _fit,
    "snapshot": _snapshot,
    "write": _write,
    "read": _read,
    "rank": _rank,
}

if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
