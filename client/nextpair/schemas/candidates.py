"""Candidates of a set, and the items that systems answered."""

from typing import Annotated

from pydantic import Field

from nextpair.schemas.common import (
    LONGEST_LIST,
    Key,
    Metadata,
    Request,
    Response,
    ShortMetadata,
    Warnings,
)

MOST_TAGS = 20  # of one item
ABOUT_TAGS = "What kind of prompt it is, such as its category: one value by name."


class ItemIn(Request):
    key: Key
    prompt: str | None = Field(default=None, min_length=1, description="What every candidate was asked.")
    tags: dict[Key, Key] = Field(
        default_factory=dict, max_length=MOST_TAGS, description=ABOUT_TAGS, examples=[{"category": "code"}]
    )


class ItemOut(Response):
    key: str
    prompt: str | None
    tags: dict[str, str] = Field(default_factory=dict, description=ABOUT_TAGS)


class ItemPage(Response):
    items: list[ItemOut]
    next_after: str | None


class CandidateIn(Request):
    """One candidate: `text` in a set of texts, `outputs` by item in a set of systems, or its key alone."""

    key: Key = Field(
        description="Its name. It is kept in Unicode's form NFC, without blanks around it or hidden characters."
    )
    text: str | None = Field(
        default=None, min_length=1, description="The text that judges read.", examples=["Sunlight is a mix..."]
    )
    outputs: dict[Key, Annotated[str, Field(min_length=1)] | None] | None = Field(
        default=None, description="Output by item key, for a set of systems. Null if the text is stored elsewhere."
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
        default_factory=list,
        max_length=LONGEST_LIST,
        description="Items that the outputs refer to. An existing item may get a missing prompt, and new tags.",
    )


class CandidatesAdded(Response):
    created: int
    updated: int
    candidates: int = Field(description="Number of candidates in the set now.")
    warnings: Warnings = Field(default_factory=list)


class CandidatePage(Response):
    candidates: list[CandidateOut]
    next_after: str | None
