"""Ten thousand candidates and more, for whom no covariance is made: its diagonal by a series, and pairs of a shortlist.

The unit is one product of the posterior's precision with a vector, by scipy's compressed rows: a pass over the log.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.sparse import csr_array, diags_array

from app.inference.fitting.model import Model, edges_of
from app.inference.fitting.posterior import map_of
from app.inference.gaussian import Precision, SparseCovariance, series_of
from app.inference.types import Comparisons, Floats
from benchmarks.speed.measuring import Extent, Row, medians
from benchmarks.speed.votes import play, snapshot_of

FEWEST = 10_000
PRODUCT = "one product with the precision"
ROUNDS, BATCH = 10, 100


def measure(extent: Extent) -> Iterator[Row]:
    for n in (n for n in extent.sparse if n >= FEWEST):
        snapshot = snapshot_of(n)
        sigma = snapshot.posterior.covariance
        assert isinstance(sigma, SparseCovariance)
        product, fitted, variances = medians(
            partial(_by_scipy(sigma.precision).__matmul__, np.ones(n)),
            partial(_fit, snapshot.comparisons, snapshot.model),
            partial(series_of, sigma.precision),
            seconds=extent.seconds,
        )
        yield Row("scores from a log", n, PRODUCT, fitted, product)
        yield Row("all variances", n, PRODUCT, variances, product)
        rounds = min(extent.votes, ROUNDS)
        yield Row("a vote and the next pair", n, PRODUCT, float(np.median(play(snapshot, rounds))), product)
        ms = float(np.median(play(snapshot, rounds, BATCH)))
        yield Row(f"{BATCH} votes and the next {BATCH} pairs", n, PRODUCT, ms, product)


def _fit(log: Comparisons, model: Model) -> Floats:
    return map_of(edges_of(log, model), model).theta


def _by_scipy(precision: Precision) -> csr_array[np.float64]:
    return csr_array(diags_array(precision.diagonal) - precision.links)
