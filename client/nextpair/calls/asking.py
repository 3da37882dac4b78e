"""Pairs to judge, and the leases on them."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from nextpair.calls.description import Call, Id, get, path_of, without_none, write
from nextpair.schemas import (
    Ask,
    AskMany,
    Assignments,
    Goal,
    Held,
    Lease,
    Preview,
    Release,
    Released,
    ReleaseMany,
    Renewal,
    RenewMany,
)


def next_pair(
    set_id: Id,
    *,
    judge: str,
    count: int = 1,
    lease_seconds: float = 600.0,
    wait_seconds: float = 0.0,
    worker: str | None = None,
    goal: Goal | None = None,
    rank_sets_with: str | None = None,
    check_judges: bool = False,
) -> Call[Assignments]:
    """Leases up to `count` pairs to the judge, the live assignments of judge and worker first.

    They are chosen for `goal` instead of the set's own. With `rank_sets_with` a person gets those of that judge's pairs
    that shrink the rank-sets of both most, with `check_judges` those that tell soonest how right each judge is.
    """
    optional = without_none(worker=worker, goal=goal, rank_sets_with=rank_sets_with, check_judges=check_judges or None)
    ask = Ask(judge=judge, count=count, lease_seconds=lease_seconds, wait_seconds=wait_seconds, **optional)
    path = path_of("sets", set_id, "next-pair")
    return write("POST", path, Assignments.model_validate_json, ask, wait=wait_seconds)


def preview_pairs(set_id: Id, *, count: int = 1, goal: Goal | None = None) -> Call[Preview]:
    """The pairs that `next_pair` would choose; leases nothing."""
    wanted = goal.model_dump(exclude_none=True) if goal else {}
    return get(path_of("sets", set_id, "next-pair"), Preview.model_validate_json, count=count, **wanted)


def next_pairs(
    *,
    judge: str,
    count: int,
    lease_seconds: float = 600.0,
    sets: list[UUID] | None = None,
    project: str | None = None,
    worker: str | None = None,
    goal: Goal | None = None,
) -> Call[Assignments]:
    """Leases up to `count` pairs over many sets: all open ones, unless `sets` or `project` narrows them."""
    narrowed = without_none(sets=sets, project=project, worker=worker, goal=goal)
    ask = AskMany(judge=judge, count=count, lease_seconds=lease_seconds, **narrowed)
    return write("POST", path_of("next-pairs"), Assignments.model_validate_json, ask)


def renew(assignment_id: Id, *, lease_seconds: float = 600.0, generation: int | None = None) -> Call[Lease]:
    """Fails with the `generation` that the assignment came with once it was handed out again."""
    body = Renewal(lease_seconds=lease_seconds, **without_none(generation=generation))
    return write("POST", path_of("assignments", assignment_id, "renew"), Lease.model_validate_json, body)


def renew_many(
    assignments: Sequence[UUID], *, lease_seconds: float = 600.0, generations: Mapping[UUID, int] | None = None
) -> Call[Held]:
    """Leaves out of the answer whatever is leased no longer, or is at another than the generation given for it."""
    body = RenewMany(
        assignments=list(assignments), lease_seconds=lease_seconds, **without_none(generations=generations)
    )
    return write("POST", path_of("assignments", "renew"), Held.model_validate_json, body)


def release(assignment_id: Id, *, generation: int | None = None) -> Call[Lease]:
    """Gives the pair back without a verdict."""
    body = None if generation is None else Release(generation=generation)
    return write("POST", path_of("assignments", assignment_id, "release"), Lease.model_validate_json, body)


def release_many(assignments: Sequence[UUID], *, generations: Mapping[UUID, int] | None = None) -> Call[Released]:
    """Leaves as it is whatever is leased no longer, or is at another than the generation given for it."""
    body = ReleaseMany(assignments=list(assignments), **without_none(generations=generations))
    return write("POST", path_of("assignments", "release"), Released.model_validate_json, body)
