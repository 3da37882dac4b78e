"""HANNA's 1,056 stories ranked through HTTP, one ask and one tell at a time: `python -m benchmarks.studies.hanna_http`.

The judge compares the mean scores that ChatGPT gave over HANNA's prompts, with p = sigmoid(first - second).
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar
from uuid import UUID

import numpy as np
from nextpair import Client
from nextpair.calls import create_set, next_pair, ranking, send_verdict
from nextpair.schemas import CandidateIn, Selection, SetIn, VerdictIn
from rich.progress import track
from scipy.stats import spearmanr

from app.offline.cases import Case
from benchmarks.speed.service import running, status_kib
from benchmarks.studies.methods.data import HANNA_JUDGE, all_stories

HANNA = Path(__file__).resolve().parents[3] / "shared/data/hanna"
CHECKPOINTS = (0.01, 0.25, 0.5, 1.0)  # shares of the rounds

T = TypeVar("T")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5000)
    parser.add_argument("--dimension", default="RE", choices=["RE", "CH", "EM", "SU", "EG", "CX"])
    arguments = parser.parse_args()
    if not HANNA.is_dir():
        sys.exit(f"skipped: needs {HANNA}, which is not here")
    (stories,) = all_stories(HANNA.parent, arguments.dimension)
    with tempfile.TemporaryDirectory(prefix="nextpair-") as folder, running(Path(folder)) as service:
        with Client(service.url) as client:
            judge_all(client, stories, arguments.rounds)
        peak, now = status_kib(service.pid, "VmHWM"), status_kib(service.pid, "VmRSS")
        print(f"server memory: peak {peak / 1024:.0f} MiB, now {now / 1024:.0f} MiB")


def judge_all(client: Client, stories: Case, rounds: int) -> None:
    numbers = {key: number for number, key in enumerate(stories.keys)}
    set_id, started = create(client, stories), time.perf_counter()
    asks, tells = [], []
    for number in progress(range(1, rounds + 1)):
        (pair,), seconds = timed(lambda: client.send(next_pair(set_id, judge=HANNA_JUDGE)).assignments)
        asks.append(seconds)
        p = float(stories.offered[numbers[pair.first.key], numbers[pair.second.key]])
        _, seconds = timed(lambda: client.send(send_verdict(pair.id, VerdictIn(p_first=p))))  # noqa: B023  # called at once
        tells.append(seconds)
        if number in {round(share * rounds) for share in CHECKPOINTS}:
            print(f"{number:6} rounds: Spearman {agreement(client, set_id, stories):.4f} with the human means")
    print(f"{rounds} rounds with {len(numbers)} candidates in {time.perf_counter() - started:.0f} s")
    for name, times in (("ask", asks), ("tell", tells)):
        p50, p99 = 1e3 * np.quantile(times, [0.5, 0.99])
        print(f"{name:4}: p50 {p50:.1f} ms, p99 {p99:.1f} ms, longest {1e3 * max(times):.1f} ms")


def create(client: Client, stories: Case) -> UUID:
    candidates = [CandidateIn(key=key) for key in stories.keys]
    selection = Selection(criterion="reordering")
    body = SetIn(name="HANNA", question="Which story is better?", candidates=candidates, selection=selection)
    return client.send(create_set(body)).id


def agreement(client: Client, set_id: UUID, stories: Case) -> float:
    scores = {row.key: row.score for row in client.send(ranking(set_id)).ranking}
    return float(spearmanr([scores[key] for key in stories.keys], stories.truth).statistic)


def timed(action: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    result = action()
    return result, time.perf_counter() - start


def progress(rounds: Iterable[int]) -> Iterable[int]:
    return track(rounds, "asking and telling", transient=True, disable=not sys.stdout.isatty())


if __name__ == "__main__":
    main()
