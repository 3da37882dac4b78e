"""Catalogue of a set: its candidates and the items on which each has an output, numbered as arrays number them."""

from collections.abc import Mapping
from typing import NamedTuple

from nextpair.names import normal_name

from app.inference.types import Bools, Ints


class Catalogue(NamedTuple):
    """N candidates and I items; changes only with `revision`."""

    revision: int
    keys: tuple[str, ...]  # (N,)
    ids: dict[str, int]  # by key, and by its normal form where no other has that
    items: tuple[tuple[str, str | None], ...]  # (I,) key and prompt
    tags: tuple[Mapping[str, str], ...]  # (I,) value by name
    item_ids: dict[str, int]
    lengths: Ints  # (I, N) bytes of the candidate's output on the item; -1 where it has none
    has: Bools  # (I, N) whether it has one
    size_bytes: int

    def id_of(self, key: str) -> int | None:
        """The candidate with this key, else the one with its normal form."""
        return self.ids.get(key, self.ids.get(normal_name(key)))


def make_catalogue(
    revision: int,
    keys: tuple[str, ...],
    items: tuple[tuple[str, str | None], ...],
    lengths: Ints,
    tags: tuple[Mapping[str, str], ...] | None = None,
) -> Catalogue:
    """Catalogue with these tags, or none."""
    tags = tags or ({},) * len(items)
    ids = {normal_name(key): i for i, key in enumerate(keys)} | {key: i for i, key in enumerate(keys)}
    item_ids = {key: i for i, (key, _) in enumerate(items)}
    texts = sum(map(len, keys)) + sum(len(key) + len(prompt or "") for key, prompt in items)
    texts += sum(len(name) + len(value) for each in tags for name, value in each.items())
    entries = len(keys) + len(items) + sum(map(len, tags))
    size_bytes = lengths.nbytes + lengths.size + 4 * texts + 200 * entries
    return Catalogue(
        revision=revision,
        keys=keys,
        ids=ids,
        items=items,
        tags=tags,
        item_ids=item_ids,
        lengths=lengths,
        has=lengths >= 0,
        size_bytes=size_bytes,
    )
