"""Estimates: how many comparisons a set will take, before you make it."""

from pydantic import Field

from nextpair.schemas.common import Response


class Estimate(Response):
    """Comparisons until a set stops: what 8 of 10 simulated sets like it took."""

    low: int | None = Field(description="One set in ten takes fewer. Null if nearly all sets never get there.")
    median: int | None = Field(description="Half of the sets take fewer. Null if most sets never get there.")
    high: int | None = Field(description="Nine sets in ten take fewer. Null if some sets never get there.")
    reachable_concordance: float | None = Field(
        description="Highest expected concordance, of 0.95, 0.9 and 0.8, that nine sets in ten reach; null if none."
    )
    sentence: str = Field(examples=["About 60 to 120 comparisons: 8 of 10 simulated sets like this took that many."])
