"""Sets, their candidates and tables of these; projects of sets; estimates of sets that are not made yet."""

from collections.abc import Mapping, Sequence
from functools import partial

from nextpair import schemas
from nextpair.calls.description import PAGE, Call, Id, Listing, get, nothing, path_of, without_none, write, write_once
from nextpair.words import EstimatedGoal, JudgeKind, ScaleName, SetStatus


def create_set(new: schemas.SetIn) -> Call[schemas.SetOut]:
    """Create a set, with or without candidates."""
    return write("POST", path_of("sets"), schemas.SetOut, new)


def list_sets(
    *,
    project: str | None = None,
    status: SetStatus | None = None,
    deleted: bool | None = None,
    after: Id | None = None,
    limit: int | None = None,
) -> Call[schemas.SetPage]:
    """Read one page; pass its `next_after` as `after` for the next."""
    behind, parse = None if after is None else str(after), schemas.SetPage
    return get(path_of("sets"), parse, project=project, status=status, deleted=deleted, after=behind, limit=limit)


def all_sets(
    *, project: str | None = None, status: SetStatus | None = None, deleted: bool | None = None
) -> Listing[schemas.SetOut]:
    """List sets, oldest first; or only deleted ones that can be restored."""
    page = partial(list_sets, project=project, status=status, deleted=deleted, limit=PAGE)
    return Listing(lambda after: page(after=after), lambda page: page.sets)


def get_set(set_id: Id) -> Call[schemas.SetOut]:
    """Read the set as it is now."""
    return get(path_of("sets", set_id), schemas.SetOut)


def patch_set(set_id: Id, changes: schemas.SetPatch) -> Call[schemas.SetOut]:
    """Change the fields that you pass to `SetPatch`, null included, and no others."""
    return write("PATCH", path_of("sets", set_id), schemas.SetOut, changes)


def delete_set(set_id: Id) -> Call[None]:
    """Delete the set. Later requests for it answer 410; for 30 days it can be restored."""
    return write_once("DELETE", path_of("sets", set_id), nothing)


def restore_set(set_id: Id) -> Call[schemas.SetOut]:
    """Restore a deleted set, as it was."""
    return write("POST", path_of("sets", set_id, "restore"), schemas.SetOut)


def add_candidates(set_id: Id, new: schemas.CandidatesIn) -> Call[schemas.CandidatesAdded]:
    """Add candidates, or update those with an existing key."""
    return write("POST", path_of("sets", set_id, "candidates"), schemas.CandidatesAdded, new)


def list_candidates(
    set_id: Id, *, key: str | None = None, after: str | None = None, limit: int | None = None
) -> Call[schemas.CandidatePage]:
    """Read one page, or with `key` one candidate; pass its `next_after` as `after` for the next page."""
    path = path_of("sets", set_id, "candidates")
    return get(path, schemas.CandidatePage, key=key, after=after, limit=limit)


def all_candidates(set_id: Id) -> Listing[schemas.CandidateOut]:
    """List candidates in the order you added them."""
    return Listing(lambda after: list_candidates(set_id, after=after, limit=PAGE), lambda page: page.candidates)


def list_items(set_id: Id, *, after: str | None = None, limit: int | None = None) -> Call[schemas.ItemPage]:
    """Read one page; pass its `next_after` as `after` for the next."""
    return get(path_of("sets", set_id, "items"), schemas.ItemPage, after=after, limit=limit)


def all_items(set_id: Id) -> Listing[schemas.ItemOut]:
    """List items in the order you added them; none in a set of texts."""
    return Listing(lambda after: list_items(set_id, after=after, limit=PAGE), lambda page: page.items)


TABLE_SECONDS = 120.0  # more than the largest file takes


def read_table(
    contents: bytes,
    *,
    file: str | None = None,
    key: str | None = None,
    text: str | None = None,
    system: str | None = None,
    systems: Sequence[str] | None = None,
    prompt: str | None = None,
    output: str | None = None,
    first: str | None = None,
    second: str | None = None,
    winner: str | None = None,
    p_first: str | None = None,
    judge: str | None = None,
    item: str | None = None,
) -> Call[schemas.TableRead]:
    """Read a file of that name, or lines of `key: text` without a name. Columns you do not name are recognised."""
    of_battles = {"first": first, "second": second, "winner": winner, "p_first": p_first, "judge": judge, "item": item}
    of_texts = {"key": key, "text": text, "system": system, "systems": systems, "prompt": prompt, "output": output}
    params, parse = without_none(file=file, **of_texts, **of_battles), schemas.TableRead.model_validate_json
    return Call("POST", path_of("tables"), parse, params=params, body=contents, wait=TABLE_SECONDS)


def preview_table(contents: bytes, *, file: str) -> Call[schemas.TablePreview]:
    """Read the columns and first rows of a file of that name."""
    path, parse = path_of("tables", "preview"), schemas.TablePreview.model_validate_json
    return Call("POST", path, parse, params={"file": file}, body=contents, wait=TABLE_SECONDS)


def leaderboard(
    project: str,
    *,
    sets: Sequence[Id] = (),
    weights: Mapping[str, float] | None = None,
    level: float | None = None,
    baseline: str | None = None,
    scale: ScaleName | None = None,
) -> Call[schemas.Leaderboard]:
    """Compare the sets of a project, or those of `sets`: each candidate's place in each set's ranking.

    Win rates are averaged only with `weights`, by the sets' names. `baseline` is the key of a candidate that
    `against` of each place compares with.
    """
    weight = [f"{name}={value!r}" for name, value in (weights or {}).items()]
    chosen = {"set": [str(set_id) for set_id in sets] or None, "weight": weight or None}
    how = {"level": level, "baseline": baseline, "scale": scale}
    return get(path_of("projects", project, "leaderboard"), schemas.Leaderboard, **chosen, **how)


def estimate(
    *,
    candidates: int,
    items: int = 0,
    judge: JudgeKind = "llm",
    goal: EstimatedGoal = "ranking",
    top_k: int = 1,
    concordance: float | None = None,
) -> Call[schemas.Estimate]:
    """Estimate the comparisons until the goal is known, or until this share of its pairs is in the right order."""
    return get(
        path_of("estimate"),
        schemas.Estimate,
        candidates=candidates,
        items=items,
        judge=judge,
        goal=goal,
        top_k=top_k,
        concordance=concordance,
    )
