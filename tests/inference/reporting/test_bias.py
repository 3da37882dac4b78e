from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit, logit

from app.inference.fitting import posterior
from app.inference.fitting.absolute import AbsoluteScores, Scale, with_absolute
from app.inference.fitting.model import Method, build_for
from app.inference.fitting.published import share_of_verdicts
from app.inference.reporting.bias import Bias, estimates
from app.inference.reporting.standings import Wanted, summary_of
from app.inference.types import Comparisons, Floats, by_one_judge, no_comparisons
from tests.inference.factories import (
    Log,
    by_judges,
    comparisons,
    cycle,
    each_expert,
    joined,
    logs,
    map_of,
    model,
    numerics,
    precision_at,
    random_comparisons,
    reordered,
    swapped,
    true_scores,
    weights_at,
)

each_true_expert = pytest.mark.parametrize("expert", ["soft-bt", "gaussian"])


class Simulated(NamedTuple):
    scores: Floats
    comparisons: Comparisons


def simulated(n: int, count: int, delta: list[float], expert: str = "soft-bt", seed: int = 0) -> Simulated:
    """Verdicts as the expert believes judges to give them: one with each bias, pairs in random order."""
    log, rng, scores = random_comparisons(n, count, seed), np.random.default_rng([n, count, seed]), true_scores(n, seed)
    log = by_judges(log, len(delta), seed)
    d = scores[log.first] - scores[log.second] + np.array(delta)[log.judge]
    hard = (rng.random(count) < expit(d)).astype(np.float64)
    noisy = 0.5 + (d + 2.0 * rng.standard_normal(count)) / 4.0
    return Simulated(scores, log._replace(p=hard if expert == "soft-bt" else noisy))


def fitted(log: Comparisons, n: int, judges: int, expert: str = "soft-bt") -> list[Bias]:
    m = model(n, 1.0, expert, biases=judges)
    return estimates(posterior.fit(log, m), log, m)


def in_closed_form(log: Comparisons, expert: str) -> Bias:
    m = build_for(Method(expert, position_bias="closed-form"), 10, log, 1)
    (bias,) = estimates(posterior.fit(log, m), log, m)
    return bias


def share(log: Comparisons, n: int, prior_variance: float = 1.0) -> float:
    """What the verdicts tell of the only judge's bias."""
    m = model(n, prior_variance, biases=1)
    live = posterior.fit(log, m)
    return float(share_of_verdicts(precision_at(live.mean, log, m), live.covariance.diagonal[n:], m)[0])


def test_what_absolute_scores_tell_of_scores_tells_of_a_bias_under_any_prior() -> None:
    """Shown one way round only, verdicts tell of a bias what absolute scores know of the scores."""
    log, scored = (
        bipartite(10, 400),
        AbsoluteScores(np.arange(10), np.zeros(10, np.int64), np.zeros(10), np.full(10, 2.0)),
    )
    for prior, beside in (("unit", 0.1), ("anchor", 0.5)):
        m = model(10, prior=prior, biases=1)
        given = with_absolute(m, scored, Scale(np.zeros(1), np.ones(1)))
        shares = [
            share_of_verdicts(precision_at(live.mean, log, each), live.covariance.diagonal[10:], each)[0]
            for each, live in ((each, posterior.fit(log, each)) for each in (m, given))
        ]
        assert shares[0] < 0.01
        assert shares[1] > beside


def bipartite(n: int, count: int, seed: int = 0) -> Comparisons:
    """The first half of the candidates is always shown first."""
    rng = np.random.default_rng([n, count, seed])
    return by_one_judge(rng.integers(n // 2, size=count), rng.integers(n // 2, n, size=count), rng.random(count))


def ladder(n: int) -> Comparisons:
    return by_one_judge(np.arange(n - 1), np.arange(1, n), np.full(n - 1, 0.7))


@each_true_expert
def test_a_closed_form_is_reported_as_such_and_doubted_where_orders_are_not_mixed(expert: str) -> None:
    _, log = simulated(10, 400, [1.0], expert)
    mixed, one_way = (in_closed_form(each, expert) for each in (log, bipartite(10, 400)))

    assert mixed.is_closed_form
    assert abs(mixed.delta - 1.0) < 3.0 * mixed.sd
    assert (mixed.identified, mixed.comparisons) == (True, 400)
    assert not one_way.identified


@each_true_expert
def test_each_judge_has_a_bias_of_its_own(expert: str) -> None:
    _, log = simulated(20, 3000, [0.9, -0.9, 0.0], expert, seed=4)

    found = fitted(log, 20, 3, expert)

    assert [bias.judge for bias in found] == [0, 1, 2]
    for bias, truth in zip(found, [0.9, -0.9, 0.0], strict=True):
        assert abs(bias.delta - truth) < 2.0 * bias.sd
        assert bias.sd < 0.12


@each_expert
def test_opposite_judges_of_the_same_pairs_cancel(expert: str) -> None:
    """What one says of a pair the other says of its reverse: scores as without a bias, deltas of opposite sign."""
    log = joined(cycle(6, 0), random_comparisons(6, 20, seed=0))
    leaning = log._replace(p=expit(logit(np.clip(log.p, 0.01, 0.99)) + 1.0))
    both = joined(leaning, swapped(leaning)._replace(judge=np.ones(log.size, np.int64)))

    theta = map_of(both, model(6, 1.0, expert, biases=2)).mean

    assert theta[6] > 0.02
    assert theta[7] == pytest.approx(-theta[6], abs=1e-7)


@each_true_expert
def test_estimating_the_bias_brings_the_scores_closer_to_the_truth(expert: str) -> None:
    """Where the good are shown first more often than not, a bias taken for merit spreads the scores."""
    count = 8000
    scores, log = simulated(12, count, [2.0], expert, seed=3)
    better_first = scores[log.first] > scores[log.second]
    log = reordered(log, np.flatnonzero(better_first | (np.random.default_rng(0).random(count) < 0.3)))

    def error(biases: int) -> float:
        found = map_of(log, model(12, 1.0, expert, biases=biases)).mean[:12]
        return float(np.linalg.norm(found - found.mean() - scores + scores.mean()))

    assert error(biases=1) < 0.6 * error(biases=0)


@each_expert
def test_a_judge_without_a_comparison_has_no_estimate_and_its_parameter_keeps_the_prior(expert: str) -> None:
    log = random_comparisons(6, 30, seed=0)
    log = log._replace(judge=np.ones(30, np.int64))
    m = model(6, 1.0, expert, biases=3)
    live = posterior.fit(log, m)

    assert [bias.judge for bias in estimates(live, log, m)] == [1]
    np.testing.assert_allclose(live.mean[[6, 8]], 0.0, atol=1e-12)


def test_without_biases_or_comparisons_there_is_nothing_to_estimate() -> None:
    log, plain, biased = random_comparisons(5, 10, seed=0), model(5), model(5, biases=2)

    assert estimates(posterior.fit(log, plain), log, plain) == []
    assert estimates(posterior.prior(biased), no_comparisons(), biased) == []


def test_sd_is_that_of_the_joint_posterior() -> None:
    """Wider than if the scores were known."""
    _, log = simulated(6, 40, [0.5, -0.5])
    m = model(6, biases=2)
    live = posterior.fit(log, m)
    h = precision_at(live.mean, log, m)

    found = estimates(live, log, m)

    np.testing.assert_allclose([bias.sd for bias in found], np.sqrt(np.linalg.inv(h).diagonal()[6:]))
    assert all(bias.sd > (1.0 / np.sqrt(h.diagonal()[6:]))[bias.judge] for bias in found)


@pytest.mark.parametrize("log", [bipartite(10, 400), ladder(10), comparisons((0, 1, 0.9)), ladder(100)])
def test_verdicts_tell_nothing_of_a_bias_that_scores_could_explain_as_well(log: Comparisons) -> None:
    assert abs(share(log, 100)) < 0.01


@numerics
@given(logs(max_n=6, max_count=12))
def test_what_verdicts_tell_is_what_is_left_once_scores_are_free(log: Log) -> None:
    """The slow formula: least squares of the column of ones that delta adds to the design on those of the scores."""
    if not log.comparisons.size:
        return
    m = model(log.n, biases=1)
    live = posterior.fit(log.comparisons, m)
    weights = np.sqrt(weights_at(live.mean, log.comparisons, m))
    rows = weights[:, None] * (np.eye(log.n)[log.comparisons.first] - np.eye(log.n)[log.comparisons.second])
    left = weights - rows @ np.linalg.lstsq(rows, weights, rcond=1e-10)[0]

    expected = float(left @ left) * live.covariance.diagonal[log.n]
    assert share(log.comparisons, log.n) == pytest.approx(expected, abs=1e-4)


def test_a_judge_is_identified_by_what_others_tell_of_the_scores_too() -> None:
    log = joined(bipartite(10, 100), random_comparisons(10, 200, seed=0))
    mixed = log._replace(judge=np.repeat([0, 1], [100, 200]))

    assert [bias.identified for bias in fitted(mixed, 10, 2)] == [True, True]
    assert [bias.identified for bias in fitted(bipartite(10, 100), 10, 1)] == [False]


def test_one_way_orders_do_not_turn_the_ranking_round_with_any_confidence() -> None:
    """Four candidates, every pair once, the worse one first, whom the judge favours by 2."""
    first, second = np.triu_indices(4, 1)
    log, m = by_one_judge(first, second, expit(0.3 * (first - second) + 2.0)), model(4, biases=1)
    live = posterior.fit(log, m)
    (found,) = estimates(live, log, m)

    summary = summary_of(live.scores, Wanted())[0]
    assert not found.identified
    assert abs(found.delta - 2.0) < found.sd
    assert summary.p_best.max() < 0.4
    np.testing.assert_array_equal(summary.rank_interval, [[1, 4]] * 4)


@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
@pytest.mark.parametrize(("n", "count"), [(4, 12), (8, 40), (20, 400)])
@pytest.mark.parametrize("delta", [0.0, 1.0, 3.0, 4.6, 6.0])
def test_a_bias_of_any_size_is_within_its_standard_errors(delta: float, n: int, count: int, hard: bool) -> None:
    """Orders at random, 40 runs each, seeds as given: 95% is stated, at least 34 of 40 hold it."""
    z = []
    for seed in range(40):
        rng, scores = np.random.default_rng([n, seed, 1]), true_scores(n, seed)
        log = random_comparisons(n, count, seed)
        p = expit(scores[log.first] - scores[log.second] + delta)
        (found,) = fitted(log._replace(p=(rng.random(count) < p).astype(np.float64) if hard else p), n, 1)
        z.append((found.delta - delta) / found.sd)

    assert sum(np.abs(z) < 1.96) >= 34
    assert abs(np.mean(z)) < 1.0


@each_true_expert
def test_a_bias_that_is_not_identified_is_uncertain_and_stays_so(expert: str) -> None:
    """Four times the comparisons halve the sd of an identified bias; the other's is the prior's doing.

    Raising delta by x and lowering half of the ten scores costs x^2 (1 / 100 + 10 / 4) / 2, so its variance is above
    1 / 2.51.
    """

    def sd(log: Comparisons) -> float:
        return fitted(log, 10, 1, expert)[0].sd

    def mixed(count: int) -> Comparisons:
        one_order = bipartite(10, count)
        turned = np.arange(count) % 2 == 0
        return joined(
            reordered(one_order, np.flatnonzero(turned)), swapped(reordered(one_order, np.flatnonzero(~turned)))
        )

    assert sd(mixed(1600)) == pytest.approx(0.5 * sd(mixed(400)), rel=0.1)
    assert sd(mixed(400)) < 0.2
    assert sd(bipartite(10, 400)) > sd(bipartite(10, 1600)) > 1.0 / np.sqrt(2.51)


@each_true_expert
@pytest.mark.parametrize("delta", [-1.0, 2.0])
def test_both_orders_of_every_pair_without_a_bias_are_the_debiased_probabilities(expert: str, delta: float) -> None:
    """Permutation debiasing, p~ = (p_ij + 1 - p_ji) / 2 (PoE 3.5), each counted twice: exactly the same scores."""
    n, scores = 8, true_scores(8, seed=0)
    i, j = np.triu_indices(n, 1)
    noise = np.random.default_rng(0).standard_normal((2, len(i)))
    here = expit(scores[i] - scores[j] + delta + noise[0])
    there = expit(scores[j] - scores[i] + delta + noise[1])
    debiased = (here + 1.0 - there) / 2.0

    both = joined(by_one_judge(i, j, here), by_one_judge(j, i, there))
    once = by_one_judge(i, j, debiased)

    m = model(n, 1.0, expert)
    np.testing.assert_allclose(map_of(both, m).mean, map_of(joined(once, once), m).mean, atol=1e-9)
