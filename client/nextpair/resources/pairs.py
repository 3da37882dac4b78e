"""Pairs that are leased to a judge: send the verdict, renew the lease, or give the pair back."""

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

from nextpair import calls
from nextpair.calls import Call
from nextpair.resources.binding import Bound, Resource, S, by_fields, call, own_call, presented
from nextpair.schemas import Assignment, Assignments, VerdictIn, VerdictOf, VerdictResults, VerdictsIn
from nextpair.sending.senders import AsyncSender, Sender
from nextpair.words import AskStatus, StopReason

L = TypeVar("L")


class PairsToJudge(NamedTuple, Generic[L]):
    """Pairs to judge; `status` says why there are none.

    For example:

        leased = sky.next_pairs(judge="ada", count=2)
        print(leased.status, leased.reason, len(leased.pairs))
        for pair in leased.pairs:
            pair.release()

    `reason` names the rule that is met, for `converged`. For `cannot_converge` it says in words why no rule can be.
    """

    status: AskStatus
    reason: StopReason | str | None
    pairs: list[L]


def _tell_many(verdicts: Iterable[VerdictOf]) -> Call[VerdictResults]:
    """Send verdicts on many pairs. Each has a result of its own, so a problem of one raises nothing."""
    return calls.send_verdicts(VerdictsIn(verdicts=list(verdicts)))


class PairMethods(Bound[S]):
    tell = own_call(by_fields(calls.send_verdict, VerdictIn))
    renew = own_call(calls.renew)
    release = own_call(calls.release)

    def __init__(self, sender: S, assignment: Assignment) -> None:
        super().__init__(sender, assignment.id)
        self.assignment = assignment
        self.first, self.second, self.item = assignment.first, assignment.second, assignment.item

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.first.key!r}, {self.second.key!r})"


class PairToJudge(PairMethods[Sender]):
    """Two candidates, in the order in which the judge sees them; `assignment` is what the service said.

    For example:

        pair = sky.next_pair(judge="ada")
        print(pair.first.text, pair.second.text, pair.item)
        pair.renew(lease_seconds=900)
        pair.tell(p_first=0.8, raw={"why": "It names the cause."})

    `tell` takes `p_first`, or `winner`, or a `failure` with its `reason`. `release` gives the pair back.
    """


class AsyncPairToJudge(PairMethods[AsyncSender]):
    """`PairToJudge` for asyncio.

    For example:

        async def judge_one():
            async with nextpair.AsyncClient() as client:
                pair = await (await client.sets.get(sky.id)).next_pair(judge="bea")
                await pair.tell(winner="first")

        asyncio.run(judge_one())
    """


def leased(sender: Sender, answer: Assignments) -> PairsToJudge[PairToJudge]:
    return PairsToJudge(answer.status, answer.reason, [PairToJudge(sender, each) for each in answer.assignments])


def async_leased(sender: AsyncSender, answer: Assignments) -> PairsToJudge[AsyncPairToJudge]:
    return PairsToJudge(answer.status, answer.reason, [AsyncPairToJudge(sender, each) for each in answer.assignments])


class AssignmentMethods(Resource[S]):
    next_pairs = presented(call(calls.next_pairs), leased, async_leased)
    tell = call(_tell_many)
    renew = call(calls.renew_many)
    release = call(calls.release_many)


class AssignmentCollection(AssignmentMethods[Sender]):
    """Many pairs in one request, over many sets: `client.assignments`.

    For example:

        leased = client.assignments.next_pairs(judge="cleo", count=2, sets=[sky.id, models.id])
        ids = [pair.id for pair in leased.pairs]
        client.assignments.renew(ids, lease_seconds=900)
        client.assignments.tell([nextpair.VerdictOf(assignment_id=ids[0], p_first=0.6)])
        client.assignments.release(ids[1:])
    """


class AsyncAssignmentCollection(AssignmentMethods[AsyncSender]):
    """`AssignmentCollection` for asyncio."""
