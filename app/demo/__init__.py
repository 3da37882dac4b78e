"""The demo: two sets, and a recorded judge that compares what is in them while you watch, as any client would.

The first ranks 24 texts, the second four models by their outputs for 40 prompts. The data are here too (README.md); the
server that it plays on is started by `app.cli.service`.
"""

import csv
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from nextpair import Budget, CandidateIn, Client, NextpairError, Set, Stop, calls
from nextpair.schemas import Goal, Selection, SetIn
from nextpair.words import AskStatus, counted

FOLDER = Path(__file__).resolve().parent  # of the data; README.md tells where they come from
PROJECT = "demo"
JUDGE = "recorded judge"
SEED = 3  # of 8 seeds, one (0) stops before the verdicts show a signal
RANDOM_PAIRS = 47  # comparisons until the same end, were they drawn at random: python -m examples.demo_cost
MODELS = "Four models on forty prompts"
MODELS_BUDGET = 240  # comparisons, of 480 ordered pairs
Verdicts = Mapping[tuple[str | None, str, str], float]  # p_first by prompt, first and second


def demo_set() -> SetIn:
    """The definition of the set of texts."""
    answers = [json.loads(line) for line in (FOLDER / "answers.jsonl").read_text().splitlines()]
    return SetIn(
        name="Why is the sky blue?",
        question="Which answer explains better to a ten-year-old why the sky is blue?",
        candidates=[CandidateIn(key=answer["key"], text=answer["text"]) for answer in answers],
        goal=Goal(top_k=1),
        order="each",
        selection=Selection(seed=SEED),
        stop=Stop(top_k=1),
        project=PROJECT,
    )


def recorded_verdicts(file: str = "judge.csv") -> Verdicts:
    """All of a recorded judge; of texts there is no prompt."""
    with (FOLDER / file).open(newline="") as rows:
        return {
            (row.get("prompt_id"), row["first"], row["second"]): float(row["p_first"]) for row in csv.DictReader(rows)
        }


def find_or_create(service: Client) -> tuple[Set, Set]:
    """The sets of this service: of texts, and of models."""
    new, existing = demo_set(), {each.record.name: each for each in service.sets.list(project=PROJECT)}
    texts = existing.get(new.name) or Set(service, service.send(calls.create_set(new)))
    models = existing.get(MODELS) or service.sets.create_from(
        FOLDER / "assistants.csv",
        name=MODELS,
        question="Which answer is more helpful?",
        budget=Budget(max_comparisons=MODELS_BUDGET),
        project=PROJECT,
        pool_by="none",  # else what is known of the texts would count
    )
    return texts, models


def judge(answers: Set, verdicts: Verdicts, pace: float, stopped: Callable[[], bool]) -> AskStatus:
    """Ask and tell, one comparison every `pace` seconds, until no pair is handed out or the judge is stopped."""
    while True:
        status, _, pairs = answers.next_pairs(judge=JUDGE)
        if stopped() or not pairs:
            return status
        (pair,) = pairs
        pair.tell(p_first=verdicts[pair.item.key if pair.item else None, pair.first.key, pair.second.key])
        time.sleep(pace)


def outcome(answers: Set, status: AskStatus) -> str:
    """Number of comparisons, and what the ranking says."""
    ranking = answers.ranking(fresh=True)
    end = f"{status} after {counted(ranking.comparisons, 'comparison')}"
    cost = f"{end}; random pairs need about {RANDOM_PAIRS}" if status == "converged" else end
    return f"{cost}. {' '.join(ranking.summary)}"


def play(server: uvicorn.Server, service: Client, pace: float, say: Callable[[str], None]) -> None:
    """Judge the sets of `server` in order, once it is ready; `say` hears how it goes. Ends with the server."""
    while not server.started:
        time.sleep(0.1)
    with service, _suppressed_when(lambda: server.should_exit):
        texts, models = find_or_create(service)
        say("preparing: the first start compiles for up to a minute")
        service.send(calls.ready())
        for answers, file, what in (
            (texts, "judge.csv", "24 answers"),
            (models, "assistants_judged.csv", "four models"),
        ):
            say(f"ready: a judge compares {what}")
            status = judge(answers, recorded_verdicts(file), pace, lambda: server.should_exit)
            say(outcome(answers, status))


@contextmanager
def _suppressed_when(stopping: Callable[[], bool]) -> Iterator[None]:
    """A request that fails because the server is stopping is no error."""
    try:
        yield
    except NextpairError:
        if not stopping():
            raise
