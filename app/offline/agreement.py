"""Agreement of the judges of a file of comparisons, and what they dispute."""

from collections.abc import Sequence

import numpy as np
from nextpair import schemas

from app.analysis.judged import JudgedLog
from app.analysis.judges import present_agreements, present_alpha
from app.inference.judges import agreements, disputed_pairs, votes_by_pair

MOST_CELLS = 5_000_000  # of a matrix of judges by comparisons; nothing is said of more


class FileDispute(schemas.Response):
    """A pair on which judges name different winners."""

    item: str | None
    first: str
    second: str
    p_first: dict[str, float]  # by judge


class JudgeAgreement(schemas.Response):
    """Agreement on the pairs that several judges judged."""

    alpha: schemas.Alpha | None
    judges: list[schemas.PairAgreement]
    disputes: list[FileDispute]  # in the order of their last verdict


def agreement_of(log: JudgedLog, items: Sequence[str]) -> JudgeAgreement | None:
    """None of one judge, and of so many that it would take long; `items` (I,) are the names of what was judged."""
    judges = len(log.judges)
    if judges < 2 or judges * log.verdicts.size > MOST_CELLS:
        return None
    direction = votes_by_pair(log.verdicts, log.item, judges).direction
    seq = np.arange(1, log.verdicts.size + 1)
    disputes = [
        FileDispute(
            item=items[dispute.item] or None,
            first=log.keys[dispute.low],
            second=log.keys[dispute.high],
            p_first={log.judges[judge]: p for judge, p in dispute.p_low.items()},
        )
        for dispute in disputed_pairs(log.verdicts, log.item, seq, len(log.keys))
    ]
    by_pair = present_agreements(agreements(direction), log.judges)
    return JudgeAgreement(alpha=present_alpha(direction), judges=by_pair, disputes=disputes)
