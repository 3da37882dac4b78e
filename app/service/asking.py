"""Asking: which pairs a judge gets, of one set or spread over many; `ask_together` is the way of both.

Pairs come from three sources, in this order: the judge's own live leases, what selection finds in the log and the
leases of everyone else, and, where one set is asked, whatever is given back within `wait_seconds`. The last is for when
others hold all that is left. Many sets are asked together, some at a time.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from uuid import UUID

from nextpair import schemas
from nextpair.words import AskStatus
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.state import Checked, HumanCheck
from app.live.posteriors import all_of
from app.service import choosing, leases, posteriors, turns
from app.service.choosing import AskState
from app.service.context import Context, ExhaustedSet, existing_judges, existing_set, existing_sets
from app.service.decisions import decide
from app.service.errors import AppError, Busy
from app.service.goals import wanting
from app.service.grouping import by_set
from app.service.leases import NOBODY, Asker, PairLease, Place, Texts
from app.service.posteriors import CurrentSet
from app.service.presenting import assignments as presenting
from app.service.presenting.assignments import fitting, present_assignments, present_preview
from app.service.turns import patiently
from app.storage import assignments, candidates, judges, sets
from app.storage.assignments import NewLease
from app.storage.driver import give_up
from app.storage.failures import FAILURES, is_busy

log = logging.getLogger("nextpair")
POLL_SECONDS = 5.0  # a lease that expires sends no notice
MOST_EXHAUSTED = 100_000  # sets that are known to have nothing to give: 30 MB
MOST_LEASED = 50_000  # assignments whose set is known: 12 MB
# Sets in one transaction. Other asks of these wait for its end: some tenths of a second, if all must first be read from
# their logs. A worker's usual batch, a pair or a few of each of a hundred sets, is one transaction.
SETS_AT_ONCE = 128


async def ask(ctx: Context, set_id: UUID, request: schemas.Ask) -> schemas.Assignments:
    """Raises UnknownSet, SetDeleted, UnknownJudge, InvalidRequest."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + request.wait_seconds
    topic = ctx.notices.about(set_id)
    while True:
        seen = topic.notices
        answers = await ask_together(ctx, request, {set_id: request.count}, request.count, presenting.LARGEST_ANSWER)
        if set_id not in answers:
            async with ctx.reading() as db:
                await existing_set(db, set_id)
            raise AssertionError(f"set {set_id} was there and was not")
        answer, left = answers[set_id], deadline - clock()
        if answer.status != "all_leased" or answer.assignments or left <= 0 or ctx.notices.closed:
            return answer
        with ctx.asks.resting():
            await topic.wait(seen, min(left, POLL_SECONDS))


async def preview(
    ctx: Context, db: AsyncConnection, set_id: UUID, count: int, goal: schemas.Goal | None = None
) -> schemas.Preview:
    """Choose pairs as an ask would, and lease none. Raises UnknownSet, SetDeleted, InvalidRequest."""
    state = await _as_anybody(ctx, db, set_id, count, goal)
    chosen = await choosing.choose(ctx, [state], count, None)
    pairs = fitting(chosen, {set_id: state.current}, presenting.LARGEST_ANSWER)
    answer = await choosing.status_and_reason(ctx, state, has_pairs=bool(pairs))
    return present_preview(state.current, pairs, await _texts(db, pairs), answer)


async def status(ctx: Context, db: AsyncConnection, set_id: UUID) -> AskStatus:
    """The word that an ask would be answered with; no pair is chosen for it. Raises UnknownSet, SetDeleted."""
    state = await _as_anybody(ctx, db, set_id, 1)
    has_pairs = await ctx.live.compute(choosing.has_pairs, state)
    return choosing.status_of(state, has_pairs=has_pairs)


async def _as_anybody(
    ctx: Context, db: AsyncConnection, set_id: UUID, count: int, goal: schemas.Goal | None = None
) -> AskState:
    """The set as an ask by any of its judges so far decides on it. Raises UnknownSet, SetDeleted, InvalidRequest."""
    row = await existing_set(db, set_id)
    rows = [row for row in await assignments.blocking(db, [set_id], NOBODY) if not row.expired]
    ((current, checked),) = await decide(ctx, db, await posteriors.current_many(ctx, db, [row]))
    current = wanting(current, goal)
    judges_so_far = current.snapshot.evidence.judges.tolist()
    are_people = await _are_people(db, [current], judges_so_far)
    return AskState(current, checked, choosing.blocked(rows), count, judges_so_far, are_people, count)


async def ask_together(
    ctx: Context, request: schemas.Ask | schemas.AskMany, counts: Mapping[UUID, int], most: int, space: int
) -> dict[UUID, schemas.Assignments]:
    """Lease so many pairs of each set and `most` of all, in this order, with every other ask on these sets held back.

    Fewer where their texts take more than `space` bytes, but at least one if there is any. Deleted sets are left out.
    """
    ids = sorted(counts)
    held_back = all_of(ctx.live.get(set_id).asking for set_id in ids)
    async with (
        patiently(held_back, ctx.asks.turn(), patience=turns.PATIENCE_OF_ASKS),
        ctx.writing(sets.lock_of_asking(ids)) as db,
    ):
        asker = await _asker(ctx, db, request)
        is_about_many = isinstance(request, schemas.AskMany)
        states, own = await _load(ctx, db, asker, request.goal, counts, most, space, is_about_many=is_about_many)
        chosen = await choosing.choose(ctx, states, most - len(own), asker.checks)
        new = fitting(chosen, {state.current.id: state.current for state in states}, space, behind=own)
        leased, texts = await leases.lease(db, new, asker)
        if not states:
            await give_up(db)  # a new judge who asks of sets that are gone leaves no trace
    _note_leased(ctx, [*own, *leased])
    for set_id in counts.keys() - {state.current.id for state in states}:
        ctx.live.forget(set_id)
    answers = await _present(ctx, states, [*own, *leased], texts, asker.judge)
    if len(own) + len(chosen) < most and asker.checks is None and request.goal is None:
        _note_exhausted(ctx, states, {*by_set(own), *by_set(chosen)}, answers, asker.judge)
    return answers


async def _asker(ctx: Context, db: AsyncConnection, request: schemas.Ask | schemas.AskMany) -> Asker:
    """Raises UnknownJudge."""
    judge_id, worker = await ctx.judge_id(db, request.judge), request.worker or ""
    if not isinstance(request, schemas.Ask) or not (request.rank_sets_with or request.check_judges):
        return Asker(request.judge, judge_id, worker, request.lease_seconds, None)
    name = request.rank_sets_with
    checked = (await existing_judges(db, [name]))[name] if name else None
    people = frozenset({judge_id, *await judges.of_kind(db, "human")} - {checked})
    return Asker(request.judge, judge_id, worker, request.lease_seconds, HumanCheck(checked, people))


async def _load(
    ctx: Context,
    db: AsyncConnection,
    asker: Asker,
    goal: schemas.Goal | None,
    counts: Mapping[UUID, int],
    most: int,
    space: int,
    *,
    is_about_many: bool,
) -> tuple[list[AskState], list[PairLease]]:
    """The sets as an ask decides on them, and the asker's own leases, handed out again as far as they find space."""
    heads, rows = await assignments.heads_and_blocking(db, list(counts), asker.judge_id)
    many = await decide(ctx, db, await posteriors.current_many(ctx, db, heads))
    # People who check a judge go on when the set's own queue has ended.
    checked = {each.id: of_set if asker.checks is None else Checked(None) for each, of_set in many}
    current = {each.id: wanting(each, goal, is_about_many=is_about_many) for each, _ in many}
    own_rows = leases.own_rows(rows, counts, most, asker)
    # Before they are handed out: one that finds no space stays as its holder knows it.
    fitting_rows = fitting(own_rows, current, space)
    own, rows = await leases.hand_out_again(db, rows, fitting_rows, asker)
    lacking, blocking = Counter(counts), by_set(rows)
    lacking.subtract(lease.set_id for lease in own)
    if len(fitting_rows) < len(own_rows):
        lacking.clear()
    are_people = await _are_people(db, current.values(), [asker.judge_id])
    holding = {lease.set_id for lease in own}
    is_person = asker.checks is not None or are_people.get(asker.judge_id, False)
    states = list[AskState]()
    for i in (i for i in counts if i in current):
        blocked = choosing.blocked(blocking[i])
        at_once = choosing.most_at_once(current[i], blocked.leases, is_person=is_person, holds_some=i in holding)
        states.append(AskState(current[i], checked[i], blocked, lacking[i], [asker.judge_id], are_people, at_once))
    return states, own


async def _are_people(db: AsyncConnection, current: Iterable[CurrentSet], ids: Sequence[int]) -> dict[int, bool]:
    """Tell which judges are people, where one of the sets is to stop: so it depends whether they are asked again."""
    if not any(each.terms.stop for each in current):
        return {}
    people = await judges.people(db, ids)
    return {judge_id: judge_id in people for judge_id in ids}


def _note_exhausted(
    ctx: Context,
    states: Sequence[AskState],
    giving: AbstractSet[UUID],
    answers: Mapping[UUID, schemas.Assignments],
    judge: str,
) -> None:
    """Remember which sets, of those not `giving`, have nothing to give even if all leases come back.

    A set that cannot converge by this judge may by another, and pairs that overlap wait for others; else a set has
    nothing whoever asks.
    """
    for state in states:
        set_id, terms, catalogue, snapshot = state.current
        status, reason = answers[set_id].status, answers[set_id].reason
        may_be_blocked = status in ("exhausted", "cannot_converge") and state.blocked.item.size > 0
        if state.lacking > 0 and set_id not in giving and status != "all_leased" and not may_be_blocked:
            only_here = status == "cannot_converge" or terms.plan.overlap is not None
            by = judge if only_here else None
            ctx.exhausted[set_id, by] = ExhaustedSet(catalogue.revision, snapshot.version, status, reason)
    while len(ctx.exhausted) > MOST_EXHAUSTED:
        del ctx.exhausted[next(iter(ctx.exhausted))]


def _note_leased(ctx: Context, leased: Sequence[PairLease]) -> None:
    """Remember whose pairs these are: their verdicts will ask."""
    ctx.set_of.update({lease.id: lease.set_id for lease in leased})
    while len(ctx.set_of) > MOST_LEASED:
        del ctx.set_of[next(iter(ctx.set_of))]


async def _present(
    ctx: Context, states: Sequence[AskState], leased: Sequence[PairLease], texts: Texts, judge: str
) -> dict[UUID, schemas.Assignments]:
    """The answer of each set. Texts that are lacking are read after the transaction: leased, they do not change."""
    if lacking := [pair for pair in leased if not _places(pair) <= texts.keys()]:
        async with ctx.reading() as db:
            texts = {**texts, **await _texts(db, lacking)}
    answers, by_id = {}, by_set(leased)
    for state in states:
        theirs = by_id[state.current.id]
        answer = await choosing.status_and_reason(ctx, state, has_pairs=bool(theirs))
        answers[state.current.id] = present_assignments(state.current, theirs, texts, judge, answer)
    return answers


async def _texts(db: AsyncConnection, pairs: Sequence[PairLease | NewLease]) -> Texts:
    places = set[Place]().union(*map(_places, pairs))
    return await candidates.texts(db, list(places)) if places else {}


def _places(pair: PairLease | NewLease) -> set[Place]:
    return {(pair.set_id, pair.item_id, pair.first), (pair.set_id, pair.item_id, pair.second)}


# Over many sets


@dataclass
class _Collected:
    """All that the sets have given so far."""

    left: int  # pairs that are still wanted
    statuses: set[AskStatus]
    reasons: set[str | None]
    pairs: dict[UUID, list[schemas.Assignment]] = field(default_factory=dict)  # by set
    obstacle: Exception | None = None  # others held a set for too long
    left_out: list[UUID] = field(default_factory=list)  # sets on which asking failed


async def ask_many(ctx: Context, request: schemas.AskMany) -> schemas.Assignments:
    """Spread `count` pairs over the sets: those where the asker holds leases first, then those with the least progress.

    Sets that cannot give their share leave it to those behind them, and then to those that could. What is leased stays
    so when the asker goes away in between: asking again brings it back.
    Sets that others hold for too long are passed over with those asked together with them, and so is a set that is
    deleted meanwhile. A set on which asking fails is left out and named; it keeps no other from giving its pairs.
    Raises UnknownSet, SetDeleted for a set that the request names, Busy where no set gave a pair and some were held.
    """
    queue, known = await _queue(ctx, request)
    collected = _Collected(request.count, {each.status for each in known}, {each.reason for each in known})
    while collected.left and queue:
        queue = dict.fromkeys(await _ask_each(ctx, request, queue, collected), 0)
    pairs = [pair for of_set in collected.pairs.values() for pair in of_set]
    if collected.obstacle and not pairs:
        raise collected.obstacle
    status = _status_of_many(bool(pairs), collected.statuses)
    reason = collected.reasons.pop() if len(collected.reasons) == 1 and not pairs else None
    return schemas.Assignments(status=status, reason=reason, assignments=pairs, left_out=collected.left_out)


async def _queue(ctx: Context, request: schemas.AskMany) -> tuple[dict[UUID, int], list[ExhaustedSet]]:
    """The sets in turn, each with the number of leases that the asker holds there; and those that are left out."""
    async with ctx.reading() as db:
        await existing_sets(db, request.sets or ())
        rows = await sets.queue(
            db, judge=request.judge, worker=request.worker or "", project=request.project, ids=request.sets
        )
    queue: dict[UUID, int] = {}
    left_out: list[ExhaustedSet] = []
    for row in rows:
        known = (ctx.exhausted.get((row.id, judge)) for judge in (None, request.judge))
        exhausted = next((each for each in known if each and each[:2] == (row.revision, row.version)), None)
        if exhausted and not row.leases:
            left_out.append(exhausted)
        else:
            queue[row.id] = int(row.leases)
    return queue, left_out


async def _ask_each(
    ctx: Context, request: schemas.AskMany, queue: Mapping[UUID, int], collected: _Collected
) -> list[UUID]:
    """Ask all sets of the queue for their shares; returns those that gave them in full and may have more."""
    generous: list[UUID] = []
    reach = 1
    while collected.left and queue:
        shares = _shares(collected.left, queue, reach)
        full = await _ask_some(ctx, request, shares, collected)
        queue = {set_id: own for set_id, own in queue.items() if set_id not in shares}
        reach = 2 * (len(shares) - len(full))
        generous += full
    return generous


def _shares(count: int, queue: Mapping[UUID, int], reach: int) -> dict[UUID, int]:
    """The share of `count` pairs that each set gives: an even part of what is left, or what the asker holds there.

    Up to SETS_AT_ONCE of the queue. Where the count ends before `reach` sets, the others stand by for one pair each.
    """
    shares: dict[UUID, int] = {}
    for place, (set_id, own) in enumerate(queue.items()):
        if place == SETS_AT_ONCE or (not count and place >= reach):
            break
        shares[set_id] = min(max(count, 1), max(own, -(-count // (len(queue) - place)), 1))
        count -= min(shares[set_id], count)
    return shares


async def _ask_some(
    ctx: Context, request: schemas.AskMany, shares: Mapping[UUID, int], collected: _Collected
) -> list[UUID]:
    """Ask these sets together for so many pairs more; returns those that gave them in full."""
    earlier = {set_id: len(collected.pairs.get(set_id, ())) for set_id in shares}
    counts = {set_id: earlier[set_id] + share for set_id, share in shares.items()}
    others = [pair for set_id, pairs in collected.pairs.items() if set_id not in shares for pair in pairs]
    most, space = request.count - len(others), presenting.LARGEST_ANSWER - sum(map(presenting.size_of, others))
    try:
        answers = await ask_together(ctx, request, counts, most, space)
    except (Busy, *FAILURES) as error:
        if not isinstance(error, Busy) and not is_busy(error):
            raise
        collected.obstacle = error
        return []
    except AppError:
        raise
    except Exception:
        return await _ask_apart(ctx, request, shares, collected)
    collected.statuses |= {answer.status for answer in answers.values()}
    collected.reasons |= {answer.reason for answer in answers.values()}
    collected.pairs |= {set_id: answer.assignments for set_id, answer in answers.items()}
    is_full = sum(presenting.size_of(pair) for answer in answers.values() for pair in answer.assignments) >= space
    collected.left = 0 if is_full else request.count - sum(map(len, collected.pairs.values()))
    return [set_id for set_id, answer in answers.items() if len(answer.assignments) == counts[set_id]]


async def _ask_apart(
    ctx: Context, request: schemas.AskMany, shares: Mapping[UUID, int], collected: _Collected
) -> list[UUID]:
    """Ask either half of sets one of which failed, until that one is found, and leave it out."""
    if len(shares) == 1:
        (set_id,) = shares
        log.exception("asking of set %s failed: it is left out of an ask over many sets", set_id)
        collected.left_out.append(set_id)
        return []
    each, half = list(shares.items()), len(shares) // 2
    full = [await _ask_some(ctx, request, dict(part), collected) for part in (each[:half], each[half:])]
    return [*full[0], *full[1]]


def _status_of_many(has_pairs: bool, statuses: set[AskStatus]) -> AskStatus:
    if has_pairs:
        return "open"
    if len(statuses) == 1:
        return statuses.pop()
    return "all_leased" if "all_leased" in statuses else "exhausted"
