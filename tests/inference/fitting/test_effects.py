"""The common score of judges with effects: derivatives, slow formulas, and that no judge outvotes the others."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal, spearmanr

from app.inference.core.maximum import maximum
from app.inference.fitting import posterior
from app.inference.fitting.effects import (
    USUAL_EFFECTS,
    Hierarchy,
    Inverse,
    average_information,
    consensus,
    known_at,
)
from app.inference.fitting.model import BIAS_VARIANCE, Method, build
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


def hierarchy(expert: str = "soft-bt", count: int = 60) -> Hierarchy:
    _, log = simulated([0.6, 0.3, 0.1], count, 0, delta=0.5)
    return Hierarchy.of(log, build(Method(expert), N), 1.5, np.array([0.3, 0.2, 0.6]))


def design(of: Hierarchy) -> Floats:
    """R, one row for each comparison."""
    return np.array([of.scatter(row) for row in np.eye(of.comparisons.size)])


def precision(weights: Floats, of: Hierarchy) -> Floats:
    """H, from the columns of the design."""
    r = design(of)
    return np.asarray(np.diag(of.prior.precision) + r.T @ (weights[:, None] * r))


def log_posterior(theta: Floats, of: Hierarchy) -> float:
    log_density = of.model.expert.log_density(design(of) @ theta, of.comparisons.p)
    return float(log_density.sum() - 0.5 * of.prior.precision @ theta**2)


def test_derivatives_are_those_of_finite_differences() -> None:
    of = hierarchy()
    theta = np.random.default_rng(1).standard_normal(len(of.prior.precision))

    g, inverse = of.evaluate(theta)
    nearby = [(theta - step, theta + step) for step in 1e-5 * np.eye(len(theta))]

    rises = [(log_posterior(above, of) - log_posterior(below, of)) / 2e-5 for below, above in nearby]
    np.testing.assert_allclose(g, rises, atol=1e-6)
    bends = [(of.evaluate(below)[0] - of.evaluate(above)[0]) / 2e-5 for below, above in nearby]
    np.testing.assert_allclose(precision(inverse.weights, of), bends, atol=1e-6)


def test_what_is_known_by_blocks_is_the_inverse_of_the_whole() -> None:
    of = hierarchy()
    theta, inverse, _ = maximum(of.evaluate, Inverse.times, np.zeros(len(of.prior.precision)), 1e-9)
    found = known_at(theta, inverse, inverse.sigma.base, DONE)

    whole = np.linalg.inv(precision(inverse.weights, of))
    effects = whole[N:-JUDGES, N:-JUDGES].diagonal().reshape(JUDGES, N)
    about_their_mean = effects - of.of_effects[:, None] / N
    g = np.random.default_rng(2).standard_normal(len(theta))

    np.testing.assert_allclose(inverse.sigma.base, whole[:N, :N], atol=1e-9)
    np.testing.assert_allclose(inverse.times(g), whole @ g, atol=1e-9)
    volume = np.log(of.prior.precision).sum() + np.linalg.slogdet(whole)[1]
    constant = JUDGES * np.log(1.0 / BIAS_VARIANCE)
    assert inverse.log_volume == pytest.approx(0.5 * (volume - constant))
    sds = np.array([each.sd_of_deviations for each in found.effects])
    np.testing.assert_allclose(sds**2, about_their_mean, atol=1e-9)
    np.testing.assert_allclose(found.sd_of_delta**2, whole.diagonal()[-JUDGES:], atol=1e-9)
    np.testing.assert_allclose([each.deviations.sum() for each in found.effects], 0.0, atol=1e-6)


def test_slopes_and_information_are_those_of_all_answers() -> None:
    """Of Gaussian answers, whose density given the variances is known, and whose mode moves as it should."""
    of = hierarchy("gaussian")
    log, r, logarithms = of.comparisons, design(of), np.log(np.append(of.of_scores, of.of_effects / of.of_scores))

    def at(logarithms: Floats) -> Hierarchy:
        tau2, *ratios = np.exp(logarithms)
        return Hierarchy.of(log, of.model, tau2, tau2 * np.array(ratios))

    def log_evidence(logarithms: Floats) -> float:
        covariance = r @ (r / at(logarithms).prior.precision).T + 4.0 * np.eye(log.size)
        return float(multivariate_normal(cov=covariance).logpdf(4.0 * (log.p - 0.5)))

    def mode(logarithms: Floats) -> Floats:
        return maximum(at(logarithms).evaluate, Inverse.times, np.zeros(len(of.prior.precision)), 1e-9)[0]

    theta, inverse, _ = maximum(of.evaluate, Inverse.times, np.zeros(len(of.prior.precision)), 1e-9)
    of_scale, of_effects = inverse.slopes(theta, theta)
    by_eta, information = average_information(theta, inverse, np.ones(1 + JUDGES))

    rises = approx_fprime(logarithms, log_evidence, 1e-6)
    np.testing.assert_allclose([of_scale + of_effects.sum(), *of_effects], rises, atol=1e-4)
    moves = [(mode(logarithms + step) - mode(logarithms - step)) / 2e-4 for step in 1e-4 * np.eye(1 + JUDGES)]
    np.testing.assert_allclose(by_eta, moves, atol=1e-6)
    whole = np.linalg.inv(r @ (r / of.prior.precision).T + 4.0 * np.eye(log.size))
    working = np.array([r @ row for row in _of_each(theta)])
    np.testing.assert_allclose(information, 0.5 * working @ whole @ working.T, atol=1e-9)


def _of_each(theta: Floats) -> Floats:
    """Theta but for what tau2, or one judge's omega^2, says nothing of."""
    rows = np.zeros((1 + JUDGES, len(theta)))
    rows[0, :-JUDGES] = theta[:-JUDGES]
    for judge in range(JUDGES):
        own = slice(N * (1 + judge), N * (2 + judge))
        rows[1 + judge, own] = theta[own]
    return rows


def test_judges_without_effects_give_what_pooling_gives() -> None:
    _, log = simulated([0.6, 0.3, 0.1], 200, 2)
    of = Hierarchy.of(log, build(Method(prior_variance=2.0), N), 2.0, np.full(JUDGES, 1e-9))

    theta, inverse, _ = maximum(of.evaluate, Inverse.times, np.zeros(len(of.prior.precision)), 1e-6)
    pooled = posterior.fit(log, build(Method(prior_variance=2.0, position_bias="estimate"), N, JUDGES))

    np.testing.assert_allclose(theta[:N], pooled.mean[:N], atol=1e-5)
    np.testing.assert_allclose(inverse.sigma.base, pooled.covariance.matrix()[:N, :N], atol=1e-5)


def test_intervals_hold_though_one_judge_says_most() -> None:
    """95% intervals of differences, 20 runs: pooled ones hold in 70%, these in 94%; Spearman .87 and .90."""
    holds, gains = [], []
    for seed in range(20):
        truth, log = simulated([0.8, 0.05, 0.05, 0.05, 0.05], 1000, seed, n=20)
        model = build(Method(), 20)
        found = consensus(log, model, 5)
        i, j = np.triu_indices(20, 1)
        mean, sd = found.of_scores.mean, np.sqrt(found.of_scores.covariance.variances(i, j))
        holds.append((np.abs((mean - truth)[i] - (mean - truth)[j]) <= 1.96 * sd).mean())
        pooled = posterior.fit(log, model).mean
        gains.append(spearmanr(mean, truth)[0] - spearmanr(pooled, truth)[0])
        assert found.convergence.converged
    assert np.mean(holds) > 0.9
    assert np.mean(gains) > 0.0


def test_a_thousand_answers_of_one_do_not_outvote_ten_people() -> None:
    """A model says a thousand times that 0 is better than 1; ten people say four times each that 1 is better."""
    model = answers(np.zeros(1000, int), better=0)
    people = answers(np.arange(40) // 4 + 1, better=1)
    both = build(Method(), 2)

    alone, together = (consensus(log, both, 11) for log in (model, join(model, people)))

    assert posterior.fit(join(model, people), both).mean[0] > 1.0
    assert together.of_scores.mean[1] > together.of_scores.mean[0]
    assert together.effects[0].deviations[0] > 2.0 * together.effects[0].sd_of_deviations[0]
    apart = 2.0 * np.log(alone.effects[0].sd / alone.effects[1].sd)  # of the logarithms of variances
    assert abs(apart) < USUAL_EFFECTS.sd  # nobody is there to tell it from the common score
    assert (alone.of_scores.covariance.diagonal > 0.25).all()


def answers(judge: Ints, better: int) -> Comparisons:
    """Answers of these judges on candidates 0 and 1, every other one with 1 shown first."""
    first = np.arange(len(judge)) % 2
    return once_each(first, 1 - first, (first == better).astype(float), judge)


def test_gpt4_likes_its_own_answers(shared_data: Path) -> None:
    """PRD's vicuna80, five models on each other: the common order is people's, and one of them departs on itself."""
    systems, log = five_judges(shared_data / "prd_vicuna80")
    found = consensus(log, build(Method(), len(systems)), len(JUDGES_OF_FIVE))
    people = human_scores(shared_data / "prd_vicuna80", systems)
    own = [(judge, systems.index(name)) for judge, name in enumerate(JUDGES_OF_FIVE)]
    sure = [
        JUDGES_OF_FIVE[judge]
        for judge, at in own
        if found.effects[judge].deviations[at] > 2.0 * found.effects[judge].sd_of_deviations[at]
    ]
    assert spearmanr(found.of_scores.mean, people)[0] == pytest.approx(1.0)
    assert sure == ["gpt4"]


def test_without_comparisons_the_prior_holds() -> None:
    found = consensus(no_comparisons(), build(Method(prior_variance=2.0), 3), 2)
    np.testing.assert_allclose(found.of_scores.mean, 0.0)
    np.testing.assert_allclose(found.of_scores.covariance.matrix(), 2.0 * np.eye(3), atol=1e-9)
    np.testing.assert_allclose([each.sd**2 for each in found.effects], 2.0 * np.exp(USUAL_EFFECTS.mean), rtol=1e-3)


def test_relabelling_candidates_and_judges_relabels_the_result() -> None:
    _, log = simulated([0.6, 0.3, 0.1], 300, 3, delta=0.5)
    order, judges = np.random.default_rng(4).permutation(N), np.array([2, 0, 1])
    renamed = log._replace(first=order[log.first], second=order[log.second], judge=judges[log.judge])
    one, other = (consensus(each, build(Method(), N), JUDGES) for each in (log, renamed))
    np.testing.assert_allclose(other.of_scores.mean[order], one.of_scores.mean, atol=1e-9)
    for mine, theirs in zip(one.effects, (other.effects[judge] for judge in judges), strict=True):
        np.testing.assert_allclose(theirs.deviations[order], mine.deviations, atol=1e-9)
    np.testing.assert_allclose(other.delta[judges], one.delta, atol=1e-9)


@pytest.mark.parametrize(("judges", "count"), [(20, 100), (100, 300)])
def test_of_many_judges_who_say_little_intervals_are_no_wider_than_the_prior(judges: int, count: int) -> None:
    _, log = simulated([1.0 / judges] * judges, count, 0, n=8)
    found = consensus(log, build(Method(), 8), judges)
    assert found.convergence.converged
    assert (found.of_scores.covariance.diagonal < 1.0).all()


def test_more_judge_effects_than_it_can_take_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 5,000; here are 1,001 x 5"):
        consensus(no_comparisons(), build(Method(), 1001), 5)
