"""The study of stops: its judges, and its courses."""

import numpy as np
import pytest

from benchmarks.studies import stops


def test_one_judge_thinks_again_and_one_repeats_itself() -> None:
    rng = np.random.default_rng(0)
    thinks, repeats = stops.thinker(), stops.repeater()
    assert thinks(0.3, (0, 1), rng) != thinks(0.3, (0, 1), rng)
    assert repeats(0.3, (0, 1), rng) == repeats(0.3, (0, 1), rng)
    assert repeats(0.3, (0, 1), rng) != repeats(0.3, (1, 0), rng)


@pytest.mark.parametrize(("judge", "stopped"), [(0, True), (2, False)])
def test_a_leader_is_found_by_who_may_vote_again_and_not_by_who_repeats_itself(judge: int, stopped: bool) -> None:
    course = stops.course(stops.ahead, stops.JUDGES[judge], "one-vote", np.random.default_rng(0))
    assert (course.stopped is not None, course.false) == (stopped, False)
