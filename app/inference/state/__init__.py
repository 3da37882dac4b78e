"""A set as numerics see it: its log, and the snapshot that it amounts to.

    log.py          the log as arrays, and how the model reads it; open_pairs.py: pairs shown, out, or open
    snapshot.py     advance: the log, and the snapshot it amounts to; `due` is for whoever has time
    published.py    exact, quantity, biases: results for readers, and for other sets of its pool
    stops.py        check, distance: whether it is to stop, and how far off that is
    asking.py       ask: the next pairs; ask_people: those for people who check judges

Not here: fits (fitting), the rows that a log is read from (storage), the cache, and who is compared on what (live).
"""

from app.inference.state.asking import ChosenPair, HumanCheck, Reopening, ask, ask_people, has_pair
from app.inference.state.log import ComparisonRow, Interpretation, Log, ScoreRow, SharedPriors, log_from_rows
from app.inference.state.open_pairs import NONE_BLOCKED, BlockedPairs
from app.inference.state.published import (
    LogContribution,
    Sought,
    biases,
    contribution_of,
    exact,
    expected_verdicts,
    pooled,
    quantity,
    quantity_after,
    repetition,
    under,
)
from app.inference.state.snapshot import (
    Snapshot,
    advance,
    compute_due,
    empty,
    in_model,
    pair_votes_of,
    raw,
    with_computed,
    without_pairs,
)
from app.inference.state.stops import Checked, check, comparisons_left, distance
