"""The share of pairs in the right order: by hand, against draws, and as stated where verdicts follow the model."""

import numpy as np
import pytest
from scipy.special import expit, ndtr

from app.inference.fitting.posterior import fit
from app.inference.gaussian import Scores, mixed
from app.inference.kernels.pair_sets import matching
from app.inference.reporting.confidence import (
    all_pairs,
    concordance,
    concordance_after,
    confidence_of,
)
from app.inference.reporting.ranking import ranks
from app.inference.types import Bools, by_one_judge
from tests.inference.factories import condition, draw_ranks, independent, isotropic, marginal, model, random_state


def every(n: int) -> Bools:
    return matching(all_pairs(np.zeros(n)))


def only(n: int, *pairs: tuple[int, int]) -> Bools:
    named = np.zeros((n, n), np.bool_)
    for pair in pairs:
        named[pair] = True
    return named


def test_concordance_by_hand() -> None:
    posterior = Scores(np.array([3.0, 0.0, 1.0]), independent(np.array([1.0, 3.0, 1.0])))
    by_pair = {(0, 1): ndtr(3.0 / 2.0), (0, 2): ndtr(2.0 / np.sqrt(2.0)), (2, 1): ndtr(0.5)}
    for pair, expected in by_pair.items():
        assert concordance(posterior, only(3, pair)) == pytest.approx(expected)
        assert concordance(posterior, only(3, pair, pair[::-1])) == pytest.approx(expected)
    assert concordance(posterior, every(3)) == pytest.approx(np.mean(list(by_pair.values())))


def test_nothing_is_known_of_candidates_that_are_alike() -> None:
    posterior = Scores(np.zeros(4), isotropic(4, 1.0))
    drawn = draw_ranks(posterior, np.random.default_rng(0))
    assert confidence_of(posterior, ranks(posterior.mean), drawn, every(4), 0.9) == (
        0.5,
        6,
        (0.5, 0.5),
    )


def test_there_is_no_confidence_without_pairs() -> None:
    assert (
        confidence_of(
            Scores(np.zeros(1), isotropic(1, 1.0)),
            np.ones(1, int),
            np.ones((9, 1), int),
            every(1),
            0.9,
        )
        is None
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_is_that_of_the_shares_of_draws(seed: int) -> None:
    posterior = Scores(*random_state(9, seed))
    pairs = np.triu(np.random.default_rng(seed).random((9, 9)) < 0.6, 1)
    rank, drawn = ranks(posterior.mean), draw_ranks(posterior, np.random.default_rng(seed))
    named = [(i, j) for i in range(9) for j in range(9) if pairs[i, j]]
    shares = np.mean([(drawn[:, i] < drawn[:, j]) == (rank[i] < rank[j]) for i, j in named], axis=0)

    stated = confidence_of(posterior, rank, drawn, pairs, 0.8)

    assert stated is not None
    assert stated.interval == pytest.approx(np.quantile(shares, [0.1, 0.9]))
    assert stated.expected_concordance == pytest.approx(shares.mean(), abs=0.01)


def test_the_forecast_is_the_mean_over_what_more_comparisons_may_say() -> None:
    """Two candidates: a comparison of weight w adds it to the precision of their difference, so factors are exact."""
    rng, prior = np.random.default_rng(1), np.ones(2)
    before = condition(isotropic(2, 1.0), 0, 1, 0.7)
    v = before.variance_of_difference(0, 1)
    posterior = Scores(np.array([0.4, -0.1]), before)
    for factor in (1.5, 4.0):
        still = condition(before, 0, 1, 0.7 * (factor - 1.0)).variance_of_difference(0, 1)
        moved = 0.5 + np.sqrt(v - still) * rng.standard_normal(1_000_000)
        expected = ndtr(np.abs(moved) / np.sqrt(still)).mean()
        assert concordance_after(posterior, prior, every(2), factor) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_a_forecast_begins_at_what_is_known_and_rises(seed: int) -> None:
    posterior, pairs = Scores(*random_state(7, seed)), every(7)
    predicted = [concordance_after(posterior, np.ones(7), pairs, factor) for factor in (1.0, 1.25, 2.0, 4.0, 1e9)]
    assert predicted[0] == pytest.approx(concordance(posterior, pairs), abs=1e-12)
    assert (np.diff(predicted) > 0.0).all()
    assert predicted[-1] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_of_a_mixture_it_is_the_chance_that_its_one_published_order_is_right(seed: int) -> None:
    posterior = mixed([(0.7, Scores(*random_state(6, seed))), (0.3, Scores(*random_state(6, seed + 10)))])
    pairs, rank = every(6), ranks(posterior.mean)
    drawn = draw_ranks(posterior, np.random.default_rng(seed), 200_000)
    i, j = np.nonzero(pairs)
    share = np.mean((drawn[:, i] < drawn[:, j]) == (rank[i] < rank[j]))
    assert concordance(posterior, pairs) == pytest.approx(share, abs=0.003)
    predicted = [concordance_after(posterior, np.ones(6), pairs, factor) for factor in (1.0, 2.0, 4.0)]
    assert concordance(posterior, pairs) <= predicted[0] < predicted[1] < predicted[2]


def test_the_interval_of_very_many_pairs_is_from_draws_of_every_part() -> None:
    """Two parts in opposite orders, 90% of the first: which the draws begin with."""
    n = 700
    one = Scores(np.linspace(10.0, 0.0, n), isotropic(n, 1e-6))
    posterior = mixed([(0.9, one), (0.1, one._replace(mean=-one.mean))])
    drawn = draw_ranks(posterior, np.random.default_rng(0))
    sure = confidence_of(posterior, ranks(posterior.mean), drawn, every(n), 0.95)
    assert sure is not None
    assert sure.expected_concordance == pytest.approx(0.9)
    assert sure.interval == pytest.approx((0.0, 1.0))


def test_where_verdicts_say_nothing_more_of_them_say_nothing() -> None:
    alike = Scores(np.zeros(3), isotropic(3, 1.0))
    assert concordance_after(alike, np.ones(3), every(3), 4.0) == pytest.approx(0.5)


def test_stated_and_true_shares_agree() -> None:
    """300 sets of 10 with scores from the prior, 30 hard verdicts each; seed 20,261."""
    rng, m, pairs = np.random.default_rng(20_261), model(10), every(10)
    stated, true, inside = [], [], []
    for _ in range(300):
        s, first = rng.standard_normal(10), rng.integers(10, size=30)
        second = (first + rng.integers(1, 10, size=30)) % 10
        won = (rng.random(30) < expit(s[first] - s[second])).astype(np.float64)
        posterior = marginal(fit(by_one_judge(first, second, won), m))
        rank = ranks(posterior.mean)
        sure = confidence_of(posterior, rank, draw_ranks(posterior, rng, 400), pairs, 0.9)
        assert sure is not None
        i, j = np.nonzero(pairs)
        stated.append(sure.expected_concordance)
        true.append(float(np.mean((s[i] > s[j]) == (rank[i] < rank[j]))))
        inside.append(sure.interval[0] <= true[-1] <= sure.interval[1])
    assert np.mean(stated) == pytest.approx(np.mean(true), abs=0.02)
    assert 0.86 <= np.mean(inside) <= 0.96
