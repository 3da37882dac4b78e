"""The inference targets that pairs of sets are chosen for."""

from collections.abc import Collection, Sequence
from typing import cast

import numpy as np
from nextpair.words import MethodName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.choosing import RANKING, Goal, Stop
from app.inference.reporting import judging_of, own_target
from app.inference.state import repeat_correlations_of
from app.live.posteriors import Terms
from app.service.posteriors import CurrentSet
from app.storage import judges


async def aiming(db: AsyncConnection, many: Sequence[CurrentSet]) -> tuple[list[CurrentSet], frozenset[int]]:
    """The sets, whose pairs are chosen for the target that each has now; and the ids of their judges who are people."""
    wanted = {judge for each in many if _aims(each) for judge in each.snapshot.evidence.judges.tolist()}
    people = frozenset(await judges.people(db, sorted(wanted)) if wanted else ())
    return [_aimed(each, people) if _aims(each) else each for each in many], people


def _aims(current: CurrentSet) -> bool:
    return current.terms.inference_target != "latent"


def _aimed(current: CurrentSet, people: Collection[int]) -> CurrentSet:
    snapshot, terms = current.snapshot, current.terms
    judging = judging_of(
        snapshot.comparisons,
        snapshot.log.entries.item,
        snapshot.model.n,
        np.isin(snapshot.evidence.judges, list(people)),
        lambda: repeat_correlations_of(snapshot),
    )
    method = cast("MethodName", snapshot.interpretation.method.expert)
    name = own_target(judging, method, terms.inference_target)
    plan = terms.plan._replace(target=name, goal=_goal_of(terms) if name != "latent" else terms.plan.goal)
    return current._replace(terms=terms._replace(plan=plan))


def _goal_of(terms: Terms) -> Goal:
    """The set's goal; the first k where the set wants the ranking, and stops once it knows them."""
    stop, goal = terms.stop, terms.plan.goal
    if stop is None or goal != RANKING or stop != Stop(top_k=stop.top_k, error_level=stop.error_level):
        return goal
    return Goal(top_k=stop.top_k)
