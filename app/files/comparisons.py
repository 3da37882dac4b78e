"""Comparisons in tables: which columns hold them, and who met whom."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple, TypeVar

import numpy as np
from nextpair.words import MAX_WEIGHT, MIN_WEIGHT, Winner, counted

from app.files.columns import (
    Coded,
    Labels,
    chosen,
    coded,
    coded_keys,
    coded_names,
    encode,
    first_true,
    kept_rows,
    numbers_of,
    require,
    texts_of,
    usual,
    usual_pair,
)
from app.files.folding import Codes, Rows, compact, gathered
from app.files.names import ITEMS, JUDGE, LISTS, ORDER_CHANCE, OUTCOMES, PAIRS, WEIGHT
from app.files.outcomes import (
    NO_WINNER,
    P_OF_BIT,
    Reading,
    flags_beside,
    probabilities,
    reading_of,
    verdict_bits,
    verdict_words,
)
from app.files.rivals import is_prompt, two_answers
from app.files.tables import Floats, InputError, Ints, Output, Say, Table, complaint

OUTPUTS_ALONE = "these are outputs, not comparisons; send them with nextpair import, judge them, then rank the log"
H = TypeVar("H", bound=Hashable)


class ComparisonColumns(NamedTuple):
    """The columns of a comparison; what is None is looked for by its usual name."""

    first: str | None = None
    second: str | None = None
    winner: str | None = None
    p_first: str | None = None
    judge: str | None = None
    weight: str | None = None
    item: str | None = None


class GroupedComparisons(NamedTuple):
    """K comparisons in the order of the files, in G groups, among N candidates."""

    keys: list[str]  # (N,) by first appearance
    groups: list[Labels]  # (G,) values of the group columns, by first appearance
    group: Ints  # (K,)
    first: Ints  # (K,)
    second: Ints  # (K,)
    p: Floats  # (K,)
    weight: Floats  # (K,)
    judges: list[str]  # (J,) by first appearance; one without a name where the files name none
    judge: Ints  # (K,)
    items: list[str]  # (I,) what was judged, by first appearance; one without a name where the files have none
    item: Ints  # (K,)
    times: Ints | None = None  # (K,) how many rows each one stands for, where rows were put together
    uncompared: Sequence[Output] = ()  # outputs that an export has beside these
    grew: bool = False  # as a log of the service, whose pairs were chosen by it
    order_chance: Floats | None = None  # (K,) of an export whose rows are apart, NaN where it is unknown
    positions: bool = True  # false where all files are lists of winners


class CodedComparisons(NamedTuple):
    """The comparisons of one table, by number."""

    keys: list[str]
    first: Ints  # (K,) places among the keys
    second: Ints  # (K,)
    p: Floats  # (K,)
    bit: Ints | None  # (K,) of BITS, where the verdict came as a word
    weight: Floats  # (K,)
    reading: Reading | None  # of the words


class KeyedComparisons(NamedTuple):
    """The comparisons of one table, by key."""

    first: list[str]  # (K,)
    second: list[str]  # (K,)
    p: Floats  # (K,)
    words: list[Winner | None]  # (K,) the verdict as a word, where it came as one
    weight: Floats  # (K,)


def columns_of(columns: ComparisonColumns) -> set[str]:
    """The columns that comparisons may be read from."""
    usual = {*(name for pair in (*PAIRS, *LISTS) for name in pair), *OUTCOMES, JUDGE, WEIGHT, *ITEMS, ORDER_CHANCE}
    return {*filter(None, columns), *usual, *flags_beside(columns.p_first or "p_first")}


def read_grouped(
    tables: Iterable[Table], columns: ComparisonColumns, group_by: Sequence[str], most: float = inf
) -> GroupedComparisons:
    """The comparisons of one or more tables, one after the other; more than `most` are put together (folding.py).

    Raises InputError.
    """
    keys, groups, judges, items = dict[str, int](), dict[Labels, int](), dict[str, int](), dict[str, int]()
    uncompared = dict[Output, None]()
    readings = dict[str, Reading | None]()  # by file
    are_logs, are_lists, chances = list[bool](), list[bool](), list[Floats]()

    def rows_of(table: Table) -> Rows:
        uncompared.update(dict.fromkeys(table.uncompared))
        are_logs.append(table.is_log)
        is_recorded = table.is_log and ORDER_CHANCE in table.columns
        chances.append(numbers_of(table, ORDER_CHANCE) if is_recorded else np.full(len(table.rows), np.nan))
        sides = list_columns(table, columns)
        are_lists.append(sides is not None)
        if sides:
            names, first, second = _pairs(table, columns._replace(first=sides[0], second=sides[1]))
            p, weight = np.ones(len(first)), weights(table, columns.weight)
        else:
            names, first, second, p, _, weight, reading = read_coded(table, columns, readings.get(table.name))
            readings[table.name] = reading
        number = _numbers(keys, names)
        return Rows(
            _numbered(groups, _labels(table, group_by)),
            _numbered(judges, _judges(table, columns.judge)),
            number[first],
            number[second],
            _numbered(items, _items(table, columns.item)),
            p,
            weight,
            np.ones(len(p), np.uint32),
        )

    *codes, p, weight, times = gathered(map(rows_of, tables), most)
    group, judge, first, second, item = (each.astype(np.int64) for each in codes)
    counts = times.astype(np.int64) if times.sum() > most else None
    return GroupedComparisons(
        keys=[*keys],
        groups=[*groups],
        group=group,
        first=first,
        second=second,
        p=p,
        weight=weight,
        judges=[*judges],
        judge=judge,
        items=[*items],
        item=item,
        times=counts,
        uncompared=[*uncompared],
        grew=all(are_logs),
        order_chance=np.concatenate([np.empty(0), *chances]) if all(are_logs) and counts is None else None,
        positions=not (are_lists and all(are_lists)),
    )


def _numbers(known: dict[H, int], names: Iterable[H]) -> Codes:
    """The numbers of these names; new ones are counted on."""
    number = np.array([known.setdefault(name, len(known)) for name in names], np.int64)
    return compact(number, len(known))


def _numbered(known: dict[H, int], cells: tuple[Sequence[H], Ints]) -> Codes:
    names, code = cells
    return _numbers(known, names)[code]


def _labels(table: Table, group_by: Sequence[str]) -> tuple[list[Labels], Ints]:
    """The distinct values of these columns together, and (K,) which each row has."""
    columns = [coded_keys(table, column) for column in group_by]
    number = np.zeros(len(table.rows), np.int64)
    for texts, code in columns:
        number = number * len(texts) + code
    _, rows, place = np.unique(number, return_index=True, return_inverse=True)
    order = np.argsort(rows)
    labels = [tuple(texts[code[row]] for texts, code in columns) for row in rows[order].tolist()]
    return labels, np.argsort(order)[place]


def _judges(table: Table, column: str | None) -> Coded:
    """Names of judges: the column of that name, or `judge` if there is one, or none."""
    column = chosen(table, column, [JUDGE])
    return _nameless(table) if column is None else coded_names(table, column)


def _items(table: Table, column: str | None) -> Coded:
    """Item that was judged: the column of that name, or a usual one, or one thing; an empty cell is one too."""
    column = chosen(table, column, ITEMS)
    return _nameless(table) if column is None else coded(table, column)


def _nameless(table: Table) -> Coded:
    return Coded([""], np.zeros(len(table.rows), np.int64))


def judge_names(table: Table, column: str | None) -> list[str]:
    """(K,) who judged, as `_judges` has it."""
    names, code = _judges(table, column)
    return [names[each] for each in code.tolist()]


def read_keyed(table: Table, columns: ComparisonColumns, reading: Reading | None = None) -> KeyedComparisons:
    """The comparisons of a table by key, and their verdicts as words. Raises InputError."""
    keys, first, second, p, bit, weight, _ = read_coded(table, columns, reading)
    firsts, seconds = ([keys[each] for each in side.tolist()] for side in (first, second))
    return KeyedComparisons(firsts, seconds, p, verdict_words(table, bit), weight)


def read_coded(table: Table, columns: ComparisonColumns, reading: Reading | None = None) -> CodedComparisons:
    """The comparisons of a table: who met whom, and the probability that the first was better.

    Words of winners have the `reading` of the file's earlier rows, if these have one. Raises InputError.
    """
    keys, first, second = _pairs(table, columns)
    (column, in_words), weight = outcome_column(table, columns), weights(table, columns.weight)
    if not in_words:
        return CodedComparisons(keys, first, second, probabilities(table, column), None, weight, None)
    bit, reading = verdict_bits(table, column, keys, first, second, reading)
    return CodedComparisons(keys, first, second, P_OF_BIT[bit], bit, weight, reading)


def _pairs(table: Table, columns: ComparisonColumns) -> tuple[list[str], Ints, Ints]:
    """The keys, and (K,) who was first and second. Raises InputError."""
    sides = pair_columns(table, columns)
    keys, first, second = _met(coded_names(table, column) for column in sides)
    if (row := first_true(first == second)) is not None:
        raise complaint(table, row, sides[1], "compares a candidate with itself; remove this row")
    return keys, first, second


def list_columns(table: Table, columns: ComparisonColumns) -> tuple[str, str] | None:
    """The columns of who won and who lost, of a list of winners; None of other tables.

    Raises InputError where each belongs to one prompt: texts that were preferred to others are no candidates.
    """
    is_named = any((columns.first, columns.second, columns.winner, columns.p_first))
    if is_named or usual_pair(table.columns, PAIRS) or (sides := usual_pair(table.columns, LISTS)) is None:
        return None
    keys, *met = _met(coded(table, side) for side in sides)
    item = _items(table, columns.item)[1]
    of_prompts = np.unique(np.tile(item, 2) * len(keys) + np.concatenate(met))
    if len(of_prompts) <= len(keys) and len(np.unique(item)) > 1:
        raise InputError(
            f"{table.name}: {sides[0]} and {sides[1]} are others on each prompt, so they are texts and no candidates; "
            "put the names of those who wrote them into columns winner and loser"
        )
    return sides


def _met(sides: Iterable[Coded]) -> tuple[list[str], Ints, Ints]:
    """The keys of both columns, and (K,) which of them was first and which second."""
    (firsts, first), (seconds, second) = sides
    keys, place = encode([*firsts, *seconds])
    return keys, place[: len(firsts)][first], place[len(firsts) :][second]


def with_winner(tables: Iterable[Table], columns: ComparisonColumns, say: Say) -> Iterator[Table]:
    """The rows that say who won; says how many do not. Raises InputError after the last table where none does."""
    place, rows, skipped = "", 0, 0
    for table in tables:
        column, _ = outcome_column(table, columns)
        keys = {key.casefold() for side in pair_columns(table, columns) for key in coded(table, side).texts}
        texts, code = coded(table, column)
        is_told = np.array([word in keys or word not in NO_WINNER for word in map(str.casefold, texts)], bool)[code]
        place, rows, skipped = f"{table.name}, column {column!r}", rows + len(code), skipped + int((~is_told).sum())
        if is_told.any():
            yield kept_rows(table, is_told)
    if rows == skipped:
        raise InputError(f"{place}: no row says who won; name another column with --winner")
    if skipped:
        say(f"{counted(skipped, 'row')} of {rows:,} skipped: they do not say who won")


def find_reading(table: Table, columns: ComparisonColumns) -> Reading | None:
    """The reading of the winners of a table, some rows of which may be at fault. Raises InputError."""
    column, in_words = outcome_column(table, columns)
    met = _met(coded(table, side) for side in pair_columns(table, columns))
    return reading_of(table, column, *met) if in_words else None


def has_pairs(table: Table, columns: ComparisonColumns) -> bool:
    """True where the table looks like comparisons."""
    return columns.first is not None or usual_pair(table.columns, PAIRS) is not None


def pair_columns(table: Table, columns: ComparisonColumns) -> tuple[str, str]:
    """The columns of the first and of the second candidate. Raises InputError."""
    first, second = usual_pair(table.columns, PAIRS) or PAIRS[0]
    return _side(table, "first", columns.first, first), _side(table, "second", columns.second, second)


def _side(table: Table, option: str, named: str | None, name: str) -> str:
    if (column := chosen(table, named, [name])) is not None:
        return column
    has_verdicts = usual(table.columns, OUTCOMES) or two_answers(table)
    if any(map(is_prompt, table.columns)) and not has_verdicts:
        raise InputError(f"{table.name}: {OUTPUTS_ALONE}")
    there = ", ".join(table.columns)
    raise InputError(f"{table.name}: no column {name!r}; give --{option}; the columns are {there}")


def outcome_column(table: Table, columns: ComparisonColumns) -> tuple[str, bool]:
    """The column that says who won, and whether it holds words rather than probabilities."""
    named = [(name, name == columns.winner) for name in (columns.winner, columns.p_first) if name]
    outcomes = named or [(name, name == "winner") for name in OUTCOMES if usual(table.columns, [name])]
    if len(outcomes) == 1:
        ((column, in_words),) = outcomes
        return require(table, column), in_words
    if outcomes:
        raise InputError(f"{table.name}: two columns say who won; give one of --winner and --p-first")
    there = ", ".join(table.columns)
    raise InputError(f"{table.name}: give --winner or --p-first; the columns are {there}")


def weights(table: Table, column: str | None) -> Floats:
    """(K,) how many answers each row stands for: the column of that name, or `weight` if there is one, or 1.

    Raises InputError for what is empty, below MIN_WEIGHT or above MAX_WEIGHT.
    """
    if (column := chosen(table, column, [WEIGHT])) is None:
        return np.ones(len(table.rows))
    weight = numbers_of(table, column)
    if (row := first_true(~((weight >= MIN_WEIGHT) & (weight <= MAX_WEIGHT)))) is not None:
        shown = texts_of(table, column)[row] or "an empty cell"
        wanted = f"write a number from {MIN_WEIGHT:f} to {MAX_WEIGHT:,}, or remove the row"
        raise complaint(table, row, column, f"{shown} is not a weight; {wanted}")
    return weight
