"""Create, list, find by name, change, delete and restore sets."""

from collections.abc import Mapping
from types import NoneType
from typing import Any, get_args
from uuid import UUID, uuid4

from nextpair import schemas
from nextpair.names import normal_name
from nextpair.words import ExpertName, InferenceTargetChoice
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.fitting import Method, build, usual_verdict_weight
from app.inference.reporting import method_obstacle
from app.sentences.inference_targets import obstacle
from app.service import candidates
from app.service.context import Context, existing_set, locked_set
from app.service.errors import FieldFault, InvalidRequest, SetDeleted, UnknownSet
from app.service.goals import refuse_strangers, refuse_unknown
from app.service.limits import refuse_large_text
from app.service.presenting.sets import present_set
from app.storage import sets


async def create(ctx: Context, db: AsyncConnection, new: schemas.SetIn) -> schemas.SetOut:
    """Store a set with its candidates, or nothing. Raises InvalidRequest and what `candidates.store` raises."""
    _refuse_impossible_method(new)
    _refuse_impossible_target(new.inference_target, new.expert)
    _refuse_aimless(new.stop, new.goal)
    if new.candidates:
        refuse_unknown(new.goal, {normal_name(candidate.key) for candidate in new.candidates})
    for field in ("question", "attribute", "context"):
        refuse_large_text(getattr(new, field), f"/{field}", ctx.settings)
    set_id, columns = uuid4(), await _columns(ctx, db, new)
    if new.verdict_weight is None:
        columns["evidence"] = usual_verdict_weight(new.expert, new.prior)
    await sets.add(db, {"id": set_id, "status": "open", **columns})
    warnings: list[str] = []
    if new.candidates or new.items:
        warnings = (await candidates.store(ctx, db, set_id, new.candidates, new.items)).warnings
    return (await get(db, set_id)).model_copy(update={"warnings": warnings})


async def get(db: AsyncConnection, set_id: UUID) -> schemas.SetOut:
    """Raises UnknownSet, SetDeleted."""
    return present_set(await existing_set(db, set_id))


async def page(
    db: AsyncConnection, *, project: str | None, status: str | None, deleted: bool, after: UUID | None, limit: int
) -> schemas.SetPage:
    """Raises UnknownSet (for `after`)."""
    if after is not None and await sets.get(db, after) is None:
        raise UnknownSet(f"after: there is no set {after}; send `next_after` of the previous page.")
    rows, has_more = await sets.page(db, project=project, status=status, deleted=deleted, after=after, limit=limit)
    shown = [present_set(row) for row in rows]
    return schemas.SetPage(sets=shown, next_after=shown[-1].id if has_more else None)


async def projects(db: AsyncConnection) -> list[str]:
    """Projects that have sets, in alphabetical order."""
    return [*await sets.projects(db)]


async def change(ctx: Context, db: AsyncConnection, set_id: UUID, patch: schemas.SetPatch) -> schemas.SetOut:
    """Raises UnknownSet, SetDeleted, InvalidRequest."""
    row = await locked_set(db, set_id)
    _refuse_null(patch)
    if patch.verdict_weight == "learnt":
        _refuse_impossible({"verdict_weight": Method(row.expert, prior=row.prior, verdict_weight="learnt")})
    _refuse_impossible_target(patch.inference_target, row.expert)
    await refuse_strangers(ctx, db, row, patch.goal)
    now = present_set(row)
    _refuse_aimless(patch.stop if "stop" in patch.model_fields_set else now.stop, patch.goal or now.goal)
    if values := await _columns(ctx, db, patch):
        await sets.change(db, set_id, {**values, "revision": sets.next_revision()})
        await sets.announce(db, [set_id])
    return await get(db, set_id)


async def delete(db: AsyncConnection, set_id: UUID) -> schemas.SetOut:
    """The set as it was; from now on it is gone (410) unless it is restored. Raises UnknownSet, SetDeleted."""
    row = await locked_set(db, set_id)
    await sets.delete(db, set_id)
    await sets.announce(db, [set_id])
    return present_set(row)


async def restore(db: AsyncConnection, set_id: UUID) -> schemas.SetOut:
    """Bring a deleted set back as it was; one that is not deleted stays as it is. Raises UnknownSet, SetDeleted."""
    row = await sets.lock(db, set_id)
    if row is not None and row.deleted_at is not None:
        if not await sets.restore(db, set_id):
            raise SetDeleted.at(set_id, row.deleted_at)
        await sets.announce(db, [set_id])
    return await get(db, set_id)


def _refuse_impossible_method(new: schemas.SetIn) -> None:
    method = Method(new.expert, tuple(new.expert_parameters.items()))
    with_prior = method._replace(prior=new.prior)
    as_asked = with_prior._replace(verdict_weight="learnt" if new.verdict_weight == "learnt" else "one-vote")
    _refuse_impossible({"expert_parameters": method, "prior": with_prior, "verdict_weight": as_asked})


def _refuse_impossible(methods: Mapping[str, Method]) -> None:
    """Raises InvalidRequest that names the field whose method cannot be."""
    for field, method in methods.items():
        try:
            build(method, 1)
        except ValueError as error:
            raise InvalidRequest(f"/{field}: {error}", FieldFault(f"/{field}", str(error))) from None


def _refuse_impossible_target(target: InferenceTargetChoice | None, expert: ExpertName) -> None:
    """Raises InvalidRequest where no log of the expert can ever answer it."""
    if target and target != "auto" and (why := method_obstacle(target, expert)):
        fault = obstacle(why, expert)
        raise InvalidRequest(f"/inference_target: {fault}.", FieldFault("/inference_target", fault))


def _refuse_aimless(stop: schemas.Stop | None, goal: schemas.Goal) -> None:
    """Raises InvalidRequest where a set is to stop at its goal and wants the ranking."""
    if stop is not None and stop.goal is not None and goal == schemas.Goal():
        raise InvalidRequest(
            "/stop/goal: the set's goal is the ranking; set goal to top_k, against or pair, or stop at a concordance.",
            FieldFault("/stop/goal", "the set's goal is the ranking"),
        )


def _refuse_null(patch: schemas.SetPatch) -> None:
    """Raises InvalidRequest where a field is to be taken away that every set has."""
    for name, field in schemas.SetOut.model_fields.items():
        is_taken_away = name in patch.model_fields_set and getattr(patch, name) is None
        if is_taken_away and NoneType not in get_args(field.annotation):
            raise InvalidRequest(f"{name} cannot be null; omit it to keep it.", FieldFault(f"/{name}", "null"))


async def _columns(ctx: Context, db: AsyncConnection, request: schemas.SetIn | schemas.SetPatch) -> dict[str, Any]:
    """Column values of the fields that were sent or have a default."""
    partly = isinstance(request, schemas.SetPatch)
    columns = request.model_dump(exclude={"candidates", "items"}, exclude_unset=partly)
    columns |= columns.pop("selection", {})
    if "budget" in columns:
        columns["max_comparisons"] = (columns.pop("budget") or {}).get("max_comparisons")
    if "verdict_weight" in columns:
        columns["evidence"] = columns.pop("verdict_weight")
    for field in ("temperatures", "evidence"):
        if isinstance(by_judge := columns.get(field), dict):
            ids = await ctx.identify(db, set(by_judge))
            columns[field] = {name: [ids[name], value] for name, value in by_judge.items()}
    return columns
