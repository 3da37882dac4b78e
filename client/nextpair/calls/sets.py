"""Sets and their candidates."""

from functools import partial

from nextpair.calls.description import PAGE, Call, Id, Listing, get, nothing, path_of, write
from nextpair.schemas import (
    CandidateOut,
    CandidatePage,
    CandidatesAdded,
    CandidatesIn,
    ItemOut,
    ItemPage,
    SetIn,
    SetOut,
    SetPage,
    SetPatch,
)
from nextpair.words import SetStatus


def create_set(new: SetIn) -> Call[SetOut]:
    """Create a set, with or without candidates."""
    return write("POST", path_of("sets"), SetOut.model_validate_json, new)


def list_sets(
    *,
    project: str | None = None,
    status: SetStatus | None = None,
    deleted: bool | None = None,
    after: Id | None = None,
    limit: int | None = None,
) -> Call[SetPage]:
    """Read one page; pass its `next_after` as `after` for the next."""
    behind, parse = None if after is None else str(after), SetPage.model_validate_json
    return get(path_of("sets"), parse, project=project, status=status, deleted=deleted, after=behind, limit=limit)


def all_sets(
    *, project: str | None = None, status: SetStatus | None = None, deleted: bool | None = None
) -> Listing[SetOut]:
    """List sets, oldest first; or only deleted ones that can be restored."""
    page = partial(list_sets, project=project, status=status, deleted=deleted, limit=PAGE)
    return Listing(lambda after: page(after=after), lambda page: page.sets)


def get_set(set_id: Id) -> Call[SetOut]:
    """Read the set as it is now."""
    return get(path_of("sets", set_id), SetOut.model_validate_json)


def patch_set(set_id: Id, changes: SetPatch) -> Call[SetOut]:
    """Change the fields that you pass to `SetPatch`, null included, and no others."""
    return write("PATCH", path_of("sets", set_id), SetOut.model_validate_json, changes)


def delete_set(set_id: Id) -> Call[None]:
    """Delete the set. Later requests for it answer 410; for 30 days it can be restored."""
    return write("DELETE", path_of("sets", set_id), nothing)


def restore_set(set_id: Id) -> Call[SetOut]:
    """Restore a deleted set, as it was."""
    return write("POST", path_of("sets", set_id, "restore"), SetOut.model_validate_json)


def add_candidates(set_id: Id, new: CandidatesIn) -> Call[CandidatesAdded]:
    """Add candidates, or update those with an existing key."""
    return write("POST", path_of("sets", set_id, "candidates"), CandidatesAdded.model_validate_json, new)


def list_candidates(
    set_id: Id, *, key: str | None = None, after: str | None = None, limit: int | None = None
) -> Call[CandidatePage]:
    """Read one page, or with `key` one candidate; pass its `next_after` as `after` for the next page."""
    path = path_of("sets", set_id, "candidates")
    return get(path, CandidatePage.model_validate_json, key=key, after=after, limit=limit)


def all_candidates(set_id: Id) -> Listing[CandidateOut]:
    """List candidates in the order you added them."""
    return Listing(lambda after: list_candidates(set_id, after=after, limit=PAGE), lambda page: page.candidates)


def list_items(set_id: Id, *, after: str | None = None, limit: int | None = None) -> Call[ItemPage]:
    """Read one page; pass its `next_after` as `after` for the next."""
    return get(path_of("sets", set_id, "items"), ItemPage.model_validate_json, after=after, limit=limit)


def all_items(set_id: Id) -> Listing[ItemOut]:
    """List items in the order you added them; none in a set of texts."""
    return Listing(lambda after: list_items(set_id, after=after, limit=PAGE), lambda page: page.items)
