"""The inference target of a set's ranking, and the quantity that is ranked for it."""

from collections.abc import Collection, Sequence
from typing import cast

import numpy as np
from nextpair.words import InferenceTargetName, MethodName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.choosing import RANKING, Goal, Stop
from app.inference.fitting import Published
from app.inference.reporting import Target, judged_of, judging_of, own_target, resolve
from app.inference.state import Sought, repeat_correlations_of
from app.inference.state import quantity as quantity_at
from app.inference.targets import Quantity
from app.live.posteriors import Terms
from app.service.basis import Basis
from app.service.errors import InvalidRequest
from app.service.posteriors import CurrentSet
from app.storage import judges

PEOPLE_HELP = (
    "Models have preferences of their own, so more of their verdicts tell little of what people would say: "
    "have people judge."
)


def target_of(basis: Basis, wanted: InferenceTargetName | None = None, method: MethodName | None = None) -> Target:
    """The target of a ranking by this method, the set's own by default.

    Raises InvalidRequest where `wanted` cannot be answered.
    """
    row, snapshot = basis.row, basis.snapshot
    numbered = snapshot.evidence.judges
    judged = judged_of(
        snapshot.comparisons,
        snapshot.log.entries.item,
        basis.catalogue.has,
        [basis.names[judge] for judge in numbered.tolist()],
        np.isin(numbered, list(basis.people)),
        lambda: repeat_correlations_of(snapshot),
        row.items,
    )
    try:
        return resolve(judged, method or row.expert, row.inference_target, wanted)
    except ValueError as error:
        raise InvalidRequest(f"inference_target: {error}.") from None


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


def sought_of(basis: Basis, name: InferenceTargetName) -> Sought:
    """What a ranking with this target is certain about."""
    return Sought(name, basis.catalogue.has, basis.people)


def quantity(basis: Basis, published: Published, target: Target) -> Quantity:
    """What is ranked for this target. Raises InvalidRequest where this posterior cannot answer it."""
    try:
        return quantity_at(basis.snapshot, published, sought_of(basis, target.name))
    except ValueError as error:
        raise InvalidRequest(f"inference_target: {error}.") from None
