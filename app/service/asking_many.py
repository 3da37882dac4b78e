"""Asking over many sets: how the pairs of one ask are spread over them, some sets at a time."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from nextpair import schemas
from nextpair.words import AskStatus

from app.service.asking import ask_together
from app.service.context import Context, ExhaustedSet, existing_sets
from app.service.errors import AppError, Busy
from app.service.presenting import assignments as presenting
from app.storage import sets
from app.storage.failures import FAILURES, is_busy

log = logging.getLogger("nextpair")
# Sets in one transaction. Other asks of these wait for its end: some tenths of a second, if all must first be read from
# their logs. A worker's usual batch, a pair or a few of each of a hundred sets, is one transaction.
SETS_AT_ONCE = 128


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
        queue = {set_id: leases for set_id, leases in queue.items() if set_id not in shares}
        reach = 2 * (len(shares) - len(full))
        generous += full
    return generous


def _shares(count: int, queue: Mapping[UUID, int], reach: int) -> dict[UUID, int]:
    """The share of `count` pairs that each set gives: an even part of what is left, or what the asker holds there.

    Up to SETS_AT_ONCE of the queue. Where the count ends before `reach` sets, the others stand by for one pair each.
    """
    shares: dict[UUID, int] = {}
    for place, (set_id, leases) in enumerate(queue.items()):
        if place == SETS_AT_ONCE or (not count and place >= reach):
            break
        shares[set_id] = min(max(count, 1), max(leases, -(-count // (len(queue) - place)), 1))
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
