"""Systems ranked by people with the help of judges."""

from uuid import UUID

from pydantic import Field

from nextpair.schemas.common import Response
from nextpair.words import CovarianceName, SimultaneousName


class RankSet(Response):
    """Score and rank-set of a system by one source of verdicts."""

    theta: float = Field(description="Chance of beating the average other system; a tie counts for neither.")
    sd: float
    ranks: tuple[int, int] = Field(description="Best and worst. All of them hold together with 1 - alpha.")


class SystemRankSet(RankSet):
    key: str
    by_people: RankSet = Field(description="From people's verdicts alone.")
    by_judge: RankSet = Field(description="From the first judge's alone, as if they were people's: it may be wrong.")
    by_judges: list[RankSet] = Field(description="The same of each judge, in their order.")


class HelpingJudge(Response):
    judge: str
    tuned_lambda: float = Field(description="How far the judge is used: 0 for one that says nothing of people's views.")
    instances_by_both: int = Field(description="Pairs of outputs that people and the judge both judged.")
    instances_by_judge: int = Field(description="Further ones that the judge judged and people did not.")


class RankSets(HelpingJudge):
    """What is said of one judge is about the first."""

    set_id: UUID
    version: int
    alpha: float
    covariance: CovarianceName
    simultaneous: SimultaneousName
    reference: list[str]
    judges: list[HelpingJudge] = Field(description="All of them, as they were named.")
    pairs_unseen: int = Field(description="Pairs of candidates of which people judged nothing: theta leaves them out.")
    people_saved: int | None = Field(
        description="Verdicts of people that the judges are worth; null if the covariance is `published`."
    )
    systems: list[SystemRankSet] = Field(description="Best first.")
