"""Pairs that are leased to a judge: tell the verdict, keep them for longer, or give them back."""

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
    """Pairs to judge. `status` says why there are none.

    `reason` is the rule that is met where it is `converged`, and says in words why none can be where it is
    `cannot_converge`.
    """

    status: AskStatus
    reason: StopReason | str | None
    pairs: list[L]


def _tell_many(verdicts: Iterable[VerdictOf]) -> Call[VerdictResults]:
    """Each verdict has a result of its own, so a problem of one raises nothing."""
    return calls.send_verdicts(VerdictsIn(verdicts=list(verdicts)))


class PairToJudge(Bound):
    """Two candidates, in the order in which the judge is to see them; `assignment` is all that the service said."""

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
    """`PairToJudge` for asyncio."""

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
    """`client.assignments`: many pairs in one request, over many sets."""

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
