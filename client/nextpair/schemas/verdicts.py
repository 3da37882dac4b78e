"""Verdicts on assignments."""

import json
from typing import Self
from uuid import UUID

from pydantic import Field, JsonValue, model_validator

from nextpair.schemas.common import (
    Failure,
    Generation,
    Id,
    JudgeName,
    Probability,
    Request,
    Response,
    ShortJson,
    exactly_one,
)
from nextpair.schemas.comparisons import Comparison, Logprobs
from nextpair.schemas.problems import Problem
from nextpair.words import Winner

LONGEST_RAW = 20_000_000  # characters, as JSON, of what is kept with the verdicts of one request: they come back


class VerdictIn(Request):
    """Exactly one of `p_first`, `winner`, `logprobs` and `failure`."""

    p_first: Probability | None = Field(
        default=None, examples=[0.83], description="Probability that the first is better."
    )
    winner: Winner | None = None
    logprobs: Logprobs | None = None
    failure: Failure | None = Field(
        default=None, description="No verdict. It is recorded, and never counts as a tie or a vote."
    )
    reason: str | None = Field(default=None, max_length=2000, description="Why there is no verdict.")
    judge: JudgeName | None = Field(default=None, description="If sent, it must be the assignment's judge.")
    generation: Generation | None = None
    label_mass: Probability | None = Field(
        default=None, description="Probability that the model gave to all labels together."
    )
    latency_ms: float | None = Field(
        description="Time that the judge took, in milliseconds.", default=None, ge=0.0, allow_inf_nan=False
    )
    raw: ShortJson = Field(default=None, description="Anything to keep with the verdict.")

    @model_validator(mode="after")
    def _one_answer(self) -> Self:
        if self.reason is not None and self.failure is None:
            raise ValueError("reason belongs to a failure; send failure too, or put the remark in raw")
        return exactly_one(self, "p_first", "winner", "logprobs", "failure")


class VerdictOf(VerdictIn):
    assignment_id: Id


class VerdictsIn(Request):
    verdicts: list[VerdictOf] = Field(min_length=1, max_length=10000)

    @model_validator(mode="after")
    def _short_enough_to_come_back(self) -> Self:
        length = sum(len(json.dumps(verdict.raw)) for verdict in self.verdicts if verdict.raw is not None)
        if length > LONGEST_RAW:
            raise ValueError(f"raw of all verdicts takes {length:,} characters as JSON; send at most {LONGEST_RAW:,}")
        return self


class FailureRecorded(Response):
    """A judge's failure. It is kept with its assignment, outside the log."""

    assignment_id: UUID
    set_id: UUID
    failure: Failure
    reason: str | None
    label_mass: float | None
    latency_ms: float | None = Field(description="Time that the judge took, in milliseconds.")
    raw: JsonValue


class VerdictResult(Response):
    """Result of one verdict: its comparison, failure or problem, whichever applies."""

    assignment_id: UUID
    status: int = Field(description="Status that the single endpoint would answer.", examples=[201])
    comparison: Comparison | None = None
    failure: FailureRecorded | None = None
    problem: Problem | None = None


class VerdictResults(Response):
    results: list[VerdictResult]
