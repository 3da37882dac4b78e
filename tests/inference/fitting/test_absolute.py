from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import multivariate_normal

from app.inference.fitting import absolute, posterior
from app.inference.fitting.absolute import (
    FLATTEST,
    AbsoluteScores,
    Combined,
    Moments,
    Scale,
    combine,
    moments,
    with_absolute,
)
from app.inference.fitting.model import BIAS_VARIANCE
from app.inference.types import Comparisons, Floats, no_comparisons
from tests.inference.factories import (
    by_judges,
    design_matrix,
    each_expert,
    fold_rows,
    map_of,
    model,
    numerics,
    random_comparisons,
    relabelled,
    true_scores,
)
from tests.inference.table import Row, each_default

few = settings(numerics, max_examples=40)


class Simulated(NamedTuple):
    scores: Floats
    comparisons: Comparisons
    absolute: AbsoluteScores


def rated(*rows: tuple[int, int, float, float]) -> AbsoluteScores:
    """Absolute scores, from rows of (candidate, judge, mean, variance)."""
    candidate, judge, mean, variance = zip(*rows, strict=True)
    return AbsoluteScores(np.array(candidate), np.array(judge), np.array(mean, float), np.array(variance, float))


def simulated(
    n: int, count: int, seed: int = 0, *, expert: str = "soft-bt", c0: float = -2.75, c1: float = 0.5, sd: float = 0.7
) -> Simulated:
    """Comparisons as the expert believes them, and every candidate rated once: mu = (s - c0) / c1 + noise."""
    rng, scores, log = np.random.default_rng([n, seed, 7]), true_scores(n, seed), random_comparisons(n, count, seed)
    d = scores[log.first] - scores[log.second]
    hard = (rng.random(count) < expit(d)).astype(np.float64)
    p = hard if expert == "soft-bt" else 0.5 + (d + 2.0 * rng.standard_normal(count)) / 4.0
    mean = (scores - c0) / c1 + sd * rng.standard_normal(n)
    given = AbsoluteScores(np.arange(n), np.zeros(n, np.int64), mean, np.full(n, sd**2))
    return Simulated(scores, log._replace(p=p), given)


def two_judges(n: int, seed: int) -> AbsoluteScores:
    """Some candidates by one, some by the other, some by both or twice, on scales of their own."""
    rng, size = np.random.default_rng([n, seed]), 2 * n
    candidate, judge = rng.integers(n, size=size), np.arange(size) % 2
    truth = true_scores(n, seed)[candidate]
    mean = np.where(judge == 0, 5.0 + 2.0 * truth, 60.0 + 15.0 * truth)
    noise = np.where(judge == 0, 1.0, 9.0)
    return AbsoluteScores(
        candidate, judge, mean + noise * rng.standard_normal(size), noise**2 * rng.uniform(0.5, 2, size)
    )


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        ({1: 0.5, 3: 0.5}, (2.0, 1.0)),
        ({1: 0.25, 2: 0.5, 3: 0.25}, (2.0, 0.5)),
        ({1: 0.1, 2: 0.2, 3: 0.1}, (2.0, 0.5)),
        ({0: 0.5, 10: 0.5}, (5.0, 25.0)),
        ({7: 0.3}, (7.0, 1.0 / 12.0)),
    ],
    ids=["two", "three", "mass elsewhere", "far apart", "a scale of one value"],
)
def test_moments_by_hand(probabilities: Mapping[float, float], expected: tuple[float, float]) -> None:
    assert moments(probabilities) == pytest.approx(Moments(*expected))


@pytest.mark.parametrize(("values", "step"), [(range(1, 11), 1.0), ((0.0, 0.5, 1.0), 0.5), ((1, 2, 4, 8), 1.0)])
def test_a_saturated_judge_has_the_variance_of_rounding_to_its_scale(values: list[float], step: float) -> None:
    for sure in values:
        mean, variance = moments({value: float(value == sure) for value in values})

        assert mean == pytest.approx(sure)
        assert variance == pytest.approx(step**2 / 12.0)


@numerics
@given(st.dictionaries(st.integers(1, 10), st.floats(1e-6, 1.0), min_size=1))
def test_a_given_variance_is_gpm_s_to_the_letter(probabilities: dict[float, float]) -> None:
    """mu = sum c p, sigma^2 = sum (c - mu)^2 p of GPM 3.2; the floor is all that is between them."""
    total = sum(probabilities.values())
    mean = sum(c * p for c, p in probabilities.items()) / total
    variance = sum((c - mean) ** 2 * p for c, p in probabilities.items()) / total

    given, floored = moments(probabilities, is_given=True), moments(probabilities)

    assert given == pytest.approx((mean, variance), abs=1e-12)
    assert floored == (given.mean, max(given.variance, floored.variance))


@numerics
@given(st.dictionaries(st.integers(1, 10), st.floats(1e-6, 1.0), min_size=1), st.floats(0.01, 100.0))
def test_moments_lie_within_the_scale_and_know_no_total(probabilities: dict[float, float], total: float) -> None:
    mean, variance = moments(probabilities)

    assert min(probabilities) - 1e-9 <= mean <= max(probabilities) + 1e-9
    assert 1.0 / 12.0 <= variance <= max(81.0 / 4.0, 1.0)
    assert moments({value: total * p for value, p in probabilities.items()}) == pytest.approx((mean, variance))


@pytest.mark.parametrize("expert", ["soft-bt", "gaussian"])
@pytest.mark.parametrize(("c0", "c1"), [(-2.75, 0.5), (-8.0, 0.1), (1.0, 3.0)])
def test_the_scale_of_a_simulated_judge_is_recovered(expert: str, c0: float, c1: float) -> None:
    """The scale is found to a tenth; the judge's noise is two sevenths of the spread of true scores."""
    truth = simulated(150, 3000, expert=expert, c0=c0, c1=c1, sd=0.3 / c1)

    found = combine(truth.comparisons, model(150, 1.0, expert), truth.absolute)

    assert found.converged
    assert found.scale.c1[0] == pytest.approx(c1, rel=0.1)
    average = truth.absolute.mean.mean()
    assert found.scale.c0[0] + found.scale.c1[0] * average == pytest.approx(c0 + c1 * average, abs=0.15)


@pytest.mark.parametrize("biases", [0, 2])
def test_with_a_known_scale_absolute_scores_are_pseudo_data(biases: int) -> None:
    """The gaussian expert in closed form: H gains 1 / (c1^2 var) on the diagonal, the pull (c0 + c1 mu) times it."""
    n, log = 6, by_judges(random_comparisons(6, 25, seed=0), 2)
    given, scale = two_judges(n, seed=1), Scale(np.array([-2.0, -4.0]), np.array([0.4, 0.05]))
    rows = np.vstack([design_matrix(log, n, biases), np.eye(n + biases)[given.candidate]])
    c0, c1 = scale.c0[given.judge], scale.c1[given.judge]
    weight = np.concatenate([np.full(25, 0.25), 1.0 / (c1**2 * given.variance)])
    target = np.concatenate([4.0 * (log.p - 0.5), c0 + c1 * given.mean])

    fitted = posterior.fit(log, with_absolute(model(n, 1.0, "gaussian", biases=biases), given, scale))

    h = np.diag(1.0 / prior_variances(n, biases)) + rows.T @ (weight[:, None] * rows)
    np.testing.assert_allclose(fitted.mean, np.linalg.solve(h, rows.T @ (weight * target)), atol=1e-9)
    np.testing.assert_allclose(fitted.covariance.matrix(), np.linalg.inv(h), atol=1e-12)


@each_default
def test_with_a_known_scale_the_joint_map_agrees_with_an_independent_optimiser(row: Row) -> None:
    n, log, given = 5, random_comparisons(5, 20, seed=0), two_judges(5, seed=1)
    c0, c1 = np.array([-2.0, -4.0]), np.array([0.4, 0.05])
    a, b = c0[given.judge], c1[given.judge]

    def loss(s: Floats) -> float:
        rating = (s[given.candidate] - a - b * given.mean) ** 2 / (b**2 * given.variance)
        likelihood = row.log_density(s[log.first] - s[log.second], log.p).sum()
        return float(0.5 * s @ s + 0.5 * rating.sum() - likelihood)

    joint = with_absolute(model(n, 1.0, row.name), given, Scale(c0, c1))
    found = map_of(log, joint)

    assert found.convergence.converged
    best = minimize(loss, found.mean + 0.1, method="Nelder-Mead" if row.name == "laplace" else "BFGS", tol=1e-10)
    assert loss(found.mean) <= float(best.fun) + 1e-9
    assert joint.prior.variance == 1.0


@each_expert
def test_relabelling_relabels(expert: str) -> None:
    log, given, label = (
        random_comparisons(7, 25, seed=0),
        two_judges(7, seed=0),
        np.random.default_rng(0).permutation(7),
    )
    m = model(7, 1.0, expert)

    here = combine(log, m, given)
    there = combine(relabelled(log, label), m, given._replace(candidate=label[given.candidate]))

    np.testing.assert_allclose(there.posterior.mean[label], here.posterior.mean, atol=1e-5)
    np.testing.assert_allclose(there.scale, here.scale, rtol=1e-3)


@each_expert
def test_the_units_of_a_judge_do_not_matter(expert: str) -> None:
    """10 to 100 for 1 to 10, or marks out of 1: c1 takes it up."""
    log, given, m = random_comparisons(7, 25, seed=0), two_judges(7, seed=0), model(7, 1.0, expert)

    here = combine(log, m, given)
    there = combine(log, m, given._replace(mean=0.1 * given.mean - 3.0, variance=0.01 * given.variance))

    np.testing.assert_allclose(there.posterior.mean, here.posterior.mean, atol=1e-6)
    np.testing.assert_allclose(there.scale.c1, 10.0 * here.scale.c1, rtol=1e-6)


@pytest.mark.parametrize("expert", ["soft-bt", "gaussian", "laplace"])
def test_a_judge_that_contradicts_the_comparisons_counts_next_to_nothing(expert: str) -> None:
    """Its scores fall where the comparisons rise, so no c1 > 0 fits: the flattest scale is best."""
    _, log, given = simulated(30, 1500)
    m = model(30, 1.0, expert)
    upside_down = given._replace(mean=10.0 - given.mean)

    found = combine(log, m, upside_down)

    alone = posterior.fit(log, m)
    first = 1.0 / upside_down.mean.std()
    assert found.scale.c1[0] == pytest.approx(FLATTEST * first, rel=1e-6)
    np.testing.assert_allclose(found.posterior.mean, alone.mean, atol=1e-2)
    np.testing.assert_allclose(found.posterior.covariance.matrix(), alone.covariance.matrix(), atol=1e-4)
    assert np.corrcoef(found.posterior.mean, alone.mean)[0, 1] > 0.99


def prior_variances(n: int, biases: int) -> Floats:
    return np.concatenate([np.ones(n), np.full(biases, BIAS_VARIANCE)])


def log_evidence(scale: Floats, log: Comparisons, given: AbsoluteScores, n: int, biases: int) -> float:
    """ln p(verdicts, ratings | c0, c1) of the gaussian expert with the scores and biases integrated out, once more.

    4 (p - 1/2) = R theta + N(0, 4) and mu = (s - c0) / c1 + N(0, var), theta ~ prior: all of it is one normal vector.
    """
    c0, c1 = scale.reshape(2, -1)
    of_scores = np.eye(n + biases)[given.candidate] / c1[given.judge][:, None]
    rows = np.vstack([design_matrix(log, n, biases), of_scores])
    noise = np.concatenate([np.full(log.size, 4.0), given.variance])
    mean = np.concatenate([np.zeros(log.size), -(c0 / c1)[given.judge]])
    value = np.concatenate([4.0 * (log.p - 0.5), given.mean])
    covariance = rows @ np.diag(prior_variances(n, biases)) @ rows.T + np.diag(noise)
    return float(multivariate_normal.logpdf(value, mean, covariance))


@pytest.mark.parametrize("biases", [0, 2])
@pytest.mark.parametrize("seed", range(3))
def test_no_step_of_em_lowers_the_evidence(biases: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    n, log, given = 8, by_judges(random_comparisons(8, 30, seed), 2), two_judges(8, seed)
    monkeypatch.setattr(absolute, "SCALE_TOLERANCE", 0.0)

    evidence = []
    for steps in range(15):
        monkeypatch.setattr(absolute, "MAX_ITERATIONS", steps)
        scale = combine(log, model(n, 1.0, "gaussian", biases=biases), given).scale
        evidence.append(log_evidence(np.concatenate(scale), log, given, n, biases))

    assert (np.diff(evidence) >= -1e-9).all()
    assert evidence[-1] > evidence[0]


@pytest.mark.parametrize("biases", [0, 2])
def test_em_ends_where_an_independent_optimiser_does(biases: int, monkeypatch: pytest.MonkeyPatch) -> None:
    n, log, given = 8, by_judges(random_comparisons(8, 30, seed=0), 2), two_judges(8, seed=0)
    monkeypatch.setattr(absolute, "SCALE_TOLERANCE", 1e-10)
    monkeypatch.setattr(absolute, "MAX_ITERATIONS", 5000)

    found = combine(log, model(n, 1.0, "gaussian", biases=biases), given)

    def loss(scale: Floats) -> float:
        return -log_evidence(np.concatenate([scale[:2], np.exp(scale[2:])]), log, given, n, biases)

    start = np.concatenate([found.scale.c0 + 0.2, np.log(found.scale.c1) + 0.2])
    best = minimize(loss, start, method="BFGS", tol=1e-7)
    assert found.converged
    assert loss(np.concatenate([found.scale.c0, np.log(found.scale.c1)])) == pytest.approx(float(best.fun), abs=1e-8)
    np.testing.assert_allclose(np.exp(best.x[2:]), found.scale.c1, rtol=1e-3)


def test_an_iteration_limit_is_reported_as_not_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(absolute, "MAX_ITERATIONS", 1)
    _, log, given = simulated(10, 30)

    assert not combine(log, model(10), given).converged


def error(found: Floats, truth: Floats) -> float:
    """Root mean square, of scores relative to their average."""
    return float(np.std(found - truth))


@pytest.mark.parametrize("expert", ["soft-bt", "gaussian"])
def test_both_kinds_of_verdict_together_beat_either_alone(expert: str) -> None:
    """The average over ten sets of 30 candidates."""
    together, compared, scored = [], [], []
    for seed in range(10):
        truth, log, given = simulated(30, 150, seed, expert=expert, sd=1.2)
        m = model(30, 1.0, expert)
        together.append(error(combine(log, m, given).posterior.mean, truth))
        compared.append(error(map_of(log, m).mean, truth))
        scored.append(error(combine(no_comparisons(), m, given).posterior.mean, truth))

    assert np.mean(together) < 0.9 * min(np.mean(compared), np.mean(scored))


def test_without_comparisons_absolute_scores_spread_like_the_prior() -> None:
    given = rated((0, 0, 2.0, 0.01), (1, 0, 5.0, 0.01), (2, 0, 8.0, 0.01))

    found = combine(no_comparisons(), model(3, 4.0), given)

    assert found.posterior.mean[1] == pytest.approx(0.0, abs=1e-6)
    assert float(np.square(found.posterior.mean).mean()) == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize(
    "given",
    [
        rated((2, 0, 7.0, 0.1)),
        rated(*[(i, 0, 7.1, 1.0 / 12.0) for i in range(3)]),
        rated((1, 0, 3.0, 0.1), (1, 0, 9.0, 0.1)),
        rated((0, 2, 3.0, 0.1), (1, 2, 9.0, 0.1)),
    ],
    ids=["one score", "all the same", "one candidate twice", "by the third judge only"],
)
@each_expert
def test_awkward_absolute_scores_are_no_trouble(expert: str, given: AbsoluteScores) -> None:
    log, m = random_comparisons(5, 12, seed=0), model(5, 1.0, expert)

    found = combine(log, m, given)

    assert found.converged
    assert found.posterior.convergence.converged
    assert np.isfinite(found.posterior.mean).all()
    assert (found.scale.c1 > 0.0).all()
    assert (found.scale.c1 < 1e6).all()


@pytest.mark.parametrize("mean", [7.1, 0.1, 3.0])
def test_a_judge_that_gives_everyone_the_same_says_nothing(mean: float) -> None:
    log, given = random_comparisons(5, 12, seed=0), rated(*[(i, 0, mean, 1.0 / 12.0) for i in range(3)])

    found = combine(log, model(5), given)

    np.testing.assert_allclose(found.posterior.mean, posterior.fit(log, model(5)).mean, atol=1e-3)


@few
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1), st.floats(1.0, 10.0)), min_size=1, max_size=8))
def test_any_absolute_scores_end_in_a_finite_posterior_that_is_no_wider(rows: list[tuple[int, int, float]]) -> None:
    log, m = random_comparisons(5, 12, seed=0), model(5, 1.0, "gaussian")

    found = combine(log, m, rated(*[(*row, 1.0 / 12.0) for row in rows]))

    assert np.isfinite(found.posterior.mean).all()
    assert found.posterior.covariance.log_det <= posterior.fit(log, m).covariance.log_det + 1e-9


@pytest.mark.parametrize("prior", ["unit", "anchor"])
def test_biases_and_anchors_go_together_with_absolute_scores(prior: str) -> None:
    scores, log, given = simulated(20, 800, sd=0.4)
    m = model(20, 1.0, prior=prior, biases=1)

    found = combine(log, m, given)

    assert found.converged
    assert abs(found.posterior.mean[20]) < 3.0 * np.sqrt(found.posterior.covariance.matrix()[20, 20])
    assert np.corrcoef(found.posterior.mean[:20], scores)[0, 1] > 0.95


def test_the_combined_model_folds_on() -> None:
    """Its prior holds the absolute scores, so further comparisons need nothing else."""
    _, log, given = simulated(20, 60)
    found: Combined = combine(log, model(20), given)

    folded = fold_rows(posterior.prior(found.posterior.model), log)

    np.testing.assert_allclose(folded.mean, found.posterior.mean, atol=1e-8)


def test_a_given_scale_is_gpms_product_of_experts() -> None:
    """prod N(s_n; mu_n, var_n) over the absolute scores, up to their level; in closed form with the gaussian."""
    log, said, n = random_comparisons(6, 12, seed=1), two_judges(6, 0), 6
    m = model(n, 1.0, "gaussian")
    combined = combine(log, m, said, is_given=True)

    rows, chosen = design_matrix(log, n), np.eye(n)[said.candidate]
    precision = np.eye(n) + rows.T @ rows / 4.0 + chosen.T / said.variance @ chosen
    level = said.mean - said.mean.mean()
    expected = np.linalg.solve(precision, rows.T @ (log.p - 0.5) + chosen.T @ (level / said.variance))

    np.testing.assert_allclose(combined.posterior.mean, expected, atol=1e-10)
    np.testing.assert_allclose(combined.posterior.covariance.matrix(), np.linalg.inv(precision), atol=1e-10)
    assert combined.converged
    np.testing.assert_array_equal(combined.scale.c1, 1.0)


def test_a_given_scale_is_wrong_where_the_judge_has_another_one() -> None:
    """Squared error of 20 logs of a judge whose step is half a unit of the scores, against the estimated scale."""
    errors = np.zeros(2)
    for seed in range(20):
        truth, log, said = simulated(10, 60, seed)
        for k, is_given in enumerate((False, True)):
            mean = combine(log, model(10), said, is_given=is_given).posterior.mean
            errors[k] += np.mean((mean - mean.mean() - truth + truth.mean()) ** 2)

    assert 2.0 * errors[0] < errors[1]
