"""Other packages that fit scores to comparisons, in an environment of their own, which peers.txt pins.

`python -m benchmarks.speed.peers PROBLEM.npz NAME SECONDS` prints scores, the median of milliseconds and megabytes as
JSON. One thread: the process stays on one core. What is done once, as reading the log into the package's own form, does
not count.
"""

import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.machine import forget_peak, peak_mb

AT_MOST = 9  # runs that count


class PeerProblem(NamedTuple):
    """K comparisons among N."""

    n: int
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    p: NDArray[np.float64]  # that the first is better
    first_won: NDArray[np.bool_]


Fit = Callable[[], Any]  # (N,) scores


def main(path: str, name: str, seconds: float) -> None:
    with np.load(path) as arrays:
        problem = PeerProblem(int(arrays["n"]), *(arrays[each] for each in PeerProblem._fields[1:]))
    fit = PEERS[name](problem)
    forget_peak()
    before, start = peak_mb(), time.perf_counter()
    scores = fit()
    warm_up = time.perf_counter() - start
    times = [warm_up] if warm_up > seconds else []  # what takes so long is not done twice
    while sum(times) < seconds and len(times) < AT_MOST:
        start = time.perf_counter()
        scores = fit()
        times.append(time.perf_counter() - start)
    fitted = np.asarray(scores, dtype=np.float64).tolist()
    print(json.dumps({"ms": 1e3 * float(np.median(times)), "mb": peak_mb() - before, "scores": fitted}))


def scikit_learn(solver: str) -> Callable[[PeerProblem], Fit]:
    """Logistic regression on the differences. Soft p: each comparison is two rows, weighted by p and 1 - p."""

    def prepare(problem: PeerProblem) -> Fit:
        from scipy.sparse import csr_array, vstack
        from sklearn.linear_model import LogisticRegression

        n, first, second, p, _ = problem
        rows, signs = np.arange(len(p)), np.ones(len(p))
        entries = np.concatenate([signs, -signs]), (np.tile(rows, 2), np.concatenate([first, second]))
        design = csr_array(entries, shape=(len(p), n))
        twice, weight = vstack([design, design], format="csr"), np.concatenate([p, 1.0 - p])
        # liblinear takes no other indices
        twice.indices, twice.indptr = twice.indices.astype(np.int32), twice.indptr.astype(np.int32)
        is_first = np.repeat([1, 0], len(p))
        model = LogisticRegression(C=1.0, fit_intercept=False, solver=solver, tol=1e-8, max_iter=10_000)
        return lambda: model.fit(twice, is_first, sample_weight=weight).coef_[0]

    return prepare


def choix_opt(problem: PeerProblem) -> Fit:
    """Newton-CG with a dense Hessian. Its penalty alpha |s|^2 is our prior of variance 1 / (2 alpha)."""
    import choix

    won = _won(problem)
    return lambda: choix.opt_pairwise(problem.n, won, alpha=0.5, tol=1e-9)


def choix_ilsr(problem: PeerProblem) -> Fit:
    import choix

    won = _won(problem)
    return lambda: choix.ilsr_pairwise(problem.n, won, alpha=0.01)


def evalica(problem: PeerProblem) -> Fit:
    """Without a prior. Soft p: each comparison is two rows, weighted by p and 1 - p."""
    import evalica as package

    def scores() -> Any:
        result = package.bradley_terry(xs, ys, won, index, weights=weights, tolerance=1e-12, limit=100_000)
        return np.log(result.scores[names].to_numpy())

    n, first, second, p, _ = problem
    won = [package.Winner.X] * len(p) + [package.Winner.Y] * len(p)
    names, weights = [f"c{i}" for i in range(n)], np.concatenate([p, 1.0 - p]).tolist()
    xs, ys = ([names[i] for i in np.tile(each, 2)] for each in (first, second))
    *_, index = package.indexing(names, names)
    return scores


def arena_rank(problem: PeerProblem) -> Fit:
    """Without a prior. It compiles at every fit."""
    import jax.numpy as jnp
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    def scores() -> Any:
        model = BradleyTerry(problem.n, ftol=1e-15, gtol=1e-12)
        model.fit(battles)
        return model.params["ratings"]

    pairs, ones = jnp.column_stack([problem.first, problem.second]), jnp.ones(len(problem.p))
    battles = PairDataset([str(i) for i in range(problem.n)], pairs, jnp.array(problem.p), ones, ones, ones)
    return scores


def openskill(problem: PeerProblem) -> Fit:
    from openskill.models import PlackettLuce

    def scores() -> Any:
        model = PlackettLuce()
        ratings = [model.rating() for _ in range(problem.n)]
        for winner, loser in won:
            [[ratings[winner]], [ratings[loser]]] = model.rate([[ratings[winner]], [ratings[loser]]])
        return [rating.mu for rating in ratings]

    won = _won(problem)
    return scores


def trueskill(problem: PeerProblem) -> Fit:
    import trueskill as package

    def scores() -> Any:
        ratings = [package.Rating() for _ in range(problem.n)]
        for winner, loser in won:
            ratings[winner], ratings[loser] = package.rate_1vs1(ratings[winner], ratings[loser])
        return [rating.mu for rating in ratings]

    won = _won(problem)
    return scores


def _won(problem: PeerProblem) -> list[tuple[int, int]]:
    """Winner and loser of each comparison."""
    _, first, second, _, first_won = problem
    return list(
        zip(np.where(first_won, first, second).tolist(), np.where(first_won, second, first).tolist(), strict=True)
    )


PEERS: dict[str, Callable[[PeerProblem], Fit]] = {
    "scikit-learn liblinear": scikit_learn("liblinear"),
    "scikit-learn newton-cg": scikit_learn("newton-cg"),
    "scikit-learn lbfgs": scikit_learn("lbfgs"),
    "choix opt": choix_opt,
    "choix I-LSR": choix_ilsr,
    "evalica": evalica,
    "arena-rank": arena_rank,
    "openskill": openskill,
    "trueskill": trueskill,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
