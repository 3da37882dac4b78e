"""How the values of a tag differ from the other prompts."""

from collections.abc import Sequence

from nextpair.words import counted

from app.inference.targets import TagDeviation
from app.sentences.lists import named, quoted


def too_few_prompts(tag: str, value: str) -> str:
    return f"There are too few prompts to tell whether {tag} {value} differs from the others: judge more of them."


def difference(tag: str, value: str, first: str, second: str, test: TagDeviation, *, is_claimed: bool) -> str:
    """How the ranking on one value differs from the other prompts' ranking."""
    where, p = f"{tag} {value}", f"(p = {test.p_value:.2g})"
    first, second = quoted(first), quoted(second)
    if not is_claimed:
        return f"No difference between {where} and the other prompts is shown {p}."
    if test.is_reversal:
        return f"On {where}, {first} beats {second}; elsewhere {second} beats {first} {p}."
    return f"On {where}, {first} does better against {second} than elsewhere {p}."


def summary(
    tag: str, values: int, untagged: int, shared: float | None, reversed_on: Sequence[str], other_on: Sequence[str]
) -> str:
    """How a ranking differs by a tag: where the order reverses comes first.

    Args: `shared` is the share of the differences between prompts that the tag does not explain.
    """
    sentences = []
    if reversed_on:
        sentences.append(f"The order of candidates reverses on {named(reversed_on)}.")
    if other_on:
        differ = "candidates lie further apart, or closer together, than elsewhere; no order is shown to reverse"
        sentences.append(f"On {named(other_on)}, {differ}.")
    if not sentences:
        sentences.append(
            f"No tag value differs detectably from the other prompts ({counted(values, 'value')} of {tag})."
        )
    if shared is not None and 0.0 < shared < 1.0:  # at a bound it is not known
        explained = "little" if shared > 2 / 3 else "about half" if shared > 1 / 3 else "most"
        sentences.append(f"The {tag} explains {explained} of the differences between prompts.")
    sentences.append(f"By {tag}, on new prompts; scores are shrunk towards those of all prompts.")
    if untagged:
        sentences.append(f"{counted(untagged, 'prompt')} without {tag} count in the whole only.")
    return " ".join(sentences)
