"""Ten thousand candidates and more, for whom no covariance is made: its diagonal in intervals, and certified pairs.

The unit is one product of the posterior's precision with a vector, by scipy's compressed rows: a pass over the log.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from app.inference.fitting import newton
from app.inference.gaussian import CertifiedCovariance
from app.inference.gaussian.certified import measured
from app.inference.graphs.comparison_graph import Precision
from benchmarks.speed.measuring import Extent, Row, medians
from benchmarks.speed.votes import play, snapshot_of

FEWEST = 10_000
PRODUCT = "one product with the precision"
ROUNDS, BATCH = 10, 100


def measure(extent: Extent) -> Iterator[Row]:
    for n in (n for n in extent.sparse if n >= FEWEST):
        snapshot = snapshot_of(n)
        mean, sigma = snapshot.posterior.mean, snapshot.posterior.covariance
        assert isinstance(sigma, CertifiedCovariance)
        product, fitted, intervals = medians(
            partial(_by_scipy(sigma.precision).__matmul__, np.ones(n)),
            partial(newton.fit, snapshot.comparisons, snapshot.model),
            partial(measured, sigma.precision, mean),
            seconds=extent.seconds,
        )
        lower, upper = sigma.ends
        yield Row("scores from a log", n, PRODUCT, fitted, product)
        width = f"upper ends {np.mean(upper / lower) - 1.0:.1%} above lower ones on average"
        yield Row("all variances, as intervals", n, PRODUCT, intervals, product, width)
        rounds = min(extent.votes, ROUNDS)
        yield Row("a vote and the next pair", n, PRODUCT, float(np.median(play(snapshot, rounds))), product)
        ms = float(np.median(play(snapshot, rounds, BATCH)))
        yield Row(f"{BATCH} votes and the next {BATCH} pairs", n, PRODUCT, ms, product)


def _by_scipy(precision: Precision) -> csr_array[np.float64]:
    n = len(precision.precision)
    row, everyone = np.repeat(np.arange(n), np.diff(precision.start)), np.arange(n)
    places = np.concatenate([row, everyone]), np.concatenate([precision.rival, everyone])
    return csr_array((np.concatenate([-precision.weight, precision.diagonal]), places), shape=(n, n))
