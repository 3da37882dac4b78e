"""The columns of a ranking: of the service's CSV, and of CSV and table of `nextpair rank`; a new one comes last."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from math import isnan
from typing import IO, Any, NamedTuple

from nextpair.schemas import Rank, Ranking
from nextpair.words import ScaleName, percent

from app.files import spreadsheets


class Column(NamedTuple):
    names: tuple[str, ...]  # in CSV; two of a range
    field: str  # of Rank, or of what it has: in a table, what is null in every row is left out
    heading: str  # in a table, with the fields of Method
    text: Callable[[Any, int], str]  # in a table, of a Rank that has the field, scores with so many decimals


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _percents(interval: tuple[float, float]) -> str:
    return f"{_span(*(round(100.0 * end) for end in interval))}%"


def _range(interval: tuple[float, float], decimals: int) -> str:
    return " … ".join(f"{end:+z.{decimals}f}" for end in interval)


def _of_difference(row: Rank, decimals: int) -> int:
    """Decimals: a difference of win rates, which has no win rate against one, has two on any scale."""
    return 2 if row.against is None or row.against.win_rate is None else decimals


NAMED = (
    Column(("rank",), "rank", "#", "{0.rank}".format),
    Column(("key",), "key", "candidate", "{0.key}".format),
)
UNITS: dict[ScaleName, str] = {"logit": "logits", "elo": "Elo points"}  # of scores, by scale
COLUMNS = (
    *NAMED,
    Column(
        ("score",),
        "score",
        "score",
        lambda row, decimals: f"{row.score:z.3f}" if row.sd is None else f"{row.score:+z.{decimals}f}",
    ),
    Column(("sd",), "sd", "± sd", "{0.sd:.{1}f}".format),
    Column(("low", "high"), "interval", "{percent:g}% interval", lambda row, decimals: _range(row.interval, decimals)),
    Column(("best_rank", "worst_rank"), "rank_interval", "ranks", lambda row, _: _span(*row.rank_interval)),
    Column(("p_best",), "p_best", "P(best)", lambda row, _: percent(row.p_best)),
    Column(("p_top_k",), "p_top_k", "P(top {top_k})", lambda row, _: percent(row.p_top_k)),
    Column(("tie_group",), "tie_group", "tie", "{0.tie_group}".format),
    Column(("comparisons",), "comparisons", "n", "{0.comparisons}".format),
    Column(("component",), "component", "part", "{0.component}".format),
    Column(("win_rate",), "win_rate", "wins", "{0.win_rate:.0%}".format),
    Column(
        ("win_rate_low", "win_rate_high"),
        "win_rate_interval",
        "interval",
        lambda row, _: _percents(row.win_rate_interval),
    ),
)
AGAINST = (
    Column(
        ("against_difference",),
        "against.difference",
        "difference",
        lambda row, decimals: f"{row.against.difference:+z.{_of_difference(row, decimals)}f}",
    ),
    Column(
        ("against_low", "against_high"),
        "against.interval",
        "{percent:g}% interval",
        lambda row, decimals: _range(row.against.interval, _of_difference(row, decimals)),
    ),
    Column(("p_better",), "against.p_better", "P(better)", lambda row, _: percent(row.against.p_better)),
    Column(("against_win_rate",), "against.win_rate", "wins", "{0.against.win_rate:.0%}".format),
    Column(
        ("against_win_rate_low", "against_win_rate_high"),
        "against.win_rate_interval",
        "interval",
        lambda row, _: _percents(row.against.win_rate_interval),
    ),
)
IN_CSV = (*COLUMNS, *AGAINST)
ORIGIN = ("version", "method")  # the last of CSV, of the ranking as a whole


def write_csv(rankings: Iterable[tuple[Sequence[str], Ranking]], file: IO[str], group_by: Sequence[str] = ()) -> None:
    """A row for each candidate of each ranking, behind the labels of the ranking.

    Rows of slices follow those of the whole, and have their values in front and the tests that they differ behind.
    """
    (labels, first), *others = rankings
    tag, test = ([first.slices.tag], ["departs_p"]) if first.slices else ([], [])
    names = [*group_by, *tag, *(name for column in IN_CSV for name in column.names), *test, *ORIGIN]
    every = chain([(labels, first)], others)
    spreadsheets.write(chain([names], ([*labels, *cells] for labels, each in every for cells in _rows(each))), file)


def write_matrix(keys: Sequence[str], p: Sequence[Sequence[float]], file: IO[str]) -> None:
    """Probabilities of rows against columns behind the key of the row; empty where one is unknown, NaN."""
    rows = ([key, *(None if isnan(each) else each for each in row)] for key, row in zip(keys, p, strict=True))
    spreadsheets.write(chain([["key", *keys]], rows), file)


def _rows(ranking: Ranking) -> Iterator[list[Any]]:
    origin = [ranking.version, ranking.method.name]
    if ranking.slices is None:
        yield from ([*_values(row), *origin] for row in ranking.ranking)
        return
    yield from ([None, *_values(row), None, *origin] for row in ranking.ranking)
    for each in ranking.slices.slices:
        yield from ([each.value, *_values(row), each.deviation.p_value, *origin] for row in each.ranking)


def _values(row: Rank) -> list[Any]:
    values: list[Any] = []
    for column in IN_CSV:
        value = _value(row, column)
        is_range = len(column.names) > 1
        values += ([None, None] if value is None else value) if is_range else [value]
    return values


def _value(row: Rank, column: Column) -> Any:
    """None too of a field of what the row does not have."""
    start: Any = row
    return reduce(lambda value, name: None if value is None else getattr(value, name), column.field.split("."), start)


def table_of(
    ranking: Ranking, rows: Sequence[Rank], columns: Sequence[Column] = COLUMNS
) -> tuple[list[str], list[list[str]]]:
    """Headings and cells of some rows of a ranking, in the columns that tell something."""
    method, left_out = ranking.method, set[str]()
    if method.top_k == 1:
        left_out.add("p_top_k")
    if ranking.components == 1:
        left_out.add("component")
    shown = [
        each for each in columns if each.field not in left_out and any(_value(row, each) is not None for row in rows)
    ]
    how, decimals = method.model_dump() | {"percent": 100 * method.level}, 0 if method.scale == "elo" else 2
    cells = [["" if _value(row, each) is None else each.text(row, decimals) for each in shown] for row in rows]
    return [column.heading.format_map(how) for column in shown], cells
