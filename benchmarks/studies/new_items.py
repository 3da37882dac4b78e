"""Rankings compared with new prompts: `python -m benchmarks.studies.new_items` prints the tables of uncertainty.md.

Eight systems with scores N(0, SD^2) have effects N(0, omega^2) on each of M prompts; 560 comparisons of pairs on
prompts are drawn at random, one by one. Votes are 1 with probability sigma(d), else 0; probabilities are
sigma(d + e), e ~ N(0, 0.25), with d the difference of scores and effects. The truth is the scores without effects.

Real judges have no truth. There the prompts are split into two halves, each is ranked, and the difference of two
systems by one half is compared with the other:

    z^2        (difference by A - difference by B)^2 / (variance of A + variance of B), whose mean is 1 where they hold
    reversed   claims by A, more than 1.645 standard deviations from 0, that have the other sign by B

`latent` is the posterior, which takes all comparisons as independent; `new items` is targets/new_items.py.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.files.columns import texts_of
from app.files.reading import read
from app.inference.fitting import Scores
from app.inference.reporting import Wanted, ranks, summary_of
from app.inference.targets import on_new_items
from app.inference.types import Comparisons, Floats, Ints, by_one_judge
from app.offline.cases import Case
from benchmarks.pages import percent, show, with_error
from benchmarks.studies import simulated
from benchmarks.studies.data import HANNA, PEOPLE, SUMMEVAL, DataSet, missing
from benchmarks.studies.running import DATA, options
from benchmarks.studies.truth import HeldInTruth, differences, held

SEED = 20_266
N, SD, COMPARISONS = 8, 0.5, 560
PER_PROMPT = 20  # comparisons of real judges
SURE = 1.645  # standard deviations of a claim


class World(NamedTuple):
    """A row of the simulation's table."""

    judge: str
    prompts: int
    omega: float


class Agreed(NamedTuple):
    """Two halves against each other."""

    z2: float
    claims: float
    turned: float  # of those


WORLDS = [World(*each) for each in product(("probabilities", "votes"), (20, 80), (0.0, 0.5, 1.0))]


def main() -> None:
    """`--runs` of every simulated judge, `--splits` of every dimension of real data."""
    chosen = options(__doc__, runs=200, splits=20, data=DATA)
    columns = ["ranks hold, %", "leader best, stated", "true", "width of ranks"]
    show(["judge", "prompts", "omega", *columns], of_simulated(chosen.runs))
    show(
        ["data", "systems", "prompts in a half", "z^2", "claims", "reversed, %"], in_halves(chosen.data, chosen.splits)
    )


def of_simulated(runs: int) -> Iterator[Sequence[str]]:
    """Yield the rows, latent → new items."""
    for world in WORLDS:
        of_runs = np.array([one_run(world, run) for run in range(runs)])  # (runs, 2, 4)
        mean, wider = of_runs.mean(axis=0), of_runs[:, 1, 3] - of_runs[:, 0, 3]
        hold = " → ".join(map(percent, of_runs[:, :, 0].T))
        stated, width = (" → ".join(f"{m[field]:.2f}" for m in mean) for field in (1, 3))
        width += f" ± {wider.std() / np.sqrt(runs):.2f}"  # of the change
        yield [world.judge, f"{world.prompts}", f"{world.omega:g}", hold, stated, with_error(of_runs[:, 1, 2]), width]


def one_run(world: World, run: int) -> list[HeldInTruth]:
    rng = np.random.default_rng([SEED, WORLDS.index(world), run])
    s, u = rng.normal(0.0, SD, N), rng.normal(0.0, world.omega, (world.prompts, N))
    shown = simulated.show(s + u, rng, rng.choice(world.prompts * N * (N - 1) // 2, COMPARISONS, replace=False))
    targets = by_target(shown.judged(world.judge, rng), shown.item, N)
    return [held(summary_of(scores, Wanted())[0], ranks(s), int(scores.mean.argmax())) for scores in targets]


def by_target(comparisons: Comparisons, item: Ints, n: int) -> list[Scores]:
    published = simulated.published(comparisons, item, n)
    return [published.scores, on_new_items(published, item)]


def in_halves(folder: Path, splits: int) -> Iterator[Sequence[str]]:
    """Yield the rows of the data sets that are there; errors are those of dimensions."""
    for source, size in ((SUMMEVAL, 50), (HANNA, 48)):
        if why := missing(folder, source.folder):
            print(why)
            continue
        of_parts = []
        for part in source.parts:
            prompts, n = by_system(folder, source, part)
            of_splits = np.array([one_split(prompts, n, size, split) for split in range(splits)])  # (splits, 2, 3)
            z2, (claims, turned) = of_splits[:, :, 0].mean(axis=0), of_splits[:, :, 1:].mean(axis=0).T
            of_parts.append(np.column_stack([z2, claims, 100.0 * turned / np.maximum(claims, 1e-9)]))
        mean, error = np.mean(of_parts, axis=0), np.std(of_parts, axis=0, ddof=1) / np.sqrt(len(of_parts))
        cells = [
            " → ".join(f"{m:.{digits}f} ± {e:.{digits}f}" for m, e in zip(mean[:, field], error[:, field], strict=True))
            for field, digits in enumerate((2, 1, 1))
        ]
        yield [source.title, f"{n}", f"{size}", *cells]


def by_system(folder: Path, source: DataSet, part: str) -> tuple[list[tuple[Ints, Ints, Floats]], int]:
    """First, second and p of all pairs on each prompt, by numbers of systems; and how many of these there are."""
    system_of = _systems_of_stories(folder) if source is HANNA else {}
    cases: Iterable[Case] = source.load(folder, part)
    numbers: dict[str, int] = {}
    prompts = []
    for case in cases:
        system = np.array([numbers.setdefault(system_of.get(key, key), len(numbers)) for key in case.keys])
        first, second = np.nonzero(np.triu(~np.isnan(case.answers), 1))
        prompts.append((system[first], system[second], case.answers[first, second]))
    return prompts, len(numbers)


def _systems_of_stories(folder: Path) -> dict[str, str]:
    stories = read(str(folder / "hanna" / PEOPLE))
    return dict(zip(texts_of(stories, "story_id"), texts_of(stories, "system"), strict=True))


def one_split(prompts: list[tuple[Ints, Ints, Floats]], n: int, size: int, split: int) -> list[Agreed]:
    rng = np.random.default_rng([SEED, split])
    drawn = rng.permutation(len(prompts))
    halves = [by_target(*_sampled(prompts, part, rng), n) for part in (drawn[:size], drawn[size : 2 * size])]
    return [agreed(a, b) for a, b in zip(*halves, strict=True)]


def _sampled(
    prompts: list[tuple[Ints, Ints, Floats]], chosen: Ints, rng: np.random.Generator
) -> tuple[Comparisons, Ints]:
    rows = []
    for m in chosen:
        first, second, p = prompts[m]
        for k in rng.permutation(len(p))[:PER_PROMPT]:
            turned = rng.random() < 0.5
            rows.append((m, second[k], first[k], 1.0 - p[k]) if turned else (m, first[k], second[k], p[k]))
    item, first, second, p = np.array(rows).T
    return by_one_judge(first.astype(np.int64), second.astype(np.int64), p), item.astype(np.int64)


def agreed(a: Scores, b: Scores) -> Agreed:
    (m, v), (other, of_other) = differences(a), differences(b)
    sure = np.abs(m) > SURE * np.sqrt(v)
    return Agreed(
        float(((m - other) ** 2 / (v + of_other)).mean()), float(sure.sum()), float((sure & (m * other < 0.0)).sum())
    )


if __name__ == "__main__":
    main()
