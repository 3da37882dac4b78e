"""The label that an answer gives, in its words.

What a model thinks before it answers (`<think>...</think>`) is no part of the answer. A label counts where it is

    Text A, because ...   the beginning of the answer, after nothing but the prefix or a few words and a colon
    Answer: A
    ... so it is Text A.  the end of the answer, after "is" or a colon, or as the only label of the last sentence

and no sentence that ends so says no: "worse", "not", "neither". An answer that was cut off has no end, and what follows
a colon there may be the beginning of a sentence: its label counts at the beginning alone.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

DECORATION = " \t\n*_`'\"().:>#[]{}$\\!"  # that models put around a label
THOUGHT = re.compile(r".*</think(ing)?>", re.DOTALL | re.IGNORECASE)
THINKING = re.compile(r"\s*<think", re.IGNORECASE)
A_FEW_WORDS = re.compile(r"\W*(\w+\W+){0,3}\w+\W*[:=]\W*(\w+\W+)?")
ENDS = re.compile(r"(/\d+)?[*_`'\")\]}]*($|\n|[.,;!])")  # after a label: it is not the beginning of a phrase
SENTENCE = re.compile(r"[.!?]\s|\n")
SAYS_NO = re.compile(r"\b(not|neither|nor|cannot|unclear|worse|worst|weaker)\b|n't\b", re.IGNORECASE)
IS = re.compile(r"(\bis|[:=])\W*([^\W\d]+\W+)?$", re.IGNORECASE)
OTHER_ONE = re.compile(r"\b(than|over|to|and|or|against|beats)\W+(\w+\W+)?$", re.IGNORECASE)


class FoundLabel(NamedTuple):
    """A label in a text."""

    number: int
    start: int


def find_label(text: str, labels: Sequence[str], prefix: str, *, is_cut: bool = False) -> FoundLabel | None:
    """The label that an answer gives; None where it gives none, or does not make clear which.

    Args:
        is_cut: the answer would have gone on.
    """
    thought = THOUGHT.match(text)
    if not thought and THINKING.match(text):
        return None
    begin = thought.end() if thought else 0
    named = _named(text, begin, labels)
    if named and _is_at_the_beginning(text, begin, named[0], prefix, is_cut=is_cut):
        return named[0].label
    if named and not is_cut and _is_at_the_end(text, begin, named):
        return named[-1].label
    return None


def spells(text: str, label: str, prefix: str) -> bool:
    return bare(text) in (bare(label), bare(prefix + label))


def bare(text: str) -> str:
    return text.strip(DECORATION) or text.strip()


class _Named(NamedTuple):
    label: FoundLabel
    end: int


def _named(text: str, begin: int, labels: Sequence[str]) -> list[_Named]:
    """Labels that are words of their own, in order."""
    numbers = {bare(label): n for n, label in enumerate(labels)}
    either = "|".join(map(re.escape, sorted(numbers, key=len, reverse=True)))
    words = re.compile(rf"(?<!\w)(?<!\d[.,])({either})(?!\w|[.,]\d)")
    return [_Named(FoundLabel(numbers[each[1]], each.start()), each.end()) for each in words.finditer(text, begin)]


def _is_at_the_beginning(text: str, begin: int, named: _Named, prefix: str, *, is_cut: bool) -> bool:
    before = text[begin : named.label.start]
    is_announced = A_FEW_WORDS.fullmatch(before) and not (is_cut and named.end == len(text))
    return bool((prefix.endswith(before.strip(DECORATION)) or is_announced) and ENDS.match(text, named.end))


def _is_at_the_end(text: str, begin: int, named: Sequence[_Named]) -> bool:
    *others, last = named
    if text[last.end :].strip(DECORATION):
        return False
    start = max((each.end() for each in SENTENCE.finditer(text, begin, last.label.start)), default=begin)
    sentence = text[start : last.label.start]
    if SAYS_NO.search(sentence):
        return False
    is_alone = all(each.label.start < start or each.label.number == last.label.number for each in others)
    return bool(IS.search(sentence) or (is_alone and not OTHER_ONE.search(sentence)))
