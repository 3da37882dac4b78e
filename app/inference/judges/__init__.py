"""Judges together and against each other: group verdicts, skills, agreement, rank-sets helped by a judge.

    aggregation.py, skill_aggregation.py    Dawid-Skene and others; SkillAggregation
    group_verdicts.py    one verdict of several by any of these; findings.py: all that is said of judges
    pair_votes.py        votes on pairs of outputs, disputes, agreement; discrimination.py: a judge over time
    rank_sets.py         systems by people with judges' help

Not here: judges' biases and calibration (reporting), fits with a discrimination for each judge (fitting).
"""

from app.inference.judges.aggregation import Dependence, Probabilities, Votes, binary, votes
from app.inference.judges.discrimination import (
    FEWEST_VERDICTS,
    Discrimination,
    JudgeMoment,
    discriminations,
    judge_history,
)
from app.inference.judges.findings import Findings, FitRound, LeaveOneOut, Weighing, debias, examine_judges
from app.inference.judges.group_verdicts import (
    DEPARTS,
    Doubt,
    GroupVerdicts,
    LabelFindings,
    confirmed,
    examine,
    labels_by,
    needs_context,
    next_to_label,
)
from app.inference.judges.pair_votes import (
    DisputedPair,
    ItemsJudged,
    JudgedPairs,
    PairVotes,
    agreements,
    disputed_pairs,
    judged_pairs,
    krippendorff,
    krippendorff_of_items,
    votes_by_pair,
)
from app.inference.judges.rank_sets import (
    ENOUGH,
    JudgedInstances,
    RankBounds,
    Wins,
    is_judged,
    judged_instances,
    least_seen,
    pair_numbers,
    prediction_powered,
    ranked,
)
from app.inference.judges.skill_aggregation import ItemContext, Learner, Step
from app.inference.verdicts import Share
