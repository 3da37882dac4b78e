"""Figures as tables: on a terminal, and in the page."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.speed.history import change, got_worse
from benchmarks.speed.measuring import Row

HEAD = ("N", "what", "beside", "ours", "theirs", "ours / theirs")


def show(console: Console, title: str, rows: Sequence[Row], last: Mapping[str, float]) -> None:
    table = Table(title=title, title_justify="left")
    for column in (*HEAD, "last run here", ""):
        table.add_column(column, justify="left" if column in ("what", "beside", "") else "right")
    for row in rows:
        is_worse = got_worse(row, last)
        table.add_row(*cells(row), _beside_last(row, last), row.note, style="bold red" if is_worse else None)
    console.print(table)


def markdown(rows: Sequence[Row]) -> str:
    lines = [(*HEAD, ""), ("--:", "---", "---", "--:", "--:", "--:", "---"), *((*cells(row), row.note) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cells(row: Row) -> tuple[str, ...]:
    """The columns of HEAD."""
    return (
        f"{row.n:,}",
        row.what,
        row.beside,
        _amount(row.ours, row.unit),
        _amount(row.theirs, row.unit),
        in_words(row.ratio),
    )


def _amount(amount: float | None, unit: str) -> str:
    if amount is None:
        return "-"
    return f"{_three(1e3 * amount)} µs" if unit == "ms" and amount < 0.1 else f"{_three(amount)} {unit}"


def in_words(ratio: float | None) -> str:
    """A ratio as 1.6, or as 1/18."""
    if ratio is None:
        return "-"
    return _three(ratio) if ratio > 0.95 else f"1/{_three(1.0 / ratio)}"


def _beside_last(row: Row, last: Mapping[str, float]) -> str:
    times = change(row, last)
    if times is None:
        return "-"
    return f"{in_words(last[row.name])}{', WORSE' if got_worse(row, last) else ''}"


def _three(amount: float) -> str:
    """Two significant digits or three."""
    if amount >= 100.0:
        return f"{amount:,.0f}"
    return f"{amount:.2g}" if amount < 10.0 else f"{amount:.0f}"
