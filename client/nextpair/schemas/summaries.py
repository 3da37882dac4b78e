"""Summary of a set in a line of a list: who leads, how sure that is, and how far the set is to its goal."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from nextpair.schemas.common import Computed, Response


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
