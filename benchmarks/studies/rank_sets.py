"""Do rank-sets hold, what is a judge worth? `python -m benchmarks.studies.rank_sets`: tables of docs/rank-sets.md.

Simulation: k systems with strengths s; people prefer a to b with probability 0.85 sigma(s_a - s_b) and call 15% ties,
so that theta is known. The judge is `good`: it says what people say in 80% of instances, and else one of the two
other answers; or a `coin`, which never calls a tie. Pairs of systems are shown equally often (`even`), with chances
drawn from a Dirichlet distribution (`uneven`), or, to people only, where they are at most 3 places apart (`near`).

Chatbot Arena: the experiment of PPR 5 on ../shared/data/chatbot_arena_ppr, 96 instances of every pair of 12 systems
in each repetition, 15 of them with people's verdicts.
"""

import csv
import gzip
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from nextpair.words import CovarianceName
from scipy.special import expit

from app.inference.judges.rank_sets import (
    Instances,
    RankSets,
    Wins,
    by_people,
    pairs,
    prediction_powered,
    ranks,
    squared_radius,
)
from app.inference.types import Bools, Floats, Ints
from benchmarks.studies.methods.figures import COLOURS, DASHES, STYLE, grid, save
from benchmarks.studies.methods.markdown import table

SEED = 20_262
ALPHA = 0.05
TIES, AGREES = 0.15, 0.8
NEAR = 3  # places
FIRST, TIE, SECOND = 0, 1, 2  # answers
COVARIANCES: tuple[CovarianceName, ...] = ("sandwich", "published")
LEVELS = np.linspace(0.5, 0.99, 50)
SIZES = ((4, 990, 5346), (12, 990, 5346), (30, 2475, 13365), (30, 990, 5346))  # k, n, N
FEW = tuple((k, 60, alone) for k in (2, 4) for alone in (1, 2, 5, 20, 200))  # of the judge alone
RUNS = {2: 1000, 4: 1000, 12: 1000, 30: 400}
FIGURES, DATA = Path("docs/figures"), Path("../shared/data/chatbot_arena_ppr")
JUDGES = ("gpt4", "claude3opus", "gpt35")
PER_PAIR, PER_PAIR_PEOPLE, REPETITIONS = 96, 15, 300


class Setting(NamedTuple):
    k: int
    people: int  # n
    alone: int  # N
    shown: str  # even, uneven or near
    judge: str  # good or coin


DRAWN = [Setting(*size, "even", "good") for size in SIZES[:3]] + [Setting(*SIZES[3], "uneven", "good")]


class Truth(NamedTuple):
    win: Floats  # (k, k) chance that the row beats the column
    theta: Floats  # (k,)
    rank: Ints  # (k,)


class Drawn(NamedTuple):
    """What prediction_powered is given."""

    shown: Instances
    people: Wins
    judge: Wins
    more: Instances
    judge_more: Wins


class Run(NamedTuple):
    helped: Mapping[CovarianceName, RankSets]
    people: RankSets  # alone


Held = Callable[[RankSets, Truth, float], bool]  # at a level alpha


class Arena(NamedTuple):
    k: int
    shown: Instances
    wins: Mapping[str, Wins]  # by people ("human") and by each judge


def main() -> None:
    parser = ArgumentParser(prog="python -m benchmarks.studies.rank_sets")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the runs, no figure; to see it work")
    quick = parser.parse_args().quick
    fewer = 20 if quick else 1
    measured = {setting: list(simulate(setting, RUNS[setting.k] // fewer)) for setting in settings()}
    print(simulation_table(measured), flush=True)
    if not quick:
        figure(measured, FIGURES)
    if DATA.is_dir():
        print(arena_tables(arena(DATA), REPETITIONS // fewer))
    else:
        print("skipped Chatbot Arena: its data is not there", file=sys.stderr)


# Simulation


def settings() -> list[Setting]:
    usual = product(SIZES, ("even", "uneven"), ("good", "coin"))
    return [
        *(Setting(*size, "even", "good") for size in FEW),
        *(Setting(*size, shown, judge) for size, shown, judge in usual),
        Setting(12, 990, 5346, "near", "good"),
    ]


def simulate(setting: Setting, runs: int) -> Iterator[Run]:
    for number in range(runs):
        yield one_run(setting, np.random.default_rng([SEED, *_key(setting), number]))
        print(f"\r{' '.join(map(str, setting))} {number + 1}/{runs}", end=" ", file=sys.stderr)
    print(file=sys.stderr)


def one_run(setting: Setting, rng: np.random.Generator, alpha: float = ALPHA) -> Run:
    data = draw(setting, rng)
    found = {name: prediction_powered(*data, k=setting.k, alpha=alpha, covariance=name) for name in COVARIANCES}
    return Run(found, by_people(data.shown, data.people, setting.k, alpha))


def draw(setting: Setting, rng: np.random.Generator) -> Drawn:
    win, everywhere = truth(setting.k).win, "even" if setting.shown == "near" else setting.shown
    shown, more = meet(setting, setting.people, setting.shown, rng), meet(setting, setting.alone, everywhere, rng)
    people, unseen = answers(shown, win, rng), answers(more, win, rng)
    said, said_more = (judged(truly, setting.judge, rng) for truly in (people, unseen))
    return Drawn(shown, wins(people), wins(said), more, wins(said_more))


def truth(k: int) -> Truth:
    """The same for every run."""
    strength = np.linspace(1.0, -1.0, k) + 0.1 * np.random.default_rng(SEED).standard_normal(k)
    win = (1.0 - TIES) * expit(strength[:, None] - strength[None, :])
    theta = (win.sum(axis=1) - np.diag(win)) / (k - 1)
    return Truth(win, theta, 1 + (theta[None, :] > theta[:, None]).sum(axis=1))


def meet(setting: Setting, count: int, shown: str, rng: np.random.Generator) -> Instances:
    """Either system first."""
    places = range(setting.k)
    every = np.array([(a, b) for a in places for b in places if a != b and (shown != "near" or abs(a - b) <= NEAR)])
    if shown == "uneven":
        chances = np.random.default_rng(SEED).dirichlet(np.full(len(every), 4.0))
        return Instances(*every[rng.choice(len(every), size=count, p=chances)].T)
    return Instances(*every[np.resize(rng.permutation(len(every)), count)].T)


def answers(shown: Instances, win: Floats, rng: np.random.Generator) -> Ints:
    u, first = rng.random(shown.size), win[shown.first, shown.second]
    return np.where(u < first, FIRST, np.where(u < first + TIES, TIE, SECOND))


def judged(people: Ints, judge: str, rng: np.random.Generator) -> Ints:
    if judge == "coin":
        return rng.choice([FIRST, SECOND], size=len(people))
    other = (people + rng.integers(1, 3, size=len(people))) % 3
    return np.where(rng.random(len(people)) < AGREES, people, other)


def wins(answers: Ints) -> Wins:
    return Wins((answers == FIRST).astype(np.float64), (answers == SECOND).astype(np.float64))


def theta_held(found: RankSets, true: Truth, alpha: float) -> bool:
    """By the ellipsoid."""
    gap = found.theta - true.theta
    distance = gap @ np.linalg.solve(found.covariance, gap)
    return bool(distance <= squared_radius(len(gap), alpha, found.freedom))


def ranks_held(found: RankSets, true: Truth, alpha: float) -> bool:
    """All of them, by their rank-sets."""
    stated = ranks(found.theta, found.covariance, squared_radius(len(true.rank), alpha, found.freedom))
    return bool(((stated[:, 0] <= true.rank) & (true.rank <= stated[:, 1])).all())


def simulation_table(measured: Mapping[Setting, Sequence[Run]]) -> str:
    header = ["k", "n", "N", "pairs", "judge", "runs", "theta, %", "ranks, %", "published: theta, %", "ranks, %"]
    header += ["lambda", "variance stated", "squared error", "size of rank-sets", "people alone"]
    return table(header, [_cells(setting, runs) for setting, runs in measured.items()])


def _cells(setting: Setting, runs: Sequence[Run]) -> list[str]:
    true, cells = truth(setting.k), [*map(str, setting), f"{len(runs)}"]
    for name, held in product(COVARIANCES, (theta_held, ranks_held)):
        cells.append(f"{100.0 * np.mean([held(run.helped[name], true, ALPHA) for run in runs]):.1f}")
    helped, alone = [run.helped["sandwich"] for run in runs], [run.people for run in runs]
    cells.append(f"{np.mean([found.tuned for found in helped]):.2f}")
    cells.append(f"{_stated(helped) / _stated(alone):.3f}")
    cells.append(f"{_squared_error(helped, true) / _squared_error(alone, true):.3f}")
    return cells + [f"{np.mean([size(found.ranks) for found in many]):.2f}" for many in (helped, alone)]


def _stated(many: Sequence[RankSets]) -> float:
    return float(np.mean([np.trace(found.covariance) for found in many]))


def _squared_error(many: Sequence[RankSets], true: Truth) -> float:
    return float(np.mean([((found.theta - true.theta) ** 2).sum() for found in many]))


def size(ranks: Ints) -> float:
    """Of a rank-set, the mean."""
    return float(np.mean(1 + ranks[:, 1] - ranks[:, 0]))


def figure(measured: Mapping[Setting, Sequence[Run]], folder: Path) -> None:
    """Nominal level against measured coverage: even pairs at three k, and k = 30 with few verdicts on uneven ones."""
    drawn = {setting: runs for setting, runs in measured.items() if setting in DRAWN}
    with mpl.rc_context(STYLE):
        drawing, panels = grid(4, 2)
        for ax, (name, held) in zip(panels, product(COVARIANCES, (theta_held, ranks_held)), strict=True):
            _curves(ax, drawn, name, held)
            ax.set(title=f"{name}: {'theta' if held is theta_held else 'all ranks'}", ylim=(-0.03, 1.03))
            ax.set(xlabel="level stated", ylabel="share of runs that hold")
        panels[0].legend(loc="lower right", fontsize=7)
        save(drawing, folder, "rank-sets-coverage")


def _curves(ax: Axes, drawn: Mapping[Setting, Sequence[Run]], name: CovarianceName, held: Held) -> None:
    for n, (setting, runs) in enumerate(drawn.items()):
        true, label = truth(setting.k), f"k = {setting.k}, n = {setting.people:,}, {setting.shown}"
        share = [np.mean([held(run.helped[name], true, 1.0 - level) for run in runs]) for level in LEVELS]
        ax.plot(LEVELS, share, label=label, color=COLOURS[n], linestyle=DASHES[n], linewidth=1.4)
    ax.plot(LEVELS, LEVELS, color="#7f7f7f", linewidth=0.8)


def _key(setting: Setting) -> tuple[int, int, int, int]:
    return setting.k, setting.people, ("even", "uneven", "near").index(setting.shown), int(setting.judge == "coin")


# Chatbot Arena


def arena(folder: Path) -> Arena:
    with gzip.open(folder / "comparisons.csv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["in12"] == "1"]
    systems = sorted({row["model_a"] for row in rows} | {row["model_b"] for row in rows})
    sides = [np.array([systems.index(row[side]) for row in rows]) for side in ("model_a", "model_b")]
    said = {who: [np.array([float(row[who] == side) for row in rows]) for side in "ab"] for who in ("human", *JUDGES)}
    return Arena(len(systems), Instances(*sides), {who: Wins(*won) for who, won in said.items()})


def arena_tables(data: Arena, repetitions: int) -> str:
    """A table for each covariance. The baseline is people's verdicts on everything."""
    header = ["method", "size of rank-sets", "meets the baseline, %", "theta off the baseline", "lambda", "variance"]
    tables = []
    for covariance in COVARIANCES:
        found = [methods(data, np.random.default_rng([SEED, n]), covariance) for n in range(repetitions)]
        rows = [[name, *_summary(found, name)] for name in found[0]]
        tables.append(f"\n{covariance}, {repetitions} repetitions\n\n{table(header, rows)}")
        print(f"Chatbot Arena, {covariance}", file=sys.stderr)
    return "\n".join(tables)


def methods(data: Arena, rng: np.random.Generator, covariance: CovarianceName) -> dict[str, RankSets]:
    """By name, from one draw of the instances."""
    place = places_within_pairs(pairs(data.shown, data.k), rng)
    everything, few = place < PER_PAIR, place < PER_PAIR_PEOPLE
    rest = everything & ~few

    def alone(who: str, keep: Bools) -> RankSets:
        return by_people(_take(data.shown, keep), _won(data.wins[who], keep), data.k, ALPHA, covariance)

    def helped(judge: str) -> RankSets:
        part = Drawn(
            _take(data.shown, few), _won(data.wins["human"], few), _won(data.wins[judge], few),
            _take(data.shown, rest), _won(data.wins[judge], rest),
        )  # fmt: skip
        return prediction_powered(*part, k=data.k, alpha=ALPHA, covariance=covariance)

    return (
        {"baseline": alone("human", everything), "people alone": alone("human", few)}
        | {f"{judge} alone": alone(judge, everything) for judge in JUDGES}
        | {f"people and {judge}": helped(judge) for judge in JUDGES}
    )


def places_within_pairs(pair: Ints, rng: np.random.Generator) -> Ints:
    """(n,) 0, 1, ... in random order within each pair of systems."""
    order, place = np.lexsort((rng.random(len(pair)), pair)), np.empty(len(pair), np.int64)
    sorted_pairs = pair[order]
    place[order] = np.arange(len(pair)) - np.searchsorted(sorted_pairs, sorted_pairs)
    return place


def intersect(ranks: Ints, others: Ints) -> bool:
    """Every system's rank-set meets its other one (PPR 5)."""
    return bool((np.maximum(ranks[:, 0], others[:, 0]) <= np.minimum(ranks[:, 1], others[:, 1])).all())


def _summary(repetitions: Sequence[Mapping[str, RankSets]], name: str) -> list[str]:
    """Cells of a method; its variance is relative to that of people alone."""
    found, baseline, people = ([of[who] for of in repetitions] for who in (name, "baseline", "people alone"))
    sizes = np.array([size(one.ranks) for one in found])
    meets = np.mean([intersect(one.ranks, other.ranks) for one, other in zip(found, baseline, strict=True)])
    off = np.mean([((one.theta - other.theta) ** 2).mean() for one, other in zip(found, baseline, strict=True)])
    cells = [f"{sizes.mean():.2f} ± {sizes.std() / np.sqrt(len(sizes)):.2f}", f"{100.0 * meets:.1f}"]
    return [*cells, f"{np.sqrt(off):.3f}", *(_helped(found, people) if " and " in name else ("–", "–"))]


def _helped(found: Sequence[RankSets], people: Sequence[RankSets]) -> tuple[str, str]:
    return f"{np.mean([one.tuned for one in found]):.2f}", f"{_stated(found) / _stated(people):.3f}"


def _take(shown: Instances, keep: Bools) -> Instances:
    return Instances(shown.first[keep], shown.second[keep])


def _won(wins: Wins, keep: Bools) -> Wins:
    return Wins(wins.first[keep], wins.second[keep])


if __name__ == "__main__":
    main()
