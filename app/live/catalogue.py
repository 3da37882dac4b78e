"""A set's catalogue: who is compared, and on what."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from nextpair.names import normal_name

from app.inference.types import Bools, Ints


@dataclass(frozen=True, eq=False)
class Catalogue:
    """N candidates and I items; changes only with `revision`."""

    revision: int
    keys: tuple[str, ...]  # (N,)
    items: tuple[tuple[str, str | None], ...]  # (I,) key and prompt
    lengths: Ints  # (I, N) bytes of the candidate's output on the item; -1 where it has none
    tags: tuple[Mapping[str, str], ...]  # (I,) value by name

    @cached_property
    def ids(self) -> dict[str, int]:
        """By key, and by its normal form where no other has that."""
        by_key = {key: i for i, key in enumerate(self.keys)}
        return {normal_name(key): i for key, i in by_key.items()} | by_key

    @cached_property
    def item_ids(self) -> dict[str, int]:
        return {key: i for i, (key, _) in enumerate(self.items)}

    @cached_property
    def has(self) -> Bools:
        """(I, N) whether the candidate has an output on the item."""
        return self.lengths >= 0

    @cached_property
    def size_bytes(self) -> int:
        texts = sum(map(len, self.keys)) + sum(len(key) + len(prompt or "") for key, prompt in self.items)
        texts += sum(len(name) + len(value) for each in self.tags for name, value in each.items())
        entries = len(self.keys) + len(self.items) + sum(map(len, self.tags))
        return self.lengths.nbytes + self.lengths.size + 4 * texts + 200 * entries

    def id_of(self, key: str) -> int | None:
        """The candidate with this key, else the one with its normal form."""
        return self.ids.get(key, self.ids.get(normal_name(key)))
