"""Absolute scores: what a judge said of one candidate alone."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.fitting import Moments, moments
from app.live.catalogue import Catalogue
from app.service.context import Context, existing_set, locked_set
from app.service.definitions import catalogue_of
from app.service.key_lookup import candidate_id, elsewhere_if_many, item_id, require_output
from app.storage import absolute_scores, sets
from app.storage.schema import Record


async def add(
    ctx: Context, db: AsyncConnection, set_id: UUID, new: Sequence[schemas.AbsoluteScoreIn]
) -> schemas.AbsoluteScoresAccepted:
    """Append all of `new`, or nothing.

    Raises UnknownSet, SetDeleted, UnknownCandidate, UnknownItem, AmbiguousItem, MissingOutput.
    """
    row = await locked_set(db, set_id)
    catalogue = await catalogue_of(ctx, db, row)
    judge_ids = await ctx.identify(db, {score.judge for score in new})
    rows = await elsewhere_if_many(
        new,
        lambda: [_ids(n, one, catalogue) | _value(one, judge_ids[one.judge], row) for n, one in enumerate(new)],
    )
    version = await sets.advance(db, set_id, len(rows), absolute_scores=len(rows))
    start = version - len(rows) + 1
    await absolute_scores.append(db, [{**row, "set_id": set_id, "seq": start + n} for n, row in enumerate(rows)])
    await sets.announce(db, [set_id])
    return schemas.AbsoluteScoresAccepted(accepted=len(rows), version=version)


async def page(db: AsyncConnection, set_id: UUID, *, after: int, limit: int) -> schemas.AbsoluteScorePage:
    """Raises UnknownSet, SetDeleted."""
    await existing_set(db, set_id)
    rows, has_more = await absolute_scores.page(db, set_id, after=after, limit=limit)
    shown = [
        schemas.AbsoluteScore(
            seq=row.seq, set_id=row.set_id, item=row.item or None, candidate=row.candidate, judge=row.judge,
            mean=row.mean, variance=row.variance, probabilities=row.probabilities, created_at=row.created_at,
        )
        for row in rows
    ]  # fmt: skip
    return schemas.AbsoluteScorePage(scores=shown, next_after=shown[-1].seq if has_more else None)


def _ids(n: int, score: schemas.AbsoluteScoreIn, catalogue: Catalogue) -> dict[str, Any]:
    """Ids of the candidate and the item of entry `n` of the request."""
    candidate = candidate_id(score.candidate, catalogue, f"/scores/{n}/candidate")
    item = item_id(score.item, catalogue, f"/scores/{n}/item")
    require_output(item, candidate, catalogue, f"/scores/{n}/candidate")
    return {"item_id": item, "candidate": candidate}


def _value(score: schemas.AbsoluteScoreIn, judge_id: int, of_set: Record) -> dict[str, Any]:
    mean, variance = _moments(score, is_given=of_set.absolute_variance == "given")
    return {
        "judge_id": judge_id, "mean": mean, "variance": variance, "probabilities": score.probabilities,
        "created_at": datetime.now(UTC),
    }  # fmt: skip


def _moments(score: schemas.AbsoluteScoreIn, *, is_given: bool) -> Moments:
    if score.probabilities is not None:
        mean, variance = moments(_by_value(score.probabilities), is_given=is_given)
        return Moments(mean, max(variance, schemas.LEAST_VARIANCE))
    if score.mean is None or score.variance is None:
        raise ValueError("neither probabilities nor moments")
    return Moments(score.mean, score.variance)


def _by_value(probabilities: Mapping[str, float]) -> dict[float, float]:
    """Probabilities of the values that labels stand for: several labels may mean the same."""
    by_value: defaultdict[float, float] = defaultdict(float)
    for label, p in probabilities.items():
        by_value[float(label)] += p
    return by_value
