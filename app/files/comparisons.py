"""Comparisons in tables: which columns hold them, and the words in which a verdict may be written."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from nextpair.words import MAX_WEIGHT, MIN_WEIGHT, P_OF_WINNER, Winner

from app.files.columns import Labels, encode, first_true, keys_of, label_rows, numbers_of, require, texts_of
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
PAIRS = (("first", "second"), ("model_a", "model_b"))
OUTCOMES = ("winner", "p_first")


class ComparisonColumns(NamedTuple):
    """The columns of a comparison; what is None is looked for by its usual name."""

    first: str | None = None
    second: str | None = None
    winner: str | None = None
    p_first: str | None = None
    judge: str | None = None
    weight: str | None = None


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
    items: list[str]  # (I,) what was judged, by the column `item`; one without a name where the files have none
    item: Ints  # (K,)


class KeyedComparisons(NamedTuple):
    """The comparisons of one table, by key."""

    first: list[str]  # (K,)
    second: list[str]  # (K,)
    p: Floats  # (K,)
    words: list[Winner | None]  # (K,) the verdict as a word, where it came as one
    weight: Floats  # (K,)


def read_grouped(tables: Sequence[Table], columns: ComparisonColumns, group_by: Sequence[str]) -> GroupedComparisons:
    """The comparisons of one or more tables, one after the other. Raises InputError."""
    parts = [read_keyed(table, columns) for table in tables]
    first = [key for part in parts for key in part.first]
    second = [key for part in parts for key in part.second]
    candidates, codes = encode([*first, *second])
    groups, group = encode([labels for table in tables for labels in label_rows(table, group_by)])
    p, weight = (np.concatenate(columns) for columns in zip(*((part.p, part.weight) for part in parts), strict=True))
    judges, judge = encode([name for table in tables for name in judge_names(table, columns.judge)])
    about = encode([name for table in tables for name in _item_names(table)])
    sides = codes[: len(p)], codes[len(p) :]
    return GroupedComparisons(candidates, groups, group, *sides, p, weight, judges, judge, *about)


def judge_names(table: Table, column: str | None) -> list[str]:
    """(K,) who judged: the column of that name, or `judge` if there is one, or nobody in particular."""
    if column is None and "judge" not in table.columns:
        return [""] * len(table.rows)
    return keys_of(table, column or "judge")


def _item_names(table: Table) -> list[str]:
    return texts_of(table, "item") if "item" in table.columns else [""] * len(table.rows)


def read_keyed(table: Table, columns: ComparisonColumns) -> KeyedComparisons:
    """The comparisons of a table: who met whom, and the probability that the first was better. Raises InputError."""
    first_column, second_column = pair_columns(table, columns)
    first, second = keys_of(table, first_column), keys_of(table, second_column)
    if (row := first_true([a == b for a, b in zip(first, second, strict=True)])) is not None:
        raise complaint(table, row, second_column, "compares a candidate with itself; remove this row")
    (column, in_words), weight = _outcome_column(table, columns), weights(table, columns.weight)
    if not in_words:
        return KeyedComparisons(first, second, probabilities(table, column), _exported_words(table), weight)
    words = winners(table, column, first, second)
    return KeyedComparisons(first, second, np.array([P_OF_WINNER[word] for word in words]), [*words], weight)


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
    cases = list(zip(texts_of(table, column), first, second, strict=True))
    readings = {case: _readings(*(text.casefold() for text in case)) for case in set(cases)}
    if (row := first_true([len(readings[case]) != 1 for case in cases])) is not None:
        raise complaint(table, row, column, _not_one_reading(cases[row][0], bool(readings[cases[row]])))
    return [next(iter(readings[case])) for case in cases]


def _readings(word: str, first: str, second: str) -> set[Winner]:
    """Every way to read `word`: as a verdict, and as the key of the first or of the second candidate."""
    sides: list[tuple[str, Winner]] = [(first, "first"), (second, "second")]
    return {winner for key, winner in [*sides, *WORDS.items()] if key == word}


def _not_one_reading(word: str, several: bool) -> str:
    if several:
        return f"{word!r} is a verdict and also the key of the other candidate; write first or second"
    return f"{word!r} is not a verdict; write first, second, tie, both_bad or the key of the winner"
