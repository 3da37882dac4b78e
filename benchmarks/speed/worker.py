"""Does a worker keep its engine fed? `python -m benchmarks.speed.worker` prints how busy a scripted engine is.

100 sets of 16 texts, as SummEval has them, one pair of each set in a batch; service, database and worker share this
machine. The engine sleeps for as long as a real one would take.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from benchmarks.speed.service import new_sets, running

TEXTS = 16
RATES = (250, 500, 1000, 2000)  # verdicts a second that the engine could do


class Fed(NamedTuple):
    """Figures of an engine of some rate."""

    rate: int
    per_second: float
    busy: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.worker", description=__doc__)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--batch", type=int, help="pairs at a time; one of each set by default")
    parser.add_argument("--rates", type=int, nargs="+", default=RATES)
    chosen = parser.parse_args()
    print("| engine, judgements/s | judged/s | engine busy |\n| --- | --- | --- |")
    for fed in measure(chosen.sets, chosen.batch or chosen.sets, chosen.rates):
        print(f"| {fed.rate:,} | {fed.per_second:,.0f} | {fed.busy:.0%} |", flush=True)


def measure(sets: int, batch: int, rates: Sequence[int]) -> list[Fed]:
    measured = []
    for rate in rates:
        with tempfile.TemporaryDirectory(prefix="nextpair-") as folder, running(Path(folder)) as service:
            measured.append(_work(service.url, new_sets(service.url, TEXTS, count=sets), rate, batch))
    return measured


def _work(url: str, sets: Sequence[UUID], rate: int, batch: int) -> Fed:
    """Judge every pair. The figures are those that the worker itself logs at the end."""
    program = [str(Path(sys.executable).with_name("nextpair")), "worker", "--server", url, "--model", "lengths"]
    options = ["--engine", "scripted", "--rate", str(rate), "--batch", str(batch), "--until-done"]
    options += [option for set_id in sets for option in ("--set", str(set_id))]
    done = subprocess.run([*program, *options], capture_output=True, text=True, check=True)
    last = [json.loads(line) for line in done.stderr.splitlines() if re.search(r'"event": "progress"', line)][-1]
    return Fed(rate, last["per_second"], last["engine_busy"])


if __name__ == "__main__":
    main()
