"""The leaderboard of a project: its sets side by side."""

from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from nextpair import AsyncClient

from tests.factories import Http, Made, create_set, get

pytestmark = pytest.mark.alone

PROJECT = "helpdesk/2026"  # names may hold a slash
PLACE = ("rank", "rank_interval", "score", "interval", "win_rate", "win_rate_interval", "p_best", "against")


async def two_criteria(http: Http) -> list[Made]:
    """By clarity earlier keys are better, by accuracy later ones; elm is judged by the second alone."""
    clarity = await create_set(http, "ash", "birch", "cedar", name="Clarity", attribute="clarity", project=PROJECT)
    accuracy = await create_set(http, "ash", "birch", "cedar", "elm", name="Accuracy", project=PROJECT)
    await clarity.compare("ash>birch", "birch>cedar", "ash>cedar")
    await accuracy.compare("elm>cedar", "cedar>birch", "birch>ash", "elm>ash")
    return [clarity, accuracy]


async def leaderboard(http: Http, project: str = PROJECT, **params: Any) -> dict[str, Any]:
    return await get(http, f"/v1/projects/{project}/leaderboard", **params)


async def problem(http: Http, status: int, project: str = PROJECT, **params: Any) -> str:
    answer = await http.get(f"/v1/projects/{project}/leaderboard", params=params)
    assert answer.status_code == status, answer.text
    return str(answer.json()["detail"])


async def test_places_are_those_of_each_sets_own_ranking(http: Http) -> None:
    sets = await two_criteria(http)
    board = await leaderboard(http)
    assert [criterion["name"] for criterion in board["criteria"]] == ["Clarity", "Accuracy"]
    for k, made in enumerate(sets):
        own = await made.ranking()
        places = {row["key"]: row["places"][k] for row in board["rows"] if row["places"][k]}
        assert places == {row["key"]: {field: row[field] for field in PLACE} for row in own["ranking"]}
        for field in ("set_id", "version", "comparisons", "inference_target"):
            assert board["criteria"][k][field] == own[field]


async def test_without_weights_nothing_is_averaged_and_the_first_set_orders(http: Http) -> None:
    await two_criteria(http)
    board = await leaderboard(http)
    assert [row["key"] for row in board["rows"]] == ["ash", "birch", "cedar", "elm"]
    assert board["weights"] is None
    assert all(row["weighted"] is None for row in board["rows"])
    assert board["rows"][3]["places"][0] is None
    assert board["sentence"] == (
        "In the order of Clarity; the sets are not averaged. A set is missing for 1 of 4 candidates."
    )


async def test_weights_average_win_rates_and_intervals(http: Http) -> None:
    await two_criteria(http)
    board = await leaderboard(http, weight=["Accuracy=3", "Clarity=1"])
    assert board["weights"] == {"Accuracy": 0.75, "Clarity": 0.25}
    assert board["first_place"].startswith("birch leads so far with a mean win rate of ")
    assert board["sentence"].startswith("In the order of the mean win rate, weighted by Accuracy 75%, Clarity 25%.")
    *known, elm = board["rows"]
    assert (elm["key"], elm["weighted"]) == ("elm", None)  # the first criterion does not know it
    means = [row["weighted"]["win_rate"] for row in known]
    assert means == sorted(means, reverse=True)
    for row in known:
        clarity, accuracy = row["places"]
        weighted = 0.25 * clarity["win_rate"] + 0.75 * accuracy["win_rate"]
        low, high = (
            0.25 * a + 0.75 * b
            for a, b in zip(clarity["win_rate_interval"], accuracy["win_rate_interval"], strict=True)
        )
        assert row["weighted"]["win_rate"] == pytest.approx(weighted)
        assert row["weighted"]["interval"] == pytest.approx([low, high])


async def test_sets_are_chosen_and_the_first_of_them_orders(http: Http) -> None:
    clarity, accuracy = await two_criteria(http)
    board = await leaderboard(http, set=[accuracy["id"], clarity["id"]], level=0.5)
    assert [criterion["set_id"] for criterion in board["criteria"]] == [accuracy["id"], clarity["id"]]
    assert [row["key"] for row in board["rows"]] == ["elm", "cedar", "birch", "ash"]
    own = await accuracy.ranking(level=0.5)
    assert board["rows"][0]["places"][0]["interval"] == own["ranking"][0]["interval"]


async def test_a_baseline_and_a_scale_are_those_of_every_set(http: Http) -> None:
    sets = await two_criteria(http)
    board = await leaderboard(http, baseline="birch", scale="elo")
    for k, made in enumerate(sets):
        own = await made.ranking(baseline="birch", scale="elo")
        shown = {row["key"]: row["places"][k] for row in board["rows"] if row["places"][k]}
        for row in own["ranking"]:
            assert (shown[row["key"]]["score"], shown[row["key"]]["against"]) == (row["score"], row["against"])
    message = await problem(http, 422, baseline="elm")
    assert message.startswith("Clarity: ")  # which does not have it
    assert "'elm'" in message


async def test_paused_sets_count_and_unjudged_and_deleted_ones_do_not(http: Http) -> None:
    clarity, accuracy = await two_criteria(http)
    await create_set(http, name="Tone", project=PROJECT)
    await clarity.patch(status="paused")
    await http.delete(accuracy.url)
    board = await leaderboard(http)
    assert [criterion["name"] for criterion in board["criteria"]] == ["Clarity"]
    assert board["sentence"] == "In the order of Clarity."
    assert "is not in the project" in await problem(http, 422, set=accuracy["id"])


async def test_what_cannot_be_answered_says_why(http: Http) -> None:
    await create_set(http, project=PROJECT)
    for project in (PROJECT, "nobody"):
        assert f"No set of the project {project!r} has" in await problem(http, 404, project)
    elsewhere = await create_set(http, project="another")
    assert f"{elsewhere['id']} is not in the project" in await problem(http, 422, set=elsewhere["id"])
    await two_criteria(http)
    assert "'Clarity' is not NAME=NUMBER" in await problem(http, 422, weight="Clarity")
    assert "no criterion of the name 'Tone'; there are 'Clarity'" in await problem(http, 422, weight="Tone=1")
    assert "'Clarity' has two weights" in await problem(http, 422, weight=["Clarity=1", "Clarity=2"])
    for number in ("0", "-1", "nan", "inf"):
        assert "give a number above 0" in await problem(http, 422, weight=f"Clarity={number}")
    await create_set(http, name="Clarity", project=PROJECT, told=["ash>birch"])
    assert "2 criteria of the name 'Clarity'" in await problem(http, 422, weight="Clarity=1")


async def test_the_client_asks_for_it_by_the_projects_name(http: Http, app: FastAPI) -> None:
    sets = await two_criteria(http)
    async with AsyncClient("http://localhost", transport=httpx.ASGITransport(app)) as client:
        board = await client.projects.leaderboard(
            PROJECT, sets=[made["id"] for made in sets], weights={"Clarity": 1, "Accuracy": 3}, level=0.9
        )
    assert board.project == PROJECT
    assert board.model_dump(mode="json") == await leaderboard(
        http, weight=["Clarity=1", "Accuracy=3"], level=0.9, set=[made["id"] for made in sets]
    )
