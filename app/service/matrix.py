"""The matrix of who beats whom: as observed, or as predictions have it, in bytes; best first, as in the ranking."""

from base64 import b64encode
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import MatrixName

from app.inference.fitting import TooMany
from app.inference.regimes import DENSE, RANKED_DENSE
from app.inference.reporting import expected_wins, observed_wins, ranks
from app.inference.targets import Quantity
from app.inference.types import Floats
from app.service.basis import Basis, read_basis
from app.service.context import Context, existing_set
from app.service.errors import NotConverged
from app.service.rankings import refuse_unconverged

SCALE, NEVER = 200, 255  # bytes: a probability times 200, and a pair that was never compared


async def read(ctx: Context, set_id: UUID, of: MatrixName) -> schemas.Matrix:
    """Raises UnknownSet, SetDeleted, NotConverged."""
    async with ctx.reading() as db:
        basis = await read_basis(ctx, db, await existing_set(db, set_id))
    return await ctx.live.compute(_matrix, basis, of)


def _matrix(basis: Basis, of: MatrixName) -> schemas.Matrix:
    """Best first. Raises TooMany, NotConverged."""
    if (n := basis.snapshot.model.n) > DENSE:
        raise TooMany(f"a matrix of all pairs of {n:,} candidates; there is one of up to {DENSE:,}")
    if of == "observed":
        mean, p = _means(basis), observed_wins(basis.judged.verdicts, n)
    else:
        ranked = _ranked(basis)
        mean, p = ranked.mean, expected_wins(ranked)
    order = np.argsort(ranks(mean), kind="stable")
    cells = np.where(np.isnan(p), NEVER, np.round(SCALE * np.nan_to_num(p))).astype(np.uint8)[np.ix_(order, order)]
    return schemas.Matrix(
        set_id=basis.row.id,
        version=basis.snapshot.version,
        of=of,
        keys=[basis.catalogue.keys[i] for i in order],
        cells=b64encode(cells.tobytes()).decode(),
    )


def _ranked(basis: Basis) -> Quantity:
    """What the set ranks. Raises NotConverged."""
    target = basis.target().name
    refuse_unconverged(basis.published_for(target).posterior.convergence, basis.snapshot)
    return basis.ranked(target)


def _means(basis: Basis) -> Floats:
    """(N,) of what is ranked; by the live fit where the ranking's takes long, or there is none."""
    live = basis.snapshot.posterior.mean[: basis.snapshot.model.n]
    if len(live) > RANKED_DENSE:
        return live
    try:
        return _ranked(basis).mean
    except NotConverged:
        return live
