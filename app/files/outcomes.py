"""Winners of the comparisons of a table: the words of a verdict, the name of the winner, or a probability."""

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np
from nextpair.names import normal_name
from nextpair.words import P_OF_WINNER, Winner
from numpy.typing import NDArray

from app.files.columns import coded, encode, first_true, folded, numbers_of, texts_of, usual
from app.files.names import PREFERENCE
from app.files.tables import EXPORTED_WORD, Floats, InputError, Ints, Table, complaint

READ_AS: dict[Winner, tuple[str, ...]] = {
    "first": ("first", "a", "left", "model_a", "1"),
    "second": ("second", "b", "right", "model_b", "2"),
    "tie": ("tie", "draw"),
    "both_bad": ("both_bad", "bothbad", "tie (bothbad)"),
}
WORDS = {folded(word): winner for winner, words in READ_AS.items() for word in words}
BITS: dict[Winner, int] = {"first": 1, "second": 2, "tie": 4, "both_bad": 8}  # a bit for each reading of a word
OF_BIT: dict[int, Winner] = {bit: word for word, bit in BITS.items()}
P_OF_BIT = np.full(1 + max(OF_BIT), np.nan)
P_OF_BIT[[*OF_BIT]] = [P_OF_WINNER[word] for word in OF_BIT.values()]
FIRST_WINS = re.compile("(.*?)(modela|first|a)")  # the folded name of a column of 0 and 1, such as winner_model_a
SECOND = {"modela": "modelb", "first": "second", "a": "b"}
TIES = ("tie", "is_tie", "draw", "both_bad")  # such columns for ties, alone or as winner_tie
NO_WINNER = ("", "skip", "skipped", "none", "null", "na", "n/a", "nan")  # where nobody said who won
YES = ("1", "1.0", "true", "yes")
Reading = Literal["key", "verdict"]  # what a word is in a whole column that is both a verdict and some candidate's key


def probabilities(table: Table, column: str) -> Floats:
    """(K,) probabilities that the first is better.

    Raises InputError for what is empty or outside [0, 1], and for wins of the first beside which other columns show
    that some 0 is a tie.
    """
    p = numbers_of(table, column)
    if folded(column) == PREFERENCE:
        p = 2.0 - p
    if (row := first_true(~((p >= 0.0) & (p <= 1.0)))) is not None:
        shown = texts_of(table, column)[row] or "an empty cell"
        raise complaint(table, row, column, f"{shown} is not {_wanted(column)}")
    if np.isin(p, (0.0, 1.0)).all():
        _refuse_ties_as_losses(table, column, p)
    return p


def _wanted(column: str) -> str:
    if folded(column) == PREFERENCE:
        return "a preference; write a number from 1 (the first) to 2 (the second)"
    return "a probability; write a number from 0 to 1"


def _refuse_ties_as_losses(table: Table, column: str, p: Floats) -> None:
    """Raises InputError."""
    other_wins, *ties = (usual(table.columns, [name]) for name in flags_beside(column))
    is_tie = np.zeros(len(p), bool)
    for tie in filter(None, ties):
        is_tie |= _flagged(table, tie)
    if other_wins:
        is_tie |= ~_flagged(table, other_wins)
    if (row := first_true(is_tie & (p == 0.0))) is not None:
        flags = ", ".join(filter(None, (column, other_wins, *ties)))
        remedy = f"write first, second or tie into one column, from {flags}, and name it with --winner"
        raise complaint(table, row, column, f"0 would count this tie as a loss; {remedy}")


def flags_beside(column: str) -> list[str]:
    """Names of columns of 0 and 1 beside that of the first's wins: the second's wins, and then ties."""
    match = FIRST_WINS.fullmatch(folded(column))
    if match is None:
        return ["", *TIES]
    return [match[1] + SECOND[match[2]], *TIES, *(match[1] + tie for tie in TIES)]


def _flagged(table: Table, column: str) -> NDArray[np.bool_]:
    """(K,) where the column says yes."""
    return np.array([text.casefold() in YES for text in texts_of(table, column)], bool)


def winners(table: Table, column: str, first: Sequence[str], second: Sequence[str]) -> list[Winner]:
    """(K,) verdicts, from words or from the winner's key, in upper or lower case. Raises InputError."""
    keys, place = encode([*first, *second])
    bits, _ = verdict_bits(table, column, keys, place[: len(first)], place[len(first) :])
    return [OF_BIT[bit] for bit in bits.tolist()]


def verdict_bits(
    table: Table, column: str, keys: Sequence[str], first: Ints, second: Ints, reading: Reading | None = None
) -> tuple[Ints, Reading | None]:
    """(K,) the bit of each verdict, and the reading of the column: that of its earlier rows where they have one.

    Raises InputError for a word that has no meaning in its row, and what `reading_of` raises.
    """
    reading = reading or reading_of(table, column, keys, first, second)
    bits = _bits(table, column, keys, first, second)
    if (row := first_true(~np.isin(bits[reading or "key"], [*OF_BIT]))) is not None:
        other = next((kind for kind in bits if reading and bits[kind][row] in OF_BIT), None)
        raise complaint(table, row, column, _no_meaning(texts_of(table, column)[row], reading, other))
    return bits[reading or "key"], reading


def _no_meaning(word: str, reading: Reading | None, other: Reading | None) -> str:
    if not word:
        return "empty; write first, second, tie, both_bad or the key of the winner, or leave the row out"
    if other:
        return f"{word!r} has a meaning as a {other}, and more rows as a {reading}; write first or second in every row"
    return f"{word!r} is not a verdict; write first, second, tie, both_bad or the key of the winner"


def reading_of(table: Table, column: str, keys: Sequence[str], first: Ints, second: Ints) -> Reading | None:
    """The reading that fits more rows; None where both are the same.

    Where both fit as many, words are keys: as verdicts they would hardly be keys of their rows alone. Between two
    candidates they always are, and InputError names both readings.
    """
    by_key, by_verdict = _bits(table, column, keys, first, second).values()
    if (row := first_true(by_key != by_verdict)) is None:
        return None
    fitting = [np.count_nonzero(np.isin(bits, [*OF_BIT])) for bits in (by_key, by_verdict)]
    if fitting[0] == fitting[1] and len(keys) == 2:
        word, place = texts_of(table, column)[row], table.place(row)
        readings = f"as a key {word!r} means {OF_BIT[int(by_key[row])]}, as a verdict {OF_BIT[int(by_verdict[row])]}"
        raise InputError(f"{table.name}, {place}, column {column!r}: {readings}, and both fit; write first or second")
    return "key" if fitting[0] >= fitting[1] else "verdict"


def _bits(table: Table, column: str, keys: Sequence[str], first: Ints, second: Ints) -> dict[Reading, Ints]:
    """(K,) the bit of each verdict by each reading, 0 where its word has no meaning in its row."""
    texts, code = coded(table, column)
    of_verdict = np.array([BITS[WORDS[word]] if word in WORDS else 0 for word in map(folded, texts)], np.int64)[code]
    of_key, is_key = np.zeros(len(code), np.int64), np.zeros(len(code), bool)
    words = [normal_name(text) for text in texts]
    for alike in (str.casefold, str):  # what is written exactly as a key counts before what is like it
        _, same = encode([*map(alike, words), *map(alike, keys)])
        written, key = same[: len(texts)], same[len(texts) :]
        word = written[code]
        bit = (word == key[first]) * BITS["first"] + (word == key[second]) * BITS["second"]
        of_key, is_key = np.where(bit, bit, of_key), is_key | np.isin(written, key)[code]
    return {"key": np.where(is_key, of_key, of_verdict), "verdict": of_verdict}


def verdict_words(table: Table, bit: Ints | None) -> list[Winner | None]:
    """(K,) the verdicts in words, by their bits; where they are probabilities, as an export has them beside these."""
    if bit is not None:
        return [OF_BIT[each] for each in bit.tolist()]
    if EXPORTED_WORD not in table.columns:
        return [None] * len(table.rows)
    return [WORDS.get(folded(word)) for word in texts_of(table, EXPORTED_WORD)]
