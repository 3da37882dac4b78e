"""The forest plot of a report, in percent of its width: it fits paper and phones, and no page cuts it."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from nextpair.schemas import Ranking

from app.files.rankings import UNITS

ROWS = 16  # of one figure, so that a page is filled
MOST = 50  # candidates that are drawn
ROW, AXIS = 26, 30  # pixels
TICKS = 5
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class ForestMark(NamedTuple):
    """A candidate in the plot; places are percent of its width."""

    key: str
    y: int
    value: float
    low: float
    high: float
    text: str


class ForestFigure(NamedTuple):
    """A part of the plot, with the same axis as the others."""

    marks: Sequence[ForestMark]
    height: int
    ticks: Sequence[tuple[float, str]]
    middle: float | None  # of a candidate as good as the others
    label: str


def figures(ranking: Ranking) -> list[ForestFigure]:
    """Plots of the first candidates: of win rates where all pairs are ranked, else of scores."""
    of_pairs = ranking.inference_target.name == "all-pairs" and all(row.win_rate is not None for row in ranking.ranking)
    rows = [
        (row.key, row.rank_interval, row.win_rate, row.win_rate_interval)
        if of_pairs
        else (row.key, row.rank_interval, row.score, row.interval)
        for row in ranking.ranking[:MOST]
    ]
    drawn = [
        (key, ranks, value, interval or (value, value)) for key, ranks, value, interval in rows if value is not None
    ]
    if not drawn:
        return []
    ends = [end for _, _, value, interval in drawn for end in (value, *interval)]
    middle, scale = 0.5 if of_pairs else 0.0, ranking.method.scale
    low, high, step = _axis(min([*ends, middle]), max([*ends, middle]))
    label = "win rate" if of_pairs else f"score in {UNITS[scale]}" if scale else "score"
    if any(row.interval for row in ranking.ranking):
        label += f", with {100.0 * ranking.method.level:g}% interval"

    def place(value: float) -> float:
        return round(100.0 * (value - low) / (high - low), 2)

    count = round((high - low) / step) + 1
    ticks = [(place(low + n * step), _tick(low + n * step, step, of_pairs)) for n in range(count)]
    parts = -(-len(drawn) // ROWS)
    size = -(-len(drawn) // parts)
    return [
        ForestFigure(
            [
                ForestMark(key, n * ROW, place(value), place(interval[0]), place(interval[1]), _ranks(ranks))
                for n, (key, ranks, value, interval) in enumerate(drawn[start : start + size])
            ],
            ROW * len(drawn[start : start + size]) + AXIS,
            ticks,
            place(middle),
            label,
        )
        for start in range(0, len(drawn), size)
    ]


def _axis(low: float, high: float) -> tuple[float, float, float]:
    """Low end, high end and step of an axis with round numbers."""
    raw = max(high - low, 1e-9) / TICKS
    power = 10.0 ** floor(log10(raw))
    step = next(each * power for each in STEPS if each * power >= raw * 0.999)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return first * step, max(last, first + 1) * step, step


def _tick(value: float, step: float, is_share: bool) -> str:
    if is_share:
        return f"{100.0 * value:.{0 if step >= 0.01 else 1}f}%"
    return f"{value:z.{max(0, -floor(log10(step) + 1e-9) + (1 if _is_quarter(step) else 0))}f}"


def _is_quarter(step: float) -> bool:
    return abs(step / 10.0 ** floor(log10(step) + 1e-9) - 2.5) < 1e-6


def _ranks(interval: tuple[int, int] | None) -> str:
    if interval is None:
        return ""
    return str(interval[0]) if interval[0] == interval[1] else f"{interval[0]}–{interval[1]}"
