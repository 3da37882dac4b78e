"""Slices: the ranking on the prompts of each value of a tag, and a test that it differs from the others."""

from pydantic import Field

from nextpair.schemas.common import Response
from nextpair.schemas.deprecated import OldNames, old_name
from nextpair.schemas.ranks import Rank


class SliceDeviation(Response):
    """The pair of candidates that compares most differently in this slice and in the others."""

    p_value: float = Field(
        description="By permuting the tag over prompts; for all pairs and all values of the tag together."
    )
    claimed: bool = Field(
        description="Whether `p_value` is at most (1 - `level`) / the number of tags that the set has. Without real "
        "differences, a share 1 - `level` of sets has a claim on any of its tags."
    )
    first: str = Field(description="Key of the candidate that does better in this slice, against `second`.")
    second: str
    difference: float = Field(description="How much better, in units of the scores; this estimate is not shrunk.")
    reversal: bool = Field(description="Whether `first` is ahead of `second` in this slice, and behind it elsewhere.")
    sentence: str = Field(description="The same in words.")


class Slice(OldNames):
    """The prompts with one value of the tag."""

    value: str
    prompts: int = Field(description="Prompts with comparisons.")
    comparisons: int
    deviation: SliceDeviation
    ranking: list[Rank] = Field(
        description="Best first, about new prompts with this value. Scores are shrunk towards those of all prompts, "
        "the more the fewer prompts there are. Rank intervals hold together within a slice, not over slices."
    )
    _departure = old_name("departure", "deviation", SliceDeviation)


class Slices(Response):
    """The ranking by the values of a tag, about new prompts whatever their number; tags are those of now."""

    tag: str
    slices: list[Slice] = Field(description="Most prompts first.")
    untagged: int = Field(description="Prompts with comparisons that lack the tag; they count in the whole only.")
    shared: float | None = Field(
        description="Share of what prompts differ by that is not the tag; null where the log does not tell."
    )
    sentence: str
