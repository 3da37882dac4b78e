"""Descriptions of judges, across sets."""

from nextpair.calls.description import PAGE, Call, Id, Listing, get, path_of, write
from nextpair.schemas import JudgeIn, JudgeOut, JudgePage
from nextpair.words import JudgeKind


def list_judges(
    *, kind: JudgeKind | None = None, after: str | None = None, limit: int | None = None
) -> Call[JudgePage]:
    """Read one page; pass its `next_after` as `after` for the next."""
    return get(path_of("judges"), JudgePage.model_validate_json, kind=kind, after=after, limit=limit)


def all_judges(*, kind: JudgeKind | None = None) -> Listing[JudgeOut]:
    """List judges by name: those you described, and those that asked for a pair or sent a verdict."""
    return Listing(lambda after: list_judges(kind=kind, after=after, limit=PAGE), lambda page: page.judges)


def get_judge(name: str) -> Call[JudgeOut]:
    """Read the description of a judge: its kind, model and cost."""
    return get(path_of("judges", name), JudgeOut.model_validate_json)


def describe_judge(name: Id, description: JudgeIn) -> Call[JudgeOut]:
    """Describe a judge. This replaces an earlier description."""
    return write("PUT", path_of("judges", name), JudgeOut.model_validate_json, description)
