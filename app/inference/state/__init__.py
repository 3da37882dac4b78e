"""A set as numerics see it: its log, its candidates, and the snapshot that they amount to, from which pairs are asked.

Not here: the fits that a snapshot holds (fitting), the rows that a log is read from (storage), the cache (live).
"""

from app.inference.state.asking import NONE_BLOCKED, BlockedPairs, ChosenPair, HumanCheck, ask, ask_people
from app.inference.state.catalogue import Catalogue, make_catalogue
from app.inference.state.evidence import Interpretation
from app.inference.state.log import ComparisonRow, Log, PooledEvidence, ScoreRow, log_from_rows
from app.inference.state.pooling import LogContribution, contribution_of, pooled
from app.inference.state.published import (
    Checked,
    Sought,
    biases,
    check,
    distance,
    exact,
    quantity,
    quantity_after,
    repeat_correlations_of,
    under,
)
from app.inference.state.remaining import comparisons_left
from app.inference.state.reopening import Reopening
from app.inference.state.snapshot import (
    Snapshot,
    advance,
    compute_ahead,
    empty,
    looks_ahead,
    pair_votes_of,
    raw,
    with_all_computed,
    with_computed,
    without_pairs,
)
from app.inference.state.speed import MANY, are_quick, choices_are_quick, warm_up, work_of_a_pair
