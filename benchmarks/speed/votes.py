"""A vote in process: the posterior takes it in, and the next exact pair is chosen.

The limit is one pass over half of the covariance that reads and writes it, which is the least that an update in place
costs. The peer is plain numpy: the covariance less an outer product, then every pair's score and the best.
"""

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.linalg import blas, lapack

from app.inference.choosing.asking import Plan
from app.inference.choosing.criteria import Criterion, Policy
from app.inference.choosing.goals import upper_triangle
from app.inference.choosing.order import Order
from app.inference.fitting import newton
from app.inference.fitting.model import Method, hessian
from app.inference.gaussian import from_precision
from app.inference.state.asking import BlockedPairs, ask
from app.inference.state.catalogue import make_catalogue
from app.inference.state.evidence import Interpretation
from app.inference.state.log import ComparisonRow, Entries, empty_log, log_from_rows
from app.inference.state.snapshot import Snapshot, advance, compute_ahead, empty, looks_ahead, with_computed
from app.inference.types import Bools, Floats
from benchmarks.speed.measuring import Extent, Row, medians
from benchmarks.speed.problem import simulated_log

NOBODY = np.empty(0, np.int64)
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
    weights = newton.weights(snapshot.posterior.mean, snapshot.comparisons, snapshot.model)
    precision = hessian(weights, snapshot.comparisons, snapshot.model)
    ours, theirs = medians(
        lambda: from_precision(precision.copy(order="F")), lambda: _inverse(precision.copy(order="F")), seconds=seconds
    )
    return Row("a fresh covariance", snapshot.model.n, LAPACK, ours, theirs, "Cholesky factor and inverse")


def snapshot_of(n: int) -> Snapshot:
    """A set with one item whose log is simulated."""
    comparisons = simulated_log(n)
    entries = Entries(np.arange(comparisons.size) + 1, np.zeros(comparisons.size, np.int64), comparisons)
    log = empty_log()._replace(entries=entries)
    return advance(empty(Interpretation(Method(), {}), n, 1), comparisons.size, log, ())


def play(snapshot: Snapshot, rounds: int, count: int = 1) -> list[float]:
    """Milliseconds of each round but the first: `count` verdicts come in, and as many pairs are chosen."""
    n, rng = snapshot.model.n, np.random.default_rng(2)
    catalogue = make_catalogue(0, tuple(map(str, range(n))), (("", None),), np.ones((1, n), np.int64))
    plan, nothing_out = Plan(Policy(Criterion.REORDERING), Order.BALANCED, 0), BlockedPairs(NOBODY, NOBODY, NOBODY, 0)
    times: list[float] = []
    chosen = ask(snapshot, catalogue, nothing_out, plan, count)
    while chosen and len(times) <= rounds:
        p = rng.random(len(chosen)).tolist()
        start = time.perf_counter()
        seq = snapshot.version + 1
        verdicts = [
            ComparisonRow(seq + k, 0, each.pair.first, each.pair.second, p[k], judge=0) for k, each in enumerate(chosen)
        ]
        snapshot = advance(snapshot, snapshot.version + len(chosen), log_from_rows(verdicts), ())
        while looks_ahead(snapshot):
            snapshot = with_computed(snapshot, compute_ahead(snapshot))
        chosen = ask(snapshot, catalogue, nothing_out, plan, count)
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
