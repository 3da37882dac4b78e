"""Requests and responses of the HTTP contract, v1: a module for each noun. Pydantic only.

Not here: operations that take and answer them (calls), words that are choices of a field (nextpair.words).
"""

# ruff: noqa: F403

from nextpair.schemas.aggregations import *
from nextpair.schemas.assignments import *
from nextpair.schemas.candidates import *
from nextpair.schemas.common import *
from nextpair.schemas.comparisons import *
from nextpair.schemas.confidence import *
from nextpair.schemas.diagnostics import *
from nextpair.schemas.judges import *
from nextpair.schemas.pairs import *
from nextpair.schemas.rankings import *
from nextpair.schemas.sets import *
from nextpair.schemas.side_by_side import *
