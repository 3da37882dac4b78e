"""What a set is told by the others of its pool."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, Field

from nextpair.schemas.common import Finite, JudgeName, Request, Response
from nextpair.words import FARTHEST_LOG, NARROWEST_LOG, WIDEST_LOG

LARGEST_JUDGES = 1000
OF_EFFECTS = "By judge that is no person: variance of its own effects on candidates, relative to that of the scores."


class LogNormal(Request):
    """A distribution of a positive number: its natural logarithm is N(mean, sd^2)."""

    mean: Finite = Field(description="-7 to 7 in what is sent. Older entries may lie beyond; they count as the limit.")
    sd: Finite = Field(description="0.01 to 8 in what is sent. Older entries may be larger; they count as 8.")


def _moderate(log: LogNormal) -> LogNormal:
    if abs(log.mean) > FARTHEST_LOG or not NARROWEST_LOG <= log.sd <= WIDEST_LOG:
        raise ValueError(
            f"mean {log.mean:g} with sd {log.sd:g} is out of range; send a mean from -{FARTHEST_LOG:g} to "
            f"{FARTHEST_LOG:g} and an sd from {NARROWEST_LOG:g} to {WIDEST_LOG:g}"
        )
    return log


ModerateLogNormal = Annotated[LogNormal, AfterValidator(_moderate)]


class PooledEvidenceIn(Request):
    """What is known of a set's judges and scores from elsewhere: another service that it is copied from, for one."""

    pool: str = Field(min_length=1, max_length=300, examples=["project:sky"], description="Where it comes from.")
    sets: int = Field(default=1, ge=1, le=1_000_000, description="Number of sets that told it.")
    log_scale: ModerateLogNormal = Field(description="Prior variance of the scores.")
    log_noise: dict[JudgeName, ModerateLogNormal] = Field(
        default_factory=dict, max_length=LARGEST_JUDGES, description="By judge: variance of the logit of its p."
    )
    log_effects: dict[JudgeName, ModerateLogNormal] = Field(
        default_factory=dict, max_length=LARGEST_JUDGES, description=OF_EFFECTS
    )


class PooledEvidence(Response):
    """One entry of the log. The last one counts, as the prior of what is learnt from the set's own comparisons."""

    seq: int
    set_id: UUID
    pool: str = Field(description="`project:` and the project's name, or `question:` and a hash of the question.")
    sets: int = Field(description="Number of sets that told it.")
    log_scale: LogNormal = Field(description="Prior variance of the scores.")
    log_noise: dict[str, LogNormal] = Field(description="By judge: variance of the logit of its p.")
    log_effects: dict[str, LogNormal] = Field(default_factory=dict, description=OF_EFFECTS)
    created_at: datetime


class PooledEvidencePage(Response):
    entries: list[PooledEvidence]
    next_after: int | None
