"""The matrix of who beats whom, in bytes."""

from base64 import b64encode

import numpy as np
from nextpair import schemas
from nextpair.words import MatrixName

from app.inference.reporting import ranks
from app.inference.types import Floats
from app.service.basis import Basis

SCALE, NEVER = 200, 255  # bytes: a probability times 200, and a pair that was never compared


def present_matrix(basis: Basis, of: MatrixName, mean: Floats, p: Floats) -> schemas.Matrix:
    """`p` (N, N) is the probability that the row beats the column, NaN for none; by `mean` (N,) the best come first."""
    order = np.argsort(ranks(mean), kind="stable")
    cells = np.where(np.isnan(p), NEVER, np.round(SCALE * np.nan_to_num(p))).astype(np.uint8)[np.ix_(order, order)]
    return schemas.Matrix(
        set_id=basis.row.id,
        version=basis.snapshot.version,
        of=of,
        keys=[basis.catalogue.keys[i] for i in order],
        cells=b64encode(cells.tobytes()).decode(),
    )
