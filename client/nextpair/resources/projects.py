"""Projects, which group sets."""

from nextpair import calls
from nextpair.resources.binding import AsyncResource, Resource, async_call, call


class ProjectCollection(Resource):
    """The sets of a project side by side: `client.projects`.

    For example:

        board = client.projects.leaderboard("colours")
        print(board.criteria[0].name)
    """

    leaderboard = call(calls.leaderboard)


class AsyncProjectCollection(AsyncResource):
    """`ProjectCollection` for asyncio."""

    leaderboard = async_call(calls.leaderboard)
