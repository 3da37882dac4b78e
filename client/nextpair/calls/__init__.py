"""One function for each operation, which describes a `Call`; `Client.send` and `AsyncClient.send` send it.

The resources (`client.sets`, `Set`, ...) are made of these. A function named `all_...` describes a `Listing`: the
entries of all pages, which `Client.each` reads. Arguments outside the contract raise pydantic.ValidationError
before anything is sent.

Not here: how a call is sent (sending), objects with methods (resources), the shapes of bodies (schemas).
"""

# ruff: noqa: F403

from nextpair.calls.asking import *
from nextpair.calls.describing import *
from nextpair.calls.description import Call as Call
from nextpair.calls.description import Id as Id
from nextpair.calls.description import Listing as Listing
from nextpair.calls.reading import *
from nextpair.calls.sets import *
from nextpair.calls.telling import *
