"""Certified picks beside the dense scan, on three kinds of graphs: `python -m benchmarks.speed.certificates 5000`."""

import resource
import sys
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.special import expit

from app.inference.choosing.certified import Pick, choose
from app.inference.choosing.pair_sets import listed
from app.inference.fitting.model import Method, build, expected_weight
from app.inference.gaussian.certified import CertifiedCovariance, followed, measured
from app.inference.gaussian.sampling import draws
from app.inference.graphs.comparison_graph import Precision, precision_of
from app.inference.graphs.conjugate_gradients import solve
from app.inference.kernels.pair_sets import DETERMINANT, POWER, PairSet, Rule, scores
from app.inference.types import Floats, Ints

Result = TypeVar("Result")
LARGEST_DENSE = 5000
RULES = {"variance": Rule(POWER, 0.0, 0.0, 1.0), "determinant": Rule(DETERMINANT, 0.0, 0.0, 1.0)}


class State(NamedTuple):
    mean: Floats  # (N,)
    first: Ints  # (K,)
    second: Ints  # (K,)
    p: Floats  # (K,)


def main(n: int = 100_000, votes: int = 15) -> None:
    for graph in ("random", "mixed", "window"):
        state = simulated(n, 10 * n, graph)
        state = state._replace(mean=fitted(state))
        precision = precision_at(state)
        print(f"{graph}: N = {n}, {10 * n} comparisons")
        for name, rule in RULES.items():
            compare(state, precision, name, rule, votes)
        next(draws(state.mean, precision, 8, chance()))
        report("eight draws of all scores", timed(next, draws(state.mean, precision, 8, chance()))[1])
    print(f"most memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


def simulated(n: int, count: int, graph: str) -> State:
    """Comparisons of any two, of those within 20 ranks of each other, or 30 % and 70 % of these."""
    rng = chance()
    scores = np.sort(rng.standard_normal(n))
    first, near = rng.integers(n, size=count), rng.random(count) < {"random": 0.0, "mixed": 0.7, "window": 1.0}[graph]
    second = (first + np.where(near, rng.integers(1, 21, size=count), rng.integers(1, n, size=count))) % n
    shuffled = rng.permutation(n)
    p = expit(scores[first] - scores[second] + 0.5 * rng.standard_normal(count))
    return State(np.zeros(n), shuffled[first], shuffled[second], p)


def chance() -> np.random.Generator:
    return np.random.default_rng(0)


def precision_at(state: State) -> Precision:
    n = len(state.mean)
    weight = expected_weight(state.mean[state.first] - state.mean[state.second], build(Method(), n))
    return precision_of(state.first, state.second, weight, np.ones(n))


def fitted(state: State) -> Floats:
    """The MAP by Newton."""
    n = len(state.mean)
    while True:
        left = state.p - expit(state.mean[state.first] - state.mean[state.second])
        gradient = np.bincount(state.first, left, n) - np.bincount(state.second, left, n) - state.mean
        if np.abs(gradient).max() < 1e-8:
            return state.mean
        step, _ = solve(precision_at(state), gradient[:, None], 1e-9, 1000)
        state = state._replace(mean=state.mean + step[:, 0])


def compare(state: State, precision: Precision, name: str, rule: Rule, votes: int) -> None:
    n, rng = len(state.mean), chance()
    measured(precision, state.mean)
    intervals, first = timed(measured, precision, state.mean)
    report("variances of all", first)
    print(f"    mean width {(intervals.upper / intervals.lower - 1.0).mean():.4f}")
    choosing, following, ratios = [], [], []
    for _ in range(votes):
        (pick,), seconds = timed(picks_of, state.mean, precision, intervals, rule, open_pairs(state), 1)
        choosing.append(seconds)
        ratios.append(pick.ratio)
        if n <= LARGEST_DENSE:
            print(
                f"    {pick.i}, {pick.j}: {regret(state, precision, rule, pick):.2e} short of the best by a dense scan"
            )
        state = answered(state, pick, rng)
        precision = precision_at(state)
        intervals, seconds = timed(followed, intervals, precision, state.mean)
        following.append(seconds)
    report(f"next pair by {name}, ratio {np.median(ratios):.4f}, at most {max(ratios):.4f}", float(np.median(choosing)))
    report("variances after a vote", float(np.median(following)))
    picks, seconds = timed(picks_of, state.mean, precision, intervals, rule, open_pairs(state), 256)
    report(f"256 pairs, largest ratio {max(pick.ratio for pick in picks):.4f}", seconds)


def picks_of(
    mean: Floats, precision: Precision, intervals: CertifiedCovariance, rule: Rule, pairs: PairSet, count: int
) -> list[Pick]:
    model = build(Method(), len(mean))
    return choose(mean, precision, intervals.ends[1], model, rule, pairs, count, chance())


def open_pairs(state: State) -> PairSet:
    n = len(state.mean)
    low, high = np.minimum(state.first, state.second), np.maximum(state.first, state.second)
    return listed(n, np.unique(low * n + high), leaves_out=True)


def answered(state: State, pick: Pick, rng: np.random.Generator) -> State:
    """The state once somebody has said what the scores do not let one expect."""
    first, second = np.append(state.first, pick.i), np.append(state.second, pick.j)
    state = State(state.mean, first, second, np.append(state.p, rng.random()))
    return state._replace(mean=fitted(state))


def regret(state: State, precision: Precision, rule: Rule, pick: Pick) -> float:
    """By how much of the best score the pick falls short of it."""
    n = len(state.mean)
    h = np.diag(precision.diagonal)
    np.subtract.at(h, (np.repeat(np.arange(n), np.diff(precision.start)), precision.rival), precision.weight)
    sigma = np.linalg.inv(h)
    pairs, best = open_pairs(state), 0.0
    for i in range(n):
        m, v = state.mean[i] - state.mean, sigma[i, i] + sigma.diagonal() - 2.0 * sigma[i]
        values = scores(rule, m, v)
        if i == pick.i:
            picked = float(values[pick.j])
        values[: i + 1] = values[pairs.code[pairs.code // n == i] % n] = 0.0
        best = max(best, float(values.max()))
    return 1.0 - picked / best


def timed(action: Callable[..., Result], *arguments: object) -> tuple[Result, float]:
    start = time.perf_counter()
    return action(*arguments), time.perf_counter() - start


def report(what: str, seconds: float) -> None:
    print(f"    {what:<60} {1e3 * seconds:9.1f} ms")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
