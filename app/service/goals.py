"""Goals of requests: whether the set has their candidates, and what one ask wants instead of its set's goal."""

from collections.abc import Container

from nextpair import schemas
from sqlalchemy.ext.asyncio import AsyncConnection

from app.service.context import Context
from app.service.definitions import catalogue_of, numbered
from app.service.errors import FieldFault, InvalidRequest
from app.service.posteriors import CurrentSet
from app.storage.schema import Record


async def refuse_strangers(ctx: Context, db: AsyncConnection, row: Record, goal: schemas.Goal | None) -> None:
    """Raises InvalidRequest where the goal names none of the candidates of this set, which has some."""
    if goal is not None and goal.candidates and row.candidates:
        refuse_unknown(goal, (await catalogue_of(ctx, db, row)).ids)


def refuse_unknown(goal: schemas.Goal, keys: Container[str]) -> None:
    """Raises InvalidRequest where the goal names a candidate without one of these keys."""
    field = "against" if goal.pair is None else "pair"
    for key in goal.candidates:
        if key not in keys:
            raise InvalidRequest(
                f"/goal/{field}: the set has no candidate {key!r}; add it first, or check its spelling.",
                FieldFault(f"/goal/{field}", f"unknown candidate {key!r}"),
            )


def wanting(current: CurrentSet, goal: schemas.Goal | None, *, is_about_many: bool = False) -> CurrentSet:
    """The set as an ask with this goal sees it, or one of many sets: as it is where it lacks a candidate of the goal.

    Raises InvalidRequest where the goal of one set names none of its candidates.
    """
    ids = current.catalogue.ids
    if goal is None:
        return current
    if not set(goal.candidates) <= set(ids):
        if is_about_many or not ids:
            return current
        refuse_unknown(goal, ids)
    plan = current.terms.plan._replace(goal=numbered(goal, ids))
    return current._replace(terms=current.terms._replace(plan=plan))
