"""Who beats whom, candidate by candidate: what was observed, or what the posterior expects."""

from base64 import b64encode
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import MatrixName
from scipy.special import ndtr

from app.inference import state as snapshots
from app.inference.covariance import dense
from app.inference.fitting.posterior import scores
from app.inference.state import Catalogue, Snapshot
from app.inference.types import Floats
from app.service import posteriors
from app.service.context import Context, existing_set

SCALE, NEVER = 200, 255  # bytes: a probability times 200, and a pair that was never compared


async def read(ctx: Context, set_id: UUID, of: MatrixName) -> schemas.Matrix:
    """Raises UnknownSet, SetDeleted."""
    async with ctx.engine.connect() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
    return await ctx.live.compute(_matrix, set_id, catalogue, snapshot, of)


def _matrix(set_id: UUID, catalogue: Catalogue, snapshot: Snapshot, of: MatrixName) -> schemas.Matrix:
    p = observed(snapshot) if of == "observed" else expected(snapshot)
    order = np.argsort(-snapshot.posterior.mean[: snapshot.model.n], kind="stable")
    cells = np.where(np.isnan(p), NEVER, np.round(SCALE * np.nan_to_num(p))).astype(np.uint8)[np.ix_(order, order)]
    return schemas.Matrix(
        set_id=set_id,
        version=snapshot.version,
        of=of,
        keys=[catalogue.keys[n] for n in order],
        cells=b64encode(cells.tobytes()).decode(),
    )


def observed(snapshot: Snapshot) -> Floats:
    """(N, N) mean probability that the row beats the column; NaN where they never met."""
    first, second, p, _, _ = snapshots.raw(snapshot)
    n = snapshot.model.n
    at = np.concatenate([first * n + second, second * n + first])
    count = np.bincount(at, minlength=n * n)
    total = np.bincount(at, np.concatenate([p, 1.0 - p]), n * n)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan).reshape(n, n)


def expected(snapshot: Snapshot) -> Floats:
    """(N, N) P(s_row > s_column); NaN on the diagonal."""
    published = snapshots.exact(snapshot)
    mean, sigma = scores(published.posterior, snapshot.comparisons, published.model)
    covariance = dense(sigma)
    own = covariance.diagonal()
    v = np.maximum(own[:, None] + own - 2.0 * covariance, np.finfo(np.float64).tiny)
    p = ndtr((mean[:, None] - mean) / np.sqrt(v))
    np.fill_diagonal(p, np.nan)
    return np.asarray(p)
