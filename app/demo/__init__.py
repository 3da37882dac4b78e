"""The demo: a small set of answers and a recorded judge that compares them while you watch, as any client would.

The data are here too (README.md); the server that it plays on is started by `app.cli.service`.
"""

import csv
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from nextpair import CandidateIn, Client, NextpairError, Set, Stop, calls
from nextpair.schemas import Goal, SetIn
from nextpair.words import AskStatus, counted

FOLDER = Path(__file__).resolve().parent  # of answers, ratings and judge; README.md tells where they come from
PROJECT = "demo"
JUDGE = "recorded judge"
RANDOM_PAIRS = 63  # comparisons until the same end, were they drawn at random: python -m examples.demo_cost


def find_or_create(service: Client) -> Set:
    """The demo set of this service."""
    existing = next(service.sets.list(project=PROJECT), None)
    return existing or Set(service, service.send(calls.create_set(demo_set())))


def demo_set() -> SetIn:
    """The definition of the demo set."""
    answers = [json.loads(line) for line in (FOLDER / "answers.jsonl").read_text().splitlines()]
    return SetIn(
        name="Why is the sky blue?",
        question="Which answer explains better to a ten-year-old why the sky is blue?",
        candidates=[CandidateIn(key=answer["key"], text=answer["text"]) for answer in answers],
        goal=Goal(top_k=1),
        order="each",
        stop=Stop(top_k=1),
        project=PROJECT,
    )


def recorded_verdicts() -> dict[tuple[str, str], float]:
    """p_first by (first, second)."""
    with (FOLDER / "judge.csv").open(newline="") as rows:
        return {(row["first"], row["second"]): float(row["p_first"]) for row in csv.DictReader(rows)}


def judge(answers: Set, pace: float, stopped: Callable[[], bool]) -> AskStatus:
    """Ask and tell, one comparison every `pace` seconds, until no pair is handed out or the judge is stopped."""
    verdicts = recorded_verdicts()
    while True:
        status, _, pairs = answers.next_pairs(judge=JUDGE)
        if stopped() or not pairs:
            return status
        (pair,) = pairs
        pair.tell(p_first=verdicts[pair.first.key, pair.second.key])
        time.sleep(pace)


def outcome(answers: Set, status: AskStatus) -> str:
    """What is claimed of the first place, and after how many comparisons."""
    ranking = answers.ranking()
    end = f"{status} after {counted(ranking.comparisons, 'comparison')}"
    cost = f"{end}; random pairs need about {RANDOM_PAIRS}" if status == "converged" else end
    return f"{cost}: {ranking.first_place} {ranking.inference_target.sentence}"


def play(server: uvicorn.Server, service: Client, pace: float, say: Callable[[str], None]) -> None:
    """Judge the demo set of `server` once it is ready; `say` hears how it goes. Ends with the server."""
    while not server.started:
        time.sleep(0.1)
    with service, _suppressed_when(lambda: server.should_exit):
        answers = find_or_create(service)
        say("preparing: the very first start compiles for a while")
        service.send(calls.ready())
        say(f"ready: a judge compares {len(demo_set().candidates)} answers")
        status = judge(answers, pace, lambda: server.should_exit)
        say(outcome(answers, status))


@contextmanager
def _suppressed_when(stopping: Callable[[], bool]) -> Iterator[None]:
    """A request that fails because the server is stopping is no error."""
    try:
        yield
    except NextpairError:
        if not stopping():
            raise
