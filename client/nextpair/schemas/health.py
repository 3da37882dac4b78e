"""Health of the service."""

from typing import Literal

from nextpair.schemas.common import Response


class Ready(Response):
    status: Literal["ready"]
    migration: str


class Alive(Response):
    status: Literal["ok"]
    version: str
