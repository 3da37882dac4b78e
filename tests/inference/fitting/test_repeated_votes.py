"""How much votes count on a pair that is asked again."""

import numpy as np
import pytest
from scipy.special import expit

from app.inference.fitting.absolute import no_absolute_scores
from app.inference.fitting.model import Method, build
from app.inference.fitting.published import publish
from app.inference.fitting.weights import Learnt, learn, weighed
from app.inference.types import Comparisons, by_one_judge, once_each

N, PAIRS, TIMES = 12, 60, 4
LEARNING = build(Method(verdict_weight="learnt"), N)
ITEM = np.zeros(PAIRS * TIMES, np.int64)


def votes(seed: int, *, fresh: bool) -> Comparisons:
    """TIMES votes of judge 1 on each of PAIRS pairs in one order, scores of variance 1; judge 0 says nothing."""
    rng = np.random.default_rng(seed)
    low, high = np.array(np.triu_indices(N, 1))[:, rng.permutation(N * (N - 1) // 2)[:PAIRS]]
    s, drawn = rng.standard_normal(N), rng.random((PAIRS, TIMES if fresh else 1))
    p = np.broadcast_to(drawn < expit(s[low] - s[high])[:, None], (PAIRS, TIMES)).astype(np.float64)
    return once_each(low.repeat(TIMES), high.repeat(TIMES), p.ravel(), np.ones(PAIRS * TIMES, np.int64))


def learnt_from(log: Comparisons) -> Learnt:
    return learn(log, ITEM, LEARNING, 2)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_again_counts_once(seed: int) -> None:
    log = votes(seed, fresh=False)
    hyperparameters = learnt_from(log).hyperparameters
    np.testing.assert_array_equal(hyperparameters.repeat_correlation, 1.0)
    weight = weighed(log, ITEM, hyperparameters).weight.reshape(PAIRS, TIMES)
    np.testing.assert_allclose(weight.sum(axis=1), hyperparameters.votes[1])


def test_votes_drawn_again_count_in_full_and_keep_the_scale() -> None:
    """240 votes on scores of variance 1 tell it within a factor of 2 (20 logs, seeds 0 to 19)."""
    all_learnt = [learnt_from(votes(seed, fresh=True)).hyperparameters for seed in range(20)]
    assert np.mean([each.repeat_correlation[1] for each in all_learnt]) < 0.1
    assert 0.5 < np.exp(np.mean([np.log(each.scale) for each in all_learnt])) < 2.0


@pytest.mark.parametrize("tied", [0.0, 0.2, 0.5, 0.8])
def test_ties_do_not_make_votes_that_are_drawn_anew_repeats(tied: float) -> None:
    """400 votes on 5 candidates as rows, against the same with a prompt each: scores are as spread (seeds 0 to 5)."""
    ratios = []
    for seed in range(6):
        rng, method = np.random.default_rng([3, seed]), Method(verdict_weight="learnt")
        s, first = 0.6 * rng.standard_normal(5), rng.integers(5, size=400)
        second = (first + rng.integers(1, 5, size=400)) % 5
        pi = expit(s[first] - s[second])
        is_tie = rng.random(400) < tied * 4.0 * pi * (1.0 - pi)
        log = by_one_judge(first, second, np.where(is_tie, 0.5, rng.random(400) < pi))
        rows, apart = (
            publish(log, item, no_absolute_scores(), method, 5, 1).scores.mean
            for item in (np.zeros(400, np.int64), np.arange(400))
        )
        ratios.append(rows.std() / apart.std())
    assert 0.9 < np.mean(ratios) < 1.1


def test_a_judge_who_repeats_itself_does_so_with_ties_too() -> None:
    rng = np.random.default_rng(1)
    s, first = rng.standard_normal(6), rng.integers(6, size=90)
    second = (first + rng.integers(1, 6, size=90)) % 6
    d = s[first] - s[second]
    log = by_one_judge(first, second, np.where(np.abs(d) < 0.6, 0.5, d > 0.0))
    learnt = learn(log, np.zeros(90, np.int64), build(Method(verdict_weight="learnt"), 6), 1)
    assert learnt.hyperparameters.repeat_correlation[0] == 1.0
