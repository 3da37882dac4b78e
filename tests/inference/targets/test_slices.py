"""Scores by tag and deviations: a dense mixed model as the slow formula, properties, simulations with stated seeds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import block_diag
from scipy.special import expit
from scipy.stats import multivariate_normal

from app.inference.fitting import Method, Published, Scores, no_absolute_scores, publish
from app.inference.targets import TagDeviation, deviations, on_new_items
from app.inference.targets.slices import (
    Sliced,
    at_variance,
    by_tag,
    prompt_blocks,
    sums_by_tag,
    tagged_prompts,
    without_effects,
)
from app.inference.types import Comparisons, Floats, Ints, once_each, take
from tests.inference.factories import of_differences

N, TAGS = 4, 3
PAIRS = np.array(np.triu_indices(N, 1))
PLANTED = np.array([[-0.3, 0.3, 0.9, -0.9], [0.9, 0.3, -0.3, -0.9], [0.9, 0.3, -0.3, -0.9]])
LEARNT, ONE_VOTE = Method(verdict_weight="learnt"), Method(position_bias="estimate")
Log = tuple[Comparisons, Ints, Ints]


def judged(seed: int, prompts: int, scores: Floats | None = None, *, votes: bool = False, share: float = 1.0) -> Log:
    """Comparisons of a share of the pairs on each prompt with effects of .5, their prompts, and the tags of these.

    Args: `scores` (T, N) of tags in turn; the same of all tags, drawn, by default.
    """
    rng = np.random.default_rng([74, seed])
    scores = np.tile(rng.normal(0.0, 0.5, N), (TAGS, 1)) if scores is None else scores
    tag = np.arange(prompts) % TAGS
    theta = scores[tag] + rng.normal(0.0, 0.5, (prompts, N))
    cells = prompts * PAIRS.shape[1]
    item, pair = np.divmod(rng.permutation(cells)[: round(share * cells)], PAIRS.shape[1])
    first, second = np.where(rng.random(len(item)) < 0.5, PAIRS[:, pair], PAIRS[::-1, pair])
    d = theta[item, first] - theta[item, second]
    p = (rng.random(len(d)) < expit(d)).astype(np.float64) if votes else expit(d + 0.5 * rng.standard_normal(len(d)))
    return once_each(first, second, p, np.arange(len(d)) % 2), item, tag


def published(comparisons: Comparisons, item: Ints, method: Method = LEARNT) -> Published:
    return publish(comparisons, item, no_absolute_scores(), method, N, 2)


def sliced(log: Log, method: Method = LEARNT) -> Sliced:
    comparisons, item, tag = log
    return by_tag(published(comparisons, item, method), item, tag, TAGS)


def departed(log: Log, permutations: int = 199) -> list[TagDeviation]:
    comparisons, item, tag = log
    return deviations(published(comparisons, item), item, tag, TAGS, np.random.default_rng(0), permutations)


def assert_alike(one: Scores, other: Scores, atol: float = 1e-7) -> None:
    assert_allclose(one.mean, other.mean, atol=atol)
    assert_allclose(one.covariance.matrix(), other.covariance.matrix(), atol=atol)


def test_blocks_are_the_slopes_and_curvatures_of_each_prompt() -> None:
    """By differences of the log likelihood of each prompt, judges' biases being those of the mode."""
    comparisons, item, tag = judged(1, 6, votes=True)
    fitted = published(comparisons, item, ONE_VOTE)
    theta, step = np.random.default_rng(2).normal(size=(TAGS, N)), 1e-4
    c, mean = fitted.comparisons, fitted.posterior.mean
    blocks = prompt_blocks(fitted, tagged_prompts(item, tag, TAGS, N), theta - mean[:N], None)
    information, pull = blocks[..., :N], blocks[..., N]

    def log_likelihood(m: int, x: Floats) -> float:
        rows = take(c, item == m)
        d = x[rows.first] - x[rows.second] + mean[N + rows.judge]
        return float((rows.p * d - np.logaddexp(0.0, d)).sum())

    for m in range(6):
        at = theta[tag[m]]
        slope = [(log_likelihood(m, at + e) - log_likelihood(m, at - e)) / (2.0 * step) for e in step * np.eye(N)]
        assert_allclose(pull[m] - information[m] @ (at - mean[:N]), slope, atol=1e-6)
        for e, row in zip(step * np.eye(N), information[m], strict=True):
            bend = 2.0 * log_likelihood(m, at) - log_likelihood(m, at + e) - log_likelihood(m, at - e)
            assert bend / step**2 == pytest.approx(row[e > 0.0][0], abs=1e-5)


def test_effects_are_integrated_out_as_in_a_dense_mixed_model() -> None:
    """Readings y = X (theta + u) + e of each prompt: k and K are X^T W y and X^T W X with W = var(y)^-1."""
    rng, v = np.random.default_rng(3), 0.7
    x, y, noise = rng.normal(size=(5, 8, N)), rng.normal(size=(5, 8)), rng.uniform(0.5, 2.0, 8)
    blocks = (x / noise[:, None]).swapaxes(1, 2) @ np.concatenate([x, y[..., None]], axis=2)
    after, change = without_effects(blocks, v)
    information, k = after[..., :N], after[..., N]
    slow = 0.0
    for m in range(5):
        variance = np.diag(noise) + v * x[m] @ x[m].T
        assert_allclose(k[m], x[m].T @ np.linalg.solve(variance, y[m]))
        assert_allclose(information[m], x[m].T @ np.linalg.solve(variance, x[m]))
        slow += multivariate_normal.logpdf(y[m], cov=variance) - multivariate_normal.logpdf(y[m], cov=np.diag(noise))
    assert change == pytest.approx(slow)


def test_deviations_of_tags_are_those_of_a_dense_mixed_model() -> None:
    """With parameters a and b_t of all tags at once, a nearly flat; the evidence up to a constant."""
    comparisons, item, tag = judged(4, 8, PLANTED)
    fitted = published(comparisons, item)
    prompts = tagged_prompts(item, tag, TAGS, N)
    of_tags = sums_by_tag(prompt_blocks(fitted, prompts, np.zeros((TAGS, N)), 0.2), tag, TAGS)
    information, k = of_tags[..., :N], of_tags[..., N]
    to_b = np.kron(np.hstack([np.ones((TAGS, 1)), np.eye(TAGS)]), np.eye(N))
    c = np.kron(np.hstack([np.zeros((TAGS, 1)), np.eye(TAGS) - prompts.share]), np.eye(N))
    log_densities = []
    for eta2 in (0.05, 0.5):
        prior = np.diag(np.append(np.full(N, 1e-7), np.full(TAGS * N, 1.0 / eta2)))
        precision = to_b.T @ block_diag(*information) @ to_b + prior
        sigma, pull = np.linalg.inv(precision), to_b.T @ k.ravel()
        log_density, scores, of_delta = at_variance(eta2, of_tags, prompts.share)
        variance = c @ sigma @ c.T
        assert_allclose((scores - prompts.share @ scores).ravel(), c @ sigma @ pull, atol=1e-5)
        assert_allclose(of_delta, [variance[t : t + N, t : t + N] for t in range(0, TAGS * N, N)], atol=1e-5)
        dense = 0.5 * pull @ sigma @ pull - 0.5 * np.linalg.slogdet(precision)[1]
        log_densities.append((log_density, dense - 0.5 * TAGS * N * np.log(eta2)))
    (one, dense_one), (other, dense_other) = log_densities
    assert other - one == pytest.approx(dense_other - dense_one, abs=1e-4)


@pytest.mark.parametrize("votes", [False, True])
def test_without_effects_of_tags_a_slice_is_the_whole(votes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.inference.targets.slices.GRID", np.array([-25.0]))
    comparisons, item, tag = judged(5, 12, votes=votes)
    fitted = published(comparisons, item)
    for scores in by_tag(fitted, item, tag, TAGS).scores:
        assert_alike(scores, on_new_items(fitted, item))


def test_a_tag_of_all_prompts_is_the_whole() -> None:
    comparisons, item, tag = judged(6, 8)
    fitted = published(comparisons, item)
    [scores] = by_tag(fitted, item, np.zeros_like(tag), 1).scores
    assert_alike(scores, on_new_items(fitted, item))
    assert deviations(fitted, item, np.zeros_like(tag), 1, np.random.default_rng(0), 19)[0].p_value == 1.0


def test_with_many_prompts_a_slice_is_nearly_that_of_its_prompts_alone() -> None:
    comparisons, item, tag = judged(7, 240, 3.0 * PLANTED)
    of_tag = tag[item] == 0
    alone = on_new_items(published(take(comparisons, of_tag), item[of_tag]), item[of_tag])
    [scores, *_] = sliced((comparisons, item, tag)).scores
    assert_allclose(scores.mean, alone.mean, atol=0.1)


@pytest.mark.parametrize("method", [LEARNT, ONE_VOTE])
def test_other_names_of_candidates_prompts_and_tags_and_another_order_change_names_alone(method: Method) -> None:
    comparisons, item, tag = judged(8, 9, PLANTED, votes=method is ONE_VOTE)
    rng = np.random.default_rng(9)
    names, of_prompts, of_tags = rng.permutation(N), rng.permutation(20)[:9], rng.permutation(TAGS)
    order = rng.permutation(comparisons.size)
    named = np.full(20, -1)
    named[of_prompts] = of_tags[tag]
    renamed = take(comparisons._replace(first=names[comparisons.first], second=names[comparisons.second]), order)
    logs = (comparisons, item, tag), (renamed, of_prompts[item][order], named)
    one, other = (sliced(log, method) for log in logs)
    assert other[1:] == pytest.approx(one[1:], abs=1e-6)
    for t in range(TAGS):
        scores = other.scores[of_tags[t]]
        assert_allclose(scores.mean[names], one.scores[t].mean, atol=1e-6)
        assert_allclose(scores.covariance.matrix()[np.ix_(names, names)], one.scores[t].covariance.matrix(), atol=1e-6)
    of_one, of_other = (departed(log) for log in logs)
    for t in range(TAGS):
        a, b = of_one[t], of_other[of_tags[t]]
        assert (names[a.first], names[a.second], a.p_value, a.is_reversal) == (
            b.first,
            b.second,
            b.p_value,
            b.is_reversal,
        )


def test_prompts_without_a_tag_count_for_the_whole_alone() -> None:
    comparisons, item, tag = judged(10, 12)
    untagged = np.where(tag == 2, -1, tag)
    fitted = published(comparisons, item)
    two = by_tag(fitted, item, untagged, 2)
    assert len(two.scores) == 2
    tagged = deviations(fitted, item, untagged, 2, np.random.default_rng(0), 19)
    assert tagged[0].p_value == tagged[1].p_value
    assert {tagged[0].first, tagged[0].second} == {tagged[1].first, tagged[1].second}


def test_a_tag_without_comparisons_has_the_whole_but_wider() -> None:
    comparisons, item, tag = judged(11, 12)
    rows = np.flatnonzero(tag[item] != 2)
    comparisons, item = take(comparisons, rows), item[rows]
    fitted, whole = published(comparisons, item), on_new_items(published(comparisons, item), item)
    scores = by_tag(fitted, item, tag, TAGS).scores[2]
    assert_allclose(scores.mean, whole.mean, atol=0.05)
    assert (scores.covariance.diagonal > whole.covariance.diagonal).all()
    assert deviations(fitted, item, tag, TAGS, np.random.default_rng(0), 19)[2].p_value == 1.0


def test_a_system_without_outputs_in_a_tag_claims_nothing_there() -> None:
    comparisons, item, tag = judged(12, 30, PLANTED)
    rows = np.flatnonzero((tag[item] != 0) | ((comparisons.first != 2) & (comparisons.second != 2)))
    log = take(comparisons, rows), item[rows], tag
    assert 2 not in departed(log)[0][1:3]
    assert sliced(log).scores[0].covariance.diagonal.argmax() == 2


def test_prompts_of_one_pair_each_do_not_tell_what_is_shared() -> None:
    comparisons, item, tag = judged(13, 18)
    _, once = np.unique(item, return_index=True)
    alone = sliced((take(comparisons, once), item[once], tag))
    assert alone.within is None
    assert alone.shared is None


@pytest.mark.parametrize(("prompts", "smallest"), [(3, 1.0), (5, 0.2), (6, 0.2)])
def test_too_few_prompts_cannot_claim(prompts: int, smallest: float) -> None:
    """The largest deviation has the smallest p, give or take the error of 999 permutations."""
    of_tag, *_ = departed(judged(14, prompts, 5.0 * PLANTED), 999)
    assert of_tag.smallest_p == pytest.approx(smallest)
    assert of_tag.p_value == pytest.approx(smallest, abs=0.05)


@pytest.mark.parametrize(("tag", "why"), [(np.full(4, -1), "no prompt"), (np.zeros(4, np.int64), "at least 2")])
def test_refused(tag: Ints, why: str) -> None:
    comparisons, item, _ = judged(15, 4)
    rows = item == 0 if why == "at least 2" else item >= 0
    fitted = published(take(comparisons, rows), item[rows])
    for refused in (
        lambda: by_tag(fitted, item[rows], tag, 1),
        lambda: deviations(fitted, item[rows], tag, 1, np.random.default_rng(0)),
    ):
        with pytest.raises(ValueError, match=why):
            refused()


def test_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.inference.targets.slices.MOST_IN_SLICES", 90)
    with pytest.raises(ValueError, match="4 candidates on 6 prompts have 96; leave out"):
        sliced(judged(16, 6))


def test_a_planted_reversal_is_found() -> None:
    """20 sets of 30 prompts: two of four systems change places on one tag of three."""
    for seed in range(20):
        of_tag, *others = departed(judged(100 + seed, 30, PLANTED))
        assert of_tag.p_value <= 0.05
        assert of_tag.p_value <= min(each.p_value for each in others)
        assert (of_tag.first, of_tag.second) == (2, 0)
        assert of_tag.difference > 1.2
    assert of_tag.is_reversal


@pytest.mark.study
def test_false_deviations_are_claimed_in_few_sets() -> None:
    """100 sets of 15 prompts without effects of tags: a deviation is claimed in 5 at most, at .05."""
    claimed = [min(each.p_value for each in departed(judged(200 + seed, 15))) <= 0.05 for seed in range(100)]
    assert sum(claimed) <= 5


@pytest.mark.study
@pytest.mark.parametrize(("eta", "votes"), [(0.0, False), (0.4, False), (0.4, True)])
def test_differences_on_a_tag_are_as_uncertain_as_stated(eta: float, votes: bool) -> None:
    """24 prompts, 12 runs: z^2 of all differences is .5 to 1.4; those of the whole are above 1.8 where tags differ.

    Effects of prompts flatten votes, which are about smaller differences then.
    """
    of_slices, of_whole = list[float](), list[float]()
    flatter = 1.0 / np.sqrt(1.0 + np.pi / 4.0 * 0.5**2) if votes else 1.0
    for seed in range(12):
        rng = np.random.default_rng([75, seed])
        scores = rng.normal(0.0, 0.5, N) + rng.normal(0.0, eta, (TAGS, N))
        comparisons, item, tag = judged(300 + seed, 24, scores, votes=votes)
        fitted = published(comparisons, item)
        whole = on_new_items(fitted, item)
        for t, of_tag in enumerate(by_tag(fitted, item, tag, TAGS).scores):
            of_slices.append(_squared(of_tag, flatter * scores[t]))
            of_whole.append(_squared(whole, flatter * scores[t]))
    assert 0.35 < np.mean(of_slices) < 1.4
    assert (np.mean(of_whole) > 1.8) == (eta > 0.0)


def _squared(scores: Scores, truth: Floats) -> float:
    (i, j), (mean, variance) = PAIRS, of_differences(scores)
    return float(np.mean((mean - truth[i] + truth[j]) ** 2 / variance))
