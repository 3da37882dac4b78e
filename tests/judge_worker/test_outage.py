"""Waiting for an engine that is away."""

from judge_worker.engine import Away
from judge_worker.outage import LONGEST, Outage


def test_an_engine_may_be_away_for_days() -> None:
    outage = Outage()
    for _ in range(2000):
        outage.note([Away("down")])
    assert LONGEST - 1.0 < outage.left <= LONGEST
