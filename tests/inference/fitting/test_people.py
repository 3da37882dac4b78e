"""What people would say: slow formulas, limits of the effects, and intervals that hold where models judge."""

from functools import cache

import numpy as np
import pytest
from scipy.special import expit, ndtri
from scipy.stats import multivariate_normal

from app.inference.fitting import Method, Normal, Published, build, fit, no_absolute_scores, publish
from app.inference.fitting.effects import USUAL_EFFECTS
from app.inference.fitting.measurements import LEAST_NOISE
from app.inference.fitting.model import BIAS_VARIANCE
from app.inference.fitting.people import Voices, at, effects_apart, integrated, of_people, pool_effects, voices_of
from app.inference.types import Bools, Comparisons, Floats, by_one_judge, no_comparisons, once_each, take
from tests.inference.factories import of_differences

N = 8
HUGE, TINY = Normal(12.0, 0.01), Normal(-12.0, 0.01)


def judged(
    seed: int, effects: list[float], count: int, noise: float = 0.5, n: int = N
) -> tuple[Floats, Comparisons, Bools]:
    """(n,) what people would say, verdicts, and who is a person: judges without effects, who vote."""
    rng, people = np.random.default_rng(seed), np.array(effects) == 0.0
    s = rng.standard_normal(n)
    t = s + np.array(effects)[:, None] * rng.standard_normal((len(effects), n))
    judge, first = rng.integers(len(effects), size=count), rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    d = t[judge, first] - t[judge, second]
    vote = (rng.random(count) < expit(d)).astype(np.float64)
    p = np.where(people[judge], vote, expit(d + noise * rng.standard_normal(count)))
    return s, once_each(first, second, p, judge), people


def published(log: Comparisons, judges: int, position_bias: str = "none") -> Published:
    item, method = np.zeros(log.size, np.int64), Method(verdict_weight="learnt", position_bias=position_bias)
    return publish(log, item, no_absolute_scores(), method, N, judges)


@cache
def model_and_people() -> tuple[Published, Bools]:
    _, log, people = judged(3, [0.8, 0.8, 0.0], 120)
    return published(log, 3), people


def blank(voices: Voices) -> Floats:
    """Where theta is looked for."""
    return np.zeros((len(voices.judges) + 1) * (N + 1) + N)


@cache
def all_pairs_of_two_models() -> Voices:
    """Probabilities on every pair by one model, and on some by another."""
    rng, (low, high) = np.random.default_rng(0), np.triu_indices(N, 1)
    first, second = np.concatenate([low, high[:15]]), np.concatenate([high, low[:15]])
    judge = np.repeat([0, 1], [len(low), 15])
    p = expit(rng.normal(0.3 * judge, 1.5))
    return voices_of(published(once_each(first, second, p, judge), 2), np.zeros(2, np.bool_), {})


def test_measurements_have_the_density_and_the_scores_of_the_whole_model() -> None:
    voices = all_pairs_of_two_models()
    first, second, p, voice, _ = voices.comparisons
    row, judge, count = np.arange(len(p)), voice - 1, len(p)
    of_s, of_a, of_delta = np.zeros((count, N)), np.zeros((count, 2 * N)), np.zeros((count, 2))
    for candidate, sign in ((first, 1.0), (second, -1.0)):
        of_s[row, candidate] += sign
        of_a[row, judge * N + candidate] += sign
    of_delta[row, judge] = 1.0
    y, (mean, sd) = np.log(p / (1.0 - p)), np.array(voices.prior).T
    apart = []
    for z in np.random.default_rng(1).normal(0.0, 0.5, (3, 5)):
        tau2, *omega2, one, other = np.exp(mean + sd * z)
        effects = of_a @ np.diag(tau2 * np.repeat(omega2, N)) @ of_a.T
        biases = BIAS_VARIANCE * of_delta @ of_delta.T
        others = effects + biases + np.diag(LEAST_NOISE + np.array([one, other])[judge])
        point = at(z, blank(voices), voices)
        density = multivariate_normal(cov=tau2 * of_s @ of_s.T + others).logpdf(y) - 0.5 * z @ z
        apart.append(point.log_density - density)

        sigma = np.linalg.inv(np.eye(N) / tau2 + of_s.T @ np.linalg.solve(others, of_s))
        np.testing.assert_allclose(point.scores.covariance.matrix(), sigma, atol=1e-6)
        np.testing.assert_allclose(point.scores.mean, sigma @ of_s.T @ np.linalg.solve(others, y), atol=1e-6)
    np.testing.assert_allclose(apart, apart[0], atol=1e-5)


@pytest.mark.parametrize("who", ["probabilities", "votes", "both"])
def test_slopes_are_those_of_finite_differences(who: str) -> None:
    voices = all_pairs_of_two_models()
    if who != "probabilities":
        latent, people = model_and_people()
        log = latent.answers
        vote = np.where((log.judge == 0) | (who == "votes"), log.p > 0.5, log.p)
        voices = voices_of(published(log._replace(p=vote.astype(np.float64)), 3), people, {})
    z, theta = np.random.default_rng(2).normal(0.0, 0.5, len(voices.prior)), blank(voices)
    rises = [
        (at(z + step, theta, voices).log_density - at(z - step, theta, voices).log_density) / 2e-4
        for step in 1e-4 * np.eye(len(z))
    ]
    np.testing.assert_allclose(at(z, theta, voices).slope, rises, rtol=1e-4, atol=1e-4)


def test_of_people_alone_it_is_the_latent_score() -> None:
    _, log, people = judged(1, [0.0, 0.0], 60)
    latent = published(log, 2)
    assert of_people(latent, people, {}) is latent.scores
    empty = published(no_comparisons(), 2)
    assert of_people(empty, np.zeros(2, np.bool_), {}) is empty.scores


def test_without_effects_judges_are_people() -> None:
    rng, (first, second) = np.random.default_rng(2), np.triu_indices(N, 1)
    turned, s = rng.random(len(first)) < 0.5, rng.standard_normal(N)
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    p = expit(s[first] - s[second] + rng.normal(0.0, 0.5, len(first)))
    latent = published(by_one_judge(first, second, p), 1, "estimate")
    found = of_people(latent, np.zeros(1, np.bool_), {0: TINY})
    np.testing.assert_allclose(found.mean, latent.scores.mean, rtol=0.02, atol=0.02)
    sds = np.sqrt(of_differences(latent.scores)[1])
    np.testing.assert_allclose(np.sqrt(of_differences(found)[1]), sds, rtol=0.1)


def test_with_huge_effects_people_alone_count() -> None:
    latent, people = model_and_people()
    voices = voices_of(latent, people, {0: HUGE, 1: HUGE})
    point = at(np.zeros(len(voices.prior)), np.zeros(3 * (N + 1) + N), voices)
    of_all = take(latent.comparisons, people[latent.comparisons.judge])
    prior = build(Method(position_bias="estimate", prior_variance=latent.model.prior.variance), N, 3)
    alone = fit(of_all, prior)
    np.testing.assert_allclose(point.scores.mean, alone.mean[:N], atol=1e-3)
    np.testing.assert_allclose(point.scores.covariance.matrix(), alone.covariance.matrix()[:N, :N], atol=1e-3)


def test_a_judge_alone_keeps_its_prior_and_is_never_sure() -> None:
    """s given t = s + a is (1 - r) t + N(0, r (1 - r) T), r = omega^2 / T the prior's; T and t are what is learnt."""
    _, log, people = judged(4, [0.7], 1000, noise=0.1)
    latent = published(log, 1)
    weight, _, z = integrated(voices_of(latent, people, {}))
    found = of_people(latent, people, {})

    of_effects = weight @ z[:, 1], weight @ z[:, 1] ** 2
    np.testing.assert_allclose(of_effects, (0.0, 1.0), atol=0.15)
    ratio = np.exp(USUAL_EFFECTS.mean + USUAL_EFFECTS.sd * ndtri((np.arange(1000) + 0.5) / 1000))
    shrunk = float((1.0 / (1.0 + ratio)).mean())
    slope = np.polyfit(latent.scores.mean, found.mean, 1)[0]
    assert slope == pytest.approx(shrunk, abs=0.05)
    total = float(latent.scores.mean.var())
    expected = np.sqrt(2.0 * total * float((ratio / (1.0 + ratio) ** 2).mean()))
    assert np.sqrt(of_differences(found)[1]).min() > 0.8 * expected


@pytest.mark.study
def test_intervals_hold_what_people_say_where_models_judge() -> None:
    """95% intervals of differences, 8 runs of one model or three: about 95% hold, of the latent score's half."""
    held = []
    for seed in range(8):
        s, log, people = judged(seed, [1.0] if seed % 2 else [1.0] * 3, 100)
        latent = published(log, len(people))
        i, k = np.triu_indices(N, 1)
        both = (of_differences(scores) for scores in (latent.scores, of_people(latent, people, {})))
        held.append([np.mean(np.abs(mean - s[i] + s[k]) <= 1.96 * np.sqrt(variance)) for mean, variance in both])
    by_latent, by_people = np.mean(held, axis=0)
    assert by_latent < 0.75
    assert by_people > 0.88


def test_relabelling_relabels() -> None:
    latent, people = model_and_people()
    order, judges = np.random.default_rng(4).permutation(N), np.array([1, 2, 0])
    log = latent.answers
    renamed = log._replace(first=order[log.first], second=order[log.second], judge=judges[log.judge])
    one, other = of_people(latent, people, {}), of_people(published(renamed, 3), people[np.argsort(judges)], {})
    np.testing.assert_allclose(other.mean[order], one.mean, atol=1e-9)
    np.testing.assert_allclose(other.covariance.matrix()[np.ix_(order, order)], one.covariance.matrix(), atol=1e-9)


def test_sets_of_a_pool_tell_the_effects_of_a_judge() -> None:
    of_sets = []
    for seed in range(6):
        _, log, people = judged(seed, [1.5, 0.2, 0.2], 150)
        of_sets.append(effects_apart(published(log, 3), people, np.array([7, 8, 9])))
    pooled = pool_effects(of_sets)
    assert pooled[7].mean > USUAL_EFFECTS.mean + 0.5
    assert max(pooled[8].mean, pooled[9].mean) < USUAL_EFFECTS.mean
    assert max(each.sd for each in pooled.values()) < 1.5 * USUAL_EFFECTS.sd


def test_a_judge_alone_tells_a_pool_nothing() -> None:
    _, log, people = judged(5, [0.7], 200)
    assert effects_apart(published(log, 1), people, np.array([7])) == {}


def test_more_candidates_than_it_can_take_are_refused() -> None:
    latent, people = model_and_people()
    large = latent._replace(model=latent.model._replace(n=501))
    with pytest.raises(ValueError, match="2 models on 501 candidates"):
        of_people(large, people, {})
