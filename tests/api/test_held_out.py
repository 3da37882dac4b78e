"""Read: pairs drawn at random, compared with their predictions."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from app.service.context import Context
from tests.factories import Http, ask, comparison, create_set, get, ranking, run_sql, score, tell, void

HALF_RANDOM = {"random_share": 0.5, "seed": 5}
ALL_RANDOM = {"random_share": 1.0}
CHAIN = (
    ("a", "b"),
    ("c", "b"),
    ("c", "d"),
    ("e", "d"),
    ("e", "f"),
)  # from here on no two candidates are predicted to be equal


async def begun(http: Http, **selection: Any) -> str:
    """A set of six with five comparisons that nobody drew; returns its id."""
    created = await create_set(http, *"abcdef", selection=selection)
    chain = [comparison(first, second, 0.6 + 0.07 * n) for n, (first, second) in enumerate(CHAIN)]
    await created.compare_all(chain)
    return str(created["id"])


async def judged(http: Http, set_id: str, p: float = 0.8) -> list[dict[str, Any]]:
    """Every pair, answered in turn; the assignments with the verdict that each got."""
    done = []
    while pairs := (await ask(http, set_id))["assignments"]:
        for pair in pairs:
            said = p if pair["first"]["key"] < pair["second"]["key"] else 1 - p
            answer = await tell(http, pair["id"], p_first=said)
            done.append(pair | {"p": said, "seq": answer.json()["seq"]})
    return done


def predicted(why: dict[str, Any]) -> float:
    """The p that soft-bt lets one expect of N(m, sd^2), by another quadrature."""
    m, sd = why["mean_difference"], why["sd_difference"]
    return float(quad(lambda d: expit(d) * norm.pdf(d, m, sd), m - 12 * sd, m + 12 * sd)[0])


def expected(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    p, q = np.array([pair["p"] for pair in pairs]), np.array([predicted(pair["why"]) for pair in pairs])
    loss = -(p * np.log(q) + (1 - p) * np.log(1 - q))
    right = ((q > 0.5) == (p > 0.5))[p != 0.5]
    agreement = pytest.approx(right.mean()) if right.size else None
    return {"comparisons": len(pairs), "agreement": agreement, "log_loss": pytest.approx(loss.mean(), abs=1e-6)}


async def test_the_pairs_drawn_at_random_are_counted_and_no_others(http: Http) -> None:
    set_id = await begun(http, **HALF_RANDOM)
    pairs = await judged(http, set_id)
    drawn = [pair for pair in pairs if pair["why"]["random"]]
    assert 2 < len(drawn) < len(pairs) - 2
    assert (await ranking(http, set_id))["held_out"] == expected(drawn)


@pytest.mark.parametrize("selection", [{"random_share": 1.0}, {"criterion": "random"}], ids=str)
async def test_where_chance_alone_chooses_every_pair_is_a_test(http: Http, selection: dict[str, Any]) -> None:
    set_id = await begun(http, **selection)
    pairs = await judged(http, set_id, 1.0)
    assert {pair["why"]["random"] for pair in pairs} == {True}
    assert (await ranking(http, set_id))["held_out"] == expected(pairs)


async def test_without_chance_there_is_no_test(http: Http) -> None:
    created = await create_set(http)
    assert {pair["why"]["random"] for pair in await judged(http, created["id"])} == {False}
    assert (await created.ranking())["held_out"] is None


async def test_a_pair_that_is_out_or_failed_is_no_test_yet(http: Http) -> None:
    created = await create_set(http, selection=ALL_RANDOM)
    out, failed = (await created.ask(count=2))["assignments"]
    await tell(http, failed["id"], failure="refused")
    assert (await created.ranking())["held_out"] is None
    await tell(http, out["id"], p_first=0.9)
    assert (await created.ranking())["held_out"]["comparisons"] == 1


async def test_ties_tell_nothing_of_agreement(http: Http) -> None:
    created = await create_set(http, selection=ALL_RANDOM)
    pairs = await judged(http, created["id"], 0.5)
    found = (await created.ranking())["held_out"]
    assert found == expected(pairs)
    assert (found["agreement"], found["log_loss"]) == (None, pytest.approx(np.log(2)))


async def test_a_voided_test_does_not_count(http: Http) -> None:
    set_id = await begun(http, **ALL_RANDOM)
    pairs = await judged(http, set_id)
    await void(http, set_id, pairs[2]["seq"])
    await void(http, set_id, 1)  # one that was no test
    assert (await ranking(http, set_id))["held_out"] == expected(pairs[:2] + pairs[3:])


async def test_looking_back_sees_the_tests_of_then(http: Http) -> None:
    set_id = await begun(http, **ALL_RANDOM)
    pairs = await judged(http, set_id)
    await void(http, set_id, pairs[0]["seq"])
    for count in (1, 4, 10):
        then = await ranking(http, set_id, as_of=pairs[count - 1]["seq"])
        assert then["held_out"] == expected(pairs[:count])
    assert (await ranking(http, set_id, as_of=5))["held_out"] is None
    assert (await ranking(http, set_id))["held_out"] == expected(pairs[1:])


async def test_a_test_is_the_same_whichever_expert_ranks_and_diagnostics_hold_it_too(http: Http) -> None:
    set_id = await begun(http, **ALL_RANDOM)
    await score(http, set_id, a=7, b=3)
    pairs = await judged(http, set_id)
    assert (await ranking(http, set_id, method="gaussian"))["held_out"] == expected(pairs)
    assert (await ranking(http, set_id, method="win-ratio"))["held_out"] is None
    assert (await get(http, f"/v1/sets/{set_id}/diagnostics"))["held_out"] == expected(pairs)


async def test_an_assignment_from_before_there_were_tests_is_none(http: Http, context: Context) -> None:
    set_id = await begun(http, **ALL_RANDOM)
    pairs = await judged(http, set_id)
    await run_sql(context.engine, f"UPDATE assignments SET why = why - 'random' WHERE id = '{pairs[0]['id']}'")
    assert (await ranking(http, set_id))["held_out"] == expected(pairs[1:])
