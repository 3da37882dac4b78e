"""Absolute scores: every text of every set once, as a distribution over a scale."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

from app.client import AsyncClient, add_absolute_scores, list_absolute_scores, list_candidates
from app.schemas import AbsoluteScore, AbsoluteScoresIn, CandidateOut, SetOut
from judge_worker import verdicts
from judge_worker.engine import Engine, Reading
from judge_worker.progress import Stats
from judge_worker.prompts import Template, render
from judge_worker.settings import Settings
from judge_worker.worker import read, sets_of


class Text(NamedTuple):
    candidate: CandidateOut
    item: str | None
    text: str


class Scorer:
    """Like Worker, for texts alone. It ends when every text has a score by this judge."""

    def __init__(self, settings: Settings, client: AsyncClient, engine: Engine, template: Template) -> None:
        self.stats = Stats()
        self._settings, self._client, self._engine, self._template = settings, client, engine, template
        self._stopping = False

    def stop(self) -> None:
        self._stopping = True

    async def run(self) -> None:
        """Raises EngineDown, BadLabels, ApiError, Unreachable."""
        sets = [each for each in await sets_of(self._client, self._settings) if each.status == "open"]
        for left, of in enumerate(sets):
            self.stats.sets_left = len(sets) - left
            texts = await self._unscored(of)
            for start in range(0, len(texts), self._settings.batch):
                if self._stopping:
                    return
                await self._score(of, texts[start : start + self._settings.batch])
        self.stats.sets_left = 0

    async def _unscored(self, of: SetOut) -> list[Text]:
        judge = self._settings.judge_name
        done = {(s.candidate, s.item) async for s in self._scores(of) if s.judge == judge}
        return [text async for text in self._texts(of) if (text.candidate.key, text.item) not in done]

    async def _scores(self, of: SetOut) -> AsyncIterator[AbsoluteScore]:
        after: int | None = 0
        while after is not None:
            page = await self._client.send(list_absolute_scores(of.id, after=after))
            for score in page.scores:
                yield score
            after = page.next_after

    async def _texts(self, of: SetOut) -> AsyncIterator[Text]:
        page = await self._client.send(list_candidates(of.id))
        while True:
            for candidate in page.candidates:
                for text in texts_of(candidate):
                    yield text
            if page.next_after is None:
                return
            page = await self._client.send(list_candidates(of.id, after=page.next_after))

    async def _score(self, of: SetOut, texts: Sequence[Text]) -> None:
        low, high = self._settings.absolute or (1, 10)
        fields = [verdicts.fields_of_text(of, text.text, low, high) for text in texts]
        prepared = await asyncio.to_thread(lambda: [self._engine.prepare(render(self._template, f)) for f in fields])
        start = time.monotonic()
        outcomes = await asyncio.to_thread(read, self._engine, prepared)
        self.stats.reading += time.monotonic() - start
        outcomes = [verdicts.enough(outcome, self._settings.least_label_mass) for outcome in outcomes]
        self.stats.count(outcomes)
        judge = self._settings.judge_name
        scores = [
            verdicts.absolute_score(text.candidate, text.item, judge, low, outcome)
            for text, outcome in zip(texts, outcomes, strict=True)
            if isinstance(outcome, Reading)
        ]
        if scores:
            await self._client.send(add_absolute_scores(of.id, AbsoluteScoresIn(scores=scores)))


def texts_of(candidate: CandidateOut) -> list[Text]:
    """One of a text, one for each item of a system; none where there is only a key."""
    if candidate.outputs is not None:
        return [Text(candidate, item, text) for item, text in candidate.outputs.items() if text]
    return [Text(candidate, None, candidate.text)] if candidate.text else []
