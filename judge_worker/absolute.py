"""Absolute scores: every text of every set once, as a distribution over a scale."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import NamedTuple

from nextpair import ApiError, AsyncClient
from nextpair.calls import add_absolute_scores, all_absolute_scores, all_candidates
from nextpair.schemas import AbsoluteScoresIn, CandidateOut, SetOut

from judge_worker import verdicts
from judge_worker.engine import Away, Engine, LabelReading, Outcome
from judge_worker.outage import Outage
from judge_worker.progress import Stats, event
from judge_worker.prompts import Template, repeated_words
from judge_worker.reading import EngineTurns, prepare
from judge_worker.settings import WorkerSettings
from judge_worker.shutdown import sleep_unless_stopped, until_stopped
from judge_worker.worker import sets_of


class Text(NamedTuple):
    """A candidate that has a text."""

    candidate: CandidateOut
    text: str


class Scorer:
    """Like Worker, for texts alone. It ends when every text has a score by this judge."""

    def __init__(
        self,
        settings: WorkerSettings,
        client: AsyncClient,
        engine: Engine,
        templates: Sequence[Template],
        stopping: asyncio.Event,
    ) -> None:
        self.stats = Stats()
        (self._template,) = templates
        self._settings, self._client, self._engine = settings, client, engine
        self._stopping = stopping
        self._scale = settings.absolute or (1, 10)
        self._turns = EngineTurns(engine, self.stats, lambda: True)
        self._outage = Outage()

    async def run(self) -> None:
        """Score until every text is, or until stopped. Raises EngineDown, ApiError, Unreachable."""
        await until_stopped([self._score_all()], self._stopping)

    async def _score_all(self) -> None:
        sets = [each for each in await sets_of(self._client, self._settings) if each.status == "open"]
        for place, candidate_set in enumerate(sets):
            self.stats.sets_left = len(sets) - place
            if candidate_set.items:
                event("skipped a set of systems", set=str(candidate_set.id))
            else:
                await self._score_set(candidate_set)
        self.stats.sets_left = 0

    async def _score_set(self, candidate_set: SetOut) -> None:
        try:
            texts = await self._unscored(candidate_set)
            while texts and not self._stopping.is_set():
                batch, texts = texts[: self._settings.batch], texts[self._settings.batch :]
                texts += await self._score(candidate_set, batch)
                await sleep_unless_stopped(self._outage.left, self._stopping)
        except ApiError as error:
            if error.status not in (404, 410):
                raise
            event("skipped a deleted set", set=str(candidate_set.id))

    async def _unscored(self, candidate_set: SetOut) -> list[Text]:
        judge = self._settings.judge_name
        scores = self._client.each(all_absolute_scores(candidate_set.id))
        done = {score.candidate async for score in scores if score.judge == judge}
        return [
            Text(candidate, candidate.text)
            async for candidate in self._client.each(all_candidates(candidate_set.id))
            if candidate.text and candidate.key not in done
        ]

    async def _score(self, candidate_set: SetOut, texts: Sequence[Text]) -> list[Text]:
        """Send the scores of texts; return the texts that are still to be read, as the engine was away."""
        fields = [verdicts.fields_of_text(candidate_set, text.text, *self._scale) for text in texts]
        for text, of_text in zip(texts, fields, strict=True):
            if words := repeated_words(self._template, of_text):
                event("a text repeats the template", candidate=text.candidate.key, words=", ".join(words))
        prepared = await asyncio.to_thread(lambda: [prepare(self._engine, self._template, each) for each in fields])
        away = []
        async with aclosing(self._turns.read(prepared)) as arrivals:
            async for outcomes, _ in arrivals:
                self._outage.note([outcome for _, outcome in outcomes])
                away += [texts[n] for n, outcome in outcomes if isinstance(outcome, Away)]
                await self._send(candidate_set, [(texts[n], outcome) for n, outcome in outcomes])
        return away

    async def _send(self, candidate_set: SetOut, outcomes: Sequence[tuple[Text, Outcome | Away]]) -> None:
        least, judge, (low, _) = self._settings.least_label_mass, self._settings.judge_name, self._scale
        read = [(text, verdicts.enough(outcome, least)) for text, outcome in outcomes if not isinstance(outcome, Away)]
        self.stats.count(outcome for _, outcome in read)
        scores = [
            verdicts.absolute_score(text.candidate, judge, low, outcome)
            for text, outcome in read
            if isinstance(outcome, LabelReading)
        ]
        if scores:
            await self._client.send(add_absolute_scores(candidate_set.id, AbsoluteScoresIn(scores=scores)))
