"""Candidates with their outputs."""

from collections.abc import AsyncIterator, Sequence

from nextpair import schemas
from pydantic_core import to_json

from app.live.catalogue import Catalogue
from app.storage.schema import Record

TEXT_ITEM = ""  # the key of the one implicit item of a set of texts


def present_item(catalogue: Catalogue, item: int) -> schemas.ItemOut | None:
    """The item of this number; None for the implicit one of a set of texts."""
    key, prompt = catalogue.items[item]
    return None if key == TEXT_ITEM else schemas.ItemOut(key=key, prompt=prompt, tags=dict(catalogue.tags[item]))


def present_candidate(row: Record, texts: dict[str, str | None]) -> schemas.CandidateOut:
    """A candidate with its outputs by item."""
    outputs = {item: text for item, text in texts.items() if item != TEXT_ITEM}
    return schemas.CandidateOut(key=row.key, text=texts.get(TEXT_ITEM), outputs=outputs or None, metadata=row.metadata)


async def json_of_system(
    candidate: Record, items: Sequence[str], batches: AsyncIterator[Sequence[Record]], next_after: str | None
) -> AsyncIterator[bytes]:
    """JSON, in parts, of a page with one candidate, whose outputs come in batches."""
    yield b'{"candidates":[{"key":%b,"text":null,"outputs":{' % to_json(candidate.key)
    comma = b""
    async for outputs in batches:
        yield comma + b",".join(b"%b:%b" % (to_json(items[row.item_id]), to_json(row.text)) for row in outputs)
        comma = b","
    yield b'},"metadata":%b}],"next_after":%b}' % (to_json(candidate.metadata), to_json(next_after))
