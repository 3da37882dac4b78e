"""Judges: their descriptions, their diagnostics in a set, and their probabilities against other judges' verdicts."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from nextpair import words
from nextpair.schemas.common import Failure, Request, Response
from nextpair.schemas.rankings import Convergence, JudgeBias, JudgeEffects


class JudgeIn(Request):
    """Description of a judge, beyond its verdicts."""

    kind: words.JudgeKind | None = Field(
        default=None, description="`human` or `llm`. Other judges are validated against judges of kind `human`."
    )
    model: Annotated[str, Field(min_length=1, max_length=1000)] | None = Field(
        default=None, description="The model behind a judge of kind `llm`.", examples=["gpt-4-0125-preview"]
    )
    configuration: Annotated[str, Field(min_length=1, max_length=1000)] | None = Field(
        default=None,
        description="What decides how it answers beside the model: temperature, template. What it answered when it was "
        "asked again, in any set, counts in the next sets while this and `model` stay as they are.",
        examples=["temperature 0, template pairwise-3"],
    )
    cost_per_1000: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] | None = Field(
        default=None, description="Price of 1,000 verdicts, failures included, in any currency."
    )
    repeats: bool | None = Field(
        default=None,
        description="True: it always answers the same question alike, as a model at temperature 0 may. False: each "
        "answer is a new draw. Null: unknown. Then it is asked a few questions again where that decides a stop.",
    )


class JudgeOut(Response):
    name: str
    kind: words.JudgeKind | None
    model: str | None
    configuration: str | None = None
    cost_per_1000: float | None
    repeats: bool | None = None
    created_at: datetime


class JudgePage(Response):
    judges: list[JudgeOut]
    next_after: str | None


class Agreement(Response):
    pairs: int = Field(description="Pairs of verdicts that were compared.")
    share: float | None = Field(description="Share of them that name the same winner. A tie agrees with a tie only.")


class PairAgreement(Agreement):
    judges: tuple[str, str]
    kappa: float | None = Field(
        description="Cohen's kappa: 1 is full agreement, 0 is chance. Null if all verdicts are ties."
    )
    kappa_interval: tuple[float, float] | None = Field(description="95% interval; null as kappa is.")


class Alpha(Response):
    """Krippendorff's alpha, the agreement of all judges on pairs that several judged.

    1 is full agreement, 0 is chance.
    """

    value: float
    interval: tuple[float, float] = Field(description="95% interval.")
    pairs: int = Field(description="Pairs of outputs that several judges judged.")
    drawn: bool = Field(
        description="True for the pairs drawn for the set's `overlap`, a random share of the pairs asked. False for "
        "all pairs that several judged; if those are close pairs, judges agree less on them."
    )


class Influence(Response):
    """How the ranking by `judge-aware` changes without this judge."""

    rank_correlation: float = Field(description="Spearman correlation with the ranking by all judges.")
    largest_move: int = Field(description="Largest change of a candidate's rank.")
    changes_top: bool = Field(description="Whether first place changes.")


class RelativeDiscrimination(Response):
    """How strongly a judge's verdicts follow the candidates, compared with what all other verdicts predict.

    1 is as predicted, 0 is random judging, below 0 is inverted.
    """

    overall: float = Field(description="Over all verdicts of the judge.")
    since: int = Field(
        description="Number of the judge's verdicts before the part that deviates most from the prediction."
    )
    before: float | None = Field(description="Before that part; null if the part is all verdicts.")
    after: float = Field(description="In that part.")
    named: words.DiscriminationName | None = Field(
        description="Set where chance hardly explains the deviation: `random`, `inverted` or `changed`."
    )


class Rightness(Response):
    """Agreement with people on the pairs that people also judged. A tie on either side counts half."""

    pairs: int
    share: float
    interval: tuple[float, float] = Field(description="95% Wilson interval.")


class UnjudgedPair(Response):
    item: str | None
    first: str
    second: str


class People(Response):
    """Judges validated against people: judges of kind `human`, and those you name as `reference`."""

    summary: str = Field(
        description="How accurate the majority and the best judge are, and which method weights judges best, in words."
    )
    headline: str = Field(default="", description="The first sentence of `summary`.")
    pairs: int = Field(description="Pairs that people judged. Without any, accuracy is unknown.")
    among_themselves: Rightness | None = Field(
        description="Agreement of each person with the others, where several judged a pair."
    )
    ways: dict[str, Rightness] = Field(
        description="Accuracy by method of weighting judges, each on human verdicts that it did not use."
    )
    judge_next: list[UnjudgedPair] = Field(
        description="Pairs that people should judge next; these tell the most about the judges."
    )


class JudgeCard(Response):
    """One judge in one set. Null is what its verdicts do not show."""

    judge: str
    kind: words.JudgeKind | None = None
    model: str | None = None
    comparisons: int
    cost: float | None = Field(default=None, description="Cost of its verdicts in this set, failures included.")
    median_latency_ms: float | None = None
    failures: dict[Failure, int]
    failure_rate: float | None = None
    skill: float | None = Field(
        default=None,
        description="Skill by the method: 1 is always right, 0 is chance, below 0 is inverted. Null where the method "
        "weights all judges the same.",
    )
    agreement_with_people: Rightness | None = Field(
        default=None, description="Null for people, and where people judged none of its pairs."
    )
    agreement: Agreement | None = Field(default=None, description="With other judges, on pairs that both judged.")
    same_order: Agreement | None = Field(default=None, description="With itself, on the same pair in the same order.")
    swapped: Agreement | None = Field(default=None, description="With itself, on the same pair in the other order.")
    position_bias: JudgeBias | None = Field(
        default=None, description="As in `diagnostics`, in logits; discrimination is by `judge-aware`."
    )
    judge_effects: JudgeEffects | None = Field(
        default=None, description="By the method `consensus`. Null in sets of more than 5,000 candidates times judges."
    )
    relative_discrimination: RelativeDiscrimination | None = Field(default=None, description="Null below 40 verdicts.")
    influence: Influence | None = None
    status: words.JudgeStatus | None = Field(
        default=None,
        description="`random`, `inverted` or `changed` where chance hardly explains the verdicts. Null where there are "
        "too few to tell.",
    )
    doubts: list[str] = Field(default=[], description="What is wrong with this judge, in words.")
    effective_votes: float | None = Field(
        default=None,
        description="How many votes one of its verdicts counts as in the set's ranking, learnt or as the set fixes it.",
    )
    verdicts_per_hour: float | None = Field(
        default=None,
        description="Over the verdicts on pairs that it asked for, without pauses of more than 10 minutes. Null where "
        "there are fewer than two.",
    )
    last_verdict_at: datetime | None = None


class GroupVerdict(Response):
    """The judges' combined verdict on one pair."""

    item: str | None
    first: str
    second: str
    p_first: float
    p_tie: float | None = Field(description="Where ties are a class of their own. Null where a tie is half a vote.")
    judges: int = Field(description="How many judges judged the pair.")


class Judges(Response):
    set_id: UUID
    version: int = Field(description="Version whose verdicts were weighted; the log may have grown since.")
    method: words.AggregationName
    convergence: Convergence | None = Field(description="Of the method, if it iterates.")
    people: People
    warnings: list[str] = Field(description="Judges that no method can use, in words.")
    judges: list[JudgeCard] = Field(description="By name.")
    agreement: list[PairAgreement] = Field(
        description="For each two judges with common pairs. In a set with `overlap`, on the pairs drawn for it."
    )
    alpha: Alpha | None = Field(description="Null where no two judges share a pair, or all verdicts are ties.")
    verdicts: list[GroupVerdict] | None = Field(
        description="One for each pair judged, in whichever order it was shown."
    )


class RecentShare(Response):
    """A share among the latest verdicts of a judge."""

    pairs: int = Field(description="Number of pairs of verdicts, or of verdicts, that were compared.")
    share: float
    interval: tuple[float, float] = Field(description="95% Wilson interval.")


class JudgeMoment(Response):
    """A judge after some of its verdicts."""

    verdicts: int = Field(description="Number of the judge's verdicts so far.")
    at: datetime = Field(description="Time of the last of them.")
    agreement: Agreement = Field(description="With other judges, over all verdicts so far.")
    recent: RecentShare | None = Field(
        description="Agreement with other judges among the latest verdicts. Null where they share no pair."
    )
    predicted: RecentShare | None = Field(
        description="Share of the latest verdicts that name the winner predicted by all other verdicts. Ties are left "
        "out."
    )


class JudgePeriod(Response):
    start: datetime
    verdicts: int


class LatestVerdict(Response):
    seq: int
    item: str | None
    first: str
    second: str
    p_first: float
    winner: words.Winner | None = Field(description="The verdict as a word, if it came as one.")
    latency_ms: float | None
    created_at: datetime
    voided_by: int | None = Field(description="Sequence number of the void, if there is one.")
    restores: int | None = Field(description="Sequence number of the voided comparison that this is a copy of.")


class JudgeDetail(Response):
    """One judge in one set, and how it did over time."""

    set_id: UUID
    version: int = Field(description="Version whose verdicts were weighted; the log may have grown since.")
    summary: str = Field(description="What this judge is, and how good, in words.")
    card: JudgeCard = Field(description="As in `judges`, with more of the largest deviations.")
    over_time: str = Field(description="Whether it judges worse than it did before, in words.")
    latest_of: int = Field(description="Number of verdicts that count as the latest ones in `history`.")
    history: list[JudgeMoment] = Field(description="At most 60 moments, the last one at the judge's last verdict.")
    period: Literal["hour", "day"] = Field(description="Length of each of `periods`, in UTC.")
    periods: list[JudgePeriod] = Field(
        description="Verdicts by hour or by day. Periods without a verdict are left out."
    )
    latest: list[LatestVerdict] = Field(description="The last 50 verdicts, the newest first, voided ones included.")


class ReliabilityBin(Response):
    low: float
    high: float
    verdicts: int
    confidence: float = Field(description="Mean of max(p, 1 - p).")
    accuracy: float = Field(description="Share of right verdicts.")


class Rejection(Response):
    """A point of the accuracy-rejection curve. It rises where the judge's confidence predicts accuracy."""

    rejected: float = Field(description="Share of verdicts left out, those of lowest confidence max(p, 1 - p) first.")
    verdicts: int = Field(description="Number of verdicts left in.")
    accuracy: float = Field(description="Share of right verdicts among them.")


class CalibrationErrors(Response):
    log_loss: float = Field(description="Mean of -log p of the reference's verdict, in nats.")
    ece: float = Field(
        description="Expected calibration error over 15 bins, of both orders averaged where both were asked."
    )
    biased_ece: float = Field(description="The same for single verdicts, so position bias counts as an error.")


class Calibration(Response):
    """One judge's probabilities validated against the verdicts of others on the same pairs."""

    set_id: UUID
    version: int
    judge: str
    reference: list[str]
    objective: words.ObjectiveName
    verdicts: int = Field(
        description="The judge's comparisons on pairs that a reference also judged. Two in opposite orders count as "
        "one."
    )
    temperature: float | None = Field(
        description="Null without shared pairs. 1 where every probability is 1/2, which any temperature fits."
    )
    at_bound: bool = Field(description="Whether the best temperature may lie outside [1/20, 20].")
    before: CalibrationErrors | None = Field(description="At temperature 1; null without shared pairs.")
    after: CalibrationErrors | None = Field(description="At `temperature`; null without shared pairs.")
    reason: str | None = Field(None, description="Why there are no figures, and what to do.")
    reliability: list[ReliabilityBin] = Field(description="At temperature 1, without empty bins.")
    reliability_after: list[ReliabilityBin] = Field(description="At `temperature`, without empty bins.")
    rejection: list[Rejection] = Field(description="From nothing to nine tenths left out, at temperature 1.")
