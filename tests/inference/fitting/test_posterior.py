from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.inference.core.cells import Hyperparameters
from app.inference.core.edges import TooMany
from app.inference.experts import MEASURED_BT
from app.inference.fitting import posterior
from app.inference.fitting.model import Method, Model, build, design_of, rows_of
from app.inference.fitting.posterior import Posterior
from app.inference.fitting.weights import weighed
from app.inference.regimes import MEDIUM, SMALL
from app.inference.types import Comparisons, Floats, by_one_judge, join, no_comparisons, take
from tests.inference.factories import (
    Log,
    by_judges,
    comparisons,
    condition,
    cycle,
    dense,
    each_expert,
    each_smooth_expert,
    fit_rows,
    fold_rows,
    joined,
    logs,
    map_of,
    model,
    numerics,
    of_differences,
    precision_at,
    random_comparisons,
    relabelled,
    sparse,
    weights_at,
)

UPDATES = 20_000
SIZES = [(5, 33), (30, 100), (260, 312), (260, 330)]  # candidates, comparisons
few = settings(numerics, max_examples=25)
each_size = pytest.mark.parametrize(("n", "count"), SIZES)
each_kind = pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])


def fold_at(stops: list[int], log: Comparisons, m: Model) -> Posterior:
    """Fold as a process does that looks at the log when it holds stops[0], stops[1], ... comparisons."""
    folded = posterior.prior(m)
    for stop in stops:
        folded = fold_rows(folded, take(log, slice(stop)))
    return folded


def assert_same(one: Posterior, other: Posterior) -> None:
    np.testing.assert_allclose(one.mean, other.mean, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(one.covariance.matrix(), other.covariance.matrix(), rtol=0.0, atol=1e-9)
    assert one.covariance.log_det == pytest.approx(other.covariance.log_det, abs=1e-7)
    assert one.edges.size == other.edges.size


def assert_near(live: Posterior, *, hard: bool) -> None:
    """99% of the variances of differences within 1% or 2% of exact; none further off than 5% or 10%."""
    error = np.abs(of_differences(live.scores)[1] / of_differences(posterior.exact(live).scores)[1] - 1.0)
    assert np.quantile(error, 0.99) < (0.02 if hard else 0.01)
    assert error.max() < (0.10 if hard else 0.05)


def assert_follows(live: Posterior, log: Comparisons, m: Model) -> None:
    """The mean is exact, and so is the covariance by the weights that are in it: each is near what it is now."""
    fitted = fit_rows(log, m)
    assert all(map(np.array_equal, live.edges[1:], rows_of(log, m)[1:]))
    np.testing.assert_allclose(live.mean, fitted.mean, rtol=0.0, atol=1e-9)
    assert_same(posterior.exact(live), fitted)
    if live.since_exact == 0:
        assert_same(live, fitted)
    precision = design_of(log, m).precision(live.weights, m.prior.precision)
    np.testing.assert_allclose(live.covariance.matrix(), np.linalg.inv(precision), rtol=0.0, atol=1e-9)
    assert live.covariance.log_det == pytest.approx(-np.linalg.slogdet(precision).logabsdet, abs=1e-7)
    drift = np.abs(weights_at(live.mean, log, m) - live.weights)
    assert (drift <= posterior.MAX_DRIFT * live.weights * (1.0 + 1e-9)).all()


@each_kind
@each_size
def test_fold_one_at_a_time_equals_fold_in_one_go(n: int, count: int, hard: bool) -> None:
    log = random_comparisons(n, count, seed=1, hard=hard)

    one_by_one = fold_at(list(range(1, count + 1)), log, model(n))

    assert_follows(one_by_one, log, model(n))
    assert_follows(fold_at([count], log, model(n)), log, model(n))


@each_kind
def test_a_covariance_that_is_recomputed_beside_the_votes_is_folded_on_from(hard: bool) -> None:
    """Among many it takes a while, in which more votes come."""
    n, count = MEDIUM + 4, 150
    log, m = random_comparisons(n, count, seed=1, hard=hard), model(n)
    live, ahead, began = posterior.prior(m), list[Posterior](), list[int]()
    for seen in range(1, count + 1):
        live = fold_rows(live, take(log, slice(seen)))
        if not ahead and posterior.is_due(live):
            ahead.append(posterior.fit_edges(live.edges, m, start=live.mean))
            began.append(seen)
        elif ahead and seen == began[-1] + 7:
            live = posterior.fold(ahead.pop(), live.edges)
            assert not posterior.is_due(live)
            assert live.since_exact == 7
        assert_near(live, hard=hard)

    assert_follows(live, log, m)
    assert np.diff(began).tolist() == [posterior.period(n) for _ in began[1:]]
    assert len(began) == count // posterior.period(n)


def test_only_among_many_is_a_fresh_covariance_left_to_others() -> None:
    for n, is_left in ((MEDIUM, False), (MEDIUM + 1, True)):
        log, m, often = random_comparisons(n, 50, seed=0), model(n), posterior.period(n)
        live = [posterior.prior(m)]
        for seen in range(1, 51):
            live.append(fold_rows(live[-1], take(log, slice(seen))))

        assert [posterior.is_due(each) for each in live] == [is_left and k >= often for k in range(51)]
        assert [each.since_exact for each in live] == [k if is_left else k % often for k in range(51)]
        assert not posterior.is_due(posterior.exact(live[-1]))


@pytest.mark.parametrize("expert", ["gaussian", "logit-gaussian", "laplace"])
def test_where_weights_never_move_no_fresh_covariance_is_due(expert: str) -> None:
    n = MEDIUM + 1
    m = model(n, expert=expert)

    assert not posterior.is_due(fold_at([20, 40, 60], random_comparisons(n, 60, seed=0), m))


def test_the_covariance_is_recomputed_once_a_period_and_then_has_no_columns() -> None:
    log, m = random_comparisons(200, 40, seed=4), model(200)
    live = fold_at([20, 39], log, m)
    exact = posterior.exact(live)

    assert (dense(live.covariance).columns.shape, live.since_exact) == ((19, 200), 19)
    for recomputed in (exact, fold_at([20, 39, 40], log, m)):
        assert (dense(recomputed.covariance).columns.shape, recomputed.since_exact) == ((0, 200), 0)
    assert posterior.exact(exact).covariance is exact.covariance


def test_weights_that_drift_too_far_bring_a_fresh_covariance_before_it_is_due() -> None:
    """0 beats 1 again and again: each win moves the weights of all the earlier ones."""
    n, m = 1000, model(1000)
    log = comparisons(*[(0, 1, 1.0)] * 30)
    assert log.size < posterior.period(n)

    live = fold_at([*range(1, 31)], log, m)

    assert 0 < live.since_exact < 30
    assert_follows(live, log, m)


@pytest.mark.parametrize("prior_variance", [10.0, 100.0])
def test_an_upset_under_a_wide_prior_still_gives_the_map(prior_variance: float) -> None:
    m, log = model(1000, prior_variance), comparisons(*[(0, 1, 1.0)] * 6, (1, 0, 1.0))

    live = fold_at([*range(1, 8)], log, m)

    assert live.convergence.converged
    np.testing.assert_allclose(live.mean, map_of(log, m).mean, rtol=0.0, atol=1e-9 * prior_variance)


def test_drift_does_not_bring_a_fresh_covariance_where_weights_hardly_move() -> None:
    log = random_comparisons(1000, 30, seed=0)

    live = fold_at([*range(1, 31)], log, model(1000))

    assert (dense(live.covariance).columns.shape, live.since_exact) == ((30, 1000), 30)


def test_fold_leaves_its_input_untouched() -> None:
    log, m = random_comparisons(200, 60, seed=5), model(200)
    early = fold_at([20, 25], log, m)
    mean, sigma, weights = early.mean.copy(), early.covariance.matrix(), early.weights.copy()

    fold_rows(early, take(log, slice(30)))
    fold_rows(early, log)

    np.testing.assert_array_equal(early.mean, mean)
    np.testing.assert_array_equal(early.covariance.matrix(), sigma)
    np.testing.assert_array_equal(early.weights, weights)


def test_fold_with_nothing_new_returns_what_it_was_given() -> None:
    log, m = random_comparisons(30, 20, seed=5), model(30)
    folded = fold_at([20], log, m)

    assert fold_rows(folded, log) is folded


@pytest.mark.parametrize(
    ("expert", "n", "updates"),
    [("soft-bt", SMALL, False), ("soft-bt", SMALL + 1, True), ("phi-beta", 20, False), ("gaussian", 70, True)],
)
def test_rank_one_updates_run_where_the_docs_say(expert: str, n: int, updates: bool) -> None:
    """29 comparisons, seen one by one."""
    m = build(Method(expert), n)
    log = random_comparisons(n, 29, seed=0)
    assert bool(len(dense(fold_at(list(range(1, 30)), log, m).covariance).columns)) == updates


def test_small_sets_have_a_fresh_covariance_after_every_comparison() -> None:
    assert [posterior.period(n) for n in (2, 19, 20, 200, 100_000)] == [1, 1, 2, 20, posterior.MAX_PERIOD]


def test_before_the_first_comparison_a_covariance_has_a_matrix_whatever_the_size() -> None:
    nothing = posterior.fit(no_comparisons(), build(Method(), 60), dense=50)
    assert nothing.covariance.has_matrix
    np.testing.assert_array_equal(nothing.covariance.matrix(), np.eye(60))


def test_size_counts_every_array() -> None:
    folded = fold_at([20, 25], random_comparisons(200, 25, seed=0), model(200))

    of_edges = 8 * 25 * (2 + 4)  # ends and sums
    assert folded.size_bytes == 8 * (200 * 200 + 200 * 5 + 2 * 200 + 25) + of_edges


each_live_expert = pytest.mark.parametrize(
    "expert", ["gaussian", "soft-bt", "phi-beta", "sigma-gaussian", "laplace", "hard-bt"]
)
each_bias = pytest.mark.parametrize("biases", [0, 3])


@each_live_expert
@each_bias
@each_kind
@pytest.mark.parametrize(("n", "count"), [(5, 33), (30, 50)])
def test_folding_step_by_step_ends_where_a_fit_does(expert: str, biases: int, hard: bool, n: int, count: int) -> None:
    """The mean after every comparison, the covariance wherever it is published."""
    log, m = by_judges(random_comparisons(n, count, seed=8, hard=hard), 3), model(n, 1.0, expert, biases=biases)
    live = posterior.prior(m)
    for stop in range(1, count + 1):
        so_far = take(log, slice(stop))
        live = fold_rows(live, so_far)
        assert live.convergence.converged
        assert live.edges.size == stop
        fitted = map_of(so_far, m).mean
        np.testing.assert_allclose(live.mean[:n], fitted[:n], rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(live.mean[n:], fitted[n:], rtol=0.0, atol=1e-6 if expert == "laplace" else 1e-8)

    assert_same(posterior.exact(live), fit_rows(log, m))


@pytest.mark.parametrize(
    ("expert", "parameters"),
    [
        ("laplace", ()),
        *((name, (("power", power),)) for name in ("gaussian", "logit-gaussian") for power in (0.0, 0.7, 1.0)),
    ],
)
@each_bias
def test_curvature_that_is_fixed_or_depends_on_p_alone_needs_no_fresh_covariance(
    expert: str, parameters: tuple[tuple[str, float], ...], biases: int
) -> None:
    """Rank-one updates in between as well: a few at a time, more than N at a time, and over many compactions."""
    m = build(Method(expert, parameters, position_bias="estimate" if biases else "none"), 20, biases)
    log = by_judges(random_comparisons(20, 120, seed=9), 3)
    for stops in ([*range(1, 121)], [3, 40, 120], [119, 120]):
        assert_same(fold_at(stops, log, m), fit_rows(log, m))


@each_expert
@each_bias
@few
@given(log=logs(judges=3), stop=st.integers(0, 25))
def test_any_log_by_any_expert_is_forgotten_when_it_was_looked_at(
    expert: str, biases: int, log: Log, stop: int
) -> None:
    m = model(log.n, 1.0, expert, biases=biases)

    live = fold_at([stop, 25], log.comparisons, m)

    fitted = fit_rows(log.comparisons, m)
    np.testing.assert_allclose(live.mean, fitted.mean, rtol=0.0, atol=1e-7)
    np.testing.assert_allclose(live.covariance.matrix(), fitted.covariance.matrix(), rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_votes_that_become_measurements_leave_their_rows(noise: float) -> None:
    """A judge who has said 1/2 says a probability at last; where the noise is 1, measurements weigh as votes do."""
    n, count = 70, 67
    log = by_judges(random_comparisons(n, count, seed=0), 2)
    says_half = (log.judge == 0) & (np.arange(count) < count - 1)
    log = log._replace(p=np.where(says_half, 0.5, log.p), judge=np.append(log.judge[:-1], 0))
    learnt = Hyperparameters(1.0, np.array([noise, 1.0]), np.ones(2), np.ones(2))
    m, item = build(Method(verdict_weight="learnt"), n), np.zeros(count, np.int64)

    def first(size: int) -> Comparisons:
        return weighed(take(log, slice(size)), item[:size], learnt)

    live = fold_rows(posterior.prior(m), first(count - 1))
    assert_same(fold_rows(live, first(count)), fit_rows(first(count), m))


def weighing(n: int, seed: int) -> Comparisons:
    """Three comparisons for each candidate, by three judges."""
    log = by_judges(random_comparisons(n, 3 * n, seed), 3)
    return log._replace(weight=np.random.default_rng(seed).uniform(0.2, 3.0, log.size))


@pytest.mark.parametrize("n", [SMALL + 6, MEDIUM + 4])
@pytest.mark.parametrize("kind", ["votes", "biases", "measurements", "gaussian"])
def test_an_edge_keeps_its_weight_in_sigma_and_gains_what_it_is_told(n: int, kind: str) -> None:
    """More is said on two edges, of which one has a new answer, too."""
    old, m = weighing(n, seed=0), model(n, expert="gaussian" if kind == "gaussian" else "soft-bt")
    if kind == "biases":
        m = model(n, biases=3)
    if kind == "measurements":
        m = m._replace(expert=MEASURED_BT)
    now = join(old._replace(weight=old.weight * np.where(np.arange(old.size) < 2, 1.3, 1.0)), take(old, slice(1)))
    before = fit_rows(old, m)

    after = fold_rows(before, now)

    assert after.since_exact == (0 if kind == "gaussian" else 3)
    np.testing.assert_array_equal(after.weights[2 : old.size], before.weights[2:])
    gained = weights_at(after.mean, now, m)[:2] * (1.0 - 1.0 / 1.3)
    np.testing.assert_allclose(after.weights[:2], before.weights[:2] + gained, rtol=1e-9)
    assert_follows(after, now, m)


@pytest.mark.parametrize("n", [SMALL + 6, MEDIUM + 4])
def test_where_a_pair_weighs_less_the_covariance_is_recomputed(n: int) -> None:
    old, m = weighing(n, seed=0), model(n)
    less, more = old.weight.copy(), old.weight.copy()
    less[5] *= 0.9
    more[5] *= 1.1
    before = fit_rows(old, m)

    for weight, since in ((less, 0), (more, 1)):
        after = fold_rows(before, old._replace(weight=weight))
        assert after.since_exact == since
        assert_follows(after, old._replace(weight=weight), m)


@pytest.mark.parametrize("prior", ["unit", "anchor"])
@each_smooth_expert
def test_an_anchored_posterior_is_folded_too(expert: str, prior: str) -> None:
    n = 8
    log = by_judges(joined(cycle(n, 0), random_comparisons(n, 40, seed=2)), 2)
    m = model(n, 1.0, expert, prior=prior, biases=2)

    live, fitted = fold_at([*range(5, 49)], log, m), fit_rows(log, m)

    np.testing.assert_allclose(live.mean, fitted.mean, rtol=1e-3)
    np.testing.assert_allclose(from_first(live), from_first(fitted), rtol=1e-3)


def from_first(live: Posterior) -> Floats:
    """The covariance of s_i - s_1 and the biases."""
    turn = np.eye(len(live.mean))
    turn[:8, 0] -= 1.0
    return np.asarray(turn @ live.covariance.matrix() @ turn.T)


@pytest.mark.slow
def test_many_rank_one_updates_do_not_drift() -> None:
    """One at a time with the columns compacted as they are live; posterior's docstring has five times as many."""
    n, m, rng = 40, model(40, 1.0, "gaussian"), np.random.default_rng(0)
    first = rng.integers(n, size=UPDATES)
    second = (first + rng.integers(1, n, size=UPDATES)) % n
    sigma = dense(posterior.prior(m).covariance)
    for i, j in zip(first.tolist(), second.tolist(), strict=True):
        sigma = condition(sigma, i, j, 0.25)

    precision = precision_at(np.zeros(n), by_one_judge(first, second, np.full(UPDATES, 0.5)), m)
    np.testing.assert_allclose(sigma.matrix(), np.linalg.inv(precision), rtol=0.0, atol=1e-14)
    assert sigma.log_det == pytest.approx(-np.linalg.slogdet(precision).logabsdet, abs=1e-10)


def test_a_verdict_that_weighs_nothing_is_no_trouble() -> None:
    """Between fresh covariances."""
    log, m = random_comparisons(30, 8, seed=0)._replace(weight=np.zeros(8)), model(30)

    live = fold_at([*range(9)], log, m)

    np.testing.assert_array_equal(live.mean, np.zeros(30))
    np.testing.assert_array_equal(live.covariance.matrix(), np.eye(30))


@each_live_expert
@pytest.mark.parametrize("biases", [1, 3])
@pytest.mark.parametrize(("n", "count"), [(5, 0), (5, 33), (30, 50)])
def test_the_scores_are_the_marginal_of_the_joint_posterior(expert: str, biases: int, n: int, count: int) -> None:
    """Live, so with weights that are stale between fresh covariances; the biases are integrated out, not fixed."""
    log, m = by_judges(random_comparisons(n, count, seed=3), biases), model(n, 1.0, expert, biases=biases)
    live = fold_at([*range(1, count + 1)], log, m)

    marginal = live.scores

    block = live.covariance.matrix()[:n, :n]
    np.testing.assert_array_equal(marginal.mean, live.mean[:n])
    np.testing.assert_allclose(marginal.covariance.matrix(), block, atol=1e-15)
    assert marginal.covariance.log_det == pytest.approx(np.linalg.slogdet(block).logabsdet, abs=1e-9)


def test_the_marginal_is_the_schur_complement() -> None:
    """Scores, by the joint precision, are less certain than if the biases were known to be what they seem."""
    n, log = 6, by_judges(random_comparisons(6, 40, seed=3), 2)
    m = model(n, 1.0, biases=2)
    fitted = fit_rows(log, m)

    h = precision_at(fitted.mean, log, m)
    schur = h[:n, :n] - h[:n, n:] @ np.linalg.inv(h[n:, n:]) @ h[n:, :n]
    marginal = fitted.scores.covariance.matrix()
    np.testing.assert_allclose(marginal, np.linalg.inv(schur), atol=1e-12)
    assert (marginal.diagonal() > np.linalg.inv(h[:n, :n]).diagonal()).all()


@each_expert
@each_bias
def test_the_entropy_of_the_scores_does_not_know_names(expert: str, biases: int) -> None:
    n, log, m = 9, by_judges(random_comparisons(9, 40, seed=4), 3), model(9, 1.0, expert, biases=biases)
    other = relabelled(log, np.random.default_rng(0).permutation(n))

    here, there = (fit_rows(each, m).scores.covariance.log_det for each in (log, other))

    assert there == pytest.approx(here, abs=1e-9)


MANY, K = 120, 700
Limit = Callable[[int], None]


@pytest.fixture
def dense_up_to(monkeypatch: pytest.MonkeyPatch) -> Limit:
    return lambda candidates: monkeypatch.setattr(posterior, "DENSE", candidates)


def log_of_many(count: int = K, seed: int = 0) -> Comparisons:
    return random_comparisons(MANY, count, seed=seed)


def test_without_a_matrix_the_mean_is_the_same_and_variances_are_nearly(dense_up_to: Limit) -> None:
    with_matrix = posterior.fit(log_of_many(), model(MANY))
    dense_up_to(MANY - 1)
    without_matrix = posterior.fit(log_of_many(), model(MANY))

    np.testing.assert_allclose(without_matrix.mean, with_matrix.mean, atol=1e-8)
    np.testing.assert_allclose(without_matrix.covariance.diagonal, with_matrix.covariance.diagonal, rtol=0.03)


@pytest.mark.parametrize("expert", ["soft-bt", "hard-bt", "gaussian"])
def test_without_a_matrix_a_fold_vote_by_vote_is_a_fit(expert: str, dense_up_to: Limit) -> None:
    m, some = model(MANY, expert=expert), log_of_many(K + 60)
    exact = posterior.fit(some, m)
    dense_up_to(MANY - 1)
    live = posterior.prior(m)
    for seen in (*range(K, K + 60, 7), K + 60):
        live = fold_rows(live, take(some, slice(seen)))

    assert live.edges.size == some.size
    np.testing.assert_allclose(live.mean, exact.mean, atol=1e-8)
    np.testing.assert_allclose(live.covariance.diagonal, exact.covariance.diagonal, rtol=0.03)


def test_a_fold_leaves_the_posterior_before_it_as_it_was(dense_up_to: Limit) -> None:
    """Two ways to go on from one posterior, and then its own covariance and rows."""
    m, some, other = model(MANY), log_of_many(K + 40), log_of_many(K + 40, seed=1)
    dense_up_to(MANY - 1)
    before = fit_rows(take(some, slice(K)), m)
    sigma = sparse(before.covariance)
    arrays: list[NDArray[Any]] = [sigma.precision.links.data, sigma.diagonal, *before.edges[1:], before.mean]
    kept = [array.copy() for array in arrays]

    for log_of_one in (some, join(take(some, slice(K)), take(other, slice(K, None)))):
        live = fold_rows(before, log_of_one)
        np.testing.assert_allclose(live.mean, posterior.fit(log_of_one, m).mean, atol=1e-9)

    for array, copy in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("m", [model(10_001, biases=1), model(10_001, prior="anchor")], ids=["biases", "vague"])
def test_a_matrix_that_few_machines_hold_is_refused_before_it_is_made(m: Model) -> None:
    with pytest.raises(TooMany, match="are the most"):
        posterior.prior(m)
    with pytest.raises(TooMany, match="are the most"):
        posterior.fit(log_of_many(), m)


@numerics
@given(logs(max_n=6))
def test_without_biases_no_covariance_is_negative(log: Log) -> None:
    live = posterior.fit(log.comparisons, model(log.n))

    assert live.covariance.matrix().min() > -1e-12
