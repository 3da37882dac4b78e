"""Pairs to judge, and the leases on them."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from nextpair import schemas
from nextpair.calls.description import Call, Id, get, path_of, without_none, write


def next_pair(
    set_id: Id,
    *,
    judge: str,
    count: int = 1,
    lease_seconds: float = 600.0,
    wait_seconds: float = 0.0,
    worker: str | None = None,
    goal: schemas.Goal | None = None,
    rank_sets_with: str | None = None,
    check_judges: bool = False,
) -> Call[schemas.Assignments]:
    """Lease up to `count` pairs to the judge. Pairs that judge and worker hold already come first.

    `goal` replaces the set's own goal. With `rank_sets_with`, a person gets that judge's pairs that shrink the
    rank-sets of both most. With `check_judges`, a person gets pairs that tell the most about the judges' accuracy.
    """
    optional = without_none(worker=worker, goal=goal, rank_sets_with=rank_sets_with, check_judges=check_judges or None)
    ask = schemas.Ask(judge=judge, count=count, lease_seconds=lease_seconds, wait_seconds=wait_seconds, **optional)
    path = path_of("sets", set_id, "next-pair")
    return write("POST", path, schemas.Assignments, ask, wait=wait_seconds)


def preview_pairs(set_id: Id, *, count: int = 1, goal: schemas.Goal | None = None) -> Call[schemas.Preview]:
    """Preview the pairs that `next_pair` would choose, without leasing them."""
    wanted = goal.model_dump(exclude_none=True) if goal else {}
    return get(path_of("sets", set_id, "next-pair"), schemas.Preview, count=count, **wanted)


def next_pairs(
    *,
    judge: str,
    count: int,
    lease_seconds: float = 600.0,
    sets: list[UUID] | None = None,
    project: str | None = None,
    worker: str | None = None,
    goal: schemas.Goal | None = None,
) -> Call[schemas.Assignments]:
    """Lease up to `count` pairs over many sets: all open ones, or those of `sets` or `project`."""
    narrowed = without_none(sets=sets, project=project, worker=worker, goal=goal)
    ask = schemas.AskMany(judge=judge, count=count, lease_seconds=lease_seconds, **narrowed)
    return write("POST", path_of("next-pairs"), schemas.Assignments, ask)


def renew(assignment_id: Id, *, lease_seconds: float = 600.0, generation: int | None = None) -> Call[schemas.Lease]:
    """Renew a lease. With the assignment's `generation`, this fails once the pair was handed out again."""
    body = schemas.Renewal(lease_seconds=lease_seconds, **without_none(generation=generation))
    return write("POST", path_of("assignments", assignment_id, "renew"), schemas.Lease, body)


def renew_many(
    assignments: Sequence[UUID], *, lease_seconds: float = 600.0, generations: Mapping[UUID, int] | None = None
) -> Call[schemas.Held]:
    """Renew many leases. The answer omits those that ended, or have another generation than you give."""
    body = schemas.RenewMany(
        assignments=list(assignments), lease_seconds=lease_seconds, **without_none(generations=generations)
    )
    return write("POST", path_of("assignments", "renew"), schemas.Held, body)


def release(assignment_id: Id, *, generation: int | None = None) -> Call[schemas.Lease]:
    """Release the pair without a verdict."""
    body = None if generation is None else schemas.Release(generation=generation)
    return write("POST", path_of("assignments", assignment_id, "release"), schemas.Lease, body)


def release_many(
    assignments: Sequence[UUID], *, generations: Mapping[UUID, int] | None = None
) -> Call[schemas.Released]:
    """Release many pairs. Those whose lease ended, or that have another generation than you give, stay as they are."""
    body = schemas.ReleaseMany(assignments=list(assignments), **without_none(generations=generations))
    return write("POST", path_of("assignments", "release"), schemas.Released, body)
