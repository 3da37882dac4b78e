"""The matrix of who beats whom: as observed, or as the posterior expects."""

from uuid import UUID

from nextpair import schemas
from nextpair.words import MatrixName

from app.inference.fitting import DENSE, TooMany
from app.inference.reporting import expected_wins, observed_wins
from app.inference.state import Catalogue, Snapshot, exact, raw
from app.service import posteriors
from app.service.context import Context, existing_set
from app.service.presenting.matrix import present_matrix


async def read(ctx: Context, set_id: UUID, of: MatrixName) -> schemas.Matrix:
    """Raises UnknownSet, SetDeleted."""
    async with ctx.engine.connect() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
    return await ctx.live.compute(_matrix, set_id, catalogue, snapshot, of)


def _matrix(set_id: UUID, catalogue: Catalogue, snapshot: Snapshot, of: MatrixName) -> schemas.Matrix:
    """Raises TooMany."""
    if snapshot.model.n > DENSE:
        raise TooMany(f"a matrix of all pairs of {snapshot.model.n:,} candidates; there is one of up to {DENSE:,}")
    p = observed_wins(raw(snapshot), snapshot.model.n) if of == "observed" else expected_wins(exact(snapshot).scores)
    return present_matrix(set_id, catalogue, snapshot, of, p)
