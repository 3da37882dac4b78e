"""Covariates: slow formulas, what changes nothing, and the length of outputs in simulations with stated seeds."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit, logit

from app.inference.fitting import (
    Covariates,
    Effect,
    Method,
    Published,
    Scores,
    covariates_of,
    effects_of,
    no_absolute_scores,
    publish,
    repeat_correlations,
)
from app.inference.fitting.model import design_of, edges_of
from app.inference.fitting.posterior import log_posterior
from app.inference.fitting.published import with_covariates
from app.inference.reporting.bias import estimates
from app.inference.targets import by_tag, effects_on_new_items, on_new_items
from app.inference.types import Comparisons, Floats, Ints, once_each, take
from tests.inference.factories import model, of_differences, random_comparisons, relabelled, swapped

N = 4
FIRST, SECOND = np.triu_indices(N, 1)
LEARNT, ONE_VOTE = Method(verdict_weight="learnt"), Method()
JUDGES = 2


class Judged(NamedTuple):
    """Comparisons of all pairs on each prompt by judges who favour length, or do not."""

    comparisons: Comparisons
    item: Ints  # (K,)
    length: Floats  # (M, N)
    s: Floats  # (N,)


def judged(seed: int, prompts: int, beta: float, *, votes: bool = False, omega: float = 0.3) -> Judged:
    """Lengths differ as much between candidates as within; beta is the effect of one standard deviation of them."""
    rng = np.random.default_rng([75, seed])
    s, u, length = rng.normal(0.0, 0.5, N), rng.normal(0.0, omega, (prompts, N)), rng.normal(0.0, 1.0, N)
    length = length + rng.normal(0.0, 1.0, (prompts, N))
    item, pair = np.repeat(np.arange(prompts), len(FIRST)), np.tile(np.arange(len(FIRST)), prompts)
    turned = rng.random(len(item)) < 0.5
    first, second = np.where(turned, SECOND[pair], FIRST[pair]), np.where(turned, FIRST[pair], SECOND[pair])
    x = (length[item, first] - length[item, second]) / length.std()
    d = s[first] - s[second] + u[item, first] - u[item, second] + beta * x
    p = (rng.random(len(d)) < expit(d)).astype(np.float64) if votes else expit(d + 0.5 * rng.standard_normal(len(d)))
    return Judged(once_each(first, second, p, np.arange(len(d)) % JUDGES), item, length, s)


def published(log: Judged, method: Method = LEARNT, *, without: bool = False) -> Published:
    covariates = None if without else covariates_of({"length": log.length}, log.comparisons, log.item)
    nothing = no_absolute_scores()
    return publish(log.comparisons, log.item, nothing, method, N, JUDGES, covariates=covariates)


def assert_the_same_scores(one: Scores, other: Scores, tolerance: float = 1e-7) -> None:
    assert_allclose(one.mean, other.mean, atol=tolerance)
    assert_allclose(one.covariance.matrix(), other.covariance.matrix(), atol=tolerance)


def the_effect(fitted: Published) -> Effect:
    (effect,) = effects_of(fitted)
    return effect


@pytest.mark.parametrize("biases", [0, 3])
def test_everything_that_reads_the_design_reads_covariates(biases: int) -> None:
    """By the matrix written out."""
    log, rng = random_comparisons(5, 30, seed=1), np.random.default_rng(2)
    log = log._replace(judge=rng.integers(0, 3, log.size))
    alone, x = model(5, 0.7, biases=biases), rng.standard_normal((log.size, 2))
    m = with_covariates(alone, Covariates(("length", "lists"), x), log)
    theta, weights = rng.standard_normal(m.size), rng.uniform(0.0, 2.0, log.size)
    pairs = np.eye(5)[log.first] - np.eye(5)[log.second]
    r = np.hstack([pairs, np.eye(3)[log.judge][:, :biases], x])
    gram = r.T @ np.diag(weights) @ r
    assert (m.size, m.has_biases, len(m.estimated_biases)) == (5 + biases + 2, biases > 0, biases)
    assert_allclose(design_of(log, m).differences(theta), r @ theta, atol=1e-13)
    assert_allclose(design_of(log, m).scatter(weights), r.T @ weights, atol=1e-12)
    assert_allclose(design_of(log, m).information(weights), gram.diagonal(), atol=1e-12)
    assert_allclose(
        design_of(log, m).precision(weights, m.prior.precision), np.diag(m.prior.precision) + gram, atol=1e-12
    )


@pytest.mark.parametrize("expert", ["soft-bt", "hard-bt"])
@pytest.mark.parametrize("bias", ["none", "estimate", "closed-form"])
def test_the_maximum_is_that_of_another_optimiser(expert: str, bias: str) -> None:
    log = judged(3, 6, 0.5)
    fitted = published(log, Method(expert, position_bias=bias))
    c, m, posterior = fitted.comparisons, fitted.model, fitted.posterior

    def upside_down(theta: Floats) -> float:
        return -log_posterior(theta, edges_of(c, m), m)

    slow = minimize(upside_down, np.zeros(m.size), options={"gtol": 1e-7})
    assert posterior.convergence.converged
    assert_allclose(posterior.mean, slow.x, atol=1e-5)
    of_scores = np.linalg.inv(design_of(c, m).precision(posterior.weights, m.prior.precision))[:N, :N]
    assert_allclose(fitted.scores.covariance.matrix(), of_scores, atol=1e-10)
    assert fitted.scores.covariance.log_det == pytest.approx(np.linalg.slogdet(of_scores)[1])
    assert [each.judge for each in estimates(posterior, c, m)] == ([] if bias == "none" else [0, 1])


def test_many_candidates_have_the_maximum_too() -> None:
    """More than are fitted by a factor of H where there are no covariates."""
    log, rng = random_comparisons(100, 2_000, seed=4), np.random.default_rng(5)
    x = Covariates(("length",), rng.standard_normal((log.size, 1)))
    fitted = publish(log, np.zeros(log.size, np.int64), no_absolute_scores(), ONE_VOTE, 100, 1, covariates=x)
    mean, m = fitted.posterior.mean, fitted.model
    slope = log.p - expit(design_of(log, m).differences(mean))
    assert_allclose(design_of(log, m).scatter(slope), m.prior.precision * mean, atol=1e-9)


@pytest.mark.parametrize("votes", [True, False])
@pytest.mark.parametrize("method", [LEARNT, ONE_VOTE])
def test_a_covariate_that_is_alike_everywhere_changes_nothing(votes: bool, method: Method) -> None:
    """Also one that differs between prompts alone. Its effect stays at its prior."""
    log = judged(6, 10, 0.5, votes=votes)
    alike = log._replace(length=np.repeat(np.arange(10.0)[:, None], N, axis=1))
    alone, beside = published(log, method, without=True), published(alike, method)
    assert_the_same_scores(beside.scores, alone.scores)
    assert_the_same_scores(on_new_items(beside, log.item), on_new_items(alone, log.item))
    assert the_effect(beside) == pytest.approx(("length", 0.0, 1.0, 0.0), abs=1e-6)
    assert effects_of(alone) == effects_on_new_items(alone, log.item) == []


LABEL = [2, 0, 3, 1]


def _relabelled(log: Judged) -> Judged:
    return Judged(relabelled(log.comparisons, np.array(LABEL)), log.item, log.length[:, np.argsort(LABEL)], log.s)


@pytest.mark.parametrize(
    ("change", "label"),
    [
        (lambda log: log._replace(comparisons=swapped(log.comparisons)), [0, 1, 2, 3]),
        (lambda log: log._replace(length=100.0 - 7.0 * (100.0 - log.length)), [0, 1, 2, 3]),
        (lambda log: log._replace(item=9 - log.item, length=log.length[::-1]), [0, 1, 2, 3]),
        (_relabelled, LABEL),
    ],
    ids=["the other one first", "another unit", "prompts renamed", "candidates renamed"],
)
def test_names_units_and_sides_change_names_alone(change: Callable[[Judged], Judged], label: list[int]) -> None:
    log = judged(7, 10, 0.5)
    fitted, changed = published(log), published(change(log))
    assert_allclose(changed.scores.mean[label], fitted.scores.mean, atol=1e-7)
    sigma = changed.scores.covariance.matrix()[np.ix_(label, label)]
    assert_allclose(sigma, fitted.scores.covariance.matrix(), atol=1e-7)
    assert the_effect(changed) == pytest.approx(the_effect(fitted), abs=1e-7)


def test_scores_are_those_of_outputs_alike_in_length() -> None:
    """Judges without noise and prompts without effects: the scores and the effect are what was put in."""
    log = judged(9, 30, 0.8, omega=0.0)
    x = covariates_of({"length": log.length}, log.comparisons, log.item).values[:, 0]
    d = log.s[log.comparisons.first] - log.s[log.comparisons.second] + 0.8 * x
    fitted = published(log._replace(comparisons=log.comparisons._replace(p=expit(d))))
    assert the_effect(fitted).mean == pytest.approx(0.8, abs=0.01)
    assert_allclose(fitted.scores.mean - fitted.scores.mean.mean(), log.s - log.s.mean(), atol=0.02)


def test_an_effect_that_candidates_alone_explain_is_not_from_verdicts() -> None:
    """Each candidate's outputs are all of one length: nothing tells its length from how good it is."""
    log = judged(10, 20, 0.5)
    flat = log._replace(length=np.tile(log.length.mean(axis=0), (20, 1)))
    assert the_effect(published(flat)).share < 0.05
    assert the_effect(published(log)).share > 0.9


def test_two_covariates_are_distinguished() -> None:
    log, rng = judged(11, 40, 0.5), np.random.default_rng(12)
    lists = rng.normal(0.0, 1.0, log.length.shape)
    covariates = covariates_of({"length": log.length, "lists": lists}, log.comparisons, log.item)
    p = expit(logit(log.comparisons.p) - 0.4 * covariates.values[:, 1])
    comparisons = log.comparisons._replace(p=p)
    fitted = publish(comparisons, log.item, no_absolute_scores(), LEARNT, N, JUDGES, covariates=covariates)
    length, other = effects_on_new_items(fitted, log.item)
    assert (length.name, other.name) == ("length", "lists")
    assert abs(length.mean - 0.5) < 3.0 * length.sd
    assert abs(other.mean + 0.4) < 3.0 * other.sd


def test_one_tag_of_all_prompts_is_the_whole() -> None:
    log = judged(13, 12, 0.5)
    fitted = published(log)
    (slice_of_all,) = by_tag(fitted, log.item, np.zeros(12, np.int64), 1).scores
    whole = on_new_items(fitted, log.item)
    assert_allclose(slice_of_all.mean - slice_of_all.mean.mean(), whole.mean - whole.mean.mean(), atol=1e-6)


def test_repeated_votes_are_looked_at_with_their_own_covariates() -> None:
    log = judged(14, 3, 0.5, votes=True)
    item, comparisons = np.tile(log.item, 2), take(log.comparisons, np.tile(np.arange(log.comparisons.size), 2))
    fitted = published(log._replace(comparisons=comparisons, item=item), ONE_VOTE)
    assert_allclose(repeat_correlations(fitted, item, JUDGES), 1.0)


def test_what_cannot_be_is_refused() -> None:
    log = judged(15, 5, 0.0)
    gap = log.length.copy()
    gap[0, 0] = np.nan
    with pytest.raises(ValueError, match="3 comparisons are of an output without a value"):
        published(log._replace(length=gap))
    with pytest.raises(ValueError, match="need the expert soft-bt"):
        published(log, Method("gaussian"))
    with pytest.raises(ValueError, match="need 1 finite values for each of the 30 comparisons"):
        with_covariates(model(N), Covariates(("length",), np.zeros((29, 1))), log.comparisons)


def held(log: Judged, scores: Scores) -> list[bool]:
    """Whether the 95% interval of each difference, on new prompts, holds the true one."""
    mean, variance = of_differences(scores)
    return [bool(each) for each in np.abs(mean - log.s[FIRST] + log.s[SECOND]) <= 1.96 * np.sqrt(variance)]


@pytest.mark.study
@pytest.mark.parametrize("votes", [True, False], ids=["votes", "probabilities"])
def test_judges_who_favour_length_do_not_mislead(votes: bool) -> None:
    """40 sets of 40 prompts, beta .5: intervals hold with the covariate, and not without. Seeds 1000 to 1039."""
    alone, beside, effects = [], [], []
    for seed in range(1000, 1040):
        log = judged(seed, 40, 0.5, votes=votes)
        fitted = published(log)
        alone += held(log, on_new_items(published(log, without=True), log.item))
        beside += held(log, on_new_items(fitted, log.item))
        (effect,) = effects_on_new_items(fitted, log.item)
        effects.append(abs(effect.mean - 0.5) <= 1.96 * effect.sd)
    assert np.mean(alone) < 0.75
    assert 0.90 <= np.mean(beside) <= 0.99
    assert np.mean(effects) >= 0.87
