"""Length taken out of scores: `python -m benchmarks.studies.covariates` prints the table of uncertainty.md.

Four systems with scores N(0, SD^2) have effects N(0, OMEGA^2) on each of PROMPTS prompts, and one judge compares all
pairs on each prompt once. Lengths differ as much between systems as between outputs of one, and one standard deviation
of all of them adds beta to an output. Votes are 1 with probability sigma(d), else 0; probabilities are
sigma(d + e), e ~ N(0, NOISE^2), with d the difference of scores, effects and lengths. The truth is the scores alone.
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.fitting import Method, Scores, covariates_of, no_absolute_scores, publish
from app.inference.targets import effects_on_new_items, on_new_items
from app.inference.types import by_one_judge
from benchmarks.studies.methods.markdown import table, with_error
from benchmarks.studies.truth import differences, differences_held

SEED = 30_075
N, PROMPTS, SD, OMEGA, NOISE = 4, 40, 0.5, 0.3, 0.5
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
    parser = ArgumentParser("python -m benchmarks.studies.covariates", description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="of every judge")
    columns = ["without, %", "with, %", "beta, %", "sd without", "sd with"]
    print(table(["judge", "beta", *columns], rows(parser.parse_args().runs)))


def rows(runs: int) -> Iterator[Sequence[str]]:
    for judge, beta in WORLDS:
        of_runs = np.array([one_run(judge, beta, number) for number in range(runs)])  # (runs, 5)
        shares = [with_error(100.0 * of_run, ".1f") for of_run in of_runs[:, :3].T]
        yield [judge, f"{beta:g}", *shares, *(f"{sd:.2f}" for sd in of_runs[:, 3:].mean(axis=0))]


def one_run(judge: str, beta: float, number: int) -> LengthTakenOut:
    rng = np.random.default_rng([SEED, WORLDS.index((judge, beta)), number])
    s, u = rng.normal(0.0, SD, N), rng.normal(0.0, OMEGA, (PROMPTS, N))
    length = rng.normal(0.0, 1.0, N) + rng.normal(0.0, 1.0, (PROMPTS, N))
    value = s + u + beta * length / length.std()
    pairs = np.array(np.triu_indices(N, 1))
    item, pair = np.divmod(np.arange(PROMPTS * pairs.shape[1]), pairs.shape[1])
    first, second = np.where(rng.random(len(item)) < 0.5, pairs[:, pair], pairs[::-1, pair])
    d = value[item, first] - value[item, second]
    thought = expit(d + NOISE * rng.standard_normal(len(d)))
    log = by_one_judge(
        first, second, thought if judge == "probabilities" else (rng.random(len(d)) < expit(d)).astype(float)
    )
    covariates = covariates_of({"length": length}, log, item)
    alone, beside = (
        publish(log, item, no_absolute_scores(), Method(verdict_weight="learnt"), N, 1, covariates=each)
        for each in (None, covariates)
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
