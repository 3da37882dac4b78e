"""The log: comparisons, voids that withdraw one, scores of candidates alone, and shared priors (partial pooling)."""

from datetime import datetime
from math import exp, inf
from typing import Annotated, Self
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, Field, JsonValue, model_validator

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
from nextpair.words import FARTHEST_LOG, MAX_WEIGHT, MIN_WEIGHT, NARROWEST_LOG, WIDEST_LOG, Winner


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


LARGEST_VALUE, LEAST_VARIANCE = 1e9, 1e-9  # what the numerics can square and divide by
OnScale = Annotated[float, Field(ge=-LARGEST_VALUE, le=LARGEST_VALUE)]  # of a judge of single candidates


class AbsoluteScoreIn(Request):
    """A judge's score of one candidate alone: `probabilities` of the values, or `mean` and `variance`."""

    candidate: Key
    item: Key | None = Field(default=None, description="Required in a set of systems with several items.")
    judge: JudgeName
    probabilities: dict[str, Annotated[float, Field(ge=0.0, le=LARGEST_VALUE)]] | None = Field(
        default=None,
        min_length=1,
        max_length=1000,
        examples=[{"6": 0.1, "7": 0.6, "8": 0.3}],
        description="Probability by value on the judge's scale. They are normalised, so probabilities of the labels "
        'alone are enough. Labels with the same value, such as "7" and " 7", are added up.',
    )
    mean: OnScale | None = Field(default=None, description="Mean score, on the judge's own scale.")
    variance: float | None = Field(
        default=None,
        ge=LEAST_VARIANCE,
        le=LARGEST_VALUE**2,
        description="Variance of the score, in squared units of the judge's scale.",
    )

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.mean is None) != (self.variance is None):
            raise ValueError("mean and variance belong together; send both")
        if self.probabilities is not None:
            _refuse_unusable(self.probabilities)
        return exactly_one(self, "probabilities", "mean")


class AbsoluteScoresIn(Request):
    scores: list[AbsoluteScoreIn] = Field(min_length=1, max_length=LONGEST_LIST)


class AbsoluteScoresAccepted(Response):
    accepted: int
    version: int


class AbsoluteScore(Response):
    """One entry of the log. If a judge scored one output several times, the last counts."""

    seq: int
    set_id: UUID
    item: str | None
    candidate: str
    judge: str
    mean: float
    variance: float = Field(
        description="If it comes from probabilities, with the floor of the set's `absolute_variance`."
    )
    probabilities: dict[str, float] | None
    created_at: datetime


class AbsoluteScorePage(Response):
    scores: list[AbsoluteScore]
    next_after: int | None


def _refuse_unusable(probabilities: dict[str, float]) -> None:
    for value in probabilities:
        try:
            usable = abs(float(value)) <= LARGEST_VALUE
        except ValueError:
            usable = False
        if not usable:
            raise ValueError(f'probabilities has the value {value!r}; name numbers up to 1e9, such as "7"')
    if not sum(probabilities.values()) > 0.0:
        raise ValueError("probabilities are all 0; leave out a judge without a score")


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
