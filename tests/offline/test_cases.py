"""Cases from a judge's scores or verdicts."""

import numpy as np
import pytest

from app.files.tables import InputError
from app.inference.types import by_one_judge
from app.offline.cases import from_pairs, from_scores
from app.offline.ranking import Group


def test_scores_become_probabilities_by_the_stated_rule() -> None:
    case = from_scores((), {"x": 3.0, "y": 1.0}, {"x": 1.0, "y": 0.0}, 2.0)
    assert case.offered[0, 1] == pytest.approx(1 / (1 + np.exp(-1.0)))
    assert case.offered[1, 0] == pytest.approx(1 - case.offered[0, 1])
    assert np.isnan(case.offered.diagonal()).all()


def test_pairs_are_averaged_and_the_other_order_is_filled_in() -> None:
    comparisons = by_one_judge(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 2]), np.array([0.6, 0.8, 0.5, 0.9]))
    case = from_pairs(Group((), ["a", "b", "c"], comparisons), {"a": 1.0, "b": 2.0, "c": 3.0})
    assert case.offered[0, 1] == pytest.approx(0.7)
    assert case.answers[1, 0] == 0.5
    assert case.answers[2, 1] == pytest.approx(0.1)
    assert np.isnan(case.answers[0, 2])


def test_a_candidate_without_truth_is_named() -> None:
    with pytest.raises(InputError, match="the judge knows u / y but the truth file has no value for it"):
        from_scores(("u",), {"x": 3.0, "y": 1.0}, {"x": 1.0}, 1.0)
