"""The scores on prompts with one tag, such as code or writing, shrunk towards those on all prompts (ours).

Candidate i has the score s_i + b_ti + u_im on prompt m of tag t, b_ti ~ N(0, eta2), u_im ~ N(0, omega2) (new_items.py).
Let s^ be the mode of the posterior, theta_t a guess of s + b_t, and l' and w the slope and curvature of each comparison
at theta_t. Prompt m adds to ln p, with x = s + b_t + u_m - s^,

    g_m . x - x . H_m x / 2      g_m = sum c l'(d) r + H_m (theta_t - s^),   H_m = sum w r r^T

Integrating out an effect N(0, v I), which is one term of x, gives the same form and a constant:

    k = (I + v H)^-1 g,   K = (I + v H)^-1 H,   constant v g . k / 2 - ln det(I + v H) / 2

This is done for each prompt with v = omega2. The sums over the prompts of t are k_t and K_t. Then it is done for each
tag with v = eta2, and the sums over tags give a = s - s^ ~ N(a^, A), with a flat prior. Going back, with pi_t the share
of t among the tagged prompts, V_t = eta2 (I + eta2 K_t)^-1 and D_t = V_t K_t - sum_t' pi_t' V_t' K_t',

    b_t | a ~ N(V_t (k_t - K_t a), V_t),   delta_t = b_t - sum_t' pi_t' b_t'
    var delta_t = (1 - 2 pi_t) V_t + sum_t' pi_t'^2 V_t' + D_t A D_t^T

ln(eta2 / tau2) has the prior LOG_ETA2 on GRID, times the constants of the tags and of a. theta_t is s^ + a + b_t at the
prior's mean, from a first pass at s^, and omega2 is the variance of effects about theta_t. The scores on prompts of t
are delta_t, taken as normal with its mean and covariance over the grid, plus the scores on new prompts with the tags of
these prompts (new_items.py, with the pulls of prompts at s^ + delta_t). At eta2 = 0 they are the scores on new prompts;
with many prompts of t they come near those of t alone. Only differences count, so delta_t is centred over candidates.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from app.inference.fitting import Published, Scores
from app.inference.fitting.measurements import Normal
from app.inference.fitting.model import design_of
from app.inference.gaussian import mixed, plain
from app.inference.regimes import MOST_IN_SLICES
from app.inference.targets.new_items import on_new_items, slopes, variance_of_effects
from app.inference.types import Floats, Ints

LOG_ETA2 = Normal(0.0, 2.0)  # of ln(eta2 / tau2)
GRID = np.linspace(-7.0, 3.0, 12)
UNKNOWN = 1e-8  # of the mean information: added in every direction, as of some nothing may be known


class PromptBlocks(NamedTuple):
    """The quadratic g . x - x . H x / 2 that each of M prompts, or tags, adds to ln p."""

    pull: Floats  # (M, N) g
    information: Floats  # (M, N, N) H


class TaggedPrompts(NamedTuple):
    """The M prompts that have a tag and comparisons."""

    row: Ints  # (K',) places of their comparisons
    prompt: Ints  # (K',) 0, 1, ..., M - 1
    tag: Ints  # (M,)
    share: Floats  # (T,) pi, of the prompts
    groups: int  # how many tags they have, prompts without a tag being one more group


class Sliced(NamedTuple):
    """The scores on new prompts of each tag."""

    scores: list[Scores]  # (T,)
    between: float  # eta2, the variance of effects that all prompts of a tag have
    within: float | None  # variance of all other effects; None where no prompt has two pairs that share a candidate

    @property
    def shared(self) -> float | None:
        """The share of the effects of prompts that is not their tags'; None where it is unknown."""
        return None if self.within is None else self.within / (self.between + self.within)


class _AtVariance(NamedTuple):
    """Posterior at one eta2."""

    log_density: float
    delta: Floats  # (T, N)
    variance: Floats  # (T, N, N) of delta
    apart: Floats  # (T, N) a + b_t


def by_tag(published: Published, item: Ints, tag: Ints, tags: int) -> Sliced:
    """The scores on new prompts of each of T tags.

    Args: `item` (K,) is the prompt of each comparison, `tag` (I,) the tag of each item, -1 where it has none.

    Raises ValueError where no prompt with comparisons has a tag, for more than MOST_IN_SLICES, and as `on_new_items`.
    """
    prompts = tagged_prompts(item, tag, tags, published.model.n)
    tau2, within = published.model.prior.variance, variance_of_effects(published, item)
    at_mode = np.tile(published.posterior.mean[: published.model.n], (tags, 1))
    usual = tau2 * float(np.exp(LOG_ETA2.mean))
    theta = at_mode + _at(usual, _of_tags(published, prompts, at_mode, within), prompts.share).apart
    if len(prompts.tag) > prompts.groups:
        within = variance_of_effects(published, item, differences_by_tag(published, prompts, theta), prompts.groups)
    of_tags, between = _of_tags(published, prompts, theta, within), tau2 * np.exp(GRID)
    points = [_at(float(eta2), of_tags, prompts.share) for eta2 in between]
    weight, delta, variance = _over_grid(points)
    whole = on_new_items(published, item, differences_by_tag(published, prompts, at_mode + delta))
    return Sliced([_plus(whole, *each) for each in zip(delta, variance, strict=True)], float(weight @ between), within)


def tagged_prompts(item: Ints, tag: Ints, tags: int, n: int) -> TaggedPrompts:
    """Raises ValueError where there are none, or too many for n candidates."""
    row = np.flatnonzero(tag[item] >= 0)
    if not len(row):
        raise ValueError("slices: no prompt with comparisons has this tag; choose another one")
    used, prompt = np.unique(item[row], return_inverse=True)
    if len(used) * n**2 > MOST_IN_SLICES:
        raise ValueError(
            f"slices take a matrix for each prompt, of {MOST_IN_SLICES:,} entries in all at most, and {n:,} candidates "
            f"on {len(used):,} prompts have {len(used) * n**2:,}; leave out candidates or prompts"
        )
    share = np.bincount(tag[used], minlength=tags) / len(used)
    groups = np.count_nonzero(share) + (len(row) < len(item))
    return TaggedPrompts(row, np.asarray(prompt, np.int64), tag[used], share, int(groups))


def differences_by_tag(published: Published, prompts: TaggedPrompts, theta: Floats) -> Floats:
    """d (K,) at theta (T, N), at the mode of prompts without a tag; biases of judges stay at the mode."""
    comparisons, mean, (row, prompt, tag, *_) = published.comparisons, published.posterior.mean, prompts
    moved = (theta - mean[: published.model.n])[tag[prompt]]
    d, k = design_of(comparisons, published.model).differences(mean), np.arange(len(row))
    d[row] += moved[k, comparisons.first[row]] - moved[k, comparisons.second[row]]
    return d


def prompt_blocks(published: Published, prompts: TaggedPrompts, theta: Floats) -> PromptBlocks:
    """g and H of each prompt, by the slopes at theta (T, N)."""
    comparisons, n, (row, prompt, tag, *_) = published.comparisons, published.model.n, prompts
    first, second, m = comparisons.first[row], comparisons.second[row], len(tag)
    slope, weight = (each[row] for each in slopes(published, differences_by_tag(published, prompts, theta)))
    pull = np.bincount(prompt * n + first, slope, m * n) - np.bincount(prompt * n + second, slope, m * n)
    information = np.zeros((m, n, n))
    information.ravel()[:] = np.bincount((prompt * n + first) * n + second, -weight, m * n * n)
    information += information.swapaxes(1, 2)
    information[:, np.arange(n), np.arange(n)] = -information.sum(axis=2)
    moved = (theta - published.posterior.mean[:n])[tag]
    return PromptBlocks(pull.reshape(m, n) + np.einsum("mij,mj->mi", information, moved), information)


def without_effects(blocks: PromptBlocks, variance: float) -> tuple[PromptBlocks, float]:
    """k, K and the change of ln p, an effect N(0, variance I) of each prompt, or tag, integrated out."""
    if not variance:
        return blocks, 0.0
    pull, information = blocks
    left = np.eye(pull.shape[1]) + variance * information
    k = np.asarray(np.linalg.solve(left, pull[..., None])[..., 0], np.float64)
    change = 0.5 * variance * float((pull * k).sum()) - 0.5 * float(np.linalg.slogdet(left)[1].sum())
    return PromptBlocks(k, np.asarray(np.linalg.solve(left, information), np.float64)), change


def sums_by_tag(blocks: PromptBlocks, tag: Ints, tags: int) -> PromptBlocks:
    """Sums over the prompts of each tag, (..., T, N) and (..., T, N, N); `tag` (..., M) is 0, 1, ..., T - 1."""
    m, n = blocks.pull.shape
    is_of_tag = (np.arange(tags)[:, None] == tag[..., None, :]).astype(np.float64)
    information: Floats = is_of_tag @ blocks.information.reshape(m, n * n)
    return PromptBlocks(np.asarray(is_of_tag @ blocks.pull), information.reshape(*information.shape[:-1], n, n))


def identified(information: Floats, size: float) -> Floats:
    """Information (..., N, N) with an inverse: UNKNOWN added in every direction, `size` to the sum of all scores."""
    n = information.shape[-1]
    return np.asarray(information + size * (np.full((n, n), 1.0 / n) + UNKNOWN * np.eye(n)))


def _of_tags(published: Published, prompts: TaggedPrompts, theta: Floats, within: float | None) -> PromptBlocks:
    """k_t and K_t."""
    of_prompts, _ = without_effects(prompt_blocks(published, prompts, theta), within or 0.0)
    return sums_by_tag(of_prompts, prompts.tag, len(prompts.share))


def _at(eta2: float, of_tags: PromptBlocks, share: Floats) -> _AtVariance:
    n = of_tags.pull.shape[1]
    of_a, change = without_effects(of_tags, eta2)
    pull = of_a.pull.sum(axis=0)
    precision = identified(of_a.information.sum(axis=0), float(np.trace(of_tags.information.sum(axis=0))) / n)
    a, spread = np.linalg.solve(precision, pull), np.linalg.inv(precision)
    log_density = change + 0.5 * float(pull @ a - np.linalg.slogdet(precision)[1])
    v = eta2 * np.linalg.inv(np.eye(n) + eta2 * of_tags.information)
    b = np.einsum("tij,tj->ti", v, of_tags.pull - of_tags.information @ a)
    lean = v @ of_tags.information
    lean = lean - np.tensordot(share, lean, 1)
    variance = (
        (1.0 - 2.0 * share)[:, None, None] * v + np.tensordot(share**2, v, 1) + lean @ spread @ lean.swapaxes(1, 2)
    )
    return _AtVariance(log_density, b - share @ b, variance, a + b)


def _over_grid(points: list[_AtVariance]) -> tuple[Floats, Floats, Floats]:
    """The weights of the points of GRID, the mean of delta (T, N), and its covariance (T, N, N)."""
    log_prior = -0.5 * ((GRID - LOG_ETA2.mean) / LOG_ETA2.sd) ** 2
    weight = softmax(np.array([point.log_density for point in points]) + log_prior)
    deltas, variances = (np.array(each) for each in ([p.delta for p in points], [p.variance for p in points]))
    delta = np.tensordot(weight, deltas, 1)
    apart = deltas - delta
    return weight, delta, np.tensordot(weight, variances, 1) + np.einsum("g,gti,gtj->tij", weight, apart, apart)


def _plus(whole: Scores, delta: Floats, variance: Floats) -> Scores:
    """The scores plus N(delta, variance), in every part; of differences alone."""
    apart = delta - delta.mean()
    variance = variance - variance.mean(axis=0) - variance.mean(axis=1)[:, None] + variance.mean()
    return mixed(
        [
            (weight, part._replace(mean=part.mean + apart, covariance=plain(part.covariance.matrix() + variance)))
            for weight, part in whole.parts or ((1.0, whole),)
        ]
    )
