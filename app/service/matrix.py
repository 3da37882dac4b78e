"""Who beats whom, candidate by candidate: what was observed, or what the posterior expects."""

from base64 import b64encode
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import MatrixName

from app.inference.fitting import scores
from app.inference.reporting import expected_wins, observed_wins
from app.inference.state import Catalogue, Snapshot, exact, raw
from app.service import posteriors
from app.service.context import Context, existing_set

SCALE, NEVER = 200, 255  # bytes: a probability times 200, and a pair that was never compared


async def read(ctx: Context, set_id: UUID, of: MatrixName) -> schemas.Matrix:
    """Raises UnknownSet, SetDeleted."""
    async with ctx.engine.connect() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
    return await ctx.live.compute(_matrix, set_id, catalogue, snapshot, of)


def _matrix(set_id: UUID, catalogue: Catalogue, snapshot: Snapshot, of: MatrixName) -> schemas.Matrix:
    n = snapshot.model.n
    if of == "observed":
        p = observed_wins(raw(snapshot), n)
    else:
        published = exact(snapshot)
        p = expected_wins(scores(published.posterior, snapshot.comparisons, published.model))
    order = np.argsort(-snapshot.posterior.mean[:n], kind="stable")
    cells = np.where(np.isnan(p), NEVER, np.round(SCALE * np.nan_to_num(p))).astype(np.uint8)[np.ix_(order, order)]
    return schemas.Matrix(
        set_id=set_id,
        version=snapshot.version,
        of=of,
        keys=[catalogue.keys[i] for i in order],
        cells=b64encode(cells.tobytes()).decode(),
    )
