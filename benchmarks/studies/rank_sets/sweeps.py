"""The sweeps of PPR 5 and App. D on Chatbot Arena, with the paper's covariance and ellipsoid and with ours: size of
rank-sets against how often they meet the baseline's (Fig. 1, 2) or cover them (Fig. 7, 8), over alpha and over n.
"""

import sys
from collections import defaultdict
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from nextpair.words import CovarianceName

from app.inference.judges import ranked, usual_simultaneous
from app.inference.types import Floats
from benchmarks.studies.methods.figures import COLOURS, DASHES, STYLE, grid, save
from benchmarks.studies.methods.markdown import table
from benchmarks.studies.rank_sets.arena import JUDGES, Arena, covers, estimates, intersect
from benchmarks.studies.rank_sets.simulation import ALPHA, COVARIANCES, SEED, size

ALPHAS = (0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.075, ALPHA, 0.025, 0.01)
PEOPLE = (66, 132, 198, 462, 990, 1452, 1980, 2442, 2970)  # n
USUAL = 990
NAMES = {"published": "published, ellipsoid", "sandwich": "sandwich, contrasts"}
HELPED = tuple(f"people and {judge}" for judge in JUDGES)
SIZE, MEETS, COVERS = range(3)
MEASURES = {MEETS: "meets the baseline, share of repetitions", COVERS: "covers the baseline, share of repetitions"}


class Cell(NamedTuple):
    """A point of the sweeps."""

    covariance: CovarianceName
    people: int  # n
    method: str
    alpha: float


Sweeps = Mapping[Cell, Floats]  # (3,) mean size, and shares that meet and that cover the baseline


def sweep(arena: Arena, repetitions: int) -> Sweeps:
    """A system has to be in two instances that people judged, so that even the smallest n is enough."""
    measured = defaultdict[Cell, list[tuple[float, bool, bool]]](list)
    for number in range(repetitions):
        for covariance in COVARIANCES:
            for people in PEOPLE:
                _measure(arena, covariance, people, number, measured)
        print(f"\rsweeps {number + 1}/{repetitions}", end=" ", file=sys.stderr)
    print(file=sys.stderr)
    return {cell: np.mean(values, axis=0) for cell, values in measured.items()}


def _measure(
    arena: Arena,
    covariance: CovarianceName,
    people: int,
    number: int,
    measured: dict[Cell, list[tuple[float, bool, bool]]],
) -> None:
    """Add what one repetition says at one n."""
    pairs = arena.k * (arena.k - 1) // 2
    by_method = estimates(arena, np.random.default_rng([SEED, number]), covariance, people // pairs)
    simultaneous = usual_simultaneous(covariance)
    ranks_by_method = {
        method: [ranked(estimate, alpha, simultaneous).ranks for alpha in ALPHAS]
        for method, estimate in by_method.items()
    }
    for method, at_each in ranks_by_method.items():
        for alpha, ours, baseline in zip(ALPHAS, at_each, ranks_by_method["baseline"], strict=True):
            values = size(ours), intersect(ours, baseline), covers(ours, baseline)
            measured[Cell(covariance, people, method, alpha)].append(values)


def people_table(sweeps: Sweeps) -> str:
    """Each n at the usual alpha: GPT-4's help, and people alone."""
    rows = []
    for covariance, people in product(COVARIANCES, PEOPLE):
        row = [NAMES[covariance], f"{people:,}"]
        for method in ("people and gpt4", "people alone"):
            mean_size, meets, covered = sweeps[Cell(covariance, people, method, ALPHA)]
            row += [f"{mean_size:.2f}", f"{100.0 * meets:.0f}", f"{100.0 * covered:.0f}"]
        rows.append(row)
    measures = ["size", "meets the baseline, %", "covers it, %"]
    return table(
        ["by", "n", *(f"with gpt4: {measures[0]}", *measures[1:]), f"people alone: {measures[0]}", *measures[1:]], rows
    )


def figures(sweeps: Sweeps, folder: Path) -> None:
    """Fig. 1 and 7 in one; Fig. 2, and 8 with our own, which always meet the baseline."""
    papers_first = COVARIANCES[::-1]
    with mpl.rc_context(STYLE):
        drawing, panels = grid(4, 2)
        methods = [cell.method for cell in sweeps if cell == ("published", USUAL, cell.method, ALPHA)]
        for ax, (covariance, measure) in zip(panels, product(papers_first, MEASURES), strict=True):
            for n, method in enumerate(method for method in methods if method != "baseline"):
                _curve(ax, sweeps, covariance, USUAL, method, measure, n)
            ax.set(title=NAMES[covariance], xlabel=MEASURES[measure])
        panels[0].legend(loc="upper left", fontsize=6)
        save(drawing, folder, "rank-sets-alpha")
        drawing, panels = grid(6, 3)
        for ax, (covariance, method) in zip(panels, product(papers_first, HELPED), strict=True):
            measure = MEETS if covariance == "published" else COVERS
            for n, people in enumerate(PEOPLE[1:]):
                _curve(ax, sweeps, covariance, people, method, measure, n, f"n = {people:,}")
            ax.set(title=f"{method}\n{NAMES[covariance]}", xlabel=MEASURES[measure])
        panels[0].legend(loc="upper right", fontsize=6)
        save(drawing, folder, "rank-sets-people")


def _curve(
    ax: Axes,
    sweeps: Sweeps,
    covariance: CovarianceName,
    people: int,
    method: str,
    measure: int,
    number: int,
    label: str | None = None,
) -> None:
    """A point for each alpha, labelled by its method unless otherwise said."""
    points = np.array([sweeps[Cell(covariance, people, method, alpha)] for alpha in ALPHAS])
    ax.plot(
        points[:, measure], points[:, SIZE], label=label or method, color=COLOURS[number], linestyle=DASHES[number],
        linewidth=1.2, marker=".", markersize=3,
    )  # fmt: skip
    ax.set_ylabel("mean size of rank-sets")
