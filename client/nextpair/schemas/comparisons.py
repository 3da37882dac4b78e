"""Comparisons in the log, and voids that withdraw one."""

from datetime import datetime
from math import exp, inf
from typing import Self
from uuid import UUID

from pydantic import AwareDatetime, Field, JsonValue, model_validator

from nextpair.schemas.common import (
    LONGEST_LIST,
    Finite,
    JudgeName,
    Key,
    Probability,
    Request,
    Response,
    ShortJson,
    exactly_one,
)
from nextpair.words import MAX_WEIGHT, MIN_WEIGHT, Winner


class Logprobs(Request):
    """Log-probabilities of the label tokens."""

    first: Finite
    second: Finite
    tie: Finite | None = None

    @property
    def p_first(self) -> float:
        """The softmax of the labels, with half of the tie."""
        z = (self.first, self.second, -inf if self.tie is None else self.tie)
        first, second, tie = (exp(each - max(z)) for each in z)
        return (first + 0.5 * tie) / (first + second + tie)


class Answer(Request):
    """Exactly one of `p_first`, `winner` and `logprobs`."""

    p_first: Probability | None = Field(
        default=None, examples=[0.83], description="Probability that the first is better."
    )
    winner: Winner | None = None
    logprobs: Logprobs | None = None

    @model_validator(mode="after")
    def _one_answer(self) -> Self:
        return exactly_one(self, "p_first", "winner", "logprobs")


class ComparisonIn(Answer):
    client_id: Key | None = Field(
        default=None,
        description="Your own id. Sending it again is idempotent. `SET_ID/SEQ` is the id of that entry of a log.",
    )
    first: Key
    second: Key
    item: Key | None = Field(default=None, description="Required in a set of systems with several items.")
    judge: JudgeName
    weight: float = Field(
        default=1.0,
        ge=MIN_WEIGHT,
        le=MAX_WEIGHT,
        description="Number of equal verdicts it stands for, in rankings and means. Counts count it once.",
    )
    created_at: AwareDatetime | None = Field(default=None, strict=False)
    late: bool = Field(default=False, description="Whether the verdict came after its lease ended.")
    label_mass: Probability | None = Field(
        default=None, description="Probability that the model gave to all labels together."
    )
    latency_ms: float | None = Field(
        default=None, ge=0.0, allow_inf_nan=False, description="Time that the judge took, in milliseconds."
    )
    raw: ShortJson = Field(default=None, description="Anything to keep with the verdict, such as its reason.")
    order_chance: float | None = Field(
        default=None,
        gt=0.0,
        le=1.0,
        description="Chance with which the order shown was drawn, if it was drawn and you know it.",
    )

    @model_validator(mode="after")
    def _two_candidates(self) -> Self:
        if self.first == self.second:
            raise ValueError(f"first and second are both {self.first!r}; a comparison needs two different candidates")
        return self


class ComparisonsIn(Request):
    comparisons: list[ComparisonIn] = Field(min_length=1, max_length=LONGEST_LIST)


class ComparisonsAccepted(Response):
    accepted: int
    duplicates: int
    version: int


class Comparison(Response):
    """One entry of the log."""

    seq: int
    set_id: UUID
    item: str | None
    first: str
    second: str
    p_first: float
    winner: Winner | None = Field(description="The verdict as a word, if it came as one.")
    weight: float = Field(description="Number of equal verdicts it stands for.")
    judge: str
    client_id: str | None
    assignment_id: UUID | None
    late: bool = Field(description="Whether the verdict came after its lease ended.")
    label_mass: float | None = Field(description="Probability that the model gave to all labels together.")
    latency_ms: float | None = Field(description="Time that the judge took, in milliseconds.")
    raw: JsonValue
    created_at: datetime
    voided_by: int | None = Field(description="Sequence number of the void, if there is one.")
    restores: int | None = Field(
        default=None, description="Sequence number of the voided comparison that this entry is a copy of."
    )
    void_reason: str | None = Field(default=None, description="Reason of the void, if there is one.")
    order_chance: float | None = Field(
        default=None,
        description="Chance with which the order shown was drawn, 1 where it was fixed. Null where it is not known.",
    )


class ComparisonPage(Response):
    comparisons: list[Comparison]
    next_after: int | None


class VoidIn(Request):
    reason: str = Field(min_length=1, max_length=2000, examples=["clicked the wrong side"])


class Void(Response):
    seq: int = Field(description="Sequence number of the void itself.")
    set_id: UUID
    voids: int = Field(description="Sequence number of the comparison that no longer counts.")
    reason: str
    created_at: datetime
