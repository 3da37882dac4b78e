"""Scores and judges from the same comparisons: derivatives, planted judges, real ones."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import spearmanr

from app.inference.fitting import posterior
from app.inference.fitting.judge_aware import e_step, evaluate, fit, m_step, without
from app.inference.fitting.model import Method, build, design_of
from app.inference.gaussian import from_precision
from app.inference.reporting.intervals import ranks
from app.inference.types import Bools, Comparisons, Floats, by_one_judge, join, no_comparisons, once_each, take
from tests.inference.factories import random_comparisons

JUDGES = ["gpt4", "gpt35", "claude", "vicuna-13b", "bard"]
HOME_ADVANTAGE = [0.71, -0.04, -0.69, -0.39, 1.88]


def nobody(judges: int) -> Bools:
    """No judge is a person."""
    return np.zeros(judges, np.bool_)


def simulated(c: list[float], delta: list[float], n: int, count: int, seed: int = 0) -> tuple[Floats, Comparisons]:
    """(n,) true scores, and hard verdicts of judges with these discriminations and biases."""
    rng = np.random.default_rng(seed)
    s, first, judge = rng.standard_normal(n), rng.integers(n, size=count), rng.integers(len(c), size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    d = np.array(c)[judge] * (s[first] - s[second]) + np.array(delta)[judge]
    return s, once_each(first, second, (rng.random(count) < 1.0 / (1.0 + np.exp(-d))).astype(float), judge)


def test_derivatives_are_those_of_finite_differences() -> None:
    _, log = simulated([2.0, 0.5], [0.5, -1.0], 6, 40)
    model, judges = build(Method(), 6), np.array([[0.3, -0.4], [1.2, -0.6]])
    delta, c = judges[:, log.judge]
    s = np.random.default_rng(1).standard_normal(6)
    design = design_of(log, model)
    g, weights = evaluate(s, judges, log, design, model)
    h = design.precision(weights, model.prior.precision)

    def log_posterior(s: Floats) -> float:
        d = c * (s[log.first] - s[log.second]) + delta
        return float(model.expert.log_density(d, log.p).sum() - 0.5 * s @ s)

    for k in range(6):
        step = np.eye(6)[k] * 1e-5
        assert g[k] == pytest.approx((log_posterior(s + step) - log_posterior(s - step)) / 2e-5, abs=1e-6)
        bend = evaluate(s - step, judges, log, design, model)[0] - evaluate(s + step, judges, log, design, model)[0]
        np.testing.assert_allclose(h[:, k], bend / 2e-5, atol=1e-6)


def test_judges_maximise_what_is_expected_of_them() -> None:
    """Against draws of the scores: after some steps no other in any direction does better."""
    _, log = simulated([1.5, 0.5], [0.8, 0.0], 8, 400)
    model = build(Method(), 8)
    start = np.array([[0.0, 0.0], [1.0, 1.0]])
    s, h = e_step(np.zeros(8), start, log, model)
    sigma = from_precision(h)
    draws = np.random.default_rng(2).multivariate_normal(s, sigma.base, 4000)

    def expected(judges: Floats) -> float:
        delta, c = judges
        d = c[log.judge] * (draws[:, log.first] - draws[:, log.second]) + delta[log.judge]
        prior = delta @ delta / 100.0 + (c - 1.0) @ (c - 1.0)
        return float(model.expert.log_density(d, log.p).sum(axis=1).mean() - 0.5 * prior)

    best = start
    for _ in range(20):
        best = best + m_step(s, sigma, best, nobody(2), log, model)
    for part in range(2):
        for k in range(2):
            for step in (-0.15, 0.15):
                moved = best.copy()
                moved[part, k] += step
                assert expected(moved) < expected(best)


def test_planted_judges_are_found_even_among_many_candidates() -> None:
    c, delta = [2.0, 1.5, 1.0, 0.5, -0.7], [1.0, 0.0, -0.5, 0.0, 2.0]
    truth, log = simulated(c, delta, 200, 8000)
    found = fit(log, build(Method(), 200), nobody(5))
    assert found.convergence.converged
    np.testing.assert_allclose(found.c, c, atol=0.4)
    np.testing.assert_allclose(found.delta, delta, atol=0.25)
    assert spearmanr(found.of_scores.mean, truth)[0] > 0.95


def test_three_good_two_useless_and_one_adversarial_judge() -> None:
    """Spearman with the truth, 20 candidates and 600 verdicts, 20 seeds: pooled soft-bt 0.77, this 0.95."""
    gains = []
    for seed in range(20):
        truth, log = simulated([2.0, 1.5, 1.2, 0.0, 0.0, -1.0], [0.0] * 6, 20, 600, seed)
        model = build(Method(), 20)
        ours, pooled = fit(log, model, nobody(6)).of_scores.mean, posterior.fit(log, model).mean
        gains.append(spearmanr(ours, truth)[0] - spearmanr(pooled, truth)[0])
    assert np.mean(gains) > 0.12
    assert np.min(gains) > -0.02


def test_equal_judges_give_what_pooling_gives() -> None:
    truth, log = simulated([1.0] * 4, [0.0] * 4, 15, 2000)
    model = build(Method(), 15)
    ours = fit(log, model, nobody(4))
    np.testing.assert_allclose(ours.of_scores.mean, posterior.fit(log, model).mean, atol=0.25)
    assert spearmanr(ours.of_scores.mean, truth)[0] > 0.95


@pytest.mark.parametrize(
    "true_c",
    [[1.0] * 6, [1.5, 1.2, 1.0, 0.8, 0.6, 0.5], [2.0, 1.5, 1.2, 0.0, 0.0, 0.0], [2.0, 1.5, 1.2, 0.0, 0.0, -1.0]],
)
def test_intervals_hold(true_c: list[float]) -> None:
    """95% intervals of differences cover at least 88% of the time, 20 runs of 190 differences."""
    covered = []
    for seed in range(20):
        truth, log = simulated(true_c, [0.3, -0.3, 0.0, 0.5, 0.0, 0.0], 20, 600, seed)
        mean, sigma = fit(log, build(Method(), 20), nobody(6)).of_scores[:2]
        i, j = np.triu_indices(20, 1)
        sd = np.sqrt(sigma.variances(i, j))
        covered.append((np.abs((mean - truth)[i] - (mean - truth)[j]) <= 1.96 * sd).mean())
    assert np.mean(covered) >= 0.88


def test_few_votes_and_one_sided_votes_are_guarded_against() -> None:
    truth, log = simulated([1.5, 1.5, 1.0], [0.0] * 3, 12, 900)
    few = once_each(np.array([0, 1]), np.array([1, 2]), np.array([0.0, 0.0]), np.array([3, 3]))
    rng = np.random.default_rng(3)
    first = rng.integers(12, size=400)
    always = once_each(first, (first + rng.integers(1, 12, size=400)) % 12, np.ones(400), np.full(400, 4))
    together = join(join(log, few), always)
    model = build(Method(), 12)
    found, clean = fit(together, model, nobody(5)), fit(log, model, nobody(3))
    assert 0.4 < found.c[3] < 1.6
    assert found.delta[4] > 2.5
    np.testing.assert_allclose(found.of_scores.mean, clean.of_scores.mean, atol=0.3)
    assert spearmanr(found.of_scores.mean, truth)[0] >= spearmanr(clean.of_scores.mean, truth)[0] - 0.03


def test_taking_a_judge_out_is_like_never_having_had_it() -> None:
    _, log = simulated([1.5, 1.0, 0.8, 1.2], [0.0, 0.5, 0.0, 0.0], 12, 1600)
    model = build(Method(), 12)
    found = fit(log, model, nobody(4))
    for judge in range(4):
        others = take(log, log.judge != judge)
        judges = np.array([found.delta, found.c])
        refitted, _ = e_step(found.of_scores.mean, judges, others, model)
        np.testing.assert_allclose(without(found, log, model, judge), refitted, atol=0.01)


def test_without_comparisons_the_prior_holds() -> None:
    found = fit(no_comparisons(), build(Method(prior_variance=2.0), 3), nobody(0))
    np.testing.assert_allclose(found.of_scores.mean, 0.0)
    np.testing.assert_allclose(found.of_scores.covariance.matrix(), 2.0 * np.eye(3))


def test_relabelling_candidates_and_judges_relabels_the_result() -> None:
    _, log = simulated([1.5, 0.5, 1.0], [0.5, 0.0, -0.5], 8, 500)
    model, order, judges = build(Method(), 8), np.random.default_rng(4).permutation(8), np.array([2, 0, 1])
    renamed = log._replace(first=order[log.first], second=order[log.second], judge=judges[log.judge])
    one, other = fit(log, model, nobody(3)), fit(renamed, model, nobody(3))
    np.testing.assert_allclose(other.of_scores.mean[order], one.of_scores.mean, atol=1e-4)
    np.testing.assert_allclose(other.delta[judges], one.delta, atol=1e-4)


def five_judges(folder: Path) -> tuple[list[str], Comparisons]:
    with gzip.open(folder / "llm.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    systems = sorted({row["first"] for row in rows})
    p = {"first": 1.0, "tie": 0.5, "second": 0.0}
    first, second = (np.array([systems.index(row[side]) for row in rows]) for side in ("first", "second"))
    said = np.array([p[row["winner"]] for row in rows])
    return systems, once_each(first, second, said, np.array([JUDGES.index(row["reviewer"]) for row in rows]))


def human_scores(folder: Path, systems: list[str]) -> Floats:
    """Share of the votes that each won among these systems, a tie being half."""
    with gzip.open(folder / "human.csv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["first"] in systems and row["second"] in systems]
    p = {"first": 1.0, "tie": 0.5, "second": 0.0}
    won: dict[str, list[float]] = {system: [] for system in systems}
    for row in rows:
        won[row["first"]].append(p[row["winner"]])
        won[row["second"]].append(1.0 - p[row["winner"]])
    return np.array([np.mean(won[system]) for system in systems])


def test_five_judges_of_five_systems(shared_data: Path) -> None:
    """PRD's vicuna80: the order is people's, every judge's home advantage is known, and nobody decides the top two."""
    systems, log = five_judges(shared_data / "prd_vicuna80")
    model = build(Method(), len(systems))
    found = fit(log, model, nobody(len(JUDGES)))
    assert found.convergence.converged
    assert spearmanr(found.of_scores.mean, human_scores(shared_data / "prd_vicuna80", systems))[0] == pytest.approx(1.0)
    np.testing.assert_allclose(found.delta, HOME_ADVANTAGE, atol=0.25)
    assert np.argsort(found.delta).tolist() == np.argsort(HOME_ADVANTAGE).tolist()
    top = set(np.flatnonzero(ranks(found.of_scores.mean) <= 2))
    for judge in range(len(JUDGES)):
        refitted = fit(take(log, log.judge != judge), model, nobody(len(JUDGES))).of_scores.mean
        assert set(np.flatnonzero(ranks(refitted) <= 2)) == top
        assert set(np.flatnonzero(ranks(without(found, log, model, judge)) <= 2)) == top


@pytest.mark.parametrize("delta", [0.0, 3.0, 6.0])
def test_a_bias_of_any_size_is_within_its_standard_errors(delta: float) -> None:
    """One judge, 8 candidates, 40 hard verdicts in random order, 10 runs: at most one is outside 95%."""
    z = []
    for seed in range(10):
        rng, log = np.random.default_rng([seed, 1]), random_comparisons(8, 40, seed)
        scores = rng.standard_normal(8)
        p = expit(scores[log.first] - scores[log.second] + delta)
        found = fit(log._replace(p=(rng.random(40) < p).astype(np.float64)), build(Method(), 8), nobody(1))
        z.append((found.delta[0] - delta) / found.sd_of_delta[0])

    assert sum(np.abs(z) > 1.96) <= 1
    assert abs(np.mean(z)) < 0.75


def test_where_pairs_were_shown_one_way_the_order_is_left_open() -> None:
    """Four candidates, every pair once, the worse one first, by a judge who favours the first by 2."""
    first, second = np.triu_indices(4, 1)
    log = by_one_judge(first, second, expit(0.3 * (first - second) + 2.0))

    found = fit(log, build(Method(), 4), nobody(1))

    assert found.share_of_verdicts[0] < 0.5
    assert abs(found.delta[0] - 2.0) < found.sd_of_delta[0]
    assert (np.abs(found.of_scores.mean) < 0.5 * np.sqrt(found.of_scores.covariance.diagonal)).all()


def test_people_are_trusted_against_a_majority_with_correlated_errors() -> None:
    """Two people of few verdicts and four judges who prefer the opposite: c of people is 1, and the majority turned."""
    c = [1.0, 1.0, -1.5, -1.5, -1.5, -1.5]
    truth, log = simulated(c, [0.0] * 6, 15, 1500)
    few = take(log, (log.judge > 1) | (np.arange(log.size) < 400))
    model, people = build(Method(), 15), np.arange(6) < 2

    alone, with_people = fit(few, model, nobody(6)), fit(few, model, people)

    assert spearmanr(alone.of_scores.mean, truth)[0] < -0.8
    assert spearmanr(with_people.of_scores.mean, truth)[0] > 0.8
    np.testing.assert_array_equal(with_people.c[people], 1.0)
    np.testing.assert_array_equal(with_people.sd_of_c[people], 0.0)
    assert (with_people.c[2:] < -0.5).all()


def test_a_judge_of_no_verdicts_keeps_its_prior() -> None:
    _, log = simulated([1.0], [0.0], 8, 100)

    fitted = fit(log, build(Method(), 8), nobody(2))

    assert fitted.c[1] == pytest.approx(1.0)
    assert fitted.sd_of_c[1] == pytest.approx(1.0)
