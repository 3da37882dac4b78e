"""Verdicts of several judges on any items, put together without a set."""

from nextpair.calls.description import Call, path_of
from nextpair.schemas import Aggregation, AggregationIn

AGGREGATION_SECONDS = 120.0  # more than the largest request takes


def aggregate(judged: AggregationIn) -> Call[Aggregation]:
    """One verdict for each item, and how far each judge can be believed. Nothing is kept."""
    return Call("POST", path_of("aggregations"), Aggregation.model_validate_json, body=judged, wait=AGGREGATION_SECONDS)
