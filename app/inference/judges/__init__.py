"""What judges say together and of each other: group verdicts, skills, agreement, rank-sets helped by a judge.

Not here: judges' biases and calibration (reporting), fits with a discrimination for each judge (fitting).
"""

from app.inference.judges.aggregation import Aggregate, binary, votes
from app.inference.judges.encoders import given, hashed
from app.inference.judges.findings import Agreements, Findings, Influence, find
from app.inference.judges.group_verdicts import DEPARTS, Doubt, aggregate, departure, doubts, needs_context
from app.inference.judges.pair_votes import Cells, cells
from app.inference.judges.people_and_judge import ENOUGH, Battles, battles, fewest, helped
from app.inference.judges.rank_sets import (
    Instances,
    RankSets,
    Wins,
    by_judge,
    by_people,
    pairs,
    prediction_powered,
    saved,
)
from app.inference.judges.skill_aggregation import Context, Learner, Step

__all__ = [
    "DEPARTS",
    "ENOUGH",
    "Aggregate",
    "Agreements",
    "Battles",
    "Cells",
    "Context",
    "Doubt",
    "Findings",
    "Influence",
    "Instances",
    "Learner",
    "RankSets",
    "Step",
    "Wins",
    "aggregate",
    "battles",
    "binary",
    "by_judge",
    "by_people",
    "cells",
    "departure",
    "doubts",
    "fewest",
    "find",
    "given",
    "hashed",
    "helped",
    "needs_context",
    "pairs",
    "prediction_powered",
    "saved",
    "votes",
]
