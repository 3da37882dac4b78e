"""How the values of a tag differ from the other prompts."""

from collections.abc import Sequence
from typing import NamedTuple

from nextpair.words import counted, percent

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


class Leaders(NamedTuple):
    """Who leads over all prompts, and on each value of a tag."""

    over_all: str
    by_value: Sequence[tuple[str, str, float | None]]  # value, its leader, and P(best) where there is a signal


def leading(leaders: Leaders) -> str:
    """On how many values the leader over all prompts leads, and who is the surest of the others."""
    count, first = len(leaders.by_value), quoted(leaders.over_all)
    others = [each for each in leaders.by_value if each[1] != leaders.over_all]
    if not others:
        return f"{first} leads on {['its only value', 'both values', f'all {count} values'][min(count, 3) - 1]}"
    value, other, chance = max(others, key=lambda each: each[2] or 0.0)
    sure = "" if chance is None else f" (P(best) {percent(chance)})"
    return f"{quoted(other)} leads on {value}{sure}, {first} on {count - len(others)} of {counted(count, 'value')}"


def summary(
    tag: str,
    leaders: Leaders,
    untagged: int,
    shared: float | None,
    reversed_on: Sequence[str],
    other_on: Sequence[str],
) -> str:
    """How a ranking differs by a tag: who leads where, how much it explains, and what is shown to differ.

    Args: `shared` is the share of the differences between prompts that the tag does not explain.
    """
    if shared is not None and 0.0 < shared < 1.0:  # at a bound it is not known
        tens = 10 * round(10.0 * (1.0 - shared))
        share = "under 10%" if tens == 0 else "over 90%" if tens == 100 else f"about {tens}%"
        explained = f"the {tag} explains {share} of the differences between prompts"
    else:
        explained = f"how much of the differences between prompts the {tag} explains is unknown"
    sentences = [f"By {tag}, {leading(leaders)}; {explained}."]
    if reversed_on:
        sentences.append(f"The order of candidates reverses on {named(reversed_on)}.")
    if other_on:
        sentences.append(f"Distances between candidates differ on {named(other_on)}; no order is shown to reverse.")
    if not reversed_on and not other_on:
        sentences.append("No value differs detectably from the other prompts.")
    sentences.append("All of this is about new prompts; scores are shrunk towards those of all prompts.")
    if untagged:
        sentences.append(f"{counted(untagged, 'prompt')} without {tag} count in the whole only.")
    return " ".join(sentences)
