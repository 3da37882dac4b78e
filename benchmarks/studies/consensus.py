"""Judges with effects: `python -m benchmarks.studies.consensus` prints their table in docs/appendix/judges.md.

By simulation: t_ji = s_i + u_ji, u_ji ~ N(0, omega_j^2), hard verdicts with the odds exp(t_j,first - t_j,second).
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr

from app.inference.fitting import Method, Scores, build, judge_aware, posterior
from app.inference.fitting.effects import consensus
from app.inference.types import Comparisons, Floats, once_each
from benchmarks.pages import show, with_error
from benchmarks.studies.judges import nobody
from benchmarks.studies.running import options
from benchmarks.studies.simulated import hard_verdicts
from benchmarks.studies.truth import differences_held


class Cast(NamedTuple):
    """Judges, and what there is to judge."""

    omega: list[float]  # (J,) standard deviations of effects
    share: list[float]  # (J,) of the verdicts
    verdicts: int = 1000
    n: int = 20
    spread: float = 1.0  # of scores
    c: float | list[float] = 1.0  # discriminations


FIVE = [0.8, 0.05, 0.05, 0.05, 0.05]
CASTS = {
    "5, effects 0": Cast([0.0] * 5, FIVE),
    "5, effects 0.25": Cast([0.25] * 5, FIVE),
    "5, effects 0.5": Cast([0.5] * 5, FIVE),
    "5, effects 1": Cast([1.0] * 5, FIVE),
    "5, effects 0.5, of equal shares": Cast([0.5] * 5, [0.2] * 5),
    "5, effects 0.5, scores spread 2": Cast([0.5] * 5, FIVE, spread=2.0),
    "5, effects 0.5, 5 candidates": Cast([0.5] * 5, FIVE, n=5),
    "a model, effects 1, 1,000 verdicts; 10 people, 0.3, 10 each": Cast(
        [1.0] + [0.3] * 10, [10 / 11] + [1 / 110] * 10, verdicts=1100
    ),
    "1, effects 0.5": Cast([0.5], [1.0]),
    "3 good, 2 useless, 1 adversarial": Cast([0.0] * 6, [1 / 6] * 6, 600, c=[2.0, 1.5, 1.2, 0.0, 0.0, -1.0]),
}


def main() -> None:
    """Print Spearman's correlation with the common score, and coverage of the 95% intervals of differences."""
    runs, rows = options(__doc__, runs=200).runs, []
    for name, cast in CASTS.items():
        measured = np.array([measure(cast, seed) for seed in range(runs)])
        cells = [with_error(of_method, ".3f") for of_method in measured[:, :, 0].T]
        rows.append([name, *cells, *(with_error(of_method, ".1%") for of_method in measured[:, :, 1].T)])
    methods = ("pooled", "judge-aware", "consensus")
    show(["judges", *methods, *(f"{method}: hold" for method in methods)], rows)


def measure(cast: Cast, seed: int) -> list[tuple[float, float]]:
    """Correlation and coverage: pooled, judge-aware and by consensus."""
    s, log = simulate(cast, seed)
    model, judges = build(Method(), cast.n), len(cast.omega)
    pooled = posterior.fit(log, model)
    fits = (
        Scores(pooled.mean, pooled.covariance),
        judge_aware.fit(log, model, nobody(judges)).of_scores,
        consensus(log, model, judges).of_scores,
    )
    return [(float(spearmanr(fit.mean, s)[0]), differences_held(fit, s)) for fit in fits]


def simulate(cast: Cast, seed: int) -> tuple[Floats, Comparisons]:
    """(N,) common scores, and verdicts."""
    rng, (omega, share, verdicts, n, spread, c) = np.random.default_rng(seed), cast
    judges = len(omega)
    s = spread * rng.standard_normal(n)
    t = np.broadcast_to(c, judges)[:, None] * (s + np.array(omega)[:, None] * rng.standard_normal((judges, n)))
    judge, first = rng.choice(judges, verdicts, p=share), rng.integers(n, size=verdicts)
    second = (first + rng.integers(1, n, size=verdicts)) % n
    return s, once_each(first, second, hard_verdicts(t[judge, first] - t[judge, second], rng), judge)


if __name__ == "__main__":
    main()
