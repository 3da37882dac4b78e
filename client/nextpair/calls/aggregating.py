"""Aggregation: verdicts of several judges on any items, without a set."""

from nextpair.calls.description import Call, path_of
from nextpair.schemas import Aggregation, AggregationIn

AGGREGATION_SECONDS = 120.0  # more than the largest request takes


def aggregate(judged: AggregationIn) -> Call[Aggregation]:
    """Combine answers into one verdict for each item, with the accuracy of each judge. Nothing is stored."""
    return Call("POST", path_of("aggregations"), Aggregation.model_validate_json, body=judged, wait=AGGREGATION_SECONDS)
