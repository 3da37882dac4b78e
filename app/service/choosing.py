"""Choosing the pairs of an ask: how many each set may give, which ones, and why there are none."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple
from uuid import uuid4

import numpy as np
from nextpair.words import AskStatus

from app.inference.choosing import Stop, can_be_met, has_claims, prompts_to_decide
from app.inference.state import (
    BlockedPairs,
    Checked,
    ChosenPair,
    HumanCheck,
    Reopening,
    ask,
    ask_people,
    exact,
    has_pair,
)
from app.live.speed import choices_are_quick, work_of_a_pair
from app.sentences import prompts, stopping
from app.sentences.judges import ASK_PEOPLE
from app.service.context import Context
from app.service.posteriors import CurrentSet
from app.service.presenting.assignments import StatusAndReason, present_why
from app.storage.assignments import Blocking, NewLease

NO_LIMIT = 10**9
PART = 8  # candidates, or comparisons, for each pair that is out while a set is to stop
# N^2 for each pair chosen in one transaction, which PostgreSQL ends when it idles for too long: some seconds. That is 8
# pairs of 5,000 candidates, or 800 of 500.
WORK = 2 * 10**8


class AskState(NamedTuple):
    """All that an ask knows of one set."""

    current: CurrentSet
    checked: Checked  # whether more pairs are needed
    blocked: BlockedPairs
    lacking: int  # pairs that are still wanted
    askers: Collection[int]  # judges, by id: for one of them the pairs are
    are_people: Mapping[int, bool]  # of the judges for whom pairs may open again, in turn
    at_once: int  # new pairs that the asker may get now


def blocked(rows: Sequence[Blocking]) -> BlockedPairs:
    """Assignments that keep their pair from the asker, leases first."""
    ordered = sorted(rows, key=lambda row: row.state != "leased")
    table = np.array([(row.item_id, row.first, row.second) for row in ordered], np.int64).reshape(-1, 3)
    return BlockedPairs(table[:, 0], table[:, 1], table[:, 2], sum(row.state == "leased" for row in rows))


def most_at_once(current: CurrentSet, leases: int, *, is_person: bool, holds_some: bool) -> int:
    """New pairs that one judge may get now, by how many are out already.

    A set that stops when it knows enough loses by every pair that is out: the first verdicts would have chosen others,
    or ended it. So no more are out than a tournament's round has, half of those who are not compared yet, or a PART of
    the candidates or comparisons. People, who read one pair after the other, are not held back, and a judge who holds
    none gets at least one.
    """
    terms, snapshot = current.terms, current.snapshot
    if terms.stop is None or terms.plan.target == "latent" or is_person:
        return NO_LIMIT
    n, compared = snapshot.model.n, snapshot.comparisons.size
    out = max((n - compared) // 2, n // PART, compared // PART)
    return max(out - leases, 0 if holds_some else 1)


async def choose(ctx: Context, states: Sequence[AskState], most: int, checks: HumanCheck | None) -> list[NewLease]:
    """The pairs that each set lacks, or as many as may be asked, until there are `most` of all or WORK is done.

    A set whose turn comes after that gives one pair: with none it would look as if it had none.
    """
    wanted = [(state, min(state.lacking, _askable(state))) for state in states]
    steps = min(most, sum(count for _, count in wanted))
    quick = choices_are_quick([(state.current.snapshot, state.current.terms.plan) for state in states], steps)
    pairs = await ctx.live.compute_here_if(quick and checks is None, lambda: _pairs_of_each(wanted, most, checks))
    return [lease for state, of_set in zip(states, pairs, strict=True) for lease in _new_leases(state.current, of_set)]


def _pairs_of_each(
    wanted: Sequence[tuple[AskState, int]], most: int, checks: HumanCheck | None
) -> list[list[ChosenPair]]:
    pairs, work = [], WORK
    for state, count in wanted:
        work_of_one = work_of_a_pair(state.current.snapshot.model.n, state.current.terms.plan)
        pairs.append(_pairs(state, min(count, most, max(work // work_of_one, 1)), checks))
        most -= len(pairs[-1])
        work -= len(pairs[-1]) * work_of_one
    return pairs


def _pairs(state: AskState, count: int, checks: HumanCheck | None) -> list[ChosenPair]:
    _, terms, catalogue, snapshot = state.current
    if count <= 0:
        return []
    if checks is not None:
        return ask_people(snapshot, state.blocked, terms.plan, checks, count)
    for reopening in _reopenings(state):
        wanted = count, reopening, state.askers, state.checked
        if pairs := ask(snapshot, catalogue.has, state.blocked, terms.plan, *wanted):
            return pairs
    return []


def has_pairs(state: AskState) -> bool:
    """Whether the set has a pair to give, without choosing one."""
    _, terms, catalogue, snapshot = state.current
    return _askable(state) > 0 and any(
        has_pair(snapshot, catalogue.has, state.blocked, terms.plan, reopening, state.askers, state.checked)
        for reopening in _reopenings(state)
    )


def _reopenings(state: AskState) -> Sequence[Reopening | None]:
    """Judges for whom pairs may open again, in turn, or None where the set ends once its pairs are used up."""
    terms, n = state.current.terms, state.current.snapshot.model.n
    stop = terms.stop
    if stop is None or not state.are_people or not can_be_met(stop, n, terms.plan.goal):
        return [None]
    return [Reopening(judge, is_person, stop) for judge, is_person in state.are_people.items()]


def _new_leases(current: CurrentSet, pairs: Sequence[ChosenPair]) -> list[NewLease]:
    """Leases with ids whose order, within one batch, is the order of choice."""
    return [
        NewLease(i, current.id, pair.item, *pair.pair[:2], present_why(pair, current.terms).model_dump_json())
        for i, pair in zip(sorted(uuid4() for _ in pairs), pairs, strict=True)
    ]


async def status_and_reason(ctx: Context, state: AskState, *, has_pairs: bool) -> StatusAndReason:
    """The word that an ask of this set is answered with, and why it has converged, or cannot."""
    status = status_of(state, has_pairs=has_pairs)
    if status == "cannot_converge":
        return status, await ctx.live.compute(lambda: _why_it_cannot(state))
    return status, state.checked.reason if status == "converged" else None


def status_of(state: AskState, *, has_pairs: bool) -> AskStatus:
    """The word alone."""
    left = _left_in_budget(state)
    if state.current.terms.status != "open":
        return "paused"
    if has_pairs:
        return "open"
    if state.checked.reason:
        return "converged"
    if left <= 0:
        return "all_leased" if left + state.blocked.leases > 0 else "budget_reached"
    if state.blocked.leases:
        return "all_leased"
    if state.current.terms.stop is None or state.current.snapshot.model.n < 2:
        return "exhausted"
    return "cannot_converge"


def _why_it_cannot(state: AskState) -> str:
    terms, n = state.current.terms, state.current.snapshot.model.n
    assert terms.stop is not None
    if not can_be_met(terms.stop, n, terms.plan.goal):
        return stopping.holds_of_any(n)
    if state.blocked.item.size:
        return stopping.JUDGE_FAILED
    if terms.plan.target == "new-items" and (remedy := _by_prompts(state.current, terms.stop)):
        return remedy
    if terms.plan.target == "people" and not any(state.are_people.values()):
        return ASK_PEOPLE
    if state.checked.missing is not None:
        return stopping.all_judged(state.checked.missing)
    return stopping.JUDGE_EXHAUSTED


def _by_prompts(current: CurrentSet, stop: Stop) -> str | None:
    """Effect of more prompts, of a set that is about new ones."""
    snapshot, goal = current.snapshot, current.terms.plan.goal
    forecast = prompts_to_decide(exact(snapshot, target="new-items"), snapshot.evidence.item, stop, goal)
    aim = prompts.TO_STOP if has_claims(stop, goal, snapshot.model.n) else prompts.TO_NAME_THE_BEST
    return forecast and f"{stopping.ALL_JUDGED} {prompts.needed(forecast, aim)}"


def _askable(state: AskState) -> int:
    if state.current.terms.status != "open" or state.checked.reason or state.current.snapshot.model.n < 2:
        return 0
    return min(_left_in_budget(state), state.at_once)


def _left_in_budget(state: AskState) -> int:
    if state.current.terms.max_comparisons is None:
        return NO_LIMIT
    return state.current.terms.max_comparisons - state.current.snapshot.comparisons.size - state.blocked.leases
