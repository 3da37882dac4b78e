"""Tables of candidates whose rows do not compete, known by their columns: exports of evaluations, mostly.

Candidates are rivals: one text in each row, and all of them answer the same prompt. A table may hold answers to
different prompts, several answers in each row, or nested JSON instead of texts. Whoever names the columns of key and
text knows what the rows are, and nothing is refused.
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from app.files.columns import coded, folded, usual, usual_pair
from app.files.names import PROMPT_IDS, PROMPT_TEXTS, SYSTEMS
from app.files.tables import InputError, Table

ANSWERS = (  # the usual names of two answers in one row
    ("chosen", "rejected"), ("response_a", "response_b"), ("response_1", "response_2"), ("output_1", "output_2"),
    ("output_a", "output_b"), ("answer_a", "answer_b"), ("completion_a", "completion_b"),
)  # fmt: skip
SENTENCE = 20.0  # characters on average; distinct texts that are longer may be answers
SIMILAR = 4.0  # answers to one prompt have lengths within this factor; a title is shorter than its abstract
EXPECTED = "candidates are one text per row, and all of them answer the same prompt"
MANY_PROMPTS = "for systems over many prompts name --system, or --systems, --prompt and --output"
A_RANK = re.compile(r"(rank|place|position)\d+")  # the folded name of a column, such as rank_1
ALL_THE_SAME = "if the rows are rivals after all, name both --key and --text"


def refuse_no_rivals(table: Table, key: str, text: str, *, is_text_guessed: bool) -> None:
    """Raises InputError that names the column which shows that the rows of these columns do not compete."""
    others = [column for column in table.columns if column not in (key, text)]
    if len(ranks := [column for column in table.columns if A_RANK.fullmatch(folded(column))]) > 1:
        remedy = "write a row for each two of them, with the columns first, second, winner, and prompt if there is one"
        raise InputError(f"{table.name}: columns {', '.join(map(repr, ranks))} hold rankings, not candidates; {remedy}")
    if pair := two_answers(table):
        raise _several_answers(table, pair)
    prompts = [column for column in others if is_prompt(column) and len(counts(table, column)) > 1]
    prompts = prompts or [column for column in others if _repeats_like_a_prompt(table, column)]
    if is_prompt(text):
        _refuse_answers_beside(table, text, others)
    elif prompts:
        raise _different_prompts(table, prompts[0], others)
    for column in (key, text):
        if column in table.content.nested:
            wanted = f"copy the text inside it to a column of its own, and name it with --text; {EXPECTED}"
            raise InputError(f"{table.name}: column {column!r} holds nested JSON, not texts; {wanted}")
    if is_text_guessed and len(rivals := _similar_texts(table, text, others)) > 1:
        raise _several_answers(table, rivals)


def two_answers(table: Table) -> tuple[str, str] | None:
    """The columns of two answers in each row, if there are any."""
    return usual_pair(table.columns, ANSWERS)


def is_prompt(column: str) -> bool:
    return usual(column.split("."), [*PROMPT_TEXTS, *PROMPT_IDS]) is not None


def _repeats_like_a_prompt(table: Table, column: str) -> bool:
    """True for two or more sentences, each in as many rows: every model answered all of them."""
    rows = counts(table, column)
    return (
        len(rows) > 1
        and len({*rows.values()}) == 1
        and rows.total() >= 2 * len(rows)
        and sum(map(len, rows)) >= SENTENCE * len(rows)
        and has_words(table, column)
    )


def counts(table: Table, column: str) -> Counter[str]:
    """Number of rows with each value that is not empty; none where it cannot be read as text."""
    try:
        texts, code = coded(table, column)
    except InputError:
        return Counter()
    rows = np.bincount(code, minlength=len(texts)).tolist()
    return Counter({text: count for text, count in zip(texts, rows, strict=True) if text})


def _different_prompts(table: Table, prompt: str, others: Sequence[str]) -> InputError:
    repeats = ""
    for column in others:
        ((value, rows),) = counts(table, column).most_common(1) or [("", 0)]
        if usual([column], SYSTEMS) and rows > 1:
            repeats = f" and column {column!r} repeats {_shortened(value)!r}"
            break
    values = counts(table, prompt)
    what = f"column {prompt!r} has {len(values):,} different values in {values.total():,} rows{repeats}"
    return InputError(
        f"{table.name}: {what}, so the rows answer different prompts; {EXPECTED}; {MANY_PROMPTS}; {ALL_THE_SAME}"
    )


def _refuse_answers_beside(table: Table, prompt: str, others: Sequence[str]) -> None:
    """Raises InputError where a table of prompts has answers too, though shorter ones."""
    texts = _differing_texts(table, others)
    if len(texts) > 1 or any(length >= SENTENCE for length in texts.values()):
        raise _several_answers(table, [prompt, *texts])


def _similar_texts(table: Table, text: str, others: Sequence[str]) -> list[str]:
    """The column `text` that was guessed, and those whose texts are about as long."""
    lengths = _differing_texts(table, [text, *others])
    least = max(SENTENCE, lengths.get(text, 0.0) / SIMILAR)
    return [column for column, length in lengths.items() if length >= least and has_words(table, column)]


def _several_answers(table: Table, columns: Sequence[str]) -> InputError:
    named = " and ".join(map(repr, columns[:2]))
    return InputError(
        f"{table.name}: columns {named} hold different texts in each row; {EXPECTED}; name its column with --text, or "
        "those of systems with --systems, or "
        f"give --first, --second and --winner if the rows are comparisons; {ALL_THE_SAME}"
    )


def _differing_texts(table: Table, columns: Sequence[str]) -> dict[str, float]:
    """The mean length in characters of each column whose cells all differ and are not all numbers."""
    texts = {column: counts(table, column) for column in columns}
    return {
        column: sum(map(len, cells)) / len(cells)
        for column, cells in texts.items()
        if len(cells) == len(table.rows) and not all(map(_is_number, cells))
    }


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def has_words(table: Table, column: str) -> bool:
    """False for addresses, hashes and times."""
    cells = counts(table, column)
    return sum(" " in cell for cell in cells) > len(cells) / 2


def _shortened(text: str, most: int = 40) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
