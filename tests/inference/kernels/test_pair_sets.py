"""Sets of pairs, and the best of them, against matrices of all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, ndtr

from app.inference.choosing.pair_sets import among, every_pair, leading, listed, without
from app.inference.fitting import posterior
from app.inference.gaussian import DenseCovariance
from app.inference.graph import components
from app.inference.kernels.components import joined
from app.inference.kernels.pair_sets import (
    DETERMINANT,
    OWN_TERM,
    POWER,
    Kinds,
    PairMoments,
    PairSet,
    Rule,
    contenders,
    has,
    in_rows,
    mask,
    nth,
    size,
    within,
)
from app.inference.types import Floats, Ints, take
from tests.inference.factories import Log, condition, isotropic, logs, model, numerics, random_state

RULES = [
    Rule(POWER, 0.0, 0.01, 1.0),
    Rule(POWER, 1.0, 0.01, 1.0),
    Rule(POWER, 0.35, 0.01, 1.0),
    Rule(DETERMINANT, 0.0, 0.01, 3.0),
    Rule(OWN_TERM, 0.0, 0.01, 3.0),
    Rule(DETERMINANT, 0.0, 0.01, 3.0, curvature=0.4),
    Rule(OWN_TERM, 0.0, 0.01, 3.0, curvature=0.4),
]
each_rule = pytest.mark.parametrize("rule", RULES, ids=str)
TIE = 1e-9


def random_pairs(n: int, seed: int, kinds: int) -> PairSet:
    """Some pairs, listed or left out, of candidates of so many kinds."""
    rng = np.random.default_rng(seed)
    meets = rng.random((kinds, kinds)) < 0.7
    some = np.flatnonzero(np.triu(rng.random((n, n)) < rng.choice([0.0, 0.3, 1.0]), 1))
    pairs = listed(n, some, leaves_out=bool(rng.random() < 0.5))
    return among(pairs, Kinds(rng.integers(kinds, size=n), meets | meets.T)) if kinds else pairs


some_pairs = st.builds(random_pairs, st.integers(1, 12), st.integers(0, 999), st.integers(0, 3))


@numerics
@given(some_pairs)
def test_a_set_of_pairs_is_a_matrix_of_them(pairs: PairSet) -> None:
    n = len(pairs.kind)
    is_listed = np.zeros((n, n), np.bool_)
    is_listed.flat[pairs.code] = True

    of_all = mask(pairs)

    meets = pairs.meets[pairs.kind[:, None], pairs.kind]
    np.testing.assert_array_equal(of_all, np.triu((is_listed != pairs.leaves_out) & meets, 1))
    assert size(pairs) == of_all.sum()
    assert [nth(pairs, k) for k in range(size(pairs))] == list(map(tuple, np.argwhere(of_all).tolist()))
    assert all(has(pairs, i, j) == of_all[i, j] for i in range(n) for j in range(i + 1, n))
    np.testing.assert_array_equal(in_rows(pairs), of_all.sum(axis=1))
    with pytest.raises(IndexError):
        nth(pairs, size(pairs))


@numerics
@given(some_pairs, st.integers(0, 99))
def test_pairs_within_are_those_of_the_smaller_matrix(pairs: PairSet, seed: int) -> None:
    who = np.flatnonzero(np.random.default_rng(seed).random(len(pairs.kind)) < 0.6)

    np.testing.assert_array_equal(np.column_stack(within(pairs, who)), np.argwhere(mask(pairs)[np.ix_(who, who)]))


@numerics
@given(some_pairs, st.integers(0, 99))
def test_without_some_pairs_all_the_others_are_left(pairs: PairSet, seed: int) -> None:
    rng, expected = np.random.default_rng(seed), mask(pairs)
    some = rng.permutation(np.flatnonzero(expected))[: rng.integers(4)]
    expected.flat[some] = False

    np.testing.assert_array_equal(mask(without(pairs, *np.divmod(some, len(pairs.kind)))), expected)


def scores_of(rule: Rule, m: Floats, v: Floats) -> Floats:
    if rule.form == POWER:
        return np.asarray(v / (m * m + rule.floor) ** rule.power)
    weight = rule.votes * (rule.curvature or expit(m) * expit(-m))
    if rule.form == DETERMINANT:
        return np.asarray(weight * v)
    s = v * np.sqrt(weight / (1.0 + weight * v))
    z = np.abs(m) / np.maximum(s, 1e-300)
    return np.asarray(2.0 * (s * np.exp(-0.5 * np.minimum(z, 30.0) ** 2) / np.sqrt(2.0 * np.pi) - np.abs(m) * ndtr(-z)))


def every_score(mean: Floats, sigma: DenseCovariance, rule: Rule, pairs: PairSet) -> Floats:
    """(N, N), -inf where a pair is not in the set."""
    full = sigma.matrix()
    v = np.maximum(full.diagonal()[:, None] + full.diagonal() - 2.0 * full, 0.0)
    return np.where(mask(pairs), scores_of(rule, mean[:, None] - mean, v), -np.inf)


def land_of(mean: Floats, sigma: DenseCovariance, *, is_positive: bool) -> PairMoments:
    return PairMoments(mean, sigma.diagonal, np.ascontiguousarray(sigma.base), sigma.columns, is_positive)


def some_state(n: int, seed: int) -> tuple[Floats, DenseCovariance]:
    """After some comparisons, with columns that are not in the base yet."""
    mean, sigma = random_state(n, seed)
    for k in range(4):
        sigma = condition(sigma, k, (k + seed + 5) % n, 0.2)
    return mean, sigma


@each_rule
@pytest.mark.parametrize("n", [5, 40, 90])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("is_positive", [True, False])
@pytest.mark.parametrize("places", [1, 5])
def test_the_best_pairs_are_those_of_a_scan_of_all_scores(
    rule: Rule, n: int, seed: int, is_positive: bool, places: int
) -> None:
    mean, sigma = some_state(n, seed)
    pairs, moments = random_pairs(n, seed, seed % 3), land_of(mean, sigma, is_positive=is_positive)
    expected = every_score(mean, sigma, rule, pairs)
    scores = np.sort(expected[mask(pairs)])[-places:]

    best, values, is_all = leading(moments, rule, pairs, places, TIE, n * n)

    line = scores[0] * (1.0 - 2.0 * TIE) if len(scores) == places else -np.inf
    assert is_all
    np.testing.assert_array_equal(best, np.flatnonzero(expected >= line) if len(scores) == places else codes(pairs))
    np.testing.assert_allclose(values, expected.ravel()[best], rtol=1e-9)


@each_rule
@pytest.mark.parametrize("is_even", [True, False])
def test_the_best_pairs_of_many_are_those_of_a_scan(rule: Rule, is_even: bool) -> None:
    """So many that only some variances are looked at before most candidates are left out."""
    n, places, rng = 2_100, 9, np.random.default_rng(0)
    mean, variance = rng.normal(size=n), rng.uniform(0.29 if is_even else 0.1, 0.3, n)
    moments = PairMoments(mean, variance, np.empty((0, 0)), np.empty((0, n)), True)
    pairs = listed(n, np.flatnonzero(np.triu(rng.random((n, n)) < 0.01, 1)), leaves_out=True)
    expected = np.where(mask(pairs), scores_of(rule, mean[:, None] - mean, variance[:, None] + variance), -np.inf)

    best, values, is_all = leading(moments, rule, pairs, places, 0.0, n * n)

    assert is_all
    np.testing.assert_array_equal(best, np.sort(np.argpartition(expected, -places, axis=None)[-places:]))
    np.testing.assert_allclose(values, expected.ravel()[best], rtol=1e-9)
    assert is_even or len(contenders(moments, rule, pairs, places, 0.0)[0]) < n // 2


def codes(pairs: PairSet) -> Ints:
    return np.flatnonzero(mask(pairs))


@each_rule
def test_pairs_that_are_all_tied_are_all_there(rule: Rule) -> None:
    n = 50
    moments = land_of(np.zeros(n), isotropic(n, 1.0), is_positive=True)

    best, _, is_all = leading(moments, rule, every_pair(n), 1, TIE, n * n)

    assert is_all
    np.testing.assert_array_equal(best, codes(every_pair(n)))


def test_most_pairs_of_a_set_that_is_known_a_little_are_never_read() -> None:
    n = 300
    mean, sigma = random_state(n, seed=0)

    for rule in RULES:
        assert leading(land_of(mean, sigma, is_positive=True), rule, every_pair(n), 1, TIE, n)[2]


def test_it_gives_up_where_it_may_not_read_more() -> None:
    n = 50
    moments = land_of(np.zeros(n), isotropic(n, 1.0), is_positive=True)

    assert not leading(moments, RULES[0], every_pair(n), 1, TIE, 10)[2]


@numerics
@given(logs(max_n=9), st.floats(0.0, 1.0))
def test_joined_candidates_are_the_components_of_the_graph(log: Log, share: float) -> None:
    first, second, *_ = log.comparisons
    seen = int(share * len(first))

    before = joined(np.arange(log.n), first[:seen], second[:seen])
    after = joined(before, first[seen:], second[seen:])

    np.testing.assert_array_equal(before, components(take(log.comparisons, slice(seen)), log.n))
    np.testing.assert_array_equal(after, components(log.comparisons, log.n))


@numerics
@given(logs(max_n=6))
def test_without_biases_no_covariance_is_negative(log: Log) -> None:
    live = posterior.fit(log.comparisons, model(log.n))

    assert live.covariance.matrix().min() > -1e-12
