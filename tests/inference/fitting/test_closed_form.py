"""Biases that are known before any score, and fits that hold them."""

import numpy as np
import pytest
from scipy.special import logit

from app.inference.experts import make
from app.inference.fitting import posterior
from app.inference.fitting.model import FARTHEST, Model, design_of, known_biases, standard_errors
from app.inference.types import Comparisons, Floats
from tests.inference.factories import (
    by_judges,
    comparisons,
    covariance_at,
    each_expert,
    fold_rows,
    gradient,
    model,
    random_comparisons,
    true_scores,
)


def known(m: Model, log: Comparisons, judges: int) -> Model:
    return m._replace(known_biases=known_biases(m.expert, log, judges))


def biased(n: int, count: int, delta: Floats, seed: int = 0) -> Comparisons:
    """Hard verdicts of sigma(s_first - s_second + delta_judge) on pairs and orders drawn at random."""
    rng, scores = np.random.default_rng(seed), true_scores(n, seed)
    log = by_judges(random_comparisons(n, count, seed), len(delta), seed)
    chance = 1.0 / (1.0 + np.exp(scores[log.second] - scores[log.first] - delta[log.judge]))
    return log._replace(p=(rng.random(count) < chance).astype(np.float64))


def test_the_closed_forms_of_the_papers() -> None:
    """logit(mean p) for soft-bt, mean p in place of beta for the gaussian, E[f_mu(p)] = 0 in general; votes weigh."""
    log = by_judges(random_comparisons(8, 60, seed=2), 3)
    log = log._replace(weight=np.random.default_rng(0).uniform(0.5, 3.0, 60))
    mean = np.bincount(log.judge, log.weight * log.p) / np.bincount(log.judge, log.weight)
    mean_logit = np.bincount(log.judge, log.weight * logit(log.p)) / np.bincount(log.judge, log.weight)

    found = {name: known_biases(make(name), log, 3) for name in ("soft-bt", "gaussian", "logit-gaussian")}

    np.testing.assert_allclose(found["soft-bt"], logit(mean), atol=1e-9)
    np.testing.assert_allclose(found["gaussian"], 4.0 * (mean - 0.5), atol=1e-9)
    np.testing.assert_allclose(found["logit-gaussian"], mean_logit, atol=1e-9)


def test_the_gaussian_with_its_closed_form_is_the_one_whose_beta_is_the_mean_p() -> None:
    """PoE 3.5, on a single judge."""
    log = random_comparisons(8, 60, seed=1)
    ours = posterior.fit(log, known(model(8, 1.0, "gaussian"), log, 1))
    theirs = posterior.fit(log, model(8, 1.0, "gaussian", beta=float(log.p.mean())))

    np.testing.assert_allclose(ours.mean, theirs.mean, atol=1e-10)
    np.testing.assert_allclose(ours.covariance.matrix(), theirs.covariance.matrix(), atol=1e-12)


@each_expert
@pytest.mark.parametrize("n", [6, 80])
def test_any_fit_holds_a_known_bias(expert: str, n: int) -> None:
    """The gradient is 0 at d = s_first - s_second + delta, compiled or not, and folding comes to the same."""
    log = by_judges(random_comparisons(n, 3 * n, seed=4), 2)
    m = known(model(n, 1.0, expert), log, 2)
    assert m.known_biases is not None
    fitted = posterior.fit(log, m)
    d = fitted.mean[log.first] - fitted.mean[log.second] + m.known_biases[log.judge]

    np.testing.assert_allclose(design_of(log, m).differences(fitted.mean), d)
    if expert != "laplace":
        np.testing.assert_allclose(gradient(fitted.mean, log, m), 0.0, atol=1e-8)
        np.testing.assert_allclose(fitted.covariance.matrix(), covariance_at(fitted.mean, log, m).matrix(), atol=1e-9)
    folded = posterior.exact(fold_rows(posterior.prior(m), log))
    np.testing.assert_allclose(folded.mean, fitted.mean, atol=1e-6)


def test_a_judge_without_comparisons_has_no_bias_and_one_that_names_one_position_only_an_extreme_one() -> None:
    log = comparisons((0, 1, 1.0), (2, 1, 1.0), (2, 0, 1.0))

    assert known_biases(make("soft-bt"), log, 2).tolist() == [FARTHEST, 0.0]
    fitted = posterior.fit(log, known(model(3), log, 2))
    np.testing.assert_allclose(fitted.mean, 0.0, atol=1e-9)
    assert standard_errors(make("soft-bt"), log, np.array([FARTHEST, 0.0])).tolist() == [FARTHEST, FARTHEST]


def test_the_bias_is_recovered_and_its_standard_error_holds_where_scores_are_alike() -> None:
    """95% intervals over 200 logs of 2 x 100 verdicts: 0.93 to 0.97; scores are alike, as the closed form takes it."""
    delta, held = np.array([1.2, -0.4]), []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        log = by_judges(random_comparisons(6, 200, seed), 2, seed)
        log = log._replace(p=(rng.random(200) < 1.0 / (1.0 + np.exp(-delta[log.judge]))).astype(np.float64))
        found = known_biases(make("soft-bt"), log, 2)
        held.append(np.abs(found - delta) < 1.96 * standard_errors(make("soft-bt"), log, found))

    assert 0.91 < np.mean(held) < 0.985


def test_a_known_bias_saves_a_ranking_from_a_judge_who_likes_the_first_position() -> None:
    """Squared error of the scores over 20 logs, pairs and orders drawn at random, delta = 2."""
    errors = np.zeros(2)
    for seed in range(20):
        truth = true_scores(12, seed)
        log = biased(12, 240, np.array([2.0]), seed)
        for k, m in enumerate((model(12), known(model(12), log, 1))):
            mean = posterior.fit(log, m).mean
            errors[k] += np.mean((mean - mean.mean() - truth + truth.mean()) ** 2)

    assert errors[1] < 0.8 * errors[0]
