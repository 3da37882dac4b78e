"""A set as numerics see it: its log, its candidates, and the snapshot that they amount to.

    log.py          comparisons, absolute scores and shared priors as arrays, without what was voided
    evidence.py     the log as the model reads it: temperatures, judges by number, weights
    snapshot.py     advance: snapshot = fold(log), entry by entry. A stage holds what was learnt; compute_ahead is
                    for whoever has time
    asking.py       ask: the next pairs of a snapshot; reopening.py and availability.py say which are open.
                    asking_people.py: those for people who check judges
    published.py    exact, quantity, check, distance, expected_verdicts: a snapshot's results for readers
    pooling.py      what sets of a pool share

Not here: the fits that a snapshot holds (fitting), the rows that a log is read from (storage), the cache (live).
"""

from app.inference.state.asking import ChosenPair, ask, has_pair
from app.inference.state.asking_people import HumanCheck, ask_people
from app.inference.state.availability import NONE_BLOCKED, BlockedPairs
from app.inference.state.catalogue import Catalogue, make_catalogue
from app.inference.state.evidence import Interpretation
from app.inference.state.log import ComparisonRow, Log, ScoreRow, SharedPriors, log_from_rows
from app.inference.state.pooling import LogContribution, contribution_of, pooled
from app.inference.state.published import (
    Checked,
    Sought,
    biases,
    check,
    distance,
    exact,
    expected_verdicts,
    quantity,
    quantity_after,
    repetition,
    under,
)
from app.inference.state.remaining import comparisons_left
from app.inference.state.reopening import Reopening
from app.inference.state.snapshot import (
    Snapshot,
    advance,
    compute_ahead,
    empty,
    in_model,
    looks_ahead,
    pair_votes_of,
    raw,
    with_all_computed,
    with_computed,
    without_pairs,
)
from app.inference.state.speed import MANY, are_quick, choices_are_quick, warm_up, work_of_a_pair
