"""What holds of a ranking, in plain words; who beats whom."""

import csv
import io
import re
from base64 import b64decode
from itertools import combinations
from typing import Any, get_args

import numpy as np
import pytest
from nextpair.words import InferenceTargetName, MatrixName
from scipy.special import expit

from app.inference.fitting import Published
from app.inference.reporting import Bias
from app.inference.state import Snapshot, biases, exact
from app.inference.types import Convergence, Outcome
from app.sentences.confidence import e_value
from app.service import basis, results
from app.service.context import Context
from tests.factories import (
    Http,
    candidates,
    compare,
    compare_all,
    comparison,
    create_set,
    get,
    judged_for,
    ranking,
    simulated,
    statements,
    tell,
)

KEYS = ["ash", "birch", "cedar", "elm", "fir", "oak"]


async def checks(http: Http, set_id: str) -> dict[str, tuple[str, str]]:
    """(verdict, words) of each."""
    found = (await get(http, f"/v1/sets/{set_id}/checks"))["checks"]
    return {check["name"]: (check["verdict"], f"{check['says']} {check['figure']}") for check in found}


async def matrix(http: Http, set_id: str, of: MatrixName) -> tuple[list[str], Any]:
    answer = await http.get(f"/v1/sets/{set_id}/matrix", params={"of": of})
    assert answer.status_code == 200, answer.text
    keys = answer.json()["keys"]
    return keys, np.frombuffer(b64decode(answer.json()["cells"]), np.uint8).reshape(len(keys), len(keys))


async def test_of_many_candidates_checks_and_judges_have_what_the_ranking_has(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six are many here."""
    for module in ("basis", "checks.ranking"):
        monkeypatch.setattr(f"app.service.{module}.RANKED_DENSE", 5)
    monkeypatch.setattr("app.inference.judges.findings.RANKED_DENSE", 5)
    created = await create_set(http, *KEYS, verdict_weight="one-vote", position_bias="none")
    for judge in ("ann", "bob"):
        await created.answer_all(judge)
    found, ranked = await checks(http, created["id"]), await created.ranking()
    assert ranked["entropy"] is None
    assert ranked["first_place"] in found["First place"][1]
    cards = (await created.read("/judges"))["judges"]
    assert [(card["influence"], card["judge_effects"]) for card in cards] == [(None, None)] * len(cards)
    assert all(card["position_bias"]["discrimination"] is None for card in cards if card["position_bias"])
    assert (await http.get(f"{created.url}/report")).status_code == 200


@pytest.mark.parametrize("keys", [(), ("ash",), ("ash", "elm")])
async def test_nothing_is_known_before_the_first_vote(http: Http, keys: tuple[str, ...]) -> None:
    created = await create_set(http, *keys) if keys else await create_set(http, candidates=[])
    found = await checks(http, created["id"])
    unsure = ["Judges", "Signal", "Position", "Agreement of judges", "Consistency", "Failures", "Cycles", "Prediction"]
    assert {found[name][0] for name in unsure} == {"unknown"}


async def test_a_good_log_holds(http: Http) -> None:
    created = await create_set(http, *KEYS, selection={"random_share": 1.0})
    await created.answer_all()
    for seed, judge in enumerate(("ann", "bea")):
        await created.compare_all(simulated(KEYS, 250, seed, judge, sure=4.0))
    found = await checks(http, created["id"])
    for name in ("Connected", "Fit", "Position", "Agreement of judges", "Consistency", "Failures", "Cycles"):
        assert found[name][0] == "holds", (name, found[name])
    assert "15 random pairs" in found["Prediction"][1]


async def test_signal_is_said_by_the_checks_and_by_the_ranking(http: Http) -> None:
    rng, verdicts = np.random.default_rng(0), {}
    logs = {
        "look": [row for seed in range(8) for row in simulated(KEYS, 40, seed, f"judge {seed}")],
        "toss coins": [
            comparison(a, b, float(rng.random() < 0.5), f"judge {seed}")
            for seed in range(8)
            for a, b in combinations(KEYS, 2)
        ],
    }
    for name, log in logs.items():
        created = await create_set(http, *KEYS, told=log)
        shown = await created.ranking()
        signal, first_place = shown["signal"], shown["first_place"]
        assert ("is the best" in first_place) is signal["claimed"]
        assert first_place in (await checks(http, created["id"]))["First place"][1]
        verdict, words = (await checks(http, created["id"]))["Signal"]
        assert f"e-value {e_value(signal['e_value'])} (needs 20), from {signal['verdicts']}" in words
        verdicts[name] = verdict, signal["claimed"]
    assert verdicts == {"look": ("holds", True), "toss coins": ("doubt", False)}


async def test_a_random_judge_among_good_ones_is_named(http: Http) -> None:
    created = await create_set(http, *KEYS)
    rng, pairs = np.random.default_rng(0), list(combinations(KEYS, 2)) * 4
    good = [row for seed, name in enumerate(("ann", "bea")) for row in simulated(KEYS, 60, seed, name, sure=4.0)]
    coins = [comparison(a, b, float(rng.random() < 0.5), "coin") for a, b in pairs]
    await created.compare_all(good + coins)
    verdict, words = (await checks(http, created["id"]))["Judges"]
    assert verdict == "doubt"
    assert words.startswith("coin judges at random where the others follow an order. coin")
    found = await created.read("/judges")
    named = {card["judge"]: card["relative_discrimination"]["named"] for card in found["judges"]}
    assert named == {"ann": None, "bea": None, "coin": "random"}
    assert sum("coin" in warning for warning in found["warnings"]) == 1


async def test_islands_biases_and_random_verdicts_are_doubted(http: Http) -> None:
    created = await create_set(http, *KEYS, "pine", "yew", told=simulated(KEYS, 300, 0, "coin", sure=0.0))
    await created.compare_all([comparison(a, b, 0.9, "first") for a in KEYS for b in KEYS if a != b] * 4)
    await created.compare("pine>yew")
    found = await checks(http, created["id"])
    assert found["Connected"] == ("doubt", found["Connected"][1])
    assert "2 parts" in found["Connected"][1]
    assert found["Position"][0] == "doubt"
    assert "first favours the first position. Set position_bias to estimate" in found["Position"][1]
    assert found["Consistency"][0] == found["First place"][0] == "doubt"


async def test_cycles_are_doubted_and_repeating_ties_proves_nothing(http: Http) -> None:
    keys = [*KEYS, "pine", "rowan", "spruce", "willow", "yew"]
    created = await create_set(http, *keys)
    pairs = list(combinations(keys, 2))
    steps = {(a, b): keys.index(b) - keys.index(a) for a, b in pairs}
    await created.compare_all([comparison(a, b, 0.95 if steps[a, b] <= 5 else 0.05) for a, b in pairs])
    assert (await checks(http, created["id"]))["Cycles"][0] == "doubt"
    await created.compare_all([comparison(a, b, 0.5, "shy") for a in KEYS for b in KEYS if a != b] * 2)
    assert (await checks(http, created["id"]))["Consistency"] == (
        "unknown",
        "Judges nearly always give the same verdict, whatever they are shown, so consistency means nothing here. "
        "the same in 100% of 45 pairs; 100% by chance",
    )


async def test_a_bias_that_verdicts_do_not_tell_from_merit_is_unknown(http: Http) -> None:
    """Every pair once, the worse one first, by a judge who favours the first by 2."""
    created = await create_set(http, *KEYS[:4], position_bias="estimate", verdict_weight="one-vote")
    await created.compare_all(
        [comparison(a, b, float(expit(0.3 * (i - j) + 2.0))) for (i, a), (j, b) in combinations(enumerate(KEYS[:4]), 2)]
    )
    found, published = await checks(http, created["id"]), await created.ranking()
    (bias,) = published["position_bias"].values()
    assert (found["Position"][0], found["Order"][0]) == ("unknown", "doubt")
    assert "cannot be separated from merit" in bias["warning"]
    assert f"{bias['delta']:+.2f} ± {bias['sd']:.2f}" in found["Position"][1]
    assert {row["p_best"] for row in published["ranking"]} == {None}


async def test_what_is_said_of_a_position_depends_on_how_much_is_known(http: Http) -> None:
    verdicts = {}
    for count in (2, 400):
        created = await create_set(http, *KEYS, told=simulated(KEYS, count, 0, "ann"))
        found = await checks(http, created["id"])
        verdicts[count] = (found["Position"][0], found["Order"][0])
    assert verdicts == {2: ("unknown", "unknown"), 400: ("holds", "holds")}


async def test_a_model_with_a_bias_is_allowed_for_by_default_and_who_votes_but_little_has_none(http: Http) -> None:
    created = await create_set(http, *KEYS, position_bias="auto")
    votes = [vote | {"p_first": float(vote["p_first"] > 0.5)} for vote in simulated(KEYS, len(KEYS) - 1, 1, "ann")]
    await created.compare_all(votes)
    of_votes = await created.ranking()
    assert (of_votes["method"]["position_bias"], of_votes["position_bias"]) == ("none", None)
    await created.compare_all(simulated(KEYS, 80, 2, "gpt", lean=1.0))
    published = await created.ranking()
    assert published["method"]["position_bias"] == "estimate"
    assert published["position_bias"].keys() == {"gpt"}
    bias = published["position_bias"]["gpt"]
    assert abs(bias["delta"] - 1.0) < 3.0 * bias["sd"]
    cards = {card["judge"]: card for card in (await created.read("/judges"))["judges"]}
    assert cards["gpt"]["position_bias"]["delta"] == pytest.approx(bias["delta"], abs=bias["sd"])
    verdict, words = (await checks(http, created["id"]))["Position"]
    assert (verdict, "gpt favours the first position. The ranking corrects for it." in words) == ("holds", True)


async def test_a_bias_of_a_judge_whose_probabilities_count_as_votes_is_allowed_for(http: Http) -> None:
    created = await create_set(http, *KEYS, position_bias="auto", inference_target="all-pairs")
    says = [each | {"p_first": 0.999 if each["p_first"] > 0.5 else 0.001} for each in simulated(KEYS, 300, 3, lean=2.0)]
    await created.compare_all(says)
    published = await created.ranking()
    assert published["method"]["position_bias"] == "estimate"
    (bias,) = published["position_bias"].values()
    assert bias["delta"] > 4.0 * bias["sd"]
    verdict, words = (await checks(http, created["id"]))["Position"]
    assert (verdict, "favours the first position. The ranking corrects for it." in words) == ("holds", True)


async def test_a_bias_has_one_estimate_wherever_it_is_shown(http: Http) -> None:
    created = await create_set(http, *KEYS, position_bias="estimate")
    await created.compare_all(simulated(KEYS, 60, 0, "ann") + simulated(KEYS, 30, 1, "bea", sure=0.5))
    url = created.url
    cards = {card["judge"]: card["position_bias"] for card in (await http.get(f"{url}/judges")).json()["judges"]}
    shown = [(await http.get(f"{url}/{page}")).json()["position_bias"] for page in ("ranking", "diagnostics")]
    for judge in ("ann", "bea"):
        assert len({(bias[judge]["delta"], bias[judge]["sd"]) for bias in (*shown, cards)}) == 1


async def test_judges_who_give_no_answer_are_named(http: Http) -> None:
    created = await create_set(http, *KEYS)
    for _ in range(3):
        await tell(http, (await created.ask_one("shy"))["id"], failure="skipped")
    assert (await checks(http, created["id"]))["Failures"][0] == "doubt"


async def test_all_checks_are_of_one_version_while_verdicts_arrive(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    calm, lively = [(await create_set(http, *KEYS))["id"] for _ in range(2)]
    for set_id in (calm, lively):
        await compare_all(http, set_id, simulated(KEYS, 60, 0, "ann"))
    report = await get(http, f"/v1/sets/{calm}/checks")

    async def early(*args: Any) -> Any:
        read = await basis.read_basis(*args)
        monkeypatch.setattr(results, "read_basis", basis.read_basis)
        await compare(http, lively, *["oak>ash"] * 40)
        return read

    monkeypatch.setattr(results, "read_basis", early)
    assert await get(http, f"/v1/sets/{lively}/checks") == report | {"set_id": lively}
    assert (await get(http, f"/v1/sets/{lively}/checks"))["version"] == 100


async def test_all_results_share_one_fit_and_one_estimate_of_biases(
    http: Http, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    created = await create_set(http, *KEYS, stop={"top_k": 2}, told=simulated(KEYS, 60, 0))
    fits, estimates = [list[Snapshot]() for _ in range(2)]

    def counted(snapshot: Snapshot, target: InferenceTargetName) -> Published:
        fits.append(snapshot)
        return exact(snapshot, target=target)

    def counted_biases(snapshot: Snapshot, published: Published) -> list[Bias]:
        estimates.append(snapshot)
        return biases(snapshot, published)

    monkeypatch.setattr(basis, "exact", counted)
    monkeypatch.setattr(basis, "biases", counted_biases)
    for path in ("checks", "ranking", "diagnostics", "judges"):
        first, second = [await get(http, f"{created.url}/{path}") for _ in range(2)]
        assert first == second
        assert (len(fits), len(estimates)) == (1, 1)
    with statements(context.engine) as sent:
        assert (await http.get(f"{created.url}/ranking", params={"format": "svg"})).status_code == 200
    # What the service does on its own, now and then, reads other sets too.
    assert len([each for each in sent if "WHERE sets.id = " in " ".join(each.split())]) == 1
    assert len(fits) == 1
    await created.compare("oak>ash")
    await created.read("/checks")
    assert (len(fits), len(estimates)) == (2, 2)


async def test_a_fit_that_did_not_converge_leaves_the_checks_of_the_log(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    def undecided(snapshot: Snapshot, target: InferenceTargetName) -> Published:
        published = exact(snapshot, target=target)
        failed = Convergence(Outcome.NOT_FINITE, 7, 1.0)
        return published._replace(posterior=published.posterior._replace(convergence=failed))

    monkeypatch.setattr(basis, "exact", undecided)
    created = await create_set(http, *KEYS, told=simulated(KEYS, 60, 0))
    found = await checks(http, created["id"])
    assert [found[name][0] for name in ("Fit", "First place", "Connected", "Order")] == [
        "doubt", "unknown", "holds", "holds",
    ]  # fmt: skip


async def test_a_kept_report_has_the_failures_of_now(http: Http) -> None:
    created = await create_set(http, *KEYS, told=[comparison("ash", "elm", 0.9, "ann")] * 10)
    url = created.url
    assert (await checks(http, created["id"]))["Failures"][0] == "holds"
    assert (await get(http, f"{url}/diagnostics"))["judges"]["ann"]["failures"] == {}
    for _ in range(5):
        await tell(http, (await created.ask_one("ann"))["id"], failure="skipped")
    assert (await checks(http, created["id"]))["Failures"][0] == "doubt"
    assert (await get(http, f"{url}/diagnostics"))["judges"]["ann"]["failures"] == {"skipped": 5}


async def test_the_observed_matrix_is_the_mean_of_what_was_said(http: Http) -> None:
    created = await create_set(http, "ash", "birch", "cedar")
    await created.compare_all([comparison("ash", "birch", 0.9), comparison("birch", "ash", 0.5)])
    keys, cells = await matrix(http, created["id"], "observed")
    at = {key: n for n, key in enumerate(keys)}
    assert cells[at["ash"], at["birch"]] == 140
    assert cells[at["birch"], at["ash"]] == 60
    assert cells[at["cedar"]].tolist() == [255] * 3
    assert np.diag(cells).tolist() == [255] * 3


@pytest.mark.parametrize(
    ("own", "name", "count"),
    [
        ("latent", "latent", 12),
        ("all-pairs", "all-pairs", 5),
        ("all-pairs", "all-pairs", 15),
        ("new-items", "new-items", 15),
        ("people", "people", 12),
        ("new-items", "latent", 0),
    ],
)
async def test_the_matrix_is_in_the_order_of_the_ranking_and_the_expected_one_is_what_predict_says(
    http: Http, own: InferenceTargetName, name: InferenceTargetName, count: int
) -> None:
    set_id = await judged_for(http, own, count)
    answer = await ranking(http, set_id)
    assert answer["inference_target"]["name"] == name
    best_first = [row["key"] for row in answer["ranking"]]
    assert (await matrix(http, set_id, "observed"))[0] == best_first
    keys, cells = await matrix(http, set_id, "expected")
    assert keys == best_first
    np.testing.assert_array_equal(np.diag(cells), 255)
    for i, j in list(combinations(range(len(keys)), 2))[::3]:
        said = await get(http, f"/v1/sets/{set_id}/predict", first=keys[i], second=keys[j])
        assert cells[i, j] == pytest.approx(200 * said["p_first_better"], abs=0.51)


@pytest.mark.parametrize(("own", "count"), [("latent", 8), ("all-pairs", 8), ("new-items", 15)])
async def test_expected_win_rates_sum_to_one_and_are_nearer_to_one_half_than_probabilities_of_the_order(
    http: Http, own: InferenceTargetName, count: int
) -> None:
    set_id = await judged_for(http, own, count)
    (keys, rates), (_, better) = [await matrix(http, set_id, of) for of in ("win-rate", "expected")]
    pairs = ~np.eye(len(keys), dtype=bool)
    np.testing.assert_array_equal(np.diag(rates), 255)
    np.testing.assert_allclose((rates.astype(int) + rates.T)[pairs], 200, atol=1)
    if own != "all-pairs":
        assert (np.abs(rates.astype(int) - 100)[pairs] <= np.abs(better.astype(int) - 100)[pairs] + 1).all()
    answer = await http.get(f"/v1/sets/{set_id}/matrix", params={"of": "win-rate", "format": "csv"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    header, *rows = csv.reader(io.StringIO(answer.text))
    assert (header, [row[0] for row in rows]) == (["key", *keys], keys)
    for i, row in enumerate(rows):
        assert [cell == "" for cell in row[1:]] == [i == j for j in range(len(keys))]
        assert all(abs(200 * float(cell) - rates[i, j]) < 0.51 for j, cell in enumerate(row[1:]) if cell)


@pytest.mark.parametrize("keys", [(), ("ash",)])
async def test_a_ranking_and_a_matrix_of_no_pairs(http: Http, keys: tuple[str, ...]) -> None:
    created = await create_set(http, candidates=candidates(*keys), inference_target="auto")
    assert [row["key"] for row in (await created.ranking())["ranking"]] == list(keys)
    for of in get_args(MatrixName):
        assert (await matrix(http, created["id"], of))[0] == list(keys)


@pytest.mark.parametrize("form", ["svg", "png"])
async def test_history_and_calibration_are_drawn(http: Http, form: str) -> None:
    created = await create_set(http, *KEYS)
    for seed, judge in enumerate(("ann", "bea")):
        await created.compare_all(simulated(KEYS, 40, seed, judge))
    drawn = await http.get(f"{created.url}/diagnostics", params={"format": form})
    curves = await http.get(f"{created.url}/calibration", params={"judge": "ann", "reference": "bea", "format": form})
    for answer in (drawn, curves):
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("image/")
        assert len(answer.content) > 1000


async def test_a_small_bias_that_is_certain_is_named_and_let_pass(http: Http) -> None:
    """The figure is 10 sds from 0, and the sentence says so, too."""
    created = await create_set(http, *KEYS, verdict_weight="one-vote")
    slight = 0.23
    log = [
        comparison(a, b, float(expit(slight)), "ann")
        for _ in range(20)
        for pair in combinations(KEYS, 2)
        for a, b in (pair, pair[::-1])
    ]
    await created.compare_all(log)
    verdict, words = (await checks(http, created["id"]))["Position"]
    bias = (await created.read("/diagnostics"))["position_bias"]["ann"]
    assert bias["delta"] > 2.0 * bias["sd"]
    assert verdict == "holds"
    assert "ann favours the first position. The bias is small" in words


async def test_one_pair_is_a_pair(http: Http) -> None:
    created = await create_set(http, "ash", "elm")
    for judge in ("ann", "bea"):
        await created.compare("ash>elm", judge=judge)
    found = await checks(http, created["id"])
    assert found["Agreement of judges"][1].endswith(" 1 pair")
    assert "No comparison is left" in found["First place"][1]


@pytest.mark.parametrize("target", ["all-pairs", "latent"])
@pytest.mark.parametrize("stop", [None, {"top_k": 1}])
async def test_what_it_takes_to_tell_is_never_more_than_is_left(
    http: Http, target: str, stop: dict[str, Any] | None
) -> None:
    forecasts, pairs = 0, list(combinations(KEYS, 2))
    for seed, (judged, budget) in enumerate([(6, 10), (12, None), (15, None)]):
        rng = np.random.default_rng(seed)
        created = await create_set(http, *KEYS, inference_target=target, stop=stop, budget={"max_comparisons": budget})
        some = [pairs[k] for k in rng.permutation(len(pairs))[:judged]]
        log = [comparison(a, b, float(rng.random() < 0.9)) for a, b in some]
        await created.compare_all(log)
        words = (await checks(http, created["id"]))["First place"][1]
        most = min(len(pairs) - judged if stop is None else 10**9, 10**9 if budget is None else budget - judged)
        if forecast := re.search(r"About ([\d,]+) more comparisons? \(([\d,]+) (?:to ([\d,]+)|or more)\)", words):
            forecasts += 1
            assert all(0 < int(each.replace(",", "")) <= most for each in forecast.groups() if each)
            assert "100%" not in words
        assert (await created.ranking())["first_place"] in words
    assert forecasts or target == "latent"
