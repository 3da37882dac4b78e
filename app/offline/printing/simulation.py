"""Simulations: how many comparisons each criterion needed, and the curves."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from nextpair.words import counted
from rich.console import Console
from rich.table import Table

from app.files.tables import InputError
from app.inference.types import Floats
from app.offline.printing import Format
from app.offline.printing.tables import NARROWEST, WIDEST, Row, grid, show_as, write_rows
from app.offline.progress import progress_of
from app.offline.simulation import Cost, Curves, Fleet, Runner

LEVELS = "▁▂▃▄▅▆▇█"
BESIDE_CURVE = 81  # columns of a simulation that the curve leaves


def show(curves: Curves, costs: Sequence[Cost], target: float, unscored: int, form: Format) -> None:
    """The cost of each criterion, and its curve for people."""
    of_run = curves, costs, target, unscored
    show_as(form, (cost._asdict() for cost in costs), partial(_answer, *of_run), partial(_print, *of_run))


def write_curves(curves: Curves, path: str) -> None:
    """A CSV with one row per criterion, seed and number of comparisons. Raises InputError."""
    rows = [
        {"criterion": way, "seed": seed, "comparisons": k, curves.measure: float(agreement), "pearson": float(pearson)}
        for way in curves.agreement
        for seed, of_seed in enumerate(zip(curves.mean(way), curves.pearson[way].mean(axis=1), strict=True))
        for k, (agreement, pearson) in enumerate(zip(*of_seed, strict=True), 1)
    ]
    try:
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            write_rows(rows, file)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def with_progress(run_all: Runner) -> Runner:
    """A runner that shows a bar on stderr while `run_all` works, where that is a terminal."""

    def watched(fleets: Sequence[Fleet]) -> Iterable[list[Floats]]:
        with progress_of(len(fleets), "replaying") as advance:
            for curves in run_all(fleets):
                yield curves
                advance(1)

    return watched


def _answer(curves: Curves, costs: Sequence[Cost], target: float, unscored: int) -> Row:
    return {
        "groups": curves.cases,
        "groups_left_out": curves.constant,
        "candidates_left_out": unscored,
        "ordered_pairs": curves.ordered_pairs,
        f"full_set_{curves.measure}": float(curves.full.mean()),
        "full_set_pearson": float(curves.full_pearson.mean()),
        "target": target,
        f"target_{curves.measure}": target * float(curves.full.mean()),
        "criteria": [cost._asdict() for cost in costs],
    }


def _print(curves: Curves, costs: Sequence[Cost], target: float, unscored: int) -> None:
    console = Console(highlight=False)
    seeds, full = len(next(iter(curves.agreement.values()))), float(curves.full.mean())
    pairs = f"{curves.ordered_pairs:,.5g} ordered pairs"
    console.print(f"{counted(curves.cases, 'group')} of {pairs} · {counted(seeds, 'seed')}")
    measure = "rank correlation (Spearman)" if curves.measure == "spearman" else "share of the goal"
    pearson, wanted = float(curves.full_pearson.mean()), f"target {target * full:.3f} ({target:.0%})"
    console.print(f"Full set: {measure} {full:.3f}, Pearson {pearson:.3f}; {wanted}.")
    if curves.constant:
        console.print(f"{counted(curves.constant, 'group')} left out, because its truth is constant.")
    if unscored:
        console.print(f"{counted(unscored, 'candidate')} left out, because the judge gave no score.")
    width = console.width - BESIDE_CURVE
    console.print(_cost_table(curves, costs, target, width))
    if width < NARROWEST:
        console.print(f"Left out at {console.width} columns: the curve. Widen the terminal, or add --curve FILE.")


def _cost_table(curves: Curves, costs: Sequence[Cost], target: float, width: int) -> Table:
    mean = {cost.criterion: curves.mean(cost.criterion) for cost in costs}
    top = max(float(curve.max()) for curve in mean.values())
    cells = [[*_cost_cells(cost, len(mean[cost.criterion]))] for cost in costs]
    columns = ["criterion", f"to {target:.0%}", "error", "of pairs", "of random", "seeds", "at end", "Pearson", "curve"]
    if width < NARROWEST:
        return grid(columns[:-1], cells)
    lines = [spark(curve, top, min(WIDEST, width)) for curve in mean.values()]
    return grid(columns, [[*row, line] for row, line in zip(cells, lines, strict=True)])


def _cost_cells(cost: Cost, seeds: int) -> list[str]:
    return [
        cost.criterion,
        "never" if cost.comparisons is None else f"{cost.comparisons:.1f}",
        "" if cost.error is None else f"± {cost.error:.1f}",
        _percent(cost.share),
        _percent(cost.of_random),
        f"{cost.reached}/{seeds}",
        f"{cost.last:.3f}",
        f"{cost.last_pearson:.3f}",
    ]


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}%"


def spark(curves: Floats, top: float, width: int) -> str:
    """The mean of (S, K) curves as a line of at most `width` blocks, from 0 to `top`."""
    mean = curves.mean(axis=0)
    at = np.linspace(0, len(mean) - 1, min(max(width, 1), len(mean))).astype(int)
    levels = np.clip(mean[at] / max(top, 1e-12) * len(LEVELS), 0, len(LEVELS) - 1).astype(int)
    return "".join(LEVELS[level] for level in levels)
