"""Activity in a set: who judges now, how far each judge is, and the newest entries of the log."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from nextpair.schemas.common import Failure, Response
from nextpair.words import JudgeKind, Winner


class AtWork(Response):
    """Pairs that one worker of a judge holds now."""

    judge: str
    kind: JudgeKind | None
    worker: str = Field(description="The name that the worker gave itself; empty if none.")
    pairs: int
    since: datetime = Field(description="When the first of these pairs was leased.")
    until: datetime = Field(description="When the last of these leases ends.")


class JudgeProgress(Response):
    judge: str
    kind: JudgeKind | None
    verdicts: int = Field(description="Comparisons that count; voided ones do not.")
    last_hour: int = Field(description="Those of the last hour.")
    last_at: datetime | None = Field(description="Time of the latest.")
    failures: dict[Failure, int] = Field(description="Pairs without a verdict, by reason; `skipped` is a person's.")


class LogEntry(Response):
    """A comparison or a void. Candidates, verdict and judge of a void are those of the comparison that it voids."""

    seq: int
    kind: Literal["comparison", "void"]
    item: str | None
    first: str
    second: str
    p_first: float
    winner: Winner | None
    weight: float
    judge: str
    judge_kind: JudgeKind | None
    late: bool
    created_at: datetime
    voids: int | None = Field(description="Of a void: the comparison that no longer counts.")
    reason: str | None = Field(description="Of a void: why.")
    restores: int | None = Field(description="Of a comparison: the voided comparison that it is a copy of.")
    voided_by: int | None = Field(description="The void of the comparison, if there is one.")
    restored_by: int | None = Field(description="The copy of the comparison that counts again, if there is one.")


class Activity(Response):
    set_id: UUID
    version: int
    at_work: list[AtWork] = Field(description="Those who hold pairs now, by judge.")
    judges: list[JudgeProgress] = Field(description="Everyone with a verdict or a failure, most verdicts first.")
    entries: list[LogEntry] = Field(description="Newest first.")
    next_before: int | None = Field(description="Pass as `before` for older entries; null on the last page.")
