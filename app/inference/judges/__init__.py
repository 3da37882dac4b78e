"""Judges together and against each other: group verdicts, skills, agreement, rank-sets helped by a judge.

Not here: judges' biases and calibration (reporting), fits with a discrimination for each judge (fitting).
"""

from app.inference.judges.aggregation import Probabilities, Votes, binary, is_labelled, votes
from app.inference.judges.agreement import (
    Krippendorff,
    agreement_with_others,
    agreements,
    krippendorff,
    most_twos,
)
from app.inference.judges.debiasing import ShownAnswers, debias
from app.inference.judges.dependence import Dependence
from app.inference.judges.discrimination import FEWEST_VERDICTS, Discrimination, discriminations
from app.inference.judges.disputes import DisputedPair, disputed_pairs
from app.inference.judges.encoders import hashed_ngrams, standardised
from app.inference.judges.findings import Findings, FitRound, LeaveOneOut, Weighing, examine_judges
from app.inference.judges.group_verdicts import (
    DEPARTS,
    Doubt,
    GroupVerdicts,
    aggregate,
    examine,
    has_regulariser,
    needs_context,
)
from app.inference.judges.history import JudgeMoment, RecentShare, judge_history, latest_of
from app.inference.judges.item_verdicts import (
    TIE,
    UNKNOWN,
    ItemVerdicts,
    JudgeFigures,
    answers_of,
    decide,
    share_right,
)
from app.inference.judges.labels import Accuracy, LabelFindings, confirmed, labels_by, next_to_label
from app.inference.judges.mean_wins import Instances, Wins, pair_numbers
from app.inference.judges.pair_statistics import (
    ItemsJudged,
    JudgedPairs,
    chosen_pairs,
    items_judged,
    judged_pairs,
    surprise_of_pairs,
    surprises,
)
from app.inference.judges.pair_votes import PairVotes, on_pairs, votes_by_pair
from app.inference.judges.people_and_judge import ENOUGH, JudgedInstances, judged_instances, least_seen
from app.inference.judges.rank_sets import RankBounds, ranked, usual_simultaneous
from app.inference.judges.skill_aggregation import ItemContext, Learner, Step
from app.inference.judges.system_scores import SystemScores, by_people, prediction_powered, verdicts_saved
