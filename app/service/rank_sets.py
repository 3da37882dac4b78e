"""Rank-sets of a set: people's verdicts, helped by judges' on the same pairs of outputs and on more of them."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from nextpair import schemas
from nextpair.words import CovarianceName, SimultaneousName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.judges import (
    ENOUGH,
    JudgedInstances,
    by_people,
    judged_instances,
    least_seen,
    prediction_powered,
    ranked,
    usual_simultaneous,
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

    judges: Sequence[str]
    reference: Sequence[str]  # those of kind human, if empty
    alpha: float
    covariance: CovarianceName
    simultaneous: SimultaneousName | None  # the usual one of the covariance
    lambdas: Sequence[float] | None  # one for each judge


async def read(ctx: Context, set_id: UUID, query: RankSetsQuery) -> schemas.RankSets:
    """Raises UnknownSet, SetDeleted, UnknownJudge, InvalidRequest, TooFewVerdicts."""
    _require_possible(query)
    async with ctx.reading() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
        helpers, people = await _who(db, snapshot, query)
        names = await judges.names(db, people)
    named = query._replace(reference=sorted(names.values()))
    return await ctx.live.compute(_rank_sets, set_id, catalogue, snapshot, helpers, people, named)


def _require_possible(query: RankSetsQuery) -> None:
    """Raises InvalidRequest."""
    for name, times in Counter(query.judges).items():
        if times > 1:
            raise InvalidRequest(f"judge: {name!r} is named {times} times; name each judge once.")
        if name in query.reference:
            raise InvalidRequest(f"judge {name!r} is among the references; the reference is people, the judge is not.")
    if query.lambdas is not None and len(query.lambdas) != len(query.judges):
        raise InvalidRequest(
            f"lambda: {len(query.lambdas)} given, judge: {len(query.judges)}; give one for each judge."
        )


async def _who(db: AsyncConnection, snapshot: Snapshot, query: RankSetsQuery) -> tuple[Sequence[int], Sequence[int]]:
    """Ids of the judges and of the people. Raises UnknownJudge, InvalidRequest."""
    known = await existing_judges(db, [*query.judges, *query.reference])
    helpers = [known[name] for name in query.judges]
    people = [known[name] for name in query.reference] or await judges.of_kind(db, "human")
    present = sorted((set(people) & set(snapshot.evidence.judges.tolist())) - set(helpers))
    if not present:
        raise InvalidRequest("reference: they judged nothing here." if query.reference else f"reference: {NOBODY}.")
    return helpers, present


def _rank_sets(
    set_id: UUID,
    catalogue: Catalogue,
    snapshot: Snapshot,
    helpers: Sequence[int],
    people: Sequence[int],
    query: RankSetsQuery,
) -> schemas.RankSets:
    """Raises TooFewVerdicts."""
    numbers = {judge_id: number for number, judge_id in enumerate(snapshot.evidence.judges.tolist())}
    for name, judge_id in zip(query.judges, helpers, strict=True):
        if judge_id not in numbers:
            raise TooFewVerdicts(f"{name!r} has no verdict in this set.")
    verdicts = judged_instances(
        pair_votes_of(snapshot), [numbers[judge_id] for judge_id in helpers], [numbers[person] for person in people]
    )
    _require_enough(verdicts, catalogue, query.judges)
    names, reference, alpha, covariance, simultaneous, lambdas = query
    k, simultaneous = len(catalogue.keys), simultaneous or usual_simultaneous(covariance)
    estimates = [
        prediction_powered(*verdicts, k=k, covariance=covariance, lambdas=lambdas),
        *(
            by_people(verdicts.shown, wins, k, covariance, verdicts.item)
            for wins in (verdicts.people, *verdicts.judges)
        ),
    ]
    helped, alone, *by_judges = (ranked(estimate, alpha, simultaneous) for estimate in estimates)
    return present_rank_sets(
        set_id, snapshot.version, catalogue.keys, names, reference, alpha, covariance, simultaneous, verdicts,
        helped=helped, by_people=alone, by_judges=by_judges,
    )  # fmt: skip


def _require_enough(verdicts: JudgedInstances, catalogue: Catalogue, names: Sequence[str]) -> None:
    """Raises TooFewVerdicts."""
    k = len(catalogue.keys)
    rarest, times = least_seen(verdicts.shown, verdicts.people, k)
    if times < ENOUGH:
        raise TooFewVerdicts(
            f"Every candidate needs {ENOUGH} pairs of outputs that both {' or '.join(map(repr, names))} and people "
            f"judged; {catalogue.keys[rarest]!r} is in {times}. "
            "A person who asks with `rank_sets_with` gets the right pairs."
        )
    for name, wins in zip(names, verdicts.judges, strict=True):
        rarest, times = least_seen(verdicts.shown, wins, k)
        if times < ENOUGH:
            raise TooFewVerdicts(
                f"Every candidate needs {ENOUGH} pairs of outputs that {name!r} judged; "
                f"{catalogue.keys[rarest]!r} is in {times}. Leave this judge out, or let it judge more."
            )
