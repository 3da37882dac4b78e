"""Leaderboards: the sets of one project side by side, each a criterion."""

from uuid import UUID

from pydantic import Field

from nextpair.schemas.common import Response
from nextpair.schemas.rankings import InferenceTarget
from nextpair.schemas.ranks import AgainstBaseline


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
