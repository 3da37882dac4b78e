"""Pairs ready to be shown, chosen from a snapshot: for overlap, by the criterion, or for people who check a judge.

An ask is one way: pairs due for overlap and questions that are asked again; then, in rounds, what is open
(open_pairs.py, reopening.py), which of it the criterion wants (choosing), and on which item. has_pair goes as far as
what is open. Pairs for people come beside the set's own queue, which never shows a pair that anyone has judged.
"""

from collections.abc import Collection
from typing import Literal, NamedTuple

import numpy as np

from app.inference.choosing.asking import Draws, Leased, Plan, leads_of, next_pairs
from app.inference.choosing.human_checks import next_checks, unchecked
from app.inference.choosing.knowledge import Questions
from app.inference.choosing.order import Presented, as_shown, presented_beside
from app.inference.choosing.overlap import due
from app.inference.gaussian import DenseCovariance
from app.inference.judges import binary, next_to_label, votes
from app.inference.kernels.pair_sets import size
from app.inference.state.log import Catalogue
from app.inference.state.open_pairs import BlockedPairs, OpenPairs, is_blocked, on_item, open_now
from app.inference.state.reopening import Reopening, reopened
from app.inference.state.snapshot import Snapshot, pair_votes_of
from app.inference.state.stops import Checked
from app.inference.types import Ints

UNCHECKED = Checked(None)


class ChosenPair(NamedTuple):
    """A pair on an item, ready to be shown."""

    item: int
    pair: Presented
    criterion: Literal["rank-sets", "labels", "overlap", "repeat"] | None = None  # None is the set's own


class HumanCheck(NamedTuple):
    """Ids of a judge whose verdicts are to be checked, or None for all who are no people, and of those who check."""

    judge: int | None
    people: frozenset[int]


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
    rng, chosen = Draws(plan, snapshot.version, blocked.code), list[ChosenPair]()
    scores, leads = snapshot.posterior.scores, leads_of(snapshot.tally.leads, plan)
    for item, first, second, lacking in _in_front(snapshot, blocked, plan, askers, checked)[:count]:
        if lacking is None:
            chosen.append(ChosenPair(item, as_shown(scores, first, second), "repeat"))
        else:
            pair = presented_beside(scores, first, second, float(lacking), 1.0, leads, plan.order, rng)
            chosen.append(ChosenPair(item, pair, "overlap"))
    if len(chosen) == count:
        return chosen
    chosen_by = scores, snapshot.model, snapshot.comparisons
    if (published := checked.published) is not None:
        chosen_by = published.scores, published.model, published.comparisons
    questions = _questions(snapshot) if plan.knows_the_round else None
    out = _with_leases(blocked, chosen)
    uses = _uses(snapshot, catalogue, out) if plan.target == "new-items" else None
    while len(chosen) < count:
        open_pairs = _open(snapshot, catalogue, out, plan, reopening)
        leased = Leased(out.first[: out.leases].copy(), out.second[: out.leases].copy())
        most = min(count - len(chosen), open_pairs.most)
        pairs = next_pairs(*chosen_by, leased, open_pairs.pairs, plan, most, rng, snapshot.tally, questions)
        if not pairs:
            break
        in_round = [ChosenPair(*on_item(open_pairs, pair, rng, uses)) for pair in pairs]
        chosen += in_round
        out = _with_leases(out, in_round)
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
    if _in_front(snapshot, blocked, plan, askers, checked):
        return True
    open_pairs = _open(snapshot, catalogue, blocked, plan, reopening)
    return min(open_pairs.most, size(open_pairs.pairs)) > 0


def _in_front(
    snapshot: Snapshot, blocked: BlockedPairs, plan: Plan, askers: Collection[int], checked: Checked
) -> list[tuple[int, int, int, int | None]]:
    """Item, pair and judges that are lacking of each pair that is due for overlap, the one judged first in front.

    Then item, first, second and None of each question that one of the `askers` is asked again. Nobody has them.
    """
    n, entries, in_front = snapshot.model.n, snapshot.log.entries, list[tuple[int, int, int, int | None]]()
    if plan.overlap is not None and askers:
        pairs = due(plan.overlap, entries.item, entries.comparisons, n, askers)
        in_front += zip(*(column.tolist() for column in pairs), strict=True)
    in_front += [(*question[1:], None) for question in checked.to_repeat if question.judge in askers]
    if not in_front:
        return []
    item, first, second = np.array([each[:3] for each in in_front], np.int64).T
    has = is_blocked(blocked, item, first, second, n)
    return [each for each, has_it in zip(in_front, has.tolist(), strict=True) if not has_it]


def _with_leases(blocked: BlockedPairs, chosen: list[ChosenPair]) -> BlockedPairs:
    if not chosen:
        return blocked
    new = np.array([(each.item, each.pair.first, each.pair.second) for each in chosen], np.int64).T
    item, first, second = (np.insert(old, blocked.leases, add) for old, add in zip(blocked[:3], new, strict=True))
    return BlockedPairs(item, first, second, blocked.leases + len(chosen))


def _questions(snapshot: Snapshot) -> Questions:
    """The question that each comparison answers: every judge may be asked about all items."""
    items, about = np.unique(snapshot.evidence.item, return_inverse=True)
    judges, by = np.unique(snapshot.comparisons.judge, return_inverse=True)
    return Questions(np.asarray(by * len(items) + about, np.int64), max(len(judges) * len(items), 1))


def _uses(snapshot: Snapshot, catalogue: Catalogue, blocked: BlockedPairs) -> Ints:
    """(I,) comparisons on each item, those that are out included."""
    on = np.append(snapshot.log.entries.item, blocked.item[: blocked.leases])
    return np.bincount(on, minlength=len(catalogue.has))


def _open(
    snapshot: Snapshot, catalogue: Catalogue, blocked: BlockedPairs, plan: Plan, reopening: Reopening | None
) -> OpenPairs:
    """The pairs that a round may give: those that were not shown, and once there are none, those that open again."""
    new = open_now(snapshot.shown, catalogue.has, blocked, plan.order)
    if reopening is None or size(new.pairs) or not isinstance(snapshot.posterior.covariance, DenseCovariance):
        return new
    return reopened(snapshot, catalogue.has, blocked, plan, reopening)


def ask_people(
    snapshot: Snapshot, blocked: BlockedPairs, plan: Plan, check: HumanCheck, count: int
) -> list[ChosenPair]:
    """Up to `count` pairs that the judge has judged and people should, best first; or, without one judge, those that
    tell soonest which judges are right.

    A pair that someone holds counts as judged.
    """
    ids, n, pair_votes = snapshot.evidence.judges.tolist(), snapshot.model.n, pair_votes_of(snapshot)
    people = [number for number, judge in enumerate(ids) if judge in check.people]
    if check.judge is not None and check.judge not in ids:
        return []
    item, low, high = pair_votes[:3]
    is_out = is_blocked(blocked, item, low, high, n)
    rng = Draws(plan, snapshot.version, blocked.code)
    scores, leads = snapshot.posterior.scores, leads_of(snapshot.tally.leads, plan)
    if check.judge is not None:
        votes_to_check = unchecked(pair_votes, ids.index(check.judge), people, is_out, n)
        checks = next_checks(votes_to_check, scores, leads, plan.order, count, rng)
        return [ChosenPair(int(item[row]), pair, "rank-sets") for row, pair in checks]
    labelled = is_out | ~np.isnan(pair_votes.p[:, people]).all(axis=1)
    judges = np.setdiff1d(np.arange(len(ids)), people)
    labels = zip(*next_to_label(votes(binary(pair_votes.p[:, judges])), labelled, count, rng), strict=True)
    return [
        ChosenPair(
            int(item[row]),
            presented_beside(
                scores, int(low[row]), int(high[row]), float(behind), float(propensity), leads, plan.order, rng
            ),
            "labels",
        )
        for row, behind, propensity in labels
    ]
