"""Reading: rankings under any method at any version, and predictions."""

from typing import NamedTuple
from uuid import UUID

import numpy as np
from sqlalchemy.ext.asyncio import AsyncConnection

from app import schemas
from app.inference import graph, ranking
from app.inference.baselines import BASELINES
from app.inference.types import Convergence, Floats
from app.live import snapshot as snapshots
from app.live.snapshot import Catalogue, Snapshot
from app.service import posteriors
from app.service.context import Context, existing_set
from app.service.errors import NotConverged, SameCandidate, UnknownCandidate, VersionUnknown
from app.storage.tables import Record
from app.words import MethodName

SEED = 0  # of the draws behind rank intervals: the same posterior gives the same intervals


class Asked(NamedTuple):
    """Which ranking of a set."""

    method: MethodName
    as_of: int | None
    level: float


class _Row(NamedTuple):
    """What a method says of one candidate."""

    score: float
    rank: int
    sd: float | None = None
    interval: tuple[float, float] | None = None
    rank_interval: tuple[int, int] | None = None
    p_best: float | None = None


async def fingerprint(db: AsyncConnection, set_id: UUID, asked: Asked) -> str:
    """Changes whenever the ranking may. Raises UnknownSet, SetDeleted, VersionUnknown."""
    row = await existing_set(db, set_id)
    return f"{_wanted(row, asked.as_of)}.{row.revision}-{asked.method}-{asked.level:g}"


async def rank(ctx: Context, db: AsyncConnection, set_id: UUID, asked: Asked) -> schemas.Ranking:
    """Raises UnknownSet, SetDeleted, VersionUnknown, NotConverged."""
    row = await existing_set(db, set_id)
    wanted = _wanted(row, asked.as_of)
    if asked.as_of is None:
        catalogue, snapshot = await posteriors.current(ctx, db, row)
    else:
        catalogue, snapshot = await posteriors.at_version(ctx, db, row, wanted)
    return await ctx.live.compute(_rank, row, catalogue, snapshot, asked)


async def predict(ctx: Context, db: AsyncConnection, set_id: UUID, first: str, second: str) -> schemas.Prediction:
    """Raises UnknownSet, SetDeleted, UnknownCandidate."""
    row = await existing_set(db, set_id)
    catalogue, snapshot = await posteriors.current(ctx, db, row)
    if first == second:
        raise SameCandidate(f"first and second are both {first!r}; name two different candidates.")
    for key in (first, second):
        if key not in catalogue.ids:
            raise UnknownCandidate(f"The set has no candidate {key!r}.")
    posterior = await ctx.live.compute(snapshots.exact, snapshot)
    prediction = ranking.predict(posterior, catalogue.ids[first], catalogue.ids[second])
    return schemas.Prediction(
        set_id=set_id, version=snapshot.version, first=first, second=second, **prediction._asdict()
    )


def _wanted(row: Record, as_of: int | None) -> int:
    if as_of is not None and as_of > row.version:
        raise VersionUnknown(f"as_of is {as_of}, but the log of this set ends at version {row.version}.")
    return int(row.version) if as_of is None else as_of


def _rank(row: Record, catalogue: Catalogue, snapshot: Snapshot, asked: Asked) -> schemas.Ranking:
    log, n = snapshot.entries.comparisons, snapshot.model.n
    rows, convergence, entropy = _by_method(snapshot, asked)
    if not convergence.converged:
        raise NotConverged(f"{convergence.outcome.value} Method {asked.method}, version {snapshot.version}.")
    component, count = graph.components(log, n), graph.appearances(log, n)
    ranks = [
        schemas.Rank(key=catalogue.keys[i], comparisons=int(count[i]), component=int(component[i]), **rows[i]._asdict())
        for i in sorted(range(n), key=lambda i: (rows[i].rank, i))
    ]
    return schemas.Ranking(
        set_id=row.id,
        version=snapshot.version,
        method=_method(row, asked),
        convergence=_convergence(convergence),
        comparisons=log.size,
        components=len(set(component.tolist())),
        entropy=entropy,
        ranking=ranks,
    )


def _by_method(snapshot: Snapshot, asked: Asked) -> tuple[list[_Row], Convergence, float | None]:
    if asked.method in BASELINES:
        scores, convergence = BASELINES[asked.method](snapshot.entries.comparisons, snapshot.model.n)
        return _plain(scores), convergence, None
    if not snapshot.model.n:
        return [], snapshot.posterior.convergence, 0.0
    posterior = snapshots.exact(snapshot)
    summary = ranking.summarise(posterior, asked.level, np.random.default_rng(SEED))
    return _with_uncertainty(summary), posterior.convergence, summary.entropy


def _plain(scores: Floats) -> list[_Row]:
    return [_Row(float(s), int(r)) for s, r in zip(scores, ranking.ranks(scores), strict=True)]


def _with_uncertainty(summary: ranking.Ranking) -> list[_Row]:
    columns = (c.tolist() for c in (summary.score, summary.rank, summary.sd, summary.interval, summary.rank_interval))
    return [
        _Row(score, rank, sd, tuple(interval), tuple(ranks), p_best)
        for (score, rank, sd, interval, ranks), p_best in zip(
            zip(*columns, strict=True), summary.p_best.tolist(), strict=True
        )
    ]


def _method(row: Record, asked: Asked) -> schemas.Method:
    is_expert = asked.method not in BASELINES
    return schemas.Method(
        name=asked.method,
        expert=row.expert if is_expert else None,
        prior_variance=row.prior_variance if is_expert else None,
        position_bias="none",
        level=asked.level,
    )


def _convergence(convergence: Convergence) -> schemas.Convergence:
    return schemas.Convergence(
        converged=convergence.converged,
        iterations=convergence.iterations,
        gradient_norm=convergence.gradient_norm,
        message=convergence.outcome.value,
    )
