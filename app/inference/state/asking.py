"""Pairs ready to be shown, chosen from a snapshot: for overlap, or by the criterion.

Each choice is one of choosing's; here it is told what the snapshot knows, and which assignments are out.
"""

from collections.abc import Collection
from typing import Literal, NamedTuple

import numpy as np

from app.inference.choosing import quantity_stopping
from app.inference.choosing.asking import Draws, Leased, Plan, Presented, next_pairs, presented
from app.inference.choosing.knowledge import Questions
from app.inference.choosing.order import IN_BOTH_ORDERS, Order
from app.inference.choosing.overlap import due
from app.inference.choosing.picking import Choice
from app.inference.choosing.stopping import needed
from app.inference.fitting.published import Published
from app.inference.gaussian import DenseCovariance
from app.inference.kernels.availability import BOTH_ORDERS, mark
from app.inference.state.availability import OpenOnItems, any_open, items_of, open_pairs, orders_shown, was_shown
from app.inference.state.catalogue import Catalogue
from app.inference.state.published import Sought, live_quantity
from app.inference.state.reopening import NO_END, Reopened, Reopening, asked_of, reopen
from app.inference.state.snapshot import Snapshot, plain_model, repeat_correlation_of
from app.inference.targets import drawn_values
from app.inference.types import Bools, Ints

THE_ONLY_ITEM = np.zeros(1, np.int64)


class BlockedPairs(NamedTuple):
    """B assignments that keep their pair from being handed out; the first `leases` of them are live."""

    item: Ints  # (B,)
    first: Ints  # (B,)
    second: Ints  # (B,)
    leases: int


_NOBODY = np.empty(0, np.int64)
NONE_BLOCKED = BlockedPairs(_NOBODY, _NOBODY, _NOBODY, 0)


class ChosenPair(NamedTuple):
    """A pair on an item, ready to be shown."""

    item: int
    pair: Presented
    criterion: Literal["rank-sets", "labels", "overlap"] | None = None  # None is the set's own


def ask(
    snapshot: Snapshot,
    catalogue: Catalogue,
    blocked: BlockedPairs,
    plan: Plan,
    count: int,
    reopening: Reopening | None = None,
    askers: Collection[int] = (),
    published: Published | None = None,
) -> list[ChosenPair]:
    """Up to `count` pairs that are neither used up nor blocked, best first; used up ones too where they may reopen.

    In front of them stand those that are due for overlap with one of `askers`, judges by their ids. A round gives each
    pair of candidates at most once; further items of the same pairs come in further rounds, with everything chosen so
    far counted as leased.

    Args: `published` is chosen by in place of the live posterior, where that is surer than it should be.
    """
    item, first, second, leases = blocked
    blocked = BlockedPairs(item.copy(), first.copy(), second.copy(), leases)  # in one layout, so that one kernel does
    rng = Draws(plan, snapshot.version, blocked.leases)
    chosen = _overlapped(snapshot, blocked, plan, askers, count, rng)
    if chosen:
        blocked = _with_leases(blocked, chosen)
    while len(chosen) < count:
        in_round = _round(snapshot, catalogue, blocked, plan, count - len(chosen), rng, reopening, published)
        if not in_round:
            break
        chosen += in_round
        if len(chosen) < count:
            blocked = _with_leases(blocked, in_round)
    return chosen


def has_pair(
    snapshot: Snapshot,
    catalogue: Catalogue,
    blocked: BlockedPairs,
    plan: Plan,
    reopening: Reopening | None = None,
    askers: Collection[int] = (),
) -> bool:
    """Whether `ask` would give a pair, without choosing one."""
    if _due_for_overlap(snapshot, blocked, plan, askers):
        return True
    on_items, _, most = _offered(snapshot, catalogue, blocked, plan, reopening)
    return most > 0 and any_open(on_items)


def _overlapped(
    snapshot: Snapshot, blocked: BlockedPairs, plan: Plan, askers: Collection[int], count: int, rng: Draws
) -> list[ChosenPair]:
    """Up to `count` pairs that are due for overlap, the one that was judged first in front."""
    pairs = _due_for_overlap(snapshot, blocked, plan, askers)[:count]
    if not pairs:
        return []
    mean, covariance = snapshot.posterior.scores[:2]
    leads = snapshot.tally.leads.copy()
    chosen = []
    for item, low, high, lacking in pairs:
        sd = float(np.sqrt(covariance.variance_of_difference(low, high)))
        choice = Choice(low, high, float(lacking), float(mean[low] - mean[high]), sd, 1.0, random=False)
        chosen.append(ChosenPair(item, presented(choice, leads, plan.order, rng), "overlap"))
    return chosen


def _due_for_overlap(
    snapshot: Snapshot, blocked: BlockedPairs, plan: Plan, askers: Collection[int]
) -> list[tuple[int, int, int, int]]:
    """Item, low, high and judges that are lacking of each pair that is due and free, the one judged first in front."""
    if plan.overlap is None or not askers:
        return []
    entries, n = snapshot.log.entries, snapshot.model.n
    pairs = due(plan.overlap, entries.item, entries.comparisons, n, askers)
    free = ~is_blocked(blocked, pairs.item, pairs.low, pairs.high, n)
    return list(zip(*(column[free].tolist() for column in pairs), strict=True))


def is_blocked(blocked: BlockedPairs, item: Ints, low: Ints, high: Ints, n: int) -> Bools:
    """(M,) which of these pairs of outputs are blocked."""
    lower, higher = np.minimum(blocked.first, blocked.second), np.maximum(blocked.first, blocked.second)
    return np.asarray(np.isin((item * n + low) * n + high, (blocked.item * n + lower) * n + higher))


def _round(
    snapshot: Snapshot,
    catalogue: Catalogue,
    blocked: BlockedPairs,
    plan: Plan,
    count: int,
    rng: Draws,
    reopening: Reopening | None,
    published: Published | None,
) -> list[ChosenPair]:
    on_items, orders, most = _offered(snapshot, catalogue, blocked, plan, reopening)
    count = min(count, most)
    leased = Leased(blocked.first[: blocked.leases], blocked.second[: blocked.leases])
    if published is None:
        state = snapshot.posterior.scores, snapshot.model, snapshot.comparisons
    else:
        state = published.scores, published.model, published.comparisons
    questions = _questions(snapshot) if plan.target == "all-pairs" else None
    pairs = next_pairs(*state, leased, open_pairs(on_items), plan, count, rng, snapshot.tally, questions)
    uses = _uses(snapshot, catalogue, blocked) if plan.target == "new-items" else None
    return [_on_item(pair, on_items, orders, snapshot, plan.order, rng, uses) for pair in pairs]


def _offered(
    snapshot: Snapshot, catalogue: Catalogue, blocked: BlockedPairs, plan: Plan, reopening: Reopening | None
) -> tuple[OpenOnItems, Bools | None, int]:
    """The pairs that a round may give, in which orders if that matters, and how many of them."""
    on_items = _open_on_items(snapshot, catalogue, blocked, plan.order)
    is_dense = isinstance(snapshot.posterior.covariance, DenseCovariance)
    if not reopening or any_open(on_items) or not is_dense:
        return on_items, None, NO_END
    orders, most = _reopened(snapshot, catalogue, blocked, plan, reopening)
    in_an_order = np.flatnonzero(np.triu(orders | orders.swapaxes(1, 2), 1))
    return OpenOnItems(catalogue.has, in_an_order, leaves_out=False), orders, most


def _questions(snapshot: Snapshot) -> Questions:
    """The question that each comparison answers: every judge may be asked about all items."""
    items, about = np.unique(snapshot.evidence.item, return_inverse=True)
    judges, by = np.unique(snapshot.comparisons.judge, return_inverse=True)
    return Questions(np.asarray(by * len(items) + about, np.int64), max(len(judges) * len(items), 1))


def _uses(snapshot: Snapshot, catalogue: Catalogue, blocked: BlockedPairs) -> Ints:
    """(I,) comparisons on each item, those that are out included."""
    items = len(catalogue.has)
    out = np.bincount(blocked.item[: blocked.leases], minlength=items)
    return np.asarray(np.bincount(snapshot.log.entries.item, minlength=items) + out)


def _open_on_items(snapshot: Snapshot, catalogue: Catalogue, blocked: BlockedPairs, order: Order) -> OpenOnItems:
    """The pairs that may be shown now, where blocked ones count as shown in both orders.

    With order "both", a pair seen in one order comes before any new pair.
    """
    item, first, second, _ = blocked
    shown = snapshot.shown
    if len(item):
        shown = mark(shown, np.append(item, item), np.append(first, second), np.append(second, first))
    if order is Order.BOTH and (half_done := shown.code[shown.orders != BOTH_ORDERS]).size:
        return OpenOnItems(catalogue.has, half_done, leaves_out=False)
    used_up = shown.code[shown.orders == BOTH_ORDERS] if order in IN_BOTH_ORDERS else shown.code
    return OpenOnItems(catalogue.has, used_up, leaves_out=True)


def _reopened(
    snapshot: Snapshot, catalogue: Catalogue, blocked: BlockedPairs, plan: Plan, reopening: Reopening
) -> Reopened:
    free = np.triu(catalogue.has[:, :, None] & catalogue.has[:, None, :], 1)
    free[blocked.item, np.minimum(blocked.first, blocked.second), np.maximum(blocked.first, blocked.second)] = False
    marginal = snapshot.posterior.scores
    already_asked = asked_of(
        snapshot.log.entries,
        orders_shown(snapshot.shown),
        reopening,
        blocked.leases,
        repeat_correlation_of(snapshot, reopening.judge),
    )
    if plan.target == "latent":
        pairs = needed(marginal, plain_model(snapshot), reopening.stop, plan.goal)
    else:
        ranked = live_quantity(snapshot, Sought(plan.target, catalogue.has, ()))
        pairs = quantity_stopping.needed(drawn_values(ranked))
    return reopen(already_asked, free, pairs, plan.order)


def _on_item(
    pair: Presented,
    on_items: OpenOnItems,
    orders: Bools | None,
    snapshot: Snapshot,
    order: Order,
    rng: Draws,
    uses: Ints | None,
) -> ChosenPair:
    """The pair on an item where it is open, drawn if there are several; its other order where only that is open.

    Args: with `uses` (I,) it is drawn from the least used items, and counted there.
    """
    items = items_of(on_items, pair.choice.i, pair.choice.j) if len(on_items.has) > 1 else THE_ONLY_ITEM
    if uses is not None:
        items = items[uses[items] == uses[items].min()]
    item = int(items[0]) if len(items) == 1 else rng.choice(items)
    if uses is not None:
        uses[item] += 1
    first, second = pair.first, pair.second
    if orders is not None:
        is_open = bool(orders[item, first, second])
    else:
        is_open = order not in IN_BOTH_ORDERS or not was_shown(snapshot.shown, item, first, second)
    return ChosenPair(item, pair if is_open else Presented(second, first, pair.choice))


def _with_leases(blocked: BlockedPairs, chosen: list[ChosenPair]) -> BlockedPairs:
    new = np.array([(each.item, each.pair.first, each.pair.second) for each in chosen], np.int64).T
    at, columns = blocked.leases, (blocked.item, blocked.first, blocked.second)
    item, first, second = (np.insert(old, at, add) for old, add in zip(columns, new, strict=True))
    return BlockedPairs(item, first, second, blocked.leases + len(chosen))
