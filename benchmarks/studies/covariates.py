"""Length taken out of scores: `python -m benchmarks.studies.covariates` prints the table of uncertainty.md.

Four systems with scores N(0, SD^2) have effects N(0, OMEGA^2) on each of PROMPTS prompts, and one judge compares all
pairs on each prompt once. Lengths differ as much between systems as between outputs of one, and one standard deviation
of all of them adds beta to an output. Votes are 1 with probability sigma(d), else 0; probabilities are
sigma(d + e), e ~ N(0, NOISE^2), with d the difference of scores, effects and lengths. The truth is the scores alone.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from app.inference.fitting import Scores, covariates_of
from app.inference.targets import effects_on_new_items, on_new_items
from benchmarks.pages import percent, show
from benchmarks.studies import simulated
from benchmarks.studies.running import options
from benchmarks.studies.truth import differences, differences_held

SEED = 30_075
N, PROMPTS, SD, OMEGA = 4, 40, 0.5, 0.3
NORMAL = 1.96  # half the width of a 95% interval, in standard deviations
WORLDS = list(product(("probabilities", "votes"), (0.0, 0.25, 0.5)))


class LengthTakenOut(NamedTuple):
    """One set; the mean of many."""

    without: float  # share of the intervals of differences that hold
    beside: float  # the same with the covariate
    effect: float  # whether the interval of beta holds it
    sd_without: float
    sd_beside: float


def main() -> None:
    columns = ["without, %", "with, %", "beta, %", "sd without", "sd with"]
    show(["judge", "beta", *columns], rows(options(__doc__, runs=200).runs))


def rows(runs: int) -> Iterator[Sequence[str]]:
    for judge, beta in WORLDS:
        of_runs = np.array([one_run(judge, beta, run) for run in range(runs)])  # (runs, 5)
        yield [judge, f"{beta:g}", *map(percent, of_runs.T[:3]), *(f"{sd:.2f}" for sd in of_runs[:, 3:].mean(axis=0))]


def one_run(judge: str, beta: float, run: int) -> LengthTakenOut:
    rng = np.random.default_rng([SEED, WORLDS.index((judge, beta)), run])
    s, u = rng.normal(0.0, SD, N), rng.normal(0.0, OMEGA, (PROMPTS, N))
    length = rng.normal(0.0, 1.0, N) + rng.normal(0.0, 1.0, (PROMPTS, N))
    shown = simulated.show(s + u + beta * length / length.std(), rng)
    log, item = shown.judged(judge, rng), shown.item
    alone, beside = (
        simulated.published(log, item, N, each) for each in (None, covariates_of({"length": length}, log, item))
    )
    (effect,) = effects_on_new_items(beside, item)
    without, taken_out = on_new_items(alone, item), on_new_items(beside, item)
    is_held = float(abs(effect.mean - beta) <= NORMAL * effect.sd)
    of_intervals = differences_held(without, s), differences_held(taken_out, s), is_held
    return LengthTakenOut(*of_intervals, _sd(without), _sd(taken_out))


def _sd(scores: Scores) -> float:
    """Standard deviation of a difference, on average."""
    return float(np.sqrt(differences(scores)[1]).mean())


if __name__ == "__main__":
    main()
