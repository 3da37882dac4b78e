"""What rankings by tag say, in words."""

from collections.abc import Sequence

from nextpair.words import counted, percent

from app.inference.targets import Departure, Sliced


def departure_in_words(value: str, first: str, second: str, departure: Departure, alpha: float) -> str:
    """One sentence on whether candidates compare differently on prompts with one value of a tag.

    Args: `first` and `second` are the names of the departure's pair; one is claimed where its p is at most `alpha`.
    """
    if departure.smallest_p > alpha:
        return f"There are too few prompts to tell whether {value} prompts differ from the others."
    p = f"(p = {departure.p_value:.3f})"
    if departure.p_value > alpha:
        return f"No clear difference between {value} prompts and the others {p}."
    if departure.is_reversal:
        return f"On {value} prompts, {first} beats {second}; on the others, {second} beats {first} {p}."
    return f"On {value} prompts, {first} does better against {second} than on the others {p}."


def slices_in_words(tag: str, sliced: Sliced, differing: Sequence[str]) -> str:
    """Three sentences: which values of the tag differ, how scores were shrunk, and what intervals hold for.

    Args: `differing` are the values with a claimed departure.
    """
    which = ", ".join(differing) or f"no value of {tag}"
    shrunk = f"The scores of {counted(len(sliced.scores), 'slice')} are shrunk towards those of all prompts"
    if sliced.shared is not None:
        shrunk += f": {percent(sliced.shared)} of the variance between prompts is within values of {tag}"
    return (
        f"Claimed to differ from the other prompts: {which}. {shrunk}. "
        "Rank intervals hold together within a slice, not across slices."
    )
