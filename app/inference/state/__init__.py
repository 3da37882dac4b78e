"""A set as numerics see it: its log, its candidates, and the snapshot that they amount to, from which pairs are asked.

Not here: the fits that a snapshot holds (fitting), the rows that a log is read from (storage), the cache (live).
"""

from app.inference.state.human_checks import People
from app.inference.state.snapshot import (
    Ask,
    Blocked,
    Catalogue,
    Log,
    Published,
    Reading,
    Snapshot,
    advance,
    are_quick,
    ask,
    biases,
    catalogue,
    cells_of,
    empty,
    exact,
    log,
    plain_model,
    raw,
    stop_reason,
    under,
    warm_up,
)

__all__ = [
    "Ask",
    "Blocked",
    "Catalogue",
    "Log",
    "People",
    "Published",
    "Reading",
    "Snapshot",
    "advance",
    "are_quick",
    "ask",
    "biases",
    "catalogue",
    "cells_of",
    "empty",
    "exact",
    "log",
    "plain_model",
    "raw",
    "stop_reason",
    "under",
    "warm_up",
]
