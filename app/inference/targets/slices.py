"""The scores on prompts with one tag, such as code or writing, and a test that they differ from those on others (ours).

Candidate i has the score s_i + b_ti + u_im on prompt m of tag t, b_ti ~ N(0, eta2), u_im ~ N(0, omega2) (new_items.py).
Let s^ be the mode of the posterior, theta_t a guess of s + b_t, and l' and w the slope and curvature of each comparison
at theta_t. Prompt m adds to ln p, with x = s + b_t + u_m - s^,

    g_m . x - x . H_m x / 2      g_m = sum c l'(d) r + H_m (theta_t - s^),   H_m = sum w r r^T

Integrating out an effect N(0, v I), which is one term of x, gives the same form and a constant:

    k = (I + v H)^-1 g,   K = (I + v H)^-1 H,   constant v g . k / 2 - ln det(I + v H) / 2

so it is for each prompt with v = omega2, and for each tag, with v = eta2, of the sums k_t and K_t over its prompts. The
sums over tags give a = s - s^ ~ N(a^, A), with a flat prior. Going back, with pi_t the share of t among the tagged
prompts, V_t = eta2 (I + eta2 K_t)^-1 and D_t = V_t K_t - sum_t' pi_t' V_t' K_t',

    b_t | a ~ N(V_t (k_t - K_t a), V_t),   delta_t = b_t - sum_t' pi_t' b_t'
    var delta_t = (1 - 2 pi_t) V_t + sum_t' pi_t'^2 V_t' + D_t A D_t^T

ln(eta2 / tau2) has the prior LOG_ETA2 on GRID. theta_t is s^ + a + b_t at the prior's mean, from a first pass at s^.
The scores on prompts of t are delta_t, taken as normal over the grid and centred over candidates, plus the scores on
new prompts with the tags of these prompts, whose pulls are at s^ + delta_t.

That a tag deviates is tested by permuting tags over the prompts that have one. With k_-t and K_-t the sums over all
other tags, at s^, all tags and pairs together (decision 74)

    z_tij = ((K_t^-1 k_t - K_-t^-1 k_-t)_i - (..)_j) / sd      with the variance of K_t^-1 + K_-t^-1
    p_t   = (1 + number of B permutations whose max over t, i, j of |z| is at least max over i, j of |z_tij|) / (1 + B)
"""

from math import comb
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from app.inference.fitting import Published, Scores
from app.inference.fitting.measurements import Normal
from app.inference.fitting.model import design_of
from app.inference.gaussian import mixed, plain
from app.inference.regimes import MOST_IN_SLICES
from app.inference.targets.drawing import best_first
from app.inference.targets.new_items import by_prompt, on_new_items, variance_of_effects
from app.inference.types import Floats, Ints

LOG_ETA2 = Normal(0.0, 2.0)  # of ln(eta2 / tau2)
GRID = np.linspace(-7.0, 3.0, 12)
UNKNOWN = 1e-8  # of the mean information: added in every direction, as of some nothing may be known
ROUNDING = 6  # decimals of z, below which permutations tie
MOST, FEWEST, WORK = 999, 199, 1_000_000_000  # B, and T N^3 B as far as B is not the fewest
IN_ONE_GO = 400_000  # entries of matrices that are inverted together
CLEAR = 1.645  # standard deviations by which each order of a reversal is claimed


class TaggedPrompts(NamedTuple):
    """The M prompts that have a tag and comparisons."""

    prompt: Ints  # (K,) 0, 1, ..., M - 1 of the comparisons, M where there is no tag
    tag: Ints  # (M,)
    share: Floats  # (T,) pi, of the prompts
    groups: int  # how many tags they have, prompts without a tag being one more group


class Sliced(NamedTuple):
    scores: list[Scores]  # (T,)
    between: float  # eta2, the variance of effects that all prompts of a tag have
    within: float | None  # variance of all other effects; None where no prompt has two pairs that share a candidate
    shared: float | None  # its share


class TagDeviation(NamedTuple):
    """The pair whose difference on a tag is the most standard deviations from its difference on the other tags."""

    p_value: float  # for all pairs and tags together
    first: int  # does better against `second` on this tag than on the others
    second: int
    difference: float  # how much better, in logits
    is_reversal: bool  # clearly ahead of `second` on this tag and clearly behind it on the others
    smallest_p: float  # that any deviation of this tag can have: the chance that a tag gets just these prompts


def by_tag(published: Published, item: Ints, tag: Ints, tags: int) -> Sliced:
    """The scores on new prompts of each of T tags.

    Args: `item` (K,) is the prompt of each comparison, `tag` (I,) the tag of each item, -1 where it has none.

    Raises ValueError where no prompt with comparisons has a tag, for more than MOST_IN_SLICES, and as `on_new_items`.
    """
    prompts, n = tagged_prompts(item, tag, tags, published.model.n), published.model.n
    tau2, within = published.model.prior.variance, variance_of_effects(published, item)
    sums = sums_by_tag(prompt_blocks(published, prompts, np.zeros((tags, n)), within), prompts.tag, tags)
    _, apart, _ = at_variance(tau2 * float(np.exp(LOG_ETA2.mean)), sums, prompts.share)
    if len(prompts.tag) > prompts.groups:
        within = variance_of_effects(published, item, _differences(published, prompts, apart), prompts.groups)
    sums = sums_by_tag(prompt_blocks(published, prompts, apart, within), prompts.tag, tags)
    points = [at_variance(tau2 * float(np.exp(x)), sums, prompts.share) for x in GRID]
    log_density, scores, variances = (np.array(column) for column in zip(*points, strict=True))
    weight = softmax(log_density + LOG_ETA2.log_density(GRID))
    deltas = scores - (prompts.share @ scores)[:, None]
    delta = np.tensordot(weight, deltas, 1)
    apart = deltas - delta
    variance = np.tensordot(weight, variances, 1) + np.einsum("g,gti,gtj->tij", weight, apart, apart)
    whole = on_new_items(published, item, _differences(published, prompts, delta))
    of_tags = [_plus(whole, *each) for each in zip(delta, variance, strict=True)]
    between = tau2 * float(weight @ np.exp(GRID))
    return Sliced(of_tags, between, within, None if within is None else within / (between + within))


def deviations(
    published: Published, item: Ints, tag: Ints, tags: int, rng: np.random.Generator, permutations: int | None = None
) -> list[TagDeviation]:
    """Deviation of each of T tags from the others; the same whatever candidates, prompts and tags are called.

    Args: as of `by_tag`; `permutations` are MOST by default, and fewer of many candidates. Raises as `by_tag` does.
    """
    n, mode = published.model.n, published.posterior.mean
    prompts = tagged_prompts(item, tag, tags, n)
    blocks = prompt_blocks(published, prompts, np.zeros((tags, n)), variance_of_effects(published, item))
    scores, covariance, z = _estimates(blocks, prompts.tag, tags)
    permutations = permutations or int(np.clip(WORK // (tags * n**3), FEWEST, MOST))
    permuted = _permuted(blocks, prompts.tag, best_first(published.scores.mean), rng, permutations, tags)
    sizes = np.bincount(prompts.tag, minlength=tags).tolist()
    of_tags = list[TagDeviation]()
    for t, size in enumerate(sizes):
        first, second = (int(place) for place in np.unravel_index(z[t].argmax(), (n, n)))
        here, there = scores[:, t, first] - scores[:, t, second]
        sd_here, sd_there = _sd_of_differences(covariance[:, t])[:, first, second]
        d = mode[first] - mode[second]
        is_reversal = bool(d + here > CLEAR * sd_here and d + there < -CLEAR * sd_there)
        p_value = (1 + int((permuted >= z[t].max()).sum())) / (1 + permutations)
        smallest = min(sizes.count(size) / comb(sum(sizes), size), 1.0)
        of_tags.append(TagDeviation(p_value, first, second, float(here - there), is_reversal, smallest))
    return of_tags


def tagged_prompts(item: Ints, tag: Ints, tags: int, n: int) -> TaggedPrompts:
    """Raises ValueError where there are none, or too many for n candidates."""
    is_tagged = tag[item] >= 0
    if not is_tagged.any():
        raise ValueError("slices: no prompt with comparisons has this tag; choose another one")
    used = np.unique(item[is_tagged])
    if len(used) * n**2 > MOST_IN_SLICES:
        raise ValueError(
            f"slices take a matrix for each prompt, of {MOST_IN_SLICES:,} entries in all at most, and {n:,} candidates "
            f"on {len(used):,} prompts have {len(used) * n**2:,}; leave out candidates or prompts"
        )
    share = np.bincount(tag[used], minlength=tags) / len(used)
    prompt = np.where(is_tagged, np.searchsorted(used, item), len(used))
    return TaggedPrompts(prompt, tag[used], share, int(np.count_nonzero(share) + (not is_tagged.all())))


def prompt_blocks(published: Published, prompts: TaggedPrompts, apart: Floats, within: float | None) -> Floats:
    """(M, N, N + 1) [K | k] of each prompt, of effects of variance `within`, at theta, `apart` (T, N) from the mode."""
    (first, second, *_), n, m = published.comparisons, published.model.n, len(prompts.tag)
    _, pulls, _, weight = by_prompt(published, prompts.prompt, _differences(published, prompts, apart))
    half = np.bincount((prompts.prompt * n + first) * n + second, -weight, (m + 1) * n * n).reshape(m + 1, n, n)[:m]
    information = half + half.swapaxes(1, 2)
    information[:, np.arange(n), np.arange(n)] = -information.sum(axis=2)
    pull = pulls[:m, :n, None] + information @ apart[prompts.tag][..., None]
    return without_effects(np.concatenate([information, pull], axis=2), within or 0.0)[0]


def _differences(published: Published, prompts: TaggedPrompts, apart: Floats) -> Floats:
    """d (K,) at theta, at the mode of prompts without a tag; biases of judges stay at the mode."""
    comparisons, prompt = published.comparisons, prompts.prompt
    moved = np.vstack([apart[prompts.tag], np.zeros(published.model.n)])  # by prompt, the last row without a tag
    d = design_of(comparisons, published.model).differences(published.posterior.mean)
    return d + moved[prompt, comparisons.first] - moved[prompt, comparisons.second]


def without_effects(blocks: Floats, variance: float) -> tuple[Floats, float]:
    """[K | k] and the change of ln p, an effect N(0, variance I) of each prompt, or tag, integrated out."""
    n = blocks.shape[1]
    left = np.eye(n) + variance * blocks[..., :n]
    after = np.asarray(np.linalg.solve(left, blocks), np.float64)
    change = 0.5 * variance * float((blocks[..., n] * after[..., n]).sum())
    return after, change - 0.5 * float(np.linalg.slogdet(left)[1].sum())


def sums_by_tag(blocks: Floats, tag: Ints, tags: int) -> Floats:
    """(..., T, N, N + 1) sums over the prompts of each tag; `tag` (..., M) is 0, 1, ..., T - 1."""
    is_of_tag = (np.arange(tags)[:, None] == tag[..., None, :]).astype(np.float64)
    return np.tensordot(is_of_tag, blocks, 1)


def _identified(information: Floats, size: float) -> Floats:
    """Information (..., N, N) with an inverse: UNKNOWN added in every direction, `size` to the sum of all scores."""
    n = information.shape[-1]
    return np.asarray(information + size * (np.full((n, n), 1.0 / n) + UNKNOWN * np.eye(n)))


def at_variance(eta2: float, of_tags: Floats, share: Floats) -> tuple[float, Floats, Floats]:
    """ln p(eta2), a + b_t (T, N) and var delta_t (T, N, N), from (T, N, N + 1) [K_t | k_t]."""
    n = of_tags.shape[1]
    information, pull = of_tags[..., :n], of_tags[..., n]
    of_each, change = without_effects(of_tags, eta2)
    of_a = of_each.sum(axis=0)
    precision = _identified(of_a[:, :n], float(np.trace(information.sum(axis=0))) / n)
    a, spread = np.linalg.solve(precision, of_a[:, n]), np.linalg.inv(precision)
    log_density = change + 0.5 * float(of_a[:, n] @ a - np.linalg.slogdet(precision)[1])
    v = eta2 * np.linalg.inv(np.eye(n) + eta2 * information)
    b = np.einsum("tij,tj->ti", v, pull - information @ a)
    lean = v @ information
    lean = lean - np.tensordot(share, lean, 1)
    own = (1.0 - 2.0 * share)[:, None, None] * v + np.tensordot(share**2, v, 1)
    return log_density, a + b, own + lean @ spread @ lean.swapaxes(1, 2)


def _plus(whole: Scores, delta: Floats, variance: Floats) -> Scores:
    """The scores plus N(delta, variance), in every part; of differences alone."""
    apart = delta - delta.mean()
    variance = variance - variance.mean(axis=0) - variance.mean(axis=1)[:, None] + variance.mean()
    moved = [
        (weight, part._replace(mean=part.mean + apart, covariance=plain(part.covariance.matrix() + variance)))
        for weight, part in whole.parts or ((1.0, whole),)
    ]
    return mixed(moved)


def _estimates(blocks: Floats, tag: Ints, tags: int) -> tuple[Floats, Floats, Floats]:
    """Scores less the mode (2, ..., T, N), by each `tag` (..., M) and the others, covariances, z (..., T, N, N)."""
    total, here = blocks.sum(axis=0), sums_by_tag(blocks, tag, tags)
    n, both = len(total), np.array([here, total - here])
    covariance = np.asarray(np.linalg.inv(_identified(both[..., :n], float(np.trace(total)) / n)), np.float64)
    scores = (covariance @ both[..., n:])[..., 0]
    d, sd = scores[0] - scores[1], _sd_of_differences(covariance.sum(axis=0))
    return scores, covariance, np.round((d[..., :, None] - d[..., None, :]) / sd, ROUNDING)


def _sd_of_differences(covariance: Floats) -> Floats:
    """(..., N, N), 1 of a candidate with itself."""
    own, n = np.diagonal(covariance, axis1=-2, axis2=-1), covariance.shape[-1]
    return np.sqrt(own[..., :, None] + own[..., None, :] - 2.0 * covariance + np.eye(n))


def _permuted(blocks: Floats, tag: Ints, order: Ints, rng: np.random.Generator, permutations: int, tags: int) -> Floats:
    """(B,) max |z| of each permutation, drawn for prompts in the order of their pulls, and tags of their sizes."""
    in_order = np.lexsort(np.round(blocks[:, order, -1], ROUNDING).T)
    labels = np.repeat(np.arange(tags), np.sort(np.bincount(tag, minlength=tags)))
    drawn = rng.permuted(np.tile(labels, (permutations, 1)), axis=1)[:, np.argsort(in_order)]
    together = max(IN_ONE_GO // (tags * len(order) ** 2), 1)
    parts = (drawn[start : start + together] for start in range(0, permutations, together))
    return np.concatenate([_estimates(blocks, part, tags)[2].max(axis=(1, 2, 3)) for part in parts])
