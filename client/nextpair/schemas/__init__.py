"""Requests and responses of the HTTP contract, v1: a module for each noun. Pydantic only.

Not here: operations that take and answer them (calls), words that are choices of a field (nextpair.words).
"""

# ruff: noqa: F403

from nextpair.schemas.absolute_scores import *
from nextpair.schemas.activity import *
from nextpair.schemas.aggregations import *
from nextpair.schemas.assignments import *
from nextpair.schemas.calibration import *
from nextpair.schemas.candidates import *
from nextpair.schemas.common import *
from nextpair.schemas.comparisons import *
from nextpair.schemas.confidence import *
from nextpair.schemas.diagnostics import *
from nextpair.schemas.disputes import *
from nextpair.schemas.estimates import *
from nextpair.schemas.goals import *
from nextpair.schemas.head_to_heads import *
from nextpair.schemas.health import *
from nextpair.schemas.judges import *
from nextpair.schemas.leaderboards import *
from nextpair.schemas.pairs import *
from nextpair.schemas.pooled_evidence import *
from nextpair.schemas.problems import *
from nextpair.schemas.rank_sets import *
from nextpair.schemas.rankings import *
from nextpair.schemas.ranks import *
from nextpair.schemas.sets import *
from nextpair.schemas.slices import *
from nextpair.schemas.summaries import *
from nextpair.schemas.tables import *
from nextpair.schemas.verdicts import *
