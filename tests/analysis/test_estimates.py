"""Estimates of sets: the table, and what lies between its rows."""

from itertools import pairwise, product
from math import inf

import pytest

from app.analysis.estimate_table import LEVELS, TABLE
from app.analysis.estimates import Estimate, EstimateRequest, estimate
from app.inference.choosing import RANKING, Goal

BEST, AGAINST, PAIR = Goal(top_k=1), Goal(against=0), Goal(pair=(0, 1))


def counts(found: Estimate) -> list[float]:
    return [inf if count is None else count for count in found]


def test_every_row_has_quantiles_that_grow_and_stops_that_take_longer() -> None:
    for row in TABLE.values():
        assert len(row) == 1 + len(LEVELS)
        assert all(list(figures) == sorted(figures) for figures in row)
        assert all(low <= high for early, late in pairwise(row[1:]) for low, high in zip(early, late, strict=True))


@pytest.mark.parametrize("judge", ["votes", "probabilities"])
def test_a_row_of_the_table_is_its_estimate(judge: str) -> None:
    request = EstimateRequest(8, 0, judge, BEST, 0.9)  # type: ignore[arg-type]  # a name of the table
    assert counts(estimate(request)) == list(TABLE[judge, 0, 8, "best"][2])


@pytest.mark.parametrize(
    ("goal", "prompts"), [*product([RANKING, BEST, Goal(top_k=4), AGAINST, PAIR], [0, 3, 40, 500])]
)
def test_between_rows_more_certainty_takes_more_comparisons(goal: Goal, prompts: int) -> None:
    request = EstimateRequest(20, prompts, "probabilities", goal)
    by_share = [counts(estimate(request._replace(concordance=share))) for share in (0.6, 0.8, 0.85, 0.95, 0.99)]
    for early, late in pairwise(by_share):
        assert all(low <= high for low, high in zip(early, late, strict=True))
    assert all(figures == sorted(figures) for figures in by_share)


def test_more_candidates_take_more_comparisons_and_a_model_no_more_than_there_are() -> None:
    sizes = [counts(estimate(EstimateRequest(n, concordance=0.9)))[1] for n in (2, 3, 6, 12, 24, 100, 1000)]
    assert sizes == sorted(sizes)
    assert counts(estimate(EstimateRequest(3, concordance=0.99)))[2] <= 6  # each pair in both orders
    assert counts(estimate(EstimateRequest(300, goal=PAIR)))[2] <= 2


def test_the_last_k_are_as_hard_to_find_as_the_best_k() -> None:
    assert estimate(EstimateRequest(16, goal=Goal(top_k=3))) == estimate(EstimateRequest(16, goal=Goal(top_k=13)))


def test_few_prompts_limit_what_can_be_known() -> None:
    few, many = (counts(estimate(EstimateRequest(4, prompts, goal=BEST))) for prompts in (15, 150))
    assert few[2] >= many[2]
    with pytest.raises(ValueError, match="two candidates"):
        estimate(EstimateRequest(1))
