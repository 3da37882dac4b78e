"""LISTEN on a connection of its own."""

import asyncio
from collections.abc import Callable

import asyncpg
from sqlalchemy import make_url

CHANNEL = "nextpair"


async def listen(url: str, hear: Callable[[str], None], begin: Callable[[], None]) -> None:
    """Call `begin` once listening, then `hear` with every payload. Raises OSError when there is no connection."""
    try:
        connection = await asyncpg.connect(dsn(url))
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())
        try:
            await connection.add_listener(CHANNEL, lambda *message: hear(str(message[-1])))
            begin()
            await lost.wait()
        finally:
            connection.terminate()
    except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:  # for one: it is starting up
        raise ConnectionError("PostgreSQL refused to be listened to") from error
    raise ConnectionError("the listening connection was lost")


def dsn(url: str) -> str:
    """The URL as PostgreSQL's own tools write it, without a driver's name."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
