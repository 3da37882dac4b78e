"""Requests and responses of the HTTP contract, v1. Pydantic only: the client uses the same models."""

import json
from datetime import datetime
from typing import Annotated, Any, Literal, Self, TypeVar
from uuid import UUID

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from nextpair.words import (
    MAX_WEIGHT,
    MIN_WEIGHT,
    AggregationName,
    AskStatus,
    BatchName,
    CheckVerdict,
    CovarianceName,
    CriterionName,
    ExpertName,
    JudgeKind,
    MatrixName,
    MethodName,
    ObjectiveName,
    OrderName,
    PositionBias,
    PriorName,
    StopReason,
    Winner,
)

M = TypeVar("M", bound=BaseModel)
F = TypeVar("F")
LARGEST_VALUE, LEAST_VARIANCE = 1e9, 1e-9  # of an absolute score: what the numerics can square and divide by
LONGEST_KEY = 200
LONGEST_LIST = 100_000  # candidates, comparisons and the like in one request
LONGEST_JSON = 100_000  # characters of metadata or of what is kept with a verdict
LONGEST_RAW = 20_000_000  # characters, as JSON, of what is kept with the verdicts of one request: they come back
LARGEST_INTEGER = 2**63 - 1  # that the database holds
MOST_FAULTS = 10_000  # of one request
SHORTEST_LEASE = 0.001  # seconds
Key = Annotated[str, Field(min_length=1, max_length=LONGEST_KEY, examples=["kelp"])]
JudgeName = Annotated[
    str,
    Field(min_length=1, max_length=200, examples=["alice"], description="Who judges: any stable name."),
]
Id = Annotated[UUID, Field(strict=False)]  # JSON has it as text
LeaseSeconds = Annotated[float, Field(ge=SHORTEST_LEASE, le=86400.0)]
Probability = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Seq = Annotated[int, Field(ge=0, le=LARGEST_INTEGER)]  # a place in the log
Finite = Annotated[float, Field(allow_inf_nan=False)]
OnScale = Annotated[float, Field(ge=-LARGEST_VALUE, le=LARGEST_VALUE)]  # of a judge of single candidates
Metadata = dict[str, JsonValue]
WorkerName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        examples=["gpu-0"],
        description="Which of a judge's processes asks: live assignments come back to the worker that holds them only.",
    ),
]
Generation = Annotated[
    int,
    Field(
        ge=1,
        le=2**31 - 1,
        examples=[1],
        description="As the assignment came with it. Whoever sends one that has been superseded since is told so, and "
        "nothing is recorded.",
    ),
]
Failure = Literal["skipped", "refused", "parse_error", "timeout"]


def _short(value: F) -> F:
    """Raises ValueError. Stops at the limit: what is far beyond it would keep everyone else waiting."""
    length = 0
    for part in json.JSONEncoder(default=str).iterencode(value):
        length += len(part)
        if length > LONGEST_JSON:
            raise ValueError(f"takes more than {LONGEST_JSON:,} characters as JSON")
    return value


ShortMetadata = Annotated[Metadata, BeforeValidator(_short)]


class TooManyFaults(Exception):
    """A request with more than `MOST_FAULTS`."""


class Counted:
    """What validation carries along to raise TooManyFaults."""

    faults = 0


class Request(BaseModel):
    """Unknown fields are an error, not ignored, and so is a number or a truth value in quotation marks."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="wrap")
    @classmethod
    def _listable(cls, value: Any, validate: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        """Give a body up that has more faults than anyone reads: to list a million takes a gigabyte."""
        counted = info.context
        before = counted.faults if counted else 0
        try:
            return validate(value)
        except ValidationError as error:
            if counted:
                counted.faults = before + error.error_count()  # those of what it holds are among them
                if counted.faults > MOST_FAULTS:
                    raise TooManyFaults from None
            raise


class Response(BaseModel):
    model_config = ConfigDict(frozen=True)


# Sets and candidates


class Selection(Request):
    """How the next pair is chosen."""

    criterion: CriterionName = Field(default="reordering", description="What the next pair should be best at.")
    epsilon: float = Field(default=0.5, ge=0.0, le=10.0, description="Exponent of |mean difference|, for `exponent`.")
    random_share: Probability = Field(default=0.0, description="Share of the pairs drawn uniformly instead.")
    batch: BatchName = Field(
        default="greedy",
        description="Several pairs at once: each as if the ones before were answered, or simply the top of one list.",
    )
    seed: int = Field(default=0, ge=0, lt=2**32, description="Fixes every random choice of this set.")


class Budget(Request):
    max_comparisons: int | None = Field(
        default=None,
        ge=1,
        le=LARGEST_INTEGER,
        examples=[200],
        description="Comparisons after which nothing is handed out.",
    )


class Stop(Request):
    """Stop handing out pairs as soon as one of these holds; `budget` limits their number."""

    top_k: int | None = Field(
        default=None, ge=1, examples=[1], description="The best k are surely better than all others."
    )
    rank_width: int | None = Field(
        default=None, ge=0, description="Every candidate's worst possible rank minus its best is at most this."
    )
    entropy_change: float | None = Field(
        default=None,
        gt=0.0,
        allow_inf_nan=False,
        description="No further comparison would take more than this off the entropy, in nats.",
    )
    error_level: float = Field(
        default=0.05,
        gt=0.0,
        lt=1.0,
        description="Probability that `top_k` or `rank_width` ever stops on a false claim, however often one looks.",
    )

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.top_k is None and self.rank_width is None and self.entropy_change is None:
            raise ValueError("name top_k, rank_width or entropy_change; for a number of comparisons use budget")
        return self


def _moderate(parameter: float) -> float:
    if parameter and not 0.01 <= abs(parameter) <= 100.0:
        raise ValueError(f"{parameter:g} is out of range; send 0, or 0.01 to 100 in size")
    return parameter


ExpertParameter = Annotated[float, AfterValidator(_moderate)]
Temperatures = dict[JudgeName, Annotated[float, Field(ge=0.01, le=100.0, allow_inf_nan=False)]]


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
    metadata: ShortMetadata = Field(default_factory=dict)


class SetIn(Request):
    name: str = Field(min_length=1, max_length=200, examples=["Why is the sky blue?"])
    question: str = Field(
        min_length=1, examples=["Which answer explains it better to a ten-year-old?"], description="What judges answer."
    )
    attribute: str | None = Field(default=None, examples=["clarity"], description="The quality that is compared.")
    context: str | None = Field(default=None, description="What judges read before the two texts.")
    candidates: list[CandidateIn] = Field(default_factory=list, max_length=LONGEST_LIST)
    items: list[ItemIn] = Field(
        default_factory=list, max_length=LONGEST_LIST, description="Prompts that systems answered; none for texts."
    )
    expert: ExpertName = Field(default="soft-bt", description="Density of a score difference given a verdict.")
    expert_parameters: dict[str, ExpertParameter] = Field(
        default_factory=dict,
        examples=[{}],
        description="Of the expert, each 0 or from 0.01 to 100 in size; what is left out keeps its default: "
        "gaussian alpha 4, beta 0.5, v 4; sigma-beta a 1, b 1; sigma-gaussian v 1; phi-gaussian v 1; "
        "laplace alpha 4, beta 0.5, b 2; the others have none.",
    )
    prior: PriorName = Field(
        default="unit",
        description="On every score; `anchor` is N(0, 10^6) whatever the variance, and leaves differences to verdicts.",
    )
    prior_variance: float = Field(
        default=1.0, ge=1e-6, le=100.0, description="Variance of every score before any comparison."
    )
    selection: Selection = Field(default_factory=lambda: Selection())
    order: OrderName = Field(default="balanced", description="Which of two candidates is shown first.")
    position_bias: PositionBias = Field(
        default="none",
        description="`estimate`: each judge's liking for the first position, together with the scores.",
    )
    temperatures: Temperatures = Field(
        default_factory=dict,
        description="By judge: p is read as sigma(logit(p) / T); see GET calibration. The log keeps what was said.",
    )
    budget: Budget | None = None
    stop: Stop | None = None
    project: str | None = Field(default=None, min_length=1, max_length=200)
    metadata: ShortMetadata = Field(default_factory=dict)


class SetPatch(Request):
    """Only what is sent is changed."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    status: Literal["open", "paused"] | None = Field(default=None, description="A paused set hands out nothing.")
    selection: Selection | None = None
    temperatures: Temperatures | None = None
    budget: Budget | None = None
    stop: Stop | None = None
    project: str | None = Field(default=None, min_length=1, max_length=200)
    metadata: ShortMetadata | None = None


class SetOut(Response):
    id: UUID
    name: str
    question: str
    attribute: str | None
    context: str | None
    expert: ExpertName
    expert_parameters: dict[str, float]
    prior: PriorName
    prior_variance: float
    selection: Selection
    order: OrderName
    position_bias: PositionBias
    temperatures: dict[str, float]
    budget: Budget | None
    stop: Stop | None
    project: str | None
    metadata: Metadata
    version: int = Field(description="Sequence number of the last entry of the log.")
    comparisons: int = Field(description="Those that count: voided ones are left out.")
    absolute_scores: int
    candidates: int
    items: int = Field(description="Number of items; 0 for a set of texts.")
    status: Literal["open", "paused"]
    created_at: datetime


class SetPage(Response):
    sets: list[SetOut]
    next_after: UUID | None = Field(description="Pass as `after` for the next page; null on the last one.")


class CandidatesIn(Request):
    candidates: list[CandidateIn] = Field(min_length=1, max_length=LONGEST_LIST)
    items: list[ItemIn] = Field(
        default_factory=list, max_length=LONGEST_LIST, description="New items that the outputs refer to."
    )


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
    lease_seconds: LeaseSeconds = Field(default=600.0, description="How long the pairs stay reserved.")
    wait_seconds: float = Field(
        default=0.0, ge=0.0, le=60.0, description="How long to wait for a pair when all are leased to others."
    )
    worker: WorkerName | None = None
    rank_sets_with: JudgeName | None = Field(
        default=None,
        description="For people: pairs that this judge has judged, where a person's verdict shrinks the rank-sets of "
        "both most. They may be asked for after the set's own queue has ended.",
    )


class AskMany(Request):
    judge: JudgeName
    count: int = Field(ge=1, le=10000)
    lease_seconds: LeaseSeconds = 600.0
    sets: list[Id] | None = Field(
        default=None, max_length=10000, description="Only these sets; all open ones by default."
    )
    project: str | None = None
    worker: WorkerName | None = None


class ItemOut(Response):
    key: str
    prompt: str | None


class Shown(Response):
    key: str
    text: str | None


class Why(Response):
    """Why this pair was chosen; differences are first minus second, as shown."""

    criterion: CriterionName | Literal["rank-sets"]
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
    reason: StopReason | None = Field(default=None, description="Which criterion of `stop` is met, if `converged`.")
    assignments: list[Assignment]


class Preview(Response):
    status: AskStatus
    reason: StopReason | None = None
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
    """Those of the assignments that are still leased, and until when."""

    held: list[Lease]


class Released(Response):
    released: int = Field(description="How many were leased until now.")


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
    generation: Generation | None = None
    label_mass: Probability | None = Field(
        default=None, description="Probability that the model gave to the labels at all."
    )
    latency_ms: float | None = Field(default=None, ge=0.0, allow_inf_nan=False)
    raw: Annotated[JsonValue, BeforeValidator(_short)] = Field(
        default=None, description="Whatever should be kept with the verdict."
    )

    @model_validator(mode="after")
    def _one_answer(self) -> Self:
        if self.reason is not None and self.failure is None:
            raise ValueError("reason belongs to a failure; send failure too, or put the remark into raw")
        return _exactly_one(self, "p_first", "winner", "logprobs", "failure")


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


class ComparisonIn(Answer):
    client_id: Key | None = Field(default=None, description="Sending the same client_id again is harmless.")
    first: Key
    second: Key
    item: Key | None = Field(default=None, description="Needed in a set of systems with several items.")
    judge: JudgeName
    weight: float = Field(
        default=1.0,
        ge=MIN_WEIGHT,
        le=MAX_WEIGHT,
        description="How many answers alike it stands for, in rankings and means; counts count it once.",
    )
    created_at: AwareDatetime | None = Field(default=None, strict=False)

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
    winner: Winner | None = Field(description="The verdict as a word, where it came as one.")
    weight: float = Field(description="How many answers alike it stands for.")
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


class AbsoluteScoreIn(Request):
    """What a judge said of one candidate alone: `probabilities` of the values, or `mean` and `variance`."""

    candidate: Key
    item: Key | None = Field(default=None, description="Needed in a set of systems with several items.")
    judge: JudgeName
    probabilities: dict[str, Annotated[float, Field(ge=0.0, le=LARGEST_VALUE)]] | None = Field(
        default=None,
        min_length=1,
        max_length=1000,
        examples=[{"6": 0.1, "7": 0.6, "8": 0.3}],
        description="By value on the judge's scale; normalised, so probabilities of the labels alone will do. "
        'Labels of one value, such as "7" and " 7", are added up.',
    )
    mean: OnScale | None = None
    variance: float | None = Field(
        default=None, ge=LEAST_VARIANCE, le=LARGEST_VALUE**2, description="How sure the judge is."
    )

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.mean is None) != (self.variance is None):
            raise ValueError("mean and variance belong together; send both")
        if self.probabilities is not None:
            _refuse_unusable(self.probabilities)
        return _exactly_one(self, "probabilities", "mean")


class AbsoluteScoresIn(Request):
    scores: list[AbsoluteScoreIn] = Field(min_length=1, max_length=LONGEST_LIST)


class AbsoluteScoresAccepted(Response):
    accepted: int
    version: int


class AbsoluteScore(Response):
    """One entry of the log. Of several by one judge for one output the last counts."""

    seq: int
    set_id: UUID
    item: str | None
    candidate: str
    judge: str
    mean: float
    variance: float = Field(description="At least 1/12 of a squared step where it comes from probabilities.")
    probabilities: dict[str, float] | None
    created_at: datetime


class AbsoluteScorePage(Response):
    scores: list[AbsoluteScore]
    next_after: int | None


# Read


class Method(Response):
    """What the ranking was computed by; null is what a baseline does not have."""

    name: MethodName
    expert: ExpertName | None
    expert_parameters: dict[str, float] | None
    prior: PriorName | None
    prior_variance: float | None
    position_bias: PositionBias
    temperatures: dict[str, float]
    level: float = Field(description="Of the marginal intervals, of all rank intervals together, and of tie groups.")
    top_k: int = Field(description="Of `p_top_k`.")
    epsilon: float = Field(description="Of `tie_group`, in units of the scores.")


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
    p_top_k: float | None = Field(default=None, description="Probability of being among the first `top_k`.")
    tie_group: int | None = Field(
        default=None,
        description="1 for the best. A new group begins with whoever is surely worse than the first of the group above"
        " by more than `epsilon`; all such claims hold together at `level`.",
    )
    comparisons: int
    component: int = Field(description="Candidates of different components were never compared, even indirectly.")


class JudgeBias(Response):
    """A judge's liking for the first position: d = c (s_first - s_second) + delta."""

    delta: float
    sd: float
    comparisons: int
    discrimination: float | None = Field(default=None, description="c, by the method judge-aware; 1 by all others.")
    warning: str | None = Field(
        description="Set where verdicts tell less of it than priors do: orders are little mixed, or verdicts few."
    )


class JudgeScale(Response):
    """score = c0 + c1 * what the judge said."""

    c0: float
    c1: float
    settled: bool = Field(description="Whether the estimate of the scale is final.")


class HeldOut(Response):
    """Pairs drawn at random (`random_share`), each predicted before it was judged: selection cannot bend this test."""

    comparisons: int
    agreement: float | None = Field(description="Share of those with a winner where the prediction names it.")
    log_loss: float = Field(description="Mean of -log p of the verdict; always saying 1/2 gives 0.693.")


class Stopping(Response):
    converged: bool
    reason: StopReason | None = Field(description="The criterion that is met.")
    forecast: int | None = Field(
        description="Comparisons of weight 1 still needed, if means stay and precision grows so; null beyond 100 times."
    )


class Ranking(Response):
    set_id: UUID
    version: int
    method: Method
    convergence: Convergence
    comparisons: int
    components: int
    entropy: float | None
    position_bias: dict[str, JudgeBias] | None = Field(description="By judge, where it is estimated.")
    absolute_scores: dict[str, JudgeScale] | None = Field(description="By judge: how its scale maps to the scores.")
    held_out: HeldOut | None = Field(description="Null while no random pair was judged, and for a baseline.")
    stopping: Stopping | None = Field(description="By the set's own method; null where the set has no `stop`.")
    ranking: list[Rank]


class Prediction(Response):
    set_id: UUID
    version: int
    first: str
    second: str
    p_first_better: float
    mean_difference: float
    sd_difference: float


class Agreement(Response):
    pairs: int = Field(description="Pairs of judgements that were compared.")
    share: float | None = Field(description="Of them that name the same winner; a tie agrees with a tie only.")


class Cycles(Response):
    """Triples of candidates whose three pairs were all judged."""

    triads: int
    cyclic: int = Field(description="a beats b, b beats c, c beats a.")
    share: float | None = Field(description="Coin flips give a quarter.")


class Repeats(Response):
    """One judge on one pair, more than once."""

    same_order: Agreement
    swapped: Agreement = Field(description="In the other order; a judge that names the same text agrees.")
    first_both: float | None = Field(description="Share of the swapped ones where the first position won both times.")
    second_both: float | None


class OrderBalance(Response):
    worst: int = Field(description="How many times more often one candidate was shown in one position than the other.")
    mixed: float | None = Field(
        description="Share of what verdicts say of a liking for a position that could not be merit: 1 where everyone"
        " was shown first as often as second, 0 where positions and merit cannot be told apart."
    )
    first_picked: float | None = Field(description="Mean probability that the first is better, by weight.")


class JudgeDiagnostics(Response):
    comparisons: int
    failures: dict[Failure, int]
    failure_rate: float | None
    first_picked: float | None = Field(
        description="Mean probability of the first, by weight: beta of the gaussian expert."
    )
    delta: float | None = Field(description="Its logit, a quick estimate of the bias; null if infinite.")


class Moment(Response):
    """The ranking as it was."""

    version: int
    comparisons: int
    entropy: float
    rank_correlation: float = Field(description="Spearman's, with the ranking now.")


class JudgeIn(Request):
    """What to know of a judge beside its verdicts."""

    kind: JudgeKind | None = Field(default=None, description="Rank-sets hold every other judge against people.")
    model: Annotated[str, Field(min_length=1, max_length=1000)] | None = Field(
        default=None, description="Which model judges, for an llm.", examples=["gpt-4-0125-preview"]
    )
    cost_per_1000: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] | None = Field(
        default=None, description="Of a thousand judgements, failures included, in any currency."
    )


class JudgeOut(Response):
    name: str
    kind: JudgeKind | None
    model: str | None
    cost_per_1000: float | None
    created_at: datetime


class JudgePage(Response):
    judges: list[JudgeOut]
    next_after: str | None


class Influence(Response):
    """What the ranking by judge-aware would be without this judge."""

    rank_correlation: float = Field(description="Spearman's, with the ranking of all judges.")
    largest_move: int = Field(description="Ranks by which a candidate moves.")
    changes_top: bool


class JudgeCard(Response):
    """One judge in one set; null is what its verdicts do not tell."""

    judge: str
    kind: JudgeKind | None
    model: str | None
    comparisons: int
    cost: float | None = Field(description="Of its judgements here, failures included.")
    median_latency_ms: float | None
    failures: dict[Failure, int]
    failure_rate: float | None
    skill: float | None = Field(
        description="By the method: 1 is never wrong, 0 is chance, less is against the others. Null where the method "
        "takes all judges alike."
    )
    agreement: Agreement | None = Field(description="With each other judge, on the pairs that both judged.")
    same_order: Agreement | None = Field(description="With itself on the same pair, shown again in the same order.")
    swapped: Agreement | None = Field(description="With itself on the same pair, shown the other way round.")
    position_bias: JudgeBias | None = Field(description="As in `diagnostics`; discrimination by judge-aware.")
    influence: Influence | None


class PairAgreement(Agreement):
    judges: tuple[str, str]


class GroupVerdict(Response):
    """What the judges say of one pair together."""

    item: str | None
    first: str
    second: str
    p_first: float
    judges: int = Field(description="How many judged it.")


class Judges(Response):
    set_id: UUID
    version: int = Field(description="Whose verdicts were weighed: the log may have grown meanwhile.")
    method: AggregationName
    convergence: Convergence | None = Field(description="Of the method, where it iterates.")
    warnings: list[str] = Field(description="Judges that no method can make use of, in words.")
    judges: list[JudgeCard] = Field(description="By name.")
    agreement: list[PairAgreement] = Field(description="Of each two judges that have judged the same pairs.")
    verdicts: list[GroupVerdict] | None = Field(description="One for each pair that was judged, whatever its order.")


class RankSet(Response):
    """What one source of verdicts says of a system."""

    theta: float = Field(description="Chance of beating the average other system; a tie counts for neither.")
    sd: float
    ranks: tuple[int, int] = Field(description="Best and worst. All of them hold together with 1 - alpha.")


class SystemRankSet(RankSet):
    key: str
    by_people: RankSet = Field(description="From people's verdicts alone.")
    by_judge: RankSet = Field(description="From the judge's verdicts alone, as if they were people's: it may be wrong.")


class RankSets(Response):
    set_id: UUID
    version: int
    alpha: float
    covariance: CovarianceName
    reference: list[str]
    judge: str
    tuned_lambda: float = Field(description="How far the judge is used: 0 for one that says nothing of people's views.")
    instances_by_both: int = Field(description="Pairs of outputs that people and the judge both judged.")
    instances_by_judge: int = Field(description="Further ones that the judge alone judged.")
    pairs_unseen: int = Field(description="Pairs of candidates of which people judged nothing: theta leaves them out.")
    people_saved: int | None = Field(description="Verdicts of people that the judge is worth; null if `published`.")
    systems: list[SystemRankSet] = Field(description="Best first.")


class Diagnostics(Response):
    set_id: UUID
    version: int
    comparisons: int
    components: int
    cycles: Cycles
    repeats: Repeats
    agreement: Agreement = Field(description="Of different judges on the same pair of the same item.")
    order_balance: OrderBalance
    position_bias: dict[str, JudgeBias] = Field(
        description="Estimated together with the scores, whatever the set does."
    )
    judges: dict[str, JudgeDiagnostics]
    held_out: HeldOut | None
    history: list[Moment] = Field(description="Oldest first, evenly spaced.")


class Check(Response):
    name: str
    verdict: CheckVerdict = Field(description="`unknown` where there is too little to tell.")
    says: str = Field(description="In plain words, with the remedy where there is one.")
    figure: str


class Trust(Response):
    set_id: UUID
    version: int
    checks: list[Check]


class Matrix(Response):
    set_id: UUID
    version: int
    of: MatrixName
    keys: list[str] = Field(description="The N candidates, best first.")
    cells: str = Field(
        description="N * N bytes in base64, row by row: 200 times the probability that the row's candidate beats the "
        "column's, or 255 where that is not known."
    )


class ReliabilityBin(Response):
    low: float
    high: float
    verdicts: int
    confidence: float = Field(description="Mean of max(p, 1 - p).")
    accuracy: float = Field(description="Share of right verdicts.")


class CalibrationErrors(Response):
    log_loss: float
    ece: float = Field(description="Expected calibration error, 15 bins.")


class Calibration(Response):
    """One judge's probabilities held against what others said of the same pairs."""

    set_id: UUID
    version: int
    judge: str
    reference: list[str]
    objective: ObjectiveName
    verdicts: int = Field(
        description="Comparisons of the judge on pairs that a reference judged too; two in opposite orders count once."
    )
    temperature: float = Field(description="1 where there is nothing to estimate it from.")
    at_bound: bool = Field(description="The best temperature may lie outside [1/20, 20].")
    before: CalibrationErrors
    after: CalibrationErrors
    reliability: list[ReliabilityBin] = Field(description="At temperature 1; empty bins are left out.")
    reliability_after: list[ReliabilityBin]


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


def _refuse_unusable(probabilities: dict[str, float]) -> None:
    for value in probabilities:
        try:
            usable = abs(float(value)) <= LARGEST_VALUE
        except ValueError:
            usable = False
        if not usable:
            raise ValueError(f'probabilities names the value {value!r}; values are numbers up to 1e9, such as "7"')
    if not sum(probabilities.values()) > 0.0:
        raise ValueError("probabilities are all 0; leave out a judge that said nothing")


def _exactly_one(model: M, *names: str) -> M:
    given = [name for name in names if getattr(model, name) is not None]
    if len(given) != 1:
        found = "none" if not given else " and ".join(given)
        raise ValueError(f"send exactly one of {', '.join(names)}; found {found}")
    return model
