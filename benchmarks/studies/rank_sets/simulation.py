"""k systems with strengths s; people prefer a to b with probability 0.85 sigma(s_a - s_b) and call 15% ties,
so that theta is known. The judge is `good`: it says what people say in 80% of instances, and else one of the two other
answers. Or it is `partial`: in half of the instances it takes the side of every second system. Or it is `random`, which
never calls a tie. Pairs of systems are shown equally often (`even`), with chances drawn from a Dirichlet distribution
(`uneven`), or, to people only, where they are at most 3 places apart (`near`).
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from nextpair.words import CovarianceName
from scipy.special import expit
from scipy.stats import norm, t

from app.inference.judges import JudgedInstances, RankBounds, Wins, prediction_powered, ranked
from app.inference.judges.rank_sets import (
    Instances,
    SystemScores,
    largest_contrasts,
    ranks,
    reach_by_ellipsoid,
    squared_radius,
    variances_of_differences,
)
from app.inference.types import Bools, Floats, Ints
from benchmarks.pages import table
from benchmarks.studies.figures import COLOURS, DASHES, STYLE, grid, save
from benchmarks.studies.running import say

SEED = 20_262
ALPHA, LOOSER = 0.05, 0.1
TIES, AGREES, FAIR = 0.15, 0.8, 0.5
NEAR = 3  # places
FIRST, TIE, SECOND = 0, 1, 2  # answers
COVARIANCES: tuple[CovarianceName, ...] = ("sandwich", "published")
LEVELS = np.linspace(0.5, 0.99, 50)
SIZES = ((4, 990, 5346), (12, 990, 5346), (30, 2475, 13365), (30, 990, 5346))  # k, n, N
FEW = tuple((k, 60, alone) for k in (2, 4) for alone in (1, 2, 5, 20, 200))  # of the judge alone
SCARCE = ((12, 132, 600), (12, 264, 1200))
RUNS = {2: 400, 4: 400, 12: 400, 30: 200}
JUDGES = ("good", "partial", "random")


class Design(NamedTuple):
    """A row of the simulation's table."""

    k: int  # systems
    people: int  # n
    alone: int  # N
    shown: str  # even, uneven or near
    judge: str  # good, partial or random


DRAWN = [Design(*size, "even", "good") for size in SIZES[:3]] + [Design(*SIZES[3], "uneven", "good")]


class Truth(NamedTuple):
    """Systems as they are."""

    win: Floats  # (k, k) chance that the row beats the column
    theta: Floats  # (k,)
    rank: Ints  # (k,)


class Repetition(NamedTuple):
    """Results of one draw."""

    helped: Mapping[CovarianceName, SystemScores]
    people: SystemScores  # alone


Holds = Callable[[SystemScores, Truth, float], bool]  # at a level alpha


def designs() -> list[Design]:
    usual = product(SIZES, ("even", "uneven"), JUDGES)
    return [
        *(Design(*size, "even", "good") for size in FEW),
        *(Design(*size, "uneven", "random") for size in SCARCE),
        *(Design(*size, shown, judge) for size, shown, judge in usual if size != SIZES[3] or judge == "good"),
        Design(12, 990, 5346, "near", "good"),
    ]


def simulate(design: Design, runs: int) -> list[Repetition]:
    say(" ".join(map(str, design)))
    shown = ("even", "uneven", "near").index(design.shown)
    key = design.k, design.people, shown, ("good", "random", "partial").index(design.judge)
    return [one_run(design, np.random.default_rng([SEED, *key, run])) for run in range(runs)]


def one_run(design: Design, rng: np.random.Generator) -> Repetition:
    drawn = draw(design, rng)
    names = COVARIANCES if design.judge == "good" else COVARIANCES[:1]
    helped = {name: prediction_powered(*drawn, k=design.k, covariance=name) for name in names}
    return Repetition(helped, prediction_powered(drawn.shown, drawn.people, k=design.k))


def draw(design: Design, rng: np.random.Generator) -> JudgedInstances:
    """People judged the first instances, the judge all."""
    everywhere = "even" if design.shown == "near" else design.shown
    met = [meet(design, design.people, design.shown, rng), meet(design, design.alone, everywhere, rng)]
    shown = np.hstack(met)
    truly = answers(shown, truth(design.k).win, rng)
    return JudgedInstances(
        shown,
        where(np.arange(shown.shape[1]) < design.people, wins(truly)),
        [wins(judged(truly, shown, design.judge, rng))],
    )


def where(keep: Bools, wins: Wins) -> Wins:
    """The verdicts that are kept, NaN elsewhere."""
    return np.where(keep, wins, np.nan)


def truth(k: int) -> Truth:
    """The truth about k systems, which is the same in every run."""
    strength = np.linspace(1.0, -1.0, k) + 0.1 * np.random.default_rng(SEED).standard_normal(k)
    win = (1.0 - TIES) * expit(strength[:, None] - strength[None, :])
    theta = (win.sum(axis=1) - np.diag(win)) / (k - 1)
    return Truth(win, theta, 1 + (theta[None, :] > theta[:, None]).sum(axis=1))


def meet(design: Design, count: int, shown: str, rng: np.random.Generator) -> Instances:
    """Instances with either system first."""
    places = range(design.k)
    every = np.array([(a, b) for a in places for b in places if a != b and (shown != "near" or abs(a - b) <= NEAR)])
    if shown == "uneven":
        chances = np.random.default_rng(SEED).dirichlet(np.full(len(every), 4.0))
        return np.asarray(every[rng.choice(len(every), size=count, p=chances)].T)
    return np.asarray(every[np.resize(rng.permutation(len(every)), count)].T)


def answers(shown: Instances, win: Floats, rng: np.random.Generator) -> Ints:
    u, first = rng.random(shown.shape[1]), win[*shown]
    return np.where(u < first, FIRST, np.where(u < first + TIES, TIE, SECOND))


def judged(people: Ints, shown: Instances, judge: str, rng: np.random.Generator) -> Ints:
    if judge == "random":
        return rng.choice([FIRST, SECOND], size=len(people))
    if judge == "partial":
        first, second = shown % 2
        dear = np.where(first == second, people, np.where(first == 0, FIRST, SECOND))
        return np.where(rng.random(len(people)) < FAIR, people, dear)
    other = (people + rng.integers(1, 3, size=len(people))) % 3
    return np.where(rng.random(len(people)) < AGREES, people, other)


def wins(answers: Ints) -> Wins:
    return np.array([answers == FIRST, answers == SECOND], np.float64)


def theta_holds(estimate: SystemScores, true: Truth, alpha: float) -> bool:
    """Tell whether the ellipsoid holds theta."""
    gap = estimate.theta - true.theta
    distance = gap @ np.linalg.solve(estimate.covariance, gap)
    return bool(distance <= squared_radius(len(gap), alpha, estimate.freedom))


def ranks_hold_by_ellipsoid(estimate: SystemScores, true: Truth, alpha: float) -> bool:
    return ranks_hold(ranks(estimate.theta, reach_by_ellipsoid(estimate, alpha)), true)


def ranks_hold(ranks: Ints, true: Truth) -> bool:
    """Tell whether every rank-set holds its system's rank."""
    return bool(((ranks[:, 0] <= true.rank) & (true.rank <= ranks[:, 1])).all())


def differences_hold(stated: RankBounds, true: Truth) -> bool:
    """Tell whether every difference is within its reach."""
    return bool((_errors_of_differences(stated.estimate, true) <= stated.reach).all())


def level_needed(estimate: SystemScores, true: Truth) -> float:
    """The level from which on all differences are within reach by contrasts."""
    pairs = np.triu_indices(len(true.theta), 1)
    sd = np.sqrt(variances_of_differences(estimate.covariance)[pairs])
    tails = t.sf(_errors_of_differences(estimate, true)[pairs] / sd, estimate.freedom_of_differences[pairs])
    return float((largest_contrasts(estimate.covariance) < norm.isf(np.min(tails))).mean())


def _errors_of_differences(estimate: SystemScores, true: Truth) -> Floats:
    """(k, k)."""
    error = estimate.theta - true.theta
    return np.abs(error[:, None] - error)


def promises_table(measured: Mapping[Design, Sequence[Repetition]]) -> str:
    """Coverage of rank-sets, and how large they are."""
    header = ["k", "n", "N", "pairs", "judge", "runs"]
    header += [f"{what} at {level}" for level in ("95%", "90%") for what in ("differences, %", "ranks, %")]
    header += ["size of rank-sets", "by the ellipsoid", "share", "share at 90%", "people alone"]
    return table(header, [_promises(design, runs) for design, runs in measured.items()])


def _promises(design: Design, runs: Sequence[Repetition]) -> list[str]:
    true, helped = truth(design.k), [run.helped["sandwich"] for run in runs]
    usual, looser = ([ranked(one, alpha) for one in helped] for alpha in (ALPHA, LOOSER))
    cells = [*map(str, design), f"{len(runs)}"]
    for stated in (usual, looser):
        cells.append(f"{100.0 * np.mean([differences_hold(one, true) for one in stated]):.1f}")
        cells.append(f"{100.0 * np.mean([ranks_hold(one.ranks, true) for one in stated]):.1f}")
    ours, theirs = mean_size(usual), mean_size([ranked(one, ALPHA, "ellipsoid") for one in helped])
    at_looser = mean_size(looser) / mean_size([ranked(one, LOOSER, "ellipsoid") for one in helped])
    alone = mean_size([ranked(run.people, ALPHA) for run in runs])
    return [*cells, f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.2f}", f"{at_looser:.2f}", f"{alone:.2f}"]


def mean_size(many: Sequence[RankBounds]) -> float:
    return float(np.mean([size(one.ranks) for one in many]))


def estimates_table(measured: Mapping[Design, Sequence[Repetition]]) -> str:
    """Coverage of theta and of ranks by either ellipsoid, and how much the judge helps."""
    header = ["k", "n", "N", "pairs", "judge", "runs", "theta, %", "ranks, %", "published: theta, %", "ranks, %"]
    header += ["lambda", "variance stated", "squared error"]
    return table(header, [_estimates(design, runs) for design, runs in measured.items()])


def _estimates(design: Design, runs: Sequence[Repetition]) -> list[str]:
    true, cells = truth(design.k), [*map(str, design), f"{len(runs)}"]
    for name, holds in product(COVARIANCES, (theta_holds, ranks_hold_by_ellipsoid)):
        stated = [run.helped[name] for run in runs if name in run.helped]
        cells.append(f"{100.0 * np.mean([holds(one, true, ALPHA) for one in stated]):.1f}" if stated else "–")
    helped, alone = [run.helped["sandwich"] for run in runs], [run.people for run in runs]
    cells.append(f"{np.mean([one.lambdas for one in helped]):.2f}")
    cells.append(f"{variance(helped) / variance(alone):.3f}")
    return [*cells, f"{_squared_error(helped, true) / _squared_error(alone, true):.3f}"]


def variance(many: Sequence[SystemScores]) -> float:
    """Variance of theta as it is stated, the mean of many."""
    return float(np.mean([np.trace(estimate.covariance) for estimate in many]))


def _squared_error(many: Sequence[SystemScores], true: Truth) -> float:
    return float(np.mean([((estimate.theta - true.theta) ** 2).sum() for estimate in many]))


def size(ranks: Ints) -> float:
    """Mean size of rank-sets."""
    return float(np.mean(1 + ranks[:, 1] - ranks[:, 0]))


def figure(measured: Mapping[Design, Sequence[Repetition]], folder: Path) -> None:
    """Nominal level against measured coverage: even pairs at three k, and k = 30 with few verdicts on uneven ones."""
    drawn = {design: runs for design, runs in measured.items() if design in DRAWN}
    ellipsoids: list[tuple[str, CovarianceName, Holds]] = [
        ("ellipsoid: theta", "sandwich", theta_holds),
        ("published ellipsoid: theta", "published", theta_holds),
        ("published ellipsoid: all ranks", "published", ranks_hold_by_ellipsoid),
    ]
    with mpl.rc_context(STYLE):
        drawing, panels = grid(4, 2)
        _curves(panels[0], "contrasts: all differences", {of: _by_contrasts(of, runs) for of, runs in drawn.items()})
        for ax, (title, name, holds) in zip(panels[1:], ellipsoids, strict=True):
            _curves(ax, title, {of: _shares(of, runs, name, holds) for of, runs in drawn.items()})
        panels[0].legend(loc="lower right", fontsize=7)
        save(drawing, folder, "rank-sets-coverage")


def _by_contrasts(design: Design, runs: Sequence[Repetition]) -> Floats:
    needed = np.array([level_needed(run.helped["sandwich"], truth(design.k)) for run in runs])
    return np.array([(needed <= level).mean() for level in LEVELS])


def _shares(design: Design, runs: Sequence[Repetition], name: CovarianceName, holds: Holds) -> Floats:
    true = truth(design.k)
    return np.array([np.mean([holds(run.helped[name], true, 1.0 - level) for run in runs]) for level in LEVELS])


def _curves(ax: Axes, title: str, shares: Mapping[Design, Floats]) -> None:
    for n, (design, share) in enumerate(shares.items()):
        label = f"k = {design.k}, n = {design.people:,}, {design.shown}"
        ax.plot(LEVELS, share, label=label, color=COLOURS[n], linestyle=DASHES[n], linewidth=1.4)
    ax.plot(LEVELS, LEVELS, color="#7f7f7f", linewidth=0.8)
    ax.set(title=title, xlabel="level stated", ylabel="share of runs that hold", ylim=(-0.03, 1.03))
