"""Disputes: the pairs on which judges of a set name different winners, with their texts and what each judge said."""

from collections.abc import Mapping
from uuid import UUID

from nextpair import schemas

from app.inference.judges import DisputedPair, disputed_pairs
from app.live.catalogue import Catalogue
from app.service import posteriors
from app.service.context import Context, existing_set
from app.service.leases import Texts
from app.service.presenting.candidates import present_item
from app.service.presenting.pairs import OutputPair, fitting, present_sides, texts_of, winner_of
from app.storage import judges
from app.storage.schema import Record


async def page(ctx: Context, set_id: UUID, *, after: int, limit: int) -> schemas.DisputePage:
    """Disputes in the order of their last comparison, from behind sequence number `after` on; one at least if there is.

    Raises UnknownSet, SetDeleted.
    """
    async with ctx.reading() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
    entries = snapshot.log.entries
    many = await ctx.live.compute(
        disputed_pairs, entries.comparisons, entries.item, entries.seq, after=after, limit=limit + 1
    )
    shown = many[: fitting([_outputs(each) for each in many[:limit]], catalogue)]
    async with ctx.reading() as db:
        texts = await texts_of(db, set_id, [_outputs(each) for each in shown])
        rows = await judges.by_id(db, {judge for dispute in shown for judge in dispute.p_low})
    return schemas.DisputePage(
        disputes=[_dispute(dispute, set_id, catalogue, texts, rows) for dispute in shown],
        next_after=shown[-1].seq if len(shown) < len(many) else None,
    )


def _outputs(dispute: DisputedPair) -> OutputPair:
    return OutputPair(dispute.item, dispute.low, dispute.high)


def _dispute(
    dispute: DisputedPair, set_id: UUID, catalogue: Catalogue, texts: Texts, rows: Mapping[int, Record]
) -> schemas.Dispute:
    """`rows` are those of the judges, by id."""
    first, second = present_sides(_outputs(dispute), set_id, catalogue, texts)
    verdicts = [
        schemas.JudgeVerdict(judge=rows[judge].name, kind=rows[judge].kind, p_first=p, winner=winner_of(p))
        for judge, p in dispute.p_low.items()
    ]
    return schemas.Dispute(
        seq=dispute.seq,
        item=present_item(catalogue, dispute.item),
        first=first,
        second=second,
        verdicts=sorted(verdicts, key=lambda verdict: verdict.judge),
    )
