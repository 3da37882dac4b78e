"""Two candidates of a set compared, at the latest version that was computed."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID
from zlib import crc32

import numpy as np
from nextpair import schemas
from nextpair.words import InferenceTargetName

from app.analysis import head_to_heads as analysis
from app.analysis.head_to_heads import DECIDED, AllCandidates, TwoCandidates
from app.service.basis import Basis
from app.service.context import Context
from app.service.definitions import catalogue_of
from app.service.key_lookup import pair_of
from app.service.rankings import refuse_unconverged, stopping_of
from app.service.results import find
from app.service.results import read as read_result
from app.storage import judges


class HeadToHeadQuery(NamedTuple):
    """The comparison that is wanted."""

    first: str
    second: str
    inference_target: InferenceTargetName | None = None  # the set's own by default
    level: float = 0.95


async def read(ctx: Context, set_id: UUID, query: HeadToHeadQuery) -> schemas.HeadToHead:
    """Raises UnknownSet, SetDeleted, UnknownCandidate, SameCandidate, NotConverged, Impossible, StillComputing."""
    found_set = await find(ctx, set_id)
    async with ctx.reading() as db:
        pair_of(await catalogue_of(ctx, db, found_set.row), query.first, query.second)
        prices = await judges.prices(db)
    name = f"head-to-head {query} {crc32(repr(sorted(prices.items())).encode()):x}"
    answer = await read_result(ctx, found_set, name, lambda basis, _: _compared(basis, query, prices))
    return answer.content.model_copy(update={"newer_version": answer.newer_version})


def _compared(basis: Basis, query: HeadToHeadQuery, prices: Mapping[int, float]) -> schemas.HeadToHead:
    """Raises NotConverged, Impossible. Args: `prices` of a verdict, by judge id."""
    pair = TwoCandidates(*pair_of(basis.catalogue, query.first, query.second), query.level)
    target = basis.target(query.inference_target)
    published = basis.published_for(target.name)
    refuse_unconverged(published.posterior.convergence, basis.snapshot)
    whole = AllCandidates(target, published, basis.ranked(target.name))
    stopping = stopping_of(basis, DECIDED, pair.goal, target.name)
    of_judge = np.array([prices.get(judge, np.nan) for judge in basis.snapshot.evidence.judges.tolist()], np.float64)
    return analysis.head_to_head(basis.judged, whole, pair, stopping, of_judge, basis.row.id, basis.snapshot.version)
