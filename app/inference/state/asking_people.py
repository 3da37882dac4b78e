"""Pairs for people: those whose verdicts check a judge, or tell which judges are right.

They come beside the set's own queue, which never shows a pair that anyone has judged.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.inference.choosing.asking import Draws, Plan, leads_of, presented_beside
from app.inference.choosing.human_checks import next_checks
from app.inference.judges import binary, next_to_label, votes
from app.inference.state.asking import ChosenPair
from app.inference.state.availability import BlockedPairs, is_blocked
from app.inference.state.snapshot import Snapshot, pair_votes_of


class HumanCheck(NamedTuple):
    """Ids of a judge whose verdicts are to be checked, or None for all who are no people, and of those who check."""

    judge: int | None
    people: frozenset[int]


def ask_people(
    snapshot: Snapshot, blocked: BlockedPairs, plan: Plan, check: HumanCheck, count: int
) -> list[ChosenPair]:
    """Up to `count` pairs that the judge has judged and people should, best first.

    A pair that someone holds counts as judged.
    """
    ids, n = snapshot.evidence.judges.tolist(), snapshot.model.n
    people = [number for number, judge in enumerate(ids) if judge in check.people]
    if check.judge is None:
        return _unlabelled(snapshot, blocked, plan, people, count)
    if check.judge not in ids:
        return []
    pair_votes = pair_votes_of(snapshot)
    is_out = is_blocked(blocked, pair_votes.item, pair_votes.low, pair_votes.high, n)
    marginal, leads = snapshot.posterior.scores, leads_of(snapshot.tally.leads, plan)
    rng = Draws(plan, snapshot.version, blocked.code)
    judge = ids.index(check.judge)
    checks = next_checks(pair_votes, judge, people, is_out, marginal, leads, plan.order, count, rng)
    return [ChosenPair(int(pair_votes.item[row]), pair, "rank-sets") for row, pair in checks]


def _unlabelled(
    snapshot: Snapshot, blocked: BlockedPairs, plan: Plan, people: Sequence[int], count: int
) -> list[ChosenPair]:
    """Up to `count` pairs that tell soonest which judges are right."""
    pair_votes, n = pair_votes_of(snapshot), snapshot.model.n
    judges = np.setdiff1d(np.arange(len(snapshot.evidence.judges)), people)
    is_out = is_blocked(blocked, pair_votes.item, pair_votes.low, pair_votes.high, n)
    labelled = is_out | ~np.isnan(pair_votes.p[:, people]).all(axis=1)
    rng = Draws(plan, snapshot.version, blocked.code)
    scores, leads = snapshot.posterior.scores, leads_of(snapshot.tally.leads, plan)
    chosen = []
    for row, behind, propensity in zip(
        *next_to_label(votes(binary(pair_votes.p[:, judges])), labelled, count, rng), strict=True
    ):
        item, low, high = (int(column[row]) for column in pair_votes[:3])
        pair = presented_beside(scores, low, high, float(behind), float(propensity), leads, plan.order, rng)
        chosen.append(ChosenPair(item, pair, "labels"))
    return chosen
