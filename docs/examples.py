"""The examples of the OpenAPI document, app/api/examples.json: `python -m docs.examples` writes it from one real run.

Each operation is called once, on two small sets: what is sent and what is answered is its example. Ids and times, which
differ from run to run, are replaced, numbers are rounded, and long lists are cut.
"""

import asyncio
import json
import re
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import httpx
from fastapi import FastAPI

from app.main import create_app
from app.settings import Settings

Json = Any
FILE = Path(__file__).parents[1] / "app/api/examples.json"
TOO_EARLY = 425  # the result is being computed
LONGEST = 3  # entries of a list
THEN = "2026-11-20T12:00:00Z"
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")

SKY = {
    "name": "Why is the sky blue?",
    "question": "Which answer explains it better to a ten-year-old?",
    "attribute": "clarity",
    "candidates": [
        {"key": "kelp", "text": "Sunlight is a mix of colours, and air scatters blue the most."},
        {"key": "rowan", "text": "Because the sea is blue and the sky is its mirror."},
    ],
    "selection": {"random_share": 0.5},
    "position_bias": "estimate",
    "budget": {"max_comparisons": 200},
    "stop": {"top_k": 1},
    "goal": {"top_k": 1},
    "project": "sky",
    "pool_by": "none",
}
ASPEN = {"key": "aspen", "text": "Blue light bounces around in the air more than red light does."}
SYSTEMS = ("finch", "heron", "wren")  # best first
SUMS = {f"s{n}": (n * 17 % 50 + 3, n * 23 % 50 + 4) for n in range(20)}
OUTPUTS = """model,prompt_id,prompt,category,output
finch,p1,Why is the sky blue?,nature,Air scatters blue light the most.
heron,p1,Why is the sky blue?,nature,Because the sea is blue.
finch,p2,What is 3 + 4?,sums,7
heron,p2,What is 3 + 4?,sums,
"""
AGGREGATION = {
    "classes": ["A", "B", "tie"],
    "items": [
        {"item": "q1", "answers": {"gpt-4": "A", "llama-70b": "A", "qwen-72b": "tie"}, "labels": {"alice": "A"}},
        {"item": "q2", "answers": {"gpt-4": "B", "llama-70b": "A", "qwen-72b": None}},
        {"item": "q3", "answers": {"gpt-4": "B", "llama-70b": "B", "qwen-72b": "B"}, "labels": {"alice": "B"}},
    ],
}


class Recorder:
    """Calls operations by their names, and keeps what is sent and answered the first time."""

    def __init__(self, app: FastAPI, http: httpx.AsyncClient) -> None:
        self._http, self.examples = http, dict[str, Json]()
        self._places = {
            operation["operationId"]: (method, path)
            for path, methods in app.openapi()["paths"].items()
            for method, operation in methods.items()
        }

    async def __call__(
        self, operation: str, body: Json = None, *, query: Mapping[str, Any] | None = None, **names: Any
    ) -> Json:
        method, path = self._places[operation]
        sent: Json = {"json": body}
        if isinstance(body, bytes):
            sent, body = {"content": body, "headers": {"Content-Type": "application/octet-stream"}}, None
        while True:
            answer = await self._http.request(method, path.format(**names), params=query, **sent)
            if answer.status_code != TOO_EARLY and not answer.json().get("newer_version"):
                break
            await asyncio.sleep(0.1)
        content = answer.raise_for_status().json()
        self.examples.setdefault(operation, {"request": body, "response": content})
        return content


async def record(app: FastAPI, http: httpx.AsyncClient) -> Json:
    """Call each operation of a service that is ready and empty; returns its example by its name."""
    call = Recorder(app, http)
    await call("alive")
    await call("ready")
    await _describe_judges(call)
    await _rank_texts(call)
    await _rank_systems(call)
    await call("aggregate", AGGREGATION)
    await call("preview_table", OUTPUTS.encode(), query={"file": "outputs.csv"})
    await call("read_table", OUTPUTS.encode(), query={"file": "outputs.csv"})
    await call("estimate", query={"candidates": "24", "goal": "top_k"})
    return _steady(call.examples)


async def _describe_judges(call: Recorder) -> None:
    await call("describe_judge", {"kind": "llm", "model": "gpt-4-0125-preview", "cost_per_1000": 12.5}, name="gpt-4")
    await call("describe_judge", {"kind": "human"}, name="alice")
    await call("get_judge", name="gpt-4")
    await call("list_judges")


async def _rank_texts(call: Recorder) -> None:
    sky = (await call("create_set", SKY))["id"]
    await call("add_candidates", {"candidates": [ASPEN]}, set_id=sky)
    await call("list_candidates", set_id=sky)
    await call("get_set", set_id=sky)
    await call("list_sets")
    await _judge_pairs(call, sky)
    order = ("kelp", "aspen", "rowan")
    verdicts = [
        {"client_id": "run-7/0001", "first": "kelp", "second": "rowan", "judge": "alice", "winner": "first"},
        *({"first": a, "second": b, "judge": "gpt-4", "p_first": 0.74} for a, b in combinations(order, 2)),
        *({"first": b, "second": a, "judge": "gpt-4", "p_first": 0.33} for a, b in combinations(order, 2)),
    ]
    await call("add_comparisons", {"comparisons": verdicts}, set_id=sky)
    listed = await call("list_comparisons", set_id=sky, query={"limit": 2})
    voided = listed["comparisons"][1]["seq"]
    await call("void", {"reason": "clicked the wrong side"}, set_id=sky, seq=voided)
    await call("restore_comparison", set_id=sky, seq=voided)
    await call("activity", set_id=sky, query={"limit": 2})
    scores = [
        {"candidate": "kelp", "judge": "gpt-4", "probabilities": {"6": 0.1, "7": 0.6, "8": 0.3}},
        {"candidate": "aspen", "judge": "gpt-4", "mean": 6.2, "variance": 0.4},
        {"candidate": "rowan", "judge": "gpt-4", "mean": 5.1, "variance": 0.4},
    ]
    await call("add_absolute_scores", {"scores": scores}, set_id=sky)
    await call("list_absolute_scores", set_id=sky)
    known = {
        "pool": "project:sky",
        "sets": 12,
        "log_scale": {"mean": 1.1, "sd": 0.5},
        "log_noise": {"gpt-4": {"mean": -0.9, "sd": 0.4}},
        "log_effects": {"gpt-4": {"mean": -0.5, "sd": 0.4}},
    }
    await call("add_pooled_evidence", known, set_id=sky)
    await call("list_pooled_evidence", set_id=sky)
    await call("ranking", set_id=sky)
    await call("summary", set_id=sky)
    await call("matrix", set_id=sky)
    await call("predict", set_id=sky, query={"first": "kelp", "second": "rowan"})
    await call("head_to_head", set_id=sky, query={"first": "kelp", "second": "rowan"})
    await call("leaderboard", name="sky", query={"weight": f"{SKY['name']}=1"})
    await call("patch_set", {"status": "paused"}, set_id=sky)
    await call("restore_set", set_id=sky)


async def _judge_pairs(call: Recorder, sky: str) -> None:
    await call("preview_pairs", set_id=sky)
    (pair,) = (await call("next_pair", {"judge": "alice", "count": 1}, set_id=sky))["assignments"]
    await call("renew", {"lease_seconds": 600.0, "generation": 1}, assignment_id=pair["id"])
    verdict = {"p_first": 0.83, "generation": 1, "latency_ms": 1200.0}
    await call("send_verdict", verdict, assignment_id=pair["id"])
    (pair,) = (await call("next_pair", {"judge": "alice"}, set_id=sky))["assignments"]
    await call("release", {"generation": 1}, assignment_id=pair["id"])
    leased = (await call("next_pairs", {"judge": "gpt-4", "count": 2}))["assignments"]
    ids = [pair["id"] for pair in leased]
    await call("renew_many", {"assignments": ids, "lease_seconds": 120.0})
    logprobs = {"assignment_id": ids[0], "logprobs": {"first": -0.2, "second": -1.8}, "label_mass": 0.98}
    await call("send_verdicts", {"verdicts": [logprobs | {"generation": 1, "latency_ms": 120.0}]})
    await call("release_many", {"assignments": ids[1:]})


async def _rank_systems(call: Recorder) -> None:
    random = Random(0)
    sums = {
        "name": "Sums",
        "question": "Which answer is right?",
        "items": [
            {"key": item, "prompt": f"{a} + {b}?", "tags": {"sum": "large" if a + b > 50 else "small"}}
            for item, (a, b) in SUMS.items()
        ],
        "candidates": [
            {"key": key, "outputs": {item: str(a + b + n * random.randrange(2)) for item, (a, b) in SUMS.items()}}
            for n, key in enumerate(SYSTEMS)
        ],
    }
    set_id = (await call("create_set", sums))["id"]
    await call("list_items", set_id=set_id)
    pairs = [
        {"item": item, "first": first, "second": second}
        for item in SUMS
        for first, second in (random.sample(pair, 2) for pair in combinations(SYSTEMS, 2))
    ]
    winners = ["first" if (random.random() < 0.8) == (pair["first"] < pair["second"]) else "second" for pair in pairs]
    verdicts: list[Json] = [
        pair | {"judge": judge, "p_first": _p_first(random, winner, skill)}
        for judge, skill in (("gpt-4", 0.9), ("llama-70b", 0.6))
        for pair, winner in zip(pairs, winners, strict=True)
    ]
    by_people = list(zip(pairs, winners, strict=True))[::2]
    verdicts += [pair | {"judge": "alice", "winner": winner} for pair, winner in by_people]
    await call("add_comparisons", {"comparisons": verdicts}, set_id=set_id)
    for result in ("judges", "list_disputes", "checks", "diagnostics"):
        await call(result, set_id=set_id)
    await call("list_judged_pairs", set_id=set_id, query={"sort": "surprise", "limit": "1"})
    await call("list_item_statistics", set_id=set_id)
    await call("judge", set_id=set_id, name="gpt-4")
    await call("rank_sets", set_id=set_id, query={"judge": "gpt-4"})
    await call("calibration", set_id=set_id, query={"judge": "gpt-4", "reference": "alice"})


def _p_first(random: Random, winner: str, skill: float) -> float:
    """What a judge says who is right with this probability."""
    is_right = random.random() < skill
    return round(random.uniform(0.5, 0.95) if is_right == (winner == "first") else random.uniform(0.05, 0.5), 2)


def _steady(part: Json, ids: dict[str, str] | None = None) -> Json:
    """The same in every run."""
    ids = {} if ids is None else ids
    match part:
        case dict():
            return {_steady(key, ids): _steady(value, ids) for key, value in part.items()}
        case list():
            return [_steady(each, ids) for each in part[:LONGEST]]
        case float():
            return round(part, 3) + 0.0
        case str() if ID.fullmatch(part):
            return ids.setdefault(part, str(uuid5(NAMESPACE_URL, str(len(ids)))))
        case str() if TIME.fullmatch(part):
            return THEN
    return part


def text_of(examples: Json) -> str:
    """JSON with a line for each operation."""
    lines = (f"{json.dumps(name)}: {json.dumps(example, ensure_ascii=False)}" for name, example in examples.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


async def _write() -> None:
    with TemporaryDirectory() as home:
        app = create_app(Settings(data_dir=Path(home)))
        async with app.router.lifespan_context(app):
            await app.state.warming
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as http:
                FILE.write_text(text_of(await record(app, http)))


if __name__ == "__main__":
    asyncio.run(_write())
