"""The columns of a ranking: of the service's CSV, and of CSV and table of `nextpair rank`; a new one comes last."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import IO, Any, NamedTuple

from nextpair.schemas import Rank, Ranking
from nextpair.words import percent

from app.files import spreadsheets


class Column(NamedTuple):
    names: tuple[str, ...]  # in CSV; two of a range
    field: str  # of Rank; in a table, what is null in the first row is left out
    heading: str  # in a table, with the fields of Method
    text: Callable[[Any], str]  # in a table, of a Rank that has the field


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


COLUMNS = (
    Column(("rank",), "rank", "#", "{0.rank}".format),
    Column(("key",), "key", "candidate", "{0.key}".format),
    Column(("score",), "score", "score", lambda row: f"{row.score:z.3f}" if row.sd is None else f"{row.score:+z.2f}"),
    Column(("sd",), "sd", "± sd", "{0.sd:.2f}".format),
    Column(
        ("low", "high"), "interval", "{percent:g}% interval", "{0.interval[0]:+z.2f} … {0.interval[1]:+z.2f}".format
    ),
    Column(("best_rank", "worst_rank"), "rank_interval", "ranks", lambda row: _span(*row.rank_interval)),
    Column(("p_best",), "p_best", "P(best)", lambda row: percent(row.p_best)),
    Column(("p_top_k",), "p_top_k", "P(top {top_k})", lambda row: percent(row.p_top_k)),
    Column(("tie_group",), "tie_group", "tie", "{0.tie_group}".format),
    Column(("comparisons",), "comparisons", "n", "{0.comparisons}".format),
    Column(("component",), "component", "part", "{0.component}".format),
    Column(("win_rate",), "win_rate", "wins", "{0.win_rate:.0%}".format),
    Column(
        ("win_rate_low", "win_rate_high"),
        "win_rate_interval",
        "interval",
        lambda row: f"{_span(*(round(100.0 * end) for end in row.win_rate_interval))}%",
    ),
)


def write_csv(rankings: Iterable[tuple[Sequence[str], Ranking]], file: IO[str], group_by: Sequence[str] = ()) -> None:
    """A row for each candidate of each ranking, behind the labels of the ranking."""
    names = [*group_by, *(name for column in COLUMNS for name in column.names)]
    rows = ([*labels, *_values(row)] for labels, ranking in rankings for row in ranking.ranking)
    spreadsheets.write(chain([names], rows), file)


def _values(row: Rank) -> list[Any]:
    values: list[Any] = []
    for column in COLUMNS:
        value = getattr(row, column.field)
        is_range = len(column.names) > 1
        values += ([None, None] if value is None else value) if is_range else [value]
    return values


def table_of(ranking: Ranking, most: int) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of the first rows, in the columns that tell something."""
    first, left_out = ranking.ranking[0], set[str]()
    if ranking.method.top_k == 1:
        left_out.add("p_top_k")
    if ranking.components == 1:
        left_out.add("component")
    columns = [each for each in COLUMNS if each.field not in left_out and getattr(first, each.field) is not None]
    how = ranking.method.model_dump() | {"percent": 100 * ranking.method.level}
    cells = [[column.text(row) for column in columns] for row in ranking.ranking[:most]]
    return [column.heading.format_map(how) for column in columns], cells
