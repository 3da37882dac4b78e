"""Candidates of a set, and the items that systems answered."""

from typing import Annotated

from pydantic import Field

from nextpair.schemas.common import LONGEST_LIST, Key, Metadata, Request, Response, ShortMetadata


class ItemIn(Request):
    key: Key
    prompt: str | None = Field(default=None, min_length=1, description="What every candidate was asked.")


class ItemOut(Response):
    key: str
    prompt: str | None


class ItemPage(Response):
    items: list[ItemOut]
    next_after: str | None


class CandidateIn(Request):
    """One entry to rank: `text` in a set of texts, `outputs` by item in a set of systems, or its key alone."""

    key: Key
    text: str | None = Field(
        default=None, min_length=1, description="What judges read.", examples=["Sunlight is a mix..."]
    )
    outputs: dict[Key, Annotated[str, Field(min_length=1)] | None] | None = Field(
        default=None, description="Output by item key, for a set of systems; null where its text is kept elsewhere."
    )
    metadata: ShortMetadata = Field(default_factory=dict)


class CandidateOut(Response):
    key: str
    text: str | None
    outputs: dict[str, str | None] | None
    metadata: Metadata


class CandidatesIn(Request):
    candidates: list[CandidateIn] = Field(min_length=1, max_length=LONGEST_LIST)
    items: list[ItemIn] = Field(
        default_factory=list, max_length=LONGEST_LIST, description="New items that the outputs refer to."
    )


class CandidatesAdded(Response):
    created: int
    updated: int
    candidates: int = Field(description="Number of candidates in the set now.")


class CandidatePage(Response):
    candidates: list[CandidateOut]
    next_after: str | None
