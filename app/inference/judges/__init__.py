"""What judges say together and of each other: group verdicts, skills, agreement, rank-sets helped by a judge.

Not here: judges' biases and calibration (reporting), fits with a discrimination for each judge (fitting).
"""

from app.inference.judges.aggregation import Aggregate, binary, votes
from app.inference.judges.encoders import given, hashed
from app.inference.judges.findings import Agreements, Findings, Influence, find
from app.inference.judges.group_verdicts import DEPARTS, Doubt, aggregate, departure, doubts, needs_context
from app.inference.judges.pair_votes import PairVotes, votes_by_pair
from app.inference.judges.people_and_judge import ENOUGH, JudgedInstances, fewest, helped, judged_instances
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
from app.inference.judges.skill_aggregation import ItemContext, Learner, Step

__all__ = [
    "DEPARTS",
    "ENOUGH",
    "Aggregate",
    "Agreements",
    "Doubt",
    "Findings",
    "Influence",
    "Instances",
    "ItemContext",
    "JudgedInstances",
    "Learner",
    "PairVotes",
    "RankSets",
    "Step",
    "Wins",
    "aggregate",
    "binary",
    "by_judge",
    "by_people",
    "departure",
    "doubts",
    "fewest",
    "find",
    "given",
    "hashed",
    "helped",
    "judged_instances",
    "needs_context",
    "pairs",
    "prediction_powered",
    "saved",
    "votes",
    "votes_by_pair",
]
