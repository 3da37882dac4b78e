"""The loop: lease pairs over many sets, judge them, send the verdicts.

Several slots take turns at the engine: while it reads the batch of one, the others send verdicts, lease and tokenise.
Verdicts are sent as they come, so that no pair waits for another one of its batch. Each slot asks as a worker of its
own name. So asking again after a crash or a lost response brings back the pairs that the slot holds and no others.
Every write carries an idempotency key, and an assignment takes one verdict only: a verdict is neither lost nor counted
twice, whatever is cut off or killed. While the engine is away all pairs are given back, for other workers to judge.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from nextpair import ApiError, AsyncClient, NextpairError
from nextpair.calls import add_comparisons, all_sets, next_pairs, release_many, renew_many, send_verdicts
from nextpair.schemas import Assignment, Assignments, ComparisonIn, ComparisonsIn, SetOut, VerdictsIn
from nextpair.words import STATUSES

from judge_worker import verdicts
from judge_worker.engine import Arrival, Away, Engine, EngineDown, LabelReading, Outcome
from judge_worker.outage import Outage
from judge_worker.progress import Stats, event
from judge_worker.prompts import Template, repeated_words
from judge_worker.reading import EngineTurns, prepare
from judge_worker.settings import WorkerSettings
from judge_worker.shutdown import cancel, sleep_unless_stopped, until_stopped

SLOTS = 4  # one at the engine, one ready before it, one behind it and one asking
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0  # seconds between asks while there is nothing to judge
LAST = 10.0  # seconds for giving pairs back at the end
LOOK = 15.0  # seconds between looks at what is left
SENDS = 1000  # verdicts or leases in one request
MORE_MAY_COME = ("open", "all_leased")  # answers to an ask

T = TypeVar("T")


class Way(NamedTuple):
    """Ways to show a pair: the first way gives its verdict, each other one an entry of its own in the log."""

    template: Template
    swapped: bool


JudgedPair = tuple[Assignment, list[Outcome]]  # one for each way


class Worker:
    """One worker process. `stopping` lets it end: what the engine reads is finished, what waits is given back."""

    def __init__(
        self,
        settings: WorkerSettings,
        client: AsyncClient,
        engine: Engine,
        templates: Sequence[Template],
        stopping: asyncio.Event,
    ) -> None:
        self.stats = Stats()
        self._settings, self._client, self._engine = settings, client, engine
        self._stopping = stopping
        self._ways = [
            Way(each, swapped) for each in templates for swapped in (False, True)[: settings.orders_of_a_pair]
        ]
        self._source = {"model": engine.model, "template": templates[0].name, "worker": settings.worker}
        self._leases: dict[UUID, int] = {}  # generations, by assignment
        self._turns = EngineTurns(engine, self.stats, lambda: not (stopping.is_set() or self._outage.left))
        self._outage = Outage()
        self._down: EngineDown | None = None

    async def run(self) -> None:
        """Judge until stopped, or until all is done. Raises EngineDown, BadLabels, ApiError, Unreachable."""
        beside = [asyncio.create_task(self._renew()), asyncio.create_task(self._look())]
        try:
            slots = [self._until_down(f"{self._settings.worker}/{n}") for n in range(SLOTS)]
            await until_stopped(slots, self._stopping)
            if self._down:
                raise self._down
        finally:
            await cancel(beside)
            await self._give_back(list(self._leases))

    async def _until_down(self, name: str) -> None:
        """A slot; when the engine is down all stop, after they have sent what they have read."""
        try:
            await self._slot(name)
        except EngineDown as error:
            self._down = self._down or error
            self._stopping.set()

    async def _slot(self, name: str) -> None:
        """Lease a batch and judge it, over and over, until stopped or, with `until_done`, until there is no more."""
        pause = FIRST_PAUSE
        while not self._stopping.is_set():
            if self._outage.left:
                await sleep_unless_stopped(self._outage.left, self._stopping)
                continue
            leased = await self._lease(name)
            if leased.assignments:
                await self._judge(leased.assignments)
                pause = FIRST_PAUSE
            elif self._settings.until_done and leased.status not in MORE_MAY_COME:
                self._note_end(leased)
                return
            else:
                await sleep_unless_stopped(pause * random.uniform(0.5, 1.0), self._stopping)
                pause = min(2.0 * pause, LONGEST_PAUSE)

    def _note_end(self, leased: Assignments) -> None:
        """Note why no pair is left; the first slot to ask is told the reason."""
        if leased.reason or not self.stats.end:
            self.stats.end = STATUSES[leased.status] + (f": {leased.reason}" if leased.reason else "")

    async def _lease(self, name: str) -> Assignments:
        s = self._settings
        count = max(s.batch // len(self._ways), 1)
        narrowed: dict[str, Any] = {"sets": s.sets or None, "project": s.project}
        ask = next_pairs(judge=s.judge_name, count=count, lease_seconds=s.lease_seconds, worker=name, **narrowed)
        leased = await self._client.send(ask)
        self._leases |= {pair.id: pair.generation for pair in leased.assignments}
        return leased

    async def _judge(self, pairs: Sequence[Assignment]) -> None:
        """Judge a batch, the pairs of one set together, so that the engine may reuse what their prompts share."""
        together = sorted(pairs, key=lambda pair: (pair.set_id, pair.item.key if pair.item else ""))
        prepared = await asyncio.to_thread(self._prepare, together)
        answers = [dict[int, Outcome]() for _ in together]  # of each pair, by the number of the way
        arrived = 0
        async with aclosing(self._turns.read(prepared)) as arrivals:
            async for outcomes, seconds in arrivals:
                self._outage.note([outcome for _, outcome in outcomes])
                arrived += len(outcomes)
                judged = self._judged(together, answers, outcomes)
                await self._tell(judged, 1000.0 * seconds / arrived)
        await self._give_back([pair.id for pair in together])

    def _judged(
        self, pairs: Sequence[Assignment], answers: Sequence[dict[int, Outcome]], arrived: Sequence[Arrival]
    ) -> list[JudgedPair]:
        """Put what arrived with the answers; return the pairs that now have one in each way."""
        judged = []
        for n, outcome in arrived:
            way, place = divmod(n, len(pairs))
            if not isinstance(outcome, Away):
                answers[place][way] = verdicts.enough(outcome, self._settings.least_label_mass)
                if len(answers[place]) == len(self._ways):
                    judged.append((pairs[place], [answers[place][way] for way in range(len(self._ways))]))
        self.stats.count(each for _, outcomes in judged for each in outcomes)
        return judged

    def _prepare(self, pairs: Sequence[Assignment]) -> list[Any]:
        """Prepare all pairs in the first way, then all in the next one."""
        return [self._prepare_one(pair, way) for way in self._ways for pair in pairs]

    def _prepare_one(self, pair: Assignment, way: Way) -> Any:
        without = verdicts.without_text(pair)
        return without or prepare(self._engine, way.template, verdicts.fields_of(pair, swapped=way.swapped))

    async def _tell(self, judged: Sequence[JudgedPair], latency_ms: float) -> None:
        """Send verdicts, the other ways first: they may be sent again, should the worker die in between."""
        await self._tell_replicates(judged)
        ready = [verdicts.verdict(pair, outcome, latency_ms, self._source_of(pair)) for pair, (outcome, *_) in judged]
        for part in _parts(ready):
            answer = await self._client.send(send_verdicts(VerdictsIn(verdicts=list(part))))
            skipped = Counter(result.problem.title for result in answer.results if result.problem)
            self.stats.skipped += skipped
            for title, times in skipped.items():
                event("skipped by the service", verdicts=times, reason=title)
            for each in part:
                self._leases.pop(each.assignment_id, None)

    def _source_of(self, pair: Assignment) -> dict[str, Any]:
        """What made a verdict, and words of its template that a text repeats."""
        words = repeated_words(self._ways[0].template, verdicts.fields_of(pair))
        return {**self._source, **({"template_words": words} if words else {})}

    async def _tell_replicates(self, judged: Sequence[JudgedPair]) -> None:
        """The verdicts of the other ways, each with the name of its template where that is not the first one's."""
        first, *others = self._ways
        wordings = ["" if way.template is first.template else way.template.name for way in others]
        replicates = [
            (pair.set_id, verdicts.replicate(pair, outcome, swapped=way.swapped, wording=wording))
            for pair, outcomes in judged
            for way, wording, outcome in zip(others, wordings, outcomes[1:], strict=True)
            if isinstance(outcome, LabelReading)
        ]
        for set_id, of_set in groupby(sorted(replicates, key=itemgetter(0)), key=itemgetter(0)):
            new = [replicate for _, replicate in of_set]
            if await self._refused(set_id, new):  # one of them exists: then the others are sent alone
                for one in new:
                    if title := await self._refused(set_id, [one]):
                        self.stats.skipped[title] += 1

    async def _refused(self, set_id: UUID, new: Sequence[ComparisonIn]) -> str | None:
        """Send entries; return why the service skips them, if it does."""
        try:
            await self._client.send(add_comparisons(set_id, ComparisonsIn(comparisons=list(new))))
        except ApiError as error:
            if error.status not in (404, 409, 410):
                raise
            return error.problem.title if error.problem else str(error.status)
        return None

    async def _give_back(self, ids: Sequence[UUID]) -> None:
        """Release leases. One that cannot be released, because the service is away, runs out by itself."""
        leases = [(each, self._leases.pop(each)) for each in ids if each in self._leases]
        for part in _parts(leases):
            generations = dict(part)
            release = release_many(list(generations), generations=generations)
            try:
                await asyncio.wait_for(self._client.send(release), LAST)
            except (NextpairError, TimeoutError) as error:
                event("leases not returned", pairs=len(part), reason=str(error) or type(error).__name__)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self._settings.lease_seconds / 3.0)
            for part in _parts(list(self._leases.items())):
                generations = dict(part)
                renewal = renew_many(
                    list(generations), lease_seconds=self._settings.lease_seconds, generations=generations
                )
                with _reported("leases not renewed"):
                    await self._client.send(renewal)

    async def _look(self) -> None:
        """Count the sets and pairs that are left, at most, now and then."""
        while True:
            with _reported("remaining pairs not counted"):
                sets = await sets_of(self._client, self._settings)
                left = [pairs_left(each) for each in sets if each.status == "open"]
                self.stats.sets_left, self.stats.pairs_left = sum(pairs > 0 for pairs in left), sum(left)
            await asyncio.sleep(LOOK)


@contextmanager
def _reported(what: str) -> Iterator[None]:
    """Report an error of something that is done again later, instead of ending the worker."""
    try:
        yield
    except NextpairError as error:
        event(what, reason=str(error))


def _parts(ids: Sequence[T]) -> list[Sequence[T]]:
    return [ids[start : start + SENDS] for start in range(0, len(ids), SENDS)]


async def sets_of(client: AsyncClient, settings: WorkerSettings) -> list[SetOut]:
    """The sets that the worker serves."""
    sets = client.each(all_sets(project=settings.project))
    return [each async for each in sets if not settings.sets or each.id in settings.sets]


def pairs_left(open_set: SetOut) -> int:
    """Count the pairs until each pair of each item was judged once, or the budget is spent."""
    possible = open_set.candidates * (open_set.candidates - 1) // 2 * max(open_set.items, 1)
    most = min(possible, open_set.budget.max_comparisons or possible) if open_set.budget else possible
    return max(most - open_set.comparisons, 0)
