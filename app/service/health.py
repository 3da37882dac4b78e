"""Readiness of this process: kernels, database, schema and disk."""

from app.service.context import Context
from app.service.errors import DatabaseDown, Preparing
from app.storage import db


async def migration(ctx: Context, *, is_disk_in_doubt: bool) -> str:
    """The migration that the database is at. Raises Preparing, DatabaseDown, and what a write to a full disk raises."""
    if ctx.live.warm is None:
        raise Preparing("The service compiles at its first start, which takes some seconds. Ask again.")
    current = await db.migration(ctx.spare)
    try:
        db.require_known(current)
    except db.NewerDatabase as newer:
        raise DatabaseDown(str(newer)) from None
    if current != db.latest_migration():
        raise DatabaseDown(
            f"The database is at migration {current or 'none'}, and this program needs {db.latest_migration()}. "
            "Run `nextpair migrate`."
        )
    if is_disk_in_doubt:
        await ctx.try_the_disk()
    return current
