"""Requests and responses of the HTTP contract, v1. Pydantic only: the client uses the same models."""

from datetime import datetime
from typing import Annotated, Literal, Self, TypeVar
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, model_validator

from app.words import CriterionName, ExpertName, MethodName, OrderName, Winner

M = TypeVar("M", bound=BaseModel)
Key = Annotated[str, Field(min_length=1, max_length=200, examples=["kelp"])]
JudgeName = Annotated[
    str,
    Field(min_length=1, max_length=200, examples=["alice"], description="Who judges: any stable name."),
]
Probability = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Metadata = dict[str, JsonValue]
Failure = Literal["skipped", "refused", "parse_error", "timeout"]
AskStatus = Literal["open", "all_leased", "exhausted", "budget_reached", "converged", "paused"]


class Request(BaseModel):
    """Unknown fields are an error, not ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Response(BaseModel):
    model_config = ConfigDict(frozen=True)


# Sets and candidates


class Selection(Request):
    """How the next pair is chosen."""

    criterion: CriterionName = Field(default="reordering", description="What the next pair should be best at.")
    epsilon: float = Field(default=0.5, ge=0.0, le=10.0, description="Exponent of |mean difference|, for `exponent`.")
    random_share: Probability = Field(default=0.0, description="Share of the pairs drawn uniformly instead.")
    seed: int = Field(default=0, ge=0, lt=2**32, description="Fixes every random choice of this set.")


class Budget(Request):
    max_comparisons: int | None = Field(
        default=None, ge=1, examples=[200], description="Comparisons after which nothing is handed out."
    )


class ItemIn(Request):
    key: Key
    prompt: str | None = Field(default=None, min_length=1, description="What every candidate was asked.")


class CandidateIn(Request):
    """One entry to rank: `text` in a set of texts, `outputs` by item in a set of systems, or its key alone."""

    key: Key
    text: str | None = Field(
        default=None, min_length=1, description="What judges read.", examples=["Sunlight is a mix..."]
    )
    outputs: dict[Key, Annotated[str, Field(min_length=1)] | None] | None = Field(
        default=None, description="Output by item key, for a set of systems; null where its text is kept elsewhere."
    )
    metadata: Metadata = Field(default_factory=dict)


class SetIn(Request):
    name: str = Field(min_length=1, max_length=200, examples=["Why is the sky blue?"])
    question: str = Field(
        min_length=1, examples=["Which answer explains it better to a ten-year-old?"], description="What judges answer."
    )
    attribute: str | None = Field(default=None, examples=["clarity"], description="The quality that is compared.")
    context: str | None = Field(default=None, description="What judges read before the two texts.")
    candidates: list[CandidateIn] = Field(default_factory=list)
    items: list[ItemIn] = Field(default_factory=list, description="Prompts that systems answered; none for texts.")
    expert: ExpertName = Field(default="soft-bt", description="Density of a score difference given a verdict.")
    prior_variance: float = Field(
        default=1.0, gt=0.0, le=100.0, description="Variance of every score before any comparison."
    )
    selection: Selection = Field(default_factory=lambda: Selection())
    order: OrderName = Field(default="balanced", description="Which of two candidates is shown first.")
    position_bias: Literal["none"] = Field(
        default="none", description="How a judge's liking for one position is modelled."
    )
    budget: Budget | None = None
    project: str | None = Field(default=None, min_length=1, max_length=200)
    metadata: Metadata = Field(default_factory=dict)


class SetPatch(Request):
    """Only what is sent is changed."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    status: Literal["open", "paused"] | None = Field(default=None, description="A paused set hands out nothing.")
    selection: Selection | None = None
    budget: Budget | None = None
    project: str | None = Field(default=None, min_length=1, max_length=200)
    metadata: Metadata | None = None


class SetOut(Response):
    id: UUID
    name: str
    question: str
    attribute: str | None
    context: str | None
    expert: ExpertName
    prior_variance: float
    selection: Selection
    order: OrderName
    position_bias: Literal["none"]
    budget: Budget | None
    project: str | None
    metadata: Metadata
    version: int = Field(description="Sequence number of the last entry of the log.")
    comparisons: int = Field(description="Those that count: voided ones are left out.")
    candidates: int
    items: int = Field(description="Number of items; 0 for a set of texts.")
    status: Literal["open", "paused"]
    created_at: datetime


class SetPage(Response):
    sets: list[SetOut]
    next_after: UUID | None = Field(description="Pass as `after` for the next page; null on the last one.")


class CandidatesIn(Request):
    candidates: list[CandidateIn] = Field(min_length=1)
    items: list[ItemIn] = Field(default_factory=list, description="New items that the outputs refer to.")


class CandidatesAdded(Response):
    created: int
    updated: int
    candidates: int = Field(description="Number of candidates in the set now.")


class CandidateOut(Response):
    key: str
    text: str | None
    outputs: dict[str, str | None] | None
    metadata: Metadata


class CandidatePage(Response):
    candidates: list[CandidateOut]
    next_after: str | None


# Ask


class Ask(Request):
    judge: JudgeName
    count: int = Field(default=1, ge=1, le=1000, description="How many pairs at the most.")
    lease_seconds: float = Field(default=600.0, gt=0.0, le=86400.0, description="How long the pairs stay reserved.")
    wait_seconds: float = Field(
        default=0.0, ge=0.0, le=60.0, description="How long to wait for a pair when all are leased to others."
    )


class AskMany(Request):
    judge: JudgeName
    count: int = Field(ge=1, le=10000)
    lease_seconds: float = Field(default=600.0, gt=0.0, le=86400.0)
    sets: list[UUID] | None = Field(default=None, description="Only these sets; all open ones by default.")
    project: str | None = None


class ItemOut(Response):
    key: str
    prompt: str | None


class Shown(Response):
    key: str
    text: str | None


class Why(Response):
    """Why this pair was chosen; differences are first minus second, as shown."""

    criterion: CriterionName
    score: float
    mean_difference: float
    sd_difference: float
    probability_of_reordering: float
    propensity: float = Field(description="Probability of this choice given what was known.")


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


class Assignments(Response):
    status: AskStatus = Field(
        description="Of the set; says why the list is empty when it is. Over many sets: `open` if there is a pair, "
        "`all_leased` if one of them waits for other judges, else `exhausted`."
    )
    assignments: list[Assignment]


class Preview(Response):
    status: AskStatus
    pairs: list[Pair]


class Renewal(Request):
    lease_seconds: float = Field(default=600.0, gt=0.0, le=86400.0)


class Lease(Response):
    id: UUID
    status: Literal["leased", "released"]
    expires_at: datetime


# Tell


class Logprobs(Request):
    """Log-probabilities of the label tokens."""

    first: Finite
    second: Finite
    tie: Finite | None = None


class Answer(Request):
    """Exactly one of `p_first`, `winner` and `logprobs`."""

    p_first: Probability | None = Field(
        default=None, examples=[0.83], description="Probability that the first is better."
    )
    winner: Winner | None = None
    logprobs: Logprobs | None = None

    @model_validator(mode="after")
    def _one_answer(self) -> Self:
        return _exactly_one(self, "p_first", "winner", "logprobs")


class VerdictIn(Request):
    """Exactly one of `p_first`, `winner`, `logprobs` and `failure`."""

    p_first: Probability | None = Field(
        default=None, examples=[0.83], description="Probability that the first is better."
    )
    winner: Winner | None = None
    logprobs: Logprobs | None = None
    failure: Failure | None = Field(default=None, description="No verdict: recorded, never counted as a tie or a vote.")
    reason: str | None = Field(default=None, max_length=2000, description="Why there is no verdict.")
    judge: JudgeName | None = Field(default=None, description="Checked against the assignment's judge when sent.")
    label_mass: Probability | None = Field(
        default=None, description="Probability that the model gave to the labels at all."
    )
    latency_ms: float | None = Field(default=None, ge=0.0, allow_inf_nan=False)
    raw: JsonValue = Field(default=None, description="Whatever should be kept with the verdict.")

    @model_validator(mode="after")
    def _one_answer(self) -> Self:
        if self.reason is not None and self.failure is None:
            raise ValueError("reason belongs to a failure; send failure too, or put the remark into raw")
        return _exactly_one(self, "p_first", "winner", "logprobs", "failure")


class VerdictOf(VerdictIn):
    assignment_id: UUID


class VerdictsIn(Request):
    verdicts: list[VerdictOf] = Field(min_length=1, max_length=10000)


class ComparisonIn(Answer):
    client_id: Key | None = Field(default=None, description="Sending the same client_id again is harmless.")
    first: Key
    second: Key
    item: Key | None = Field(default=None, description="Needed in a set of systems with several items.")
    judge: JudgeName
    created_at: AwareDatetime | None = None

    @model_validator(mode="after")
    def _two_candidates(self) -> Self:
        if self.first == self.second:
            raise ValueError(f"first and second are both {self.first!r}; a comparison needs two different candidates")
        return self


class ComparisonsIn(Request):
    comparisons: list[ComparisonIn] = Field(min_length=1, max_length=100_000)


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
    winner: Winner | None = Field(description="The verdict as a word, where it came as one.")
    judge: str
    client_id: str | None
    assignment_id: UUID | None
    late: bool = Field(description="The verdict came after its lease had ended.")
    label_mass: float | None
    latency_ms: float | None
    raw: JsonValue
    created_at: datetime
    voided_by: int | None = Field(description="Sequence number of the void, if there is one.")


class ComparisonPage(Response):
    comparisons: list[Comparison]
    next_after: int | None


class FailureRecorded(Response):
    """A judge's failure: kept with its assignment, never in the log."""

    assignment_id: UUID
    set_id: UUID
    failure: Failure
    reason: str | None
    label_mass: float | None
    latency_ms: float | None
    raw: JsonValue


class Problem(Response):
    """RFC 9457."""

    type: str = Field(examples=["urn:nextpair:problem:unknown-candidate"])
    title: str
    status: int
    detail: str
    errors: list["FieldError"] | None = None


class FieldError(Response):
    pointer: str = Field(examples=["/comparisons/0/p_first"])
    detail: str


class VerdictResult(Response):
    """Of the comparison, the failure and the problem, the one that applies."""

    assignment_id: UUID
    status: int = Field(description="What the single endpoint would have answered.", examples=[201])
    comparison: Comparison | None = None
    failure: FailureRecorded | None = None
    problem: Problem | None = None


class VerdictResults(Response):
    results: list[VerdictResult]


class VoidIn(Request):
    reason: str = Field(min_length=1, max_length=2000, examples=["clicked the wrong side"])


class Void(Response):
    seq: int = Field(description="The void's own place in the log.")
    set_id: UUID
    voids: int = Field(description="Sequence number of the comparison that no longer counts.")
    reason: str
    created_at: datetime


# Read


class Method(Response):
    name: MethodName
    expert: ExpertName | None
    prior_variance: float | None
    position_bias: Literal["none"]
    level: float = Field(description="Of the marginal intervals, and of all rank intervals together.")


class Convergence(Response):
    converged: bool
    iterations: int
    gradient_norm: float = Field(description="Largest absolute entry of the gradient; of bradley-terry, its last step.")
    message: str


class Rank(Response):
    """Uncertainties are null for a baseline, which has none."""

    key: str
    rank: int
    score: float
    sd: float | None = None
    interval: tuple[float, float] | None = Field(default=None, description="Marginal.")
    rank_interval: tuple[int, int] | None = Field(
        default=None, description="Best and worst; all candidates' hold together."
    )
    p_best: float | None = Field(
        default=None, description="Probability of being first, from 2,000 to 10,000 draws: good to about 0.01."
    )
    comparisons: int
    component: int = Field(description="Candidates of different components were never compared, even indirectly.")


class Ranking(Response):
    set_id: UUID
    version: int
    method: Method
    convergence: Convergence
    comparisons: int
    components: int
    entropy: float | None
    ranking: list[Rank]


class Prediction(Response):
    set_id: UUID
    version: int
    first: str
    second: str
    p_first_better: float
    mean_difference: float
    sd_difference: float


class SetProgress(Response):
    """Where a set stands; sent with every event of its stream."""

    version: int
    comparisons: int = Field(description="Those that count: voided ones are left out.")
    candidates: int
    status: Literal["open", "paused"]


class Ready(Response):
    status: Literal["ready"]
    migration: str


class Alive(Response):
    status: Literal["ok"]
    version: str


def _exactly_one(model: M, *names: str) -> M:
    given = [name for name in names if getattr(model, name) is not None]
    if len(given) != 1:
        found = "none" if not given else " and ".join(given)
        raise ValueError(f"send exactly one of {', '.join(names)}; found {found}")
    return model
