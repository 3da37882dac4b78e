"""Judges together and against each other: group verdicts, skills, agreement, rank-sets helped by a judge.

Not here: judges' biases and calibration (reporting), fits with a discrimination for each judge (fitting).
"""

from app.inference.judges.accord import Accord, accords
from app.inference.judges.aggregation import Aggregate, Probabilities, Votes, binary, is_labelled, votes
from app.inference.judges.agreement import Agreements, Alpha, agreements, krippendorff, krippendorff_of_items
from app.inference.judges.debiasing import ShownAnswers, debias
from app.inference.judges.dependence import Dependence
from app.inference.judges.disputes import Dispute, disputed_pairs
from app.inference.judges.encoders import hashed_ngrams, standardised
from app.inference.judges.findings import Findings, Influence, Weighing, examine_judges
from app.inference.judges.group_verdicts import (
    DEPARTS,
    Doubt,
    GroupVerdicts,
    aggregate,
    examine,
    has_regulariser,
    needs_context,
)
from app.inference.judges.item_verdicts import (
    TIE,
    UNKNOWN,
    ItemVerdicts,
    JudgeCard,
    answers_of,
    decide,
    share_right,
)
from app.inference.judges.labels import LabelFindings, Rightness, confirmed, labels_by, next_to_label
from app.inference.judges.pair_votes import PairVotes, votes_by_pair
from app.inference.judges.people_and_judge import ENOUGH, JudgedInstances, judged_instances, least_seen
from app.inference.judges.rank_sets import RankSets, ranked, usual_simultaneous
from app.inference.judges.skill_aggregation import ItemContext, Learner, Step
from app.inference.judges.system_scores import (
    Estimate,
    Instances,
    Wins,
    by_people,
    pair_numbers,
    prediction_powered,
    verdicts_saved,
)

__all__ = [
    "DEPARTS",
    "ENOUGH",
    "TIE",
    "UNKNOWN",
    "Accord",
    "Aggregate",
    "Agreements",
    "Alpha",
    "Dependence",
    "Dispute",
    "Doubt",
    "Estimate",
    "Findings",
    "GroupVerdicts",
    "Influence",
    "Instances",
    "ItemContext",
    "ItemVerdicts",
    "JudgeCard",
    "JudgedInstances",
    "LabelFindings",
    "Learner",
    "PairVotes",
    "Probabilities",
    "RankSets",
    "Rightness",
    "ShownAnswers",
    "Step",
    "Votes",
    "Weighing",
    "Wins",
    "accords",
    "aggregate",
    "agreements",
    "answers_of",
    "binary",
    "by_people",
    "confirmed",
    "debias",
    "decide",
    "disputed_pairs",
    "examine",
    "examine_judges",
    "has_regulariser",
    "hashed_ngrams",
    "is_labelled",
    "judged_instances",
    "krippendorff",
    "krippendorff_of_items",
    "labels_by",
    "least_seen",
    "needs_context",
    "next_to_label",
    "pair_numbers",
    "prediction_powered",
    "ranked",
    "share_right",
    "standardised",
    "usual_simultaneous",
    "verdicts_saved",
    "votes",
    "votes_by_pair",
]
