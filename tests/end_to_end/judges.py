"""Many judges at work on one set, and what has to be true of the log afterwards."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import UUID

import httpx
import numpy as np
from nextpair import AsyncClient
from nextpair.calls import create_set, next_pair, ranking, send_verdict
from nextpair.schemas import Assignment, CandidateIn, Comparison, FailureRecorded, SetIn, VerdictIn
from scipy.special import expit

from app.inference.fitting import posterior
from app.inference.fitting.model import Method, build
from app.inference.reporting.intervals import relative_sd
from app.inference.types import by_one_judge

KEYS = [f"c{number:02}" for number in range(30)]
PAIRS = len(KEYS) * (len(KEYS) - 1) // 2
RETRIES = 10

Pair = frozenset[str]


class Work:
    """What the judges of one set were answered."""

    def __init__(self, set_id: UUID) -> None:
        self.set_id = set_id
        self.told: list[Comparison] = []
        self.held: dict[Pair, str] = {}  # by whom
        self.clashes: list[tuple[str, str, Pair]] = []
        self.retries = 0
        self.answers: Counter[tuple[int, str]] = Counter()  # by status and media type
        self._start = time.monotonic()

    @asynccontextmanager
    async def client(self, url: str) -> AsyncIterator[AsyncClient]:
        async with AsyncClient(url, retries=RETRIES, transport=_Counting(self.answers), sleep=self._pause) as service:
            yield service

    async def judge(self, url: str, name: str, *, count: int = 1, until: int = PAIRS) -> None:
        """Ask and tell until that many comparisons were answered, or nothing is left."""
        async with self.client(url) as service:
            while len(self.told) < until:
                asked = await service.send(next_pair(self.set_id, judge=name, count=count, wait_seconds=5.0))
                if asked.status == "exhausted":
                    return
                for pair in asked.assignments:
                    self._take(pair)
                for pair in asked.assignments:
                    await self._answer(service, pair)

    async def reach(self, comparisons: int) -> None:
        """Returns once that many were answered."""
        while len(self.told) < comparisons:
            await asyncio.sleep(0.01)

    def report(self, title: str) -> None:
        seconds = time.monotonic() - self._start
        statuses = ", ".join(f"{number} x {status}" for (status, _), number in sorted(self.answers.items()))
        print(f"\n{title}: {len(self.told)} comparisons, {self.retries} retries, {seconds:.1f} s ({statuses})")

    async def check(self, urls: Sequence[str]) -> None:
        """Nothing lost, nothing twice, no gap, and every server ranks as a fold of the log from scratch does."""
        log = await exported(urls[0], self.set_id)
        assert not self.clashes
        assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
        assert sorted(map(_identity, self.told)) == [_identity(entry) for entry in log]
        assert max(Counter(_pair(entry.first, entry.second) for entry in log).values()) == 1
        for url in urls:
            await _check_ranking(url, self.set_id, log)

    async def _answer(self, service: AsyncClient, pair: Assignment) -> None:
        del self.held[_pair(pair.first.key, pair.second.key)]
        recorded = await service.send(send_verdict(pair.id, VerdictIn(p_first=_opinion(pair))))
        assert not isinstance(recorded, FailureRecorded)
        self.told.append(recorded)

    def _take(self, pair: Assignment) -> None:
        key = _pair(pair.first.key, pair.second.key)
        if key in self.held:
            self.clashes.append((self.held[key], pair.judge, key))
        self.held[key] = pair.judge

    async def _pause(self, seconds: float) -> None:
        self.retries += 1
        await asyncio.sleep(seconds)


async def new_set(url: str) -> UUID:
    body = SetIn(
        name="Load",
        question="Which is better?",
        candidates=[CandidateIn(key=key) for key in KEYS],
        verdict_weight="one-vote",
        position_bias="none",
        inference_target="latent",
    )
    async with AsyncClient(url) as service:
        return (await service.send(create_set(body))).id


async def exported(url: str, set_id: UUID) -> list[Comparison]:
    async with AsyncClient(url) as service:
        lines = b"".join([chunk async for chunk in service.export(set_id, "jsonl")]).splitlines()
    return [Comparison.model_validate_json(line) for line in lines if not line.startswith(b'{"seq":null')]


class _Counting(httpx.AsyncHTTPTransport):
    def __init__(self, answers: Counter[tuple[int, str]]) -> None:
        super().__init__()
        self._answers = answers

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        self._answers[response.status_code, response.headers.get("Content-Type", "")] += 1
        return response


async def _check_ranking(url: str, set_id: UUID, log: Sequence[Comparison]) -> None:
    async with AsyncClient(url) as service:
        answered = await service.send(ranking(set_id))
    place = {key: number for number, key in enumerate(KEYS)}
    first, second = (np.array([place[getattr(entry, side)] for entry in log]) for side in ("first", "second"))
    fresh = posterior.fit(
        by_one_judge(first, second, np.array([entry.p_first for entry in log])),
        build(Method(), len(KEYS)),
    )
    rows = sorted(answered.ranking, key=lambda row: place[row.key])
    assert answered.version == len(log)
    scores, sds = (np.array([getattr(row, name) for row in rows]) for name in ("score", "sd"))
    np.testing.assert_allclose(scores, fresh.mean, rtol=0, atol=1e-8)
    np.testing.assert_allclose(sds, relative_sd(fresh.covariance), rtol=0, atol=1e-8)


def _pair(first: str, second: str) -> Pair:
    return frozenset((first, second))


def _identity(entry: Comparison) -> tuple[int, str, str, str, float, str]:
    return entry.seq, str(entry.assignment_id), entry.first, entry.second, entry.p_first, entry.judge


def _opinion(pair: Assignment) -> float:
    """Of a judge who knows that c29 is the best and c00 the worst."""
    return float(expit((KEYS.index(pair.first.key) - KEYS.index(pair.second.key)) / 10.0))
