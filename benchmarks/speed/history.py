"""Runs before this one: benchmarks/history.jsonl, a line each with the ratios; figures of one machine are compared."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.speed.machine import BenchRun
from benchmarks.speed.measuring import Row

WORSE = 1.25  # times the last ratio


def last_ratios(path: Path, machine: str) -> dict[str, float]:
    """The latest ratio of each figure on this machine."""
    ratios: dict[str, float] = {}
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for line in map(json.loads, lines):
        if line["machine"] == machine:
            ratios |= line["ratios"]
    return ratios


def append(path: Path, run: BenchRun, sections: Mapping[str, Sequence[Row]]) -> None:
    ratios = {row.name: float(f"{row.ratio:.3g}") for rows in sections.values() for row in rows if row.ratio}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(run._asdict() | {"ratios": ratios}) + "\n")


def change(row: Row, last: Mapping[str, float]) -> float | None:
    """The ratio in units of the last one; None where there is none, or nothing to compare."""
    return row.ratio / last[row.name] if row.ratio and row.name in last else None


def got_worse(row: Row, last: Mapping[str, float]) -> bool:
    times = change(row, last)
    return times is not None and times > WORSE
