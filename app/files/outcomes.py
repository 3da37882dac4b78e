"""Winners of the comparisons of a table: the words of a verdict, the name of the winner, or a probability."""

import re
from collections.abc import Sequence

import numpy as np
from nextpair.words import P_OF_WINNER, Winner
from numpy.typing import NDArray

from app.files.columns import coded, encode, first_true, folded, numbers_of, texts_of, usual
from app.files.names import PREFERENCE
from app.files.tables import EXPORTED_WORD, Floats, Ints, Table, complaint

READ_AS: dict[Winner, tuple[str, ...]] = {
    "first": ("first", "a", "left", "model_a", "1"),
    "second": ("second", "b", "right", "model_b", "2"),
    "tie": ("tie", "draw"),
    "both_bad": ("both_bad", "bothbad", "tie (bothbad)"),
}
WORDS = {word: winner for winner, words in READ_AS.items() for word in words}
BITS: dict[Winner, int] = {"first": 1, "second": 2, "tie": 4, "both_bad": 8}  # a bit for each reading of a word
OF_BIT: dict[int, Winner] = {bit: word for word, bit in BITS.items()}
P_OF_BIT = np.full(1 + max(OF_BIT), np.nan)
P_OF_BIT[[*OF_BIT]] = [P_OF_WINNER[word] for word in OF_BIT.values()]
FIRST_WINS = re.compile("(.*?)(modela|first|a)")  # the folded name of a column of 0 and 1, such as winner_model_a
SECOND = {"modela": "modelb", "first": "second", "a": "b"}
TIES = ("tie", "is_tie", "draw", "both_bad")  # such columns for ties, alone or as winner_tie
YES = ("1", "1.0", "true", "yes")


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
    return [OF_BIT[bit] for bit in verdict_bits(table, column, keys, place[: len(first)], place[len(first) :]).tolist()]


def verdict_bits(table: Table, column: str, keys: Sequence[str], first: Ints, second: Ints) -> Ints:
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


def verdict_words(table: Table, bit: Ints | None) -> list[Winner | None]:
    """(K,) the verdicts in words, by their bits; where they are probabilities, as an export has them beside these."""
    if bit is not None:
        return [OF_BIT[each] for each in bit.tolist()]
    if EXPORTED_WORD not in table.columns:
        return [None] * len(table.rows)
    return [WORDS.get(word) for word in texts_of(table, EXPORTED_WORD)]
