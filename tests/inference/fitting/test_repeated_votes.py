"""How much votes count on a pair that is asked again."""

import numpy as np
import pytest
from scipy.special import expit

from app.inference.fitting.hyperparameters import Learnt, learn
from app.inference.fitting.model import Method, build
from app.inference.fitting.verdict_weights import weighed
from app.inference.types import Comparisons, once_each

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
    weight = weighed(log, ITEM, N, hyperparameters).weight.reshape(PAIRS, TIMES)
    np.testing.assert_allclose(weight.sum(axis=1), hyperparameters.votes[1])


def test_votes_drawn_again_count_in_full_and_keep_the_scale() -> None:
    """240 votes on scores of variance 1 tell it within a factor of 2 (20 logs, seeds 0 to 19)."""
    all_learnt = [learnt_from(votes(seed, fresh=True)).hyperparameters for seed in range(20)]
    assert np.mean([each.repeat_correlation[1] for each in all_learnt]) < 0.1
    assert 0.5 < np.exp(np.mean([np.log(each.scale) for each in all_learnt])) < 2.0
