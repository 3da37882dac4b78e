"""Rank-sets of a set: people's verdicts, helped by a judge's on the same pairs of outputs and on more of them."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import CovarianceName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.judges import people_and_judge as battle
from app.inference.judges import rank_sets
from app.inference.judges.people_and_judge import JudgedInstances, judged_instances
from app.inference.state import snapshot as snapshots
from app.inference.state.snapshot import Catalogue, Snapshot
from app.service import posteriors
from app.service.context import Context, existing_set
from app.service.errors import InvalidRequest, TooFewVerdicts, UnknownJudge
from app.storage import judges

NOBODY = "nobody in this set is known to be human: name people with `reference`, or say who is with PUT /v1/judges/NAME"


class Asked(NamedTuple):
    judge: str
    reference: Sequence[str]  # those of kind human, if empty
    alpha: float
    covariance: CovarianceName


async def read(ctx: Context, set_id: UUID, asked: Asked) -> schemas.RankSets:
    """Raises UnknownSet, SetDeleted, UnknownJudge, InvalidRequest, TooFewVerdicts."""
    async with ctx.engine.connect() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
        judge, people = await who(db, snapshot, asked.judge, asked.reference)
        names = await judges.names(db, people)
    named = asked._replace(reference=sorted(names.values()))
    return await ctx.live.compute(_rank_sets, set_id, catalogue, snapshot, judge, people, named)


async def who(
    db: AsyncConnection, snapshot: Snapshot, judge: str, reference: Sequence[str]
) -> tuple[int, Sequence[int]]:
    """Ids of the judge and of the people. Raises UnknownJudge, InvalidRequest."""
    if judge in reference:
        raise InvalidRequest(f"judge {judge!r} is among the references; the reference is people, the judge is not.")
    known = await judges.find(db, [judge, *reference])
    if missing := [name for name in (judge, *reference) if name not in known]:
        raise UnknownJudge(f"There is no judge {missing[0]!r}; a judge appears with its first verdict.")
    people = [known[name] for name in reference] or await judges.of_kind(db, "human")
    here = sorted((set(people) & set(snapshot.evidence.judges.tolist())) - {known[judge]})
    if not here:
        raise InvalidRequest(f"reference: {NOBODY}." if not reference else "reference: they judged nothing here.")
    return known[judge], here


def _rank_sets(
    set_id: UUID, catalogue: Catalogue, snapshot: Snapshot, judge: int, people: Sequence[int], asked: Asked
) -> schemas.RankSets:
    numbers = {who: number for number, who in enumerate(snapshot.evidence.judges.tolist())}
    if judge not in numbers:
        raise TooFewVerdicts(f"{asked.judge!r} has no verdict in this set.")
    said = judged_instances(snapshots.pair_votes_of(snapshot), numbers[judge], [numbers[person] for person in people])
    _require(said, catalogue, asked)
    k, alpha, covariance = len(catalogue.keys), asked.alpha, asked.covariance
    helped = battle.helped(said, k, alpha, covariance)
    alone = rank_sets.by_people(said.shown, said.people, k, alpha, covariance)
    everything = rank_sets.by_judge(said.shown, said.judge, said.more, said.judge_more)
    trusting = rank_sets.by_people(*everything, k, alpha, covariance)
    return schemas.RankSets(
        set_id=set_id,
        version=snapshot.version,
        alpha=alpha,
        covariance=covariance,
        reference=list(asked.reference),
        judge=asked.judge,
        tuned_lambda=helped.tuned,
        instances_by_both=said.shown.size,
        instances_by_judge=said.more.size,
        pairs_unseen=k * (k - 1) // 2 - len(np.unique(rank_sets.pairs(said.shown, k))),
        people_saved=rank_sets.saved(alone, helped, said.shown.size) if covariance == "sandwich" else None,
        systems=[
            schemas.SystemRankSet(
                key=catalogue.keys[m], by_people=_present(alone, m), by_judge=_present(trusting, m),
                **_present(helped, m).model_dump(),
            )
            for m in np.argsort(-helped.theta, kind="stable")
        ],
    )  # fmt: skip


def _present(found: rank_sets.RankSets, m: int) -> schemas.RankSet:
    best, worst = (int(rank) for rank in found.ranks[m])
    return schemas.RankSet(theta=float(found.theta[m]), sd=float(np.sqrt(found.covariance[m, m])), ranks=(best, worst))


def _require(said: JudgedInstances, catalogue: Catalogue, asked: Asked) -> None:
    """Raises TooFewVerdicts."""
    short, seen = battle.fewest(said, len(catalogue.keys))
    if seen < battle.ENOUGH:
        raise TooFewVerdicts(
            f"Every candidate needs {battle.ENOUGH} pairs of outputs that both {asked.judge!r} and people judged; "
            f"{catalogue.keys[short]!r} is in {seen}. A person who asks with `rank_sets_with` gets the right pairs."
        )
