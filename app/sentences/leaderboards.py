"""The order of candidates that several criteria rank."""

from collections.abc import Mapping, Sequence

from nextpair.words import counted, percent


def order(criteria: Sequence[str], weights: Mapping[str, float], candidates: int, missing: int) -> str:
    """By which criterion, or by which weights; and how many candidates a criterion lacks."""
    lacking = f" A criterion is missing for {missing:,} of {counted(candidates, 'candidate')}." if missing else ""
    if len(weights) > 1 and len(set(weights.values())) == 1:
        return f"In the order of the mean win rate over {len(weights):,} criteria with equal weights.{lacking}"
    if weights:
        shares = ", ".join(f"{name} {percent(share)}" for name, share in weights.items())
        return f"In the order of the mean win rate, weighted by {shares}.{lacking}"
    together = "; the criteria are not averaged" if len(criteria) > 1 else ""
    return f"In the order of {criteria[0]}{together}.{lacking}"
