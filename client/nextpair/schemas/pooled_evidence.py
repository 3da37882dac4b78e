"""What a set was told by the others of its pool."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from nextpair.schemas.common import Response


class LogNormal(Response):
    """A distribution of a positive number: its natural logarithm is N(mean, sd^2)."""

    mean: float
    sd: float


class PooledEvidence(Response):
    """One entry of the log. The last one counts, as the prior of what is learnt from the set's own comparisons."""

    seq: int
    set_id: UUID
    pool: str = Field(description="`project:` and the project's name, or `question:` and a hash of the question.")
    sets: int = Field(description="Number of sets that told it.")
    log_scale: LogNormal = Field(description="Prior variance of the scores.")
    log_noise: dict[str, LogNormal] = Field(description="By judge: variance of the logit of its p.")
    created_at: datetime


class PooledEvidencePage(Response):
    entries: list[PooledEvidence]
    next_after: int | None
