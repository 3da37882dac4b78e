"""What is computed in the event loop, where a thread would take longer."""

import pytest

from app.inference.choosing.asking import Order, Plan
from app.inference.choosing.criteria import Criterion, Policy
from app.inference.fitting.model import Method
from app.inference.state import Interpretation, choices_are_quick, empty
from app.inference.state.speed import KNOWN_QUICKLY, QUICK, SLOWER


@pytest.mark.parametrize(
    ("criterion", "n", "pairs", "is_quick"),
    [
        (Criterion.REORDERING, 64, QUICK, True),
        (Criterion.REORDERING, 65, 1, False),
        (Criterion.KNOWLEDGE, KNOWN_QUICKLY, QUICK, True),
        (Criterion.KNOWLEDGE, KNOWN_QUICKLY, QUICK + 1, False),
        (Criterion.KNOWLEDGE, 2 * KNOWN_QUICKLY, QUICK // SLOWER, True),
        (Criterion.KNOWLEDGE, 2 * KNOWN_QUICKLY, QUICK // SLOWER + 1, False),
        (Criterion.KNOWLEDGE, 2 * KNOWN_QUICKLY + 1, 1, False),
    ],
)
def test_choices_that_take_some_milliseconds_are_quick(
    criterion: Criterion, n: int, pairs: int, is_quick: bool
) -> None:
    snapshot, plan = empty(Interpretation(Method(), {}), n, 1), Plan(Policy(criterion), Order.BALANCED, 0)

    assert choices_are_quick([(snapshot, plan)], pairs) == is_quick


def test_without_a_set_all_is_quick() -> None:
    assert choices_are_quick([], 1)
