"""Judges, whatever the set, and projects, which group sets."""

from nextpair import calls
from nextpair.resources.binding import Resource, S, by_fields, call, listing, of_fields
from nextpair.schemas import AggregationIn, JudgeIn
from nextpair.sending.senders import AsyncSender, Sender


class JudgeMethods(Resource[S]):
    list = listing(calls.all_judges)
    get = call(calls.get_judge)
    describe = call(by_fields(calls.describe_judge, JudgeIn))
    aggregate = call(of_fields(calls.aggregate, AggregationIn))


class JudgeCollection(JudgeMethods[Sender]):
    """What is known of judges, over all sets, and their verdicts combined on any items: `client.judges`.

    For example:

        client.judges.describe("gpt-4", kind="llm", model="gpt-4o", cost_per_1000=2.5)
        print(client.judges.get("gpt-4").cost_per_1000, [judge.name for judge in client.judges.list(kind="llm")])
        together = client.judges.aggregate(
            classes=["A", "B"],
            items=[{"item": "q1", "answers": {"gpt-4": "A", "llama": "A"}, "labels": {"ada": "A"}}],
        )
        print(together.items[0].verdict)
    """


class AsyncJudgeCollection(JudgeMethods[AsyncSender]):
    """`JudgeCollection` for asyncio."""


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
