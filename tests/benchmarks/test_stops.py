"""The study of stops: its judges, and its courses."""

import numpy as np
import pytest

from benchmarks.studies import stops


def test_one_judge_thinks_again_and_one_repeats_itself() -> None:
    rng, scores = np.random.default_rng(0), np.linspace(0.0, 1.0, stops.N)
    one, other = np.array([0]), np.array([1])
    thinks, repeats = stops.thinker(scores, rng), stops.repeater(scores, rng)
    assert thinks(one, other) != thinks(one, other)
    assert repeats(one, other) == repeats(one, other)
    assert repeats(one, other) != 1.0 - repeats(other, one)


@pytest.mark.parametrize(("judge", "stopped"), [(0, True), (2, False)])
def test_a_leader_is_found_by_who_may_vote_again_and_not_by_who_repeats_itself(judge: int, stopped: bool) -> None:
    course = stops.course(stops.ahead, stops.JUDGES[judge], "one-vote", np.random.default_rng(0))
    assert (course.stopped is not None, course.false) == (stopped, False)
