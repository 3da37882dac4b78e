"""Agreement of the judges of a file of comparisons, and what they dispute."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from nextpair import schemas

from app.analysis.judged import JudgedLog
from app.analysis.judges import present_agreements, present_alpha
from app.inference.judges import PairVotes, disputed_pairs, votes_by_pair


class FileDispute(schemas.Response):
    """A pair on which judges name different winners."""

    item: str | None
    first: str
    second: str
    p_first: dict[str, float]  # by judge


class JudgeAgreement(NamedTuple):
    """Agreement on the pairs that several judges judged."""

    alpha: schemas.Alpha | None
    disputes: list[FileDispute]  # in the order of their last verdict
    votes: PairVotes
    names: Sequence[str]  # of judges

    def of_twos(self) -> list[schemas.PairAgreement] | None:
        """Each two judges, computed where they are listed; None of more than can be."""
        return present_agreements(self.votes, self.names)


def agreement_of(log: JudgedLog, items: Sequence[str]) -> JudgeAgreement | None:
    """None of one judge; `items` (I,) are the names of what was judged."""
    if len(log.judges) < 2:
        return None
    votes, seq = votes_by_pair(log.verdicts, log.item, len(log.judges)), np.arange(1, log.verdicts.size + 1)
    disputes = [
        FileDispute(
            item=items[dispute.item] or None,
            first=log.keys[dispute.low],
            second=log.keys[dispute.high],
            p_first={log.judges[judge]: p for judge, p in dispute.p_low.items()},
        )
        for dispute in disputed_pairs(log.verdicts, log.item, seq)
    ]
    return JudgeAgreement(present_alpha(votes), disputes, votes, log.judges)
