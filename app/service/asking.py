"""Asking: which pairs a judge gets.

Pairs come from three sources, in this order: the judge's own live leases, what selection finds in the log and the
leases of everyone else, and whatever is given back within `wait_seconds`. The last is for when others hold all that is
left.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from uuid import UUID

from nextpair import schemas
from nextpair.words import AskStatus
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.state import Checked, HumanCheck
from app.live.posteriors import all_of
from app.service import choosing, leases, posteriors, turns
from app.service.choosing import AskState
from app.service.context import Context, ExhaustedSet, existing_judges, existing_set
from app.service.decisions import decide
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

POLL_SECONDS = 5.0  # a lease that expires sends no notice
MOST_EXHAUSTED = 100_000  # sets that are known to have nothing to give: 30 MB
MOST_LEASED = 50_000  # assignments whose set is known: 12 MB


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
