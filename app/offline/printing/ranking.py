"""Rankings, one after the other where there are groups."""

import sys
from collections.abc import Sequence

import numpy as np
from nextpair import schemas
from nextpair.words import counted, percent
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from app.files.rankings import AGAINST, NAMED, UNITS, table_of, write_csv
from app.offline.printing import Format
from app.offline.printing.tables import NARROWEST, WIDEST, Row, grid, write_json
from app.offline.ranking import Ranked
from app.offline.win_rates import WinMatrix
from app.sentences import judges as sentences
from app.sentences.confidence import OF_WINNERS

MOST_SHOWN = 1000  # rows of a table
MOST_IN_MATRIX = 10  # candidates; JSON has them all
TWOS = "the agreement of each two judges"
PICTURE = "the picture of intervals"
GIVING_WAY = ("± sd", "tie", "interval", "n")  # columns of a table, where names are too long: others tell much the same


def show(rankings: Sequence[Ranked], group_by: Sequence[str], form: Format) -> None:
    """Every row of every ranking; the names of groups stand in front in CSV, above in a table, beside it in JSON."""
    if form == "csv":
        write_csv(((ranked.labels, ranked.ranking) for ranked in rankings), sys.stdout, group_by)
        return
    groups = [dict(zip(group_by, ranked.labels, strict=True)) for ranked in rankings]
    if form == "json":
        answers = [_answer(ranked, group) for ranked, group in zip(rankings, groups, strict=True)]
        write_json(answers if group_by else answers[0])
        return
    console = Console(highlight=False)
    for ranked, group in zip(rankings, groups, strict=True):
        if group:
            console.print(f"[bold]{escape(', '.join(f'{name} = {label}' for name, label in group.items()))}[/]")
        _print(console, ranked)


def _answer(ranked: Ranked, group: dict[str, str]) -> Row:
    """The ranking as the contract has it, and what a file has beside it."""
    beside: Row = {"agreement": None, "left_out": ranked.left_out}
    if agreement := ranked.agreement:
        twos = agreement.of_twos()
        beside["agreement"] = {"alpha": agreement.alpha, "judges": twos or [], "disputes": agreement.disputes}
        beside["left_out"] = [*ranked.left_out, *([TWOS] if twos is None else [])]
    win_rates = {"win_rates": ranked.matrix._asdict()} if ranked.matrix else {}
    return ({"group": group} if group else {}) | ranked.ranking.model_dump() | beside | win_rates


def _print(console: Console, ranked: Ranked) -> None:
    ranking = ranked.ranking
    console.print(_headline(ranking))
    for sentence in _sentences(ranked):
        console.print(escape(sentence))
    left_out = _print_rows(console, ranking, ranking.ranking[:MOST_SHOWN])
    if (rest := len(ranking.ranking) - MOST_SHOWN) > 0:
        console.print(f"{rest:,} more candidates: --format csv and json list all of them.")
    if ranked.matrix:
        console.print("Expected win rate of the row against the column, which is numbered as the rows:")
        console.print(_matrix(ranked.matrix))
    if ranking.slices:
        console.print(escape(ranking.slices.sentence))
        for each in ranking.slices.slices:
            left_out += _print_slice(console, ranking, ranking.slices.tag, each)
    if left_out:
        told = ", ".join(dict.fromkeys(left_out))
        console.print(f"Left out at {console.width} columns: {told}. Widen the terminal to see more.")


def _print_rows(console: Console, ranking: schemas.Ranking, rows: Sequence[schemas.Rank]) -> list[str]:
    """Some rows of a ranking, and below them how they compare with the baseline system; returns what is left out."""
    left_out = _print_table(console, ranking, rows)
    if ranking.baseline is not None:
        others = [row for row in rows if row.against]  # not the system itself
        of_scores = f"scores in {UNITS[ranking.method.scale]}" if ranking.method.scale else "scores"
        of = "win rates" if ranking.inference_target.name == "all-pairs" else of_scores
        console.print(escape(f"Against {ranking.baseline}, difference of {of}:"))
        console.print(grid(*table_of(ranking, others, (*NAMED, *AGAINST))))
    return left_out


def _matrix(matrix: WinMatrix) -> Table:
    """The first rows and columns, as many as fit a page."""
    p, shown = matrix.p, min(len(matrix.keys), MOST_IN_MATRIX)
    numbers = [str(place + 1) for place in range(shown)]
    cells = [["" if each is None else percent(each) for each in row[:shown]] for row in p[:shown]]
    rows = [[number, key, *row] for number, key, row in zip(numbers, matrix.keys, cells, strict=False)]
    return grid(["#", "candidate", *numbers], rows)


def _print_slice(console: Console, ranking: schemas.Ranking, tag: str, each: schemas.Slice) -> list[str]:
    counts = f"{counted(each.prompts, 'prompt')} · {counted(each.comparisons, 'comparison')}"
    console.print(f"\n[bold]{escape(f'{tag} = {each.value}')}[/] · {counts}")
    console.print(escape(each.deviation.sentence))
    return _print_rows(console, ranking, each.ranking)


def _headline(ranking: schemas.Ranking) -> str:
    counts = f"{counted(ranking.comparisons, 'comparison')} · {counted(len(ranking.ranking), 'candidate')}"
    scale = f" · scores in {UNITS[ranking.method.scale]}" if ranking.method.scale else ""
    return f"{counts} · method {ranking.method.name}{scale}"


def _sentences(ranked: Ranked) -> list[str]:
    """What stands above the table."""
    ranking, agreement = ranked.ranking, ranked.agreement
    lines = [*ranking.summary]
    if ranking.signal and ranking.signal.case == "one-side-always-wins":
        lines.append(OF_WINNERS)
    if ranked.left_out:
        lines.append(f"Left out of so large a file: {'; '.join(ranked.left_out)}.")
    if ranking.components > 1:
        parts = f"{ranking.components} parts were never compared with each other"
        lines.append(f"{parts}: compare scores within a part only, or judge pairs across.")
    lines += [effect.sentence for effect in (ranking.effects or {}).values()]
    scale = ranking.method.scale
    lines += sentences.position_biases(ranking.position_bias or {})
    lines += sentences.effects_of_judges(ranking.judge_effects or {}, scale)
    lines += sentences.scales(ranking.absolute_scores or {}, scale)
    if agreed := ranking.validation.agreement_with_people:
        lines.append(sentences.with_people(agreed))
    if agreement and agreement.alpha:
        pairs = counted(agreement.alpha.pairs, "pair")
        lines.append(sentences.agreement(agreement.alpha, pairs, len(agreement.disputes)))
    return lines


def _print_table(console: Console, ranking: schemas.Ranking, ranked: Sequence[schemas.Rank]) -> list[str]:
    """Rows with a picture of their intervals; returns what the width has no space for."""
    columns, rows = table_of(ranking, ranked)
    left_out = list[str]()
    for column in GIVING_WAY:
        if column in columns and _width(console, columns, rows) > console.width:
            place = columns.index(column)
            columns, *rows = ([*row[:place], *row[place + 1 :]] for row in (columns, *rows))
            left_out.append(column)
    space = min(console.width - _width(console, columns, rows) - 3, WIDEST)
    if space < NARROWEST:
        console.print(grid(columns, rows))
        return [*left_out, PICTURE]
    pictured = [[*row, picture] for row, picture in zip(rows, _pictures(ranked, space), strict=True)]
    console.print(grid([*columns, ""], pictured))
    return left_out


def _width(console: Console, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Width of the table that folds no name, which is that of its widest cells."""
    widest = [max(column, key=cell_len) for column in zip(columns, *rows, strict=True)]
    unbounded = console.options.update(max_width=sys.maxsize)
    return console.measure(grid(columns, [widest]), options=unbounded).maximum


def _pictures(rows: Sequence[schemas.Rank], width: int) -> list[str]:
    """One interval per row, drawn `width` columns wide on a common axis."""
    axis = np.array([(row.score, *(row.interval or (row.score, row.score))) for row in rows])
    low, length = axis.min(), max(float(np.ptp(axis)), 1e-12)
    places = np.rint((axis - low) / length * (width - 1)).astype(int)
    return [_whisker(*map(int, row)) for row in places]


def _whisker(middle: int, left: int, right: int) -> str:
    line = [" "] * left + ["├"] + ["─"] * (right - left - 1) + ["┤"] * (right > left)
    line[middle] = "●"
    return "".join(line)
