"""Disputes: pairs on which judges name different winners."""

from typing import Literal

from pydantic import Field

from nextpair.schemas.assignments import Shown
from nextpair.schemas.candidates import ItemOut
from nextpair.schemas.common import Response
from nextpair.words import JudgeKind


class JudgeVerdict(Response):
    """All verdicts of one judge on a pair, averaged."""

    judge: str
    kind: JudgeKind | None
    p_first: float = Field(description="Mean of its verdicts, in either order.")
    winner: Literal["first", "second", "tie"]


class Dispute(Response):
    seq: int = Field(description="Sequence number of the last verdict on the pair.")
    item: ItemOut | None
    first: Shown
    second: Shown
    verdicts: list[JudgeVerdict] = Field(description="By judge, in order of name.")


class DisputePage(Response):
    disputes: list[Dispute]
    next_after: int | None
