"""Asking: which pairs a judge gets, and for how long.

Pairs come from three sources, in this order: the judge's own live leases, what selection finds in the log and the
leases of everyone else, and, while others hold all that is left, whatever is given back within `wait_seconds`.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import numpy as np
from sqlalchemy.ext.asyncio import AsyncConnection

from app import schemas
from app.inference.asking import Plan
from app.inference.order import Order
from app.inference.selection import Batch, Criterion, Policy
from app.inference.stopping import Stop
from app.live import snapshot as snapshots
from app.live.snapshot import Blocked, Catalogue, Snapshot
from app.service import posteriors
from app.service.context import Context, existing_set
from app.service.errors import LeaseEnded, SetDeleted, UnknownAssignment, UnknownSet
from app.service.notices import wait
from app.storage import assignments, candidates, sets
from app.storage.tables import Record
from app.words import StopReason

LATE = "Ask for a pair again; a verdict that is already made may still be sent and is kept, marked late."
POLL_SECONDS = 5.0  # a lease that expires sends no notice


class _Leased(NamedTuple):
    """A live lease of the asking judge."""

    id: UUID
    item: int
    first: int
    second: int
    why: dict[str, Any]
    expires_at: datetime


class _State(NamedTuple):
    """What an ask is decided on."""

    row: Record  # the set
    catalogue: Catalogue
    snapshot: Snapshot
    blocked: Blocked
    reason: StopReason | None  # why no more pairs are needed, if so


async def ask(ctx: Context, set_id: UUID, request: schemas.Ask) -> schemas.Assignments:
    """Raises UnknownSet, SetDeleted."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + request.wait_seconds
    async with ctx.notices.about(set_id) as changed:
        while True:
            changed.clear()
            answer = await _ask_once(ctx, set_id, request)
            left = deadline - clock()
            if answer.status != "all_leased" or answer.assignments or left <= 0:
                return answer
            await wait(changed, min(left, POLL_SECONDS))


async def ask_many(ctx: Context, request: schemas.AskMany) -> schemas.Assignments:
    """Spread `count` pairs over the sets: those where the judge holds leases first, then those with the least progress.

    Raises UnknownSet, SetDeleted for a set that the request names. One that is deleted meanwhile is passed over.
    """
    async with ctx.engine.connect() as db:
        for set_id in request.sets or ():
            await existing_set(db, set_id)
        turns = await sets.turns(db, judge=request.judge, project=request.project, ids=request.sets)
    found: list[schemas.Assignment] = []
    statuses: set[schemas.AskStatus] = set()
    for place, turn in enumerate(turns):
        left = request.count - len(found)
        share = min(left, max(turn.held, -(-left // (len(turns) - place))), 1000)
        if not share:
            break
        with suppress(SetDeleted):
            one = schemas.Ask(judge=request.judge, count=share, lease_seconds=request.lease_seconds)
            answer = await _ask_once(ctx, turn.id, one)
            found += answer.assignments
            statuses.add(answer.status)
    return schemas.Assignments(status=_status_of_many(bool(found), statuses), assignments=found)


def _status_of_many(found: bool, statuses: set[schemas.AskStatus]) -> schemas.AskStatus:
    if found:
        return "open"
    if len(statuses) == 1:
        return statuses.pop()
    return "all_leased" if "all_leased" in statuses else "exhausted"


async def preview(ctx: Context, db: AsyncConnection, set_id: UUID, count: int) -> schemas.Preview:
    """The same choice, leasing nothing. Raises UnknownSet, SetDeleted."""
    leases = await assignments.blocking(db, set_id, -1)
    state = await _state(ctx, db, set_id, [lease for lease in leases if not lease.expired])
    chosen = await _choose(ctx, state, count)
    texts = await _texts(db, set_id, [(c.item, c.pair.first, c.pair.second) for c in chosen])
    pairs = [_pair(state.catalogue, texts, c.item, c.pair.first, c.pair.second, _why(state.row, c)) for c in chosen]
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
    await assignments.release(db, assignment_id)
    await sets.announce(db, row.set_id)
    return schemas.Lease(id=row.id, status="released", expires_at=row.expires_at)


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


async def _ask_once(ctx: Context, set_id: UUID, request: schemas.Ask) -> schemas.Assignments:
    try:
        async with ctx.live.get(set_id).asking, ctx.engine.begin() as db:
            await sets.lock_asking(db, set_id)
            return await _ask_alone(ctx, db, set_id, request)
    except UnknownSet:
        ctx.live.forget(set_id)
        raise


async def _ask_alone(ctx: Context, db: AsyncConnection, set_id: UUID, request: schemas.Ask) -> schemas.Assignments:
    """With every other ask on this set held back."""
    judge_id = await ctx.judge_id(db, request.judge)
    blocking = await _without_expired(db, await assignments.blocking(db, set_id, judge_id))
    state = await _state(ctx, db, set_id, blocking)
    held = [_lease_of(row) for row in blocking if row.state == "leased" and row.judge_id == judge_id]
    mine = await _extend(db, held[: request.count], request.lease_seconds)
    if len(mine) < request.count:
        chosen = await _choose(ctx, state, request.count - len(mine))
        mine += await _lease(db, state, chosen, judge_id, request.lease_seconds)
    shown = await _show(db, state, mine, request.judge)
    status = "open" if shown and state.row.status == "open" else _why_none(state)
    return schemas.Assignments(status=status, reason=_reason(status, state), assignments=shown)


async def _without_expired(db: AsyncConnection, rows: Sequence[Record]) -> list[Record]:
    expired = [row.id for row in rows if row.state == "leased" and row.expired]
    if expired:
        await assignments.expire(db, expired)
    return [row for row in rows if row.id not in set(expired)]


async def _state(ctx: Context, db: AsyncConnection, set_id: UUID, blocking: Sequence[Record]) -> _State:
    """Read the leases before the log: a pair answered in between is then in one of the two."""
    row = await existing_set(db, set_id)
    catalogue, snapshot = await posteriors.current(ctx, db, row)
    reason = await ctx.live.compute(snapshots.stop_reason, snapshot, Stop(**row.stop)) if row.stop else None
    return _State(row, catalogue, snapshot, _blocked(blocking), reason)


def _blocked(rows: Sequence[Record]) -> Blocked:
    ordered = sorted(rows, key=lambda row: row.state != "leased")
    table = np.array([(row.item_id, row.first, row.second) for row in ordered], np.int64).reshape(-1, 3)
    return Blocked(table[:, 0], table[:, 1], table[:, 2], sum(row.state == "leased" for row in rows))


async def _choose(ctx: Context, state: _State, count: int) -> list[snapshots.Ask]:
    count = min(count, _left_in_budget(state))
    if state.row.status != "open" or state.reason or count <= 0 or state.snapshot.model.n < 2:
        return []
    return await ctx.live.compute(
        snapshots.ask, state.snapshot, state.catalogue, state.blocked, _plan(state.row), count
    )


def _plan(row: Record) -> Plan:
    policy = Policy(Criterion(row.criterion), row.epsilon, row.random_share, Batch(row.batch))
    return Plan(policy, Order(row.order), row.seed)


def _left_in_budget(state: _State) -> int:
    if state.row.max_comparisons is None:
        return 10**9
    return int(state.row.max_comparisons) - state.snapshot.comparisons.size - state.blocked.leases


def _why_none(state: _State) -> schemas.AskStatus:
    if state.row.status != "open":
        return "paused"
    if state.reason:
        return "converged"
    if _left_in_budget(state) <= 0:
        return "all_leased" if _left_in_budget(state) + state.blocked.leases > 0 else "budget_reached"
    return "all_leased" if state.blocked.leases else "exhausted"


def _reason(status: schemas.AskStatus, state: _State) -> StopReason | None:
    return state.reason if status == "converged" else None


async def _lease(
    db: AsyncConnection, state: _State, chosen: Sequence[snapshots.Ask], judge_id: int, seconds: float
) -> list[_Leased]:
    if not chosen:
        return []
    ids = sorted(uuid4() for _ in chosen)  # within one batch, id order is the order of choice
    rows = [
        {
            "id": assignment_id, "set_id": state.row.id, "item_id": c.item,
            "first": c.pair.first, "second": c.pair.second,
            "judge_id": judge_id, "why": _why(state.row, c).model_dump(),
        }
        for assignment_id, c in zip(ids, chosen, strict=True)
    ]  # fmt: skip
    expiry = {row.id: row.expires_at for row in await assignments.lease(db, rows, seconds)}
    return [_Leased(r["id"], r["item_id"], r["first"], r["second"], r["why"], expiry[r["id"]]) for r in rows]


def _lease_of(row: Record) -> _Leased:
    return _Leased(row.id, row.item_id, row.first, row.second, row.why, row.expires_at)


async def _extend(db: AsyncConnection, mine: Sequence[_Leased], seconds: float) -> list[_Leased]:
    """Asking again is also a sign of life. Leaves out what was answered or given back in the meantime."""
    expiry = await assignments.extend(db, [lease.id for lease in mine], seconds) if mine else {}
    return [lease._replace(expires_at=expiry[lease.id]) for lease in mine if lease.id in expiry]


async def _show(db: AsyncConnection, state: _State, leases: Sequence[_Leased], judge: str) -> list[schemas.Assignment]:
    texts = await _texts(db, state.row.id, [(x.item, x.first, x.second) for x in leases])
    return [_assignment(state, texts, lease, judge) for lease in leases]


def _assignment(
    state: _State, texts: dict[tuple[int, int], str | None], lease: _Leased, judge: str
) -> schemas.Assignment:
    pair = _pair(state.catalogue, texts, lease.item, lease.first, lease.second, schemas.Why(**lease.why))
    return schemas.Assignment(
        **dict(pair),
        id=lease.id,
        set_id=state.row.id,
        question=state.row.question,
        context=state.row.context,
        judge=judge,
        expires_at=lease.expires_at,
    )


def _pair(
    catalogue: Catalogue, texts: dict[tuple[int, int], str | None], item: int, first: int, second: int, why: schemas.Why
) -> schemas.Pair:
    key, prompt = catalogue.items[item]
    return schemas.Pair(
        item=schemas.ItemOut(key=key, prompt=prompt) if key else None,
        first=schemas.Shown(key=catalogue.keys[first], text=texts[item, first]),
        second=schemas.Shown(key=catalogue.keys[second], text=texts[item, second]),
        why=why,
    )


def _why(row: Record, chosen: snapshots.Ask) -> schemas.Why:
    """Differences are turned to read first minus second, as shown."""
    choice = chosen.pair.choice
    sign = 1.0 if chosen.pair.first == choice.i else -1.0
    return schemas.Why(
        criterion=row.criterion,
        score=choice.score,
        mean_difference=sign * choice.mean_difference,
        sd_difference=choice.sd_difference,
        probability_of_reordering=choice.probability_of_reordering,
        propensity=choice.propensity,
        random=choice.random,
    )


async def _texts(
    db: AsyncConnection, set_id: UUID, shown: Sequence[tuple[int, int, int]]
) -> dict[tuple[int, int], str | None]:
    """Texts by (item, candidate), for triples of (item, first, second)."""
    places = {(item, who) for item, first, second in shown for who in (first, second)}
    return await candidates.texts(db, set_id, sorted(places)) if places else {}
