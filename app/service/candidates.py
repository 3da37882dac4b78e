"""Candidates and their outputs. All of a request is stored, or nothing of it."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID

from nextpair import schemas
from nextpair.names import look_alike, normal_name
from sqlalchemy.ext.asyncio import AsyncConnection

from app.service.context import Context, existing_set, locked_set
from app.service.errors import FieldFault, TextInUse, TextsOrSystems, UnknownCandidate, UnknownItem
from app.service.key_lookup import elsewhere_if_many
from app.service.limits import refuse_duplicates, refuse_large_set, refuse_large_text, refuse_unseen
from app.service.presenting.candidates import TEXT_ITEM, json_of_system, present_candidate
from app.storage import candidates, pages, sets
from app.storage.schema import Record


class _Output(NamedTuple):
    """A text of the request, and where it stands there."""

    candidate: int  # its place in the request
    item: str
    text: str | None
    pointer: str


async def add(ctx: Context, db: AsyncConnection, set_id: UUID, body: schemas.CandidatesIn) -> schemas.CandidatesAdded:
    """Add candidates and items to a set. Raises UnknownSet, SetDeleted, and what `store` raises."""
    await locked_set(db, set_id)
    added = await store(ctx, db, set_id, body.candidates, body.items)
    await sets.announce(db, [set_id])
    return added


async def store(
    ctx: Context,
    db: AsyncConnection,
    set_id: UUID,
    new: Sequence[schemas.CandidateIn],
    new_items: Sequence[schemas.ItemIn],
) -> schemas.CandidatesAdded:
    """Store candidates, items and outputs that are new, and what may change of the others.

    The set exists, locked or made by this transaction. Raises DuplicateKey, TextTooLarge, SetTooLarge, UnknownItem,
    TextsOrSystems, TextInUse.
    """
    keys = [row.key for row in await candidates.keys(db, [set_id])]
    new = _as_known(new, keys)
    for field, sent_keys in (("candidates", [c.key for c in new]), ("items", [i.key for i in new_items])):
        complaint = f"The key {{key!r}} occurs twice in {field}; every key must be unique."
        refuse_duplicates(sent_keys, f"/{field}/{{n}}/key", complaint)
    sent = list(_outputs(new))
    prompts = [_Output(n, item.key, item.prompt, f"/items/{n}/prompt") for n, item in enumerate(new_items)]
    for output in (*sent, *prompts):
        refuse_large_text(output.text, output.pointer, ctx.settings)
    item_ids = await _store_items(db, set_id, new_items, sent)
    ids = _numbered(keys, (c.key for c in new))
    refuse_large_set(len(ids), len(item_ids), ctx.settings)
    created = [c for c in new if ids[c.key] >= len(keys)]
    warnings = await elsewhere_if_many(new, lambda: look_alike("candidate", [c.key for c in created], keys))
    await candidates.add(db, "candidates", set_id, [(ids[c.key], c.key, c.metadata) for c in created])
    await _store_outputs(db, set_id, sent, [ids[c.key] for c in new], item_ids)
    for known in new:
        if ids[known.key] < len(keys) and "metadata" in known.model_fields_set:
            await candidates.change(db, "candidates", set_id, [ids[known.key]], metadata=known.metadata)
    items = sum(key != TEXT_ITEM for key in item_ids)
    await sets.change(db, set_id, {"candidates": len(ids), "items": items, "revision": sets.next_revision()})
    return schemas.CandidatesAdded(
        created=len(created), updated=len(new) - len(created), candidates=len(ids), warnings=warnings
    )


async def page(
    ctx: Context, db: AsyncConnection, set_id: UUID, *, key: str | None, after: str | None, limit: int
) -> schemas.CandidatePage | AsyncIterator[bytes]:
    """The page, or that of one candidate by its `key`; its JSON in parts where one has more outputs than a page takes.

    Raises UnknownSet, SetDeleted, UnknownCandidate (for `key` and `after`).
    """
    await existing_set(db, set_id)
    if key is not None:
        start, limit = await _id_of(db, set_id, key, "key", "check its spelling") - 1, 1
    else:
        start = (
            -1 if after is None else await _id_of(db, set_id, after, "after", "send `next_after` of the previous page")
        )
    rows, has_more = await candidates.page(db, set_id, after=start, limit=limit)
    has_more = has_more and key is None
    items = [row.key for row in await candidates.all_items(db, [set_id])]
    next_after = rows[-1].key if has_more else None
    if rows and rows[0].length > pages.LARGEST_PAGE:
        return json_of_system(rows[0], items, _batches(ctx, set_id, rows[0].id), next_after)
    texts: dict[int, dict[str, str | None]] = {row.id: {} for row in rows}
    for row in await candidates.outputs_of(db, set_id, list(texts)):
        texts[row.candidate_id][items[row.item_id]] = row.text
    return schemas.CandidatePage(
        candidates=[present_candidate(row, texts[row.id]) for row in rows], next_after=next_after
    )


async def all_keys(db: AsyncConnection, set_id: UUID) -> list[str]:
    """Keys of all candidates, in the order in which they were added."""
    return [row.key for row in await candidates.keys(db, [set_id])]


async def tag_names(db: AsyncConnection, set_id: UUID) -> Sequence[str]:
    """The tags that the set's items have, in alphabetical order; none of a set that is not there."""
    return await candidates.tag_names(db, set_id)


async def tag_values(db: AsyncConnection, set_id: UUID) -> dict[str, list[str]]:
    """The values of each tag that the set's items have, in alphabetical order."""
    values: dict[str, list[str]] = {}
    for name, value in await candidates.tag_values(db, set_id):
        values.setdefault(name, []).append(value)
    return values


async def keys(db: AsyncConnection, set_id: UUID) -> list[str]:
    """Keys of all candidates, in the order in which they were added."""
    return [row.key for row in await candidates.keys(db, [set_id])]


async def _id_of(db: AsyncConnection, set_id: UUID, key: str, parameter: str, remedy: str) -> int:
    """Raises UnknownCandidate."""
    for spelled in (key, normal_name(key)):
        if (candidate_id := await candidates.find(db, "candidates", set_id, spelled)) is not None:
            break
    if candidate_id is None:
        raise UnknownCandidate(f"{parameter}: the set has no candidate {key!r}; {remedy}.")
    return candidate_id


async def items_page(db: AsyncConnection, set_id: UUID, *, after: str | None, limit: int) -> schemas.ItemPage:
    """Items in the order in which they joined. Raises UnknownSet, SetDeleted, UnknownItem (for `after`)."""
    await existing_set(db, set_id)
    start = -1 if after is None else await candidates.find(db, "items", set_id, after)
    if start is None:
        raise UnknownItem(f"after: the set has no item {after!r}; send `next_after` of the previous page.")
    rows, has_more = await candidates.items_page(db, set_id, after=start, but=TEXT_ITEM, limit=limit)
    items = [schemas.ItemOut(key=row.key, prompt=row.prompt, tags=row.tags) for row in rows]
    return schemas.ItemPage(items=items, next_after=rows[-1].key if has_more else None)


async def _batches(ctx: Context, set_id: UUID, candidate_id: int) -> AsyncIterator[Sequence[Record]]:
    """All outputs of a candidate. A slow reader holds no connection while it reads."""
    last, has_more = -1, True
    while has_more:
        async with ctx.reading() as db:
            outputs, has_more = await candidates.outputs_page(db, set_id, candidate_id, after=last)
        yield outputs
        last = outputs[-1].item_id


def _as_known(new: Sequence[schemas.CandidateIn], keys: Sequence[str]) -> list[schemas.CandidateIn]:
    """The candidates with the keys that they have, or with the normal form of a new one.

    Raises InvalidRequest for a new key that has something that nobody sees.
    """
    known = {normal_name(key): key for key in keys} | {key: key for key in keys}
    named = []
    for n, candidate in enumerate(new):
        normal = normal_name(candidate.key)
        key = known.get(candidate.key, known.get(normal, normal))
        if key not in known:
            refuse_unseen(key, "candidate", f"/candidates/{n}/key")
        named.append(candidate if key == candidate.key else candidate.model_copy(update={"key": key}))
    return named


def _outputs(new: Sequence[schemas.CandidateIn]) -> Iterator[_Output]:
    for n, candidate in enumerate(new):
        if candidate.text is not None and candidate.outputs is not None:
            raise TextsOrSystems(
                f"Candidate {candidate.key!r} has both text and outputs; send text in a set of texts, "
                "outputs in a set of systems.",
                FieldFault(f"/candidates/{n}", "both text and outputs"),
            )
        if candidate.outputs is None:
            yield _Output(n, TEXT_ITEM, candidate.text, f"/candidates/{n}/text")
        else:
            for item, text in candidate.outputs.items():
                escaped = item.replace("~", "~0").replace("/", "~1")
                yield _Output(n, item, text, f"/candidates/{n}/outputs/{escaped}")


def _numbered(known: Iterable[str], new: Iterable[str]) -> dict[str, int]:
    """Ids by key: those that are known keep theirs."""
    return {key: n for n, key in enumerate(dict.fromkeys(chain(known, new)))}


async def _store_items(
    db: AsyncConnection, set_id: UUID, new: Sequence[schemas.ItemIn], sent: Sequence[_Output]
) -> dict[str, int]:
    """Add the items that are new; returns the ids of all. A set of texts gets its implicit item."""
    rows = await candidates.all_items(db, [set_id])
    known = [row.key for row in rows]
    rows_to_add = {item.key: (item.prompt, item.tags) for item in new}
    implicit = any(output.item == TEXT_ITEM for output in sent) and not new and (not known or known == [TEXT_ITEM])
    if implicit:
        rows_to_add = {TEXT_ITEM: (None, {})}
    ids = _numbered(known, rows_to_add)
    _refuse_strange_items(sent, ids)
    added = [(ids[key], key, *values) for key, values in rows_to_add.items() if ids[key] >= len(known)]
    await candidates.add(db, "items", set_id, added)
    await _change_items(db, set_id, new, {row.key: (n, row) for n, row in enumerate(rows)})
    return ids


async def _change_items(
    db: AsyncConnection, set_id: UUID, new: Sequence[schemas.ItemIn], known: Mapping[str, tuple[int, Record]]
) -> None:
    """Give items that are known, by key with their id, the tags that are sent, and a prompt where they have none."""
    for n, item in enumerate(new):
        if item.key not in known:
            continue
        item_id, row = known[item.key]
        changes: dict[str, Any] = {}
        if item.prompt not in (None, row.prompt):
            if row.prompt is not None:
                raise TextInUse(
                    f"Item {item.key!r} already has another prompt; add the new prompt under another key.",
                    FieldFault(f"/items/{n}/prompt", "cannot change"),
                )
            changes["prompt"] = item.prompt
        if "tags" in item.model_fields_set and item.tags != row.tags:
            changes["tags"] = item.tags
        if changes:
            await candidates.change(db, "items", set_id, [item_id], **changes)


def _refuse_strange_items(sent: Sequence[_Output], ids: dict[str, int]) -> None:
    if TEXT_ITEM in ids and len(ids) > 1:
        raise TextsOrSystems("This is a set of texts and cannot have items; create another set for systems.")
    for output in sent:
        if output.item in ids or (output.item == TEXT_ITEM and output.text is None):
            continue
        if output.item == TEXT_ITEM:
            raise TextsOrSystems(
                "This set has items; send outputs by item instead of text.",
                FieldFault(output.pointer, "send outputs instead"),
            )
        if TEXT_ITEM in ids:
            raise TextsOrSystems(
                "This is a set of texts; send text instead of outputs.",
                FieldFault(output.pointer, "send text instead"),
            )
        raise UnknownItem(
            f"The set has no item {output.item!r}; list it in items first.", FieldFault(output.pointer, "unknown item")
        )


async def _store_outputs(
    db: AsyncConnection, set_id: UUID, sent: Sequence[_Output], ids: Sequence[int], item_ids: dict[str, int]
) -> None:
    """Insert the outputs that are new; change a text only while nobody has judged it.

    Of the texts that are there only those are read that are as long as the ones sent: all may be far more.
    """
    lengths = {(row.item_id, row.candidate_id): row.length for row in await candidates.lengths_of(db, set_id, ids)}
    placed = [(output, (item_ids[output.item], ids[output.candidate])) for output in sent if output.item in item_ids]
    old = [(output, place) for output, place in placed if place in lengths and output.text is not None]
    alike = [(set_id, *place) for output, place in old if len((output.text or "").encode()) == lengths[place]]
    texts = await candidates.texts(db, alike)
    for output, place in old:
        if texts.get((set_id, *place)) != output.text:
            await _change_text(db, set_id, place, output)
    new = [(*place, output.text) for output, place in placed if place not in lengths]
    await candidates.add(db, "outputs", set_id, new)


async def _change_text(db: AsyncConnection, set_id: UUID, place: tuple[int, int], output: _Output) -> None:
    await sets.lock_asking(db, [set_id])  # an ask that has read the text has leased it before we look
    if await candidates.was_shown(db, set_id, *place):
        raise TextInUse(
            "This text was judged or leased already and cannot change; add the new text under another key.",
            FieldFault(output.pointer, "already judged or leased"),
        )
    await candidates.change(db, "outputs", set_id, place, text=output.text)
