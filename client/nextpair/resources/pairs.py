"""Pairs that are leased to a judge: send the verdict, renew the lease, or give the pair back."""

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

from nextpair import calls
from nextpair.calls import Call
from nextpair.resources.binding import (
    AsyncBound,
    AsyncResource,
    Bound,
    Resource,
    async_call,
    async_own_call,
    async_presented,
    by_fields,
    call,
    own_call,
    presented,
)
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


class PairToJudge(Bound):
    """Two candidates, in the order in which the judge sees them; `assignment` is what the service said.

    For example:

        pair = sky.next_pair(judge="ada")
        print(pair.first.text, pair.second.text, pair.item)
        pair.renew(lease_seconds=900)
        pair.tell(p_first=0.8, raw={"why": "It names the cause."})

    `tell` takes `p_first`, or `winner`, or a `failure` with its `reason`. `release` gives the pair back.
    """

    tell = own_call(by_fields(calls.send_verdict, VerdictIn))
    renew = own_call(calls.renew)
    release = own_call(calls.release)

    def __init__(self, sender: Sender, assignment: Assignment) -> None:
        super().__init__(sender, assignment.id)
        self.assignment = assignment
        self.first, self.second, self.item = assignment.first, assignment.second, assignment.item

    def __repr__(self) -> str:
        return f"PairToJudge({self.first.key!r}, {self.second.key!r})"


class AsyncPairToJudge(AsyncBound):
    """`PairToJudge` for asyncio.

    For example:

        async def judge_one():
            async with nextpair.AsyncClient() as client:
                pair = await (await client.sets.get(sky.id)).next_pair(judge="bea")
                await pair.tell(winner="first")

        asyncio.run(judge_one())
    """

    tell = async_own_call(by_fields(calls.send_verdict, VerdictIn))
    renew = async_own_call(calls.renew)
    release = async_own_call(calls.release)

    def __init__(self, sender: AsyncSender, assignment: Assignment) -> None:
        super().__init__(sender, assignment.id)
        self.assignment = assignment
        self.first, self.second, self.item = assignment.first, assignment.second, assignment.item

    def __repr__(self) -> str:
        return f"AsyncPairToJudge({self.first.key!r}, {self.second.key!r})"


def leased(sender: Sender, answer: Assignments) -> PairsToJudge[PairToJudge]:
    return PairsToJudge(answer.status, answer.reason, [PairToJudge(sender, each) for each in answer.assignments])


def async_leased(sender: AsyncSender, answer: Assignments) -> PairsToJudge[AsyncPairToJudge]:
    return PairsToJudge(answer.status, answer.reason, [AsyncPairToJudge(sender, each) for each in answer.assignments])


class AssignmentCollection(Resource):
    """Many pairs in one request, over many sets: `client.assignments`.

    For example:

        leased = client.assignments.next_pairs(judge="cleo", count=2, sets=[sky.id, models.id])
        ids = [pair.id for pair in leased.pairs]
        client.assignments.renew(ids, lease_seconds=900)
        client.assignments.tell([nextpair.VerdictOf(assignment_id=ids[0], p_first=0.6)])
        client.assignments.release(ids[1:])
    """

    next_pairs = presented(call(calls.next_pairs), leased)
    tell = call(_tell_many)
    renew = call(calls.renew_many)
    release = call(calls.release_many)


class AsyncAssignmentCollection(AsyncResource):
    """`AssignmentCollection` for asyncio."""

    next_pairs = async_presented(async_call(calls.next_pairs), async_leased)
    tell = async_call(_tell_many)
    renew = async_call(calls.renew_many)
    release = async_call(calls.release_many)
