"""Systems ranked by people with the help of judges."""

from uuid import UUID

from pydantic import Field

from nextpair.schemas.common import Response
from nextpair.words import CovarianceName, SimultaneousName


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
