"""Expectation propagation has the moments and the evidence of what it approximates, also where votes separate."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, log_expit, ndtr

from app.inference.fitting import posterior as posteriors
from app.inference.fitting.absolute import no_absolute_scores
from app.inference.fitting.evidence import (
    TOLERANCE,
    Approximation,
    approximate,
    log_evidence_of,
    propagate,
    tilted_moments,
)
from app.inference.fitting.measurements import WEAK_RATIO
from app.inference.fitting.model import BIAS_VARIANCE, Method, Model, at_scale, build, edges_of
from app.inference.fitting.published import publish
from app.inference.gaussian import Scores
from app.inference.types import Comparisons, Floats, by_one_judge, join, take
from tests.inference.factories import draw_ranks

LEARNT = Method(verdict_weight="learnt")


def model(n: int, scale: float, position_bias: str = "none", judges: int = 1) -> Model:
    return at_scale(build(LEARNT._replace(position_bias=position_bias), n, judges), scale)


def all_pairs(n: int) -> Comparisons:
    """Votes of a judge that never errs: the lower number is better, in either order."""
    first, second = np.array([(i, j) if (i + j) % 2 else (j, i) for i in range(n) for j in range(i)]).T
    return by_one_judge(first, second, (first < second).astype(float))


def propagated(log: Comparisons, of: Model, tolerance: float = TOLERANCE) -> tuple[posteriors.Posterior, float]:
    edges = edges_of(log, of)
    posterior, _, log_evidence = propagate(edges, of, posteriors.map_of(edges, of).theta, tolerance)
    return posterior, log_evidence


def log_likelihood(s: Floats, log: Comparisons, bias: Floats | float = 0.0) -> Floats:
    """(D,) of draws (D, N)."""
    total = np.zeros(len(s))
    for i, j, p, _, weight in zip(*log, strict=True):
        d = s[:, i] - s[:, j] + bias
        total += weight * (p * log_expit(d) + (1.0 - p) * log_expit(-d))
    return total


@pytest.mark.parametrize("variance", [0.04, 1.0, 60.0, 400.0])
def test_tilted_moments_are_those_of_the_integral(variance: float) -> None:
    cases = np.array([(m * np.sqrt(variance), a, b) for m in (-3.0, 0.0, 2.0) for a, b in ((1, 0), (0.3, 0.2), (3, 1))])
    mean, wins, losses = cases.T.copy()
    found = np.array(tilted_moments(mean, np.full(len(mean), variance), wins, losses))
    for k, (m, a, b) in enumerate(cases):
        reach = 9.0 * np.sqrt(variance) + 3.0 * variance * (a + b) / (1.0 + variance)

        def weighted(d: float, power: int, m: float = m, a: float = a, b: float = b) -> float:
            return float(np.exp(a * log_expit(d) + b * log_expit(-d) - 0.5 * (d - m) ** 2 / variance) * d**power)

        points = [m - reach, *np.linspace(-6.0, 6.0, 7), m, m + reach]
        ends = sorted({float(np.clip(x, m - reach, m + reach)) for x in points})
        parts = [[quad(weighted, low, high, args=(power,))[0] for low, high in pairwise(ends)] for power in (0, 1, 2)]
        total, first, second = np.sum(parts, axis=1)
        expected = np.log(total / np.sqrt(2.0 * np.pi * variance)), first / total, second / total - (first / total) ** 2
        sd = np.sqrt(expected[2])
        assert np.abs(found[:, k] - expected) / [1.0, sd, sd**2] == pytest.approx(0.0, abs=2e-4)


def test_two_candidates_have_the_moments_and_the_evidence_of_the_integral() -> None:
    """d ~ N(0, 2 tau2), of two votes one way, one the other, a tie and half a vote."""
    scale = 5.0
    log = by_one_judge(np.array([0, 1, 0, 0, 1]), np.array([1, 0, 1, 1, 0]), np.array([1.0, 0.0, 0.0, 0.5, 0.0]))
    log = log._replace(weight=np.array([1.0, 1.0, 1.0, 1.0, 0.5]))
    posterior, log_evidence = propagated(log, model(2, scale))

    def weighted(d: float, power: int) -> float:
        likelihood = expit(d) ** 3.0 * expit(-d) ** 1.5
        return float(likelihood * np.exp(-0.25 * d * d / scale) / np.sqrt(4.0 * np.pi * scale) * d**power)

    total, first, second = (quad(weighted, -40.0, 40.0, args=(power,), points=[0.0])[0] for power in (0, 1, 2))
    sigma = posterior.covariance.matrix()
    assert posterior.edges.size == 1
    assert posterior.convergence.converged
    assert posterior.mean[0] - posterior.mean[1] == pytest.approx(first / total, abs=1e-4)
    assert sigma[0, 0] + sigma[1, 1] - 2.0 * sigma[0, 1] == pytest.approx(
        second / total - (first / total) ** 2, rel=1e-4
    )
    assert log_evidence == pytest.approx(np.log(total), abs=1e-5)
    assert posterior.mean.sum() == pytest.approx(0.0, abs=1e-12)
    assert sigma.sum() == pytest.approx(2.0 * scale)


def test_no_comparison_gives_the_prior() -> None:
    posterior, log_evidence = propagated(take(all_pairs(3), slice(0)), model(3, 7.0))
    assert (posterior.mean == 0.0).all()
    assert posterior.covariance.matrix() == pytest.approx(7.0 * np.eye(3))
    assert log_evidence == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("position_bias", ["none", "estimate"])
def test_measurements_alone_are_exact(position_bias: str) -> None:
    rng = np.random.default_rng(4)
    first, second = np.array([rng.choice(5, 2, replace=False) for _ in range(12)]).T
    log = by_one_judge(first, second, expit(rng.standard_normal(12)))._replace(weight=rng.uniform(0.5, 3.0, 12))
    of = model(5, 2.0, position_bias)
    posterior, _ = propagated(log, of)
    exact = posteriors.fit(log, of)
    assert posterior.mean == pytest.approx(exact.mean, abs=1e-9)
    assert posterior.covariance.matrix() == pytest.approx(exact.covariance.matrix(), abs=1e-9)
    marginal, of_exact = posterior.scores, exact.scores
    assert marginal.covariance.log_det == pytest.approx(of_exact.covariance.log_det)


def test_publishing_measurements_alone_is_the_same_to_the_last_bit() -> None:
    rng = np.random.default_rng(4)
    first, second = np.array([rng.choice(5, 2, replace=False) for _ in range(12)]).T
    log = by_one_judge(first, second, expit(rng.standard_normal(12)))
    by_laplace, by_propagation = published(log, 5, "laplace"), published(log, 5, "ep")
    assert (by_laplace.mean == by_propagation.mean).all()
    assert (by_laplace.covariance.matrix() == by_propagation.covariance.matrix()).all()


def test_a_vote_in_the_other_order_is_the_same_vote_and_a_repeat_weighs_twice() -> None:
    log, of = all_pairs(5), model(5, 40.0)
    turned = log._replace(first=log.second, second=log.first, p=1.0 - log.p)
    (one, evidence), (other, of_turned) = propagated(log, of), propagated(join(log, turned), of)
    twice, of_twice = propagated(log._replace(weight=2.0 * log.weight), of)
    assert other.edges.size == log.size
    assert other.mean == pytest.approx(twice.mean)
    assert of_turned == pytest.approx(of_twice)
    assert propagated(turned, of)[0].mean == pytest.approx(one.mean)
    assert evidence > of_turned


def test_other_names_give_the_same_posterior() -> None:
    log, of, order = all_pairs(7), model(7, 100.0), np.random.default_rng(2).permutation(7)
    renamed = log._replace(first=order[log.first], second=order[log.second])
    (one, evidence), (other, of_renamed) = propagated(log, of), propagated(renamed, of)
    assert other.mean[order] == pytest.approx(one.mean)
    assert other.covariance.matrix()[np.ix_(order, order)] == pytest.approx(one.covariance.matrix())
    assert of_renamed == pytest.approx(evidence)


@pytest.mark.parametrize("scale", [0.1, 10.0, 1000.0])
def test_the_evidence_alone_is_had_sooner(scale: float) -> None:
    log, of = all_pairs(12), model(12, scale)
    assert log_evidence_of(edges_of(log, of), of, np.array([scale]), "ep")[0] == pytest.approx(
        propagated(log, of, 1e-9)[1], abs=2e-3
    )


@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_draws_of_the_prior_weighed_by_the_likelihood_agree(scale: float) -> None:
    """Six candidates whose votes separate; the draws know nothing of sites."""
    log = take(all_pairs(6), np.arange(15) % 4 != 1)
    posterior, log_evidence = propagated(log, model(6, scale))
    s = np.sqrt(scale) * np.random.default_rng(6).standard_normal((400_000, 6))
    likelihood = np.exp(log_likelihood(s, log))
    weight = likelihood / likelihood.sum()
    mean, sd = weight @ s, np.sqrt(weight @ (s - weight @ s) ** 2)
    assert log_evidence == pytest.approx(np.log(likelihood.mean()), abs=0.15)
    assert posterior.mean / sd == pytest.approx(mean / sd, abs=0.06)
    assert np.sqrt(posterior.covariance.diagonal) == pytest.approx(sd, rel=0.04)
    first_over_second = posterior.mean[0] - posterior.mean[1]
    sigma = posterior.covariance.matrix()
    by_propagation = ndtr(first_over_second / np.sqrt(sigma[0, 0] + sigma[1, 1] - 2.0 * sigma[0, 1]))
    assert by_propagation == pytest.approx(weight @ (s[:, 0] > s[:, 1]), abs=0.03)


def test_a_bias_is_integrated_over() -> None:
    """Two orders of each pair are two rows."""
    log = by_one_judge(np.array([0, 1, 1, 2, 0]), np.array([1, 0, 2, 1, 2]), np.ones(5))
    of = model(3, 2.0, "estimate")
    posterior, log_evidence = propagated(log, of)
    rng = np.random.default_rng(8)
    s, bias = np.sqrt(2.0) * rng.standard_normal((300_000, 3)), np.sqrt(BIAS_VARIANCE) * rng.standard_normal(300_000)
    likelihood = np.exp(log_likelihood(s, log, bias))
    weight = likelihood / likelihood.sum()
    assert posterior.edges.size == 5
    assert log_evidence == pytest.approx(np.log(likelihood.mean()), abs=0.12)
    assert posterior.mean[:3] == pytest.approx(weight @ s, abs=0.03)
    assert posterior.mean[3] == pytest.approx(weight @ bias, rel=0.03)


@pytest.mark.parametrize("scale", [1e-6, 1e3, 1e6])
def test_extremes_converge(scale: float) -> None:
    """Certain votes of a thousand answers, and as many against each other."""
    log = all_pairs(8)
    heavy = join(log, log._replace(p=1.0 - log.p))._replace(weight=np.full(2 * log.size, 500.0))
    for votes in (log, log._replace(weight=1000.0 * log.weight), heavy):
        posterior, log_evidence = propagated(votes, model(8, scale))
        assert posterior.convergence.converged
        assert np.isfinite(log_evidence)


def test_numbers_too_large_for_sites_leave_laplaces_posterior() -> None:
    log, of = all_pairs(5)._replace(weight=np.full(10, 1e9)), model(5, 1e10)
    with pytest.raises(np.linalg.LinAlgError):
        propagated(log, of)
    of_scores = approximate(posteriors.fit(log, of), "ep")
    assert of_scores.mean == pytest.approx(posteriors.fit(log, of).mean)


def test_what_is_published_is_near_the_truth_where_laplace_is_not() -> None:
    """A judge that never errs: P(best) over the prior of tau2, from draws of that weighed by the likelihood."""
    n, log, rng = 6, all_pairs(6), np.random.default_rng(9)
    log_scale = WEAK_RATIO.mean + WEAK_RATIO.sd * rng.standard_normal(600_000)
    s = np.exp(0.5 * log_scale)[:, None] * rng.standard_normal((600_000, n))
    weight = np.exp(log_likelihood(s, log))
    truth = weight[s.argmax(axis=1) == 0].sum() / weight.sum()
    by_propagation, by_laplace = (p_best(published(log, n, each)) for each in ("ep", "laplace"))
    assert by_propagation == pytest.approx(truth, abs=0.035)
    assert by_laplace < truth - 0.07


def published(log: Comparisons, n: int, approximation: Approximation) -> Scores:
    item = np.zeros(log.size, np.int64)
    return publish(log, item, no_absolute_scores(), LEARNT, n, 1, approximation=approximation).scores


def p_best(scores: Scores) -> float:
    return float((draw_ranks(scores, np.random.default_rng(1))[:, 0] == 1).mean())
