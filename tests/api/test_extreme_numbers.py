"""Numbers at the edges of what the contract allows: whatever a set holds, it can be read and asked.

A few sets by default; NEXTPAIR_EXTREME_SETS draws more of them.
"""

import logging
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from traceback import extract_tb
from typing import Any, get_args

import httpx
import numpy as np
import pytest
from nextpair.words import JOINT, BaselineName, CriterionName, ExpertName

from tests.factories import KEYS, Http, candidates

SETS = int(os.environ.get("NEXTPAIR_EXTREME_SETS", "2"))
SEED = int(os.environ.get("NEXTPAIR_EXTREME_SEED", "27"))
JUDGES = ("ann", "bob", "gpt")
PROBABILITIES = (0.0, 1.0, 0.5, 1e-320, 5e-324, 1e-300, 1e-16, 1.0 - 1e-16, 0.3, 0.9, float(np.nextafter(0.5, 1.0)))
WEIGHTS = (1e-6, 1.0, 1e6)
LEVELS = (0.001, 0.95, 0.9999)
PARAMETERS = {
    "gaussian": ("alpha", "beta", "v", "power"), "logit-gaussian": ("v", "power"), "sigma-beta": ("a", "b"),
    "sigma-gaussian": ("v",), "phi-gaussian": ("v",), "laplace": ("alpha", "beta", "b"),
}  # fmt: skip


class Drawing:
    """A random source with short names."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def one(self, *values: Any) -> Any:
        return values[self._rng.integers(len(values))]

    def often(self, share: float = 0.5) -> bool:
        return bool(self._rng.random() < share)

    def two(self) -> tuple[str, str]:
        first, second = self._rng.choice(len(KEYS), 2, replace=False)
        return KEYS[first], KEYS[second]


def new_set(draw: Drawing) -> dict[str, Any]:
    expert = draw.one(*get_args(ExpertName)) if draw.often() else "soft-bt"
    prior = draw.one("unit", "anchor") if expert in ("gaussian", "logit-gaussian", "phi-beta") else "unit"
    named = draw.often(0.7)
    own = {name: draw.one(0.01, 1.0, 100.0) for name in PARAMETERS.get(expert, ()) if draw.often()} if named else {}
    stop = draw.one(
        None, {"top_k": 1, "error_level": draw.one(1e-300, 0.05, 1.0 - 1e-16)}, {"rank_width": 0},
        {"entropy_change": draw.one(1e-320, 1e-3, 1e308)}, {"concordance": draw.one(0.5 + 1e-16, 0.9, 1.0 - 1e-16)},
        {"goal": draw.one(0.5 + 1e-16, 0.95, 1.0 - 1e-16)},
    )  # fmt: skip
    verdict_weight = draw.one("learnt", "one-vote", {"ann": 0.001, "bob": 1000.0})
    return {
        "name": "Edges",
        "question": "Which is better?",
        "candidates": candidates(*KEYS),
        "expert": expert,
        "expert_parameters": own,
        "prior": prior,
        "prior_variance": draw.one(1e-6, 1.0, 100.0),
        "selection": {
            "criterion": draw.one(*get_args(CriterionName)), "epsilon": draw.one(0.0, 1e-300, 0.5, 10.0),
            "equal": draw.one(0.0, 1e-300, 0.1, 10.0), "random_share": draw.one(0.0, 1e-300, 1.0),
        },
        "position_bias": draw.one("none", "estimate", "closed-form"),
        "absolute_scale": draw.one("estimate", "given"),
        "absolute_variance": draw.one("floored", "given"),
        "temperatures": {"ann": draw.one(0.01, 100.0)} if draw.often() else {},
        "verdict_weight": verdict_weight if expert == "soft-bt" and prior == "unit" else None,
        "stop": stop,
        "goal": draw.one({}, {"top_k": 2}, {"against": "ash"}, {"pair": ["ash", "elm"]}),
        "project": draw.one(None, "edges"),
    }  # fmt: skip


def entries(draw: Drawing, set_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What goes into the log, as requests."""
    for _ in range(6):
        kind = draw.one("comparisons", "comparisons", "absolute-scores", "pooled-evidence")
        if kind == "comparisons":
            usual = draw.one(*PROBABILITIES)
            compared = []
            for _ in range(draw.one(1, 3, 12, 40)):
                first, second = draw.two()
                p = usual if draw.often() else draw.one(*PROBABILITIES)
                judge = draw.one(*JUDGES)
                compared.append(
                    {"first": first, "second": second, "p_first": p, "judge": judge, "weight": draw.one(*WEIGHTS)}
                )
            yield f"/v1/sets/{set_id}/comparisons", {"comparisons": compared}
        elif kind == "absolute-scores":
            scored = [
                {
                    "candidate": draw.one(*KEYS), "judge": draw.one(*JUDGES),
                    "mean": draw.one(-1e9, -1e-300, 0.0, 3.0, 1e9), "variance": draw.one(1e-9, 1.0, 1e18),
                }
                for _ in range(draw.one(1, 5))
            ]  # fmt: skip
            yield f"/v1/sets/{set_id}/absolute-scores", {"scores": scored}
        else:
            noise = {judge: log_normal(draw) for judge in JUDGES if draw.often(0.3)}
            yield (
                f"/v1/sets/{set_id}/pooled-evidence",
                {"pool": "elsewhere", "log_scale": log_normal(draw), "log_noise": noise},
            )


def log_normal(draw: Drawing) -> dict[str, float]:
    return {"mean": draw.one(-7.0, 0.0, 0.5, 7.0), "sd": draw.one(0.01, 1.0, 3.0, 8.0)}


def reads(draw: Drawing, set_id: str, version: int) -> Iterator[tuple[str, dict[str, Any]]]:
    here = f"/v1/sets/{set_id}"
    level = {"level": draw.one(*LEVELS), "top_k": draw.one(1, 4, 10**9), "epsilon": draw.one(0.0, 1e-320, 1e9)}
    yield f"{here}/ranking", level
    yield f"{here}/ranking", {"as_of": version // 2}
    for verdict_weight in ("learnt", "one-vote"):
        yield f"{here}/ranking", {"verdict_weight": verdict_weight}
    method = draw.one(*get_args(ExpertName))
    for name in (method, *JOINT, *get_args(BaselineName)):
        yield f"{here}/ranking", {"method": name, **level}
    yield f"{here}/ranking", {"format": "csv"}
    yield f"{here}/predict", {"first": "ash", "second": "elm"}
    yield f"{here}/diagnostics", {}
    yield f"{here}/checks", {}
    yield f"{here}/matrix", {"of": "observed"}
    yield f"{here}/matrix", {"of": "expected"}
    yield f"{here}/calibration", {"judge": "ann", "reference": "bob", "objective": draw.one("log-loss", "ece")}
    yield f"{here}/judges", {"method": draw.one("dawid-skene", "majority", "average"), "debias": draw.often()}
    yield f"{here}/rank-sets", {"judge": "gpt", "reference": "ann", "alpha": draw.one(1e-9, 0.05, 0.5)}
    yield f"{here}/disputes", {}
    yield f"{here}/pairs", {"sort": draw.one("recent", "disagreement", "surprise")}
    yield f"{here}/item-statistics", {}
    yield f"{here}/next-pair", {"count": 3}
    yield f"/sets/{set_id}", {}


@pytest.mark.study
async def test_sets_of_edges_are_read_and_asked(http: Http, caplog: pytest.LogCaptureFixture) -> None:
    failed: list[str] = []
    caplog.set_level(logging.ERROR)

    async def send(method: str, url: str, **request: Any) -> httpx.Response:
        caplog.clear()
        answer = await http.request(method, url, **request)
        if answer.status_code >= 500 or caplog.records:
            failed.append(f"{seed}: {method} {url} {request}: {answer.status_code} {_origin(caplog.records)}")
        return answer

    for seed in range(SEED, SEED + SETS):
        await use(Drawing(seed), send)
    assert not failed, "\n".join(failed)


async def use(draw: Drawing, send: Callable[..., Awaitable[httpx.Response]]) -> None:
    """Make a set, fill its log, and read and ask it on the way and in the end."""
    made = await send("POST", "/v1/sets", json=new_set(draw))
    assert made.status_code in (201, 422), made.text
    if made.status_code == 422:
        return
    set_id, version = made.json()["id"], 0
    for url, body in entries(draw, set_id):
        sent = await send("POST", url, json=body)
        assert sent.status_code == 201, sent.text
        version = sent.json().get("version", version + 1)
        for read, params in reads(draw, set_id, version) if draw.often(0.2) else ():
            await send("GET", read, params=params)
        await send("POST", f"/v1/sets/{set_id}/next-pair", json={"judge": "ann", "count": 2})
    for read, params in reads(draw, set_id, version):
        await send("GET", read, params=params)
    await send("POST", "/v1/next-pairs", json={"judge": "bob", "count": 3})


def _origin(records: Sequence[logging.LogRecord]) -> str:
    """The last error that was logged, and the line of ours that it came from."""
    error = next((each.exc_info[1] for each in reversed(records) if each.exc_info), None)
    if error is None:
        return ""
    ours = [frame for frame in extract_tb(error.__traceback__) if "/app/" in frame.filename]
    return f"{error!r} at {ours[-1].filename.rpartition('/app/')[2]}:{ours[-1].lineno}" if ours else repr(error)
