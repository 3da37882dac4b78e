"""A page that follows a large set while verdicts arrive: `python -m benchmarks.speed.live_page`.

Judges tell 20 verdicts a second on 1,000 candidates. Two readers do as the page of the ranking does. One asks for the
newest ranking again half a second after the last one was there. The other drags the version slider back and forth, and
gives up what it asked for before. A third looks at the set, its candidates and its judges. Service, database and load
share this machine.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import count, cycle
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import numpy as np

from benchmarks.speed.service import cpu_ms, import_log, new_sets, running, wait_until_idle

JUDGES, EACH = 6, 10  # comparisons of each candidate, before the page is opened
PAUSE, STILL = 0.5, 0.25  # seconds, as the page waits before a redraw and until the slider stands
AGAIN = frozenset({425, 503})


class Watch:
    """Times when rankings of a later version came, counts of verdicts, and how long all else took."""

    def __init__(self, http: httpx.AsyncClient, set_id: UUID) -> None:
        self._http, self._path = http, f"/v1/sets/{set_id}"
        self._rng = np.random.default_rng(1)
        self.drawn: list[float] = []  # times at which a later version was there
        self.judged = 0
        self.version = 0
        self.seconds: dict[str, list[float]] = {}
        self.again = 0  # requests that were answered 425 or 503

    async def judge(self, name: str, wait: Callable[[], Awaitable[None]]) -> None:
        while True:
            await wait()
            answer = await self._timed("ask", "POST", f"{self._path}/next-pair", {"judge": name})
            for pair in answer["assignments"]:
                p = float(self._rng.random() < (0.8 if pair["first"]["key"] > pair["second"]["key"] else 0.2))
                told = await self._timed("tell", "POST", f"/v1/assignments/{pair['id']}/verdict", {"p_first": p})
                self.judged, self.version = self.judged + 1, max(self.version, told["seq"])

    async def follow(self) -> None:
        """Draw the newest ranking, again and again."""
        version = -1
        while True:
            ranking = await self._timed("newest ranking", "GET", f"{self._path}/ranking")
            if ranking["version"] > version:
                version = ranking["version"]
                self.drawn.append(time.monotonic())
            await self._timed("preview", "GET", f"{self._path}/next-pair")
            await asyncio.sleep(PAUSE)

    async def drag(self, first: int) -> None:
        """Move the slider for a while, then let it stand until its ranking is there or it is moved again."""
        rng = np.random.default_rng(0)
        while True:
            as_of = int(rng.integers(first, max(self.version, first) + 1))
            with suppress(TimeoutError):
                async with asyncio.timeout(STILL + float(rng.exponential(2.0))):
                    await asyncio.sleep(STILL)
                    await self._timed("ranking at a version", "GET", f"{self._path}/ranking?as_of={as_of}")

    async def look(self) -> None:
        for path in cycle(("", "/candidates?limit=100", "/comparisons?limit=100")):
            await self._timed("others", "GET", f"{self._path}{path}")
            await asyncio.sleep(PAUSE)

    async def _timed(self, name: str, method: str, path: str, body: Any = None) -> Any:
        """The answer, asked for until there is one. Each try has its own time."""
        while True:
            start = time.perf_counter()
            answer = await self._http.request(method, path, json=body)
            self.seconds.setdefault(name, []).append(time.perf_counter() - start)
            if answer.status_code not in AGAIN:
                answer.raise_for_status()
                return answer.json()
            self.again += 1
            await asyncio.sleep(float(answer.headers["Retry-After"]))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.live_page", description=__doc__)
    parser.add_argument("--candidates", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=20.0, help="verdicts a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nextpair-") as folder, running(Path(folder)) as service:
        set_id = _new_set(service.url, chosen.candidates)
        wait_until_idle([service])
        before = cpu_ms(service.pid)
        watch = asyncio.run(_measure(service.url, set_id, chosen.candidates * EACH, chosen.rate, chosen.seconds))
        busy = (cpu_ms(service.pid) - before) / (1e3 * chosen.seconds)
    gaps = np.diff(watch.drawn) if len(watch.drawn) > 1 else np.array([np.inf])
    load = os.getloadavg()[0]
    print(
        f"{watch.judged / chosen.seconds:.1f} verdicts/s of {chosen.rate:.0f}; CPU {busy:.0%}; load average {load:.1f}"
    )
    print(f"{len(watch.drawn)} redraws, seconds between two: {np.median(gaps):.1f}, at most {gaps.max():.1f}")
    print(
        f"{watch.again} requests were answered 425 or 503\n\n| request | times | seconds: p50, p95, most |\n|"
        + " --- |" * 3
    )
    for name, seconds in watch.seconds.items():
        shown = ", ".join(f"{each:.2f}" for each in np.percentile(seconds, [50, 95, 100]))
        print(f"| {name} | {len(seconds)} | {shown} |")


async def _measure(url: str, set_id: UUID, version: int, rate: float, seconds: float) -> Watch:
    async with httpx.AsyncClient(base_url=url, timeout=60.0, limits=httpx.Limits(max_connections=None)) as http:
        await http.get(f"/v1/sets/{set_id}/ranking")  # the page is open before judges begin
        watch = Watch(http, set_id)
        wait = _pace(rate)
        readers = [watch.follow(), watch.drag(version // 2), watch.look()]
        work = [
            asyncio.create_task(each) for each in [*readers, *(watch.judge(f"judge {n}", wait) for n in range(JUDGES))]
        ]
        done, _ = await asyncio.wait(work, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        for each in work:
            each.cancel()
        await asyncio.gather(*(each for each in work if each not in done), return_exceptions=True)
        for each in done:
            each.result()
        return watch


def _pace(rate: float) -> Callable[[], Awaitable[None]]:
    """Waits until the next verdict is due; whoever is late goes at once."""
    start, numbers = time.monotonic(), count()

    async def wait() -> None:
        await asyncio.sleep(max(start + next(numbers) / rate - time.monotonic(), 0.0))

    return wait


def _new_set(url: str, n: int) -> UUID:
    rng, size = np.random.default_rng(0), n * EACH
    first = rng.integers(n, size=size)
    second = (first + rng.integers(1, n, size=size)) % n
    p = 1.0 / (1.0 + np.exp((second - first) / (0.2 * n) + rng.normal(0.0, 0.5, size)))
    (set_id,) = new_sets(url, n, words=50)
    import_log(url, set_id, first, second, p, JUDGES)
    return set_id


if __name__ == "__main__":
    main()
