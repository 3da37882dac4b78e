"""`nextpair rank` of an exported log gives the numbers of the service's ranking."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import httpx
import numpy as np
import pytest
from nextpair.schemas import Ranking
from nextpair.words import InferenceTargetChoice
from scipy.special import expit

from tests.cli.commands import out
from tests.factories import (
    compare_all,
    comparison,
    create_set,
    create_systems,
    get,
    patch,
    ranking,
    said,
    send_scores,
    simulated,
    void,
)

pytestmark = pytest.mark.alone

KEYS, ITEMS = ("ash", "birch", "cedar", "elm", "fir"), tuple(f"item {n}" for n in range(9))
NOT_IN_A_FILE = re.compile("set_id|version|newer_version|held_out|stopping|method/temperatures")
OFFLINE_ALONE = re.compile("set_id|version|agreement|left_out")
EXPERTS = ("soft-bt", "phi-beta")
AS_IT_CAME = "convergence/iterations"  # the service goes on from the fit before


def of_systems(items: Sequence[str] = ITEMS) -> list[dict[str, Any]]:
    """A model's probabilities in both orders on every item, and a person's votes on some, several answers in one."""
    rng, log = np.random.default_rng(0), []
    for item in items:
        score = dict(zip(KEYS, np.linspace(1.0, -1.0, len(KEYS)) + 0.7 * rng.standard_normal(len(KEYS)), strict=True))
        for _ in range(12):
            first, second = map(str, rng.choice(KEYS, 2, replace=False))
            d = score[first] - score[second]
            log.append(comparison(first, second, float(expit(2.0 * d + 0.4)), "model", item=item))
            log.append(comparison(second, first, float(expit(0.4 - 2.0 * d)), "model", item=item))
            if rng.random() < 0.5:
                vote = float(rng.random() < expit(d))
                log.append(comparison(first, second, vote, "ann", item=item, weight=float(rng.integers(1, 3))))
    return log


async def exported(http: httpx.AsyncClient, set_id: str, file: Path) -> Path:
    """The log in a file, whose suffix says in which form."""
    url = f"/v1/sets/{set_id}/comparisons"
    file.write_bytes((await http.get(url, params={"format": file.suffix[1:]})).content)
    return file


def flat(answer: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of an answer in JSON, by their paths; null is left out, as what is empty is."""
    if not isinstance(answer, dict | list):
        if answer is not None:
            yield path, answer
        return
    for name, value in answer.items() if isinstance(answer, dict) else enumerate(answer):
        yield from flat(value, f"{path}/{name}" if path else str(name))


def assert_same(printed: dict[str, Any], served: dict[str, Any]) -> None:
    """Every field but those that a file cannot have, to 1e-8; what is printed is a ranking of the contract."""
    Ranking.model_validate(printed)
    here, there = (
        dict(flat(answer | {"ranking": {row["key"]: row for row in answer["ranking"]}})) for answer in (printed, served)
    )
    here = {path: value for path, value in here.items() if not OFFLINE_ALONE.match(path)}
    there = {path: value for path, value in there.items() if not NOT_IN_A_FILE.match(path)}
    assert here.keys() == there.keys()
    for path, value in there.items():
        if path != AS_IT_CAME:
            is_number = isinstance(value, int | float)
            assert here[path] == (pytest.approx(value, rel=1e-9, abs=1e-8) if is_number else value), path


@pytest.mark.parametrize(
    ("form", "items", "definition", "options"),
    [
        ("jsonl", ITEMS[:3], {"position_bias": "auto"}, []),
        (
            "csv",
            ITEMS,
            {"verdict_weight": "one-vote", "position_bias": "estimate"},
            ["--verdict-weight", "one-vote", "--position-bias", "estimate"],
        ),
    ],
)
async def test_systems_on_several_items_by_a_model_and_a_person(
    http: httpx.AsyncClient,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    form: str,
    items: Sequence[str],
    definition: dict[str, Any],
    options: list[str],
) -> None:
    created = await create_systems(http, items, *KEYS, inference_target="auto", **definition)
    await compare_all(http, created["id"], of_systems(items))
    assert (await void(http, created["id"], 3)).status_code == 201
    assert (await http.put("/v1/judges/ann", json={"kind": "human"})).status_code == 200
    file = str(await exported(http, created["id"], tmp_path / f"log.{form}"))
    for method in (*EXPERTS, "judge-aware", "consensus", "win-ratio"):
        own = [*(options if method in EXPERTS else []), "--method", method, "--top-k", "2", "--level", "0.9"]
        for target in get_args(InferenceTargetChoice) if method == "soft-bt" else ("auto",):
            asked = ["--inference-target", target]
            printed = json.loads(out(capsys, "rank", file, "--reference", "ann", *own, *asked, "--format", "json"))
            named = {} if target == "auto" else {"inference_target": target}
            assert_same(printed, await ranking(http, created["id"], method=method, top_k=2, level=0.9, **named))


async def test_by_tag_against_a_baseline_in_elo(
    http: httpx.AsyncClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An exported log has no tags: a table of the outputs brings them."""
    created = await create_systems(http, ITEMS, *KEYS, inference_target="auto", position_bias="auto")
    tags = {item: {"category": ["code", "facts", "writing"][n % 3]} for n, item in enumerate(ITEMS[:-1])}
    items = [{"key": item, "tags": tags.get(item, {})} for item in ITEMS]
    sent = {"candidates": [{"key": KEYS[0]}], "items": items}
    assert (await http.post(f"/v1/sets/{created['id']}/candidates", json=sent)).status_code == 201
    await compare_all(http, created["id"], of_systems())
    log, outputs = str(await exported(http, created["id"], tmp_path / "log.csv")), tmp_path / "outputs.json"
    rows = [{"prompt_id": item, "model": key, "output": f"{key} says {item} here", **tags.get(item, {})}
            for item in reversed(ITEMS) for key in KEYS]  # fmt: skip
    outputs.write_text(json.dumps(rows))
    asked = ["--by", "category", "--baseline", "elm", "--scale", "elo", "--outputs", str(outputs), "--format", "json"]
    printed = json.loads(out(capsys, "rank", log, *asked))
    assert [each["prompts"] for each in printed["slices"]["slices"]] == [3, 3, 2]
    assert_same(printed, await ranking(http, created["id"], by="category", baseline="elm", scale="elo"))


async def test_length_taken_out(http: httpx.AsyncClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An exported log has no texts: a table of the outputs brings their lengths."""
    texts = {
        item: {key: key * (3 + 7 * n % 11 + 5 * k % 7) for k, key in enumerate(KEYS)} for n, item in enumerate(ITEMS)
    }
    systems = [{"key": key, "outputs": {item: texts[item][key] for item in ITEMS}} for key in KEYS]
    prompts = [{"key": item} for item in ITEMS]
    created = await create_set(http, candidates=systems, items=prompts, inference_target="auto", position_bias="auto")
    await compare_all(http, created["id"], of_systems())
    log, outputs = str(await exported(http, created["id"], tmp_path / "log.csv")), tmp_path / "outputs.json"
    rows = [{"prompt_id": item, "model": key, "output": texts[item][key]} for item in reversed(ITEMS) for key in KEYS]
    outputs.write_text(json.dumps(rows))
    asked = ["--covariate", "length", "--outputs", str(outputs), "--inference-target", "new-items", "--format", "json"]
    printed = json.loads(out(capsys, "rank", log, *asked))
    named = {"covariate": "length", "inference_target": "new-items"}
    assert_same(printed, await ranking(http, created["id"], **named))
    assert printed["effects"]["length"]["sd"] > 0.0


async def test_texts_by_one_judge(http: httpx.AsyncClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    created = await create_set(http, *KEYS, position_bias="auto")
    await compare_all(http, created["id"], simulated(KEYS, 40, seed=1))
    file = str(await exported(http, created["id"], tmp_path / "log.parquet"))
    for target in ("latent", "all-pairs"):
        printed = json.loads(out(capsys, "rank", file, "--inference-target", target, "--matrix", "--format", "json"))
        win_rates = printed.pop("win_rates")
        assert_same(printed, await ranking(http, created["id"], inference_target=target))
        await patch(http, created["id"], inference_target=target)
        answer = await http.get(f"/v1/sets/{created['id']}/matrix", params={"of": "win-rate", "format": "csv"})
        (_, *keys), *rows = csv.reader(io.StringIO(answer.text))
        assert keys == win_rates["keys"]
        for row, there in zip(win_rates["p"], rows, strict=True):
            assert row == [pytest.approx(float(cell), abs=1e-9) if cell else None for cell in there[1:]]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
async def test_candidates_and_outputs_without_comparisons(
    http: httpx.AsyncClient, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    """A candidate whose one comparison was voided, and one that was never compared; on the last item nothing was."""
    created = await create_systems(http, ITEMS, *KEYS, "gum", "oak", inference_target="auto", position_bias="auto")
    await compare_all(http, created["id"], of_systems(ITEMS[:-1])[:40])
    await compare_all(http, created["id"], [comparison("gum", KEYS[0], 1.0, "ann", item=ITEMS[0])])
    assert (await void(http, created["id"], 41)).status_code == 201
    file = str(await exported(http, created["id"], tmp_path / f"log.{form}"))
    for target in ("all-pairs", "new-items", "latent"):
        printed = json.loads(out(capsys, "rank", file, "--inference-target", target, "--format", "json"))
        assert {row["key"] for row in printed["ranking"]} == {*KEYS, "gum", "oak"}
        assert_same(printed, await ranking(http, created["id"], inference_target=target))
    by_judge = json.loads(out(capsys, "rank", file, "--where", "judge=model", "--format", "json"))
    assert {row["key"] for row in by_judge["ranking"]} == {*KEYS}


async def test_a_text_without_comparisons(
    http: httpx.AsyncClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    created = await create_set(http, *KEYS, "oak", position_bias="auto", inference_target="auto")
    await compare_all(http, created["id"], simulated(KEYS, 20, seed=1))
    file = str(await exported(http, created["id"], tmp_path / "log.csv"))
    printed = json.loads(out(capsys, "rank", file, "--format", "json"))
    assert len(printed["ranking"]) == len(KEYS) + 1
    assert_same(printed, await ranking(http, created["id"]))


async def test_scores_of_the_same_candidate_on_several_items(
    http: httpx.AsyncClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    created, rng = await create_systems(http, ITEMS, *KEYS, position_bias="auto"), np.random.default_rng(2)
    await compare_all(http, created["id"], of_systems())
    scores = [
        said(key, round(float(rng.normal(6 - n)), 2), judge="model", item=item)
        for n, key in enumerate(KEYS)
        for item in (*ITEMS, ITEMS[0])
    ]
    assert (await send_scores(http, created["id"], *scores)).status_code == 201
    file, beside = await exported(http, created["id"], tmp_path / "log.csv"), tmp_path / "scores.json"
    beside.write_text(json.dumps((await get(http, f"/v1/sets/{created['id']}/absolute-scores"))["scores"]))
    asked = ["--scores", str(beside), "--inference-target", "latent"]
    printed = json.loads(out(capsys, "rank", str(file), *asked, "--format", "json"))
    assert_same(printed, await ranking(http, created["id"]))
