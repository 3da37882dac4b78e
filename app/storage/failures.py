"""Failures of PostgreSQL: what each means."""

from errno import ENOSPC

import asyncpg
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

# What a statement may raise; the last one where PostgreSQL says farewell while nothing was asked of it.
FAILURES = (SQLAlchemyError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)

# SQLSTATE, or how it begins
AWAY = ("08", "25P03", "53300", "57P")  # connection lost, idle for too long, too many, starting up or shutting down
BUSY = ("40001", "40P01", "55P03", "57014")  # not serialisable, deadlock, lock_timeout, statement_timeout
DISK_FULL = "53100"


def is_connection_failure(error: BaseException) -> bool:
    """True where the database could not be reached, as against refusing a statement."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    if isinstance(error, asyncpg.InterfaceError) and "closed" in str(error):  # from what asyncpg does itself
        return True
    return isinstance(_cause(error), OSError | asyncpg.InternalClientError) or sqlstate(error).startswith(AWAY)


def is_disk_full(error: BaseException) -> bool:
    """True where PostgreSQL met a full disk, or `require_space` one that is nearly full."""
    return sqlstate(error) == DISK_FULL or (isinstance(error, OSError) and error.errno == ENOSPC)


def is_busy(error: BaseException) -> bool:
    """Whether other sessions held what a statement needs, or every connection."""
    return isinstance(error, PoolTimeout) or sqlstate(error) in BUSY


def sqlstate(error: BaseException) -> str:
    """PostgreSQL's code for what went wrong; '' where it has none."""
    return str(getattr(_cause(error), "sqlstate", None) or "")


def refused_value(error: BaseException) -> str | None:
    """The reason why PostgreSQL cannot hold a value (SQLSTATE class 22: NUL, a number out of range), or None."""
    cause = _cause(error)
    return str(cause) if isinstance(cause, asyncpg.DataError) or sqlstate(error).startswith("22") else None


def hide_values(error: BaseException) -> None:
    """Make the error fit to be logged: PostgreSQL cites the rows of a failed statement in DETAIL."""
    cause = _cause(error)
    if isinstance(cause, asyncpg.PostgresError):
        cause.detail = None


def _cause(error: BaseException) -> BaseException | None:
    """The driver's own error."""
    return (error.orig and error.orig.__cause__) if isinstance(error, DBAPIError) else error
