"""Prediction-powered rank-sets: reference values, coverage by simulation, and the erratum.

`python -m benchmarks.studies.rank_sets` measures more of the coverage.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2, t

from app.inference.judges.rank_sets import (
    Instances,
    Wins,
    by_people,
    degrees_of_freedom,
    mean_wins,
    prediction_powered,
    ranks,
    squared_radius,
)
from app.inference.types import Floats
from benchmarks.studies.rank_sets.arena import read_arena
from benchmarks.studies.rank_sets.simulation import (
    FIRST,
    SECOND,
    Design,
    Repetition,
    answers,
    draw,
    judged,
    meet,
    one_run,
    ranks_hold,
    theta_holds,
    truth,
    wins,
)

ALPHA = 0.1


def design(k: int, shown: str = "even", judge: str = "good", people: int = 990) -> Design:
    return Design(k, people, 5346, shown, judge)


def runs(of: Design, count: int) -> list[Repetition]:
    return [one_run(of, np.random.default_rng([of.k, seed]), ALPHA) for seed in range(count)]


@pytest.mark.parametrize(
    ("of", "count"),
    [(design(k, shown), 150) for k in (4, 12) for shown in ("even", "uneven")]
    + [(design(30, shown, judge), 40) for shown, judge in (("even", "good"), ("uneven", "good"), ("uneven", "coin"))],
)
def test_the_sandwich_covers(of: Design, count: int) -> None:
    """The ellipsoid at least 1 - alpha - 0.03 of the time, rank-sets 1 - alpha, give or take 2.5 standard errors.

    With 30 systems and uneven pairs, 14% of the pairs were never met and 28% of the others once.
    """
    found, true = [run.helped["sandwich"] for run in runs(of, count)], truth(of.k)
    margin = 2.5 * np.sqrt(ALPHA * (1.0 - ALPHA) / count)
    assert np.mean([theta_holds(one, true, ALPHA) for one in found]) >= 1.0 - ALPHA - 0.03 - margin
    assert np.mean([ranks_hold(one, true, ALPHA) for one in found]) >= 1.0 - ALPHA - margin


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("alone", [1, 2, 5, 20, 200])
def test_theta_is_held_however_few_instances_the_judge_has_alone(k: int, alone: int) -> None:
    """60 instances with people's verdicts, 150 runs: 90%, give or take 2.5 standard errors."""
    of, count, held = Design(k, 60, alone, "even", "good"), 150, 0
    for seed in range(count):
        found = prediction_powered(*draw(of, np.random.default_rng([13, k, alone, seed])), k=k, alpha=ALPHA)
        held += theta_holds(found, truth(k), ALPHA)
    assert held / count == pytest.approx(1.0 - ALPHA, abs=2.5 * np.sqrt(ALPHA * (1.0 - ALPHA) / count))


def test_one_verdict_of_the_judge_alone_hardly_moves_theta() -> None:
    """Of 60 instances with people's verdicts 0 won 45; the judge, who saw 42, is right in 57 of them."""
    shown, more = (Instances(np.zeros(size, np.int64), np.ones(size, np.int64)) for size in (60, 1))
    people, judge = (wins(np.repeat([FIRST, SECOND], [won, 60 - won])) for won in (45, 42))
    one = wins(np.array([FIRST]))
    found = prediction_powered(shown, people, judge, more, one, k=2, alpha=ALPHA)
    alone = by_people(shown, people, 2, ALPHA)
    assert_allclose(alone.theta, [0.75, 0.25])
    assert_allclose(found.theta, alone.theta, atol=0.01)
    assert_allclose(found.covariance, alone.covariance, rtol=0.05)


def test_verdicts_that_are_all_alike_are_no_certainty() -> None:
    """By hand: 0 won all four; one more verdict unlike them would make it 0.8. 2 was never met by 1."""
    shown = Instances(np.array([0, 0, 0, 0, 1]), np.array([1, 1, 2, 2, 2]))
    people = Wins(np.array([1.0, 1.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, 0.0, 0.0, 1.0]))
    found = by_people(shown, people, 3, ALPHA)
    assert found.theta[0] == 1.0
    assert found.covariance[0, 0] == pytest.approx(0.2**2)
    assert_array_equal(found.ranks, [[1, 3]] * 3)
    judge = Wins(people.first[::-1], people.second[::-1])
    helped = prediction_powered(shown, people, judge, shown, judge, k=3, alpha=ALPHA)
    assert helped.covariance[0, 0] >= 0.2**2


def test_the_published_covariance_does_not() -> None:
    """Erratum 6: with 12 systems it is too small by about (12 / 2)^2, and covers nothing."""
    found = [run.helped for run in runs(design(12), 30)]
    assert not any(theta_holds(one["published"], truth(12), ALPHA) for one in found)
    ratios = [np.trace(one["sandwich"].covariance) / np.trace(one["published"].covariance) for one in found]
    assert np.mean(ratios) == pytest.approx(36.0, rel=0.15)


def test_the_published_covariance_is_that_of_the_paper() -> None:
    """Eq. 5 to 7 with their matrices, where every pair was met equally often."""
    k, rng = 5, np.random.default_rng(3)
    data = draw(Design(k, 20 * 6, 20 * 30, "even", "good"), rng)
    found = prediction_powered(*data, k=k, alpha=ALPHA, covariance="published")
    a, far = of_the_paper(data.more, Wins(*(found.tuned * np.array(data.judge_more))), k)
    b, near = of_the_paper(data.shown, Wins(*(found.tuned * np.array(data.judge) - np.array(data.people))), k)
    assert 0.0 < found.tuned < 1.0
    assert_allclose(found.theta, a - b, rtol=1e-12)
    assert_allclose(found.covariance, far + near, rtol=1e-12, atol=1e-18)
    assert_array_equal(found.ranks, ranks(a - b, far + near, float(chi2.ppf(1.0 - ALPHA, k))))


def of_the_paper(shown: Instances, w: Wins, k: int) -> tuple[Floats, Floats]:
    """a or b of eq. 5, with its part of eq. 7; M and M' (k, n) have a one for the system shown."""
    m, m_, one = np.eye(k)[:, shown.first], np.eye(k)[:, shown.second], np.ones((k, 1))
    counts = (one @ ((m + m_) @ np.ones((shown.size, 1))).T) * np.eye(k)
    a = np.linalg.inv(counts) @ (m @ w.first + m_ @ w.second)
    big = (one @ (w.first - m.T @ a)[None, :]) * m + (one @ (w.second - m_.T @ a)[None, :]) * m_
    return a, big @ big.T / shown.size**2


@pytest.mark.parametrize("k", [4, 12, 30])
def test_a_useless_judge_costs_nothing(k: int) -> None:
    found, theta = runs(design(k, "uneven", "coin"), 30), truth(k).theta
    helped = sum(((run.helped["sandwich"].theta - theta) ** 2).sum() for run in found)
    assert helped <= 1.05 * sum(((run.people.theta - theta) ** 2).sum() for run in found)
    assert np.mean([run.helped["sandwich"].tuned for run in found]) < 0.05
    stated = [np.trace(run.helped["sandwich"].covariance) / np.trace(run.people.covariance) for run in found]
    assert np.mean(stated) <= 1.001
    assert max(stated) < 1.05


def test_a_good_judge_saves_human_verdicts() -> None:
    found, theta = runs(design(6), 30), truth(6).theta
    helped = sum(((run.helped["sandwich"].theta - theta) ** 2).sum() for run in found)
    assert helped < 0.8 * sum(((run.people.theta - theta) ** 2).sum() for run in found)
    assert np.mean([run.helped["sandwich"].tuned for run in found]) > 0.5


def test_a_judge_who_knows_the_systems_but_not_the_instances_is_left_out() -> None:
    """Who wins how often is in theta already, where people saw every pair; only what varies within pairs helps."""
    k, tuned = 8, []
    for seed in range(20):
        rng = np.random.default_rng([9, seed])
        shown, more = (meet(design(k), count, "even", rng) for count in (560, 2800))
        people, said, said_more = (wins(answers(pairs, truth(k).win, rng)) for pairs in (shown, shown, more))
        tuned.append(prediction_powered(shown, people, said, more, said_more, k=k, alpha=ALPHA).tuned)
    assert np.mean(tuned) < 0.04


def test_where_the_judge_was_asked_alone_does_not_move_theta() -> None:
    """People saw every pair; the judge was asked alone about neighbours, who are harder to beat for the best."""
    k, gaps = 8, []
    for seed in range(40):
        rng = np.random.default_rng([4, seed])
        shown, more = (meet(design(k), 600, where, rng) for where in ("even", "near"))
        people, unseen = (answers(pairs, truth(k).win, rng) for pairs in (shown, more))
        said, said_more = (wins(judged(truly, "good", rng)) for truly in (people, unseen))
        found = prediction_powered(shown, wins(people), said, more, said_more, k=k, alpha=ALPHA)
        gaps.append(found.theta - truth(k).theta)
    assert (np.abs(np.mean(gaps, axis=0)) < 4.0 * np.std(gaps, axis=0) / np.sqrt(len(gaps))).all()


def test_a_judge_who_always_agrees_makes_one_large_sample() -> None:
    data = draw(Design(5, 400, 4000, "even", "good"), np.random.default_rng(1))
    unseen = wins(answers(data.more, truth(5).win, np.random.default_rng(2)))
    found = prediction_powered(data.shown, data.people, data.people, data.more, unseen, k=5, alpha=ALPHA)
    assert 0.85 < found.tuned < 1.0
    assert np.trace(found.covariance) < 0.15 * np.trace(by_people(data.shown, data.people, 5, ALPHA).covariance)


def test_theta_is_the_mean_chance_against_each_other_system_however_often_it_was_met() -> None:
    """By hand: 0 beats 1 in 3 of 4, and ties with 2 in the one time they met."""
    shown = Instances(np.array([0, 0, 1, 0, 2]), np.array([1, 1, 0, 1, 0]))
    wins = Wins(np.array([1.0, 1.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, 0.0, 0.0, 0.0]))
    assert_allclose(mean_wins(shown, wins, 3).theta, [0.375, 0.25, 0.0])


def test_error_is_what_theta_loses_without_an_instance() -> None:
    """The weights of the others kept as they are."""
    shown, won = Instances(np.array([0, 0, 1, 0, 2]), np.array([1, 1, 0, 1, 1])), np.array([1.0, 0.0, 1.0, 1.0, 0.0])
    found = mean_wins(shown, Wins(won, 1.0 - won), 3)
    without = (0.25 * (0.0 + 0.0 + 1.0)) / 0.75  # of system 0, less its first instance
    assert_allclose(found.theta[0] - without, found.error[0, 0])


def test_showing_the_other_one_first_changes_nothing() -> None:
    data = draw(design(4, "uneven", people=200), np.random.default_rng(2))
    found = mean_wins(data.shown, data.people, 4)
    turned = mean_wins(Instances(*data.shown[::-1]), Wins(*data.people[::-1]), 4)
    assert_allclose(turned.theta, found.theta)
    assert_allclose(turned.error, found.error)


def test_other_names_for_the_systems_change_nothing_else() -> None:
    k, data = 6, draw(design(6, "uneven"), np.random.default_rng(5))
    name = np.random.default_rng(6).permutation(k)
    renamed = data._replace(shown=Instances(*name[np.array(data.shown)]), more=Instances(*name[np.array(data.more)]))
    found, other = (prediction_powered(*these, k=k, alpha=ALPHA) for these in (data, renamed))
    assert_allclose(other.theta[name], found.theta)
    assert_allclose(other.covariance[np.ix_(name, name)], found.covariance)
    assert_array_equal(other.ranks[name], found.ranks)
    assert_allclose([other.tuned, other.freedom], [found.tuned, found.freedom])


def test_a_judge_who_was_never_asked_alone_is_left_out() -> None:
    data, none = draw(design(4), np.random.default_rng(8)), np.zeros(0)
    nothing = Instances(none.astype(np.int64), none.astype(np.int64))
    found = prediction_powered(data.shown, data.people, data.judge, nothing, Wins(none, none), k=4, alpha=ALPHA)
    assert found.tuned == 0.0
    assert_allclose(found.covariance, by_people(data.shown, data.people, 4, ALPHA).covariance)


def test_the_radius_is_that_of_hotelling() -> None:
    """chi2 for a covariance that is known; t^2 for one system; none at all with less freedom than systems."""
    assert squared_radius(5, ALPHA, np.inf) == pytest.approx(chi2.ppf(0.9, 5))
    assert squared_radius(5, ALPHA, 1e6) == pytest.approx(chi2.ppf(0.9, 5), rel=1e-4)
    assert squared_radius(1, ALPHA, 9.0) == pytest.approx(t.ppf(0.95, 9) ** 2)
    assert_array_equal(ranks(np.array([0.0, 1.0]), np.zeros((2, 2)), squared_radius(2, ALPHA, 0.5)), [[1, 2], [1, 2]])


def test_normal_rows_have_as_much_freedom_as_there_are() -> None:
    rows = np.random.default_rng(7).standard_normal((400, 30))
    assert degrees_of_freedom(rows) == pytest.approx(400, rel=0.1)
    assert degrees_of_freedom(np.zeros((3, 2))) == 0.0


def test_rank_sets_by_hand() -> None:
    """Two sd of a difference times sqrt(chi2) is what separates."""
    reach = np.sqrt(2.0 * 0.01 * chi2.ppf(0.9, 3))
    theta = np.array([2.5 * reach, 1.2 * reach, 0.9 * reach])
    assert_array_equal(ranks(theta, 0.01 * np.eye(3), chi2.ppf(0.9, 3)), [[1, 1], [2, 3], [2, 3]])


def test_published_theta_of_chatbot_arena(shared_data: Path) -> None:
    """All twelve systems, people and three judges, against the reference values."""
    folder = shared_data / "chatbot_arena_ppr"
    with open(folder / "theta_full.csv") as file:
        reference = sorted(csv.DictReader(file), key=lambda row: row[""])
    data = read_arena(folder)
    for judge, won in data.wins.items():
        expected = [float(row[judge]) for row in reference]
        assert_allclose(mean_wins(data.shown, won, 12).theta, expected, atol=1e-9)
