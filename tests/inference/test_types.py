import numpy as np
import pytest

from app.inference.types import Convergence, Outcome, join, take
from tests.inference.factories import comparisons


def test_take_cuts_every_column() -> None:
    log = take(comparisons((0, 1, 0.9), (2, 0, 0.1), (1, 2, 0.3)), slice(1, 2))

    assert [column.tolist() for column in log] == [[2], [0], [0.1], [0], [1.0]]


def test_join_puts_the_new_ones_last() -> None:
    old, new = comparisons((0, 1, 0.9)), comparisons((2, 0, 0.1), (1, 2, 0.3))._replace(judge=np.array([4, 5]))

    new = new._replace(weight=np.array([2.0, 0.5]))

    columns = [[0, 2, 1], [1, 0, 2], [0.9, 0.1, 0.3], [0, 4, 5], [1.0, 2.0, 0.5]]
    assert [column.tolist() for column in join(old, new)] == columns


@pytest.mark.parametrize("outcome", Outcome)
def test_only_what_converged_counts_as_converged(outcome: Outcome) -> None:
    assert Convergence(outcome, 1, 0.0).converged == (outcome in (Outcome.CONVERGED, Outcome.UNLEARNT))
