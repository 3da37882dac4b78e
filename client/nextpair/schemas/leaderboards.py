"""Sets of one project side by side: how each candidate does by each criterion."""

from uuid import UUID

from pydantic import Field

from nextpair.schemas.common import Response
from nextpair.schemas.rankings import InferenceTarget
from nextpair.schemas.ranks import AgainstBaseline


class LeaderboardCriterion(Response):
    """One set (or file), which ranks the candidates by one attribute."""

    set_id: UUID
    name: str = Field(description="Of the set, or of the file.")
    attribute: str | None
    version: int
    newer_version: int | None = Field(description="A later version, whose ranking is being computed; null if none is.")
    comparisons: int
    inference_target: InferenceTarget


class Place(Response):
    """How a candidate does by one criterion: the row of that set's own ranking."""

    rank: int
    rank_interval: tuple[int, int] | None = Field(description="All candidates' hold together, in this criterion.")
    score: float
    interval: tuple[float, float] | None
    win_rate: float | None
    win_rate_interval: tuple[float, float] | None
    p_best: float | None
    against: AgainstBaseline | None


class Weighted(Response):
    """The weighted mean of win rates.

    The half-width of the interval is the weighted mean of half-widths, which is wide enough whatever the criteria
    have in common.
    """

    win_rate: float
    interval: tuple[float, float]


class LeaderboardRow(Response):
    key: str
    places: list[Place | None] = Field(
        description="In the order of `criteria`; null where the set has no such candidate."
    )
    weighted: Weighted | None = Field(
        description="Null without `weights`, and where a criterion of theirs has no win rate of this candidate."
    )


class Leaderboard(Response):
    project: str | None = Field(description="Null of files.")
    criteria: list[LeaderboardCriterion]
    weights: dict[str, float] | None = Field(description="By the criterion's name, summing to 1; null if none is set.")
    sentence: str = Field(description="The order of the rows, and what is averaged, in words.")
    rows: list[LeaderboardRow]
