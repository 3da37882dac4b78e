"""Reading: rankings under any method at any version, and predictions."""

from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from app import schemas
from app.inference import ranking
from app.inference.baselines import BASELINES
from app.inference.posterior import scores
from app.inference.ranking import Wanted
from app.inference.standings import Standing, Standings, by_baseline, by_posterior
from app.inference.types import Convergence
from app.live import snapshot as snapshots
from app.live.snapshot import Catalogue, Snapshot
from app.service import plots, posteriors
from app.service.context import Context, existing_set
from app.service.errors import NotConverged, SameCandidate, UnknownCandidate, VersionUnknown
from app.storage.tables import Record
from app.words import MethodName


class Asked(NamedTuple):
    """Which ranking of a set."""

    method: MethodName
    as_of: int | None
    level: float


async def fingerprint(ctx: Context, set_id: UUID, asked: Asked) -> str:
    """Changes whenever the ranking may. Raises UnknownSet, SetDeleted, VersionUnknown."""
    async with ctx.engine.connect() as db:
        row = await existing_set(db, set_id)
    return f"{_wanted(row, asked.as_of)}.{row.revision}-{asked.method}-{asked.level:g}"


async def rank(ctx: Context, set_id: UUID, asked: Asked) -> schemas.Ranking:
    """Raises UnknownSet, SetDeleted, VersionUnknown, NotConverged."""
    async with ctx.engine.connect() as db:
        row = await existing_set(db, set_id)
        catalogue, snapshot = await _at(ctx, db, row, asked.as_of)
    return await ctx.live.compute(_rank, row, catalogue, snapshot, asked)


async def draw(ctx: Context, ranking: schemas.Ranking) -> str:
    """A forest plot as SVG. Raises UnknownSet, SetDeleted."""
    async with ctx.engine.connect() as db:
        return plots.forest(ranking, (await existing_set(db, ranking.set_id)).name)


async def predict(ctx: Context, set_id: UUID, first: str, second: str) -> schemas.Prediction:
    """Raises UnknownSet, SetDeleted, UnknownCandidate, SameCandidate, NotConverged."""
    async with ctx.engine.connect() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
    if first == second:
        raise SameCandidate(f"first and second are both {first!r}; name two different candidates.")
    for key in (first, second):
        if key not in catalogue.ids:
            raise UnknownCandidate(f"The set has no candidate {key!r}.")
    _refuse_unconverged(snapshot.posterior.convergence, snapshot)
    published = await ctx.live.compute(snapshots.exact, snapshot)
    posterior = scores(published.posterior, snapshot.comparisons, published.model)
    prediction = ranking.predict(posterior, catalogue.ids[first], catalogue.ids[second])
    return schemas.Prediction(
        set_id=set_id, version=snapshot.version, first=first, second=second, **prediction._asdict()
    )


def _refuse_unconverged(convergence: Convergence, snapshot: Snapshot) -> None:
    if not convergence.converged:
        raise NotConverged(f"{convergence.outcome.value} This was at version {snapshot.version}.")


async def _at(ctx: Context, db: AsyncConnection, row: Record, as_of: int | None) -> tuple[Catalogue, Snapshot]:
    """The live snapshot where it will do: it may have moved on since `row` was read."""
    _wanted(row, as_of)
    if as_of is None or as_of == row.version:
        found = await posteriors.current(ctx, db, row)
        if as_of is None or as_of == found[1].version:
            return found
    return await posteriors.at_version(ctx, db, row, as_of)


def _wanted(row: Record, as_of: int | None) -> int:
    if as_of is not None and as_of > row.version:
        raise VersionUnknown(f"as_of is {as_of}, but the log of this set ends at version {row.version}.")
    return int(row.version) if as_of is None else as_of


def _rank(row: Record, catalogue: Catalogue, snapshot: Snapshot, asked: Asked) -> schemas.Ranking:
    found = _standings(snapshot, asked)
    _refuse_unconverged(found.convergence, snapshot)
    return schemas.Ranking(
        set_id=row.id,
        version=snapshot.version,
        method=_method(row, asked),
        convergence=_convergence(found.convergence),
        comparisons=snapshot.comparisons.size,
        components=found.components,
        entropy=found.entropy,
        ranking=[_present(standing, catalogue) for standing in found.rows],
    )


def _standings(snapshot: Snapshot, asked: Asked) -> Standings:
    if asked.method in BASELINES:
        return by_baseline(asked.method, snapshot.comparisons, snapshot.model.n)
    own = asked.method == snapshot.reading.method.expert
    other = snapshot.reading.method._replace(expert=asked.method, parameters={})
    posterior, model, _, _ = snapshots.exact(snapshot) if own else snapshots.under(snapshot, other)
    return by_posterior(posterior, snapshot.comparisons, model, Wanted(asked.level))


def _present(standing: Standing, catalogue: Catalogue) -> schemas.Rank:
    known = standing.uncertainty._asdict() if standing.uncertainty else {}
    return schemas.Rank(
        key=catalogue.keys[standing.candidate],
        rank=standing.rank,
        score=standing.score,
        comparisons=standing.comparisons,
        component=standing.component,
        **known,
    )


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
