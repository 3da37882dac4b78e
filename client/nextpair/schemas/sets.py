"""Sets: a question, candidates, a goal, and how pairs are chosen and read."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import AfterValidator, Field, model_validator

from nextpair import words
from nextpair.names import normal_name
from nextpair.schemas.candidates import CandidateIn, ItemIn
from nextpair.schemas.common import (
    LARGEST_INTEGER,
    LONGEST_LIST,
    JudgeName,
    Key,
    Metadata,
    Probability,
    Request,
    Response,
    ShortMetadata,
    Warnings,
)

CandidateKey = Annotated[Key, AfterValidator(normal_name)]


class Goal(Request):
    """What pairs are chosen for. Send one of these, or none for the order of all candidates."""

    top_k: int | None = Field(default=None, ge=1, description="Find the best k candidates.")
    against: CandidateKey | None = Field(default=None, description="Find the candidates that are better than this one.")
    pair: Annotated[tuple[CandidateKey, CandidateKey], Field(strict=False)] | None = Field(
        default=None, examples=[["kelp", "rowan"]], description="Find which of these two is better."
    )

    @model_validator(mode="after")
    def _one(self) -> Self:
        sent = [name for name in ("top_k", "against", "pair") if getattr(self, name) is not None]
        if len(sent) > 1:
            raise ValueError(
                f"send one of top_k, against and pair, or none for the ranking; found {' and '.join(sent)}"
            )
        if self.pair is not None and self.pair[0] == self.pair[1]:
            raise ValueError(f"pair takes two different candidates; found {self.pair[0]!r} twice")
        return self

    @property
    def candidates(self) -> tuple[str, ...]:
        """Keys of the candidates that it names."""
        return self.pair or (() if self.against is None else (self.against,))


class Selection(Request):
    """How the next pair is chosen."""

    criterion: words.CriterionName = Field(
        default="knowledge", description="The acquisition function that chooses pairs."
    )
    epsilon: float = Field(
        default=0.5, ge=0.0, le=10.0, description="Exponent of |mean difference|, for the criterion `exponent`."
    )
    equal: float = Field(
        default=0.1,
        ge=0.0,
        le=10.0,
        description="Means within this many posterior sds count as equal, for the criteria `reordering` and "
        "`exponent`. With 0, as in the paper, only equal means do.",
    )
    random_share: Probability = Field(default=0.0, description="Share of pairs drawn uniformly instead.")
    batch: words.BatchName = Field(
        default="greedy",
        description="For several pairs at once. `greedy` chooses each as if the ones before were judged; `top` takes "
        "the top of one list.",
    )
    seed: int = Field(default=0, ge=0, lt=2**32, description="Seed of every random choice in this set.")


class Budget(Request):
    max_comparisons: int | None = Field(
        default=None,
        ge=1,
        le=LARGEST_INTEGER,
        examples=[200],
        description="Number of comparisons after which no more pairs are handed out.",
    )


class Overlap(Request):
    """A random share of the pairs goes to several judges, to measure their agreement."""

    share: float = Field(gt=0.0, le=1.0, examples=[0.2], description="Share of the pairs.")
    judges: int = Field(default=2, ge=2, le=1000, description="Number of judges for each of these pairs.")


class Stop(Request):
    """Stop handing out pairs as soon as one of these holds. `budget` limits their number."""

    top_k: int | None = Field(
        default=None,
        ge=1,
        examples=[1],
        description="The best k are better than all others with confidence 1 - `error_level` (anytime-valid if "
        "about `latent`).",
    )
    rank_width: int | None = Field(
        default=None, ge=0, description="Every candidate's worst possible rank minus its best is at most this."
    )
    entropy_change: float | None = Field(
        default=None,
        gt=0.0,
        allow_inf_nan=False,
        description="No further comparison would lower the entropy by more than this, in nats.",
    )
    concordance: float | None = Field(
        default=None,
        gt=0.5,
        lt=1.0,
        examples=[0.9],
        description="Expected concordance of the goal's pairs is at least this share.",
    )
    goal: float | None = Field(
        default=None,
        gt=0.5,
        lt=1.0,
        examples=[0.95],
        description="The set's goal, other than the ranking, is known with this confidence. About `latent` it stays "
        "valid under continuous monitoring.",
    )
    error_level: float = Field(
        default=0.05,
        gt=0.0,
        lt=1.0,
        description="Probability that `top_k` or `rank_width` stops on a false claim; about `latent`, that it "
        "ever does, monitored continuously.",
    )

    @model_validator(mode="after")
    def _something(self) -> Self:
        if {self.top_k, self.rank_width, self.entropy_change, self.concordance, self.goal} == {None}:
            raise ValueError(
                "name top_k, rank_width, entropy_change, concordance or goal; to limit comparisons, use budget"
            )
        return self


def _moderate(parameter: float) -> float:
    if parameter and not 0.01 <= abs(parameter) <= 100.0:
        raise ValueError(f"{parameter:g} is out of range; send 0, or a size from 0.01 to 100")
    return parameter


ExpertParameter = Annotated[float, AfterValidator(_moderate)]
Votes = dict[JudgeName, Annotated[float, Field(ge=0.001, le=1000.0, allow_inf_nan=False)]]
Temperatures = dict[JudgeName, Annotated[float, Field(ge=0.01, le=100.0, allow_inf_nan=False)]]


class SetIn(Request):
    name: str = Field(min_length=1, max_length=200, examples=["Why is the sky blue?"])
    question: str = Field(
        min_length=1,
        examples=["Which answer explains it better to a ten-year-old?"],
        description="The question that judges answer.",
    )
    attribute: str | None = Field(default=None, examples=["clarity"], description="The quality that judges compare.")
    context: str | None = Field(default=None, description="Text that judges read before the two candidates.")
    candidates: list[CandidateIn] = Field(default_factory=list, max_length=LONGEST_LIST)
    items: list[ItemIn] = Field(
        default_factory=list,
        max_length=LONGEST_LIST,
        description="Items (prompts) that systems answered; none for a set of texts.",
    )
    expert: words.ExpertName = Field(
        default="soft-bt", description="Comparison model: how a score difference relates to a verdict."
    )
    expert_parameters: dict[str, ExpertParameter] = Field(
        default_factory=dict,
        examples=[{}],
        description="Parameters of the expert, each 0 or 0.01 to 100 in size. Those you omit keep their defaults; "
        "`method.expert_parameters` of a ranking shows all. An unknown name is refused with the list of known ones.",
    )
    prior: words.PriorName = Field(
        default="unit",
        description="Prior of every score. `anchor` is N(0, 10^6) whatever the variance, so only verdicts determine "
        "differences.",
    )
    prior_variance: float = Field(
        default=1.0,
        ge=1e-6,
        le=100.0,
        description="Variance of every score before any comparison, in squared logits. With `verdict_weight` learnt, "
        "used until the first comparison.",
    )
    selection: Selection = Field(default_factory=lambda: Selection())
    inference_target: words.InferenceTargetChoice = Field(
        default="auto",
        description="What the ranking is about. `all-pairs`: what these judges would say of all pairs. `new-items`: "
        "the order on other prompts like these. `people`: what people would say. `latent`: scores behind noisy "
        "verdicts. `auto` decides by what was judged and by whom; see `GET ranking`.",
    )
    order: words.OrderName = Field(default="balanced", description="Which of two candidates is shown first.")
    position_bias: words.PositionBiasChoice = Field(
        default="auto",
        description="How each judge's position bias is handled. `estimate`: together with the scores. `closed-form`: "
        "from its mean verdict, for pairs and orders drawn at random. `none`: ignored. `auto` estimates it for judges "
        "who give probabilities or many votes in mixed orders, with the expert `soft-bt`, the prior `unit` and up to "
        "500 candidates.",
    )
    absolute_scale: words.AbsoluteScale = Field(
        default="estimate",
        description="Scale of absolute scores. `estimate`: each judge has its own. `given`: they use the scale of the "
        "scores, apart from a common offset.",
    )
    absolute_variance: words.AbsoluteVariance = Field(
        default="floored",
        description="Variance of absolute scores sent as `probabilities`. `floored`: at least 1/12 of a squared step, "
        "because judges round to the values of their scale. `given`: that of the probabilities, as in the paper, and "
        "at least 1e-9.",
    )
    temperatures: Temperatures = Field(
        default_factory=dict,
        description="Temperature T by judge: p is read as sigma(logit(p) / T), see `GET calibration`. The log keeps "
        "the original p.",
    )
    verdict_weight: words.VerdictWeightName | Votes | None = Field(
        default=None,
        examples=["learnt"],
        description="How many votes a verdict counts as. `learnt`: from each judge's consistency, together with the "
        "variance of the scores; the default for expert `soft-bt` with prior `unit`. `one-vote`: one vote, with scores "
        "of variance `prior_variance`; the default otherwise. Or votes by judge, one for all others.",
    )
    budget: Budget | None = None
    stop: Stop | None = None
    overlap: Overlap | None = Field(
        default=None,
        description="A random share of the pairs goes to several judges. `GET judges` shows how far they agree.",
    )
    goal: Goal = Field(
        default_factory=lambda: Goal(),
        description="What pairs are chosen for; by default the ranking. Without candidates, a goal may name some that "
        "you add later; until then the ranking is the goal.",
    )
    project: str | None = Field(default=None, min_length=1, max_length=200)
    pool_by: words.PoolBy = Field(
        default="project",
        description="Sets that share priors with this one (partial pooling): those of its `project`, those with its "
        "question and attribute, or none. A set without a project shares as by `question`, but only of judges with a "
        "described `model`.",
    )
    metadata: ShortMetadata = Field(default_factory=dict)


ABOUT_STATUS = "`open` or `paused`, as PATCH set it. The `status` of `next-pair` says whether there is a pair to judge."


class SetPatch(Request):
    """Only the fields you send change."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    status: words.SetStatus | None = Field(default=None, description="A paused set hands out no pairs.")
    selection: Selection | None = None
    temperatures: Temperatures | None = None
    verdict_weight: words.VerdictWeightName | Votes | None = None
    inference_target: words.InferenceTargetChoice | None = None
    budget: Budget | None = None
    stop: Stop | None = None
    overlap: Overlap | None = None
    goal: Goal | None = None
    project: str | None = Field(default=None, min_length=1, max_length=200)
    pool_by: words.PoolBy | None = None
    metadata: ShortMetadata | None = None


class SetOut(Response):
    id: UUID
    name: str
    question: str
    attribute: str | None
    context: str | None
    expert: words.ExpertName
    expert_parameters: dict[str, float]
    prior: words.PriorName
    prior_variance: float
    selection: Selection
    inference_target: words.InferenceTargetChoice
    order: words.OrderName
    position_bias: words.PositionBiasChoice
    absolute_scale: words.AbsoluteScale
    absolute_variance: words.AbsoluteVariance
    temperatures: dict[str, float]
    verdict_weight: words.VerdictWeightName | dict[str, float]
    budget: Budget | None
    stop: Stop | None
    overlap: Overlap | None
    goal: Goal
    project: str | None
    pool_by: words.PoolBy
    metadata: Metadata
    version: int = Field(description="Sequence number of the last entry in the log.")
    comparisons: int = Field(description="Comparisons that count; voided ones do not.")
    absolute_scores: int
    candidates: int
    items: int = Field(description="Number of items; 0 for a set of texts.")
    status: words.SetStatus = Field(description=ABOUT_STATUS)
    created_at: datetime
    deleted_at: datetime | None = Field(
        default=None, description="When it was deleted; you can restore it for 30 days."
    )
    warnings: Warnings = Field(default_factory=list)  # of the request that made it


class SetPage(Response):
    sets: list[SetOut]
    next_after: UUID | None = Field(description="Pass as `after` for the next page; null on the last one.")


class SetProgress(Response):
    """Progress of a set, sent with every event of its stream."""

    version: int
    comparisons: int = Field(description="Comparisons that count; voided ones do not.")
    candidates: int
    status: words.SetStatus = Field(description=ABOUT_STATUS)
