"""Random pairs that cover every candidate, as the criterion `covering` draws them (PoE 4.2)."""

from collections.abc import Iterator

import numpy as np

from app.inference.choosing import Criterion, of_mask
from app.inference.choosing.picking import draw, joining
from app.inference.graph import joined
from app.inference.kernels.pair_sets import mask, size, without
from app.inference.types import Bools


def covering(exists: Bools, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """All pairs, each once. Args: `exists` (N, N) is True at [i, j] where the judge was asked i against j."""
    left, component = of_mask(exists | exists.T), np.arange(len(exists))
    while (pairs := joining(component, left, Criterion.COVERING)) is not None:
        i, j = draw(pairs, size(pairs), rng)
        yield i, j
        first, second = np.array([i]), np.array([j])
        left, component = without(left, first, second), joined(component, first, second)
    for i, j in rng.permutation(np.argwhere(mask(left))).tolist():
        yield i, j
