"""Projects, which several sets may share."""

from nextpair import calls
from nextpair.resources.binding import AsyncResource, Resource, async_call, call


class ProjectCollection(Resource):
    """`client.projects`: what the sets of a project say together."""

    leaderboard = call(calls.leaderboard)


class AsyncProjectCollection(AsyncResource):
    """`ProjectCollection` for asyncio."""

    leaderboard = async_call(calls.leaderboard)
