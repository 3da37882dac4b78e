"""Draws of N(mu, H^-1) without a factor of H: noise with the covariance H, solved for (Papandreou and Yuille 2010).

z = H^-1 (sqrt(q) e + R^T sqrt(w) f)        e, f standard normal:   cov z = H^-1 H H^-1 = H^-1
"""

from collections.abc import Iterator

import numpy as np

from app.inference.graphs.comparison_graph import Precision
from app.inference.graphs.conjugate_gradients import solve, spread
from app.inference.types import Floats

TOGETHER = 8  # draws that are solved for at once: a row of them is one line of the cache
ACCURACY = 1e-3  # of the least posterior sd there can be
MOST_ITERATIONS = 2000


def draws(mean: Floats, precision: Precision, count: int, rng: np.random.Generator) -> Iterator[Floats]:
    """`count` draws of the scores, (8, N) or fewer at a time.

    Conceptually: rng.multivariate_normal(mean, np.linalg.inv(H), count).
    """
    n, comparisons = len(mean), len(precision.rival) // 2
    accuracy = ACCURACY / float(np.sqrt(precision.diagonal.max()))
    for done in range(0, count, TOGETHER):
        many = min(TOGETHER, count - done)
        noise = spread(precision, rng.standard_normal((n, many)), rng.standard_normal((comparisons, many)))
        z, off = solve(precision, noise, accuracy, MOST_ITERATIONS)
        if off > accuracy:
            raise ArithmeticError(f"draws are not solved for: an entry may be off by {off:g}")
        yield mean + z.T
