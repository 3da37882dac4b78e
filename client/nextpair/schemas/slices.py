"""Slices: the ranking on the prompts of each value of a tag, and a test that it differs from the others."""

from pydantic import Field

from nextpair.schemas.common import Response
from nextpair.schemas.ranks import Rank


class SliceDeviation(Response):
    """The pair of candidates whose difference in this slice deviates most from the other slices."""

    p_value: float = Field(
        description="From permuting the tag over prompts. It covers all pairs and all values of the tag together."
    )
    claimed: bool = Field(
        description="Whether `p_value` is at most (1 - `level`) / the number of tags in the set. Without real "
        "differences, at most 1 - `level` of sets have a claim on any tag."
    )
    first: str = Field(description="Key of the candidate that does better in this slice, compared with `second`.")
    second: str
    difference: float = Field(description="How much better, in units of the scores; not shrunk.")
    reversal: bool = Field(description="Whether `first` is ahead of `second` in this slice and behind it elsewhere.")
    sentence: str = Field(description="The same in one sentence.")


class Slice(Response):
    """The prompts with one value of the tag."""

    value: str
    prompts: int = Field(description="Prompts with at least one comparison.")
    comparisons: int
    deviation: SliceDeviation
    ranking: list[Rank] = Field(
        description="Best first, about new prompts with this value. Scores shrink towards those of all prompts, more "
        "so with fewer prompts. Rank intervals hold together within a slice, not across slices."
    )


class Slices(Response):
    """A ranking for each value of a tag, always about new prompts. It uses the present tags."""

    tag: str
    slices: list[Slice] = Field(description="Most prompts first.")
    untagged: int = Field(
        description="Prompts with comparisons but without the tag; they count in the whole ranking only."
    )
    shared: float | None = Field(
        description="Share of the variance between prompts that the tag does not explain; null if unknown."
    )
    sentence: str
