"""A pair in dispute, with its texts and what each judge said."""

from collections.abc import Mapping
from typing import Literal
from uuid import UUID

from nextpair import schemas

from app.inference.judges import DisputedPair
from app.inference.state import Catalogue
from app.inference.verdicts import TIE
from app.service.leases import Texts
from app.storage.schema import Record


def present_dispute(
    dispute: DisputedPair, set_id: UUID, catalogue: Catalogue, texts: Texts, rows: Mapping[int, Record]
) -> schemas.Dispute:
    """`rows` are those of the judges, by id."""
    key, prompt = catalogue.items[dispute.item]
    first, second = (
        schemas.Shown(key=catalogue.keys[side], text=texts[set_id, dispute.item, side])
        for side in (dispute.low, dispute.high)
    )
    verdicts = [
        schemas.JudgeVerdict(judge=rows[judge].name, kind=rows[judge].kind, p_first=p, winner=_winner(p))
        for judge, p in dispute.p_low.items()
    ]
    return schemas.Dispute(
        seq=dispute.seq,
        item=schemas.ItemOut(key=key, prompt=prompt) if key else None,
        first=first,
        second=second,
        verdicts=sorted(verdicts, key=lambda verdict: verdict.judge),
    )


def _winner(p_first: float) -> Literal["first", "second", "tie"]:
    if abs(p_first - 0.5) <= TIE:
        return "tie"
    return "first" if p_first > 0.5 else "second"
