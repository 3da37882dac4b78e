"""How far to rely on a ranking: diagnostics, checks, the win matrix, and a summary for a list."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from nextpair.schemas.common import Computed, Failure, Response
from nextpair.schemas.judges import Agreement
from nextpair.schemas.rankings import HeldOut, JudgeBias
from nextpair.words import CheckVerdict, MatrixName


class Cycles(Response):
    """Triples of candidates whose three pairs were all judged."""

    triads: int
    cyclic: int = Field(description="Intransitive triples: a beats b, b beats c, c beats a.")
    share: float | None = Field(description="Share of `triads` that is intransitive; random judging gives 0.25.")


class Repeats(Response):
    """Repeated verdicts of one judge on one pair."""

    same_order: Agreement
    swapped: Agreement = Field(description="In the other order. Naming the same candidate is agreement.")
    first_both: float | None = Field(description="Share of swapped repeats where the first position won both times.")
    second_both: float | None = Field(description="Share of swapped repeats where the second position won both times.")


class OrderBalance(Response):
    worst: int = Field(
        description="How many times more often one candidate was shown in one position than in the other."
    )
    mixed: float | None = Field(
        description="How well position bias and merit can be separated: 1 with each candidate first as often as "
        "second, 0 if not at all."
    )
    first_picked: float | None = Field(description="Mean probability that the first is better, by weight.")


class JudgeDiagnostics(Response):
    comparisons: int
    failures: dict[Failure, int]
    failure_rate: float | None
    first_picked: float | None = Field(
        description="Mean probability of the first, by weight; beta of the `gaussian` expert."
    )
    delta: float | None = Field(
        description="Logit of `first_picked`, a quick estimate of the position bias; null if infinite."
    )


class Moment(Response):
    """The ranking at an earlier version."""

    version: int
    comparisons: int
    entropy: float
    concordance: float = Field(description="Expected concordance at that version, as in the ranking.")
    rank_correlation: float = Field(description="Spearman correlation with the present ranking.")


class Diagnostics(Computed):
    comparisons: int
    components: int
    cycles: Cycles
    repeats: Repeats
    agreement: Agreement = Field(description="Of different judges on the same pair of the same item.")
    order_balance: OrderBalance
    position_bias: dict[str, JudgeBias] = Field(
        description="In logits, by judge. Estimated together with the scores, whatever the set's setting is."
    )
    judges: dict[str, JudgeDiagnostics]
    held_out: HeldOut | None
    history: list[Moment] = Field(
        description="Oldest first, evenly spaced, about the set's present inference target. The last is the ranking."
    )


class Check(Response):
    name: str
    verdict: CheckVerdict = Field(description="`unknown` where the log holds too little to decide.")
    says: str = Field(description="The finding in words, with a remedy where one exists.")
    figure: str = Field(description="The figure behind the finding.")


class Checks(Computed):
    checks: list[Check]


class Matrix(Response):
    set_id: UUID
    version: int
    of: MatrixName
    keys: list[str] = Field(description="Keys of the N candidates, best first.")
    cells: str = Field(
        description="N * N bytes in base64, row by row: 200 times the probability that row beats column, 255 where "
        "unknown. `observed` is the mean verdict, `expected` the probability that the row is better, `win-rate` the "
        "expected share of verdicts it wins."
    )


class SummaryConfidence(Response):
    """The figure that answers the set's goal."""

    measure: Literal["p_best", "expected_concordance"] = Field(
        description="P(best) where the set looks for its best candidate, else the expected concordance of its goal."
    )
    value: float | None = Field(description="Null before there is a signal.")
    words: str = Field(description="The same in a few words.")
    sentence: str = Field(default="", description="What the figure is about, in one sentence.")


class GoalProgress(Response):
    """How far a set is to its goal.

    That is its stop rule where a forecast says how far off it is, else its budget. A set with neither aims to know its
    goal at 95%, which for a ranking is the expected concordance.
    """

    aim: Literal["stop", "budget", "goal"] | None = Field(description="Null where nothing can be said.")
    share: float | None = Field(
        description="Comparisons made, as a share of those and the forecast of those still needed; null if unknown."
    )
    comparisons_left: int | None = Field(description="Comparisons to the goal, by forecast; null if unknown.")
    cost_left: float | None = Field(
        description="Cost of `comparisons_left` at the mean cost of a verdict so far. Null where they are unknown, or "
        "a model judge has no price."
    )
    words: str = Field(description="The same in a few words.")
    sentence: str = Field(description="The same in one sentence.")


class JudgeCounts(Response):
    """Judges with a verdict in the set, by kind."""

    people: int
    models: int
    others: int = Field(description="Judges of unknown kind.")


class SetSummary(Computed):
    comparisons: int
    cost: float | None = Field(
        description="Cost of all verdicts so far, voided ones included; null where a model judge has no price."
    )
    judges: JudgeCounts
    last_activity: datetime = Field(description="Time of the newest log entry, or of the set's creation.")
    leaders: list[str] = Field(description="Keys of those in first place; empty before the first comparison.")
    sentence: str = Field(description="What the ranking says of first place.")
    confidence: SummaryConfidence
    signal_claimed: bool = Field(description="Whether the verdicts are shown to depend on the candidates.")
    progress: GoalProgress
