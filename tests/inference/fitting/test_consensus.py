"""The common score of judges with effects: derivatives, slow formulas, and that no judge outvotes the others."""

from pathlib import Path

import numpy as np
import pytest
from app.inference.fitting.consensus import (
    ConsensusObjective,
    Variances,
    at_mode,
    covariance_of_scores,
    evaluate,
    evidence,
    fit,
    likeliest,
    newton_step,
    scatter,
)
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal, spearmanr

from app.inference.fitting import posterior
from app.inference.fitting.model import BIAS_VARIANCE, VAGUE, Method, build
from app.inference.types import Comparisons, Convergence, Floats, Ints, Outcome, join, no_comparisons, once_each
from tests.inference.fitting.test_judge_aware import JUDGES as JUDGES_OF_FIVE
from tests.inference.fitting.test_judge_aware import five_judges, human_scores

N, JUDGES = 6, 3
DONE = Convergence(Outcome.CONVERGED, 1, 0.0)


def simulated(
    shares: list[float], count: int, seed: int, n: int = N, omega: float = 0.5, delta: float = 0.0
) -> tuple[Floats, Comparisons]:
    """(n,) true scores, and hard verdicts of judges of these shares, each with effects and a bias of its own."""
    rng = np.random.default_rng(seed)
    s, u = rng.standard_normal(n), omega * rng.standard_normal((len(shares), n))
    judge, first = rng.choice(len(shares), count, p=shares), rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    t = s + u
    d = t[judge, first] - t[judge, second] + delta * judge
    return s, once_each(first, second, (rng.random(count) < 1.0 / (1.0 + np.exp(-d))).astype(float), judge)


def objective(expert: str = "soft-bt", count: int = 60) -> ConsensusObjective:
    _, log = simulated([0.6, 0.3, 0.1], count, 0, delta=0.5)
    variances = Variances(1.5, np.array([0.3, 0.2, 0.6]))
    return ConsensusObjective(log, build(Method(expert), N), variances)


def precision(weights: Floats, of: ConsensusObjective) -> Floats:
    """H, from the columns of the design."""
    size, r = len(of.precision), design(of)
    return np.asarray(np.diag(of.precision) + r.T @ (weights[:, None] * r)).reshape(size, size)


def design(of: ConsensusObjective) -> Floats:
    """R, one row for each comparison."""
    return np.array([scatter(row, of) for row in np.eye(of.comparisons.size)])


def log_posterior(theta: Floats, of: ConsensusObjective) -> float:
    log_density = of.model.expert.log_density(design(of) @ theta, of.comparisons.p)
    return float(log_density.sum() - 0.5 * of.precision @ theta**2)


def test_derivatives_are_those_of_finite_differences() -> None:
    of = objective()
    theta = np.random.default_rng(1).standard_normal(len(of.precision))

    g, weights = evaluate(theta, of)
    nearby = [(theta - step, theta + step) for step in 1e-5 * np.eye(len(theta))]

    rises = [(log_posterior(above, of) - log_posterior(below, of)) / 2e-5 for below, above in nearby]
    np.testing.assert_allclose(g, rises, atol=1e-6)
    bends = [(evaluate(below, of)[0] - evaluate(above, of)[0]) / 2e-5 for below, above in nearby]
    np.testing.assert_allclose(precision(weights, of), bends, atol=1e-6)
    left = precision(weights, of) @ newton_step(weights, 1e-3 * g, of) - 1e-3 * g
    assert np.linalg.norm(left) < 0.05 * np.linalg.norm(1e-3 * g)


def test_what_is_known_by_blocks_is_the_inverse_of_the_whole() -> None:
    of = objective()
    theta, reduced = likeliest(np.zeros(len(of.precision)), of)
    found = at_mode(theta, reduced, of, DONE)

    whole = np.linalg.inv(precision(evaluate(theta, of)[1], of))
    effects = whole[N:-JUDGES, N:-JUDGES].diagonal().reshape(JUDGES, N)
    about_their_mean = effects - of.variances.of_effects[:, None] / N

    np.testing.assert_allclose(covariance_of_scores(reduced, of).base, whole[:N, :N], atol=1e-9)
    np.testing.assert_allclose(found.sd_of_effects**2, about_their_mean, atol=1e-9)
    np.testing.assert_allclose(found.sd_of_delta**2, whole.diagonal()[-JUDGES:], atol=1e-9)
    np.testing.assert_allclose(found.effects.sum(axis=1), 0.0, atol=1e-6)


def test_the_evidence_of_judge_effects_rises_as_that_of_all_answers_does() -> None:
    """Of Gaussian answers, whose density given the variances is known, under a flat prior on the scores."""
    of = objective("gaussian")
    log, omega2 = of.comparisons, of.variances.of_effects
    design = np.array([scatter(row, of) for row in np.eye(log.size)])

    def log_evidence(logarithms: Floats) -> float:
        prior = np.concatenate([np.full(N, VAGUE), np.repeat(np.exp(logarithms), N), np.full(JUDGES, BIAS_VARIANCE)])
        covariance = design @ (prior[:, None] * design.T) + 4.0 * np.eye(log.size)
        of_answers = multivariate_normal(cov=covariance).logpdf(4.0 * (log.p - 0.5))
        return float(of_answers - (logarithms + 0.25 / np.exp(logarithms)).sum())

    theta, reduced = likeliest(np.zeros(len(of.precision)), of)
    found, _ = evidence(theta, reduced, of)

    np.testing.assert_allclose(found, approx_fprime(np.log(omega2), log_evidence, 1e-5), atol=1e-3)


def test_judges_without_effects_give_what_pooling_gives() -> None:
    _, log = simulated([0.6, 0.3, 0.1], 200, 2)
    model = build(Method(prior_variance=2.0), N)
    of = ConsensusObjective(log, model, Variances(2.0, np.full(JUDGES, 1e-9)))

    theta, reduced = likeliest(np.zeros(len(of.precision)), of)
    pooled = posterior.fit(log, build(Method(prior_variance=2.0, position_bias="estimate"), N, JUDGES))

    np.testing.assert_allclose(theta[:N], pooled.mean[:N], atol=1e-5)
    np.testing.assert_allclose(covariance_of_scores(reduced, of).base, pooled.covariance.matrix()[:N, :N], atol=1e-5)


def test_intervals_hold_though_one_judge_says_most() -> None:
    """95% intervals of differences, 20 runs: pooled ones hold in 70%, these in 94%; Spearman .87 and .89."""
    holds, gains = [], []
    for seed in range(20):
        truth, log = simulated([0.8, 0.05, 0.05, 0.05, 0.05], 1000, seed, n=20)
        found, model = fit(log, build(Method(), 20), 5), build(Method(), 20)
        i, j = np.triu_indices(20, 1)
        sd = np.sqrt(found.covariance[i, i] + found.covariance[j, j] - 2.0 * found.covariance[i, j])
        holds.append((np.abs((found.scores - truth)[i] - (found.scores - truth)[j]) <= 1.96 * sd).mean())
        pooled = posterior.fit(log, model).mean
        gains.append(spearmanr(found.scores, truth)[0] - spearmanr(pooled, truth)[0])
        assert found.convergence.converged
    assert np.mean(holds) > 0.9
    assert np.mean(gains) > 0.0


def test_a_thousand_answers_of_one_do_not_outvote_ten_people() -> None:
    """A model says a thousand times that 0 is better than 1; ten people say four times each that 1 is better."""
    model = answers(np.zeros(1000, int), better=0)
    people = answers(np.arange(40) // 4 + 1, better=1)
    both = build(Method(), 2)

    alone, together = (fit(log, both, 11) for log in (model, join(model, people)))

    assert posterior.fit(join(model, people), both).mean[0] > 1.0
    assert together.scores[1] > together.scores[0]
    assert together.effects[0, 0] > 2.0 * together.sd_of_effects[0, 0]
    assert alone.variances.of_effects[0] == pytest.approx(0.25, rel=1e-3)  # nobody is there to tell it apart
    assert (alone.covariance.diagonal() > 0.25 / 2).all()


def answers(judge: Ints, better: int) -> Comparisons:
    """Answers of these judges on candidates 0 and 1, every other one with 1 shown first."""
    first = np.arange(len(judge)) % 2
    return once_each(first, 1 - first, (first == better).astype(float), judge)


def test_gpt4_likes_its_own_answers(shared_data: Path) -> None:
    """PRD's vicuna80, five models on each other: the common order is people's, and one of them departs on itself."""
    systems, log = five_judges(shared_data / "prd_vicuna80")
    found = fit(log, build(Method(), len(systems)), len(JUDGES_OF_FIVE))
    people = human_scores(shared_data / "prd_vicuna80", systems)
    own = [(judge, systems.index(name)) for judge, name in enumerate(JUDGES_OF_FIVE)]
    sure = [JUDGES_OF_FIVE[at[0]] for at in own if found.effects[at] > 2.0 * found.sd_of_effects[at]]
    assert spearmanr(found.scores, people)[0] == pytest.approx(1.0)
    assert sure == ["gpt4"]


def test_without_comparisons_the_prior_holds() -> None:
    found = fit(no_comparisons(), build(Method(prior_variance=2.0), 3), 2)
    np.testing.assert_allclose(found.scores, 0.0)
    np.testing.assert_allclose(found.covariance, 2.0 * np.eye(3), atol=1e-9)
    np.testing.assert_allclose(found.variances.of_effects, 0.5, rtol=1e-3)


def test_relabelling_candidates_and_judges_relabels_the_result() -> None:
    _, log = simulated([0.6, 0.3, 0.1], 300, 3, delta=0.5)
    order, judges = np.random.default_rng(4).permutation(N), np.array([2, 0, 1])
    renamed = log._replace(first=order[log.first], second=order[log.second], judge=judges[log.judge])
    one, other = (fit(each, build(Method(), N), JUDGES) for each in (log, renamed))
    np.testing.assert_allclose(other.scores[order], one.scores, atol=1e-5)
    np.testing.assert_allclose(other.effects[judges][:, order], one.effects, atol=1e-5)
    np.testing.assert_allclose(other.delta[judges], one.delta, atol=1e-5)


def test_more_judge_effects_than_it_can_take_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 5,000; here are 1,001 x 5"):
        fit(no_comparisons(), build(Method(), 1001), 5)
