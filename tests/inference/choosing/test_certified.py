"""Picks without a covariance against the scan of all pairs: v is in its interval, and no pair beats a pick by more."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from app.inference.choosing import certified
from app.inference.choosing.certified import Pick, choose
from app.inference.choosing.pair_sets import listed
from app.inference.fitting.model import expected_weight
from app.inference.gaussian import Covariance, plain
from app.inference.graphs.comparison_graph import Precision, precision_of
from app.inference.graphs.push import variances
from app.inference.kernels.pair_sets import DETERMINANT, OWN_TERM, POWER, PairSet, Rule, mask, scores
from app.inference.types import Bools, Floats, Ints
from tests.inference.factories import condition, model
from tests.inference.graphs.test_push import EVERYTHING, Pairs, at_random, inverse, islands, mixed, near

ROUNDING = 1e-9
each_rule = pytest.mark.parametrize(
    "rule",
    [
        Rule(POWER, 0.0, 0.0, 1.0),
        Rule(DETERMINANT, 0.0, 0.0, 2.0),
        Rule(POWER, 1.0, 1e-3, 1.0),
        Rule(POWER, 0.25, 1e-3, 1.0),
        Rule(OWN_TERM, 0.0, 0.0, 1.0),
    ],
    ids=["variance", "determinant", "reordering", "exponent", "own term"],
)
each_graph = pytest.mark.parametrize("pairs", [at_random, near, mixed, islands])


class State(NamedTuple):
    mean: Floats  # (N,)
    precision: Precision
    upper: Floats  # (N,)
    sigma: Covariance
    is_open: Bools  # (N, N)
    closed: Ints  # (M,) codes

    @property
    def open_pairs(self) -> PairSet:
        return listed(len(self.mean), self.closed, leaves_out=True)


def state(pairs: Pairs, n: int, width: float = 0.05) -> State:
    """Candidates were compared as soft-bt weighs it; those pairs are closed."""
    rng = np.random.default_rng(7)
    mean, (first, second) = np.sort(rng.standard_normal(n)), pairs
    weight, q = expected_weight(mean[first] - mean[second], model(n)), rng.uniform(0.5, 2.0, n)
    precision = precision_of(first, second, weight, q)
    closed = np.unique(np.minimum(first, second) * n + np.maximum(first, second))
    upper = variances(precision, np.arange(n), width, EVERYTHING)[1]
    sigma = plain(inverse(first, second, weight, q), 0.0)
    return State(mean, precision, upper, sigma, mask(listed(n, closed, leaves_out=True)), closed)


def picks_of(known: State, rule: Rule, count: int, seed: int = 0) -> list[Pick]:
    chance, n = np.random.default_rng(seed), len(known.mean)
    return choose(known.mean, known.precision, known.upper, model(n), rule, known.open_pairs, count, chance)


def all_scores(known: State, sigma: Covariance, rule: Rule) -> Floats:
    """(N, N), -inf where a pair is closed."""
    full, n = sigma.matrix(), len(known.mean)
    v = full.diagonal()[:, None] + full.diagonal() - 2.0 * full
    values = scores(rule, (known.mean[:, None] - known.mean).ravel(), v.ravel())
    return np.where(known.is_open, values.reshape(n, n), -np.inf)


@each_rule
@each_graph
def test_the_best_pair_beats_a_pick_by_no_more_than_its_ratio(pairs: Callable[..., Pairs], rule: Rule) -> None:
    n = 300
    known = state(pairs(n, 8 * n, np.random.default_rng(2)), n)

    (pick,) = picks_of(known, rule, 1)

    full, values = known.sigma.matrix(), all_scores(known, known.sigma, rule)
    v = full[pick.i, pick.i] + full[pick.j, pick.j] - 2.0 * full[pick.i, pick.j]
    assert pick.lower <= v * (1.0 + ROUNDING)
    assert v <= pick.upper * (1.0 + ROUNDING)
    assert values[pick.i, pick.j] * pick.ratio >= values.max() * (1.0 - ROUNDING)
    assert pick.ratio < 1.05


@each_rule
@each_graph
def test_every_pick_of_many_holds_its_ratio_at_its_turn(pairs: Callable[..., Pairs], rule: Rule) -> None:
    n, count = 100, 40
    known = state(pairs(n, 3 * n, np.random.default_rng(3)), n)

    picks = picks_of(known, rule, count)

    sigma, is_open = known.sigma, known.is_open.copy()
    assert len({(pick.i, pick.j) for pick in picks}) == count
    for pick in picks:
        values = all_scores(known._replace(is_open=is_open), sigma, rule)
        full = sigma.matrix()
        v = full[pick.i, pick.i] + full[pick.j, pick.j] - 2.0 * full[pick.i, pick.j]
        assert pick.lower <= v * (1.0 + ROUNDING)
        assert v <= pick.upper * (1.0 + ROUNDING)
        assert values[pick.i, pick.j] * pick.ratio >= values.max() * (1.0 - ROUNDING)
        is_open[pick.i, pick.j] = False
        m = np.array([known.mean[pick.i] - known.mean[pick.j]])
        sigma = condition(sigma, pick.i, pick.j, float(expected_weight(m, model(n))[0]))
    assert max(pick.ratio for pick in picks) < 1.3


@each_rule
def test_wide_intervals_make_the_ratio_larger_and_never_wrong(rule: Rule) -> None:
    n = 300
    pairs = mixed(n, 8 * n, np.random.default_rng(4))
    narrow, wide = state(pairs, n), state(pairs, n)
    wide = wide._replace(upper=2.0 * wide.upper)

    (pick,) = picks_of(wide, rule, 1)

    values = all_scores(wide, wide.sigma, rule)
    assert values[pick.i, pick.j] * pick.ratio >= values.max() * (1.0 - ROUNDING)
    assert pick.ratio > picks_of(narrow, rule, 1)[0].ratio


def test_when_few_pairs_are_open_all_are_picked_and_no_more() -> None:
    n = 60
    known = state(mixed(n, 4 * n, np.random.default_rng(5)), n)
    left = np.array([3 * n + 9, 5 * n + 41, 17 * n + 20])
    every = np.flatnonzero(np.triu(np.ones((n, n)), 1))
    known = known._replace(closed=np.setdiff1d(every, left))

    picks = picks_of(known, Rule(POWER, 0.0, 0.0, 1.0), 5)

    assert sorted(pick.i * n + pick.j for pick in picks) == left.tolist()
    assert all(pick.ratio < 1.3 for pick in picks)
    assert picks_of(known._replace(closed=every), Rule(POWER, 0.0, 0.0, 1.0), 5) == []


def test_pairs_that_are_level_are_drawn() -> None:
    """Before any comparison all 1,225 pairs are level."""
    n, nobody = 50, np.empty(0, np.int64)
    known = state((nobody, nobody), n)
    precision = precision_of(nobody, nobody, np.empty(0), np.ones(n))
    known = known._replace(mean=np.zeros(n), precision=precision, upper=np.ones(n))

    picks = [picks_of(known, Rule(DETERMINANT, 0.0, 0.0, 1.0), 1, seed)[0] for seed in range(60)]

    assert len({pick[:2] for pick in picks}) > 45
    assert len({pick.i for pick in picks} | {pick.j for pick in picks}) > 35
    assert all(pick.ratio == pytest.approx(1.0, abs=1e-6) for pick in picks)


def test_when_all_that_is_open_is_decided_a_pick_is_as_good_as_any() -> None:
    n, nobody, rule = 3, np.empty(0, np.int64), Rule(OWN_TERM, 0.0, 0.0, 1.0)
    known = state((nobody, nobody), n)._replace(mean=np.array([0.0, 100.0, 200.0]))

    picks = picks_of(known, rule, 3)

    assert len({pick[:2] for pick in picks}) == 3
    assert all(pick.ratio == 1.0 for pick in picks)


def test_a_search_that_is_given_up_says_how_far_it_may_be_off(monkeypatch: pytest.MonkeyPatch) -> None:
    n, rule = 300, Rule(POWER, 0.0, 0.0, 1.0)
    known = state(mixed(n, 8 * n, np.random.default_rng(6)), n)
    monkeypatch.setattr(certified, "MANY_TIES", 70)

    (pick,) = picks_of(known, rule, 1)

    values = all_scores(known, known.sigma, rule)
    assert values[pick.i, pick.j] * pick.ratio >= values.max()
