"""Comparisons in tables: which columns hold them, and the words in which a verdict may be written."""

import re
from collections.abc import Hashable, Iterable, Sequence
from math import inf
from typing import NamedTuple, TypeVar

import numpy as np
from nextpair.words import MAX_WEIGHT, MIN_WEIGHT, P_OF_WINNER, Winner
from numpy.typing import NDArray

from app.files.columns import (
    Coded,
    Labels,
    coded,
    coded_keys,
    encode,
    first_true,
    numbers_of,
    require,
    texts_of,
)
from app.files.folding import Codes, Rows, compact, gathered
from app.files.tables import EXPORTED_WORD, Floats, InputError, Ints, Table, complaint

WORDS: dict[str, Winner] = {
    "first": "first",
    "a": "first",
    "left": "first",
    "model_a": "first",
    "1": "first",
    "second": "second",
    "b": "second",
    "right": "second",
    "model_b": "second",
    "2": "second",
    "tie": "tie",
    "draw": "tie",
    "both_bad": "both_bad",
    "bothbad": "both_bad",
    "tie (bothbad)": "both_bad",
}
BITS: dict[Winner, int] = {"first": 1, "second": 2, "tie": 4, "both_bad": 8}  # a bit for each reading of a word
OF_BIT: dict[int, Winner] = {bit: word for word, bit in BITS.items()}
P_OF_BIT = np.full(1 + max(OF_BIT), np.nan)
P_OF_BIT[[*OF_BIT]] = [P_OF_WINNER[word] for word in OF_BIT.values()]
PAIRS = (("first", "second"), ("model_a", "model_b"))
OUTCOMES = ("winner", "p_first")
FIRST_WINS = re.compile(r"(.*?)(model_a|first|a)")  # the name of a column of 0 and 1, such as winner_model_a
SECOND = {"model_a": "model_b", "first": "second", "a": "b"}
TIES = ("tie", "is_tie", "draw", "both_bad")  # such columns for ties, alone or as winner_tie
YES = ("1", "1.0", "true", "yes")
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


class CodedComparisons(NamedTuple):
    """The comparisons of one table, by number."""

    keys: list[str]
    first: Ints  # (K,) places among the keys
    second: Ints  # (K,)
    p: Floats  # (K,)
    bit: Ints | None  # (K,) of BITS, where the verdict came as a word
    weight: Floats  # (K,)


class KeyedComparisons(NamedTuple):
    """The comparisons of one table, by key."""

    first: list[str]  # (K,)
    second: list[str]  # (K,)
    p: Floats  # (K,)
    words: list[Winner | None]  # (K,) the verdict as a word, where it came as one
    weight: Floats  # (K,)


def columns_of(columns: ComparisonColumns) -> set[str]:
    """The columns that comparisons may be read from."""
    usual = {*(name for pair in PAIRS for name in pair), *OUTCOMES, "judge", "weight", "item"}
    return {*filter(None, columns), *usual, *_flags_beside(columns.p_first or "p_first")}


def read_grouped(
    tables: Iterable[Table], columns: ComparisonColumns, group_by: Sequence[str], most: float = inf
) -> GroupedComparisons:
    """The comparisons of one or more tables, one after the other; more than `most` are put together (folding.py).

    Raises InputError.
    """
    keys, groups, judges, items = dict[str, int](), dict[Labels, int](), dict[str, int](), dict[str, int]()

    def rows_of(table: Table) -> Rows:
        names, first, second, p, _, weight = read_coded(table, columns)
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

    group, judge, first, second, item, p, weight, times = gathered(map(rows_of, tables), most)
    is_folded = times.sum() > most
    group, judge, first, second, item, times = (
        each.astype(np.int64) for each in (group, judge, first, second, item, times)
    )
    return GroupedComparisons(
        [*keys],
        [*groups],
        group,
        first,
        second,
        p,
        weight,
        [*judges],
        judge,
        [*items],
        item,
        times if is_folded else None,
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
    """Who judged: the column of that name, or `judge` if there is one, or nobody in particular."""
    if column is None and "judge" not in table.columns:
        return _nameless(table)
    return coded_keys(table, column or "judge")


def _items(table: Table, column: str | None) -> Coded:
    """What was judged: the column of that name, or `item` if there is one, or one thing; an empty cell is one too."""
    if column is None and "item" not in table.columns:
        return _nameless(table)
    return coded(table, column or "item")


def _nameless(table: Table) -> Coded:
    return Coded([""], np.zeros(len(table.rows), np.int64))


def judge_names(table: Table, column: str | None) -> list[str]:
    """(K,) who judged, as `_judges` has it."""
    names, code = _judges(table, column)
    return [names[each] for each in code.tolist()]


def read_keyed(table: Table, columns: ComparisonColumns) -> KeyedComparisons:
    """The comparisons of a table by key, and their verdicts as words. Raises InputError."""
    keys, first, second, p, bit, weight = read_coded(table, columns)
    words: list[Winner | None] = _exported_words(table) if bit is None else [OF_BIT[each] for each in bit.tolist()]
    firsts, seconds = ([keys[each] for each in side.tolist()] for side in (first, second))
    return KeyedComparisons(firsts, seconds, p, words, weight)


def read_coded(table: Table, columns: ComparisonColumns) -> CodedComparisons:
    """The comparisons of a table: who met whom, and the probability that the first was better. Raises InputError."""
    first_column, second_column = pair_columns(table, columns)
    (firsts, first), (seconds, second) = coded_keys(table, first_column), coded_keys(table, second_column)
    keys, place = encode([*firsts, *seconds])
    first, second = place[: len(firsts)][first], place[len(firsts) :][second]
    if (row := first_true(first == second)) is not None:
        raise complaint(table, row, second_column, "compares a candidate with itself; remove this row")
    (column, in_words), weight = _outcome_column(table, columns), weights(table, columns.weight)
    if not in_words:
        p = probabilities(table, column)
        _refuse_ties_as_losses(table, column, p)
        return CodedComparisons(keys, first, second, p, None, weight)
    bit = _verdicts(table, column, keys, first, second)
    return CodedComparisons(keys, first, second, P_OF_BIT[bit], bit, weight)


def _exported_words(table: Table) -> list[Winner | None]:
    if EXPORTED_WORD not in table.columns:
        return [None] * len(table.rows)
    return [WORDS.get(word) for word in texts_of(table, EXPORTED_WORD)]


def has_pairs(table: Table, columns: ComparisonColumns) -> bool:
    """True where the table looks like comparisons."""
    return columns.first is not None or any(set(pair) <= set(table.columns) for pair in PAIRS)


def pair_columns(table: Table, columns: ComparisonColumns) -> tuple[str, str]:
    """The columns of the first and of the second candidate. Raises InputError."""
    usual = next((pair for pair in PAIRS if set(pair) <= set(table.columns)), PAIRS[0])
    first = _chosen(table, "first", columns.first, usual[0])
    return first, _chosen(table, "second", columns.second, usual[1])


def _chosen(table: Table, option: str, chosen: str | None, usual: str) -> str:
    if chosen is None and usual not in table.columns:
        there = ", ".join(table.columns)
        raise InputError(f"{table.name}: no column {usual!r}; give --{option}; the columns are {there}")
    return require(table, chosen or usual)


def _outcome_column(table: Table, columns: ComparisonColumns) -> tuple[str, bool]:
    """The column that says who won, and whether it holds words rather than probabilities."""
    chosen = [(name, name == columns.winner) for name in (columns.winner, columns.p_first) if name]
    outcomes = chosen or [(name, name == "winner") for name in OUTCOMES if name in table.columns]
    if len(outcomes) == 1:
        ((column, in_words),) = outcomes
        return require(table, column), in_words
    if outcomes:
        raise InputError(f"{table.name}: two columns say who won; give one of --winner and --p-first")
    there = ", ".join(table.columns)
    raise InputError(f"{table.name}: give --winner or --p-first; the columns are {there}")


def probabilities(table: Table, column: str) -> Floats:
    """(K,) probabilities that the first is better. Raises InputError for what is empty or outside [0, 1]."""
    p = numbers_of(table, column)
    if (row := first_true(~((p >= 0.0) & (p <= 1.0)))) is not None:
        shown = texts_of(table, column)[row] or "an empty cell"
        raise complaint(table, row, column, f"{shown} is not a probability; write a number from 0 to 1")
    return p


def _refuse_ties_as_losses(table: Table, column: str, p: Floats) -> None:
    """Raises InputError where `column` is 1 for wins of the first, and other columns show that some 0 is a tie."""
    other_wins, *ties = _flags_beside(column)
    if not np.isin(p, (0.0, 1.0)).all():
        return
    is_tie = np.zeros(len(p), bool)
    for tie in ties:
        is_tie |= _flagged(table, tie)
    if other_wins in table.columns:
        is_tie |= ~_flagged(table, other_wins)
    if (row := first_true(is_tie & (p == 0.0))) is not None:
        flags = ", ".join(name for name in (column, other_wins, *ties) if name in table.columns)
        remedy = f"write first, second or tie into one column, from {flags}, and name it with --winner"
        raise complaint(table, row, column, f"0 would count this tie as a loss; {remedy}")


def _flags_beside(column: str) -> list[str]:
    """Names of columns of 0 and 1 beside that of the first's wins: the second's wins, and then ties."""
    match = FIRST_WINS.fullmatch(column)
    if match is None:
        return ["", *TIES]
    return [match[1] + SECOND[match[2]], *TIES, *(match[1] + tie for tie in TIES)]


def _flagged(table: Table, column: str) -> NDArray[np.bool_]:
    """(K,) where the column says yes, nowhere if it is not there."""
    if column not in table.columns:
        return np.zeros(len(table.rows), bool)
    return np.array([text.casefold() in YES for text in texts_of(table, column)], bool)


def weights(table: Table, column: str | None) -> Floats:
    """(K,) how many answers each row stands for: the column of that name, or `weight` if there is one, or 1.

    Raises InputError for what is empty, below MIN_WEIGHT or above MAX_WEIGHT.
    """
    if column is None and "weight" not in table.columns:
        return np.ones(len(table.rows))
    weight = numbers_of(table, column or "weight")
    if (row := first_true(~((weight >= MIN_WEIGHT) & (weight <= MAX_WEIGHT)))) is not None:
        shown = texts_of(table, column or "weight")[row] or "an empty cell"
        wanted = f"write a number from {MIN_WEIGHT:f} to {MAX_WEIGHT:,}, or remove the row"
        raise complaint(table, row, column or "weight", f"{shown} is not a weight; {wanted}")
    return weight


def winners(table: Table, column: str, first: Sequence[str], second: Sequence[str]) -> list[Winner]:
    """(K,) verdicts, from words or from the winner's key, in upper or lower case. Raises InputError."""
    keys, place = encode([*first, *second])
    return [OF_BIT[bit] for bit in _verdicts(table, column, keys, place[: len(first)], place[len(first) :]).tolist()]


def _verdicts(table: Table, column: str, keys: Sequence[str], first: Ints, second: Ints) -> Ints:
    """(K,) the bit of each verdict. Raises InputError for a word that has no reading or several.

    A word may be read as a verdict, and as the key of the first or of the second candidate.
    """
    texts, code = coded(table, column)
    words = [text.casefold() for text in texts]
    _, same = encode([*words, *(key.casefold() for key in keys)])
    word, key = same[: len(words)][code], same[len(words) :]
    of_word = np.array([BITS[WORDS[word]] if word in WORDS else 0 for word in words], np.int64)
    bits: Ints = of_word[code] | (word == key[first]) * BITS["first"] | (word == key[second]) * BITS["second"]
    if (row := first_true(~np.isin(bits, [*OF_BIT]))) is not None:
        raise complaint(table, row, column, _not_one_reading(texts[code[row]], bool(bits[row])))
    return bits


def _not_one_reading(word: str, several: bool) -> str:
    if several:
        return f"{word!r} is a verdict and also the key of the other candidate; write first or second"
    return f"{word!r} is not a verdict; write first, second, tie, both_bad or the key of the winner"
