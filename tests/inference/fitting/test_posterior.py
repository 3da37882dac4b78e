from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.inference.fitting import newton, posterior
from app.inference.fitting.model import Method, Model, build
from app.inference.fitting.posterior import Posterior
from app.inference.fitting.worth import Hyperparameters, weighed
from app.inference.graphs.comparison_graph import evaluate, with_room
from app.inference.regimes import INVERTED_AT_ONCE
from app.inference.types import Comparisons, Floats, Outcome, by_one_judge, no_comparisons, take
from tests.inference.factories import (
    Log,
    by_judges,
    comparisons,
    condition,
    cycle,
    each_expert,
    each_smooth_expert,
    joined,
    logs,
    model,
    numerics,
    precision_at,
    random_comparisons,
    relabelled,
    swapped,
)

MANY = 20_000
SIZES = [(5, 33), (30, 100), (260, 312), (260, 330)]  # candidates, comparisons; all but 312 are between checkpoints
few = settings(numerics, max_examples=25)
each_size = pytest.mark.parametrize(("n", "count"), SIZES)
each_kind = pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])


def fold_at(stops: list[int], log: Comparisons, m: Model) -> Posterior:
    """Fold as a process does that looks at the log when it holds stops[0], stops[1], ... comparisons."""
    folded = posterior.prior(m)
    for stop in stops:
        folded = posterior.fold(folded, take(log, slice(stop)))
    return folded


def random_stops(count: int, seed: int) -> list[int]:
    inner = np.random.default_rng(seed).choice(np.arange(1, count), 7, replace=False)
    return [*(int(stop) for stop in np.sort(inner)), count]


def assert_same(one: Posterior, other: Posterior) -> None:
    np.testing.assert_allclose(one.mean, other.mean, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(one.covariance.matrix(), other.covariance.matrix(), rtol=0.0, atol=1e-9)
    assert one.covariance.log_det == pytest.approx(other.covariance.log_det, abs=1e-7)
    assert one.seen == other.seen


def variances_of_differences(p: Posterior) -> Floats:
    """(N (N - 1) / 2,)"""
    sigma = p.covariance.matrix()
    v = sigma.diagonal()[:, None] + sigma.diagonal() - 2.0 * sigma
    return np.asarray(v[np.triu_indices(len(v), 1)])


@each_kind
@each_size
def test_fold_one_at_a_time_equals_fold_in_one_go(n: int, count: int, hard: bool) -> None:
    log = random_comparisons(n, count, seed=1, hard=hard)

    one_by_one = fold_at(list(range(1, count + 1)), log, model(n))

    assert_same(one_by_one, fold_at([count], log, model(n)))


@each_kind
@each_size
@pytest.mark.parametrize("seed", range(5))
def test_fold_in_random_chunks_equals_fold_in_one_go(n: int, count: int, hard: bool, seed: int) -> None:
    log = random_comparisons(n, count, seed=1, hard=hard)

    chunks = fold_at(random_stops(count, seed), log, model(n))

    assert_same(chunks, fold_at([count], log, model(n)))


@each_kind
def test_a_checkpoint_that_was_computed_ahead_changes_nothing(hard: bool) -> None:
    n, count = INVERTED_AT_ONCE + 4, 100
    log, m = random_comparisons(n, count, seed=1, hard=hard), model(n)
    ahead, used, live = None, 0, posterior.prior(m)
    for seen in range(1, count + 1):
        live = posterior.fold(live, take(log, slice(seen)))
        end = posterior.last_checkpoint(seen, m)
        if end == seen and ahead is not None:
            used += ahead.seen == end - posterior.period(n)
        if seen % posterior.period(n) == 7:  # it took a while
            ahead = posterior.fit(take(log, slice(end)), m)

    assert used == count // posterior.period(n)
    assert_same(live, fold_at([count], log, m))


@numerics
@given(logs(max_n=25, max_count=40), st.integers(0, 40))
def test_fold_of_any_log_forgets_when_it_looked(log: Log, stop: int) -> None:
    m = model(log.n)

    assert_same(fold_at([stop, 40], log.comparisons, m), fold_at([40], log.comparisons, m))


@each_kind
@each_size
def test_the_mean_is_the_batch_map_after_every_update(n: int, count: int, hard: bool) -> None:
    log, m = random_comparisons(n, min(count, 60), seed=2, hard=hard), model(n)
    live = posterior.prior(m)
    for stop in range(1, log.size + 1):
        so_far = take(log, slice(stop))
        live = posterior.fold(live, so_far)

        assert live.convergence.converged
        np.testing.assert_allclose(live.mean, newton.fit(so_far, m).mean, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("n", [200, INVERTED_AT_ONCE + 4])
@pytest.mark.parametrize(("hard", "nearly_all", "worst"), [(False, 0.01, 0.05), (True, 0.02, 0.10)])
def test_variances_of_differences_stay_close_between_checkpoints(
    n: int, hard: bool, nearly_all: float, worst: float
) -> None:
    """99% of the pairs within 1% or 2% of exact; no pair further off than 5% or 10%."""
    log, m = random_comparisons(n, 5 * posterior.period(n), seed=3, hard=hard), model(n)
    live = posterior.prior(m)
    for stop in range(1, log.size + 1):
        so_far = take(log, slice(stop))
        live = posterior.fold(live, so_far)

        fresh = posterior.exact(live)
        error = np.abs(variances_of_differences(live) / variances_of_differences(fresh) - 1.0)
        assert np.quantile(error, 0.99) < nearly_all
        assert error.max() < worst


@each_size
def test_exact_equals_a_fit_from_nothing(n: int, count: int) -> None:
    log, m = random_comparisons(n, count, seed=4, hard=True), model(n)

    live = posterior.exact(fold_at([count], log, m))

    fitted = posterior.fit(log, m)
    np.testing.assert_allclose(live.mean, fitted.mean, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(live.covariance.matrix(), fitted.covariance.matrix(), rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(live.weights, fitted.weights, rtol=0.0, atol=1e-8)


def test_exact_between_checkpoints_drops_the_columns() -> None:
    log, m = random_comparisons(200, 25, seed=4), model(200)
    live = fold_at([25], log, m)

    assert live.covariance.columns.shape == (5, 200)
    assert posterior.exact(live).covariance.columns.shape == (0, 200)


def test_a_checkpoint_holds_a_fresh_covariance() -> None:
    log, m = random_comparisons(200, 40, seed=4), model(200)

    assert fold_at([39], log, m).covariance.columns.shape == (19, 200)
    assert fold_at([39, 40], log, m).covariance.columns.shape == (0, 200)


def test_weights_that_drift_too_far_bring_a_fresh_covariance_before_the_checkpoint() -> None:
    """0 beats 1 again and again: each win moves the weights of all the earlier ones."""
    n = 1000
    log = comparisons(*[(0, 1, 1.0)] * 30)
    assert log.size < posterior.period(n)

    live = fold_at([30], log, model(n))

    assert live.covariance.columns.shape[0] < 30
    assert live.graph is not None
    _, weights = evaluate(live.mean, with_room(live.graph))
    assert np.abs(weights / live.weights - 1.0).max() <= posterior.MAX_DRIFT


@pytest.mark.parametrize("prior_variance", [10.0, 100.0])
def test_an_upset_under_a_wide_prior_still_gives_the_map(prior_variance: float) -> None:
    m, log = model(1000, prior_variance), comparisons(*[(0, 1, 1.0)] * 6, (1, 0, 1.0))

    live = fold_at([*range(1, 8)], log, m)

    assert live.convergence.converged
    np.testing.assert_allclose(live.mean, newton.fit(log, m).mean, rtol=0.0, atol=1e-9 * prior_variance)


def test_drift_does_not_bring_a_fresh_covariance_where_weights_hardly_move() -> None:
    log = random_comparisons(1000, 30, seed=0)

    assert fold_at([30], log, model(1000)).covariance.columns.shape == (30, 1000)


def test_fold_leaves_its_input_untouched() -> None:
    log, m = random_comparisons(200, 60, seed=5), model(200)
    early = fold_at([25], log, m)
    mean, sigma, weights = early.mean.copy(), early.covariance.matrix(), early.weights.copy()

    posterior.fold(early, log)

    np.testing.assert_array_equal(early.mean, mean)
    np.testing.assert_array_equal(early.covariance.matrix(), sigma)
    np.testing.assert_array_equal(early.weights, weights)


def test_fold_with_nothing_new_returns_what_it_was_given() -> None:
    log, m = random_comparisons(30, 20, seed=5), model(30)
    folded = fold_at([20], log, m)

    assert posterior.fold(folded, log) is folded


@pytest.mark.parametrize("make", [posterior.fit, lambda log, m: posterior.fold(posterior.prior(m), log)])
def test_no_comparisons_give_the_prior(make: Callable[[Comparisons, Model], Posterior]) -> None:
    assert_same(make(no_comparisons(), model(4, 2.0)), posterior.prior(model(4, 2.0)))


def test_the_prior_is_isotropic_around_zero() -> None:
    prior = posterior.prior(model(3, 2.0))

    np.testing.assert_array_equal(prior.mean, np.zeros(3))
    np.testing.assert_array_equal(prior.covariance.matrix(), 2.0 * np.eye(3))


@numerics
@given(logs())
def test_a_comparison_never_adds_uncertainty_for_fixed_weights(log: Log) -> None:
    assert posterior.fit(log.comparisons, model(log.n)).covariance.log_det <= 1e-12


def test_swapping_every_order_with_its_verdict_changes_nothing() -> None:
    log, m = random_comparisons(30, 50, seed=6), model(30)

    assert_same(fold_at([50], swapped(log), m), fold_at([50], log, m))


def test_relabelling_relabels() -> None:
    log, m, label = random_comparisons(30, 50, seed=6), model(30), np.random.default_rng(0).permutation(30)

    there, here = fold_at([50], relabelled(log, label), m), fold_at([50], log, m)

    np.testing.assert_allclose(there.mean[label], here.mean, atol=1e-9)
    np.testing.assert_allclose(there.covariance.matrix()[np.ix_(label, label)], here.covariance.matrix(), atol=1e-9)


def test_a_probability_that_is_not_a_number_is_reported() -> None:
    log = comparisons((0, 1, 0.8), (0, 1, float("nan")))

    assert fold_at([1, 2], log, model(40)).convergence.outcome is Outcome.NOT_FINITE


@pytest.mark.parametrize(
    ("expert", "n", "updates"), [("soft-bt", 19, False), ("soft-bt", 20, True), ("gaussian", 5, True)]
)
def test_rank_one_updates_run_where_the_docs_say(expert: str, n: int, updates: bool) -> None:
    """docs/methods.md: from 20 candidates on, or where the curvature is fixed; 29 comparisons, seen one by one."""
    m = build(Method(expert), n)
    log = random_comparisons(n, 29, seed=0)
    assert bool(len(fold_at(list(range(1, 30)), log, m).covariance.columns)) == updates


def test_small_sets_have_a_fresh_covariance_after_every_comparison() -> None:
    assert [posterior.period(n) for n in (2, 19, 20, 200, 100_000)] == [1, 1, 2, 20, posterior.MAX_PERIOD]


def test_size_counts_every_array() -> None:
    folded = fold_at([25], random_comparisons(200, 25, seed=0), model(200))

    rows = 12 * 2 * 25 + 8 * (4 * 200 + 1)
    assert folded.size_bytes == 8 * (200 * 200 + 200 * 5 + 2 * 200 + 2 * 25) + rows


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
        live = posterior.fold(live, so_far)
        assert live.convergence.converged
        assert live.seen == stop
        fitted = newton.fit(so_far, m).mean
        np.testing.assert_allclose(live.mean[:n], fitted[:n], rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(live.mean[n:], fitted[n:], rtol=0.0, atol=1e-6 if expert == "laplace" else 1e-8)

    assert_same(posterior.exact(live), posterior.fit(log, m))


@pytest.mark.parametrize("expert", ["gaussian", "logit-gaussian", "laplace"])
@each_bias
def test_fixed_curvature_needs_no_fresh_covariance(expert: str, biases: int) -> None:
    """Rank-one updates in between as well: a few at a time, more than N at a time, and over many compactions."""
    assert_never_afresh(model(20, 1.0, expert, biases=biases))


@pytest.mark.parametrize("power", [0.7, 1.0])
@pytest.mark.parametrize("expert", ["gaussian", "logit-gaussian"])
@each_bias
def test_curvature_that_hangs_on_p_alone_needs_none_either(expert: str, power: float, biases: int) -> None:
    assert_never_afresh(model(20, 1.0, expert, biases=biases, power=power))


def assert_never_afresh(m: Model) -> None:
    log = by_judges(random_comparisons(20, 120, seed=9), 3)
    for stops in ([*range(1, 121)], [3, 40, 120], [119, 120]):
        assert_same(fold_at(stops, log, m), posterior.fit(log, m))


@each_expert
@each_bias
@few
@given(log=logs(judges=3), stop=st.integers(0, 25))
def test_any_log_by_any_expert_is_forgotten_when_it_was_looked_at(
    expert: str, biases: int, log: Log, stop: int
) -> None:
    m = model(log.n, 1.0, expert, biases=biases)

    live = fold_at([stop, 25], log.comparisons, m)

    fitted = posterior.fit(log.comparisons, m)
    np.testing.assert_allclose(live.mean, fitted.mean, rtol=0.0, atol=1e-7)
    np.testing.assert_allclose(live.covariance.matrix(), fitted.covariance.matrix(), rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_votes_that_become_measurements_leave_their_rows(noise: float) -> None:
    """A judge who has said 1/2 says a probability at last; where the noise is 1, measurements weigh as votes do."""
    n, count = 70, 67
    log = by_judges(random_comparisons(n, count, seed=0), 2)
    says_half = (log.judge == 0) & (np.arange(count) < count - 1)
    log = log._replace(p=np.where(says_half, 0.5, log.p), judge=np.append(log.judge[:-1], 0))
    worth = Hyperparameters(1.0, np.array([noise, 1.0]), np.ones(2), np.ones(2))
    m, item = build(Method(evidence="learnt"), n), np.zeros(count, np.int64)

    def first(size: int) -> Comparisons:
        return weighed(take(log, slice(size)), item[:size], n, worth)

    live = posterior.fold(posterior.prior(m), first(count - 1))
    assert_same(posterior.fold(live, first(count)), posterior.fit(first(count), m))


@each_expert
def test_nothing_new_changes_nothing(expert: str) -> None:
    log, m = random_comparisons(30, 20, seed=5), model(30, 1.0, expert)
    folded = fold_at([20], log, m)

    assert posterior.fold(folded, log) is folded


@pytest.mark.parametrize("prior", ["unit", "anchor"])
@each_smooth_expert
def test_an_anchored_posterior_is_folded_too(expert: str, prior: str) -> None:
    n = 8
    log = by_judges(joined(cycle(n, 0), random_comparisons(n, 40, seed=2)), 2)
    m = model(n, 1.0, expert, prior=prior, biases=2)

    live, fitted = fold_at([*range(5, 49)], log, m), posterior.fit(log, m)

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
    first = rng.integers(n, size=MANY)
    second = (first + rng.integers(1, n, size=MANY)) % n
    sigma = posterior.prior(m).covariance
    for i, j in zip(first.tolist(), second.tolist(), strict=True):
        sigma = condition(sigma, i, j, 0.25)

    precision = precision_at(np.zeros(n), by_one_judge(first, second, np.full(MANY, 0.5)), m)
    np.testing.assert_allclose(sigma.matrix(), np.linalg.inv(precision), rtol=0.0, atol=1e-14)
    assert sigma.log_det == pytest.approx(-np.linalg.slogdet(precision).logabsdet, abs=1e-10)


def test_ten_thousand_updates_equal_a_fit() -> None:
    """One at a time, the last of them between two checkpoints."""
    n, count = 20, 10_001
    log, m = random_comparisons(n, count, seed=0, hard=True), model(n)

    live = fold_at([*range(1, count + 1)], log, m)

    fitted = posterior.fit(log, m)
    assert live.covariance.columns.shape == (1, m.size)
    np.testing.assert_allclose(live.mean, fitted.mean, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(live.covariance.matrix(), fitted.covariance.matrix(), rtol=1e-3)
    np.testing.assert_allclose(posterior.exact(live).covariance.matrix(), fitted.covariance.matrix(), atol=1e-10)


def test_a_verdict_that_weighs_nothing_is_no_trouble() -> None:
    """Between checkpoints."""
    log, m = random_comparisons(30, 8, seed=0)._replace(weight=np.zeros(8)), model(30)

    live = fold_at([*range(9)], log, m)

    np.testing.assert_array_equal(live.mean, np.zeros(30))
    np.testing.assert_array_equal(live.covariance.matrix(), np.eye(30))


@each_live_expert
@pytest.mark.parametrize("biases", [1, 3])
@pytest.mark.parametrize(("n", "count"), [(5, 0), (5, 33), (30, 50)])
def test_the_scores_are_the_marginal_of_the_joint_posterior(expert: str, biases: int, n: int, count: int) -> None:
    """Live, so with weights that are stale between checkpoints; the biases are integrated out, not fixed."""
    log, m = by_judges(random_comparisons(n, count, seed=3), biases), model(n, 1.0, expert, biases=biases)
    live = fold_at([*range(1, count + 1)], log, m)

    marginal = posterior.scores(live)

    block = live.covariance.matrix()[:n, :n]
    np.testing.assert_array_equal(marginal.mean, live.mean[:n])
    np.testing.assert_allclose(marginal.covariance.matrix(), block, atol=1e-15)
    assert marginal.covariance.log_det == pytest.approx(np.linalg.slogdet(block).logabsdet, abs=1e-9)


def test_the_marginal_is_the_schur_complement() -> None:
    """Scores, by the joint precision, are less certain than if the biases were known to be what they seem."""
    n, log = 6, by_judges(random_comparisons(6, 40, seed=3), 2)
    m = model(n, 1.0, biases=2)
    fitted = posterior.fit(log, m)

    h = precision_at(fitted.mean, log, m)
    schur = h[:n, :n] - h[:n, n:] @ np.linalg.inv(h[n:, n:]) @ h[n:, :n]
    marginal = posterior.scores(fitted).covariance.matrix()
    np.testing.assert_allclose(marginal, np.linalg.inv(schur), atol=1e-12)
    assert (marginal.diagonal() > np.linalg.inv(h[:n, :n]).diagonal()).all()


@pytest.mark.parametrize("seen", [10, 20, 25])
def test_the_scores_of_a_posterior_read_only_what_it_has_seen(seen: int) -> None:
    log, m = by_judges(random_comparisons(30, 25, seed=3), 2), model(30, 1.0, biases=2)
    live = fold_at([seen], log, m)

    assert posterior.scores(live).covariance.log_det == pytest.approx(posterior.scores(live).covariance.log_det)


def test_without_biases_the_scores_are_all_there_is() -> None:
    log, m = random_comparisons(6, 20, seed=3), model(6)
    fitted = posterior.fit(log, m)

    assert posterior.scores(fitted).covariance is fitted.covariance


@each_expert
@each_bias
def test_the_entropy_of_the_scores_does_not_know_names(expert: str, biases: int) -> None:
    n, log, m = 9, by_judges(random_comparisons(9, 40, seed=4), 3), model(9, 1.0, expert, biases=biases)
    other = relabelled(log, np.random.default_rng(0).permutation(n))

    here, there = (posterior.scores(posterior.fit(each, m)).covariance.log_det for each in (log, other))

    assert there == pytest.approx(here, abs=1e-9)
