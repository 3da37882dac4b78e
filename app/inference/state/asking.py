"""Pairs ready to be shown, chosen from a snapshot: for overlap, by the criterion, or for people who check a judge.

An ask is one way: pairs due for overlap and questions that are asked again; then, in rounds, what is open or opens
again, which of it the criterion wants, and on which item. Pairs for people come beside this queue.
"""

from collections.abc import Collection
from typing import Literal, NamedTuple

import numpy as np

from app.inference.choosing.asking import (
    CERTAIN,
    Order,
    Plan,
    Presented,
    explained,
    leads_of,
    next_pairs,
    presented,
)
from app.inference.choosing.criteria import Criterion
from app.inference.choosing.knowledge import JudgedRound
from app.inference.choosing.second_opinions import due, next_checks
from app.inference.choosing.stopping import Stop, needed
from app.inference.gaussian import DenseCovariance
from app.inference.judges import binary, next_to_label, votes
from app.inference.pair_sets import size
from app.inference.state.open_pairs import NO_END, BlockedPairs, OpenPairs, is_blocked, on_item, open_in, open_now
from app.inference.state.published import Sought, live_quantity
from app.inference.state.snapshot import Snapshot, pair_votes_of
from app.inference.state.stops import MOST_REPEATS, Checked, most_times_of, repeats_alike
from app.inference.types import Bools, Comparisons, Ints

UNCHECKED = Checked(None)


class ChosenPair(NamedTuple):
    """A pair on an item, ready to be shown."""

    item: int
    pair: Presented
    criterion: Literal["rank-sets", "labels", "overlap", "repeat"] | None = None  # None is the set's own


class Reopening(NamedTuple):
    """Pairs may open again for this judge, until the set stops."""

    judge: int  # id
    is_person: bool
    stop: Stop


class HumanCheck(NamedTuple):
    """Ids of a judge whose verdicts are to be checked, or None for all who are no people, and of those who check."""

    judge: int | None
    people: frozenset[int]


def ask(
    snapshot: Snapshot,
    has: Bools,
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
    in further rounds, with everything chosen so far counted as leased. What is published with `checked` is chosen by in
    place of the live posterior; `has` (I, N) tells which candidates have an output for an item.
    """
    rng, chosen = _random_source(snapshot, blocked, plan), list[ChosenPair]()
    scores, leads = snapshot.posterior.scores, leads_of(snapshot.tally.leads, plan)
    for item, first, second, lacking in _in_front(snapshot, blocked, plan, askers, checked, count):
        if lacking:
            pair = presented(explained(scores, first, second, float(lacking)), leads, plan.order, rng)
            chosen.append(ChosenPair(item, pair, "overlap"))
        else:
            choice = explained(scores, min(first, second), max(first, second), 1.0)
            chosen.append(ChosenPair(item, Presented(first, second, choice, CERTAIN), "repeat"))
    if len(chosen) == count:
        return chosen
    model, comparisons = snapshot.model, snapshot.comparisons
    if (published := checked.published) is not None:
        scores, model, comparisons = published.scores, published.model, published.comparisons
    knows_the_round = plan.target == "all-pairs" and plan.policy.criterion is Criterion.KNOWLEDGE
    judged = _judged_round(snapshot, comparisons) if knows_the_round else None
    while len(chosen) < count:
        out = _with_leases(blocked, chosen)
        openings = _open(snapshot, has, out, plan, reopening)
        leased = out.first[: out.leases].copy(), out.second[: out.leases].copy()
        most = min(count - len(chosen), openings.most)
        pairs = next_pairs(scores, model, snapshot.tally, leased, openings.pairs, plan, most, rng, judged)
        if not pairs:
            break
        uses = None
        if plan.target == "new-items":
            on = np.append(snapshot.log.entries.item, out.item[: out.leases])
            uses = np.bincount(on, minlength=len(has))
        chosen += [ChosenPair(*on_item(openings, pair, rng, uses)) for pair in pairs]
    return chosen


def _random_source(snapshot: Snapshot, blocked: BlockedPairs, plan: Plan) -> np.random.Generator:
    """That of one ask: the same question at the same state, with the same pairs out, draws the same pairs."""
    return np.random.default_rng((plan.seed, snapshot.version, blocked.code))


def has_pair(
    snapshot: Snapshot,
    has: Bools,
    blocked: BlockedPairs,
    plan: Plan,
    reopening: Reopening | None = None,
    askers: Collection[int] = (),
    checked: Checked = UNCHECKED,
) -> bool:
    """Whether `ask` would give a pair, without choosing one."""
    if _in_front(snapshot, blocked, plan, askers, checked, 1):
        return True
    openings = _open(snapshot, has, blocked, plan, reopening)
    return min(openings.most, size(openings.pairs)) > 0


def _in_front(
    snapshot: Snapshot, blocked: BlockedPairs, plan: Plan, askers: Collection[int], checked: Checked, count: int
) -> list[list[int]]:
    """Item, first and second of up to `count` pairs that nobody has and that come before those of the criterion.

    First those that are due for overlap, with the number of judges that are lacking; then repeated questions, with 0.
    """
    pairs, entries, n = np.empty((0, 4), np.int64), snapshot.log.entries, snapshot.model.n
    if plan.overlap is not None and askers:
        pairs = due(plan.overlap, entries.item, entries.comparisons, n, askers)
    if again := [(*question[1:], 0) for question in checked.to_repeat if question.judge in askers]:
        pairs = np.concatenate([pairs, np.array(again)])
    if not len(pairs):
        return []
    item, first, second, _ = pairs.T
    in_front: list[list[int]] = pairs[~is_blocked(blocked, item, first, second, n)][:count].tolist()
    return in_front


def _with_leases(blocked: BlockedPairs, chosen: list[ChosenPair]) -> BlockedPairs:
    if not chosen:
        return blocked
    new = np.array([(each.item, each.pair.first, each.pair.second) for each in chosen], np.int64).T
    item, first, second = (np.insert(old, blocked.leases, add) for old, add in zip(blocked[:3], new, strict=True))
    return BlockedPairs(item, first, second, blocked.leases + len(chosen))


def _judged_round(snapshot: Snapshot, comparisons: Comparisons) -> JudgedRound:
    """The round by these comparisons, in which every judge may be asked about all items."""
    items, about = np.unique(snapshot.evidence.item, return_inverse=True)
    judges, by = np.unique(snapshot.comparisons.judge, return_inverse=True)
    question = np.asarray(by * len(items) + about, np.int64)
    return JudgedRound(comparisons, question, max(len(judges) * len(items), 1))


def _open(snapshot: Snapshot, has: Bools, blocked: BlockedPairs, plan: Plan, reopening: Reopening | None) -> OpenPairs:
    """The pairs that a round may give: those that were not shown, and once there are none, those that open again."""
    new = open_now(snapshot.shown, has, blocked, plan.order)
    if reopening is None or size(new.pairs) or not isinstance(snapshot.posterior.covariance, DenseCovariance):
        return new
    return _reopened(snapshot, has, blocked, plan, reopening)


def _reopened(snapshot: Snapshot, has: Bools, blocked: BlockedPairs, plan: Plan, reopening: Reopening) -> OpenPairs:
    """The pairs of outputs that open again and that nobody holds; first those that keep the set from stopping."""
    judge, entries = reopening.judge, snapshot.log.entries
    ranked = None if plan.target == "latent" else live_quantity(snapshot, Sought(plan.target, has, ()))
    matters = needed(snapshot.posterior.scores, snapshot.plain_model, reopening.stop, plan.goal, ranked)
    free = np.triu(has[:, :, None] & has[:, None, :], 1)
    free[blocked.item, np.minimum(blocked.first, blocked.second), np.maximum(blocked.first, blocked.second)] = False
    mine, times = entries.judge == judge, np.zeros(free.shape, np.int64)
    np.add.at(times, (entries.item[mine], entries.first[mine], entries.second[mine]), 1)
    was_shown, most_times = snapshot.shown.in_order, most_times_of(snapshot, judge)
    alike = None if reopening.is_person else repeats_alike(snapshot, judge)
    repeats = NO_END if alike is None else max(MOST_REPEATS - alike - blocked.leases, 0)
    for pairs in (free & matters, free):
        may_show = pairs if plan.order is Order.AS_SELECTED else pairs | pairs.swapaxes(1, 2)
        orders, is_repeat = _of_first_kind(may_show, times, was_shown, plan.order, most_times if repeats else 0)
        if orders.any():
            break
    return open_in(has, orders, repeats if is_repeat else NO_END)


def _of_first_kind(may_show: Bools, times: Ints, was_shown: Bools, order: Order, most_times: int) -> tuple[Bools, bool]:
    """Which of those that may be shown are of the first kind that any is of, and whether that is a pair once more:

        the other order of a pair that nobody was shown so        not where the order is as_selected: it is fixed
        a pair that this judge has not judged
        the other order of a pair that this judge has judged
        a pair once more                                          in the order that this judge saw less often

    With the order "both" a judge ends what it has half done first.

    Args: all arrays are (I, N, N), at [item, first, second]; `times` is how often this judge was asked so.
    """
    turned = times.swapaxes(1, 2)
    kinds = [times < turned] if order is Order.BOTH else []
    kinds += [was_shown.swapaxes(1, 2) & ~was_shown, (times == 0) & (turned == 0), times == 0]
    for kind in kinds:
        if (may_show & kind).any():
            return may_show & kind, False
    once_more = may_show & (times < most_times)
    if order is not Order.AS_SELECTED:
        once_more &= times <= turned
    if most_times < NO_END:
        once_more &= times == times.min(where=once_more, initial=NO_END)
    return once_more, True


def ask_people(
    snapshot: Snapshot, blocked: BlockedPairs, plan: Plan, check: HumanCheck, count: int
) -> list[ChosenPair]:
    """Up to `count` pairs that the judge has judged and people should, best first; a pair that is out counts as judged.

    Without one judge, pairs that tell soonest which judges are right.
    """
    ids, n, pair_votes = snapshot.evidence.judges.tolist(), snapshot.model.n, pair_votes_of(snapshot)
    people = [number for number, judge in enumerate(ids) if judge in check.people]
    if check.judge is not None and check.judge not in ids:
        return []
    item, low, high = pair_votes[:3]
    is_out = is_blocked(blocked, item, low, high, n)
    rng = _random_source(snapshot, blocked, plan)
    scores, leads = snapshot.posterior.scores, leads_of(snapshot.tally.leads, plan)
    criterion: Literal["rank-sets", "labels"] = "labels" if check.judge is None else "rank-sets"
    if check.judge is not None:
        wanted = next_checks(pair_votes, n, ids.index(check.judge), people, is_out, count, rng)
    else:
        labelled = is_out | ~np.isnan(pair_votes.p[:, people]).all(axis=1)
        judges = np.setdiff1d(np.arange(len(ids)), people)
        to_label = next_to_label(votes(binary(pair_votes.p[:, judges])), labelled, count, rng)
        wanted = zip(*(column.tolist() for column in to_label), strict=True)
    chosen = list[ChosenPair]()
    for row, worth, propensity in wanted:
        choice = explained(scores, int(low[row]), int(high[row]), worth, propensity)
        chosen.append(ChosenPair(int(item[row]), presented(choice, leads, plan.order, rng), criterion))
    return chosen
