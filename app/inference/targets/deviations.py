"""A test that candidates compare differently on one tag's prompts than on the others, by permuting tags (ours).

With k_m, K_m the pull and information of prompt m, its effects of variance omega2 integrated out (slices.py), k_t, K_t
their sums over the prompts of tag t, and k_-t, K_-t those over all other tags,

    z_tij = ((K_t^-1 k_t - K_-t^-1 k_-t)_i - (..)_j) / sd      with the variance of K_t^-1 + K_-t^-1
    p_t   = (1 + number of B permutations whose max over t, i, j of |z| is at least max over i, j of |z_tij|) / (1 + B)

Tags are permuted over the prompts that have a tag and comparisons. The test is valid for any judge, noise, effects,
bias and choice of pairs, if prompts are exchangeable apart from their tags and the choice ignores tags. It is valid for
all tags and pairs together: without deviations, any p_t is at most .05 in one set of 20.
"""

from math import comb
from typing import NamedTuple

import numpy as np

from app.inference.fitting import Published
from app.inference.targets.drawing import best_first
from app.inference.targets.new_items import variance_of_effects
from app.inference.targets.slices import (
    PromptBlocks,
    identified,
    prompt_blocks,
    sums_by_tag,
    tagged_prompts,
    without_effects,
)
from app.inference.types import Floats, Ints

ROUNDING = 6  # decimals of z, below which permutations tie
MOST, FEWEST, WORK = 999, 199, 1_000_000_000  # B, and T N^3 B as far as B is not the fewest
IN_ONE_GO = 4_000_000  # entries of matrices that are inverted together
CLEAR = 1.645  # standard deviations by which each order of a reversal is claimed


class TagDeviation(NamedTuple):
    """The pair whose difference on a tag is the most standard deviations from its difference on the other tags."""

    p_value: float  # for all pairs and tags together
    first: int  # does better against `second` on this tag than on the others
    second: int
    difference: float  # how much better, in logits
    is_reversal: bool  # clearly ahead of `second` on this tag and clearly behind it on the others
    smallest_p: float  # that any deviation of this tag can have: the chance that a tag gets just these prompts


class _Apart(NamedTuple):
    """Estimates by one tag and by all others, of scores less the mode; (..., T, N) and their covariances."""

    here: Floats
    there: Floats
    of_here: Floats
    of_there: Floats

    @property
    def z(self) -> Floats:
        """(..., T, N, N)."""
        d, v = self.here - self.there, _of_differences(self.of_here + self.of_there)
        return np.asarray(np.round((d[..., :, None] - d[..., None, :]) / np.sqrt(v), ROUNDING))


def deviations(
    published: Published, item: Ints, tag: Ints, tags: int, rng: np.random.Generator, permutations: int | None = None
) -> list[TagDeviation]:
    """Deviation of each of T tags from the others; the same whatever candidates, prompts and tags are called.

    Args: as of `by_tag`; `permutations` are MOST by default, and fewer of many candidates. Raises as `by_tag` does.
    """
    n = published.model.n
    prompts, mode = tagged_prompts(item, tag, tags, n), published.posterior.mean[:n]
    of_modes = prompt_blocks(published, prompts, np.tile(mode, (tags, 1)))
    blocks, _ = without_effects(of_modes, variance_of_effects(published, item) or 0.0)
    apart = _apart(blocks, prompts.tag, tags)
    most = apart.z.reshape(tags, n * n).max(axis=1)
    permutations = permutations or int(np.clip(WORK // (tags * n**3), FEWEST, MOST))
    permuted = _permuted(blocks, prompts.tag, best_first(published.scores), rng, permutations, tags)
    p_value = (1 + (permuted >= most[:, None]).sum(axis=1)) / (1 + permutations)
    sizes = np.bincount(prompts.tag, minlength=tags).tolist()
    smallest = [min(sizes.count(size) / comb(sum(sizes), size), 1.0) for size in sizes]
    return [_deviation(float(p_value[t]), mode, _Apart(*(each[t] for each in apart)), smallest[t]) for t in range(tags)]


def _deviation(p_value: float, mode: Floats, apart: _Apart, smallest_p: float) -> TagDeviation:
    first, second = (int(place) for place in np.unravel_index(apart.z.argmax(), apart.z.shape))
    ahead, behind = (
        (scores[first] - scores[second]) / np.sqrt(_of_differences(of_scores)[first, second])
        for scores, of_scores in ((mode + apart.here, apart.of_here), (mode + apart.there, apart.of_there))
    )
    d = apart.here - apart.there
    is_reversal = bool(ahead > CLEAR and behind < -CLEAR)
    return TagDeviation(p_value, first, second, float(d[first] - d[second]), is_reversal, smallest_p)


def _permuted(
    blocks: PromptBlocks, tag: Ints, order: Ints, rng: np.random.Generator, permutations: int, tags: int
) -> Floats:
    """(B,) max |z| of each permutation, drawn for prompts in the order of their pulls, and tags of their sizes."""
    in_order = np.lexsort(np.round(blocks.pull[:, order], ROUNDING).T)
    labels = np.repeat(np.arange(tags), np.sort(np.bincount(tag, minlength=tags)))
    drawn = rng.permuted(np.tile(labels, (permutations, 1)), axis=1)[:, np.argsort(in_order)]
    together = max(IN_ONE_GO // (tags * blocks.information[0].size), 1)
    return np.concatenate(
        [
            _apart(blocks, drawn[start : start + together], tags).z.max(axis=(1, 2, 3))
            for start in range(0, permutations, together)
        ]
    )


def _apart(blocks: PromptBlocks, tag: Ints, tags: int) -> _Apart:
    """Args: `tag` (..., M)."""
    total, here = PromptBlocks(*(each.sum(axis=0) for each in blocks)), sums_by_tag(blocks, tag, tags)
    there = PromptBlocks(total.pull - here.pull, total.information - here.information)
    size = float(np.trace(total.information)) / len(total.pull)
    of_here, of_there = (np.asarray(np.linalg.inv(identified(each.information, size))) for each in (here, there))
    estimates = (np.einsum("...ij,...j->...i", of_here, here.pull), np.einsum("...ij,...j->...i", of_there, there.pull))
    return _Apart(*estimates, of_here, of_there)


def _of_differences(covariance: Floats) -> Floats:
    """(..., N, N) variances of differences, 1 of a candidate with itself."""
    variance = np.diagonal(covariance, axis1=-2, axis2=-1)
    n = variance.shape[-1]
    return np.asarray(variance[..., :, None] + variance[..., None, :] - 2.0 * covariance + np.eye(n))
