"""Rank-sets of a set: people's verdicts, helped by judges' on the same pairs of outputs and on more of them."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.analysis.rank_sets import RankSetsRequest, rank_sets
from app.inference.judges import ENOUGH, JudgedInstances, judged_instances, least_seen
from app.inference.state import Snapshot, pair_votes_of
from app.live.catalogue import Catalogue
from app.service import posteriors
from app.service.context import Context, existing_judges, existing_set
from app.service.errors import InvalidRequest, TooFewVerdicts
from app.storage import judges

__all__ = ["RankSetsRequest", "read"]

NOBODY = "no judge of this set is known to be human; name people, or describe them with PUT /v1/judges/NAME"


async def read(ctx: Context, set_id: UUID, request: RankSetsRequest) -> schemas.RankSets:
    """Rank-sets by judges of kind human where no reference is named.

    Raises UnknownSet, SetDeleted, UnknownJudge, InvalidRequest, TooFewVerdicts."""
    _require_possible(request)
    async with ctx.engine.connect() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
        helpers, people = await _who(db, snapshot, request)
        names = await judges.names(db, people)
    named = request._replace(reference=sorted(names.values()))
    return await ctx.live.compute(_rank_sets, set_id, catalogue, snapshot, helpers, people, named)


def _require_possible(request: RankSetsRequest) -> None:
    """Raises InvalidRequest."""
    for name, times in Counter(request.judges).items():
        if times > 1:
            raise InvalidRequest(f"judge: {name!r} occurs {times} times; name each judge once.")
        if name in request.reference:
            raise InvalidRequest(f"judge: {name!r} is also a reference; a reference is a person, a judge is not.")
    if request.lambdas is not None and len(request.lambdas) != len(request.judges):
        raise InvalidRequest(
            f"lambda: there are {len(request.lambdas)} for {len(request.judges)} judges; send one for each judge."
        )


async def _who(
    db: AsyncConnection, snapshot: Snapshot, request: RankSetsRequest
) -> tuple[Sequence[int], Sequence[int]]:
    """Ids of the judges and of the people. Raises UnknownJudge, InvalidRequest."""
    known = await existing_judges(db, [*request.judges, *request.reference])
    helpers = [known[name] for name in request.judges]
    people = [known[name] for name in request.reference] or await judges.of_kind(db, "human")
    present = sorted((set(people) & set(snapshot.evidence.judges.tolist())) - set(helpers))
    if not present:
        raise InvalidRequest(
            "reference: none of these judges has a verdict in this set; name others."
            if request.reference
            else f"reference: {NOBODY}."
        )
    return helpers, present


def _rank_sets(
    set_id: UUID,
    catalogue: Catalogue,
    snapshot: Snapshot,
    helpers: Sequence[int],
    people: Sequence[int],
    request: RankSetsRequest,
) -> schemas.RankSets:
    """Raises TooFewVerdicts."""
    numbers = {judge_id: number for number, judge_id in enumerate(snapshot.evidence.judges.tolist())}
    for name, judge_id in zip(request.judges, helpers, strict=True):
        if judge_id not in numbers:
            raise TooFewVerdicts(
                f"Judge {name!r} has no verdict in this set; let it judge some pairs, or name another."
            )
    verdicts = judged_instances(
        pair_votes_of(snapshot), [numbers[judge_id] for judge_id in helpers], [numbers[person] for person in people]
    )
    _require_enough(verdicts, catalogue, request.judges)
    return rank_sets(verdicts, catalogue.keys, request, set_id, snapshot.version)


def _require_enough(verdicts: JudgedInstances, catalogue: Catalogue, names: Sequence[str]) -> None:
    """Raises TooFewVerdicts."""
    k = len(catalogue.keys)
    rarest, times = least_seen(verdicts.shown, verdicts.people, k)
    if times < ENOUGH:
        raise TooFewVerdicts(
            f"Every candidate needs {ENOUGH} pairs of outputs that both {' or '.join(map(repr, names))} and people "
            f"judged; {catalogue.keys[rarest]!r} is in {times}. "
            "People who ask with `rank_sets_with` get such pairs."
        )
    for name, wins in zip(names, verdicts.judges, strict=True):
        rarest, times = least_seen(verdicts.shown, wins, k)
        if times < ENOUGH:
            raise TooFewVerdicts(
                f"Every candidate needs {ENOUGH} pairs of outputs that {name!r} judged; "
                f"{catalogue.keys[rarest]!r} is in {times}. Leave this judge out, or let it judge more."
            )
