"""The report of a set: its ranking, judges, checks and slices, and the hash of the log that they come from."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar
from uuid import UUID

from nextpair import schemas

from app.analysis.judged import Impossible
from app.analysis.report import HashedLog, ReportMaterial, compose
from app.files.exports import line_of
from app.files.reports.document import ReportParts
from app.files.reports.seal import LineHash, LogHasher, as_of
from app.inference.fitting import TooMany
from app.sentences import report as sentences
from app.service import candidates, comparisons, judges, pooled_evidence, rankings, results, sets
from app.service.checks import running
from app.service.context import Context
from app.service.errors import InvalidRequest, TooManyCandidates
from app.service.judges import JudgesQuery
from app.service.rankings import RankingQuery
from app.service.results import FoundSet
from app.service.summaries import cost_and_progress
from app.storage.summaries import verdicts_by_judge

MOST_TAGS = 4
LOG_FILE = "log.jsonl"
T = TypeVar("T")


async def read(ctx: Context, set_id: UUID) -> ReportParts:
    """Raises UnknownSet, SetDeleted, NotConverged, StillComputing."""
    found_set = await results.find(ctx, set_id)
    ranking = await rankings.rank(ctx, found_set, RankingQuery())
    async with ctx.reading() as db:
        definition = await sets.get(db, set_id)
        tags = await candidates.tag_names(db, set_id)
        by_judge = await verdicts_by_judge(db, set_id)
        priors = await pooled_evidence.latest(db, set_id, ranking.version)
    checks = await _unless_too_many(lambda: running.read(ctx, set_id))
    by_tag = [await _unless_too_many(partial(_slices, ctx, found_set, tag)) for tag in tags[:MOST_TAGS]]
    of_judges = await _unless_too_many(
        lambda: judges.read(ctx, set_id, JudgesQuery("dawid-skene", (), debias=False, ties="half", with_verdicts=False))
    )
    cards = of_judges.judges if of_judges else []
    log = HashedLog(await _hash(ctx, set_id, ranking.version), LOG_FILE, is_export=True)
    cost, progress = cost_and_progress(ranking, found_set.row, by_judge)
    material = ReportMaterial(
        name=definition.name,
        question=definition.question,
        ranking=ranking,
        log=log,
        made_at=datetime.now(UTC),
        progress=progress,
        cost=cost,
        definition=definition,
        prompts=definition.items if definition.items > 1 else 0,
        judges=cards,
        judges_summary=_judges_summary(of_judges),
        checks=checks.checks if checks else [],
        unchecked="" if checks else sentences.TOO_MANY,
        by_tag=[each for each in by_tag if each],
        people=[card.judge for card in cards if card.kind == "human"],
        missing=sentences.beside_the_log(definition),
        imported=sum(row.imported for row in by_judge) / max(sum(row.verdicts for row in by_judge), 1),
        priors=priors if definition.verdict_weight == "learnt" else None,
    )
    return await ctx.live.compute(lambda: compose(material))


def _judges_summary(of_judges: schemas.Judges | None) -> str:
    if of_judges is None:
        return sentences.TOO_MANY
    return of_judges.people.summary if of_judges.judges else sentences.NOBODY_JUDGED


async def _unless_too_many(ask: Callable[[], Awaitable[T]]) -> T | None:
    """None of a set that is too large for this, or has too little."""
    try:
        return await ask()
    except (TooMany, TooManyCandidates, Impossible, InvalidRequest):
        return None


async def _slices(ctx: Context, found: FoundSet, tag: str) -> schemas.Slices | None:
    return (await rankings.rank(ctx, found, RankingQuery(by=tag))).slices


async def _hash(ctx: Context, set_id: UUID, version: int) -> LineHash:
    """Hash of the log as it was exported at that version."""
    hasher = LogHasher(version)
    async for batch in comparisons.export(ctx, set_id, after=0, judge=None):
        for entry in batch:
            if entry.seq is None or entry.seq > version:
                return hasher.result()
            hasher.add(line_of(as_of(entry, version)))
    return hasher.result()
