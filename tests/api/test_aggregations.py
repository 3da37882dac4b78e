"""Several judges' answers on any items: the numbers of `nextpair aggregate`, over HTTP."""

import asyncio
import csv
import json
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from app.cli import run
from app.inference.judges import examine
from app.live import jobs
from app.service import aggregations
from tests.factories import Http

Row = dict[str, str]  # a line of a file, by column
JUDGES, NAMES = ("good", "poor", "poorer", "coin"), ("A", "B", "tie")
RIGHT = (0.9, 0.7, 0.6, 0.34)


def rows(count: int, *, probabilities: bool = False) -> list[Row]:
    """Judges of falling skill; one answer in ten is missing, a person labelled the first thirty items, words tell."""
    rng = np.random.default_rng(0)
    classes = 2 if probabilities else 3
    there = []
    for n in range(count):
        truth = int(rng.integers(classes))
        said = [truth if rng.random() < right else int(rng.integers(classes)) for right in RIGHT]
        cells = [f"{0.5 + (c - 0.5) * rng.random():.3f}" if probabilities else NAMES[c] for c in said]
        answers = {k: cell if rng.random() < 0.9 else "" for k, cell in zip(JUDGES, cells, strict=True)}
        label = str(truth) if probabilities else NAMES[truth]
        words = " ".join(rng.choice([["never", "not"], ["so", "indeed"], ["perhaps", "both"]][truth], size=3))
        there.append({"id": f"i{n}", **answers, "ann": label if n < 30 else "", "text": words, "of": f"q{n // 2}"})
    return there


def body_of(table: list[Row], **wanted: Any) -> dict[str, Any]:
    def said(row: Row, names: tuple[str, ...]) -> dict[str, Any]:
        cells = {name: row[name] or None for name in names}
        if "classes" in wanted:
            return cells
        return {name: None if cell is None else float(cell) for name, cell in cells.items()}

    items = [
        {"item": row["id"], "answers": said(row, JUDGES), "labels": said(row, ("ann",)), "group": row["of"]}
        | {"texts": {"text": row["text"]}}
        for row in table
    ]
    return {"items": items, **wanted}


async def aggregate(http: Http, body: dict[str, Any]) -> dict[str, Any]:
    answer = await http.post("/v1/aggregations", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def of_file(path: Path, table: list[Row], capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    with path.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    columns = [option for judge in JUDGES for option in ("--judge", judge)]
    known = ["--item", "id", "--reference", "ann", "--text", "text", "--group", "of", "--format", "json"]
    assert run(["aggregate", str(path), *columns, *known, *options]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    for scored in (answer, *answer["judges"]):
        assert scored.pop("accuracy") is None
    return answer


CLASSES = ["--class", "A", "--class", "B"]


@pytest.mark.parametrize(
    ("wanted", "options"),
    [
        ({}, []),
        ({"seed": 7, "method": "average"}, ["--seed", "7", "--method", "average"]),
        ({"classes": list(NAMES)}, [*CLASSES, "--class", "tie"]),
        ({"classes": ["A", "B"], "tie": "tie"}, [*CLASSES, "--tie", "tie"]),
        ({"classes": list(NAMES), "method": "majority"}, [*CLASSES, "--class", "tie", "--method", "majority"]),
        (
            {"classes": list(NAMES), "method": "skill-aggregation", "regulariser": 0.1},
            [*CLASSES, "--class", "tie", "--method", "skill-aggregation", "--regulariser", "0.1"],
        ),
    ],
)
async def test_the_numbers_are_those_of_the_command(
    wanted: dict[str, Any], options: list[str], http: Http, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = rows(120, probabilities="classes" not in wanted)
    expected = await asyncio.to_thread(of_file, tmp_path / "judged.csv", table, capsys, *options)
    found = await aggregate(http, body_of(table, **wanted))
    assert found == expected
    assert found["label_next"]
    assert found["ways"]


async def test_a_tie_is_a_class_of_its_own_or_half_a_vote(http: Http) -> None:
    items = [{"item": str(n), "answers": {"ann": "tie", "bob": "tie", "cid": "A"}} for n in range(3)]
    own = await aggregate(http, {"items": items, "classes": ["A", "B", "tie"], "method": "majority"})
    half = await aggregate(http, {"items": items, "classes": ["A", "B"], "tie": "tie", "method": "majority"})
    assert {each["verdict"] for each in own["items"]} == {"tie"}
    assert [each["p"] for each in half["items"]] == [{"A": pytest.approx(2 / 3), "B": pytest.approx(1 / 3)}] * 3


async def test_without_labels_it_says_that_it_cannot_know(http: Http) -> None:
    items = [{"item": str(n), "answers": {"ann": n % 2, "bob": 1 - n % 2 / 2}} for n in range(6)]
    found = await aggregate(http, {"items": items})
    assert found["people"].startswith("No human labels overlap")
    assert found["ways"] == {}
    assert [(judge["with_people"], judge["interval"], judge["labelled"]) for judge in found["judges"]] == [
        (None, None, 0)
    ] * 2


def item(key: str = "q1", **answers: Any) -> dict[str, Any]:
    return {"item": key, "answers": answers or {"ann": 1, "bob": 0}}


FAULTS: list[tuple[dict[str, Any], str, str]] = [
    ({"classes": ["A", "B"], "items": [item(ann="A", bob="C")]}, "/items/0/answers/bob", "'C' is none of A, B"),
    ({"classes": ["A", "B"], "items": [item(ann="A", bob=1)]}, "/items/0/answers/bob", "name of one"),
    ({"items": [item(ann=1, **{"b/o": "yes"})]}, "/items/0/answers/b~1o", "name the classes"),
    ({"items": [item(ann=1, bob=1.5)]}, "/items/0/answers/bob", "from 0 to 1"),
    ({"items": [item(ann=1, bob=True)]}, "/items/0/answers/bob", "from 0 to 1"),
    ({"items": [item() | {"labels": {"cid": -1}}]}, "/items/0/labels/cid", "from 0 to 1"),
    ({"items": [item(ann=1)]}, "/items", "two judges or more"),
    ({"items": [item() | {"labels": {"bob": 1}}]}, "/items", "people are held apart"),
    ({"items": [item(), item("q2"), item()]}, "/items/2/item", "same key as /items/0"),
    ({"classes": ["A", "B", "A"], "items": [item(ann="A", bob="B")]}, "/classes", "'A' occurs twice"),
    ({"classes": ["A"], "items": [item(ann="A", bob="A")]}, "/classes", "at least 2"),
    ({"tie": "tie", "items": [item()]}, "/tie", "name the classes"),
    ({"classes": ["A", "B"], "tie": "B", "items": [item(ann="A", bob="B")]}, "/tie", "one of the classes too"),
    ({"regulariser": 0.1, "items": [item()]}, "/regulariser", "dawid-skene has none"),
    ({"method": "crowdlayer", "items": [item()]}, "/items/0/texts", "choose dawid-skene"),
    ({"items": []}, "/items", "at least 1"),
]


@pytest.mark.parametrize(("body", "pointer", "remedy"), FAULTS)
async def test_a_fault_is_named_with_its_place_and_remedy(
    body: dict[str, Any], pointer: str, remedy: str, http: Http
) -> None:
    answer = await http.post("/v1/aggregations", json=body)
    assert answer.status_code == 422
    (fault,) = answer.json()["errors"]
    assert fault["pointer"] == pointer
    assert remedy in f"{answer.json()['detail']} {fault['detail']}"


async def test_too_much_for_one_request_is_refused_with_its_size(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two items, two judges and two classes are (2 + 2) 2 2^2 steps."""
    body = {"items": [item(), item("q2")]}
    monkeypatch.setattr(aggregations, "MOST", 32)
    await aggregate(http, body)
    monkeypatch.setattr(aggregations, "MOST", 31)
    answer = await http.post("/v1/aggregations", json=body)
    assert answer.status_code == 422
    assert "2 items by 2 judges" in answer.json()["detail"]
    monkeypatch.setattr(aggregations, "MOST_CHARACTERS", 5)
    told = {"method": "crowdlayer", "items": [item() | {"texts": {"text": "too long"}}]}
    assert "8 characters" in (await http.post("/v1/aggregations", json=told)).json()["detail"]


async def test_others_are_answered_meanwhile_and_who_finds_no_place_is_to_retry(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two computations at once, which wait here until a third has been refused."""
    go = Event()

    def slow(*args: Any, **options: Any) -> Any:
        assert go.wait(10)
        return examine(*args, **options)

    monkeypatch.setattr("app.analysis.aggregation.examine", slow)
    monkeypatch.setattr(jobs, "PATIENCE", 0.2)
    body = {"items": [item(), item("q2")]}
    begun = [asyncio.create_task(http.post("/v1/aggregations", json=body)) for _ in range(jobs.AT_ONCE)]
    await asyncio.sleep(0.1)
    assert (await http.get("/v1/sets")).status_code == 200
    refused = await http.post("/v1/aggregations", json=body)
    assert (refused.status_code, refused.json()["type"]) == (503, "urn:nextpair:problem:busy")
    assert refused.headers["Retry-After"] == "1"
    go.set()
    assert [answer.status_code for answer in await asyncio.gather(*begun)] == [200] * jobs.AT_ONCE
