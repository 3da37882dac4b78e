"""Two candidates compared: how often one beats the other, who says so, and what would decide it."""

from typing import Literal

from pydantic import Field

from nextpair.schemas.common import Computed, Response
from nextpair.schemas.confidence import Signal
from nextpair.schemas.rankings import InferenceTarget, Prompts, Stopping


class PairTally(Response):
    """Verdicts between the two candidates, seen from the first. A verdict counts as often as its weight."""

    comparisons: int
    wins: float
    ties: float
    losses: float
    share: float | None = Field(
        description="Mean verdict for the first candidate: a win is 1, a tie half, and a probability counts as it is. "
        "Null without comparisons."
    )
    interval: tuple[float, float] | None = Field(
        description="Wilson interval of `share` at `level`, as if verdicts were independent."
    )


class JudgeTally(PairTally):
    judge: str


class TagTally(PairTally):
    """Verdicts on the items that have one value of a tag."""

    tag: str
    value: str


class ToDecide(Stopping):
    """What would decide the pair: the stop rule `{"goal": 0.95}` with these two candidates as the goal."""

    cost: float | None = Field(
        description="Cost of `forecast`, at the mean price of the verdicts so far. Judges without `cost_per_1000` are "
        "left out. Null if no price is known, or nothing is forecast."
    )
    cost_interval: tuple[float, float | None] | None = Field(description="Cost of `forecast_interval`.")
    prompts: Prompts | None = Field(
        description="Prompts that would decide it, for the inference target `new-items`; null if it is decided."
    )


class HeadToHead(Computed):
    first: str
    second: str
    level: float = Field(description="Level of the intervals.")
    inference_target: InferenceTarget
    win_rate: float = Field(
        description="Expected share of wins of the first candidate against the second, as `against` of the ranking "
        "has it. For `all-pairs`, the share over all questions of these judges about the two, as the win matrix "
        "`win-rate` has it."
    )
    win_rate_interval: tuple[float, float]
    difference: float = Field(
        description="Difference of the scores, as `against` of the ranking has it. For `all-pairs`, of the win rates."
    )
    difference_interval: tuple[float, float]
    p_first_better: float | None = Field(
        description="Probability that the first candidate is better than the second; null without signal."
    )
    source: Literal["verdicts", "others", "absolute-scores", "prior"] = Field(
        description="Where the estimate comes from: verdicts between the two, comparisons with others, absolute scores "
        "or the prior alone."
    )
    signal: Signal = Field(description="As in the ranking.")
    verdicts: PairTally
    by_judge: list[JudgeTally] = Field(description="Most comparisons first; the counts sum to those of `verdicts`.")
    by_tag: list[TagTally] = Field(description="Each value of each tag that has at most 20 values.")
    to_decide: ToDecide | None = Field(description="Null where the scores have no covariance matrix.")
    sentence: str = Field(description="The comparison in one sentence.")
    note: str = Field(description="What to know before you quote it; empty if there is nothing.")
