"""The order of candidates that several criteria rank, and who is first."""

from collections.abc import Mapping, Sequence

from nextpair.schemas import Weighted
from nextpair.words import counted, percent

from app.sentences.lists import named

SAME = 1e-9  # difference of win rates that is a tie


def order(noun: str, criteria: Sequence[str], weights: Mapping[str, float], candidates: int, missing: int) -> str:
    """By which criterion, or by which weights; and how many candidates a criterion lacks.

    Args: `noun` is what each criterion is: a set, or a file.
    """
    lacking = f" A {noun} is missing for {missing:,} of {counted(candidates, 'candidate')}." if missing else ""
    if len(weights) > 1 and len(set(weights.values())) == 1:
        return f"In the order of the mean win rate over {len(weights):,} {noun}s with equal weights.{lacking}"
    if weights:
        shares = ", ".join(f"{name} {percent(share)}" for name, share in weights.items())
        return f"In the order of the mean win rate, weighted by {shares}.{lacking}"
    together = f"; the {noun}s are not averaged" if len(criteria) > 1 else ""
    return f"In the order of {criteria[0]}{together}.{lacking}"


def first_of_one(name: str, claim: str, criteria: int) -> str:
    """What the first of several criteria claims of first place."""
    return f"{claim} That is by {name} alone." if claim and criteria > 1 else claim


def first_place(ranked: Sequence[tuple[str, Weighted]], unclear: Sequence[str]) -> str:
    """Who has the highest mean win rate, and whether its interval is apart from all others.

    Args: `ranked` is best first; `unclear` are the criteria whose order may be chance.
    """
    if len(ranked) < 2:
        return ""
    best = ranked[0][1]
    leaders = [key for key, each in ranked if each.win_rate >= best.win_rate - SAME]
    near = [key for key, each in ranked[len(leaders) :] if each.interval[1] >= best.interval[0]]
    low, high = map(percent, best.interval)
    rate = f"a mean win rate of {percent(best.win_rate)} ({low.rstrip('%')} to {high})"
    leading = f"{named(leaders)} {'lead' if len(leaders) > 1 else 'leads'}{' so far' if unclear else ''} with {rate}"
    if unclear:
        return f"{leading}. Whether the order by {named(unclear)} is more than chance is not shown yet."
    if near:
        overlap = "interval of" if len(near) == 1 else "intervals of"
        verb = "overlaps" if len(near) == 1 else "overlap"
        return f"{leading}. The {overlap} {named(near)} {verb}, so first place is uncertain."
    return f"{leading}; all other intervals lie below."
