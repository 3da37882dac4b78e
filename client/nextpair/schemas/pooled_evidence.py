"""Shared priors (partial pooling): what the sets of a pool contribute to a set."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, Field

from nextpair.schemas.common import Finite, JudgeName, Request, Response
from nextpair.words import FARTHEST_LOG, NARROWEST_LOG, WIDEST_LOG

LARGEST_JUDGES = 1000
OF_EFFECTS = "By judge, except people: prior of the variance of its judge effects, relative to that of the scores."


class LogNormal(Request):
    """A distribution of a positive number: its natural logarithm is N(mean, sd^2)."""

    mean: Finite = Field(description="From -7 to 7 when sent. Older entries beyond that count as the limit.")
    sd: Finite = Field(description="From 0.01 to 8 when sent. Older entries above 8 count as 8.")


def _moderate(log: LogNormal) -> LogNormal:
    if abs(log.mean) > FARTHEST_LOG or not NARROWEST_LOG <= log.sd <= WIDEST_LOG:
        raise ValueError(
            f"mean {log.mean:g} with sd {log.sd:g} is out of range; send a mean from -{FARTHEST_LOG:g} to "
            f"{FARTHEST_LOG:g} and an sd from {NARROWEST_LOG:g} to {WIDEST_LOG:g}"
        )
    return log


ModerateLogNormal = Annotated[LogNormal, AfterValidator(_moderate)]


class PooledEvidenceIn(Request):
    """Priors from elsewhere about a set's judges and scores, such as from the service it is copied from."""

    pool: str = Field(min_length=1, max_length=300, examples=["project:sky"], description="Where the priors come from.")
    sets: int = Field(default=1, ge=1, le=1_000_000, description="Number of sets behind the priors.")
    log_scale: ModerateLogNormal = Field(description="Prior of the variance of the scores, in squared logits.")
    log_noise: dict[JudgeName, ModerateLogNormal] = Field(
        default_factory=dict,
        max_length=LARGEST_JUDGES,
        description="By judge: prior of the variance of the logit of its p.",
    )
    log_effects: dict[JudgeName, ModerateLogNormal] = Field(
        default_factory=dict, max_length=LARGEST_JUDGES, description=OF_EFFECTS
    )


class PooledEvidence(Response):
    """Shared priors: one entry of the log. The last one is the prior of what the set's own comparisons estimate."""

    seq: int
    set_id: UUID
    pool: str = Field(description="`project:` and the project's name, or `question:` and a hash of the question.")
    sets: int = Field(description="Number of sets behind the priors.")
    log_scale: LogNormal = Field(description="Prior of the variance of the scores, in squared logits.")
    log_noise: dict[str, LogNormal] = Field(description="By judge: prior of the variance of the logit of its p.")
    log_effects: dict[str, LogNormal] = Field(default_factory=dict, description=OF_EFFECTS)
    created_at: datetime


class PooledEvidencePage(Response):
    entries: list[PooledEvidence]
    next_after: int | None
