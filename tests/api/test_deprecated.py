"""Names of before 0.2 answer in 0.2: a client of 0.1 sends its requests and reads its fields."""

from typing import Any

import httpx

from tests.factories import compare_all, comparison, create_set, get, ranking, score, simulated

KEYS = ["ash", "birch", "cedar", "elm"]
NAMED = {"random": "coins", "inverted": "against"}


async def test_a_ranking_has_its_old_fields(http: httpx.AsyncClient) -> None:
    created = await create_set(http, *KEYS)
    await compare_all(http, created["id"], simulated(KEYS, 40, seed=1))
    await score(http, created["id"], ash=7, elm=3)
    found = await ranking(http, created["id"])
    new, old = found["confidence"], found["sureness"]
    assert (old["concordance"], old["pairs"], old["interval"]) == (
        new["expected_concordance"], new["pairs"], new["interval"],
    )  # fmt: skip
    assert old["forecast"] == [
        {"comparisons": each["comparisons"], "concordance": each["expected_concordance"]} for each in new["forecast"]
    ]
    assert old["forecast"]
    assert found["certainty"] == found["validation"]
    weight = found["verdict_weight"]
    assert found["evidence"] == {"scale": weight["score_variance"], "votes": weight["effective_votes"]}
    assert found["method"]["evidence"] == found["method"]["verdict_weight"] == "learnt"
    (scale,) = found["absolute_scores"].values()
    assert scale["settled"] is scale["converged"]


async def test_judge_effects_have_their_old_fields(http: httpx.AsyncClient) -> None:
    created = await create_set(http, *KEYS)
    log = simulated(KEYS, 120, seed=2)
    await compare_all(http, created["id"], [each | {"judge": f"j{n % 2}"} for n, each in enumerate(log)])
    agreed = await ranking(http, created["id"], method="consensus")
    cards = (await get(http, f"/v1/sets/{created['id']}/judges"))["judges"]
    for new, old in [
        *((agreed["judge_effects"][judge], agreed["tastes"][judge]) for judge in ("j0", "j1")),
        *((card["judge_effects"], card["tastes"]) for card in cards),
    ]:
        assert old["sd"] == new["sd"]
        assert [(each["key"], each["departure"], each["sd"]) for each in old["departures"]] == [
            (each["key"], each["deviation"], each["sd"]) for each in new["largest_deviations"]
        ]
    for card in cards:
        named = card["relative_discrimination"]["named"]
        assert card["accord"] == card["relative_discrimination"] | {"named": NAMED.get(named, named)}
    assert (await ranking(http, created["id"]))["tastes"] is None


async def test_a_slice_has_its_old_field(http: httpx.AsyncClient) -> None:
    tags = {"p1": "code", "p2": "code", "p3": "talk", "p4": "talk"}
    items: list[Any] = [{"key": item, "tags": {"category": tag}} for item, tag in tags.items()]
    systems = [{"key": key, "outputs": dict.fromkeys(tags, "text")} for key in KEYS[:2]]
    created = await create_set(http, candidates=systems, items=items)
    await compare_all(http, created["id"], [comparison("ash", "birch", item=item) for item in tags])
    for each in (await ranking(http, created["id"], by="category"))["slices"]["slices"]:
        assert each["departure"] == each["deviation"]


async def test_the_checks_have_their_old_address(http: httpx.AsyncClient) -> None:
    created = await create_set(http, *KEYS)
    here = f"/v1/sets/{created['id']}"
    assert await get(http, f"{here}/trust") == await get(http, f"{here}/checks")


async def test_a_set_takes_and_has_its_old_field(http: httpx.AsyncClient) -> None:
    created = await create_set(http, *KEYS, evidence="one-vote")
    assert created["evidence"] == created["verdict_weight"] == "one-vote"
    changed = await http.patch(f"/v1/sets/{created['id']}", json={"evidence": {"ann": 2.0}})
    assert changed.json()["verdict_weight"] == changed.json()["evidence"] == {"ann": 2.0}
    renamed = await http.patch(f"/v1/sets/{created['id']}", json={"name": "Trees"})
    assert renamed.json()["verdict_weight"] == {"ann": 2.0}
    assert (await http.patch(f"/v1/sets/{created['id']}", json={"evidence": None})).status_code == 422


async def test_both_names_at_once_are_refused(http: httpx.AsyncClient) -> None:
    created = await create_set(http, *KEYS)
    here, both = f"/v1/sets/{created['id']}", {"evidence": "learnt", "verdict_weight": "learnt"}
    new = {"name": "Trees", "question": "Which?"}
    for answer in (
        await http.post("/v1/sets", json=new | both),
        await http.patch(here, json=both),
        await http.get(f"{here}/ranking", params=both),
    ):
        assert answer.status_code == 422
        assert "send verdict_weight or evidence, its old name, not both" in answer.text


async def test_a_ranking_takes_its_old_parameter(http: httpx.AsyncClient) -> None:
    created = await create_set(http, *KEYS)
    await compare_all(http, created["id"], simulated(KEYS, 40, seed=1))
    old, new = [await ranking(http, created["id"], **{name: "one-vote"}) for name in ("evidence", "verdict_weight")]
    assert old == new
    assert new["method"]["verdict_weight"] == "one-vote"
    assert new["evidence"] is new["verdict_weight"] is None
