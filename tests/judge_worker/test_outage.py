"""Waiting for an engine that is away."""

import pytest

from judge_worker import outage
from judge_worker.engine import Away
from judge_worker.outage import FIRST, LONGEST, Outage


class Clock:
    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(outage, "time", clock)
    return clock


def test_an_engine_may_be_away_for_days(clock: Clock) -> None:
    waiting = Outage()
    for _ in range(2000):
        waiting.note([Away("down")])
        clock.now += waiting.left
    waiting.note([Away("down")])
    assert waiting.left == LONGEST


def test_batches_at_a_time_that_find_the_engine_away_wait_as_one(clock: Clock) -> None:
    waiting = Outage()
    for _ in range(4):
        waiting.note([Away("down")])
    assert waiting.left == FIRST
    waiting.note([Away("no quota", retry_after=90.0)])
    assert waiting.left == 90.0
