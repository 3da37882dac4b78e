"""Judges: what is known of them, and what each is worth in a set."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from nextpair.schemas import deprecated
from nextpair.schemas.common import Failure, Request, Response
from nextpair.schemas.deprecated import OldNames, old_name
from nextpair.schemas.rankings import Convergence, JudgeBias, JudgeEffects
from nextpair.words import AggregationName, DiscriminationName, JudgeKind


class JudgeIn(Request):
    """Description of a judge: what to know of it beside its verdicts."""

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


class Agreement(Response):
    pairs: int = Field(description="Pairs of judgements that were compared.")
    share: float | None = Field(description="Of them that name the same winner; a tie agrees with a tie only.")


class PairAgreement(Agreement):
    judges: tuple[str, str]
    kappa: float | None = Field(
        description="Cohen's: 1 is always, 0 is as often as by chance; coins agree on half. Null where all are ties."
    )
    kappa_interval: tuple[float, float] | None = Field(description="Of 95%; null as kappa is.")


class Alpha(Response):
    """Krippendorff's alpha: how far all judges agree, 1 always, 0 as by chance, on the pairs that several judged."""

    value: float
    interval: tuple[float, float] = Field(description="Of 95%.")
    pairs: int = Field(description="Pairs of outputs that several judges judged.")
    drawn: bool = Field(
        description="Whether they are those drawn for the set's `overlap`, a random share of the pairs that it asked. "
        "Else they are all that several judged, however that came about: on close pairs judges agree less."
    )


class Influence(Response):
    """Difference that leaving this judge out makes to the ranking by judge-aware."""

    rank_correlation: float = Field(description="Spearman's, with the ranking of all judges.")
    largest_move: int = Field(description="Ranks by which a candidate moves.")
    changes_top: bool


class RelativeDiscrimination(Response):
    """How far a judge's verdicts go with the candidates as all verdicts before and the others' show them.

    1 is as far as one may expect of it, 0 is like coins, less is against the others.
    """

    overall: float
    since: int = Field(description="Of its verdicts, where the part begins that is farthest from what one may expect.")
    before: float | None = Field(description="Up to there; null where that part is all of them.")
    after: float = Field(description="From there on.")
    named: DiscriminationName | None = Field(
        description="Set where that is hardly chance: like coins, against, or changed."
    )


class Rightness(Response):
    """Agreement with people, on the pairs that they judged too; a tie of either is half right."""

    pairs: int
    share: float
    interval: tuple[float, float] = Field(description="Of 95%, by Wilson.")


class UnjudgedPair(Response):
    item: str | None
    first: str
    second: str


class People(Response):
    """Judges held against people: those of kind human, and those named as reference."""

    summary: str = Field(
        description="How right the majority and the best judge are, and how to weigh judges, in words."
    )
    pairs: int = Field(description="That people judged. Of none of them, nothing tells who is right.")
    among_themselves: Rightness | None = Field(description="Of each with the others, where several judged a pair.")
    ways: dict[str, Rightness] = Field(
        description="Ways to weigh judges, each on pairs whose verdict by people it has not seen."
    )
    judge_next: list[UnjudgedPair] = Field(description="What people should judge, so that this is known soonest.")


class JudgeCard(OldNames):
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
    agreement_with_people: Rightness | None = Field(description="Null for people, and where they have judged nothing.")
    agreement: Agreement | None = Field(description="With each other judge, on the pairs that both judged.")
    same_order: Agreement | None = Field(description="With itself on the same pair, shown again in the same order.")
    swapped: Agreement | None = Field(description="With itself on the same pair, shown the other way round.")
    position_bias: JudgeBias | None = Field(description="As in `diagnostics`; discrimination by judge-aware.")
    judge_effects: JudgeEffects | None = Field(
        default=None, description="By consensus. Null also in sets of more than 5,000 candidates times judges."
    )
    relative_discrimination: RelativeDiscrimination | None = Field(description="Null below 40 verdicts.")
    influence: Influence | None
    _tastes = old_name("tastes", "judge_effects", deprecated.Tastes | None, deprecated.tastes)
    _accord = old_name("accord", "relative_discrimination", deprecated.Accord | None, deprecated.accord)


class GroupVerdict(Response):
    """Verdict of the judges together on one pair."""

    item: str | None
    first: str
    second: str
    p_first: float
    p_tie: float | None = Field(description="Where ties are a class of their own; null where they are half a vote.")
    judges: int = Field(description="How many judged it.")


class Judges(Response):
    set_id: UUID
    version: int = Field(description="Whose verdicts were weighed: the log may have grown meanwhile.")
    method: AggregationName
    convergence: Convergence | None = Field(description="Of the method, where it iterates.")
    people: People
    warnings: list[str] = Field(description="Judges that no method can make use of, in words.")
    judges: list[JudgeCard] = Field(description="By name.")
    agreement: list[PairAgreement] = Field(
        description="Of each two judges that have judged the same pairs; of a set with `overlap`, those drawn for it."
    )
    alpha: Alpha | None = Field(description="Null where no two judges have judged the same pair, or all are ties.")
    verdicts: list[GroupVerdict] | None = Field(description="One for each pair that was judged, whatever its order.")
