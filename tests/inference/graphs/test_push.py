"""Certified intervals against the inverse, and what they say after the graph has changed."""

from collections.abc import Callable

import numpy as np
import pytest

from app.inference.graphs.comparison_graph import Precision, precision_of
from app.inference.graphs.push import differences, follow, variances
from app.inference.types import Floats, Ints

EVERYTHING = 10**9
ROUNDING = 1e-10
Pairs = tuple[Ints, Ints]


def at_random(n: int, count: int, rng: np.random.Generator) -> Pairs:
    first = rng.integers(n, size=count)
    return first, (first + rng.integers(1, n, size=count)) % n


def near(n: int, count: int, rng: np.random.Generator) -> Pairs:
    first = rng.integers(n, size=count)
    return first, (first + rng.integers(1, 21, size=count)) % n


def mixed(n: int, count: int, rng: np.random.Generator) -> Pairs:
    one, other = at_random(n, count // 3, rng), near(n, count - count // 3, rng)
    return np.append(one[0], other[0]), np.append(one[1], other[1])


def islands(n: int, count: int, rng: np.random.Generator) -> Pairs:
    """Only among those who are alike modulo 7; the last five were never compared."""
    first = rng.integers(n - 5, size=count)
    second = (first + 7 * rng.integers(1, n // 14, size=count)) % (n - 5)
    return first[first != second], second[first != second]


def alike(n: int, rng: np.random.Generator) -> Floats:
    return np.full(n, 0.5)


def differing(n: int, rng: np.random.Generator) -> Floats:
    """Some were scored on their own too."""
    return 0.2 + np.where(rng.random(n) < 0.1, rng.exponential(30.0, n), 0.0)


each_graph = pytest.mark.parametrize("pairs", [at_random, near, mixed, islands])
each_prior = pytest.mark.parametrize("prior", [alike, differing])


def weighted(
    pairs: Callable[..., Pairs], prior: Callable[..., Floats], n: int, seed: int = 0
) -> tuple[Pairs, Floats, Floats]:
    rng = np.random.default_rng(seed)
    first, second = pairs(n, 8 * n, rng)
    return (first, second), rng.uniform(0.05, 0.25, len(first)), prior(n, rng)


def inverse(first: Ints, second: Ints, weight: Floats, prior: Floats) -> Floats:
    h = np.diag(prior)
    for rows, columns, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
        np.add.at(h, (rows, columns), sign * weight)
    return np.asarray(np.linalg.inv(h))


def assert_within(truth: Floats, lower: Floats, upper: Floats) -> None:
    assert (lower <= truth * (1.0 + ROUNDING)).all()
    assert (truth <= upper * (1.0 + ROUNDING)).all()


def buffer_for(precision: Precision) -> Floats:
    return np.empty(len(precision.weight))


@each_graph
@each_prior
@pytest.mark.parametrize("width", [0.3, 0.01])
def test_the_variance_of_every_candidate_is_in_its_interval(
    pairs: Callable[..., Pairs], prior: Callable[..., Floats], width: float
) -> None:
    n = 400
    (first, second), weight, q = weighted(pairs, prior, n)
    sigma = inverse(first, second, weight, q)

    lower, upper = variances(precision_of(first, second, weight, q), np.arange(n), width, EVERYTHING)

    assert_within(sigma.diagonal(), lower, upper)
    assert (upper <= (1.0 + width) * lower).all()


@each_graph
@each_prior
def test_the_variance_of_every_difference_is_in_its_interval(
    pairs: Callable[..., Pairs], prior: Callable[..., Floats]
) -> None:
    n = 150
    (first, second), weight, q = weighted(pairs, prior, n)
    sigma, (i, j) = inverse(first, second, weight, q), np.triu_indices(n, 1)
    v = sigma[i, i] + sigma[j, j] - 2.0 * sigma[i, j]

    lower, upper = differences(precision_of(first, second, weight, q), i, j, 0.02, EVERYTHING)

    assert_within(v, lower, upper)
    assert (upper <= 1.02 * lower).all()


def test_an_interval_is_wider_where_the_push_is_cut_short_and_holds_all_the_same() -> None:
    (first, second), weight, q = weighted(mixed, differing, 400)
    sigma, precision = inverse(first, second, weight, q).diagonal(), precision_of(first, second, weight, q)

    short = variances(precision, np.arange(400), 1e-6, 200)
    long = variances(precision, np.arange(400), 1e-6, 2000)

    assert_within(sigma, *short)
    assert_within(sigma, *long)
    assert (long[1] - long[0]).mean() < 0.7 * (short[1] - short[0]).mean()


def test_who_was_never_compared_keeps_the_variance_of_the_prior() -> None:
    (first, second), weight, q = weighted(islands, differing, 100)

    lower, upper = variances(precision_of(first, second, weight, q), np.arange(95, 100), 0.1, EVERYTHING)

    np.testing.assert_allclose([lower, upper], [1.0 / q[95:]] * 2, rtol=1e-15)


def voted(
    pairs: Callable[..., Pairs], prior: Callable[..., Floats], n: int, moved: float
) -> tuple[tuple[Ints, Ints, Floats, Floats], tuple[Ints, Ints, Floats, Floats]]:
    """A state, and the one after three candidates and some comparisons came and a tenth of the weights moved."""
    rng = np.random.default_rng(3)
    (first, second), weight, q = weighted(pairs, prior, n)
    more = np.array([[0, 1, 5, n, n], [n // 2, 9, 6, n + 1, 3]])
    drifted = np.where(
        rng.random(len(weight)) < 0.1, weight * rng.uniform(1.0 - moved, 1.0 + moved, len(weight)), weight
    )
    scored = np.where(rng.random(n) < 0.02, q + 4.0, q)
    after = (
        np.append(first, more[0]),
        np.append(second, more[1]),
        np.append(drifted, np.full(5, 0.2)),
        np.append(scored, [1, 2, 3]),
    )
    return (first, second, weight, q), after


@each_graph
@each_prior
def test_what_a_push_does_not_reach_moves_as_well(pairs: Callable[..., Pairs], prior: Callable[..., Floats]) -> None:
    n = 400
    (first, second), weight, q = weighted(pairs, prior, n)
    less = weight.copy()
    less[:3] *= 0.2

    for one, other in ((weight, less), (less, weight)):
        held, now = (precision_of(first, second, w, q) for w in (one, other))
        exact = inverse(first, second, one, q).diagonal().copy()

        _, low, high, _ = follow(held, now, exact, exact, 0.0, EVERYTHING, EVERYTHING, buffer_for(now))

        truth = inverse(first, second, other, q).diagonal()
        assert (low <= truth + 1e-14).all()
        assert (truth <= high + 1e-14).all()
        assert (high - low).mean() < 1e-3


@each_graph
@each_prior
@pytest.mark.parametrize("moved", [0.02, 0.5])
@pytest.mark.parametrize("drift", [0.0, 0.05])
def test_what_a_change_is_followed_by_holds_for_every_candidate(
    pairs: Callable[..., Pairs], prior: Callable[..., Floats], moved: float, drift: float
) -> None:
    n = 300
    before, after = voted(pairs, prior, n, moved)
    held, now = precision_of(*before), precision_of(*after)
    lower, upper = variances(held, np.arange(n), 0.02, EVERYTHING)
    kept = held.weight.copy(), lower.copy(), upper.copy()

    graph, low, high, followed = follow(held, now, lower, upper, drift, EVERYTHING, EVERYTHING, buffer_for(now))

    rows = np.repeat(np.arange(n + 3), np.diff(graph.start))
    one_way = rows < graph.rival
    held_sigma = inverse(rows[one_way], graph.rival[one_way].astype(np.int64), graph.weight[one_way], graph.precision)
    assert_within(held_sigma.diagonal(), low, high)
    assert_within(inverse(*after).diagonal(), low / (1.0 + drift), high / (1.0 - drift))
    assert (np.abs(now.weight - graph.weight) <= drift * graph.weight + 1e-15).all()
    assert 5 <= followed <= 0.15 * len(before[0])
    assert ((high - low) / low).mean() < 0.1
    for array, copy in zip((held.weight, lower, upper), kept, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_where_a_push_is_too_short_to_say_how_far_variances_rise_it_is_to_the_prior_at_most() -> None:
    n, q, effort = 8, np.full(8, 1e-4), 3
    first, second = np.arange(n - 1), np.arange(1, n)
    weight, less = np.full(n - 1, 1e4), np.append(np.full(n - 2, 1e4), 1e-3)
    held, now = (precision_of(first, second, w, q) for w in (weight, less))
    lower, upper = variances(held, np.arange(n), 0.02, effort)

    _, low, high, _ = follow(held, now, lower, upper, 0.0, effort, EVERYTHING, buffer_for(now))

    truth = inverse(first, second, less, q).diagonal()
    assert (low <= truth * (1.0 + 1e-6)).all()
    assert (truth <= high * (1.0 + 1e-6)).all()
