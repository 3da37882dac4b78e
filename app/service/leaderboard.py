"""The leaderboard of a project: the rankings of its sets, as each set has its own, side by side."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.analysis import leaderboard as analysis
from app.analysis.judged import Impossible
from app.analysis.leaderboard import RankedCriterion
from app.service import rankings
from app.service.context import Context
from app.service.errors import AppError, InvalidRequest, NothingJudged
from app.service.rankings import RankingQuery
from app.service.results import FoundSet, found_of
from app.storage import candidates, sets
from app.storage.schema import Record

MOST_CRITERIA = 20
MOST_COUNTED = 20_000  # candidates of a project whose keys are compared


class LeaderboardQuery(NamedTuple):
    """The leaderboard of a project that is wanted."""

    project: str
    sets: Sequence[UUID] = ()  # the project's judged ones by default
    weights: Sequence[str] = ()  # each NAME=NUMBER
    ranking: RankingQuery = RankingQuery()


class Extent(NamedTuple):
    """How much a leaderboard of a project would show."""

    sets: Sequence[UUID]  # judged ones, MOST_CRITERIA at most
    are_all: bool
    systems: int  # different ones
    is_shared: bool  # whether sets have systems in common


async def extent(ctx: Context, project: str) -> Extent:
    """That of the judged sets of a project, without their rankings."""
    async with ctx.reading() as db:
        rows = await sets.judged(db, project, MOST_CRITERIA + 1)
        chosen = [row.id for row in rows[:MOST_CRITERIA]]
        places = sum(row.candidates for row in rows[:MOST_CRITERIA])
        systems = await candidates.count_keys(db, chosen) if places <= MOST_COUNTED else MOST_COUNTED
    return Extent(chosen, len(rows) <= MOST_CRITERIA, systems, len(chosen) > 1 and systems < places)


async def read(ctx: Context, query: LeaderboardQuery) -> schemas.Leaderboard:
    """Raises NothingJudged, InvalidRequest, Impossible, and what `rankings.rank` raises of any of the sets."""
    weights = analysis.weights_of(query.weights)
    async with ctx.reading() as db:
        rows = await _chosen(db, query)
        of_project = await found_of(db, rows)
    ranked = await asyncio.gather(*(_rank(ctx, each, query.ranking) for each in of_project))
    criteria = [RankedCriterion(row.name, row.attribute, each) for row, each in zip(rows, ranked, strict=True)]
    return analysis.leaderboard(criteria, weights, query.project)


async def _rank(ctx: Context, of_project: FoundSet, query: RankingQuery) -> schemas.Ranking:
    """Raises what `rankings.rank` raises, and says of which set."""
    try:
        return await rankings.rank(ctx, of_project, query)
    except Impossible as error:
        raise InvalidRequest(f"{of_project.row.name}: {error}") from None
    except AppError as error:
        raise type(error)(f"{of_project.row.name}: {error.detail}", *error.faults) from None


async def _chosen(db: AsyncConnection, query: LeaderboardQuery) -> Sequence[Record]:
    """Sets that were asked for, in that order, or all that are judged. Raises NothingJudged, InvalidRequest."""
    if query.sets:
        by_id = {row.id: row for row in await sets.get_many(db, query.sets) if row.deleted_at is None}
        for set_id in query.sets:
            if set_id not in by_id or by_id[set_id].project != query.project:
                raise InvalidRequest(
                    f"set: {set_id} is not in the project {query.project!r}; name sets of this project."
                )
        return [by_id[set_id] for set_id in dict.fromkeys(query.sets)]
    judged = await sets.judged(db, query.project, MOST_CRITERIA + 1)
    if not judged:
        raise NothingJudged(
            f"No set of the project {query.project!r} has a comparison; check its name, or judge some pairs first."
        )
    if len(judged) > MOST_CRITERIA:
        raise InvalidRequest(
            f"set: more than {MOST_CRITERIA} sets of this project have comparisons; choose some with `set`."
        )
    return judged
