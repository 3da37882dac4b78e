"""The row of a candidate, in a ranking and in each slice of one."""

from pydantic import Field

from nextpair.schemas.common import Response


class AgainstBaseline(Response):
    """A candidate beside the baseline system, the one candidate that was chosen to compare with."""

    difference: float = Field(
        description="Of the scores; of the win rates, as shares, where the inference target is `all-pairs`."
    )
    interval: tuple[float, float] = Field(description="Of the difference: marginal, at `level`.")
    p_better: float = Field(description="Probability that the candidate is better than the baseline system.")
    win_rate: float | None = Field(
        description="Expected share of wins against the baseline system; null where the inference target is "
        "`all-pairs`, which is about wins against all."
    )
    win_rate_interval: tuple[float, float] | None = Field(description="Marginal, at `level`.")


class Rank(Response):
    """Uncertainties are null for a baseline, which has none."""

    key: str
    rank: int
    score: float
    sd: float | None = None
    interval: tuple[float, float] | None = Field(default=None, description="Marginal.")
    rank_interval: tuple[int, int] | None = Field(
        default=None, description="Best and worst; all candidates' hold together."
    )
    p_best: float | None = Field(
        default=None, description="Probability of being first, from 2,000 to 10,000 draws: good to about 0.01."
    )
    p_top_k: float | None = Field(default=None, description="Probability of being among the first `top_k`.")
    tie_group: int | None = Field(
        default=None,
        description="1 for the best. A new group begins with whoever is surely worse than the first of the group above"
        " by more than `epsilon`; all such claims hold together at `level`.",
    )
    win_rate: float | None = Field(
        default=None, description="Expected share of wins against the others, each of them once; null where unknown."
    )
    win_rate_interval: tuple[float, float] | None = Field(default=None, description="Marginal, at `level`.")
    against: AgainstBaseline | None = Field(
        default=None, description="Null of the baseline system itself, and where none was asked for."
    )
    comparisons: int
    component: int = Field(description="Candidates of different components were never compared, even indirectly.")
