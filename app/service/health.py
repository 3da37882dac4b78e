"""Readiness of this process: kernels, database, schema and disk."""

from app.service.context import Context
from app.service.errors import DatabaseDown, Preparing
from app.storage import db


async def migration(ctx: Context) -> str:
    """The migration that the database is at. Raises Preparing, DatabaseDown."""
    if ctx.live.warm is None:
        raise Preparing("The service compiles what small sets need: some seconds at its very first start. Ask again.")
    revision = await db.revision(ctx.spare)
    if revision != db.latest_revision():
        raise DatabaseDown(
            f"The database is at migration {revision or 'none'}, this program needs {db.latest_revision()}; "
            "run `nextpair migrate`."
        )
    return revision


async def try_the_disk(ctx: Context) -> None:
    """Write a little and take it back, which fails where the disk is full."""
    await db.try_the_disk(ctx.spare)
