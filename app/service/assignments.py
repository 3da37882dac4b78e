"""Asking: which pairs a judge gets, and for how long.

Pairs come from three sources, in this order: the judge's own live leases, what selection finds in the log and the
leases of everyone else, and, while others hold all that is left, whatever is given back within `wait_seconds`.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import accumulate, chain, islice, takewhile
from typing import NamedTuple, TypeVar
from uuid import UUID, uuid4

import numpy as np
from nextpair import schemas
from nextpair.words import AskStatus, StopReason
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.state import human_checks
from app.inference.state import snapshot as snapshots
from app.inference.state.human_checks import People
from app.inference.state.snapshot import Blocked, Catalogue, Snapshot
from app.live.posteriors import Terms, all_of
from app.service import posteriors
from app.service.context import Context, Spent, existing_set, existing_sets
from app.service.errors import AppError, Busy, LeaseEnded, LeaseSuperseded, SetDeleted, UnknownAssignment, UnknownJudge
from app.service.posteriors import Current
from app.service.turns import patiently
from app.storage import assignments, candidates, judges, sets
from app.storage.assignments import NewLease
from app.storage.db import is_in_the_way
from app.storage.schema import Record

LATE = "Ask for a pair again; a verdict that is already made may still be sent and is kept, marked late."
Place = tuple[UUID, int, int]  # set, item and candidate
Texts = Mapping[Place, str | None]
T = TypeVar("T")
LARGEST_ANSWER = 7_000_000  # bytes of text in one answer: JSON may need six for one
POLL_SECONDS = 5.0  # a lease that expires sends no notice
# Sets in one transaction. Other asks of these wait for its end: some tenths of a second, if all must first be read from
# their logs. A worker's usual batch, a pair or a few of each of a hundred sets, is one transaction.
SETS_AT_ONCE = 128
# N^2 for each pair chosen in one transaction, which PostgreSQL ends when it idles for too long: some seconds. That is 8
# pairs of 5,000 candidates, or 800 of 500.
WORK = 2 * 10**8
MOST_SPENT = 100_000  # sets that are known to have nothing to give: 30 MB


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
    generation: int


class _State(NamedTuple):
    """What an ask is decided on."""

    id: UUID  # of the set
    terms: Terms
    catalogue: Catalogue
    snapshot: Snapshot
    reason: StopReason | None  # why no more pairs are needed, if so
    blocked: Blocked


async def ask(ctx: Context, set_id: UUID, request: schemas.Ask) -> schemas.Assignments:
    """Raises UnknownSet, SetDeleted, UnknownJudge."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + request.wait_seconds
    asker = _Asker(request.judge, request.worker or "", request.lease_seconds, request.rank_sets_with)
    topic = ctx.notices.about(set_id)
    while True:
        heard = topic.notices
        answer = (await _ask_together(ctx, {set_id: request.count}, request.count, LARGEST_ANSWER, asker)).get(set_id)
        if answer is None:
            raise await _missing(ctx, set_id)
        left = deadline - clock()
        if answer.status != "all_leased" or answer.assignments or left <= 0 or ctx.notices.closed:
            return answer
        await topic.wait(heard, min(left, POLL_SECONDS))


async def ask_many(ctx: Context, request: schemas.AskMany) -> schemas.Assignments:
    """Spread `count` pairs over the sets: those where the asker holds leases first, then those with the least progress.

    Sets that cannot give their share leave it to those behind them, and then to those that could. What is leased stays
    so when the asker goes away in between: asking again brings it back.
    Sets that others hold for too long are passed over with those asked together with them, and so is a set that is
    deleted meanwhile.
    Raises UnknownSet, SetDeleted for a set that the request names, Busy where no set gave a pair and some were held.
    """
    asker = _Asker(request.judge, request.worker or "", request.lease_seconds)
    queue, statuses = await _queue(ctx, request, asker)
    in_the_way: Busy | DBAPIError | None = None
    given: defaultdict[UUID, list[schemas.Assignment]] = defaultdict(list)
    left = request.count
    while left and queue:
        generous: dict[UUID, int] = {}
        reach = 1
        while left and queue:
            shares = _shares(left, queue, reach)
            wanted = {set_id: len(given[set_id]) + share for set_id, share in shares.items()}
            most = left + sum(len(given[set_id]) for set_id in shares)
            room = LARGEST_ANSWER - sum(_length(pair) for of in given.keys() - shares.keys() for pair in given[of])
            try:
                answers = await _ask_together(ctx, wanted, most, room, asker)
            except (Busy, DBAPIError) as error:
                if not isinstance(error, Busy) and not is_in_the_way(error):
                    raise
                in_the_way, answers = error, {}
            statuses |= {answer.status for answer in answers.values()}
            given |= {set_id: answer.assignments for set_id, answer in answers.items()}
            left = request.count - sum(map(len, given.values()))
            if sum(_length(pair) for of_set in answers.values() for pair in of_set.assignments) >= room:
                left = 0
            full = [set_id for set_id in shares if len(given[set_id]) == wanted[set_id]]
            generous |= dict.fromkeys(full, 0)
            queue = {set_id: held for set_id, held in queue.items() if set_id not in shares}
            reach = 2 * (len(shares) - len(full))
        queue = generous
    pairs = [pair for of_set in given.values() for pair in of_set]
    if in_the_way and not pairs:
        raise in_the_way
    return schemas.Assignments(status=_status_of_many(bool(pairs), statuses), assignments=pairs)


async def _queue(ctx: Context, request: schemas.AskMany, asker: _Asker) -> tuple[dict[UUID, int], set[AskStatus]]:
    """How many leases the asker holds of each set, in turn; and why those have none to give that are left out."""
    async with ctx.reading() as db:
        await existing_sets(db, request.sets or ())
        rows = await sets.queue(db, judge=request.judge, worker=asker.worker, project=request.project, ids=request.sets)
    queue: dict[UUID, int] = {}
    statuses: set[AskStatus] = set()
    for row in rows:
        spent = ctx.spent.get(row.id)
        if spent and spent[:2] == (row.revision, row.version) and not row.held:
            statuses.add(spent.status)
        else:
            queue[row.id] = int(row.held)
    return queue, statuses


def _shares(count: int, queue: Mapping[UUID, int], reach: int) -> dict[UUID, int]:
    """How many of `count` pairs each set gives: an even part of what is left, or what the asker holds there.

    Up to SETS_AT_ONCE of the queue. Where the count ends before `reach` sets, the others stand by for one pair each.
    """
    shares: dict[UUID, int] = {}
    for place, (set_id, held) in enumerate(queue.items()):
        if place == SETS_AT_ONCE or (not count and place >= reach):
            break
        shares[set_id] = min(max(count, 1), max(held, -(-count // (len(queue) - place)), 1))
        count -= min(shares[set_id], count)
    return shares


def _status_of_many(found: bool, statuses: set[AskStatus]) -> AskStatus:
    if found:
        return "open"
    if len(statuses) == 1:
        return statuses.pop()
    return "all_leased" if "all_leased" in statuses else "exhausted"


async def preview(ctx: Context, db: AsyncConnection, set_id: UUID, count: int) -> schemas.Preview:
    """The same choice, leasing nothing. Raises UnknownSet, SetDeleted."""
    leases = [lease for lease in await assignments.blocking(db, [set_id], -1) if not lease.expired]
    row = await existing_set(db, set_id)
    ((current, reason),) = await _current(ctx, db, [row])
    state = _State(*current, reason, _blocked(leases))
    (chosen,) = await _choose(ctx, [(state, count)], count)
    chosen = chosen[: _fitting([(state, c.item, *c.pair[:2]) for c in chosen], LARGEST_ANSWER)]
    texts = await _texts(db, [(set_id, c.item, c.pair.first, c.pair.second) for c in chosen])
    shown = [(_shown(state, texts, c.item, c.pair.first, c.pair.second), _why(state.terms, c)) for c in chosen]
    pairs = [schemas.Pair(item=item, first=first, second=second, why=why) for (item, first, second), why in shown]
    status = "open" if pairs else _why_none(state)
    return schemas.Preview(status=status, reason=_reason(status, state), pairs=pairs)


async def renew(db: AsyncConnection, assignment_id: UUID, renewal: schemas.Renewal) -> schemas.Lease:
    """Raises UnknownAssignment, SetDeleted, LeaseSuperseded, LeaseEnded."""
    row = await _locked(db, assignment_id, renewal.generation)
    lease = _live(row, await assignments.extend(db, {row.id: renewal.generation}, renewal.lease_seconds))
    return schemas.Lease(id=row.id, status="leased", expires_at=lease.expires_at)


async def release(db: AsyncConnection, assignment_id: UUID, generation: int | None) -> schemas.Lease:
    """Give the pair back. Raises UnknownAssignment, SetDeleted, LeaseSuperseded, LeaseEnded."""
    row = await _locked(db, assignment_id, generation)
    lease = _live(row, await assignments.release(db, {row.id: generation}))
    await sets.announce(db, [row.set_id])
    return schemas.Lease(id=row.id, status="released", expires_at=lease.expires_at)


async def renew_many(db: AsyncConnection, request: schemas.RenewMany) -> schemas.Held:
    """Keep those that are still leased for longer; the others are left out of the answer."""
    leases = await assignments.extend(db, _generations(request), request.lease_seconds)
    return schemas.Held(
        held=[schemas.Lease(id=lease.id, status="leased", expires_at=lease.expires_at) for lease in leases]
    )


async def release_many(db: AsyncConnection, request: schemas.ReleaseMany) -> schemas.Released:
    """Give the pairs back that are still leased; the others are left as they are."""
    leases = await assignments.release(db, _generations(request))
    await sets.announce(db, {lease.set_id for lease in leases})
    return schemas.Released(released=len(leases))


def superseded(row: Record, generation: int | None) -> LeaseSuperseded | None:
    """What to tell the holder of this generation of an assignment, if it was handed out again since."""
    if generation in (None, row.generation):
        return None
    return LeaseSuperseded(
        f"Assignment {row.id} was handed out again: it is at generation {row.generation}, not {generation}, and "
        "whoever got that one judges the pair. Ask for pairs again; with a `worker` name of its own each process gets "
        "only its own back."
    )


def _generations(request: schemas.ReleaseMany) -> dict[UUID, int | None]:
    given = request.generations or {}
    return {assignment_id: given.get(assignment_id) for assignment_id in request.assignments}


async def _locked(db: AsyncConnection, assignment_id: UUID, generation: int | None) -> Record:
    row = (await assignments.lock(db, [assignment_id])).get(assignment_id)
    if row is None:
        raise UnknownAssignment(f"There is no assignment {assignment_id}.")
    if row.deleted_at is not None:
        raise SetDeleted(f"Candidate set {row.set_id} was deleted.")
    if problem := superseded(row, generation):
        raise problem
    return row


def _live(row: Record, leases: Sequence[Record]) -> Record:
    """The lease of assignment `row`, the only one that there can be. Raises LeaseEnded."""
    if not leases:
        raise LeaseEnded(
            f"The lease of assignment {row.id} has ended ({row.state if row.state != 'leased' else 'expired'}). "
            + ("Ask for another pair." if row.state in ("done", "failed") else LATE)
        )
    return leases[0]


async def _ask_together(
    ctx: Context, counts: Mapping[UUID, int], most: int, room: int, asker: _Asker
) -> dict[UUID, schemas.Assignments]:
    """So many pairs of each set and `most` of all, in this order, with every other ask on these sets held back.

    Fewer where their texts take more than `room`, though one where there is any. Sets that are gone are left out.
    """
    ids = sorted(counts)
    async with patiently(all_of(ctx.live.get(set_id).asking for set_id in ids)), ctx.engine.begin() as db:
        await sets.lock_asking(db, ids)
        leased, is_whole = await _lease_together(ctx, db, counts, most, room, asker)
        if not leased:
            await db.rollback()  # a new judge who asks of sets that are gone leaves no trace
    if is_whole and sum(len(leases) for _, leases in leased) < most and asker.rank_sets_with is None:
        _note_spent(ctx, leased)
    async with ctx.reading() as db:
        answers = await _show(db, leased, asker.judge)  # a text that is leased does not change
    for set_id in counts.keys() - answers.keys():
        ctx.live.forget(set_id)
    return answers


def _note_spent(ctx: Context, leased: Sequence[tuple[_State, Sequence[_Leased]]]) -> None:
    """Remember which sets have nothing to give, whoever asks, even if all leases are given back."""
    for state, leases in leased:
        status = _why_none(state)
        if not leases and status != "all_leased" and (status != "exhausted" or not state.blocked.item.size):
            ctx.spent[state.id] = Spent(state.catalogue.revision, state.snapshot.version, status)
    while len(ctx.spent) > MOST_SPENT:
        del ctx.spent[next(iter(ctx.spent))]


async def _lease_together(
    ctx: Context, db: AsyncConnection, counts: Mapping[UUID, int], most: int, room: int, asker: _Asker
) -> tuple[list[tuple[_State, list[_Leased]]], bool]:
    """What the asker holds of each set, and new leases where that is not enough; and whether all found room."""
    judge_id = await ctx.judge_id(db, asker.judge)
    rows = await assignments.blocking(db, list(counts), judge_id)
    people = await _people(db, judge_id, asker)
    # After the leases: a pair that is answered in between is then in one of the two.
    current = await _current(ctx, db, await sets.heads(db, list(counts)), going_on=people is not None)
    known = {each.id: each for each, _ in current}
    own = [row for row in _own(rows, counts, most, judge_id, asker) if row.set_id in known]
    # Before they are handed out: one that finds no room stays as its holder knows it.
    own_fitting = _fitting([(known[x.set_id], x.item_id, x.first, x.second) for x in own], room)
    mine, blocking = await _settle(db, rows, own[:own_fitting], asker)
    by_id = {each.id: _State(*each, reason, _blocked(blocking[each.id])) for each, reason in current}
    states = [by_id[set_id] for set_id in counts if set_id in by_id]
    lacking = [(state, counts[state.id] - len(mine[state.id])) for state in states]
    lacking_of_all = most - sum(map(len, mine.values())) if own_fitting == len(own) else 0
    chosen = await _choose(ctx, lacking, lacking_of_all, people)
    held = [mine[state.id] for state in states]
    pairs = [(state, x.item, x.first, x.second) for state, of_set in zip(states, held, strict=True) for x in of_set]
    pairs += [(state, x.item, *x.pair[:2]) for state, of_set in zip(states, chosen, strict=True) for x in of_set]
    fitting = _fitting(pairs, room)
    chosen = _first(chosen, fitting - sum(map(len, held)))
    new = await _lease(db, list(zip(states, chosen, strict=True)), judge_id, asker)
    leased = [(state, old + added) for state, old, added in zip(states, held, new, strict=True)]
    return leased, own_fitting == len(own) and fitting == len(pairs)


def _first(lists: Sequence[Sequence[T]], count: int) -> list[list[T]]:
    """The first `count` of all that the lists hold."""
    rest = chain.from_iterable(lists)
    taken = islice(rest, max(count, 0))
    return [list(islice(taken, len(each))) for each in lists]


def _fitting(pairs: Sequence[tuple[Current | _State, int, int, int]], room: int) -> int:
    """How many pairs, of set, item, first and second, find room in so many bytes of one answer: one at least."""
    taken = accumulate(_size(*pair) for pair in pairs)
    return max(min(1, len(pairs)), sum(1 for _ in takewhile(lambda size: size <= room, taken)))


def _size(of_set: Current | _State, item: int, first: int, second: int) -> int:
    """Bytes of the texts of a pair."""
    around = _bytes(of_set.terms.question, of_set.terms.context, of_set.catalogue.items[item][1])
    lengths = of_set.catalogue.lengths[item]
    return around + int(lengths[first]) + int(lengths[second])


def _length(pair: schemas.Assignment) -> int:
    """Bytes of its texts."""
    prompt = pair.item.prompt if pair.item else None
    return _bytes(pair.question, pair.context, prompt, pair.first.text, pair.second.text)


def _bytes(*texts: str | None) -> int:
    return sum(len(text.encode()) for text in texts if text)


def _own(rows: Sequence[Record], counts: Mapping[UUID, int], most: int, judge_id: int, asker: _Asker) -> list[Record]:
    """The asker's live leases among `rows`, no more of each set and of all than were asked for."""
    own = posteriors.by_set([row for row in rows if _is_of(row, judge_id, asker)])
    return list(islice((row for set_id in counts for row in own[set_id][: counts[set_id]]), most))


async def _settle(
    db: AsyncConnection, rows: Sequence[Record], own: Sequence[Record], asker: _Asker
) -> tuple[defaultdict[UUID, list[_Leased]], defaultdict[UUID, list[Record]]]:
    """The asker's leases `own`, handed out again, and the rows that still keep a pair from it; by set."""
    mine = {row.id: row for row in own}
    ended = [row.id for row in rows if row.state == "leased" and row.expired]
    ids = [*mine, *ended]
    settled = {row.id: row for row in await assignments.settle(db, ids, list(mine), asker.lease_seconds)} if ids else {}
    expired = {row.id for row in settled.values() if row.state == "expired"}
    leased: defaultdict[UUID, list[_Leased]] = defaultdict(list)
    for row in mine.values():
        if row.id in settled and row.id not in expired:
            leased[row.set_id].append(_lease_of(row, settled[row.id]))
    return leased, posteriors.by_set([row for row in rows if row.id not in expired])


def _is_of(row: Record, judge_id: int, asker: _Asker) -> bool:
    return bool(row.worker == asker.worker and row.judge_id == judge_id and row.state == "leased" and not row.expired)


async def _missing(ctx: Context, set_id: UUID) -> AppError:
    """Why a set cannot be asked."""
    try:
        async with ctx.engine.connect() as db:
            await existing_set(db, set_id)
    except AppError as error:
        return error
    raise AssertionError(f"set {set_id} was there and was not")


async def _current(
    ctx: Context, db: AsyncConnection, rows: Sequence[Record], *, going_on: bool = False
) -> list[tuple[Current, StopReason | None]]:
    """What is known of the sets, and why no more pairs of each are needed, if so.

    People who check a judge go on when the set's own queue has ended.
    """
    current = await posteriors.current_many(ctx, db, rows)
    reasons = [None for _ in current] if going_on else await _reasons(ctx, current)
    return list(zip(current, reasons, strict=True))


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
    ctx: Context, wanted: Sequence[tuple[_State, int]], most: int, people: People | None = None
) -> list[list[snapshots.Ask]]:
    """So many pairs of each set, or as many as may be asked, until there are `most` of all or WORK is done.

    A set whose turn comes after that gives one pair: with none it would look as if it had none.
    """
    possible = [(state, min(count, _askable(state))) for state, count in wanted]
    steps = min(most, sum(count for _, count in possible))
    quick = snapshots.are_quick((state.snapshot for state, _ in possible), steps)
    return await ctx.live.compute_here_if(quick and people is None, lambda: _pairs_of_each(possible, most, people))


def _pairs_of_each(wanted: Sequence[tuple[_State, int]], most: int, people: People | None) -> list[list[snapshots.Ask]]:
    pairs, work = [], WORK
    for state, count in wanted:
        work_of_one = max(state.snapshot.model.n, 1) ** 2
        pairs.append(_pairs(state, min(count, most, max(work // work_of_one, 1)), people))
        most -= len(pairs[-1])
        work -= len(pairs[-1]) * work_of_one
    return pairs


def _pairs(state: _State, count: int, people: People | None) -> list[snapshots.Ask]:
    if count <= 0:
        return []
    if people is not None:
        return human_checks.ask(state.snapshot, state.blocked, state.terms.plan, people, count)
    return snapshots.ask(state.snapshot, state.catalogue, state.blocked, state.terms.plan, count)


def _askable(state: _State) -> int:
    if state.terms.status != "open" or state.reason or state.snapshot.model.n < 2:
        return 0
    return _left_in_budget(state)


def _left_in_budget(state: _State) -> int:
    if state.terms.max_comparisons is None:
        return 10**9
    return state.terms.max_comparisons - state.snapshot.comparisons.size - state.blocked.leases


def _why_none(state: _State) -> AskStatus:
    if state.terms.status != "open":
        return "paused"
    if state.reason:
        return "converged"
    if _left_in_budget(state) <= 0:
        return "all_leased" if _left_in_budget(state) + state.blocked.leases > 0 else "budget_reached"
    return "all_leased" if state.blocked.leases else "exhausted"


def _reason(status: AskStatus, state: _State) -> StopReason | None:
    return state.reason if status == "converged" else None


async def _lease(
    db: AsyncConnection, chosen: Sequence[tuple[_State, Sequence[snapshots.Ask]]], judge_id: int, asker: _Asker
) -> list[list[_Leased]]:
    new = [_new_leases(state, asks) for state, asks in chosen]
    flat = [lease for of_set in new for lease in of_set]
    if not flat:
        return [[] for _ in new]
    ends = await assignments.lease(db, flat, judge_id, asker.worker, asker.lease_seconds)
    return [[_Leased(x.id, x.item_id, x.first, x.second, x.why, ends, 1) for x in of_set] for of_set in new]


def _new_leases(state: _State, asks: Sequence[snapshots.Ask]) -> list[NewLease]:
    """Within one batch, id order is the order of choice."""
    ids = sorted(uuid4() for _ in asks)
    return [
        NewLease(i, state.id, x.item, x.pair.first, x.pair.second, _why(state.terms, x).model_dump_json())
        for i, x in zip(ids, asks, strict=True)
    ]


def _lease_of(row: Record, settled: Record) -> _Leased:
    return _Leased(
        row.id, row.item_id, row.first, row.second, settled.why, settled.expires_at, settled.generation
    )  # fmt: skip


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
        expires_at=lease.expires_at, generation=lease.generation,
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
    places = _places(shown)
    return await candidates.texts(db, list(places)) if places else {}


def _places(pairs: Iterable[tuple[UUID, int, int, int]]) -> set[Place]:
    return {(set_id, item, who) for set_id, item, first, second in pairs for who in (first, second)}
