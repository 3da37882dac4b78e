"""Judges validated against people: what is coupled, who agrees."""

import numpy as np
import pytest

from app.inference.reporting.references import agreement_with, beside_references
from app.inference.types import Comparisons, Ints, no_comparisons, once_each
from tests.inference.factories import swapped

MODEL, ANN, BEA = 0, 1, 2
PEOPLE = np.array([False, True, True])


def log(*rows: tuple[int, int, int, float, int]) -> tuple[Comparisons, Ints]:
    """Comparisons and their items, from rows of (item, first, second, p, judge)."""
    item, first, second, p, judge = (np.array(column) for column in zip(*rows, strict=True))
    return once_each(first, second, p.astype(np.float64), judge), item


def test_an_answer_is_coupled_with_its_counterpart_in_the_other_order() -> None:
    comparisons, item = log(
        (0, 3, 5, 0.9, MODEL), (0, 3, 5, 0.7, MODEL), (0, 5, 3, 0.6, MODEL), (0, 5, 3, 0.0, ANN),
        (1, 3, 5, 0.2, MODEL), (1, 3, 5, 0.0, ANN), (1, 5, 3, 1.0, BEA),
    )  # fmt: skip
    for same in (comparisons, swapped(comparisons)):
        held = beside_references(same, item, MODEL, PEOPLE)
        couples = {(*sorted((here, there)), outcome) for here, there, outcome in np.round([*held.p, held.outcome], 9).T}
        assert couples == {(0.4, 0.9, 1.0), (0.7, 0.7, 1.0), (0.2, 0.2, 0.0)}


def test_several_people_are_one_opinion_which_may_be_a_tie() -> None:
    comparisons, item = log((0, 0, 1, 0.8, MODEL), (0, 0, 1, 1.0, ANN), (0, 1, 0, 1.0, BEA))
    assert beside_references(comparisons, item, MODEL, PEOPLE).outcome.tolist() == [0.5]
    only_ann = np.array([False, True, False])
    assert beside_references(comparisons, item, MODEL, only_ann).outcome.tolist() == [1.0]


def test_pairs_that_only_one_side_judged_or_left_open_do_not_count() -> None:
    comparisons, item = log(
        (0, 0, 1, 0.8, MODEL), (0, 0, 1, 1.0, ANN),
        (0, 1, 2, 0.8, MODEL), (0, 2, 1, 1.0, ANN),
        (0, 0, 2, 0.5, MODEL), (0, 0, 2, 1.0, ANN),
        (0, 0, 3, 0.9, MODEL), (0, 0, 3, 0.5, BEA),
        (0, 1, 3, 0.9, MODEL), (1, 1, 3, 0.0, ANN),
    )  # fmt: skip
    agreed = agreement_with(comparisons, item, PEOPLE, 0.95)
    assert agreed is not None
    assert (agreed.pairs, agreed.share) == (2, 0.5)
    assert beside_references(comparisons, item, MODEL, PEOPLE).p.shape == (2, 4)


def test_the_interval_is_wilsons() -> None:
    """40 of 50 at 95%: (p + z^2 / 2 n -+ z sqrt(p (1 - p) / n + z^2 / 4 n^2)) / (1 + z^2 / n)."""
    rows = [(n, 0, 1, 0.9, MODEL) for n in range(50)] + [(n, 0, 1, float(n < 40), ANN) for n in range(50)]
    agreed = agreement_with(*log(*rows), PEOPLE, 0.95)
    assert agreed is not None
    assert agreed.share == 0.8
    assert agreed.interval == pytest.approx((0.669629, 0.887563), abs=1e-6)


def test_nothing_is_validated_without_people() -> None:
    nothing, nobody = np.empty(0, np.int64), np.empty(0, np.bool_)
    assert agreement_with(no_comparisons(), nothing, nobody, 0.95) is None
    comparisons, item = log((0, 0, 1, 0.8, MODEL), (0, 0, 1, 1.0, ANN))
    assert beside_references(comparisons, item, -1, PEOPLE).outcome.size == 0
    assert agreement_with(comparisons, item, np.array([False, False]), 0.95) is None
