"""Failures of the database and of numerics, as errors with an answer: whose, and what to do."""

from app.analysis.judged import Impossible
from app.inference.fitting import TooMany
from app.service.errors import AppError, Busy, DatabaseDown, DiskFull, InvalidRequest, TooManyCandidates
from app.storage.failures import (
    DISK_FULL,
    FAILURES,
    hide_values,
    is_busy,
    is_connection_failure,
    refused_value,
    sqlstate,
)

__all__ = ["AGAIN", "EXPLAINED", "FAILURES", "explained", "hide_values"]

EXPLAINED = (*FAILURES, TooMany, Impossible)
AGAIN = "Send the request again with the same Idempotency-Key; it is done once."


def explained(error: BaseException) -> AppError | None:
    """The error to answer with; None where nobody expects it."""
    if is_connection_failure(error):
        return DatabaseDown(f"The database does not answer. {AGAIN}")
    if sqlstate(error) == DISK_FULL:
        return DiskFull(
            f"The disk is full, and nothing was written. Free space where the database keeps its data. {AGAIN}"
        )
    if is_busy(error):
        return Busy(f"The set is busy, and nothing was written. {AGAIN}")
    if isinstance(error, TooMany):
        return TooManyCandidates(f"The set is too large for this: {error}. Use a smaller set.")
    if isinstance(error, Impossible):
        return InvalidRequest(str(error))
    if (reason := refused_value(error)) is not None:
        return InvalidRequest(
            f"A value cannot be stored: {reason}. Send no NUL characters, NaN or numbers beyond 64 bits."
        )
    return None
