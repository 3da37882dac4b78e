"""The processor time of one client."""

import httpx
from fastapi import FastAPI

from app.live.spending import Spending
from app.service.context import Context
from tests.factories import Http, answer_all, create_set


async def test_a_client_that_spent_its_budget_gets_429_and_the_others_do_not(app: FastAPI, context: Context) -> None:
    context.jobs._spending = Spending(1e-6)
    ann, ben = (client_at(app, address) for address in ("10.0.0.1", "10.0.0.2"))
    async with ann, ben:
        created = await create_set(ann)
        await answer_all(ann, created["id"], "judge")
        ranking, checks = f"{created.url}/ranking", f"{created.url}/checks"
        assert (await ann.get(ranking)).status_code == 200
        answer = await ann.get(checks)
        assert answer.status_code == 429
        assert answer.headers["content-type"] == "application/problem+json"
        assert int(answer.headers["Retry-After"]) > 1
        assert answer.json()["type"] == "urn:nextpair:problem:budget-spent"
        assert "NEXTPAIR_CLIENT_SECONDS" in answer.json()["detail"]
        assert (await ann.get(ranking)).status_code == 200
        assert (await ben.get(checks)).status_code == 200
        assert (await ann.get(checks)).status_code == 200


def client_at(app: FastAPI, address: str) -> Http:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(address, 4000))
    return httpx.AsyncClient(transport=transport, base_url="http://localhost")
