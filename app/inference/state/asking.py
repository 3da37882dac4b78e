"""Pairs ready to be shown, chosen from a snapshot: for overlap, or by the criterion.

An ask is one way: pairs due for overlap; then, in rounds, what is open (availability.py, reopening.py), which of it the
criterion wants (choosing), and on which item. has_pair goes as far as what is open.
"""

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

import numpy as np

from app.inference.choosing.asking import (
    Draws,
    Leased,
    Plan,
    Presented,
    as_shown,
    leads_of,
    next_pairs,
    presented_beside,
)
from app.inference.choosing.knowledge import Questions
from app.inference.choosing.overlap import due
from app.inference.fitting.model import Model
from app.inference.gaussian import DenseCovariance, Scores
from app.inference.kernels.pair_sets import size
from app.inference.state.availability import BlockedPairs, OpenPairs, is_blocked, on_item, open_now
from app.inference.state.catalogue import Catalogue
from app.inference.state.published import Checked
from app.inference.state.reopening import Reopening, reopened
from app.inference.state.repeating import Question
from app.inference.state.snapshot import Snapshot
from app.inference.types import Comparisons, Ints

UNCHECKED = Checked(None)


class ChosenPair(NamedTuple):
    """A pair on an item, ready to be shown."""

    item: int
    pair: Presented
    criterion: Literal["rank-sets", "labels", "overlap", "repeat"] | None = None  # None is the set's own


def ask(
    snapshot: Snapshot,
    catalogue: Catalogue,
    blocked: BlockedPairs,
    plan: Plan,
    count: int,
    reopening: Reopening | None = None,
    askers: Collection[int] = (),
    checked: Checked = UNCHECKED,
) -> list[ChosenPair]:
    """Up to `count` pairs that are neither used up nor blocked, best first; used up ones too where they may reopen.

    In front of them stand those that are due for overlap with one of `askers`, judges by their ids, and questions that
    one of them is asked again. A round gives each pair of candidates at most once; further items of the same pairs come
    in further rounds, with everything chosen so far counted as leased.

    Args: what is published with `checked` is chosen by in place of the live posterior, where that is surer than it
        should be.
    """
    overlapping = _due_for_overlap(snapshot, blocked, plan, askers)[:count]
    repeated = _repeated(snapshot, blocked, checked, askers)[: count - len(overlapping)]
    rng = Draws(plan, snapshot.version, blocked.code)
    scores, leads = snapshot.posterior.scores, leads_of(snapshot.tally.leads, plan)
    chosen_by = scores, snapshot.model, snapshot.comparisons
    if (published := checked.published) is not None:
        chosen_by = published.scores, published.model, published.comparisons
    chosen = [
        ChosenPair(item, presented_beside(scores, low, high, float(lacking), 1.0, leads, plan.order, rng), "overlap")
        for item, low, high, lacking in overlapping
    ]
    chosen += [ChosenPair(item, as_shown(scores, first, second), "repeat") for _, item, first, second in repeated]
    while len(chosen) < count:
        out = _with_leases(blocked, chosen) if chosen else blocked
        in_round = _round(snapshot, catalogue, out, plan, count - len(chosen), rng, reopening, chosen_by)
        if not in_round:
            break
        chosen += in_round
    return chosen


def has_pair(
    snapshot: Snapshot,
    catalogue: Catalogue,
    blocked: BlockedPairs,
    plan: Plan,
    reopening: Reopening | None = None,
    askers: Collection[int] = (),
    checked: Checked = UNCHECKED,
) -> bool:
    """Whether `ask` would give a pair, without choosing one."""
    if _due_for_overlap(snapshot, blocked, plan, askers) or _repeated(snapshot, blocked, checked, askers):
        return True
    open_pairs = _open(snapshot, catalogue, blocked, plan, reopening)
    return min(open_pairs.most, size(open_pairs.pairs)) > 0


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


def _repeated(
    snapshot: Snapshot, blocked: BlockedPairs, checked: Checked, askers: Collection[int]
) -> Sequence[Question]:
    """Questions that one of the `askers` is asked again, and that nobody has."""
    if not askers or not checked.to_repeat:
        return ()
    item, first, second = np.array([question[1:] for question in checked.to_repeat], np.int64).T
    has = is_blocked(blocked, item, np.minimum(first, second), np.maximum(first, second), snapshot.model.n)
    questions = zip(checked.to_repeat, has.tolist(), strict=True)
    return [question for question, has_it in questions if question.judge in askers and not has_it]


def _with_leases(blocked: BlockedPairs, chosen: list[ChosenPair]) -> BlockedPairs:
    new = np.array([(each.item, each.pair.first, each.pair.second) for each in chosen], np.int64).T
    at, columns = blocked.leases, (blocked.item, blocked.first, blocked.second)
    item, first, second = (np.insert(old, at, add) for old, add in zip(columns, new, strict=True))
    return BlockedPairs(item, first, second, blocked.leases + len(chosen))


def _round(
    snapshot: Snapshot,
    catalogue: Catalogue,
    blocked: BlockedPairs,
    plan: Plan,
    count: int,
    rng: Draws,
    reopening: Reopening | None,
    chosen_by: tuple[Scores, Model, Comparisons],
) -> list[ChosenPair]:
    questions = _questions(snapshot) if plan.knows_the_round else None
    uses = _uses(snapshot, catalogue, blocked) if plan.target == "new-items" else None
    open_pairs = _open(snapshot, catalogue, blocked, plan, reopening)
    leased = Leased(blocked.first[: blocked.leases].copy(), blocked.second[: blocked.leases].copy())
    count = min(count, open_pairs.most)
    pairs = next_pairs(*chosen_by, leased, open_pairs.pairs, plan, count, rng, snapshot.tally, questions)
    return [ChosenPair(*on_item(open_pairs, pair, rng, uses)) for pair in pairs]


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


def _open(
    snapshot: Snapshot, catalogue: Catalogue, blocked: BlockedPairs, plan: Plan, reopening: Reopening | None
) -> OpenPairs:
    """The pairs that a round may give: those that were not shown, and once there are none, those that open again."""
    new = open_now(snapshot.shown, catalogue.has, blocked, plan.order)
    if reopening is None or size(new.pairs) or not isinstance(snapshot.posterior.covariance, DenseCovariance):
        return new
    return reopened(snapshot, catalogue.has, blocked, plan, reopening)
