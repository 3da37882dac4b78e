"""Rank-sets of a set: people's verdicts, helped by a judge's on the same pairs of outputs and on more of them."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from nextpair import schemas
from nextpair.words import CovarianceName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.judges import (
    ENOUGH,
    JudgedInstances,
    all_judged,
    by_people,
    judged_instances,
    least_seen,
    prediction_powered,
)
from app.inference.state import Catalogue, Snapshot, pair_votes_of
from app.service import posteriors
from app.service.context import Context, existing_judges, existing_set
from app.service.errors import InvalidRequest, TooFewVerdicts
from app.service.presenting.rank_sets import present_rank_sets
from app.storage import judges

NOBODY = "nobody in this set is known to be human: name people with `reference`, or say who is with PUT /v1/judges/NAME"


class RankSetsQuery(NamedTuple):
    """The rank-sets of a set that are wanted."""

    judge: str
    reference: Sequence[str]  # those of kind human, if empty
    alpha: float
    covariance: CovarianceName


async def read(ctx: Context, set_id: UUID, query: RankSetsQuery) -> schemas.RankSets:
    """Raises UnknownSet, SetDeleted, UnknownJudge, InvalidRequest, TooFewVerdicts."""
    async with ctx.engine.connect() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
        judge, people = await _who(db, snapshot, query.judge, query.reference)
        names = await judges.names(db, people)
    named = query._replace(reference=sorted(names.values()))
    return await ctx.live.compute(_rank_sets, set_id, catalogue, snapshot, judge, people, named)


async def _who(
    db: AsyncConnection, snapshot: Snapshot, judge: str, reference: Sequence[str]
) -> tuple[int, Sequence[int]]:
    """Ids of the judge and of the people. Raises UnknownJudge, InvalidRequest."""
    if judge in reference:
        raise InvalidRequest(f"judge {judge!r} is among the references; the reference is people, the judge is not.")
    known = await existing_judges(db, [judge, *reference])
    people = [known[name] for name in reference] or await judges.of_kind(db, "human")
    present = sorted((set(people) & set(snapshot.evidence.judges.tolist())) - {known[judge]})
    if not present:
        raise InvalidRequest(f"reference: {NOBODY}." if not reference else "reference: they judged nothing here.")
    return known[judge], present


def _rank_sets(
    set_id: UUID, catalogue: Catalogue, snapshot: Snapshot, judge: int, people: Sequence[int], query: RankSetsQuery
) -> schemas.RankSets:
    """Raises TooFewVerdicts."""
    numbers = {judge_id: number for number, judge_id in enumerate(snapshot.evidence.judges.tolist())}
    if judge not in numbers:
        raise TooFewVerdicts(f"{query.judge!r} has no verdict in this set.")
    verdicts = judged_instances(pair_votes_of(snapshot), numbers[judge], [numbers[person] for person in people])
    _require_enough(verdicts, catalogue, query.judge)
    k, alpha, covariance = len(catalogue.keys), query.alpha, query.covariance
    shown, wins = all_judged(verdicts.shown, verdicts.judge, verdicts.more, verdicts.judge_more)
    return present_rank_sets(
        set_id, snapshot.version, catalogue.keys, *query, verdicts,
        helped=prediction_powered(*verdicts, k=k, alpha=alpha, covariance=covariance),
        by_people=by_people(verdicts.shown, verdicts.people, k, alpha, covariance),
        by_judge=by_people(shown, wins, k, alpha, covariance),
    )  # fmt: skip


def _require_enough(verdicts: JudgedInstances, catalogue: Catalogue, judge: str) -> None:
    """Raises TooFewVerdicts."""
    rarest, times = least_seen(verdicts, len(catalogue.keys))
    if times < ENOUGH:
        raise TooFewVerdicts(
            f"Every candidate needs {ENOUGH} pairs of outputs that both {judge!r} and people judged; "
            f"{catalogue.keys[rarest]!r} is in {times}. A person who asks with `rank_sets_with` gets the right pairs."
        )
