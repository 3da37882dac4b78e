"""The matrix of who beats whom: as observed, or as predictions have it, in bytes; best first, as in the ranking."""

import io
from base64 import b64encode
from typing import NamedTuple
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import MatrixName

from app.files.rankings import write_matrix
from app.inference.fitting import TooMany
from app.inference.regimes import DENSE, RANKED_DENSE
from app.inference.reporting import attenuation, expected_win_rates, expected_wins, observed_wins, ranks
from app.inference.targets import Quantity, ranked_by
from app.inference.types import Floats
from app.service.basis import Basis, read_basis
from app.service.context import Context, existing_set
from app.service.errors import NotConverged
from app.service.rankings import refuse_unconverged

SCALE, NEVER = 200, 255  # bytes: a probability times 200, and a pair that was never compared


class PairMatrix(NamedTuple):
    """Win matrix, best first."""

    version: int
    keys: list[str]  # (N,)
    p: Floats  # (N, N), NaN where it is unknown


async def read(ctx: Context, set_id: UUID, of: MatrixName) -> schemas.Matrix:
    """Raises UnknownSet, SetDeleted, NotConverged."""
    basis = await _basis(ctx, set_id)
    return await ctx.live.compute(lambda: _present(_matrix(basis, of), set_id, of))


async def read_csv(ctx: Context, set_id: UUID, of: MatrixName) -> str:
    """Keys by keys. Raises UnknownSet, SetDeleted, NotConverged."""
    basis = await _basis(ctx, set_id)
    return await ctx.live.compute(lambda: _csv(_matrix(basis, of)))


async def _basis(ctx: Context, set_id: UUID) -> Basis:
    async with ctx.reading() as db:
        return await read_basis(ctx, db, await existing_set(db, set_id))


def _matrix(basis: Basis, of: MatrixName) -> PairMatrix:
    """Raises TooMany, NotConverged."""
    if (n := basis.snapshot.model.n) > DENSE:
        raise TooMany(f"a matrix of all pairs of {n:,} candidates; the most is {DENSE:,}")
    mean, p = _means(basis), observed_wins(basis.judged.verdicts, n)
    if of != "observed":
        ranked = _ranked(basis)
        mean, p = ranked_by(ranked), expected_wins(ranked) if of == "expected" else _win_rates(basis, ranked)
    order = np.argsort(ranks(mean), kind="stable")
    return PairMatrix(basis.snapshot.version, [basis.catalogue.keys[i] for i in order], p[np.ix_(order, order)])


def _win_rates(basis: Basis, ranked: Quantity) -> Floats:
    target = basis.target().name
    return expected_win_rates(ranked, attenuation(basis.published_for(target), target))


def _present(matrix: PairMatrix, set_id: UUID, of: MatrixName) -> schemas.Matrix:
    p = matrix.p
    cells = np.where(np.isnan(p), NEVER, np.round(SCALE * np.nan_to_num(p))).astype(np.uint8)
    return schemas.Matrix(
        set_id=set_id, version=matrix.version, of=of, keys=matrix.keys, cells=b64encode(cells.tobytes()).decode()
    )


def _csv(matrix: PairMatrix) -> str:
    out = io.StringIO()
    write_matrix(matrix.keys, matrix.p.tolist(), out)
    return out.getvalue()


def _ranked(basis: Basis) -> Quantity:
    """Quantity that the set ranks. Raises NotConverged."""
    target = basis.target().name
    refuse_unconverged(basis.published_for(target).posterior.convergence, basis.snapshot)
    return basis.ranked(target)


def _means(basis: Basis) -> Floats:
    """(N,) of what is ranked; by the live fit where the ranking's takes long, or there is none."""
    live = basis.snapshot.posterior.mean[: basis.snapshot.model.n]
    if len(live) > RANKED_DENSE:
        return live
    try:
        return ranked_by(_ranked(basis))
    except NotConverged:
        return live
