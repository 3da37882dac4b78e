"""The history of a judge, on simulated logs: seeds are stated."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.inference.judges import agreement_with_others, judge_history, latest_of, votes_by_pair
from app.inference.types import Comparisons, once_each
from tests.inference.judges.test_discrimination import N, simulated

ITEMS = 3


@st.composite
def logs(draw: st.DrawFn) -> tuple[Comparisons, np.ndarray]:
    """Up to 60 verdicts of three judges on four candidates and three items, repeats and ties among them."""
    rng, count = np.random.default_rng(draw(st.integers(0, 2**32))), draw(st.integers(1, 60))
    first = rng.integers(4, size=count)
    second = (first + rng.integers(1, 4, size=count)) % 4
    log = once_each(first, second, rng.choice([0.0, 0.3, 0.5, 0.8, 1.0], count), rng.integers(3, size=count))
    return log, rng.integers(ITEMS, size=count)


@settings(deadline=None)  # kernels are compiled first
@given(logs())
def test_its_end_is_the_agreement_of_the_card(drawn: tuple[Comparisons, np.ndarray]) -> None:
    log, item = drawn
    met, agreeing = agreement_with_others(votes_by_pair(log, item, 3))
    for judge in np.unique(log.judge).tolist():
        end = judge_history(log, 4, item, judge)[-1]
        assert end.verdicts == np.count_nonzero(log.judge == judge)
        assert (end.pairs, end.agreeing) == (met[judge], agreeing[judge])


@settings(deadline=None)  # kernels are compiled first
@given(logs())
def test_few_verdicts_are_all_among_the_latest(drawn: tuple[Comparisons, np.ndarray]) -> None:
    log, item = drawn
    for judge in range(3):
        for moment in judge_history(log, 4, item, judge):
            if moment.verdicts > latest_of(moment.verdicts):
                continue
            assert (moment.recent.pairs if moment.recent else 0) == moment.pairs
            for share in (moment.recent, moment.predicted):
                assert share is None or share.interval[0] <= share.share <= share.interval[1]


def test_a_judge_who_turns_random_half_way_shows_it() -> None:
    """Means of ten runs, of some 90 verdicts by the judge each."""
    shares = []
    for seed in range(10):
        log = simulated(seed, errs_from=0.5)
        history = judge_history(log, N, np.zeros(log.size, np.int64), 0)
        middle = max(moment for moment in history if moment.verdicts <= history[-1].verdicts / 2)
        shares.append([[each.recent.share, each.predicted.share] for each in (middle, history[-1])])  # type: ignore[union-attr]
    (with_others, as_predicted), (with_others_last, as_predicted_last) = np.mean(shares, axis=0)
    assert with_others - with_others_last > 0.1
    assert as_predicted - as_predicted_last > 0.1
    assert abs(as_predicted_last - 0.5) < 0.1


def test_a_judge_without_verdicts_has_no_history() -> None:
    log = simulated(0)
    assert judge_history(log, N, np.zeros(log.size, np.int64), 7) == []
