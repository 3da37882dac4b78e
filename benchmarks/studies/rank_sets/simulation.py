"""k systems with strengths s; people prefer a to b with probability 0.85 sigma(s_a - s_b) and call 15% ties,
so that theta is known. The judge is `good`: it says what people say in 80% of instances, and else one of the two
other answers; or a `coin`, which never calls a tie. Pairs of systems are shown equally often (`even`), with chances
drawn from a Dirichlet distribution (`uneven`), or, to people only, where they are at most 3 places apart (`near`).
"""

import sys
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
    prediction_powered,
    ranks,
    squared_radius,
)
from app.inference.types import Floats, Ints
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


class Design(NamedTuple):
    """A row of the simulation's table."""

    k: int  # systems
    people: int  # n
    alone: int  # N
    shown: str  # even, uneven or near
    judge: str  # good or coin


DRAWN = [Design(*size, "even", "good") for size in SIZES[:3]] + [Design(*SIZES[3], "uneven", "good")]


class Truth(NamedTuple):
    """Systems as they are."""

    win: Floats  # (k, k) chance that the row beats the column
    theta: Floats  # (k,)
    rank: Ints  # (k,)


class Drawn(NamedTuple):
    """The arguments of prediction_powered."""

    shown: Instances
    people: Wins
    judge: Wins
    more: Instances
    judge_more: Wins


class Repetition(NamedTuple):
    """Rank-sets from one draw."""

    helped: Mapping[CovarianceName, RankSets]
    people: RankSets  # alone


Holds = Callable[[RankSets, Truth, float], bool]  # at a level alpha


def designs() -> list[Design]:
    usual = product(SIZES, ("even", "uneven"), ("good", "coin"))
    return [
        *(Design(*size, "even", "good") for size in FEW),
        *(Design(*size, shown, judge) for size, shown, judge in usual),
        Design(12, 990, 5346, "near", "good"),
    ]


def simulate(design: Design, runs: int) -> Iterator[Repetition]:
    for number in range(runs):
        yield one_run(design, np.random.default_rng([SEED, *_key(design), number]))
        print(f"\r{' '.join(map(str, design))} {number + 1}/{runs}", end=" ", file=sys.stderr)
    print(file=sys.stderr)


def one_run(design: Design, rng: np.random.Generator, alpha: float = ALPHA) -> Repetition:
    drawn = draw(design, rng)
    helped = {name: prediction_powered(*drawn, k=design.k, alpha=alpha, covariance=name) for name in COVARIANCES}
    return Repetition(helped, by_people(drawn.shown, drawn.people, design.k, alpha))


def draw(design: Design, rng: np.random.Generator) -> Drawn:
    win, everywhere = truth(design.k).win, "even" if design.shown == "near" else design.shown
    shown, more = meet(design, design.people, design.shown, rng), meet(design, design.alone, everywhere, rng)
    people, unseen = answers(shown, win, rng), answers(more, win, rng)
    judge, judge_more = (judged(truly, design.judge, rng) for truly in (people, unseen))
    return Drawn(shown, wins(people), wins(judge), more, wins(judge_more))


def truth(k: int) -> Truth:
    """The truth about k systems, which is the same in every run."""
    strength = np.linspace(1.0, -1.0, k) + 0.1 * np.random.default_rng(SEED).standard_normal(k)
    win = (1.0 - TIES) * expit(strength[:, None] - strength[None, :])
    theta = (win.sum(axis=1) - np.diag(win)) / (k - 1)
    return Truth(win, theta, 1 + (theta[None, :] > theta[:, None]).sum(axis=1))


def meet(design: Design, count: int, shown: str, rng: np.random.Generator) -> Instances:
    """Either system first."""
    places = range(design.k)
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


def theta_holds(stated: RankSets, true: Truth, alpha: float) -> bool:
    """Tell whether the ellipsoid holds theta."""
    gap = stated.theta - true.theta
    distance = gap @ np.linalg.solve(stated.covariance, gap)
    return bool(distance <= squared_radius(len(gap), alpha, stated.freedom))


def ranks_hold(stated: RankSets, true: Truth, alpha: float) -> bool:
    """Tell whether every rank-set holds its system's rank."""
    bounds = ranks(stated.theta, stated.covariance, squared_radius(len(true.rank), alpha, stated.freedom))
    return bool(((bounds[:, 0] <= true.rank) & (true.rank <= bounds[:, 1])).all())


def simulation_table(measured: Mapping[Design, Sequence[Repetition]]) -> str:
    header = ["k", "n", "N", "pairs", "judge", "runs", "theta, %", "ranks, %", "published: theta, %", "ranks, %"]
    header += ["lambda", "variance stated", "squared error", "size of rank-sets", "people alone"]
    return table(header, [_cells(design, runs) for design, runs in measured.items()])


def _cells(design: Design, runs: Sequence[Repetition]) -> list[str]:
    true, cells = truth(design.k), [*map(str, design), f"{len(runs)}"]
    for name, holds in product(COVARIANCES, (theta_holds, ranks_hold)):
        cells.append(f"{100.0 * np.mean([holds(run.helped[name], true, ALPHA) for run in runs]):.1f}")
    helped, alone = [run.helped["sandwich"] for run in runs], [run.people for run in runs]
    cells.append(f"{np.mean([rank_sets.tuned for rank_sets in helped]):.2f}")
    cells.append(f"{variance(helped) / variance(alone):.3f}")
    cells.append(f"{_squared_error(helped, true) / _squared_error(alone, true):.3f}")
    return cells + [f"{np.mean([size(rank_sets.ranks) for rank_sets in many]):.2f}" for many in (helped, alone)]


def variance(many: Sequence[RankSets]) -> float:
    """Variance of theta as it is stated, the mean of many."""
    return float(np.mean([np.trace(rank_sets.covariance) for rank_sets in many]))


def _squared_error(many: Sequence[RankSets], true: Truth) -> float:
    return float(np.mean([((rank_sets.theta - true.theta) ** 2).sum() for rank_sets in many]))


def size(ranks: Ints) -> float:
    """Mean size of rank-sets."""
    return float(np.mean(1 + ranks[:, 1] - ranks[:, 0]))


def figure(measured: Mapping[Design, Sequence[Repetition]], folder: Path) -> None:
    """Nominal level against measured coverage: even pairs at three k, and k = 30 with few verdicts on uneven ones."""
    drawn = {design: runs for design, runs in measured.items() if design in DRAWN}
    with mpl.rc_context(STYLE):
        drawing, panels = grid(4, 2)
        for ax, (name, holds) in zip(panels, product(COVARIANCES, (theta_holds, ranks_hold)), strict=True):
            _curves(ax, drawn, name, holds)
            ax.set(title=f"{name}: {'theta' if holds is theta_holds else 'all ranks'}", ylim=(-0.03, 1.03))
            ax.set(xlabel="level stated", ylabel="share of runs that hold")
        panels[0].legend(loc="lower right", fontsize=7)
        save(drawing, folder, "rank-sets-coverage")


def _curves(ax: Axes, drawn: Mapping[Design, Sequence[Repetition]], name: CovarianceName, holds: Holds) -> None:
    for n, (design, runs) in enumerate(drawn.items()):
        true, label = truth(design.k), f"k = {design.k}, n = {design.people:,}, {design.shown}"
        share = [np.mean([holds(run.helped[name], true, 1.0 - level) for run in runs]) for level in LEVELS]
        ax.plot(LEVELS, share, label=label, color=COLOURS[n], linestyle=DASHES[n], linewidth=1.4)
    ax.plot(LEVELS, LEVELS, color="#7f7f7f", linewidth=0.8)


def _key(design: Design) -> tuple[int, int, int, int]:
    return design.k, design.people, ("even", "uneven", "near").index(design.shown), int(design.judge == "coin")
