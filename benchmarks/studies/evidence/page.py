"""Tables for docs/appendix/uncertainty.md: targets with how many rows miss them, then all rows of each length."""

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.studies.evidence.coverage import LENGTHS, METHODS, CoverageOutcome, CoverageRow, EvidenceSetting, N
from benchmarks.studies.methods.markdown import table, verdict

CELLS: dict[str, Callable[[CoverageOutcome], str]] = {
    "pairs": lambda of: f"{of.pairs:.0f}",
    "ranks hold, %": lambda of: f"{100 * of.ranks:.1f}",
    "leader best, stated": lambda of: f"{of.best_stated:.2f}",
    "true": lambda of: f"{of.best:.2f}",
    "claims": lambda of: f"{of.claims:.1f}",
    "true, %": lambda of: f"{100 * of.true_claims / of.claims:.1f}" if of.claims else "–",
    "scores, %": lambda of: f"{100 * of.scores:.1f}",
    "width of ranks": lambda of: f"{of.width:.1f}",
    "tie groups": lambda of: f"{of.groups:.2f}",
    "false, %": lambda of: f"{100 * of.false_groups:.1f}",
}
WIDTHS = {"noisy": 6.5, "consistent": 2.0}  # of ranks, at most: sd 1, each pair once, at the first length


def render(rows: Sequence[CoverageRow], runs: int) -> str:
    """Args: `rows` in any order."""
    parts = [f"{runs:,} runs a row; {' → '.join(METHODS)}.", _targets(rows)]
    for length in LENGTHS:
        cells = [_cells(row) for row in rows if row.length == length]
        parts.append(
            f"After {length // N}N = {length} comparisons:\n\n{table(['judge', 'sd', 'asked', *CELLS], cells)}"
        )
    return "\n\n".join(parts)


def _cells(row: CoverageRow) -> list[str]:
    judge, sd, in_a_row = row.setting
    return [judge, f"{sd:g}", f"{in_a_row}", *(" → ".join(map(cell, row.outcomes)) for cell in CELLS.values())]


def _targets(rows: Sequence[CoverageRow]) -> str:
    """Each target of the last kind of evidence, with how many rows miss it."""
    many = [row for row in rows if row.outcomes[-1].pairs >= 2 * N]
    few = [row for row in rows if row.outcomes[-1].pairs < 2 * N]
    lines = [
        _line("ranks hold in at least 93%", many, lambda of: of.ranks >= 0.93),
        _line(f"in at least 88% where fewer than {2 * N} pairs were asked", few, lambda of: of.ranks >= 0.88),
        _line("leader best: stated within .05 of the truth", rows, lambda of: abs(of.best_stated - of.best) <= 0.05),
        _mean_of_spreads(rows),
        _line("claims above .9 true in at least 88%", rows, lambda of: of.true_claims >= 0.88 * of.claims),
    ]
    lines += [_width_of_ranks(rows, judge, width) for judge, width in WIDTHS.items()]
    return table(["target", "rows that miss it", ""], lines)


def _width_of_ranks(rows: Sequence[CoverageRow], judge: str, width: float) -> list[str]:
    own = [row for row in rows if row.setting == EvidenceSetting(judge, 1.0, 1) and row.length == LENGTHS[0]]
    return _line(f"mean width of ranks at most {width}, {judge}", own, lambda of: of.width <= width)


def _mean_of_spreads(rows: Sequence[CoverageRow]) -> list[str]:
    """No prior is right for every spread of scores; a good one is right for their mean."""
    apart: dict[tuple[str, int, int], list[float]] = {}
    for row in rows:
        outcome, key = row.outcomes[-1], (row.setting.judge, row.setting.in_a_row, row.length)
        apart.setdefault(key, []).append(outcome.best_stated - outcome.best)
    missed = sum(abs(np.mean(of_spreads)) > 0.05 for of_spreads in apart.values())
    return ["the same, mean of the three spreads of scores", f"{missed} of {len(apart)}", verdict(not missed)]


def _line(target: str, rows: Sequence[CoverageRow], met: Callable[[CoverageOutcome], bool]) -> list[str]:
    missed = sum(not met(row.outcomes[-1]) for row in rows)
    return [target, f"{missed} of {len(rows)}", verdict(not missed)]
