"""The demo: a small set of answers and a recorded judge that compares them while you watch, as any client would.

The data are here too (README.md); the server that it plays on is started by `app.cli.service`.
"""

import csv
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import uvicorn
from nextpair import Client, NextpairError, calls
from nextpair.schemas import CandidateIn, SetIn, Stop, VerdictIn
from nextpair.words import AskStatus

FOLDER = Path(__file__).resolve().parent  # of answers, ratings and judge; README.md tells where they come from
PROJECT = "demo"
JUDGE = "recorded judge"
RANDOM_PAIRS = 400  # comparisons until the same end, were they drawn at random: python -m examples.demo_cost
SCATTER = 0.063  # variance of the judge's answers about the scores that fit them best: README.md


def find_or_create(service: Client) -> UUID:
    """The demo set of this service."""
    existing = service.send(calls.list_sets(project=PROJECT)).sets
    return existing[0].id if existing else service.send(calls.create_set(demo_set())).id


def demo_set() -> SetIn:
    answers = [json.loads(line) for line in (FOLDER / "answers.jsonl").read_text().splitlines()]
    return SetIn(
        name="Why is the sky blue?",
        question="Which answer explains better to a ten-year-old why the sky is blue?",
        candidates=[CandidateIn(key=answer["key"], text=answer["text"]) for answer in answers],
        expert="gaussian",
        expert_parameters={"v": SCATTER},
        order="both",
        stop=Stop(top_k=1),
        project=PROJECT,
    )


def recorded_verdicts() -> dict[tuple[str, str], float]:
    """p_first by (first, second)."""
    with (FOLDER / "judge.csv").open(newline="") as rows:
        return {(row["first"], row["second"]): float(row["p_first"]) for row in csv.DictReader(rows)}


def judge(service: Client, set_id: UUID, pace: float, stopped: Callable[[], bool]) -> AskStatus:
    """Ask and tell, one comparison every `pace` seconds, until no pair is handed out or the judge is stopped."""
    verdicts = recorded_verdicts()
    while True:
        ask = service.send(calls.next_pair(set_id, judge=JUDGE))
        if stopped() or not ask.assignments:
            return ask.status
        (pair,) = ask.assignments
        p = verdicts[pair.first.key, pair.second.key]
        service.send(calls.send_verdict(pair.id, VerdictIn(p_first=p)))
        time.sleep(pace)


def outcome(service: Client, set_id: UUID, status: AskStatus) -> str:
    """Who leads, how surely, and after how many comparisons."""
    ranking = service.send(calls.ranking(set_id))
    leader = ranking.ranking[0]
    told = (
        f"{status}: after {ranking.comparisons} comparisons the best of {len(ranking.ranking)} answers is "
        f"{leader.key}, with a probability of {leader.p_best:.2f}"
    )
    return f"{told}; random pairs would have needed about {RANDOM_PAIRS}" if status == "converged" else told


def play(server: uvicorn.Server, service: Client, pace: float, say: Callable[[str], None]) -> None:
    """Once `server` is ready, judge its demo set; `say` hears how it goes. Ends with the server."""
    while not server.started:
        time.sleep(0.1)
    with service, _suppressed_when(lambda: server.should_exit):
        set_id = find_or_create(service)
        say("preparing: the very first start compiles for a while")
        service.send(calls.ready())
        say(f"ready: a judge compares {len(demo_set().candidates)} answers")
        status = judge(service, set_id, pace, lambda: server.should_exit)
        say(outcome(service, set_id, status))


@contextmanager
def _suppressed_when(stopping: Callable[[], bool]) -> Iterator[None]:
    """A request that fails because the server is stopping is no error."""
    try:
        yield
    except NextpairError:
        if not stopping():
            raise
