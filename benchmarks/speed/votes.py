"""A vote in process: the posterior takes it in, and the next exact pair is chosen.

The limit is one pass over half of the covariance that reads and writes it, which is the least that an update in place
costs. The peer is plain numpy: the covariance less an outer product, then every pair's score and the best.
"""

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.linalg import blas, lapack

from app.inference.choosing import Criterion, Order, Plan, Policy
from app.inference.core.edges import slopes
from app.inference.fitting import Method
from app.inference.gaussian import from_precision
from app.inference.pair_sets import upper_triangle
from app.inference.state import Snapshot
from app.inference.types import Bools, Floats, by_one_judge
from benchmarks.loop import ask, tell, unjudged
from benchmarks.speed.measuring import Extent, Row, medians
from benchmarks.speed.problem import simulated_log

LIMIT, NUMPY, LAPACK = "half Sigma read and written", "numpy", "LAPACK alone"
WHAT = "a vote and the next pair"


def measure(extent: Extent) -> Iterator[Row]:
    for n in extent.dense:
        before = snapshot_of(n)
        times = play(before, extent.votes)
        median, mean = float(np.median(times)), float(np.mean(times))
        half, sigma = np.ones(n * (n + 1) // 2), before.posterior.covariance.matrix()
        limit, by_numpy = medians(
            partial(blas.dscal, -1.0, half),
            partial(_by_numpy, sigma, before.posterior.mean, upper_triangle(n)),
            seconds=extent.seconds,
        )
        yield Row(WHAT, n, LIMIT, median, limit)
        yield Row(f"{WHAT}, mean", n, LIMIT, mean, limit, "fresh covariances included")
        yield Row(WHAT, n, NUMPY, median, by_numpy)
        yield _fresh_covariance(before, extent.seconds)


def _fresh_covariance(snapshot: Snapshot, seconds: float) -> Row:
    posterior, model = snapshot.posterior, snapshot.model
    _, weights = slopes(posterior.edges, posterior.edges.design.differences(posterior.mean), model.expert)
    precision = posterior.edges.design.precision(weights, model.prior.precision)
    ours, theirs = medians(
        lambda: from_precision(precision.copy(order="F")), lambda: _inverse(precision.copy(order="F")), seconds=seconds
    )
    return Row("a fresh covariance", snapshot.model.n, LAPACK, ours, theirs, "Cholesky factor and inverse")


def snapshot_of(n: int) -> Snapshot:
    """A set with one item whose log is simulated."""
    return tell(unjudged(n, Method()), simulated_log(n))


def play(snapshot: Snapshot, rounds: int, count: int = 1) -> list[float]:
    """Milliseconds of each round but the first: `count` verdicts come in, and as many pairs are chosen."""
    plan, rng = Plan(Policy(Criterion.REORDERING), Order.BALANCED, 0), np.random.default_rng(2)
    times: list[float] = []
    first, second = ask(snapshot, plan, count)
    while first.size and len(times) <= rounds:
        p = rng.random(len(first))
        start = time.perf_counter()
        snapshot = tell(snapshot, by_one_judge(first, second, p))
        first, second = ask(snapshot, plan, count)
        times.append(1e3 * (time.perf_counter() - start))
    return times[1:]


def _by_numpy(sigma: Floats, mean: Floats, upper: Bools) -> None:
    column = sigma[0] - sigma[1]
    updated = sigma - 0.1 * np.outer(column, column)
    variance = updated.diagonal()
    v = variance[:, None] + variance - 2.0 * updated
    m = mean[:, None] - mean
    np.where(upper, v / (m * m + 0.001), -np.inf).argmax()


def _inverse(precision: Floats) -> None:
    factor, _ = lapack.dpotrf(precision, lower=1, overwrite_a=1)
    lapack.dpotri(factor, lower=1, overwrite_c=1)
