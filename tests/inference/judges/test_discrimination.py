"""Discrimination and history by simulation, seeds stated: four judges, 360 hard verdicts, 12 candidates, spread 1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from app.inference.judges.discrimination import (
    FEWEST_VERDICTS,
    LEAST,
    PARTS,
    Discrimination,
    discriminations,
    judge_history,
)
from app.inference.judges.pair_votes import votes_by_pair
from app.inference.types import Comparisons, once_each, take

N, JUDGES, VERDICTS, RUNS = 12, 4, 360, 60


def simulated(seed: int, *, errs_from: float = 1.0, reverses: bool = False, repeats: int = 1) -> Comparisons:
    """A log whose judge 0 is random, or inverted, from this share of it on."""
    rng, pairs = np.random.default_rng([45, seed]), np.array(np.triu_indices(N, 1))
    shown = pairs[:, rng.integers(pairs.shape[1], size=VERDICTS)]
    first, second = np.where(rng.random(VERDICTS) < 0.5, shown, shown[::-1])
    s, judge = rng.standard_normal(N), rng.integers(JUDGES, size=VERDICTS)
    won = rng.random(VERDICTS) < expit(s[first] - s[second])
    late = (judge == 0) & (np.arange(VERDICTS) >= errs_from * VERDICTS)
    won ^= late & (reverses | (rng.random(VERDICTS) < 0.5))
    return take(once_each(first, second, won.astype(np.float64), judge), np.repeat(np.arange(VERDICTS), repeats))


def examined(log: Comparisons) -> dict[int, Discrimination]:
    return {each.judge: each for each in discriminations(log, N, np.zeros(log.size, np.int64))}


def test_honest_judges_are_rarely_named() -> None:
    of_all = [each for seed in range(RUNS) for each in examined(simulated(seed)).values()]
    assert len(of_all) == JUDGES * RUNS
    assert sum(each.named is not None for each in of_all) <= 0.05 * JUDGES * RUNS
    assert np.mean([each.overall for each in of_all]) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(
    ("errs_from", "reverses", "name", "least"),
    [
        (0.0, False, "random", 0.6),
        (0.0, True, "inverted", 0.6),
        (0.5, False, "changed", 0.6),
        (0.5, True, "changed", 0.8),
    ],
)
def test_a_judge_that_is_random_or_changes_is_named_and_the_others_are_not(
    errs_from: float, reverses: bool, name: str, least: float
) -> None:
    logs = [examined(simulated(seed, errs_from=errs_from, reverses=reverses)) for seed in range(RUNS)]
    names = [log[0].named for log in logs]
    assert sum(each is not None for each in names) >= 0.8 * RUNS
    assert names.count(name) >= least * RUNS  # type: ignore[arg-type]
    assert sum(log[judge].named is not None for log in logs for judge in (1, 2, 3)) <= 0.05 * 3 * RUNS


def test_a_judge_who_says_everything_ten_times_says_it_once() -> None:
    once, often = examined(simulated(0, errs_from=0.0)), examined(simulated(0, errs_from=0.0, repeats=10))
    assert sum(each.named is not None for each in often.values()) <= 1
    assert often[0].overall == pytest.approx(once[0].overall, abs=0.3)


def test_few_verdicts_say_nothing_and_ties_are_no_trouble() -> None:
    log = simulated(0)
    assert examined(take(log, slice(FEWEST_VERDICTS - 1))) == {}
    assert all(each.named is None for each in examined(log._replace(p=np.full(log.size, 0.5))).values())


def test_a_judge_alone_is_never_compared_with_others() -> None:
    rng = np.random.default_rng(0)
    log = simulated(0)._replace(judge=np.zeros(VERDICTS, np.int64), p=(rng.random(VERDICTS) < 0.5).astype(np.float64))
    assert examined(log)[0].named in (None, "changed")


@st.composite
def logs(draw: st.DrawFn) -> tuple[Comparisons, np.ndarray]:
    """Up to 60 verdicts of three judges on four candidates and three items, repeats and ties among them."""
    rng, count = np.random.default_rng(draw(st.integers(0, 2**32))), draw(st.integers(1, 60))
    first = rng.integers(4, size=count)
    second = (first + rng.integers(1, 4, size=count)) % 4
    log = once_each(first, second, rng.choice([0.0, 0.3, 0.5, 0.8, 1.0], count), rng.integers(3, size=count))
    return log, rng.integers(3, size=count)


@settings(deadline=None)  # kernels are compiled first
@given(logs())
def test_its_end_is_the_agreement_of_the_card(drawn: tuple[Comparisons, np.ndarray]) -> None:
    log, item = drawn
    met, agreeing = votes_by_pair(log, item, 3).agreement_with_others
    for judge in np.unique(log.judge).tolist():
        end = judge_history(log, 4, item, judge)[1][-1]
        assert end.verdicts == np.count_nonzero(log.judge == judge)
        assert (end.pairs, end.agreeing) == (met[judge], agreeing[judge])


@settings(deadline=None)  # kernels are compiled first
@given(logs())
def test_few_verdicts_are_all_among_the_latest(drawn: tuple[Comparisons, np.ndarray]) -> None:
    log, item = drawn
    for judge in range(3):
        for moment in judge_history(log, 4, item, judge)[1]:
            if moment.verdicts > max(LEAST, moment.verdicts // PARTS):
                continue
            assert (moment.recent.cases if moment.recent else 0) == moment.pairs
            for share in (moment.recent, moment.predicted):
                assert share is None or share.interval[0] <= share.share <= share.interval[1]


def test_a_judge_who_turns_random_half_way_shows_it() -> None:
    """Means of ten runs, of some 90 verdicts by the judge each."""
    shares = []
    for seed in range(10):
        log = simulated(seed, errs_from=0.5)
        history = judge_history(log, N, np.zeros(log.size, np.int64), 0)[1]
        middle = max(moment for moment in history if moment.verdicts <= history[-1].verdicts / 2)
        shares.append([[each.recent.share, each.predicted.share] for each in (middle, history[-1])])  # type: ignore[union-attr]
    (with_others, as_predicted), (with_others_last, as_predicted_last) = np.mean(shares, axis=0)
    assert with_others - with_others_last > 0.1
    assert as_predicted - as_predicted_last > 0.1
    assert abs(as_predicted_last - 0.5) < 0.1


def test_a_judge_without_verdicts_has_no_history() -> None:
    log = simulated(0)
    assert judge_history(log, N, np.zeros(log.size, np.int64), 7)[1] == []
