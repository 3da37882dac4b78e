"""LISTEN on a connection of its own."""

import asyncio
from collections.abc import Callable
from typing import Any

import asyncpg
from sqlalchemy import make_url

CHANNEL = "nextpair"


async def listen(url: str, hear: Callable[[str], None]) -> None:
    """Call `hear` with every payload until the connection is lost; then raise ConnectionError."""
    connection = await asyncpg.connect(**_arguments(url))
    lost = asyncio.Event()
    connection.add_termination_listener(lambda _: lost.set())
    try:
        await connection.add_listener(CHANNEL, lambda *message: hear(str(message[-1])))
        await lost.wait()
    finally:
        connection.terminate()
    raise ConnectionError("the listening connection was lost")


def _arguments(url: str) -> dict[str, Any]:
    parts = make_url(url).translate_connect_args(username="user")
    query = {key: value for key, value in make_url(url).query.items() if key in ("host", "port")}
    return {**parts, **query}
