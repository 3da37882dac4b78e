"""Projects, which group sets."""

from nextpair import calls
from nextpair.resources.binding import Resource, S, call
from nextpair.sending.senders import AsyncSender, Sender


class ProjectMethods(Resource[S]):
    leaderboard = call(calls.leaderboard)


class ProjectCollection(ProjectMethods[Sender]):
    """The sets of a project side by side: `client.projects`.

    For example:

        board = client.projects.leaderboard("colours")
        print(board.criteria[0].name)
    """


class AsyncProjectCollection(ProjectMethods[AsyncSender]):
    """`ProjectCollection` for asyncio."""
