"""The test on held-out pairs: those drawn at random, against what was predicted of them."""

from uuid import UUID

import numpy as np
from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.reporting import check_predictions
from app.inference.state import Snapshot
from app.storage import comparisons


async def read(db: AsyncConnection, set_id: UUID, snapshot: Snapshot) -> schemas.HeldOut | None:
    """The test on the log up to the snapshot's version; None without such a pair."""
    rows = await comparisons.random_ones(db, set_id, snapshot.version)
    if not rows:
        return None
    p, m, sd = np.array([(row.p_first, row.mean_difference, row.sd_difference) for row in rows], np.float64).T
    return schemas.HeldOut(**check_predictions(p, m, sd, snapshot.model.expert)._asdict())
