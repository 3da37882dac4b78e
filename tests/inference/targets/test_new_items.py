"""Scores on new prompts: slow formulas, properties, and simulations with stated seeds."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from scipy.stats import norm, t

from app.inference.choosing.stopping import differences
from app.inference.experts import MAKERS
from app.inference.fitting import Method, Published, Scores, no_absolute_scores, publish
from app.inference.fitting.model import design_of
from app.inference.reporting import predict
from app.inference.targets.new_items import _nodes, by_prompt, on_new_items, prompts_needed, variance_of_effects
from app.inference.types import Comparisons, Floats, Ints, once_each, take
from tests.inference.factories import of_differences

N = 6
PAIRS = np.array(np.triu_indices(N, 1))
LEARNT, ONE_VOTE = Method(verdict_weight="learnt"), Method()


def judged(
    seed: int, prompts: int, omega: float, *, votes: bool = False, share: float = 1.0
) -> tuple[Comparisons, Ints, Floats]:
    """Comparisons of all pairs on each prompt, or of a share of them, their prompts, and the scores on new prompts."""
    rng = np.random.default_rng([66, seed])
    s, u = rng.normal(0.0, 0.5, N), rng.normal(0.0, omega, (prompts, N))
    item, pair = np.repeat(np.arange(prompts), PAIRS.shape[1]), np.tile(np.arange(PAIRS.shape[1]), prompts)
    kept = rng.permutation(len(item))[: round(share * len(item))]
    item, pair = item[kept], pair[kept]
    first, second = np.where(rng.random(len(item)) < 0.5, PAIRS[:, pair], PAIRS[::-1, pair])
    d = s[first] - s[second] + u[item, first] - u[item, second]
    p = (rng.random(len(d)) < expit(d)).astype(np.float64) if votes else expit(d + 0.5 * rng.standard_normal(len(d)))
    return once_each(first, second, p, np.arange(len(d)) % 2), item, s


def published(comparisons: Comparisons, item: Ints, method: Method = LEARNT) -> Published:
    return publish(comparisons, item, no_absolute_scores(), method, N, 2)


def test_pulls_are_sums_by_prompt() -> None:
    """By the slow formula, biases of judges included; at the mode they add up to what the prior takes away."""
    comparisons, item, _ = judged(1, 5, 0.5)
    fitted = published(comparisons, item, Method(position_bias="estimate"))
    c, model, mean = fitted.comparisons, fitted.model, fitted.posterior.mean
    d = mean[c.first] - mean[c.second] + mean[N + c.judge]
    slope = c.weight * (c.p - expit(d))
    slow = [design_of(c, model).scatter(np.where(item == m, slope, 0.0)) for m in range(5)]
    assert_allclose(by_prompt(fitted, item)[1], slow, atol=1e-12)
    assert_allclose(np.sum(slow, axis=0), model.prior.precision * mean, atol=1e-8)


@pytest.mark.parametrize("method", [LEARNT, ONE_VOTE, *(Method(name) for name in MAKERS if name != "soft-bt")])
def test_no_difference_is_surer_than_by_the_posterior(method: Method) -> None:
    comparisons, item, _ = judged(2, 8, 0.3)
    fitted = published(comparisons, item, method)
    (_, of_new), (_, of_posterior) = of_differences(on_new_items(fitted, item)), of_differences(fitted.scores)
    assert (of_new >= (1.0 - 1e-6) * of_posterior).all()


def test_where_prompts_agree_too_well_it_is_the_posterior() -> None:
    """Each prompt has the same pairs with the same answers: no prompt differs from the others."""
    comparisons, item, _ = judged(3, 1, 0.0)
    everywhere = take(comparisons, np.tile(np.arange(comparisons.size), 10))
    item = np.repeat(np.arange(10), comparisons.size)
    fitted = published(everywhere, item, ONE_VOTE)
    new = on_new_items(fitted, item)
    assert_allclose(new.mean, fitted.scores.mean)
    assert_allclose(new.covariance.matrix(), fitted.scores.covariance.matrix(), rtol=1e-6)


def test_other_names_of_prompts_and_candidates_change_names_alone() -> None:
    comparisons, item, _ = judged(4, 6, 0.5)
    names, of_prompts = np.random.default_rng(5).permutation(N), np.array([40, 3, 7, 0, 21, 8])
    renamed = comparisons._replace(first=names[comparisons.first], second=names[comparisons.second])
    one, other = (
        on_new_items(published(log, prompts), prompts)
        for log, prompts in ((comparisons, item), (renamed, of_prompts[item]))
    )
    assert_allclose(other.mean[names], one.mean, atol=1e-8)
    assert_allclose(other.covariance.matrix()[np.ix_(names, names)], one.covariance.matrix(), atol=1e-8)


def test_every_part_has_the_scale_that_stops_are_tested_with() -> None:
    comparisons, item, _ = judged(6, 8, 0.5)
    for method in (LEARNT, ONE_VOTE):
        fitted = published(comparisons, item, method)
        new = on_new_items(fitted, item)
        assert sum(weight for weight, _ in new.parts) == pytest.approx(1.0)
        of_new, of_posterior = (differences(scores, fitted.model).log_factor for scores in (new, fitted.scores))
        assert of_new.max() <= of_posterior.max() + 1e-9


@pytest.mark.parametrize("prompts", [8, 20, 80, 2000])
def test_normals_over_nodes_are_a_t(prompts: int) -> None:
    x, share = np.array(_nodes(prompts - 1.0)).T
    for z in (1.0, 1.96, 3.0):
        assert share @ norm.sf(z * np.sqrt(x)) == pytest.approx(t.sf(z, prompts - 1), rel=0.08)


@pytest.mark.parametrize("item", [np.zeros(15, np.int64), np.empty(0, np.int64)])
def test_one_prompt_says_nothing_of_new_ones(item: Ints) -> None:
    comparisons, _, _ = judged(7, 1, 0.0)
    with pytest.raises(ValueError, match="at least 2"):
        on_new_items(published(take(comparisons, slice(len(item))), item), item)


@pytest.mark.study
@pytest.mark.parametrize("votes", [False, True])
def test_differences_are_as_uncertain_as_stated(votes: bool) -> None:
    """20 prompts with effects of 1, 20 runs: z^2 against the scores on new prompts is 1, give or take .4.

    By the posterior it is above 1.5.

    Effects flatten votes, which are about smaller differences then.
    """
    of_new, of_posterior = list[float](), list[float]()
    for seed in range(20):
        comparisons, item, s = judged(100 + seed, 20, 1.0, votes=votes)
        fitted = published(comparisons, item)
        flatter = 1.0 / np.sqrt(1.0 + 2.0 * np.pi / 8.0) if votes else 1.0
        true = flatter * (s[PAIRS[0]] - s[PAIRS[1]])
        for scores, z2 in ((on_new_items(fitted, item), of_new), (fitted.scores, of_posterior)):
            m, v = of_differences(scores)
            z2.append(float(((m - true) ** 2 / v).mean()))
    assert 0.6 < np.mean(of_new) < 1.4
    assert np.mean(of_posterior) > 1.5


@pytest.mark.parametrize(("omega", "share"), [(0.0, 1.0), (0.5, 1.0), (1.0, 0.3)])
def test_the_variance_of_effects_is_found(omega: float, share: float) -> None:
    """30 prompts, 12 runs."""
    logs = (judged(200 + seed, 30, omega, share=share)[:2] for seed in range(12))
    estimates = [variance_of_effects(published(*log), log[1]) for log in logs]
    assert np.mean([each for each in estimates if each is not None]) == pytest.approx(omega**2, rel=0.2, abs=0.02)


def test_the_variance_of_effects_is_a_sum_over_pairs_that_share_a_prompt() -> None:
    """Slow formula: a loop over each two pairs of a prompt; some pairs come twice."""
    comparisons, item, _ = judged(11, 4, 1.0)
    again = np.append(np.arange(comparisons.size), [0, 3, 3])
    comparisons, item = take(comparisons, again), item[again]
    fitted = published(comparisons, item, ONE_VOTE)
    c, mean = fitted.comparisons, fitted.posterior.mean
    d = mean[c.first] - mean[c.second]
    pulls, weights = dict[tuple[int, int, int], float](), dict[tuple[int, int, int], float]()
    for m, a, b, e, w in zip(item, c.first, c.second, c.p - expit(d), expit(d) * expit(-d), strict=True):
        pair = (int(m), int(min(a, b)), int(max(a, b)))
        pulls[pair] = pulls.get(pair, 0.0) + (e if a < b else -e)
        weights[pair] = weights.get(pair, 0.0) + w
    together = alike = 0.0
    for (m, *k), (other, *q) in product(pulls, repeat=2):
        if m == other and k != q:
            shared = (np.eye(N)[k[0]] - np.eye(N)[k[1]]) @ (np.eye(N)[q[0]] - np.eye(N)[q[1]])
            together += pulls[m, k[0], k[1]] * pulls[m, q[0], q[1]] * shared
            alike += weights[m, k[0], k[1]] * weights[m, q[0], q[1]] * shared**2
    assert variance_of_effects(fitted, item) == pytest.approx(4.0 / 3.0 * together / alike)


def test_prompts_of_one_pair_each_tell_nothing_of_effects() -> None:
    comparisons, _, _ = judged(8, 2, 0.5)
    item = np.arange(comparisons.size)
    needed = prompts_needed(published(comparisons, item), item, leads, 0.9)
    assert needed.share is None
    assert needed.comparisons_suffice is None


def leads(scores: Scores) -> float:
    """Chance that the first of a published order is ahead of the second."""
    best, second = np.argsort(-scores.mean)[:2].tolist()
    return predict(scores, best, second).p_first_better


def test_with_effects_prompts_decide_it_and_comparisons_do_not() -> None:
    comparisons, item, _ = judged(9, 15, 1.0)
    fitted = published(comparisons, item)
    now = leads(on_new_items(fitted, item))
    assert now < 0.99
    decided = prompts_needed(fitted, item, leads, 0.99)
    assert decided.prompts == 15
    assert decided.share is not None
    assert decided.share > 0.8
    assert decided.needed is not None
    assert decided.needed > 15
    assert decided.comparisons_suffice is False
    assert prompts_needed(fitted, item, leads, now).needed == 15
    assert prompts_needed(fitted, item, leads, 1.1).needed is None


def test_without_effects_comparisons_decide_it() -> None:
    comparisons, item, _ = judged(10, 15, 0.0, share=0.3)
    decided = prompts_needed(published(comparisons, item), item, leads, 0.95)
    assert decided.comparisons_suffice is True
