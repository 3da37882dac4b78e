"""A set of more candidates than a matrix of all pairs is made of: here of more than eight."""

from itertools import pairwise
from typing import get_args

import pytest
from nextpair.words import CriterionName

from app.inference.fitting import posterior
from tests.api.test_bad_input import assert_problem
from tests.factories import Http, create_set, names, tell

KEYS = "abcdefghijkl"
CHAIN = [f"{better}>{worse}" for better, worse in pairwise(KEYS)]


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posterior, "DENSE", 8)


@pytest.mark.parametrize("criterion", get_args(CriterionName))
@pytest.mark.parametrize("goal", [{}, {"top_k": 3}])
async def test_pairs_are_asked_for_judged_and_ranked(http: Http, criterion: str, goal: dict[str, int]) -> None:
    created = await create_set(
        http, *KEYS, selection={"criterion": criterion}, goal=goal, verdict_weight="one-vote", stop={"rank_width": 2}
    )
    await created.compare(*CHAIN)

    for _ in range(3):
        pairs = (await created.ask(count=4))["assignments"]
        assert len({frozenset(names(pair)) for pair in pairs}) == 4
        for pair in pairs:
            p = 0.9 if names(pair)[0] < names(pair)[1] else 0.1
            assert (await tell(http, pair["id"], p_first=p)).status_code == 201

    ranking = await created.read("/ranking")
    order = [row["key"] for row in ranking["ranking"]]
    assert sorted(order) == list(KEYS)
    assert set("ab") <= set(order[:5])
    assert ranking["entropy"] is None
    assert (ranking["confidence"] is None) == bool(goal)
    assert ranking["stopping"]["converged"] is False
    first = ranking["ranking"][0]
    assert first["interval"][0] < first["score"] < first["interval"][1]
    assert {row["p_best"] for row in ranking["ranking"]} == {None}  # without signal


@pytest.mark.parametrize("path", ["diagnostics", "matrix?of=expected", "checks"])
async def test_what_needs_a_matrix_says_so(http: Http, path: str) -> None:
    created = await create_set(http, *KEYS, verdict_weight="one-vote", told=CHAIN)

    response = await http.get(f"{created.url}/{path}")

    assert_problem(response, 422, "too-many-candidates", "12")
