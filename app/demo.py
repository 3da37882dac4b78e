"""The demo: a small set of answers and a recorded judge that compares them while you watch."""

import csv
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import uvicorn

from app import client
from app.client import Client, NextpairError
from app.schemas import CandidateIn, SetIn, VerdictIn

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
PROJECT = "demo"
JUDGE = "recorded judge"


def find_or_create(service: Client) -> UUID:
    """The demo set of this service."""
    existing = service.send(client.list_sets(project=PROJECT)).sets
    return existing[0].id if existing else service.send(client.create_set(demo_set())).id


def demo_set() -> SetIn:
    answers = [json.loads(line) for line in (EXAMPLES / "answers.jsonl").read_text().splitlines()]
    return SetIn(
        name="Why is the sky blue?",
        question="Which answer explains better to a ten-year-old why the sky is blue?",
        candidates=[CandidateIn(key=answer["key"], text=answer["text"]) for answer in answers],
        project=PROJECT,
    )


def recorded_verdicts() -> dict[tuple[str, str], float]:
    """p_first by (first, second)."""
    with (EXAMPLES / "judge.csv").open(newline="") as rows:
        return {(row["first"], row["second"]): float(row["p_first"]) for row in csv.DictReader(rows)}


def judge(service: Client, set_id: UUID, pace: float, stopped: Callable[[], bool]) -> None:
    """Ask and tell, one comparison every `pace` seconds, until no pair is left."""
    verdicts = recorded_verdicts()
    while not stopped():
        asked = service.send(client.next_pair(set_id, judge=JUDGE))
        if not asked.assignments:
            return
        (pair,) = asked.assignments
        p = verdicts[pair.first.key, pair.second.key]
        service.send(client.send_verdict(pair.id, VerdictIn(p_first=p)))
        time.sleep(pace)


def play(server: uvicorn.Server, url: str, pace: float) -> None:
    """Once `server` has started, judge its demo set; ends with the server."""
    while not server.started:
        time.sleep(0.1)
    with Client(url, retries=0) as service, suppress_when(lambda: server.should_exit):
        judge(service, find_or_create(service), pace, lambda: server.should_exit)


@contextmanager
def suppress_when(stopping: Callable[[], bool]) -> Iterator[None]:
    """A request that fails because the server is stopping is no error."""
    try:
        yield
    except NextpairError:
        if not stopping():
            raise
