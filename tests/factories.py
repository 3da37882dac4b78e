"""Small sets to test with."""

from typing import Any

import httpx

KEYS = ("ash", "birch", "cedar", "elm")


def candidates(*keys: str) -> list[dict[str, Any]]:
    return [{"key": key, "text": f"The text of {key}."} for key in keys]


async def create_set(http: httpx.AsyncClient, *keys: str, **fields: Any) -> dict[str, Any]:
    """A set of texts, as the service answers it."""
    body = {"name": "Trees", "question": "Which is better?", "candidates": candidates(*(keys or KEYS)), **fields}
    answer = await http.post("/v1/sets", json=body)
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


async def ask(http: httpx.AsyncClient, set_id: str, judge: str = "alice", **fields: Any) -> dict[str, Any]:
    answer = await http.post(f"/v1/sets/{set_id}/next-pair", json={"judge": judge, **fields})
    assert answer.status_code == 200, answer.text
    asked: dict[str, Any] = answer.json()
    return asked


async def tell(http: httpx.AsyncClient, assignment_id: str, **verdict: Any) -> httpx.Response:
    return await http.post(f"/v1/assignments/{assignment_id}/verdict", json=verdict)
