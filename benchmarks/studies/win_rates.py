"""Win rates compared with the truth: `python -m benchmarks.studies.win_rates` prints the table of uncertainty.md.

Four systems with scores N(0, SD^2) have effects N(0, omega^2) on each of M prompts, and one judge compares all pairs on
each prompt once. Votes are 1 with probability sigma(d), else 0; probabilities are sigma(d + e), e ~ N(0,
NOISE^2), with d the difference of scores and effects, and saturated ones sigma(SHARP (d + e)) to DIGITS digits. The
true win rate is the mean verdict over all prompts there could be, against the others, or against one of them.

`others held` is the mean of sigma(s_i - s_j) with s_i at the ends of its own interval and the others at their means.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.fitting import no_absolute_scores
from app.inference.reporting import Against, Wanted, against, attenuation, never_missed, summary_of
from app.inference.targets import drawn_values, on_new_items, publish_for
from app.inference.types import Floats, by_one_judge
from benchmarks.pages import percent, show
from benchmarks.studies import simulated
from benchmarks.studies.new_items import World
from benchmarks.studies.running import options
from benchmarks.studies.simulated import LEARNT, NOISE, hard_verdicts
from benchmarks.studies.truth import inside

SEED = 30_017
N, SD = 4, 0.7
SHARP, DIGITS = 8.0, 4
LEVEL = 0.95
NODES, SHARES = np.polynomial.hermite_e.hermegauss(200)
WORLDS = [World(*each) for each in product(("probabilities", "votes"), (15, 60), (0.5, 1.0))]
WORLDS += [World("saturated", 30, omega) for omega in (0.5, 1.0)]


class RatesHeld(NamedTuple):
    """One set; the mean of many."""

    others_held: float  # share of the intervals with the others held that hold the true win rate
    of_all: float  # share of those published
    against: float  # share of those against the first system
    error: float  # mean square of the published win rate
    width: float


def main() -> None:
    columns = ["others held, %", "win rate, %", "against one, %", "root mean square error", "width"]
    show(["judge", "prompts", "omega", *columns], rows(options(__doc__, runs=400).runs))


def rows(runs: int) -> Iterator[Sequence[str]]:
    for world in WORLDS:
        of_runs = np.array([one_run(world, run) for run in range(runs)])  # (runs, 5)
        shares, (error, width) = map(percent, of_runs.T[:3]), of_runs[:, 3:].mean(axis=0)
        yield [world.judge, f"{world.prompts}", f"{world.omega:g}", *shares, f"{np.sqrt(error):.3f}", f"{width:.2f}"]


def one_run(world: World, run: int) -> RatesHeld:
    rng = np.random.default_rng([SEED, WORLDS.index(world), run])
    s, u = rng.normal(0.0, SD, N), rng.normal(0.0, world.omega, (world.prompts, N))
    first, second, item, d = simulated.show(s + u, rng)
    sharp, noise = SHARP if world.judge == "saturated" else 1.0, NOISE * (world.judge != "votes")
    is_vote = world.judge == "votes"
    p = hard_verdicts(d, rng) if is_vote else expit(sharp * (d + noise * rng.standard_normal(len(d))))
    comparisons = by_one_judge(first, second, np.round(p, DIGITS) if world.judge == "saturated" else p)
    published = publish_for("new-items", comparisons, item, no_absolute_scores(), LEARNT, N, 1)
    scores, of_verdicts = on_new_items(published, item), attenuation(published)
    (ranking, _), never = summary_of(scores, Wanted(LEVEL), attenuation=of_verdicts), never_missed(published, 0)
    truth = true_rates(sharp * s, sharp**2 * (2.0 * world.omega**2 + noise**2))
    of_all = truth.sum(axis=1) / (N - 1)
    values = drawn_values(scores)
    beside = [against(values[:, i] - values[:, 0], of_verdicts, never[i], LEVEL) for i in range(1, N)]
    return RatesHeld(
        float(inside(of_all, others_held(ranking.score, ranking.interval)).mean()),
        float(inside(of_all, ranking.win_rate_interval).mean()),
        float(np.mean([_holds(each, truth[i, 0]) for i, each in enumerate(beside, start=1)])),
        float(np.square(ranking.win_rate - of_all).mean()),
        float(np.diff(ranking.win_rate_interval, axis=1).mean()),
    )


def true_rates(s: Floats, variance: float) -> Floats:
    """(N, N) mean verdicts where differences of (N,) scores have this variance over prompts; 0 on the diagonal."""
    d = s[:, None] - s
    verdicts = expit(d[..., None] + np.sqrt(variance) * NODES) @ SHARES / SHARES.sum()
    return np.asarray(verdicts * ~np.eye(len(s), dtype=np.bool_))


def others_held(score: Floats, at: Floats) -> Floats:
    """(N, 2) win rates with scores `at` (N, 2) each against the (N,) scores of the others."""
    ends = expit(at[:, None] - score[:, None])  # (N, N, 2)
    ends[np.diag_indices(len(score))] = 0.0
    return np.asarray(ends.sum(axis=1) / (len(score) - 1))


def _holds(beside: Against, truth: float) -> bool:
    low, high = beside.win_rate_interval or (np.nan, np.nan)
    return bool(low <= truth <= high)


if __name__ == "__main__":
    main()
