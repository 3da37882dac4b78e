"""Pairs to judge, the leases on them, and the verdicts."""

import json
from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import Field, JsonValue, model_validator

from nextpair.schemas.candidates import ItemOut
from nextpair.schemas.common import (
    Failure,
    Generation,
    Id,
    JudgeName,
    Probability,
    Problem,
    Request,
    Response,
    ShortJson,
    exactly_one,
)
from nextpair.schemas.comparisons import Comparison, Logprobs
from nextpair.schemas.sets import Goal
from nextpair.words import AskStatus, CriterionName, StopReason, Winner

Reason = Annotated[
    StopReason | str | None,
    Field(
        description="For `converged`, the criterion of `stop` that is met. For `cannot_converge`, why none can be, in "
        "words. Of many sets, the reason that they share."
    ),
]
SHORTEST_LEASE = 0.001  # seconds
LeaseSeconds = Annotated[float, Field(ge=SHORTEST_LEASE, le=86400.0)]
WorkerName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        examples=["gpu-0"],
        description="Which of the judge's processes asks. Its leased pairs are returned to that worker only.",
    ),
]


class Ask(Request):
    judge: JudgeName
    count: int = Field(default=1, ge=1, le=1000, description="Largest number of pairs to return.")
    lease_seconds: LeaseSeconds = Field(default=600.0, description="How long the pairs stay leased, in seconds.")
    wait_seconds: float = Field(
        default=0.0, ge=0.0, le=60.0, description="How long to wait for a pair when all are leased, in seconds."
    )
    worker: WorkerName | None = None
    goal: Goal | None = Field(default=None, description="What the pairs are chosen for, instead of the set's own goal.")
    rank_sets_with: JudgeName | None = Field(
        default=None,
        description="For people: pairs that this judge judged, where a person's verdict shrinks the rank-sets of both "
        "most. You may ask for them after the set's own queue ends.",
    )
    check_judges: bool = Field(
        default=False,
        description="For people: pairs that no person has judged, which tell the most about the judges' accuracy. You "
        "may ask for them after the queue ends, without `rank_sets_with`.",
    )

    @model_validator(mode="after")
    def _one_purpose(self) -> Self:
        if self.check_judges and self.rank_sets_with:
            raise ValueError("check_judges and rank_sets_with choose different pairs; send one of them")
        return self


class AskMany(Request):
    judge: JudgeName
    count: int = Field(ge=1, le=10000)
    lease_seconds: LeaseSeconds = Field(default=600.0, description="How long the pairs stay leased, in seconds.")
    sets: list[Id] | None = Field(
        default=None, max_length=10000, description="Only these sets; all open ones by default."
    )
    project: str | None = None
    worker: WorkerName | None = None
    goal: Goal | None = Field(
        default=None,
        description="What the pairs are chosen for. A set that lacks one of its candidates keeps its own goal.",
    )


class Shown(Response):
    key: str
    text: str | None


class Why(Response):
    """Why this pair was chosen. Differences are first minus second, as shown, in logits."""

    criterion: CriterionName | Literal["rank-sets", "labels", "overlap", "repeat"]
    score: float
    mean_difference: float
    sd_difference: float
    probability_of_reordering: float
    propensity: float = Field(description="Probability of this choice, given what was known.")
    random: bool = Field(
        default=False, description="Drawn uniformly, as `random_share` asks; the ranking is tested on these pairs."
    )
    order_chance: float | None = Field(
        default=None,
        description="Chance with which the order shown was drawn, 1 where it is fixed. Null for a pair leased by an "
        "earlier version.",
    )


class Pair(Response):
    item: ItemOut | None
    first: Shown
    second: Shown
    why: Why


class Assignment(Pair):
    id: UUID
    set_id: UUID
    question: str
    context: str | None
    judge: str
    expires_at: datetime
    generation: int = Field(
        description="Grows each time the lease is handed out, even to another process of the same judge. Only the last "
        "one is valid."
    )


class Assignments(Response):
    status: AskStatus = Field(
        description="Status of the set, which explains an empty list. Over many sets: `open` with a pair, `all_leased` "
        "if a set waits for other judges, else `exhausted`."
    )
    reason: Reason = None
    assignments: list[Assignment]
    left_out: list[UUID] = Field(
        default_factory=list,
        description="Over many sets: those whose pairs could not be chosen because of an error, which the service "
        "logs. The pairs come from the others.",
    )


class Preview(Response):
    status: AskStatus
    reason: Reason = None
    pairs: list[Pair]


class Release(Request):
    generation: Generation | None = None


class Renewal(Release):
    lease_seconds: LeaseSeconds = Field(default=600.0, description="How long to lease it from now, in seconds.")


class Lease(Response):
    id: UUID
    status: Literal["leased", "released"]
    expires_at: datetime


class ReleaseMany(Request):
    assignments: list[Id] = Field(min_length=1, max_length=10000)
    generations: dict[Id, Generation] | None = Field(
        default=None, description="By assignment; those handed out again since are left alone."
    )

    @model_validator(mode="after")
    def _of_these_assignments(self) -> Self:
        if others := set(self.generations or ()) - set(self.assignments):
            raise ValueError(f"generations has {min(others)}, which is not among the assignments; remove it")
        return self


class RenewMany(ReleaseMany):
    lease_seconds: LeaseSeconds = Field(default=600.0, description="How long to lease them from now, in seconds.")


class Held(Response):
    """Assignments that are still leased, and until when."""

    held: list[Lease]


class Released(Response):
    released: int = Field(description="Number of leases that ended with this request.")


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
