"""Judges across sets: their descriptions, and their verdicts combined on any items, without a set."""

from nextpair import schemas
from nextpair.calls.description import PAGE, Call, Id, Listing, get, path_of, write
from nextpair.words import JudgeKind


def list_judges(
    *, kind: JudgeKind | None = None, after: str | None = None, limit: int | None = None
) -> Call[schemas.JudgePage]:
    """Read one page; pass its `next_after` as `after` for the next."""
    return get(path_of("judges"), schemas.JudgePage, kind=kind, after=after, limit=limit)


def all_judges(*, kind: JudgeKind | None = None) -> Listing[schemas.JudgeOut]:
    """List judges by name: those you described, and those that asked for a pair or sent a verdict."""
    return Listing(lambda after: list_judges(kind=kind, after=after, limit=PAGE), lambda page: page.judges)


def get_judge(name: str) -> Call[schemas.JudgeOut]:
    """Read the description of a judge: its kind, model and cost."""
    return get(path_of("judges", name), schemas.JudgeOut)


def describe_judge(name: Id, description: schemas.JudgeIn) -> Call[schemas.JudgeOut]:
    """Describe a judge. This replaces an earlier description."""
    return write("PUT", path_of("judges", name), schemas.JudgeOut, description)


AGGREGATION_SECONDS = 120.0  # more than the largest request takes


def aggregate(judged: schemas.AggregationIn) -> Call[schemas.Aggregation]:
    """Combine answers into one verdict for each item, with the accuracy of each judge. Nothing is stored."""
    parse = schemas.Aggregation.model_validate_json
    return Call("POST", path_of("aggregations"), parse, body=judged, wait=AGGREGATION_SECONDS)
