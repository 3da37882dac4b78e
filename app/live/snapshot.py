"""What a set's log amounts to at one version. Immutable: every step returns a new snapshot.

snapshot = fold(log): comparisons that no void took back, the posterior given them, and which pairs they used up.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.inference import posterior as posteriors
from app.inference.asking import Leased, Plan, Presented, generator, next_pairs
from app.inference.laplace import Model
from app.inference.order import Order
from app.inference.posterior import Posterior
from app.inference.selection import upper_triangle
from app.inference.types import Bools, Comparisons, Ints, no_comparisons

LOWER_FIRST, HIGHER_FIRST = 1, 2  # bits of `asked`: the order in which a pair i < j was shown


class Catalogue(NamedTuple):
    """Who is in the set; changes only with `revision`."""

    revision: int
    keys: tuple[str, ...]  # (N,)
    ids: dict[str, int]
    items: tuple[tuple[str, str | None], ...]  # (I,) key and prompt
    item_ids: dict[str, int]
    has: Bools  # (I, N) whether the candidate has an output on the item
    size_bytes: int


class Entries(NamedTuple):
    """K rows of the log, oldest first."""

    seq: Ints  # (K,)
    item: Ints  # (K,)
    comparisons: Comparisons


class Snapshot(NamedTuple):
    version: int
    model: Model
    entries: Entries  # those that count
    posterior: Posterior
    asked: NDArray[np.uint8]  # (I, N, N) bits at [item, i, j], i < j

    @property
    def size_bytes(self) -> int:
        return self.posterior.size_bytes + self.asked.nbytes + 40 * len(self.entries.seq)


class Blocked(NamedTuple):
    """B assignments that keep their pair from being handed out; the first `leases` of them are live."""

    item: Ints  # (B,)
    first: Ints  # (B,)
    second: Ints  # (B,)
    leases: int


class Ask(NamedTuple):
    """A pair on an item, ready to be shown."""

    item: int
    pair: Presented


def catalogue(revision: int, keys: tuple[str, ...], items: tuple[tuple[str, str | None], ...], has: Bools) -> Catalogue:
    ids, item_ids = {key: i for i, key in enumerate(keys)}, {key: i for i, (key, _) in enumerate(items)}
    texts = sum(map(len, keys)) + sum(len(key) + len(prompt or "") for key, prompt in items)
    return Catalogue(revision, keys, ids, items, item_ids, has, has.nbytes + 4 * texts + 200 * (len(keys) + len(items)))


def no_entries() -> Entries:
    return Entries(np.empty(0, np.int64), np.empty(0, np.int64), no_comparisons())


def entries(rows: Iterable[tuple[int, int, int, int, float]]) -> Entries:
    """From rows of (seq, item, first, second, p)."""
    table = list(rows)
    if not table:
        return no_entries()
    seq, item, first, second, p = zip(*table, strict=True)
    whole = [np.array(column, np.int64) for column in (seq, item, first, second)]
    return Entries(whole[0], whole[1], Comparisons(whole[2], whole[3], np.array(p, np.float64)))


def empty(model: Model, items: int) -> Snapshot:
    """A set before its first comparison."""
    asked = np.zeros((items, model.n, model.n), np.uint8)
    return Snapshot(0, model, no_entries(), posteriors.prior(model), asked)


def advance(snapshot: Snapshot, version: int, new: Entries, voided: Iterable[int]) -> Snapshot:
    """The snapshot at `version`, given the entries since and the sequence numbers that were voided since."""
    log, gone = _join(snapshot.entries, new), np.array(sorted(voided), np.int64)
    if not gone.size:
        posterior = posteriors.fold(snapshot.posterior, log.comparisons, snapshot.model)
        return Snapshot(version, snapshot.model, log, posterior, _mark(snapshot.asked, new))
    kept = _keep(log, ~np.isin(log.seq, gone))
    posterior = posteriors.fold(posteriors.prior(snapshot.model), kept.comparisons, snapshot.model)
    return Snapshot(version, snapshot.model, kept, posterior, _mark(np.zeros_like(snapshot.asked), kept))


def exact(snapshot: Snapshot) -> Posterior:
    """The posterior as it is published."""
    return posteriors.exact(snapshot.posterior, snapshot.entries.comparisons, snapshot.model)


def ask(snapshot: Snapshot, catalogue: Catalogue, blocked: Blocked, plan: Plan, count: int) -> list[Ask]:
    """Up to `count` pairs that are neither used up nor blocked, best first.

    A round gives each pair of candidates at most once; further items of the same pairs come in further rounds, with
    everything chosen so far counted as leased.
    """
    rng = generator(plan, snapshot.version, blocked.leases)
    asks: list[Ask] = []
    while len(asks) < count and (chosen := _round(snapshot, catalogue, blocked, plan, count - len(asks), rng)):
        asks += chosen
        blocked = _with_leases(blocked, chosen)
    return asks


def _round(
    snapshot: Snapshot, catalogue: Catalogue, blocked: Blocked, plan: Plan, count: int, rng: np.random.Generator
) -> list[Ask]:
    slots = _open_slots(snapshot, catalogue, blocked, plan.order)
    leased = Leased(blocked.first[: blocked.leases], blocked.second[: blocked.leases])
    log, open_pairs = snapshot.entries.comparisons, np.asarray(slots.any(axis=0))
    pairs = next_pairs(snapshot.posterior, snapshot.model, log, leased, open_pairs, plan, count, rng)
    return [_on_item(pair, slots, snapshot.asked, plan.order, rng) for pair in pairs]


def _with_leases(blocked: Blocked, chosen: list[Ask]) -> Blocked:
    new = np.array([(ask.item, ask.pair.first, ask.pair.second) for ask in chosen], np.int64).T
    at, columns = blocked.leases, (blocked.item, blocked.first, blocked.second)
    item, first, second = (np.insert(old, at, add) for old, add in zip(columns, new, strict=True))
    return Blocked(item, first, second, blocked.leases + len(chosen))


def _open_slots(snapshot: Snapshot, catalogue: Catalogue, blocked: Blocked, order: Order) -> Bools:
    """(I, N, N), True at [item, i, j], i < j, where the pair may be shown now.

    With order "both", a pair seen in one order comes before any new pair.
    """
    complete = LOWER_FIRST | HIGHER_FIRST
    asked, has = snapshot.asked, catalogue.has
    slots: Bools = asked != complete if order is Order.BOTH else asked == 0
    slots &= has[:, :, None] & has[:, None, :] & upper_triangle(snapshot.model.n)
    low, high = np.minimum(blocked.first, blocked.second), np.maximum(blocked.first, blocked.second)
    slots[blocked.item, low, high] = False
    half = slots & (asked != 0)
    return half if half.any() else slots


def _on_item(pair: Presented, slots: Bools, asked: NDArray[np.uint8], order: Order, rng: np.random.Generator) -> Ask:
    i, j = pair.choice.i, pair.choice.j
    items = np.flatnonzero(slots[:, i, j])
    item = int(items[0]) if len(items) == 1 else int(rng.choice(items))
    if order is Order.BOTH and asked[item, i, j]:
        first, second = (j, i) if asked[item, i, j] == LOWER_FIRST else (i, j)
        pair = Presented(first, second, pair.choice)
    return Ask(item, pair)


def _mark(asked: NDArray[np.uint8], new: Entries) -> NDArray[np.uint8]:
    first, second = new.comparisons.first, new.comparisons.second
    low, high = np.minimum(first, second), np.maximum(first, second)
    marked = asked.copy()
    np.bitwise_or.at(marked, (new.item, low, high), np.where(first < second, LOWER_FIRST, HIGHER_FIRST))
    return marked


def _join(old: Entries, new: Entries) -> Entries:
    comparisons = Comparisons(
        np.concatenate([old.comparisons.first, new.comparisons.first]),
        np.concatenate([old.comparisons.second, new.comparisons.second]),
        np.concatenate([old.comparisons.p, new.comparisons.p]),
    )
    return Entries(np.concatenate([old.seq, new.seq]), np.concatenate([old.item, new.item]), comparisons)


def _keep(log: Entries, kept: Bools) -> Entries:
    first, second, p = log.comparisons
    return Entries(log.seq[kept], log.item[kept], Comparisons(first[kept], second[kept], p[kept]))
