"""What a ranking's confidence refers to, and what people say of the same pairs."""

from itertools import combinations

import numpy as np
import pytest
from nextpair.schemas import ABOUT_CONFIDENCE
from scipy.special import expit

from tests.api.test_calibration import calibration
from tests.factories import Http, comparison, create_set, get, ranking, void

pytestmark = pytest.mark.alone

KEYS = [f"c{n}" for n in range(12)]


async def judged(http: Http, *, sure: float, agree: float) -> str:
    """A set whose pairs a model and a person judged: the person names the model's favourite in a share `agree`."""
    rng, created = np.random.default_rng(0), await create_set(http, *KEYS)
    new = []
    for n, (first, second) in enumerate(combinations(KEYS, 2)):
        d = float(rng.standard_normal())
        new.append(comparison(first, second, float(expit(sure * d)), "model"))
        new.append(comparison(second, first, float((d < 0.0) == (n < agree * 66)), "person"))
    await created.compare_all(new)
    return str(created["id"])


async def say_who_is_human(http: Http, *names: str) -> None:
    for name in names:
        assert (await http.put(f"/v1/judges/{name}", json={"kind": "human"})).status_code == 200


async def checked(http: Http, set_id: str) -> tuple[str, str]:
    report = await get(http, f"/v1/sets/{set_id}/checks")
    (check,) = (check for check in report["checks"] if check["name"] == "Agreement with people")
    return check["verdict"], check["figure"]


@pytest.mark.parametrize(
    ("agree", "verdict", "figure"),
    [(0.81, "holds", "82% of 66 pairs (71% to 89%)"), (0.5, "doubt", "50% of 66 pairs (38% to 62%)")],
)
async def test_agreement_with_people_is_shown_once_it_is_known_who_is_one(
    http: Http, agree: float, verdict: str, figure: str
) -> None:
    set_id = await judged(http, sure=1.0, agree=agree)
    unknown = (await ranking(http, set_id))["validation"]
    assert unknown == {"about": ABOUT_CONFIDENCE, "agreement_with_people": None, "temperature": None}
    assert await checked(http, set_id) == ("unknown", "0 pairs")
    await say_who_is_human(http, "person")
    known = (await ranking(http, set_id))["validation"]["agreement_with_people"]
    low, high = known["interval"]
    assert f"{known['share']:.0%} of {known['pairs']} pairs ({low:.0%} to {high:.0%})" == figure
    assert await checked(http, set_id) == (verdict, figure)


async def test_the_interval_is_at_the_level_that_is_asked_for(http: Http) -> None:
    set_id = await judged(http, sure=1.0, agree=0.8)
    await say_who_is_human(http, "person")
    (low, high), (lower, higher) = [
        (await ranking(http, set_id, level=level))["validation"]["agreement_with_people"]["interval"]
        for level in (0.5, 0.99)
    ]
    assert lower < low < high < higher


async def test_a_judges_temperature_is_the_calibrations_and_is_not_applied(http: Http) -> None:
    set_id = await judged(http, sure=3.0, agree=0.8)
    before = await ranking(http, set_id)
    await say_who_is_human(http, "person")
    after, fit = await ranking(http, set_id), await calibration(http, set_id, "model", "person")
    assert after["validation"]["temperature"] == {
        "model": {"temperature": fit["temperature"], "verdicts": 66, "at_bound": False}
    }
    assert fit["temperature"] > 1.5
    assert after["method"]["temperatures"] == {}
    assert [row["score"] for row in after["ranking"]] == [row["score"] for row in before["ranking"]]


async def test_nothing_is_estimated_from_few_verdicts_or_of_winners_alone(http: Http) -> None:
    few, hard = await create_set(http), await create_set(http, *KEYS)
    await few.compare_all([comparison("ash", "elm", 0.8, "soft"), comparison("ash", "elm", 1.0, "person")])
    named = [comparison(*pair, 1.0, judge) for pair in combinations(KEYS, 2) for judge in ("winners", "person")]
    await hard.compare_all(named)
    await say_who_is_human(http, "person")
    for set_id, count in ((few["id"], 1), (hard["id"], 66)):
        validation = (await ranking(http, set_id))["validation"]
        assert validation["temperature"] is None
        assert validation["agreement_with_people"]["pairs"] == count


async def test_a_set_of_people_alone_has_nobody_to_hold_against_them(http: Http) -> None:
    created = await create_set(http)
    await created.compare("ash>elm", "birch>elm", judge="ann")
    await say_who_is_human(http, "ann")
    assert (await created.ranking())["validation"]["agreement_with_people"] is None
    assert await checked(http, created["id"]) == ("holds", "people alone")


async def test_agreement_is_of_the_version_asked_for_and_of_what_counts(http: Http) -> None:
    set_id = await judged(http, sure=1.0, agree=0.8)
    await say_who_is_human(http, "person")
    await void(http, set_id, 2)
    by_version = [(await ranking(http, set_id, as_of=version))["validation"] for version in (20, 133)]
    assert [each["agreement_with_people"]["pairs"] for each in by_version] == [10, 65]


async def test_a_ranking_is_sent_again_when_a_judge_turns_out_to_be_human(http: Http) -> None:
    url = f"/v1/sets/{await judged(http, sure=1.0, agree=0.8)}/ranking"
    unchanged = {"If-None-Match": (await http.get(url)).headers["ETag"]}
    assert (await http.get(url, headers=unchanged)).status_code == 304
    await say_who_is_human(http, "person")
    assert (await http.get(url, headers=unchanged)).status_code == 200
