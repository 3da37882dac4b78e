"""Failures of the database and of numerics, as errors with an answer: whose, and what to do."""

from math import ceil

from app.analysis.judged import Impossible
from app.inference.fitting import TooMany
from app.live.spending import WINDOW, Spent
from app.service.errors import AppError, BudgetSpent, Busy, DatabaseDown, DiskFull, InvalidRequest, TooManyCandidates
from app.storage.failures import (
    FAILURES,
    hide_values,
    is_busy,
    is_connection_failure,
    is_disk_full,
    refused_value,
)

__all__ = ["AGAIN", "EXPLAINED", "FAILURES", "explained", "hide_values", "itself"]

EXPLAINED = (*FAILURES, TooMany, Impossible, Spent)
AGAIN = "Send the request again with the same Idempotency-Key; it is done once."


def itself(error: Exception) -> Exception:
    """The error that ended a response which had begun: an event stream groups it, and Starlette raises another."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, RuntimeError) and isinstance(error.__cause__, EXPLAINED):
        return error.__cause__
    return error


def explained(error: BaseException) -> AppError | None:
    """The error to answer with; None where nobody expects it."""
    if is_disk_full(error):
        return DiskFull(
            f"The disk is full, and nothing was written. Free space where the database keeps its data. {AGAIN}"
        )
    if is_connection_failure(error):
        return DatabaseDown(f"The database does not answer. {AGAIN}")
    if is_busy(error):
        return Busy(f"The set is busy, and nothing was written. {AGAIN}")
    if isinstance(error, TooMany):
        return TooManyCandidates(f"The set is too large for this: {error}. Use a smaller set.")
    if isinstance(error, Spent):
        spent = BudgetSpent(
            f"The computations of {error.client} took all the processor time that one client has in {WINDOW:.0f} "
            "seconds (NEXTPAIR_CLIENT_SECONDS). Ask again after Retry-After; results that are ready are served."
        )
        spent.retry_after = ceil(error.wait) + 1
        return spent
    if isinstance(error, Impossible):
        return InvalidRequest(str(error))
    if (reason := refused_value(error)) is not None:
        return InvalidRequest(
            f"A value cannot be stored: {reason}. Send no NUL characters, NaN or numbers beyond 64 bits."
        )
    return None
