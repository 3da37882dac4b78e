"""Asking: which pairs a judge gets, and for how long.

Pairs come from three sources, in this order: the judge's own live leases, what selection finds in the log and the
leases of everyone else, and, while others hold all that is left, whatever is given back within `wait_seconds`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid4

import numpy as np
from sqlalchemy.ext.asyncio import AsyncConnection

from app import schemas
from app.live import human_votes
from app.live import snapshot as snapshots
from app.live.human_votes import People
from app.live.posteriors import Terms, all_of
from app.live.snapshot import Blocked, Catalogue, Snapshot
from app.service import posteriors
from app.service.context import Context, existing_set
from app.service.errors import AppError, LeaseEnded, SetDeleted, UnknownAssignment, UnknownJudge
from app.service.notices import wait
from app.service.posteriors import Current
from app.storage import assignments, candidates, judges, sets
from app.storage.assignments import NewLease
from app.storage.tables import Record
from app.words import StopReason

LATE = "Ask for a pair again; a verdict that is already made may still be sent and is kept, marked late."
Texts = Mapping[tuple[UUID, int, int], str | None]  # by set, item and candidate
POLL_SECONDS = 5.0  # a lease that expires sends no notice


class _Asker(NamedTuple):
    judge: str
    worker: str
    lease_seconds: float
    rank_sets_with: str | None = None


class _Leased(NamedTuple):
    """A live lease of the asker."""

    id: UUID
    item: int
    first: int
    second: int
    why: str  # JSON
    expires_at: datetime


class _State(NamedTuple):
    """What an ask is decided on."""

    id: UUID  # of the set
    terms: Terms
    catalogue: Catalogue
    snapshot: Snapshot
    blocked: Blocked
    reason: StopReason | None  # why no more pairs are needed, if so


async def ask(ctx: Context, set_id: UUID, request: schemas.Ask) -> schemas.Assignments:
    """Raises UnknownSet, SetDeleted, UnknownJudge."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + request.wait_seconds
    asker = _Asker(request.judge, request.worker or "", request.lease_seconds, request.rank_sets_with)
    async with ctx.notices.about(set_id) as changed:
        while True:
            changed.clear()
            answer = (await _ask_together(ctx, {set_id: request.count}, asker)).get(set_id)
            if answer is None:
                raise await _missing(ctx, set_id)
            left = deadline - clock()
            if answer.status != "all_leased" or answer.assignments or left <= 0:
                return answer
            await wait(changed, min(left, POLL_SECONDS))


async def ask_many(ctx: Context, request: schemas.AskMany) -> schemas.Assignments:
    """Spread `count` pairs over the sets: those where the asker holds leases first, then those with the least progress.

    Sets that cannot give their share leave it to the rest, in further rounds.
    Raises UnknownSet, SetDeleted for a set that the request names. One that is deleted meanwhile is passed over.
    """
    asker = _Asker(request.judge, request.worker or "", request.lease_seconds)
    async with ctx.reading() as db:
        for set_id in request.sets or ():
            await existing_set(db, set_id)
        turns = await sets.turns(
            db, judge=request.judge, worker=asker.worker, project=request.project, ids=request.sets
        )
    queue = {turn.id: int(turn.held) for turn in turns}
    found: dict[UUID, list[schemas.Assignment]] = {}
    statuses: set[schemas.AskStatus] = set()
    left = request.count
    while left and queue:
        shares = _shares(left, queue)
        wanted = {set_id: len(found.get(set_id, ())) + share for set_id, share in shares.items()}
        answers = await _ask_together(ctx, wanted, asker)
        statuses |= {answer.status for answer in answers.values()}
        found |= {set_id: answer.assignments for set_id, answer in answers.items()}
        generous = [set_id for set_id in shares if len(found.get(set_id, ())) == wanted[set_id]]
        queue = dict.fromkeys([*(set_id for set_id in queue if set_id not in shares), *generous], 0)
        left = request.count - sum(map(len, found.values()))
    pairs = [pair for of_set in found.values() for pair in of_set]
    return schemas.Assignments(status=_status_of_many(bool(pairs), statuses), assignments=pairs)


def _shares(count: int, queue: Mapping[UUID, int]) -> dict[UUID, int]:
    """How many of `count` pairs each set gives: an even part of what is left, or what the asker holds there."""
    shares: dict[UUID, int] = {}
    for place, (set_id, held) in enumerate(queue.items()):
        if not count:
            break
        shares[set_id] = min(count, max(held, -(-count // (len(queue) - place))))
        count -= shares[set_id]
    return shares


def _status_of_many(found: bool, statuses: set[schemas.AskStatus]) -> schemas.AskStatus:
    if found:
        return "open"
    if len(statuses) == 1:
        return statuses.pop()
    return "all_leased" if "all_leased" in statuses else "exhausted"


async def preview(ctx: Context, db: AsyncConnection, set_id: UUID, count: int) -> schemas.Preview:
    """The same choice, leasing nothing. Raises UnknownSet, SetDeleted."""
    leases = [lease for lease in await assignments.blocking(db, [set_id], -1) if not lease.expired]
    row = await existing_set(db, set_id)
    (state,) = await _states(ctx, db, [row], {set_id: leases})
    (chosen,) = await _choose(ctx, [(state, count)])
    texts = await _texts(db, [(set_id, c.item, c.pair.first, c.pair.second) for c in chosen])
    shown = [(_shown(state, texts, c.item, c.pair.first, c.pair.second), _why(state.terms, c)) for c in chosen]
    pairs = [schemas.Pair(item=item, first=first, second=second, why=why) for (item, first, second), why in shown]
    status = "open" if pairs else _why_none(state)
    return schemas.Preview(status=status, reason=_reason(status, state), pairs=pairs)


async def renew(db: AsyncConnection, assignment_id: UUID, lease_seconds: float) -> schemas.Lease:
    """Raises UnknownAssignment, SetDeleted, LeaseEnded."""
    await _live_lease(db, assignment_id)
    await assignments.extend(db, [assignment_id], lease_seconds)
    row = (await assignments.lock(db, [assignment_id]))[assignment_id]
    return schemas.Lease(id=row.id, status="leased", expires_at=row.expires_at)


async def release(db: AsyncConnection, assignment_id: UUID) -> schemas.Lease:
    """Give the pair back. Raises UnknownAssignment, SetDeleted, LeaseEnded."""
    row = await _live_lease(db, assignment_id)
    await assignments.release(db, [assignment_id])
    await sets.announce(db, [row.set_id])
    return schemas.Lease(id=row.id, status="released", expires_at=row.expires_at)


async def renew_many(db: AsyncConnection, request: schemas.RenewMany) -> schemas.Held:
    rows = await assignments.extend(db, request.assignments, request.lease_seconds)
    return schemas.Held(
        held=[schemas.Lease(id=i, status="leased", expires_at=row.expires_at) for i, row in rows.items()]
    )


async def release_many(db: AsyncConnection, request: schemas.ReleaseMany) -> schemas.Released:
    """Give the pairs back that are still leased; the others are left as they are."""
    rows = await assignments.lock(db, request.assignments)
    leased = [row for row in rows.values() if row.state == "leased"]
    await assignments.release(db, [row.id for row in leased])
    await sets.announce(db, {row.set_id for row in leased})
    return schemas.Released(released=len(leased))


async def _live_lease(db: AsyncConnection, assignment_id: UUID) -> Record:
    row = (await assignments.lock(db, [assignment_id])).get(assignment_id)
    if row is None:
        raise UnknownAssignment(f"There is no assignment {assignment_id}.")
    if row.deleted_at is not None:
        raise SetDeleted(f"Candidate set {row.set_id} was deleted.")
    if row.state != "leased" or row.expired:
        raise LeaseEnded(
            f"The lease of assignment {assignment_id} has ended ({row.state if row.state != 'leased' else 'expired'}). "
            + ("Ask for another pair." if row.state in ("done", "failed") else LATE)
        )
    return row


async def _ask_together(ctx: Context, counts: Mapping[UUID, int], asker: _Asker) -> dict[UUID, schemas.Assignments]:
    """So many pairs of each set, with every other ask on these sets held back; sets that are gone are left out."""
    ids = sorted(counts)
    async with all_of(ctx.live.get(set_id).asking for set_id in ids), ctx.engine.begin() as db:
        await sets.lock_asking(db, ids)
        held = await _lease_together(ctx, db, counts, asker)
        if not held:
            await db.rollback()  # a new judge who asks for nothing leaves no trace
    async with ctx.reading() as db:
        answers = await _show(db, held, asker.judge)  # a text that is leased does not change
    for set_id in counts.keys() - answers.keys():
        ctx.live.forget(set_id)
    return answers


async def _lease_together(
    ctx: Context, db: AsyncConnection, counts: Mapping[UUID, int], asker: _Asker
) -> list[tuple[_State, list[_Leased]]]:
    """What the asker holds of each set, and new leases where that is not enough."""
    judge_id = await ctx.judge_id(db, asker.judge)
    blocking = posteriors.by_set(await _without_expired(db, await assignments.blocking(db, list(counts), judge_id)))
    people = await _people(db, judge_id, asker)
    states = await _states(ctx, db, await sets.heads(db, list(counts)), blocking)
    if people is not None:  # they may go on when the set's own queue has ended
        states = [state._replace(reason=None) for state in states]
    held = [[row for row in blocking[state.id] if _is_of(row, judge_id, asker)] for state in states]
    asked = [rows[: counts[state.id]] for state, rows in zip(states, held, strict=True)]
    mine = await _extend(db, asked, asker.lease_seconds)
    lacking = [counts[state.id] - len(leases) for state, leases in zip(states, mine, strict=True)]
    chosen = await _choose(ctx, list(zip(states, lacking, strict=True)), people)
    new = await _lease(db, list(zip(states, chosen, strict=True)), judge_id, asker)
    return [(state, old + added) for state, old, added in zip(states, mine, new, strict=True)]


def _is_of(row: Record, judge_id: int, asker: _Asker) -> bool:
    return bool(row.worker == asker.worker and row.judge_id == judge_id and row.state == "leased")


async def _missing(ctx: Context, set_id: UUID) -> AppError:
    """Why a set cannot be asked."""
    try:
        async with ctx.engine.connect() as db:
            await existing_set(db, set_id)
    except AppError as error:
        return error
    raise AssertionError(f"set {set_id} was there and was not")


async def _without_expired(db: AsyncConnection, rows: Sequence[Record]) -> Sequence[Record]:
    expired = {row.id for row in rows if row.expired and row.state == "leased"}
    if not expired:
        return rows
    await assignments.expire(db, list(expired))
    return [row for row in rows if row.id not in expired]


async def _states(
    ctx: Context, db: AsyncConnection, rows: Sequence[Record], blocking: Mapping[UUID, Sequence[Record]]
) -> list[_State]:
    """Read the leases before the log: a pair answered in between is then in one of the two."""
    current = await posteriors.current_many(ctx, db, rows)
    reasons = await _reasons(ctx, current)
    return [_State(*each, _blocked(blocking[each.id]), reason) for each, reason in zip(current, reasons, strict=True)]


async def _reasons(ctx: Context, current: Sequence[Current]) -> list[StopReason | None]:
    """Why no more pairs of each set are needed, if so."""
    if not any(each.terms.stop for each in current):
        return [None for _ in current]
    return await ctx.live.compute(
        lambda: [snapshots.stop_reason(each.snapshot, each.terms.stop) if each.terms.stop else None for each in current]
    )


def _blocked(rows: Sequence[Record]) -> Blocked:
    ordered = sorted(rows, key=lambda row: row.state != "leased")
    table = np.array([(row.item_id, row.first, row.second) for row in ordered], np.int64).reshape(-1, 3)
    return Blocked(table[:, 0], table[:, 1], table[:, 2], sum(row.state == "leased" for row in rows))


async def _people(db: AsyncConnection, judge_id: int, asker: _Asker) -> People | None:
    """Who checks whom, where the asker is a person who does. Raises UnknownJudge."""
    if asker.rank_sets_with is None:
        return None
    checked = (await judges.find(db, [asker.rank_sets_with])).get(asker.rank_sets_with)
    if checked is None:
        raise UnknownJudge(f"There is no judge {asker.rank_sets_with!r}; a judge appears with its first verdict.")
    return People(checked, frozenset({judge_id, *await judges.of_kind(db, "human")} - {checked}))


async def _choose(
    ctx: Context, wanted: Sequence[tuple[_State, int]], people: People | None = None
) -> list[list[snapshots.Ask]]:
    """So many pairs of each set, or as many as may be asked."""
    possible = [(state, min(count, _askable(state))) for state, count in wanted]
    quick = snapshots.are_quick((state.snapshot for state, _ in possible), sum(count for _, count in possible))
    return await ctx.live.compute_here_if(
        quick and people is None, lambda: [_pairs(state, count, people) for state, count in possible]
    )


def _pairs(state: _State, count: int, people: People | None) -> list[snapshots.Ask]:
    if count <= 0:
        return []
    if people is not None:
        return human_votes.ask(state.snapshot, state.blocked, state.terms.plan, people, count)
    return snapshots.ask(state.snapshot, state.catalogue, state.blocked, state.terms.plan, count)


def _askable(state: _State) -> int:
    if state.terms.status != "open" or state.reason or state.snapshot.model.n < 2:
        return 0
    return _left_in_budget(state)


def _left_in_budget(state: _State) -> int:
    if state.terms.max_comparisons is None:
        return 10**9
    return state.terms.max_comparisons - state.snapshot.comparisons.size - state.blocked.leases


def _why_none(state: _State) -> schemas.AskStatus:
    if state.terms.status != "open":
        return "paused"
    if state.reason:
        return "converged"
    if _left_in_budget(state) <= 0:
        return "all_leased" if _left_in_budget(state) + state.blocked.leases > 0 else "budget_reached"
    return "all_leased" if state.blocked.leases else "exhausted"


def _reason(status: schemas.AskStatus, state: _State) -> StopReason | None:
    return state.reason if status == "converged" else None


async def _lease(
    db: AsyncConnection, chosen: Sequence[tuple[_State, Sequence[snapshots.Ask]]], judge_id: int, asker: _Asker
) -> list[list[_Leased]]:
    new = [_new_leases(state, asks) for state, asks in chosen]
    flat = [lease for of_set in new for lease in of_set]
    if not flat:
        return [[] for _ in new]
    ends = await assignments.lease(db, flat, judge_id, asker.worker, asker.lease_seconds)
    return [[_Leased(x.id, x.item_id, x.first, x.second, x.why, ends) for x in of_set] for of_set in new]


def _new_leases(state: _State, asks: Sequence[snapshots.Ask]) -> list[NewLease]:
    """Within one batch, id order is the order of choice."""
    ids = sorted(uuid4() for _ in asks)
    return [
        NewLease(i, state.id, x.item, x.pair.first, x.pair.second, _why(state.terms, x).model_dump_json())
        for i, x in zip(ids, asks, strict=True)
    ]


async def _extend(db: AsyncConnection, mine: Sequence[Sequence[Record]], seconds: float) -> list[list[_Leased]]:
    """Asking again is also a sign of life. Leaves out what was answered or given back in the meantime."""
    ids = [row.id for of_set in mine for row in of_set]
    held = await assignments.extend(db, ids, seconds) if ids else {}
    return [[_lease_of(row, held[row.id]) for row in of_set if row.id in held] for of_set in mine]


def _lease_of(row: Record, extended: Record) -> _Leased:
    return _Leased(row.id, row.item_id, row.first, row.second, extended.why, extended.expires_at)


async def _show(
    db: AsyncConnection, held: Sequence[tuple[_State, Sequence[_Leased]]], judge: str
) -> dict[UUID, schemas.Assignments]:
    texts = await _texts(db, [(state.id, x.item, x.first, x.second) for state, leases in held for x in leases])
    return {
        state.id: _answer(state, [_assignment(state, texts, lease, judge) for lease in leases])
        for state, leases in held
    }


def _answer(state: _State, shown: list[schemas.Assignment]) -> schemas.Assignments:
    status = "open" if shown and state.terms.status == "open" else _why_none(state)
    return schemas.Assignments(status=status, reason=_reason(status, state), assignments=shown)


def _assignment(state: _State, texts: Texts, lease: _Leased, judge: str) -> schemas.Assignment:
    item, first, second = _shown(state, texts, lease.item, lease.first, lease.second)
    return schemas.Assignment(
        item=item, first=first, second=second, why=schemas.Why.model_validate_json(lease.why), id=lease.id,
        set_id=state.id, question=state.terms.question, context=state.terms.context, judge=judge,
        expires_at=lease.expires_at,
    )  # fmt: skip


def _shown(
    state: _State, texts: Texts, item: int, first: int, second: int
) -> tuple[schemas.ItemOut | None, schemas.Shown, schemas.Shown]:
    (key, prompt), keys = state.catalogue.items[item], state.catalogue.keys
    return (
        schemas.ItemOut(key=key, prompt=prompt) if key else None,
        schemas.Shown(key=keys[first], text=texts[state.id, item, first]),
        schemas.Shown(key=keys[second], text=texts[state.id, item, second]),
    )


def _why(terms: Terms, chosen: snapshots.Ask) -> schemas.Why:
    """Differences are turned to read first minus second, as shown."""
    choice = chosen.pair.choice
    sign = 1.0 if chosen.pair.first == choice.i else -1.0
    return schemas.Why(
        criterion=chosen.criterion or terms.plan.policy.criterion.value,
        score=choice.score,
        mean_difference=sign * choice.mean_difference,
        sd_difference=choice.sd_difference,
        probability_of_reordering=choice.probability_of_reordering,
        propensity=choice.propensity,
        random=choice.random,
    )


async def _texts(db: AsyncConnection, shown: Sequence[tuple[UUID, int, int, int]]) -> Texts:
    """For tuples of (set, item, first, second)."""
    places = {(set_id, item, who) for set_id, item, first, second in shown for who in (first, second)}
    return await candidates.texts(db, list(places)) if places else {}
