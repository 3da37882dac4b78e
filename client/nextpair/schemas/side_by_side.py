"""Two candidates compared, systems ranked by people with a judge's help, and the sets of a project side by side."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from nextpair.schemas.common import Computed, Response
from nextpair.schemas.confidence import Signal
from nextpair.schemas.rankings import AgainstBaseline, InferenceTarget, Prompts, Stopping
from nextpair.words import CovarianceName, SimultaneousName


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


class RankSet(Response):
    """Score and rank-set of a system from one source of verdicts."""

    theta: float = Field(description="Probability of beating the average other system; a tie counts for neither.")
    sd: float
    ranks: tuple[int, int] = Field(
        description="Best and worst rank. All rank-sets hold together with confidence 1 - alpha."
    )


class SystemRankSet(RankSet):
    key: str
    by_people: RankSet = Field(description="From people's verdicts alone.")
    by_judge: RankSet = Field(
        description="From the first judge's verdicts alone, treated as people's; it may be biased."
    )
    by_judges: list[RankSet] = Field(description="The same for each judge, in their order.")


class HelpingJudge(Response):
    judge: str
    tuned_lambda: float = Field(
        description="Weight of the judge's verdicts; 0 for a judge that does not predict people's verdicts."
    )
    instances_by_both: int = Field(description="Pairs of outputs that both people and the judge judged.")
    instances_by_judge: int = Field(description="Further pairs of outputs that only the judge judged.")


class RankSets(HelpingJudge):
    """Rank-sets of all systems. The fields about one judge are about the first."""

    set_id: UUID
    version: int
    alpha: float
    covariance: CovarianceName
    simultaneous: SimultaneousName
    reference: list[str]
    judges: list[HelpingJudge] = Field(description="All judges, in the order you named them.")
    pairs_unseen: int = Field(description="Pairs of candidates without a verdict by people; theta excludes them.")
    people_saved: int | None = Field(
        description="Number of people's verdicts that the judges save; null if the covariance is `published`."
    )
    systems: list[SystemRankSet] = Field(description="Best first.")


class LeaderboardCriterion(Response):
    """One set (or file), which ranks the candidates by one attribute."""

    set_id: UUID
    name: str = Field(description="Name of the set or file.")
    attribute: str | None
    version: int
    newer_version: int | None = Field(
        description="A later version whose ranking is being computed; null if there is none."
    )
    comparisons: int
    inference_target: InferenceTarget


class Place(Response):
    """A candidate's row in the ranking by one criterion."""

    rank: int
    rank_interval: tuple[int, int] | None = Field(
        description="Best and worst rank; those of all candidates hold together within this criterion."
    )
    score: float
    interval: tuple[float, float] | None
    win_rate: float | None
    win_rate_interval: tuple[float, float] | None
    p_best: float | None
    against: AgainstBaseline | None


class Weighted(Response):
    """The weighted mean of win rates.

    The half-width of the interval is the weighted mean of the half-widths, which holds for any correlation of criteria.
    """

    win_rate: float
    interval: tuple[float, float]


class LeaderboardRow(Response):
    key: str
    places: list[Place | None] = Field(
        description="In the order of `criteria`. Null where the set lacks the candidate."
    )
    weighted: Weighted | None = Field(
        description="Null without `weights`, and where a weighted criterion has no win rate for this candidate."
    )


class Leaderboard(Response):
    project: str | None = Field(description="Null for files.")
    criteria: list[LeaderboardCriterion]
    weights: dict[str, float] | None = Field(
        description="By the criterion's name, summing to 1; null if you sent none."
    )
    first_place: str = Field(default="", description="Who leads, and how sure that is, in words.")
    sentence: str = Field(description="How rows are ordered and what is averaged, in words.")
    rows: list[LeaderboardRow]
