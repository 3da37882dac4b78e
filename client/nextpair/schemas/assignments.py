"""Pairs that a judge asks for, and the leases on them."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import Field, model_validator

from nextpair.schemas.candidates import ItemOut
from nextpair.schemas.common import Generation, Id, JudgeName, Request, Response
from nextpair.schemas.goals import Goal
from nextpair.words import AskStatus, CriterionName, StopReason

Reason = Annotated[
    StopReason | str | None,
    Field(
        description="Which criterion of `stop` is met, if `converged`; in words why none can be, if `cannot_converge`.",
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
        description="Which of a judge's processes asks: live assignments come back to the worker that holds them only.",
    ),
]


class Ask(Request):
    judge: JudgeName
    count: int = Field(default=1, ge=1, le=1000, description="How many pairs at the most.")
    lease_seconds: LeaseSeconds = Field(default=600.0, description="How long the pairs stay reserved.")
    wait_seconds: float = Field(
        default=0.0, ge=0.0, le=60.0, description="How long to wait for a pair when all are leased to others."
    )
    worker: WorkerName | None = None
    goal: Goal | None = Field(default=None, description="What the pairs are chosen for, instead of the set's own goal.")
    rank_sets_with: JudgeName | None = Field(
        default=None,
        description="For people: pairs that this judge has judged, where a person's verdict shrinks the rank-sets of "
        "both most. They may be asked for after the set's own queue has ended.",
    )
    check_judges: bool = Field(
        default=False,
        description="For people: pairs that others have judged and nobody human has, which tell soonest how right each "
        "judge is. Likewise; it goes without `rank_sets_with`.",
    )

    @model_validator(mode="after")
    def _one_purpose(self) -> Self:
        if self.check_judges and self.rank_sets_with:
            raise ValueError("check_judges and rank_sets_with choose different pairs; leave one of them out")
        return self


class AskMany(Request):
    judge: JudgeName
    count: int = Field(ge=1, le=10000)
    lease_seconds: LeaseSeconds = 600.0
    sets: list[Id] | None = Field(
        default=None, max_length=10000, description="Only these sets; all open ones by default."
    )
    project: str | None = None
    worker: WorkerName | None = None
    goal: Goal | None = Field(
        default=None,
        description="What the pairs are chosen for; a set without a candidate that it names keeps to its own goal.",
    )


class Shown(Response):
    key: str
    text: str | None


class Why(Response):
    """The reason why this pair was chosen; differences are first minus second, as shown."""

    criterion: CriterionName | Literal["rank-sets", "labels", "overlap"]
    score: float
    mean_difference: float
    sd_difference: float
    probability_of_reordering: float
    propensity: float = Field(description="Probability of this choice given what was known.")
    random: bool = Field(
        default=False, description="Drawn uniformly, as `random_share` asks: fit to test the ranking on."
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
        description="Grows each time the lease is handed out, also to another process of the same judge: the last one "
        "holds it."
    )


class Assignments(Response):
    status: AskStatus = Field(
        description="Of the set; says why the list is empty when it is. Over many sets: `open` if there is a pair, "
        "`all_leased` if one of them waits for other judges, else `exhausted`."
    )
    reason: Reason = None
    assignments: list[Assignment]
    left_out: list[UUID] = Field(
        default_factory=list,
        description="Over many sets: those whose pairs could not be chosen because of an error, which the service's "
        "log has. The pairs are of the others.",
    )


class Preview(Response):
    status: AskStatus
    reason: Reason = None
    pairs: list[Pair]


class Release(Request):
    generation: Generation | None = None


class Renewal(Release):
    lease_seconds: LeaseSeconds = 600.0


class Lease(Response):
    id: UUID
    status: Literal["leased", "released"]
    expires_at: datetime


class ReleaseMany(Request):
    assignments: list[Id] = Field(min_length=1, max_length=10000)
    generations: dict[Id, Generation] | None = Field(
        default=None, description="Of those that are to be left as they are once they have been superseded."
    )

    @model_validator(mode="after")
    def _of_these_assignments(self) -> Self:
        if others := set(self.generations or ()) - set(self.assignments):
            raise ValueError(f"generations names {min(others)}, which is not among the assignments")
        return self


class RenewMany(ReleaseMany):
    lease_seconds: LeaseSeconds = 600.0


class Held(Response):
    """Assignments that are still leased, and until when."""

    held: list[Lease]


class Released(Response):
    released: int = Field(description="How many were leased until now.")
