"""Disputes: the pairs on which judges of a set name different winners, with their texts and what each judge said."""

from collections.abc import Mapping
from itertools import accumulate
from typing import Literal
from uuid import UUID

from nextpair import schemas

from app.inference.judges import DisputedPair, disputed_pairs
from app.inference.state import Catalogue
from app.inference.verdicts import TIE
from app.service import posteriors
from app.service.context import Context, existing_set
from app.service.leases import Texts
from app.service.presenting.assignments import LARGEST_ANSWER
from app.service.presenting.candidates import present_item
from app.storage import candidates, judges
from app.storage.schema import Record


async def page(ctx: Context, set_id: UUID, *, after: int, limit: int) -> schemas.DisputePage:
    """Disputes in the order of their last comparison, from behind sequence number `after` on; one at least if there is.

    Raises UnknownSet, SetDeleted.
    """
    async with ctx.reading() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
    entries, n = snapshot.log.entries, snapshot.model.n
    many = await ctx.live.compute(
        disputed_pairs, entries.comparisons, entries.item, entries.seq, n, after=after, limit=limit + 1
    )
    shown = many[: max(_fitting(many[:limit], catalogue), 1)]
    places = {(set_id, dispute.item, side) for dispute in shown for side in (dispute.low, dispute.high)}
    async with ctx.reading() as db:
        texts = await candidates.texts(db, sorted(places))
        rows = await judges.by_id(db, {judge for dispute in shown for judge in dispute.p_low})
    return schemas.DisputePage(
        disputes=[_dispute(dispute, set_id, catalogue, texts, rows) for dispute in shown],
        next_after=shown[-1].seq if len(shown) < len(many) else None,
    )


def _fitting(many: list[DisputedPair], catalogue: Catalogue) -> int:
    """Number of them whose texts fit in one response."""
    prompts = (len((catalogue.items[each.item][1] or "").encode()) for each in many)
    outputs = (int(catalogue.lengths[each.item, [each.low, each.high]].sum()) for each in many)
    return sum(size <= LARGEST_ANSWER for size in accumulate(map(int.__add__, prompts, outputs)))


def _dispute(
    dispute: DisputedPair, set_id: UUID, catalogue: Catalogue, texts: Texts, rows: Mapping[int, Record]
) -> schemas.Dispute:
    """`rows` are those of the judges, by id."""
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
        item=present_item(catalogue, dispute.item),
        first=first,
        second=second,
        verdicts=sorted(verdicts, key=lambda verdict: verdict.judge),
    )


def _winner(p_first: float) -> Literal["first", "second", "tie"]:
    if abs(p_first - 0.5) <= TIE:
        return "tie"
    return "first" if p_first > 0.5 else "second"
