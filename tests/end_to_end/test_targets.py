"""A consistent judge of 24 candidates is through with few of the 276 pairs, whichever way it is asked."""

from collections.abc import Iterator

import nextpair
import numpy as np
import pytest
from nextpair import CandidateIn, Goal, Stop

from app.inference.state.stops import MOST_REPEATS
from tests.end_to_end.processes import Server

RULE = Stop(goal=0.95)
SCORES = {f"c{n:02}": float(score) for n, score in enumerate(np.random.default_rng(24).standard_normal(24))}
BEST = max(SCORES, key=SCORES.__getitem__)


@pytest.fixture
def client(server: Server) -> Iterator[nextpair.Client]:
    with nextpair.Client(server.url) as client:
        yield client


@pytest.mark.parametrize("surest", [1.0, 0.999])
def test_over_http_one_at_a_time(client: nextpair.Client, surest: float) -> None:
    asked = client.sets.create(
        name="Scores",
        question="Which is more?",
        candidates=[CandidateIn(key=key) for key in SCORES],
        goal=Goal(top_k=1),
        stop=RULE,
    )
    while (pair := asked.next_pair(judge="model")) is not None:
        pair.tell(p_first=surest if SCORES[pair.first.key] > SCORES[pair.second.key] else 1.0 - surest)
    ranking = asked.ranking()
    assert ranking.stopping is not None
    assert ranking.stopping.converged
    assert ranking.comparisons <= 45
    assert ranking.ranking[0].key == BEST
    assert ranking.ranking[0].p_best is not None
    assert ranking.ranking[0].p_best >= 0.95
    assert ranking.inference_target.name == "all-pairs"


def test_by_rank(client: nextpair.Client) -> None:
    ranked = nextpair.rank(SCORES, judge=lambda a, b: float(a > b), until=Stop(top_k=1), client=client)
    assert ranked.best == SCORES[BEST]
    assert ranked.ranking.comparisons <= 45


def test_by_rank_with_more_calls_at_once_than_pairs_are_out(client: nextpair.Client) -> None:
    """The judges in want of a pair wait for one; each verdict counts, and all of them end."""
    calls = []

    def judge(first: float, second: float) -> float:
        calls.append((first, second))
        return float(first > second)

    ranked = nextpair.rank(SCORES, judge=judge, until=Stop(top_k=1), concurrency=16, client=client)
    assert ranked.best == SCORES[BEST]
    assert ranked.ranking.comparisons == len(calls)
    assert len(calls) - len(set(calls)) <= MOST_REPEATS
    assert ranked.ranking.comparisons < 2 * 45
