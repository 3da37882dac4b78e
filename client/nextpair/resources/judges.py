"""Judges, whatever the set."""

from nextpair import calls
from nextpair.resources.binding import (
    AsyncResource,
    Resource,
    async_call,
    async_listing,
    by_fields,
    call,
    listing,
    of_fields,
)
from nextpair.schemas import AggregationIn, JudgeIn


class JudgeCollection(Resource):
    """`client.judges`: what is known of judges beside their verdicts, and what they say together of any items."""

    list = listing(calls.all_judges)
    get = call(calls.get_judge)
    describe = call(by_fields(calls.describe_judge, JudgeIn))
    aggregate = call(of_fields(calls.aggregate, AggregationIn))


class AsyncJudgeCollection(AsyncResource):
    """`JudgeCollection` for asyncio."""

    list = async_listing(calls.all_judges)
    get = async_call(calls.get_judge)
    describe = async_call(by_fields(calls.describe_judge, JudgeIn))
    aggregate = async_call(of_fields(calls.aggregate, AggregationIn))
