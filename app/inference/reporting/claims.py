"""First place: what a ranking claims of its leader, in one sentence for pages, checks and commands alike.

no comparisons, or no two candidates   nothing
no signal                              who leads, never that it is the best: verdicts do not differ from chance yet;
                                       who wins most by all pairs is said with its probability all the same, for that
                                       is about the verdicts, whether or not they depend on the texts
P(best) >= SURE                        the best
else                                   who leads, with its probability

Those who share the first rank, or are each first with probability SURE, are named together.
"""

from collections.abc import Sequence
from typing import NamedTuple

from nextpair.words import InferenceTargetName, percent

from app.inference.reporting.inference_targets import named
from app.inference.reporting.signal import SignalTest

SURE = 0.95  # probability from which a leader is called the best
NOT_YET = "the verdicts are still consistent with random judging"


class FirstPlace(NamedTuple):
    claimed: bool  # whether the leader is called the best
    sentence: str  # empty where there is nothing to say


def first_place(
    ranked: Sequence[tuple[str, int, float | None]], comparisons: int, signal: SignalTest, target: InferenceTargetName
) -> FirstPlace:
    """What a ranking by so many comparisons says of its first place.

    Args: `ranked` are keys, ranks and P(best), best first; a baseline states no probability, and claims nothing.
    """
    if len(ranked) < 2 or not comparisons:
        return FirstPlace(claimed=False, sentence="")
    first = [(key, p_best) for key, rank, p_best in ranked if rank == 1 or (p_best is not None and p_best >= SURE)]
    leaders, chances = [key for key, _ in first], [p_best for _, p_best in first if p_best is not None]
    is_shared = len(leaders) > 1
    leading = f"{named(leaders)} {'lead' if is_shared else 'leads'}"
    if not chances:
        return FirstPlace(claimed=False, sentence=f"{leading}; this method states no confidence.")
    is_sure = chances[0] >= SURE
    if not signal.claimed:
        if target == "all-pairs" and is_sure:
            most = f"{leaders[0]} wins the most by all pairs, with a probability of {percent(chances[0])}"
            leading = f"Shared first by all pairs: {named(leaders)}" if is_shared else most
        return FirstPlace(claimed=False, sentence=f"{leading}, but {NOT_YET}.")
    if is_sure and is_shared:
        return FirstPlace(claimed=True, sentence=f"Shared first: {named(leaders)}.")
    if is_sure:
        return FirstPlace(
            claimed=True, sentence=f"{leaders[0]} is the best, with a probability of {percent(chances[0])}."
        )
    chance = " to ".join(dict.fromkeys([percent(min(chances)), percent(max(chances))]))
    who = "each" if is_shared else "it"
    return FirstPlace(claimed=False, sentence=f"{leading}: {who} is the best with a probability of {chance}.")
