"""Criteria side by side: a row for each candidate, its place by each."""

from nextpair import schemas
from nextpair.words import counted
from rich.console import Console
from rich.markup import escape

from app.offline.printing import Format
from app.offline.printing.tables import Row, grid, show_as

SHOWN = ("rank", "score", "win_rate", "p_best")  # of a place, in CSV
RANGES = {"rank_interval": ("best_rank", "worst_rank"), "interval": ("low", "high")}
RANGES |= {"win_rate_interval": ("win_rate_low", "win_rate_high")}
NOWHERE = "-"


def show(board: schemas.Leaderboard, form: Format) -> None:
    """In CSV the columns of a criterion end in its name."""
    rows = (_row(row, board) for row in board.rows)
    show_as(form, rows, lambda: board, lambda: _print(board))


def _row(row: schemas.LeaderboardRow, board: schemas.Leaderboard) -> Row:
    cells: Row = {"key": row.key}
    if board.weights:
        low, high = row.weighted.interval if row.weighted else (None, None)
        mean = row.weighted.win_rate if row.weighted else None
        cells |= {"weighted_win_rate": mean, "weighted_win_rate_low": low, "weighted_win_rate_high": high}
    for criterion, place in zip(board.criteria, row.places, strict=True):
        cells |= {f"{field}_{criterion.name}": getattr(place, field, None) for field in SHOWN}
        for field, ends in RANGES.items():
            values = getattr(place, field, None) or (None, None)
            cells |= {f"{end}_{criterion.name}": value for end, value in zip(ends, values, strict=True)}
    return cells


def _print(board: schemas.Leaderboard) -> None:
    console = Console(highlight=False)
    for criterion in board.criteria:
        counts = counted(criterion.comparisons, "comparison")
        console.print(escape(f"{criterion.name}: {counts}. {criterion.inference_target.sentence}"))
    console.print(escape("\n".join(filter(None, [board.first_place, board.sentence]))))
    heads = ["candidate", *(["weighted wins"] if board.weights else []), *(each.name for each in board.criteria)]
    console.print(grid(heads, [_cells(row, weighted=board.weights is not None) for row in board.rows]))


def _cells(row: schemas.LeaderboardRow, *, weighted: bool) -> list[str]:
    places = [_place(place) if place else NOWHERE for place in row.places]
    if not weighted:
        return [row.key, *places]
    return [row.key, _wins(row.weighted.win_rate, row.weighted.interval) if row.weighted else NOWHERE, *places]


def _place(place: schemas.Place) -> str:
    low, high = place.rank_interval or (place.rank, place.rank)
    ranks = f"{low}-{high}" if low != high else str(low)
    wins = "" if place.win_rate is None else f"  {_wins(place.win_rate, place.win_rate_interval)}"
    return f"{ranks}{wins}"


def _wins(mean: float, interval: tuple[float, float] | None) -> str:
    if interval is None:
        return f"{mean:.0%}"
    low, high = (f"{100.0 * end:.0f}" for end in interval)
    return f"{mean:.0%} ({low}-{high})"
