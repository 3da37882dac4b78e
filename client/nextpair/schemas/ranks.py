"""The row of a candidate, in a ranking and in each slice of one."""

from pydantic import Field

from nextpair.schemas.common import Response


class AgainstBaseline(Response):
    """A candidate compared with the baseline system that you named."""

    difference: float = Field(
        description="Difference of the scores. For the inference target `all-pairs`, of the win rates, as shares."
    )
    interval: tuple[float, float] = Field(description="Marginal interval of `difference` at `level`.")
    p_better: float | None = Field(
        description="Probability that the candidate is better than the baseline system; null without signal."
    )
    win_rate: float | None = Field(
        description="Expected share of wins against the baseline system. Null for `all-pairs`, which is about wins "
        "against all."
    )
    win_rate_interval: tuple[float, float] | None = Field(description="Marginal interval at `level`.")


class Rank(Response):
    """One row of a ranking. A baseline has null for uncertainties.

    Where `signal` is not claimed, no candidates are distinguished. Every rank interval is then 1 to N and every tie
    group 1; `p_best`, `p_top_k` and `against.p_better` are null.
    """

    key: str
    rank: int
    score: float
    sd: float | None = None
    interval: tuple[float, float] | None = Field(default=None, description="Marginal interval of the score at `level`.")
    rank_interval: tuple[int, int] | None = Field(
        default=None, description="Best and worst rank. All candidates' rank intervals hold together at `level`."
    )
    p_best: float | None = Field(
        default=None,
        description="P(best): probability that the candidate is the best, alone or tied. A tie counts for each, so the "
        "sum may exceed 1, above all for `all-pairs`. From 2,000 to 10,000 draws, accurate to about 0.01.",
    )
    p_top_k: float | None = Field(default=None, description="Probability of being among the first `top_k`.")
    tie_group: int | None = Field(
        default=None,
        description="1 is the best group. Candidates of a lower group are worse than the first of the group above by "
        "more than `epsilon`. All such claims hold together at `level`.",
    )
    win_rate: float | None = Field(
        default=None, description="Expected share of wins against all others, each counted once; null if unknown."
    )
    win_rate_interval: tuple[float, float] | None = Field(default=None, description="Marginal interval at `level`.")
    against: AgainstBaseline | None = Field(
        default=None, description="Null for the baseline system itself, and if you named none."
    )
    comparisons: int
    component: int = Field(description="Candidates of different components were never compared, not even indirectly.")
