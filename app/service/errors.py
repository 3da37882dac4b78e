"""Problems of a request, each with its own type.

The class name in kebab case, without Error, is the problem's type, the docstring its title.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import ClassVar, NamedTuple, Self
from uuid import UUID

from nextpair.words import GRACE_DAYS


class FieldFault(NamedTuple):
    """A place in the request body and what is wrong there."""

    pointer: str  # RFC 6901
    detail: str


class AppError(Exception):
    """The request failed."""

    status: ClassVar[int]
    retry_after: int | None = None  # seconds

    def __init__(self, detail: str, *faults: FieldFault) -> None:
        super().__init__(detail)
        self.detail = detail
        self.faults = faults

    @property
    def code(self) -> str:
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(self).__name__.removesuffix("Error")).lower()

    @property
    def title(self) -> str:
        return (type(self).__doc__ or "").rstrip(".")


class NotFound(AppError):
    """Not found."""

    status = 404


class UnknownSet(NotFound):
    """Unknown set."""


class NothingJudged(NotFound):
    """No set of this project has a comparison."""


class UnknownCandidate(NotFound):
    """Unknown candidate."""


class UnknownItem(NotFound):
    """Unknown item."""


class UnknownAssignment(NotFound):
    """Unknown assignment."""


class UnknownJudge(NotFound):
    """Unknown judge."""


class UnknownComparison(NotFound):
    """Unknown comparison."""


class Conflict(AppError):
    """Conflict."""

    status = 409


class AlreadyJudged(Conflict):
    """This assignment already has its verdict."""


class ForeignAssignment(Conflict):
    """This assignment belongs to another judge."""


class LeaseSuperseded(Conflict):
    """This pair was leased again."""


class TextInUse(Conflict):
    """A judged text cannot change."""


class ClientIdReused(Conflict):
    """The client_id belongs to another comparison."""


class AlreadyVoided(Conflict):
    """This comparison is already void."""


class NotVoided(Conflict):
    """This comparison is not void."""


class AlreadyRestored(Conflict):
    """This comparison is already restored."""


class TooFewVerdicts(Conflict):
    """There are too few verdicts for this."""


class NotConverged(Conflict):
    """The fit did not converge, so there is no ranking to publish."""


class TextsOrSystems(Conflict):
    """A set ranks texts or systems, not both."""


class Unauthorized(AppError):
    """Unauthorized."""

    status = 401


class KeyRequired(Unauthorized):
    """Key required."""


class WrongKey(Unauthorized):
    """Wrong key."""


class CrossSite(AppError):
    """A page of another site may change nothing."""

    status = 403


class Misdirected(AppError):
    """This service does not answer under this host name."""

    status = 421


class Gone(AppError):
    """Gone."""

    status = 410


class SetDeleted(Gone):
    """This set was deleted."""

    set_id: UUID | None = None
    name = ""  # of the set
    until: datetime | None = None  # when it is gone for good

    @classmethod
    def at(cls, set_id: UUID, deleted_at: datetime, name: str = "") -> Self:
        """The problem of a set that was deleted then."""
        until = (deleted_at + timedelta(days=GRACE_DAYS)).astimezone(UTC)
        next_step = f"Restore it until {until:%Y-%m-%d %H:%M} UTC with POST /v1/sets/{set_id}/restore."
        if datetime.now(UTC) >= until:
            next_step = f"The {GRACE_DAYS} days in which it could be restored are over."
        error = cls(f"Set {set_id} was deleted on {deleted_at.astimezone(UTC):%Y-%m-%d}. {next_step}")
        error.set_id, error.name, error.until = set_id, name, until
        return error


class LeaseEnded(Gone):
    """This lease has ended."""


class TooLarge(AppError):
    """Too large."""

    status = 413


class TextTooLarge(TooLarge):
    """A text is too large."""


class BodyTooLarge(TooLarge):
    """The request body is too large."""


class SetTooLarge(TooLarge):
    """The set would have too many candidates."""


class Unprocessable(AppError):
    """The request cannot be processed."""

    status = 422


class TooManyCandidates(Unprocessable):
    """The set has too many candidates for this."""


class InvalidRequest(Unprocessable):
    """The request does not fit the contract."""


class DuplicateKey(Unprocessable):
    """A key occurs twice."""


class AmbiguousItem(Unprocessable):
    """The item is missing."""


class MissingOutput(Unprocessable):
    """A candidate has no output for this item."""


class SameCandidate(Unprocessable):
    """A comparison needs two different candidates."""


class IdempotencyKeyReused(Unprocessable):
    """The Idempotency-Key was used for another request."""


class VersionUnknown(Unprocessable):
    """The log has not reached this version."""


class StillComputing(AppError):
    """The answer is being computed."""

    status = 425
    retry_after = 1


class BudgetSpent(AppError):
    """The processor time of this client is spent."""

    status = 429
    retry_after = 1


class Unavailable(AppError):
    """Try again later."""

    status = 503
    retry_after = 1


class DatabaseDown(Unavailable):
    """The database cannot be reached."""


class Busy(Unavailable):
    """The set is busy."""


class Preparing(Unavailable):
    """The service is preparing."""

    retry_after = 5


class StoppingError(Unavailable):
    """The service is stopping."""


class NotInstalled(AppError):
    """A package is missing."""

    status = 501


class DiskFull(AppError):
    """The disk of the database is full."""

    status = 507
    retry_after = 10
