"""A nextpair service in memory, for workers: it leases pairs and takes verdicts."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

import httpx
from nextpair import AsyncClient
from nextpair.schemas import Assignment

from app.api.contract import EXAMPLES

PAIR = Assignment.model_validate(EXAMPLES["next_pair"]["response"]["assignments"][0])


class FakeService:
    """Pairs of two texts each. A pair has one verdict or failure at the most."""

    def __init__(self, texts: list[tuple[str, str]]) -> None:
        self.waiting = {pair.id: pair for pair in (_pair(n, *each) for n, each in enumerate(texts))}
        self.leased: dict[UUID, Assignment] = {}
        self.verdicts: dict[UUID, Mapping[str, Any]] = {}
        self.judged: list[Assignment] = []
        self.entries: list[Mapping[str, Any]] = []  # that were sent beside verdicts

    @property
    def stored(self) -> int:
        return sum("failure" not in verdict for verdict in self.verdicts.values())

    @property
    def failures(self) -> Counter[str]:
        return Counter(verdict["failure"] for verdict in self.verdicts.values() if "failure" in verdict)

    def client(self) -> AsyncClient:
        return AsyncClient("http://service", transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content) if request.content else {}
        name = request.url.path.rpartition("/")[2].replace("-", "_")
        return httpx.Response(200, json=getattr(self, f"_{name}")(body))

    def _sets(self, _: Mapping[str, Any]) -> Any:
        return {"sets": [], "next_after": None}

    def _next_pairs(self, ask: Mapping[str, Any]) -> Any:
        taken = [self.waiting.pop(each) for each in list(self.waiting)[: ask["count"]]]
        self.leased |= {pair.id: pair for pair in taken}
        status = "open" if taken else "all_leased" if self.leased else "exhausted"
        return {"status": status, "assignments": [pair.model_dump(mode="json") for pair in taken]}

    def _verdicts(self, body: Mapping[str, Any]) -> Any:
        for verdict in body["verdicts"]:
            pair = self.leased.pop(UUID(verdict["assignment_id"]))
            assert pair.id not in self.verdicts
            self.verdicts[pair.id] = verdict
            self.judged.append(pair)
        return {"results": [{"assignment_id": each["assignment_id"], "status": 201} for each in body["verdicts"]]}

    def _comparisons(self, body: Mapping[str, Any]) -> Any:
        self.entries += body["comparisons"]
        return {"accepted": len(body["comparisons"]), "duplicates": 0, "version": 1}

    def _release(self, body: Mapping[str, Any]) -> Any:
        back = [self.leased.pop(UUID(each)) for each in body["assignments"]]
        self.waiting |= {pair.id: pair for pair in back}
        return {"released": len(back)}


def _pair(n: int, first: str, second: str) -> Assignment:
    shown = {
        side: getattr(PAIR, side).model_copy(update={"key": f"{side}-{n}", "text": text})
        for side, text in (("first", first), ("second", second))
    }
    return PAIR.model_copy(update={"id": uuid4(), **shown})
