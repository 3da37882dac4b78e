"""Errors of this package.

NextpairError
├── ApiError      the server answered with an error, or with something outside the contract
├── Unreachable   there was no answer, or it broke off
├── BadTable      rows of a table cannot be used
├── NoServer      a private server was wanted, and there is none to start, or it did not start
└── JudgeFailed   a judge function of `nextpair.rank` raised an error

OlderVersionWarning   a busy service answered with a result that lacks the newest verdicts
"""

from collections.abc import Sequence
from typing import Any

from nextpair.ranked import RankedOutputs
from nextpair.schemas import Problem, TableFault


class NextpairError(Exception):
    """The base of every error that this package raises by itself.

    For example:

        try:
            client.sets.get("00000000-0000-0000-0000-000000000000")
        except nextpair.NextpairError as error:
            print(error)
    """

    exit_code = 1  # of a command that ends with it


class ApiError(NextpairError):
    """The server answered with an error, or with something outside the contract (then `problem` is None).

    For example:

        try:
            sky.predict(first="kelp", second="nobody")
        except nextpair.ApiError as error:
            print(error.status, error.problem.type, error.problem.detail)
    """

    def __init__(self, status: int, problem: Problem | None, message: str) -> None:
        super().__init__(status, problem, message)
        self.status, self.problem, self.message = status, problem, message

    def __str__(self) -> str:
        return self.message


class Unreachable(NextpairError):
    """There was no answer, or it broke off; the message names the address and what to do.

    For example:

        try:
            nextpair.Client("http://127.0.0.1:9", retries=0).sets.create(name="Sky", question="Which is clearer?")
        except nextpair.Unreachable as error:
            print(error)
    """


class BadTable(NextpairError):
    """Rows of a table cannot be used, so nothing was created. `faults` has the first hundred, the message the first.

    For example:

        try:
            client.sets.create_from([{"key": "kelp", "text": "Blue."}, {"key": "kelp", "text": "Red."}],
                                    name="Twice", question="Which is clearer?")
        except nextpair.BadTable as error:
            print(error.faults[0].place, error.faults[0].wrong, error.faults[0].remedy)
    """

    def __init__(self, faults: Sequence[TableFault], count: int) -> None:
        super().__init__(faults, count)
        self.faults, self.count = faults, count

    def __str__(self) -> str:
        first = self.faults[0]
        column = "" if first.column is None else f", column {first.column!r}"
        others = f" ({self.count - 1:,} more rows)" if self.count > 1 else ""
        return f"{first.place}{column}: {first.wrong}; {first.remedy}{others}"


class NoServer(NextpairError):
    """There is no server to start on this machine, or it did not start; the message says what to do.

    For example:

        try:
            with nextpair.Client.local() as own:
                print(own.url)
        except nextpair.NoServer as error:
            print(error)
    """


class OlderVersionWarning(UserWarning):
    """A result lacks the newest verdicts, because a busy service still computes it.

    For example:

        import warnings

        warnings.simplefilter("ignore", nextpair.OlderVersionWarning)
    """


class JudgeFailed(NextpairError):
    """A judge function raised: its error is the cause of this one. `ranking` has all verdicts before.

    For example:

        def judge(first, second):
            raise TimeoutError("the model did not answer")

        try:
            nextpair.rank(answers, judge=judge)
        except nextpair.JudgeFailed as error:
            print(error, error.ranking.ranking.comparisons)
    """

    def __init__(self, message: str, ranking: RankedOutputs[Any]) -> None:
        super().__init__(message)
        self.ranking = ranking
