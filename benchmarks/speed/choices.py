"""The next pair by each criterion, beside numpy's scan of all pairs and beside one pass over half of the covariance."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.linalg import blas
from scipy.special import expit, ndtr

from app.inference.choosing import RANKING, Criterion, Policy
from app.inference.choosing.criteria import EQUAL
from app.inference.choosing.picking import select
from app.inference.fitting import Method, Model, Posterior, build, posterior
from app.inference.pair_sets import PairSet, listed, upper_triangle
from app.inference.types import Bools, Floats
from benchmarks.speed.measuring import Extent, Row, medians
from benchmarks.speed.problem import simulated_log


def measure(extent: Extent) -> Iterator[Row]:
    for n in extent.dense:
        model = build(Method(), n)
        fit = posterior.fit(simulated_log(n), model)
        sigma, half = fit.covariance.matrix(), np.ones(n * (n + 1) // 2)
        for criterion in Criterion:
            policy, what = Policy(criterion), f"the next pair by {criterion}"
            ours, scan, limit = medians(
                partial(_select, fit, model, listed(n, np.empty(0, np.int64), leaves_out=True), policy),
                partial(_scan, fit, sigma, upper_triangle(n), policy),
                partial(blas.dasum, half),
                seconds=extent.seconds,
            )
            note = "numpy scores one term of the sum" if criterion is Criterion.KNOWLEDGE else ""
            yield Row(what, n, "numpy over all pairs", ours, scan, note)
            yield Row(what, n, "half Sigma read", ours, limit)


def _select(fit: Posterior, model: Model, open_pairs: PairSet, policy: Policy) -> None:
    together, rng = np.zeros(model.n, np.int64), np.random.default_rng(0)
    select(fit.mean, fit.covariance, model, open_pairs, together, policy, RANKING, 1, rng)


def _scan(fit: Posterior, sigma: Floats, upper: Bools, policy: Policy) -> None:
    """Find the argmax alone: no ties, no explanation."""
    variances = sigma.diagonal()
    v = variances[:, None] + variances - 2.0 * sigma
    m = fit.mean[:, None] - fit.mean
    floor = EQUAL**2 * float(variances.mean())
    np.where(upper, BY_NUMPY[policy.criterion](m, v, floor), -np.inf).argmax()


def _own_term(m: Floats, v: Floats, _: float) -> Floats:
    weight = expit(m) * expit(-m)
    s = v * np.sqrt(weight / (1.0 + weight * v))
    z = np.abs(m) / np.maximum(s, 1e-300)
    return np.asarray(2.0 * (s * np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi) - np.abs(m) * ndtr(-z)))


BY_NUMPY: dict[Criterion, Callable[[Floats, Floats, float], Floats]] = {
    Criterion.VARIANCE: lambda m, v, floor: v,
    Criterion.DETERMINANT: lambda m, v, floor: expit(m) * expit(-m) * v,
    Criterion.REORDERING: lambda m, v, floor: v / (m * m + floor),
    Criterion.EXPONENT: lambda m, v, floor: v / (m * m + floor) ** 0.25,
    Criterion.KNOWLEDGE: _own_term,
    Criterion.RANDOM: lambda m, v, floor: np.ones_like(v),
    Criterion.COVERING: lambda m, v, floor: np.ones_like(v),
}
