"""The compiled fit against its slow formula."""

from collections.abc import Callable

import numba
import numpy as np
import pytest
from hypothesis import given

from app.inference.fitting import newton, posterior
from app.inference.fitting.model import Model
from app.inference.fitting.posterior import Posterior
from app.inference.kernels import bradley_terry, kernel
from app.inference.types import Comparisons, Floats, Outcome, once_each
from tests.inference.factories import (
    Log,
    by_judges,
    comparisons,
    covariance_at,
    joined,
    logs,
    model,
    numerics,
    random_comparisons,
)

each_bradley_terry = pytest.mark.parametrize("expert", ["soft-bt", "hard-bt"])
each_prior = pytest.mark.parametrize("prior", ["unit", "anchor"])


def slow_fit(log: Comparisons, m: Model) -> Posterior:
    mean, convergence, *_ = newton.fit(log, m)
    return Posterior(mean, covariance_at(mean, log, m), newton.weights(mean, log, m), convergence, log, m)


def assert_same_fit(fast: Posterior, slow: Posterior, atol: float = 1e-10) -> None:
    assert fast.convergence.converged
    np.testing.assert_allclose(fast.mean, slow.mean, rtol=0.0, atol=atol)
    np.testing.assert_allclose(fast.covariance.matrix(), slow.covariance.matrix(), rtol=0.0, atol=atol)
    np.testing.assert_allclose(fast.weights, slow.weights, rtol=0.0, atol=atol)
    assert fast.covariance.log_det == pytest.approx(slow.covariance.log_det, abs=1e-9)


@each_bradley_terry
@pytest.mark.parametrize("biases", [0, 3])
@numerics
@given(log=logs(judges=3, max_n=12, max_count=40))
def test_fit_is_the_slow_fit(expert: str, biases: int, log: Log) -> None:
    """Any log: none or one comparison, islands, ties only, certain verdicts."""
    m = model(log.n, 1.0, expert, biases=biases)

    assert_same_fit(posterior.fit(log.comparisons, m), slow_fit(log.comparisons, m))


@each_bradley_terry
@each_prior
@pytest.mark.parametrize("biases", [0, 2])
@pytest.mark.parametrize("n", [3, 16, 60])
def test_fit_is_the_slow_fit_under_every_prior(expert: str, prior: str, biases: int, n: int) -> None:
    """All candidates in one piece, without which an anchor leaves differences next to free."""
    ring = comparisons(*[(i, (i + 1) % n, 0.5 + 0.3 * np.sin(i)) for i in range(n)])
    log = by_judges(joined(ring, random_comparisons(n, 4 * n, seed=1)), 2)
    m = model(n, 1.0, expert, prior=prior, biases=biases)
    fast, slow = posterior.fit(log, m), slow_fit(log, m)

    if prior == "unit":
        assert_same_fit(fast, slow)
    differences = np.eye(n, m.size)[1:] - np.eye(n, m.size)[:1]
    np.testing.assert_allclose(differences @ fast.mean, differences @ slow.mean, rtol=0.0, atol=1e-8)
    here, there = (differences @ p.covariance.matrix() @ differences.T for p in (fast, slow))
    np.testing.assert_allclose(here, there, rtol=1e-10, atol=1e-8)


def test_a_start_is_neither_needed_nor_overwritten() -> None:
    log, m, start = random_comparisons(9, 40, seed=0), model(9), np.full(9, 7.0)

    assert_same_fit(posterior.fit(log, m, start=start), slow_fit(log, m))
    np.testing.assert_array_equal(start, np.full(9, 7.0))


@pytest.mark.parametrize("p", [np.nan, np.inf])
def test_what_is_not_finite_is_reported_as_the_slow_fit_does(p: float) -> None:
    log = comparisons((0, 1, 0.8), (1, 2, p))

    with np.errstate(invalid="ignore"):
        assert posterior.fit(log, model(3)).convergence.outcome is Outcome.NOT_FINITE


def test_a_candidate_who_does_not_exist_is_an_error() -> None:
    with pytest.raises(IndexError):
        posterior.fit(comparisons((0, 3, 0.8)), model(3))


def test_columns_of_any_layout_are_read() -> None:
    """Columns as a table of rows gives them, or a file that must not be written to."""
    log, m = random_comparisons(9, 40, seed=0), model(9)
    table = np.column_stack([log.first, log.second, log.judge])
    table.flags.writeable = False
    log.p.flags.writeable = False
    before = len(bradley_terry.fit.signatures)

    fitted = posterior.fit(once_each(table[:, 0], table[:, 1], log.p, table[:, 2]), m)

    assert_same_fit(fitted, slow_fit(log, m))
    assert len(bradley_terry.fit.signatures) == max(before, 1)


def test_a_kernel_compiles_where_no_cache_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def njit(cache: bool = False, **_: object) -> Callable[[object], object]:
        asked.append(cache)
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)

    assert kernel(len)("four") == 4
    assert asked == [True, False]


def bowl(x: Floats, centre: Floats) -> tuple[Floats, Floats]:
    """The gradient of the sum of -log cosh(x - centre), and minus its second derivatives."""
    slope = np.tanh(x - centre)
    return -slope, 1.0 - slope**2


@pytest.mark.parametrize("start", [0.0, 2.0, 5.0])
def test_the_loop_halves_steps_that_go_too_far(start: float) -> None:
    """Whole Newton steps on log cosh leave for infinity from |x| > 1.09 on."""
    centre, maximise = np.array([0.3, -0.2]), bradley_terry.maximiser(bowl, lambda w, g, _: g / w)

    x, gradient, weights, iterations = maximise(centre, np.full(2, start), 1e-12)

    np.testing.assert_allclose(x, centre, atol=1e-12)
    assert np.abs(gradient).max() <= 1e-12
    np.testing.assert_allclose(weights, 1.0)
    assert iterations < 20


def test_the_loop_ends_at_its_limit() -> None:
    """A step of nothing never arrives."""
    start = np.ones(2)

    x, _, _, iterations = bradley_terry.maximiser(bowl, lambda _, g, __: 0.0 * g)(np.zeros(2), start, 1e-12)

    assert iterations == bradley_terry.MAX_ITERATIONS
    np.testing.assert_array_equal(x, start)
