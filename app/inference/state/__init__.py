"""A set as numerics see it: its log, its candidates, and the snapshot that they amount to, from which pairs are asked.

Not here: the fits that a snapshot holds (fitting), the rows that a log is read from (storage), the cache (live).
"""

from app.inference.state.human_checks import HumanCheck
from app.inference.state.snapshot import (
    BlockedPairs,
    Catalogue,
    ChosenPair,
    Interpretation,
    Log,
    Published,
    Snapshot,
    advance,
    are_quick,
    ask,
    biases,
    empty,
    exact,
    log_from_rows,
    make_catalogue,
    pair_votes_of,
    plain_model,
    raw,
    stop_reason,
    under,
    warm_up,
)

__all__ = [
    "BlockedPairs",
    "Catalogue",
    "ChosenPair",
    "HumanCheck",
    "Interpretation",
    "Log",
    "Published",
    "Snapshot",
    "advance",
    "are_quick",
    "ask",
    "biases",
    "empty",
    "exact",
    "log_from_rows",
    "make_catalogue",
    "pair_votes_of",
    "plain_model",
    "raw",
    "stop_reason",
    "under",
    "warm_up",
]
