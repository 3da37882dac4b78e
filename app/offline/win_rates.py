"""Expected win rates of each candidate of a file against each other, as GET matrix?of=win-rate has them."""

from math import isnan
from typing import NamedTuple

import numpy as np
from nextpair import schemas

from app.analysis.judged import Impossible, JudgedLog
from app.analysis.ranking import Publish
from app.inference.regimes import RANKED_DENSE
from app.inference.reporting import attenuation, expected_win_rates


class WinMatrix(NamedTuple):
    """Rows in the order of a ranking."""

    keys: list[str]  # (N,)
    p: list[list[float | None]]  # (N, N), None on the diagonal


def matrix_of(log: JudgedLog, ranking: schemas.Ranking, publish: Publish) -> WinMatrix:
    """Raises Impossible for a method that has no posterior of its own, and for very many candidates."""
    if ranking.method.name != ranking.method.expert:
        raise Impossible("matrix", f"{ranking.method.name} predicts no verdicts; choose the method soft-bt")
    if len(log.keys) > RANKED_DENSE:
        raise Impossible("matrix", f"there are {len(log.keys):,} candidates; it is there for up to {RANKED_DENSE}")
    target = ranking.inference_target.name
    published = publish(target)
    p = expected_win_rates(log.quantity(published, target), attenuation(published, target))
    keys = [row.key for row in ranking.ranking]
    order = [log.keys.index(key) for key in keys]
    rows = p[np.ix_(order, order)].tolist()
    return WinMatrix(keys, [[None if isnan(each) else each for each in row] for row in rows])
