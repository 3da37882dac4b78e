"""Steps that take some milliseconds, and the compiled loops that they need."""

from collections.abc import Iterable

import numpy as np

from app.inference.choosing.asking import Plan
from app.inference.choosing.order import Order
from app.inference.choosing.selection import Criterion, Policy
from app.inference.fitting.model import Method
from app.inference.kernels.bradley_terry import serves
from app.inference.state.asking import BlockedPairs, ask
from app.inference.state.catalogue import make_catalogue
from app.inference.state.evidence import Interpretation
from app.inference.state.log import log_from_rows
from app.inference.state.snapshot import Snapshot, advance, empty

QUICK = 300  # comparisons or asks, each a tenth of a millisecond


def are_quick(snapshots: Iterable[Snapshot], steps: int) -> bool:
    """True where so many comparisons or asks over these take some milliseconds: kernels then do all the work."""
    return steps <= QUICK and all(serves(each.model.expert, each.model.size) for each in snapshots)


def warm_up() -> None:
    """Compile the kernels that sets need, or load them: seconds once, then a fraction of one. Safe in any thread."""
    nobody, plan = np.empty(0, np.int64), Plan(Policy(Criterion.VARIANCE), Order.BALANCED, 0)
    one_comparison = log_from_rows([(1, 0, 0, 1, 0.5, 1, 1.0)])
    snapshot = advance(empty(Interpretation(Method(), {}), 3, 1), 1, one_comparison, [])
    everyone = make_catalogue(0, ("a", "b", "c"), (("", None),), np.ones((1, 3), np.int64))
    ask(snapshot, everyone, BlockedPairs(nobody, nobody, nobody, 0), plan, 1)
