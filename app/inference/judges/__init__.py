"""Judges together and against each other: group verdicts, skills, agreement, rank-sets helped by a judge.

Not here: judges' biases and calibration (reporting), fits with a discrimination for each judge (fitting).
"""

from app.inference.judges.aggregation import (
    TIE,
    UNKNOWN,
    Probabilities,
    Votes,
    answers_of,
    binary,
    is_labelled,
    share_right,
    votes,
)
from app.inference.judges.agreement import (
    agreement_with_others,
    agreements,
    krippendorff,
    krippendorff_of_items,
    most_twos,
)
from app.inference.judges.anchored import Dependence
from app.inference.judges.discrimination import (
    FEWEST_VERDICTS,
    Discrimination,
    JudgeMoment,
    discriminations,
    judge_history,
    latest_of,
)
from app.inference.judges.findings import Findings, FitRound, LeaveOneOut, Weighing, debias, examine_judges
from app.inference.judges.group_verdicts import (
    DEPARTS,
    Doubt,
    GroupVerdicts,
    LabelFindings,
    confirmed,
    examine,
    has_regulariser,
    labels_by,
    needs_context,
    next_to_label,
)
from app.inference.judges.pair_votes import (
    DisputedPair,
    ItemsJudged,
    JudgedPairs,
    PairVotes,
    disputed_pairs,
    items_judged,
    judged_pairs,
    on_pairs,
    surprises,
    votes_by_pair,
)
from app.inference.judges.rank_sets import (
    ENOUGH,
    JudgedInstances,
    RankBounds,
    judged_instances,
    least_seen,
    ranked,
    usual_simultaneous,
)
from app.inference.judges.skill_aggregation import ItemContext, Learner, Step, hashed_ngrams, standardised
from app.inference.judges.system_scores import (
    Wins,
    by_people,
    is_judged,
    pair_numbers,
    prediction_powered,
    verdicts_saved,
)
from app.inference.verdicts import Share
