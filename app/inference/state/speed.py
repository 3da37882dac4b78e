"""Steps that take some milliseconds, and the compiled loops that they need."""

from collections.abc import Iterable, Sequence

import numpy as np

from app.inference.choosing.asking import Plan
from app.inference.choosing.knowledge import EXACT
from app.inference.choosing.order import Order
from app.inference.choosing.selection import Criterion, Policy
from app.inference.fitting.model import Method
from app.inference.kernels.bradley_terry import serves
from app.inference.kernels.knowledge import most_own_terms
from app.inference.state.asking import BlockedPairs, ask
from app.inference.state.catalogue import make_catalogue
from app.inference.state.evidence import Interpretation
from app.inference.state.log import log_from_rows
from app.inference.state.snapshot import Snapshot, advance, empty

QUICK = 300  # comparisons or asks, each a tenth of a millisecond
FEW_TO_KNOW = 12  # candidates among whom the knowledge gradient takes no longer


def are_quick(snapshots: Iterable[Snapshot], steps: int) -> bool:
    """True where so many comparisons or asks over these take some milliseconds: kernels then do all the work."""
    return steps <= QUICK and all(serves(each.model.expert, each.model.size) for each in snapshots)


def choices_are_quick(sets: Sequence[tuple[Snapshot, Plan]], pairs: int) -> bool:
    """True where choosing so many pairs of these takes some milliseconds."""
    know = (each.model.n for each, plan in sets if plan.policy.criterion is Criterion.KNOWLEDGE)
    return are_quick((each for each, _ in sets), pairs) and all(n <= FEW_TO_KNOW for n in know)


def work_of_a_pair(n: int, plan: Plan) -> int:
    """The time that choosing one of the pairs of n candidates takes, where reading N^2 scores takes N^2."""
    few = min(n, EXACT) if plan.policy.criterion is Criterion.KNOWLEDGE else 0
    return max(n**2 + few**3, 1)


def warm_up() -> None:
    """Compile the kernels that sets need, or load them: seconds once, then a fraction of one. Safe in any thread."""
    nobody = np.empty(0, np.int64)
    one_comparison = log_from_rows([(1, 0, 0, 1, 0.5, 1, 1.0)])
    snapshot = advance(empty(Interpretation(Method(), {}), 3, 1), 1, one_comparison, [])
    everyone = make_catalogue(0, ("a", "b", "c"), (("", None),), np.ones((1, 3), np.int64))
    for criterion in (Criterion.VARIANCE, Criterion.KNOWLEDGE):
        ask(snapshot, everyone, BlockedPairs(nobody, nobody, nobody, 0), Plan(Policy(criterion), Order.BALANCED, 0), 1)
    most_own_terms(np.zeros((1, 1)), np.ones((1, 1)), 1.0)  # of many candidates alone
