"""Sets: a question, candidates, and how pairs are chosen and read."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import AfterValidator, Field, model_validator

from nextpair.schemas.candidates import CandidateIn, ItemIn
from nextpair.schemas.common import (
    LARGEST_INTEGER,
    LONGEST_LIST,
    JudgeName,
    Metadata,
    Probability,
    Request,
    Response,
    ShortMetadata,
)
from nextpair.schemas.deprecated import AcceptsEvidence, OldNames, old_name
from nextpair.schemas.goals import Goal
from nextpair.words import (
    AbsoluteScale,
    BatchName,
    CriterionName,
    ExpertName,
    InferenceTargetChoice,
    OrderName,
    PoolBy,
    PositionBiasChoice,
    PriorName,
    SetStatus,
    VerdictWeightName,
)


class Selection(Request):
    """Rules by which the next pair is chosen."""

    criterion: CriterionName = Field(default="knowledge", description="What the next pair should be best at.")
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


class Overlap(Request):
    """A random share of the pairs that are asked, each for several judges: so it shows how far judges agree."""

    share: float = Field(gt=0.0, le=1.0, examples=[0.2], description="Share of the pairs.")
    judges: int = Field(default=2, ge=2, le=1000, description="How many judges each of them is to have.")


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
    concordance: float | None = Field(
        default=None,
        gt=0.5,
        lt=1.0,
        examples=[0.9],
        description="The share of the goal's pairs that is expected to be in the right order is at least this.",
    )
    goal: float | None = Field(
        default=None,
        gt=0.5,
        lt=1.0,
        examples=[0.95],
        description="What the set's goal asks, other than a ranking, is known so surely, however often one looks.",
    )
    error_level: float = Field(
        default=0.05,
        gt=0.0,
        lt=1.0,
        description="Probability that `top_k` or `rank_width` ever stops on a false claim, however often one looks.",
    )

    @model_validator(mode="after")
    def _something(self) -> Self:
        if {self.top_k, self.rank_width, self.entropy_change, self.concordance, self.goal} == {None}:
            raise ValueError(
                "name top_k, rank_width, entropy_change, concordance or goal; for a number of comparisons use budget"
            )
        return self


def _moderate(parameter: float) -> float:
    if parameter and not 0.01 <= abs(parameter) <= 100.0:
        raise ValueError(f"{parameter:g} is out of range; send 0, or 0.01 to 100 in size")
    return parameter


ExpertParameter = Annotated[float, AfterValidator(_moderate)]
Votes = dict[JudgeName, Annotated[float, Field(ge=0.001, le=1000.0, allow_inf_nan=False)]]
Temperatures = dict[JudgeName, Annotated[float, Field(ge=0.01, le=100.0, allow_inf_nan=False)]]


class SetIn(AcceptsEvidence):
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
        description="Of the expert, each 0 or from 0.01 to 100 in size. What is left out keeps its default, and "
        "`method.expert_parameters` of a ranking shows them all. The error for an unknown name lists the known ones.",
    )
    prior: PriorName = Field(
        default="unit",
        description="On every score; `anchor` is N(0, 10^6) whatever the variance, and leaves differences to verdicts.",
    )
    prior_variance: float = Field(
        default=1.0,
        ge=1e-6,
        le=100.0,
        description="Variance of every score before any comparison; with `verdict_weight` learnt, until there is one.",
    )
    selection: Selection = Field(default_factory=lambda: Selection())
    inference_target: InferenceTargetChoice = Field(
        default="auto",
        description="What the ranking is certain about. `all-pairs`: what these judges would say of all pairs. "
        "`new-items`: the order on other prompts like these. `people`: what people would say. `latent`: scores, of "
        "which every verdict is a noisy reading. `auto` decides by what was judged and by whom: see GET ranking.",
    )
    order: OrderName = Field(default="balanced", description="Which of two candidates is shown first.")
    position_bias: PositionBiasChoice = Field(
        default="auto",
        description="Each judge's position bias: `estimate`, together with the scores; `closed-form`, from its mean "
        "verdict, for pairs and orders drawn at random; `none`. `auto` estimates it for judges who give "
        "probabilities, with the expert soft-bt, the prior unit and up to 500 candidates. GET ranking says what was "
        "done.",
    )
    absolute_scale: AbsoluteScale = Field(
        default="estimate",
        description="Of absolute scores: `estimate`, each judge has its own; `given`, they are on that of the scores, "
        "but for a common level.",
    )
    temperatures: Temperatures = Field(
        default_factory=dict,
        description="By judge: p is read as sigma(logit(p) / T); see GET calibration. The log keeps what was said.",
    )
    verdict_weight: VerdictWeightName | Votes | None = Field(
        default=None,
        examples=["learnt"],
        description="How many votes an answer is worth. `learnt`: as many as its judge's answers agree with one scale, "
        "and how far candidates are apart is learnt with it; the default of the expert soft-bt with the prior unit. "
        "`one-vote`: one, with scores of variance `prior_variance`; the default of all others. "
        "Or by judge, one for all others.",
    )
    budget: Budget | None = None
    stop: Stop | None = None
    overlap: Overlap | None = Field(
        default=None, description="A random share of the pairs goes to several judges; GET judges says how they agree."
    )
    goal: Goal = Field(
        default_factory=lambda: Goal(),
        description="What pairs are chosen for; by default the ranking. A set that is created without candidates may "
        "name some that join later, and until then wants the ranking.",
    )
    project: str | None = Field(default=None, min_length=1, max_length=200)
    pool_by: PoolBy = Field(
        default="project",
        description="Which sets tell this one what an answer of their judges is worth: those of its project, if it "
        "has one, those with its question and attribute, or none.",
    )
    metadata: ShortMetadata = Field(default_factory=dict)


ABOUT_STATUS = "As PATCH set it. Whether there is a pair to judge, or why not, is the `status` of `next-pair`."


class SetPatch(AcceptsEvidence):
    """Only what is sent is changed."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    status: SetStatus | None = Field(default=None, description="A paused set hands out nothing.")
    selection: Selection | None = None
    temperatures: Temperatures | None = None
    verdict_weight: VerdictWeightName | Votes | None = None
    inference_target: InferenceTargetChoice | None = None
    budget: Budget | None = None
    stop: Stop | None = None
    overlap: Overlap | None = None
    goal: Goal | None = None
    project: str | None = Field(default=None, min_length=1, max_length=200)
    pool_by: PoolBy | None = None
    metadata: ShortMetadata | None = None


class SetOut(OldNames):
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
    inference_target: InferenceTargetChoice
    order: OrderName
    position_bias: PositionBiasChoice
    absolute_scale: AbsoluteScale
    temperatures: dict[str, float]
    verdict_weight: VerdictWeightName | dict[str, float]
    budget: Budget | None
    stop: Stop | None
    overlap: Overlap | None
    goal: Goal
    project: str | None
    pool_by: PoolBy
    metadata: Metadata
    version: int = Field(description="Sequence number of the last entry of the log.")
    comparisons: int = Field(description="Those that count: voided ones are left out.")
    absolute_scores: int
    candidates: int
    items: int = Field(description="Number of items; 0 for a set of texts.")
    status: SetStatus = Field(description=ABOUT_STATUS)
    created_at: datetime
    _evidence = old_name("evidence", "verdict_weight", VerdictWeightName | dict[str, float])


class SetPage(Response):
    sets: list[SetOut]
    next_after: UUID | None = Field(description="Pass as `after` for the next page; null on the last one.")


class SetProgress(Response):
    """Progress of a set; sent with every event of its stream."""

    version: int
    comparisons: int = Field(description="Those that count: voided ones are left out.")
    candidates: int
    status: SetStatus = Field(description=ABOUT_STATUS)
