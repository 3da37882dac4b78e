"""The matrix of who beats whom, in bytes."""

from base64 import b64encode
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import MatrixName

from app.inference.state import Catalogue, Snapshot
from app.inference.types import Floats

SCALE, NEVER = 200, 255  # bytes: a probability times 200, and a pair that was never compared


def present_matrix(set_id: UUID, catalogue: Catalogue, snapshot: Snapshot, of: MatrixName, p: Floats) -> schemas.Matrix:
    """`p` (N, N) is the probability that the row beats the column, NaN for none; the best candidate comes first."""
    order = np.argsort(-snapshot.posterior.mean[: snapshot.model.n], kind="stable")
    cells = np.where(np.isnan(p), NEVER, np.round(SCALE * np.nan_to_num(p))).astype(np.uint8)[np.ix_(order, order)]
    return schemas.Matrix(
        set_id=set_id,
        version=snapshot.version,
        of=of,
        keys=[catalogue.keys[i] for i in order],
        cells=b64encode(cells.tobytes()).decode(),
    )
