"""The client of a nextpair service, and the contract that both share. Needs httpx and pydantic only.

    import nextpair

    with nextpair.Client() as client:
        sky = client.sets.create(name="Sky", question="Which answer is clearer?")

`nextpair.exports` names what is here. It is imported at first use: whoever needs `nextpair.words` alone starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nextpair.exports import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        if name in {"calls", "schemas", "words"}:
            return import_module(f"nextpair.{name}")
        try:
            return vars(import_module("nextpair.exports"))[name]
        except KeyError:
            raise AttributeError(f"module 'nextpair' has no attribute {name!r}") from None

    def __dir__() -> list[str]:
        return [name for name in vars(import_module("nextpair.exports")) if not name.startswith("_")]
