"""Judges validated against people: what is coupled, who agrees, and the temperature that corrects them."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nextpair.words import ObjectiveName
from scipy.optimize import minimize
from scipy.special import expit, logit

from app.inference.reporting.calibration import (
    BINS,
    EDGES,
    beside_references,
    ece,
    errors,
    log_loss,
    rejection,
    reliability,
    temperature,
    tempered,
    validation_by_people,
)
from app.inference.types import Comparisons, Floats, Ints, no_comparisons, once_each
from tests.inference.factories import comparisons, map_of, model, numerics, swapped

NOTHING = np.empty(0)
OBJECTIVES: tuple[ObjectiveName, ...] = get_args(ObjectiveName)
probabilities = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.0, 1.0)
judged = st.lists(st.tuples(probabilities, st.sampled_from([0.0, 0.5, 1.0])), max_size=30)
each_objective = pytest.mark.parametrize("objective", OBJECTIVES)


def columns(rows: list[tuple[float, float]]) -> tuple[Floats, Floats]:
    p, outcome = np.array(rows, np.float64).reshape(-1, 2).T
    return p, outcome


def simulated(true_temperature: float, count: int = 20_000, seed: int = 0) -> tuple[Floats, Floats]:
    """A judge's p, and people who are for the first candidate with probability sigma(logit(p) / T)."""
    rng = np.random.default_rng([count, seed])
    logits = 2.0 * rng.standard_normal(count)
    return expit(logits), (rng.random(count) < expit(logits / true_temperature)).astype(np.float64)


@numerics
@given(st.lists(probabilities))
def test_temperature_one_changes_no_bit(p: list[float]) -> None:
    np.testing.assert_array_equal(tempered(np.array(p), 1.0), np.array(p))


def test_tempered_reads_hard_verdicts_as_almost_certain() -> None:
    np.testing.assert_allclose(tempered(np.array([0.0, 1.0]), 2.0), expit(logit([1e-6, 1.0 - 1e-6]) / 2.0))


@numerics
@given(st.lists(probabilities), st.floats(0.05, 20.0))
def test_tempered_keeps_the_order_and_the_winner(p: list[float], at_temperature: float) -> None:
    ordered = np.sort(np.array(p))
    changed = tempered(ordered, at_temperature)

    assert (np.diff(changed) >= 0.0).all()
    assert ((changed - 0.5) * (ordered - 0.5) >= 0.0).all()


def test_log_loss_by_hand() -> None:
    p, outcome = np.array([0.8, 0.8, 0.5]), np.array([1.0, 0.0, 0.5])

    assert log_loss(p, outcome) == pytest.approx(-(np.log(0.8) + np.log(0.2) + np.log(0.5)) / 3)


def test_log_loss_of_a_certain_mistake_is_finite() -> None:
    assert log_loss(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == pytest.approx(-np.log(1e-6))


def test_ece_nets_within_a_bin_and_not_between_bins() -> None:
    within, between = np.array([0.90, 0.91]), np.array([0.90, 0.60])
    one_wrong = np.array([1.0, 0.0])

    assert ece(within, one_wrong) == pytest.approx(abs(0.905 - 0.5))
    assert ece(between, one_wrong) == pytest.approx((0.1 + 0.6) / 2)


def test_reliability_by_hand() -> None:
    """Two bins hold verdicts; the thirteen others are left out."""
    bins = reliability(np.array([0.51, 0.48, 0.99, 0.0]), np.array([1.0, 1.0, 1.0, 0.5]))

    np.testing.assert_allclose(bins.low, [0.5, 0.5 + 14 / 30])
    np.testing.assert_allclose(bins.high, [0.5 + 1 / 30, 1.0])
    np.testing.assert_array_equal(bins.verdicts, [2, 2])
    np.testing.assert_allclose(bins.confidence, [0.515, 0.995])
    np.testing.assert_allclose(bins.accuracy, [0.5, 0.75])


def test_fifteen_bins_divide_one_half_to_one() -> None:
    bins = reliability(EDGES, np.ones(BINS + 1))

    np.testing.assert_array_equal(bins.low, EDGES[:-1])
    np.testing.assert_array_equal(bins.high, EDGES[1:])
    np.testing.assert_array_equal(bins.verdicts, [1] * 14 + [2])  # an edge opens a bin; the last bin is closed


@numerics
@given(judged)
def test_reliability_can_be_drawn(rows: list[tuple[float, float]]) -> None:
    bins = reliability(*columns(rows))

    assert bins.verdicts.sum() == len(rows)
    assert (bins.verdicts > 0).all()
    assert ((bins.low <= bins.confidence + 1e-12) & (bins.confidence <= bins.high + 1e-12)).all()
    assert ((bins.accuracy >= 0.0) & (bins.accuracy <= 1.0)).all()


@each_objective
@pytest.mark.parametrize("true_temperature", [0.5, 1.0, 2.0, 4.0])
def test_the_true_temperature_is_recovered(objective: ObjectiveName, true_temperature: float) -> None:
    """Within 10%, on 20000 verdicts with seed 0."""
    found = temperature(*simulated(true_temperature), objective)

    assert found.temperature == pytest.approx(true_temperature, rel=0.1)
    assert not found.at_bound
    assert found.verdicts == 20_000


def test_log_loss_agrees_with_an_independent_optimiser() -> None:
    """Logistic regression through the origin: its slope is 1/T."""
    p, outcome = simulated(3.0, count=500)

    def loss(slope: Floats) -> float:
        return log_loss(expit(slope * logit(p)), outcome)

    slope = minimize(loss, np.ones(1), method="BFGS").x[0]
    assert temperature(p, outcome).temperature == pytest.approx(1.0 / slope, rel=1e-4)


def test_hard_verdicts_get_the_confidence_that_they_deserve() -> None:
    """A judge that says 0 or 1 and is right 4 times in 5."""
    p, outcome = np.array([1.0, 1.0, 0.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0, 0.0, 0.0])
    found = temperature(p, outcome)

    np.testing.assert_allclose(tempered(p, found.temperature), np.where(p == 1.0, 0.8, 0.2), atol=1e-4)


@each_objective
@numerics
@given(judged)
def test_any_verdicts_give_a_finite_temperature_that_does_no_harm(
    objective: ObjectiveName, rows: list[tuple[float, float]]
) -> None:
    found = temperature(*columns(rows), objective)
    gain = np.array(found.before) - np.array(found.after)

    assert 0.05 - 1e-9 <= found.temperature <= 20.0 + 1e-9
    assert np.isfinite(gain).all()
    assert gain[OBJECTIVES.index(objective)] >= -1e-6


@each_objective
def test_before_and_after_are_the_errors_of_p_and_of_tempered_p(objective: ObjectiveName) -> None:
    p, outcome = simulated(2.0, count=200)
    found = temperature(p, outcome, objective)

    assert found.before == errors(p, outcome) == (log_loss(p, outcome), *[float(ece(p, outcome))] * 2)
    assert found.after == errors(tempered(p, found.temperature), outcome)


@each_objective
def test_swapping_every_order_with_its_verdict_changes_nothing(objective: ObjectiveName) -> None:
    p, outcome = simulated(2.0, count=300)
    found, swapped = temperature(p, outcome, objective), temperature(1.0 - p, 1.0 - outcome, objective)

    assert swapped.temperature == pytest.approx(found.temperature, rel=1e-5)
    assert swapped.before == pytest.approx(found.before)
    assert swapped.after == pytest.approx(found.after)


@each_objective
def test_without_verdicts_the_temperature_is_one(objective: ObjectiveName) -> None:
    found = temperature(NOTHING, NOTHING, objective)

    assert found == (1.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), False, 0)


@each_objective
def test_a_judge_that_never_takes_a_side_keeps_temperature_one(objective: ObjectiveName) -> None:
    found = temperature(np.full(3, 0.5), np.array([1.0, 0.0, 0.5]), objective)

    assert (found.temperature, found.at_bound) == (1.0, False)


@each_objective
@pytest.mark.parametrize("p", [0.6, 0.9, 1.0])
@pytest.mark.parametrize(("outcome", "bound"), [(1.0, 0.05), (0.0, 20.0), (0.5, 20.0)])
def test_one_sided_verdicts_end_at_a_bound(objective: ObjectiveName, p: float, outcome: float, bound: float) -> None:
    """Always right, always wrong, always a tie."""
    found = temperature(np.full(4, p), np.full(4, outcome), objective)

    assert found.at_bound
    assert found.temperature == pytest.approx(bound, rel=1e-3)


@pytest.mark.parametrize("at_temperature", [0.5, 2.0, 4.0])
def test_without_redundancy_scores_scale_by_the_temperature(at_temperature: float) -> None:
    """What GPM App. B says of every set holds of a tree of verdicts under a flat prior: d_k = logit(p_k) / T."""
    log = comparisons((0, 1, 0.15), (0, 2, 0.9))
    scores = map_of(log._replace(p=tempered(log.p, at_temperature)), model(3, 1e6)).mean

    np.testing.assert_allclose(scores[log.first] - scores[log.second], logit(log.p) / at_temperature, atol=1e-3)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [5, 40, 300])
def test_no_temperature_has_a_smaller_ece(count: int, seed: int) -> None:
    """Against 4,001 of them."""
    rng = np.random.default_rng([count, seed])
    logits = rng.normal(0.0, 2.0, count)
    p, outcome = expit(2.0 * logits), (rng.random(count) < expit(logits)).astype(np.float64)

    found = temperature(p, outcome, "ece")

    brute = [ece(tempered(p, float(t)), outcome) for t in np.exp(np.linspace(-np.log(20.0), np.log(20.0), 4001))]
    assert found.after.ece <= min(brute) + 3e-4


@numerics
@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.sampled_from([0.0, 0.5, 1.0])), max_size=30))
def test_the_ece_is_the_mean_gap_of_the_reliability_diagram(rows: list[tuple[float, float]]) -> None:
    p, outcome = np.array(rows, np.float64).reshape(-1, 2).T
    bins = reliability(p, outcome)

    assert ece(p, outcome) == pytest.approx(
        float(bins.verdicts @ np.abs(bins.accuracy - bins.confidence)) / max(len(p), 1), abs=1e-12
    )


@each_objective
def test_both_orders_are_calibrated_by_what_they_say_together(objective: ObjectiveName) -> None:
    """A judge that is four times too sure, and favours the first by 1 on its scale."""
    rng = np.random.default_rng(0)
    d = rng.normal(0.0, 1.5, 1000)
    outcome = (rng.random(1000) < expit(d)).astype(np.float64)
    both = np.array([expit(4.0 * d + 1.0), 1.0 - expit(1.0 - 4.0 * d)])

    together, alone = temperature(both, outcome, objective), temperature(both[0], outcome, objective)

    assert together.verdicts == 1000
    assert together.temperature == pytest.approx(4.5, abs=0.5)
    assert together.before[:2] == errors(both.mean(axis=0), outcome)[:2]
    after = errors(np.array([tempered(p, together.temperature) for p in both]).mean(axis=0), outcome)
    assert together.after[:2] == after[:2]
    assert together.after.log_loss < alone.after.log_loss
    assert together.after.ece < 0.06 < 0.2 < together.before.ece < alone.before.ece


def test_the_biased_ece_is_that_of_single_answers() -> None:
    """An honest judge that likes the first position: both orders together are as right as they are sure, nearly."""
    rng = np.random.default_rng(0)
    d = rng.normal(0.0, 1.0, 20_000)
    outcome = (rng.random(20_000) < expit(d)).astype(np.float64)
    both = np.array([expit(d + 1.0), 1.0 - expit(1.0 - d)])

    found = errors(both, outcome)

    assert found.biased_ece == ece(both.ravel(), np.tile(outcome, 2))
    assert found.biased_ece > 0.1 > 2.0 * found.ece


@each_objective
def test_the_same_twice_is_one_order(objective: ObjectiveName) -> None:
    p, outcome = simulated(2.0, 500)

    twice, once = temperature(np.array([p, p]), outcome, objective), temperature(p, outcome, objective)
    assert twice.temperature == once.temperature
    assert twice.before == pytest.approx(once.before)
    assert twice.after == pytest.approx(once.after)


def test_the_least_sure_are_left_out_first_and_ties_share_their_weight() -> None:
    """In order of confidence: right, right, and two of which one is right."""
    p, outcome = np.array([0.9, 0.2, 0.6, 0.6]), np.array([1.0, 0.0, 1.0, 0.0])
    rejected, kept, accuracy = rejection(p, outcome)
    assert rejected.tolist() == pytest.approx([n / 10 for n in range(10)])
    assert kept.tolist() == [4, 4, 4, 3, 3, 2, 2, 2, 1, 1]
    by_kept = {4: 0.75, 3: 2.5 / 3, 2: 1.0, 1: 1.0}
    assert accuracy.tolist() == pytest.approx([by_kept[each] for each in kept.tolist()])
    *_, turned = rejection(1.0 - p[::-1], 1.0 - outcome[::-1])
    assert turned.tolist() == pytest.approx(accuracy.tolist())


def test_without_verdicts_there_is_no_curve() -> None:
    assert [column.size for column in rejection(NOTHING, NOTHING)] == [0, 0, 0]


MODEL, ANN, BEA = 0, 1, 2
PEOPLE = np.array([False, True, True])


def log(*rows: tuple[int, int, int, float, int]) -> tuple[Comparisons, Ints]:
    """Comparisons and their items, from rows of (item, first, second, p, judge)."""
    item, first, second, p, judge = (np.array(column) for column in zip(*rows, strict=True))
    return once_each(first, second, p.astype(np.float64), judge), item


def test_an_answer_is_coupled_with_its_counterpart_in_the_other_order() -> None:
    rows, item = log(
        (0, 3, 5, 0.9, MODEL), (0, 3, 5, 0.7, MODEL), (0, 5, 3, 0.6, MODEL), (0, 5, 3, 0.0, ANN),
        (1, 3, 5, 0.2, MODEL), (1, 3, 5, 0.0, ANN), (1, 5, 3, 1.0, BEA),
    )  # fmt: skip
    for same in (rows, swapped(rows)):
        p, outcome = beside_references(same, item, MODEL, PEOPLE)
        couples = {(*sorted((here, there)), truth) for here, there, truth in np.round([*p, outcome], 9).T}
        assert couples == {(0.4, 0.9, 1.0), (0.7, 0.7, 1.0), (0.2, 0.2, 0.0)}


def test_several_people_are_one_opinion_which_may_be_a_tie() -> None:
    rows, item = log((0, 0, 1, 0.8, MODEL), (0, 0, 1, 1.0, ANN), (0, 1, 0, 1.0, BEA))
    assert beside_references(rows, item, MODEL, PEOPLE)[1].tolist() == [0.5]
    only_ann = np.array([False, True, False])
    assert beside_references(rows, item, MODEL, only_ann)[1].tolist() == [1.0]


def test_pairs_that_only_one_side_judged_or_left_open_do_not_count() -> None:
    rows, item = log(
        (0, 0, 1, 0.8, MODEL), (0, 0, 1, 1.0, ANN),
        (0, 1, 2, 0.8, MODEL), (0, 2, 1, 1.0, ANN),
        (0, 0, 2, 0.5, MODEL), (0, 0, 2, 1.0, ANN),
        (0, 0, 3, 0.9, MODEL), (0, 0, 3, 0.5, BEA),
        (0, 1, 3, 0.9, MODEL), (1, 1, 3, 0.0, ANN),
    )  # fmt: skip
    agreed, _ = validation_by_people(rows, item, PEOPLE, 0.95)
    assert agreed is not None
    assert (agreed.cases, agreed.share) == (2, 0.5)
    assert beside_references(rows, item, MODEL, PEOPLE)[0].shape == (2, 4)


def test_nothing_is_validated_without_people() -> None:
    nothing, nobody = np.empty(0, np.int64), np.empty(0, np.bool_)
    assert validation_by_people(no_comparisons(), nothing, nobody, 0.95) == (None, {})
    rows, item = log((0, 0, 1, 0.8, MODEL), (0, 0, 1, 1.0, ANN))
    assert beside_references(rows, item, -1, PEOPLE)[1].size == 0
    assert validation_by_people(rows, item, np.zeros(3, np.bool_), 0.95) == (None, {})
