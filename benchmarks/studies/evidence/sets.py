"""A set that a simulated judge answers, by the code of the service: its snapshots, its choice of pairs, its ranking."""

from collections.abc import Iterator

import numpy as np

from app.inference.choosing import Plan
from app.inference.fitting import Method
from app.inference.kernels.availability import none_shown
from app.inference.state import (
    BlockedPairs,
    Catalogue,
    ComparisonRow,
    Interpretation,
    Snapshot,
    advance,
    ask,
    empty,
    log_from_rows,
    make_catalogue,
)
from benchmarks.studies.evidence.judges import Answer

NOBODY = np.empty(0, np.int64)
NONE_OUT = BlockedPairs(NOBODY, NOBODY, NOBODY, 0)
JUDGE = 1


def judged(answer: Answer, n: int, method: Method, plan: Plan, asked: int = 1) -> Iterator[Snapshot]:
    """Yield the snapshot after every verdict, without end; pairs that are used up open again.

    Args: `asked` is how many times in a row each chosen pair is asked, in alternating order.
    """
    catalogue, snapshot = of_texts(n), empty(Interpretation(method, {}), n, 1)
    while True:
        chosen = ask(snapshot, catalogue, NONE_OUT, plan, 1)
        if not chosen:
            snapshot = snapshot._replace(shown=none_shown(1, n))
            continue
        first, second = chosen[0].pair.first, chosen[0].pair.second
        for _ in range(asked):
            seq = snapshot.version + 1
            verdict = ComparisonRow(seq, 0, first, second, answer(first, second), JUDGE)
            snapshot = advance(snapshot, seq, log_from_rows([verdict]), [])
            yield snapshot
            first, second = second, first


def of_texts(n: int) -> Catalogue:
    """A catalogue of n texts of the same length."""
    keys = tuple(f"text {number}" for number in range(n))
    return make_catalogue(0, keys, (("", None),), np.ones((1, n), np.int64))
