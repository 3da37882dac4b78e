"""First place: what a ranking claims of its leader, in one sentence for pages, checks and commands alike.

no verdicts, or no two candidates   nothing
no signal                           who leads, never that it is the best: verdicts do not differ from chance yet;
                                    who wins most by all pairs is said with its probability all the same, for that is
                                    about the verdicts, whether or not they depend on the texts
P(best) >= SURE                     the best; of several who share it, the shared first place
else                                who leads, with its probability
"""

from collections.abc import Sequence
from typing import NamedTuple

from nextpair.words import InferenceTargetName, percent

from app.inference.reporting.inference_targets import named
from app.inference.reporting.signal import Signal

SURE = 0.95  # probability from which a leader is called the best
NOT_YET = "the verdicts are still consistent with random judging"


class FirstPlace(NamedTuple):
    claimed: bool  # whether the leader is called the best
    sentence: str  # empty where there is nothing to say


def first_place(ranked: Sequence[tuple[str, float | None]], signal: Signal, target: InferenceTargetName) -> FirstPlace:
    """What a ranking says of its first place.

    Args: `ranked` are keys and P(best), best first; a baseline states no probability, and claims nothing.
    """
    if len(ranked) < 2 or not signal.verdicts:
        return FirstPlace(claimed=False, sentence="")
    key, p_best = ranked[0]
    if p_best is None:
        return FirstPlace(claimed=False, sentence=f"{key} leads; this method states no confidence.")
    if not signal.claimed:
        leads = f"{key} leads"
        if target == "all-pairs" and p_best >= SURE:
            leads = f"{key} wins the most by all pairs, with a probability of {percent(p_best)}"
        return FirstPlace(claimed=False, sentence=f"{leads}, but {NOT_YET}.")
    if p_best < SURE:
        sentence = f"{key} leads: it is the best with a probability of {percent(p_best)}."
        return FirstPlace(claimed=False, sentence=sentence)
    shared = [each for each, probability in ranked if probability is not None and probability >= SURE]
    if len(shared) > 1:
        return FirstPlace(claimed=True, sentence=f"Shared first: {named(shared)}.")
    return FirstPlace(claimed=True, sentence=f"{key} is the best, with a probability of {percent(p_best)}.")
