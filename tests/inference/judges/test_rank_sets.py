"""Prediction-powered rank-sets: reference values, coverage by simulation, and the erratum.

`python -m benchmarks.studies.rank_sets` measures more of the coverage.
"""

import csv
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from nextpair.words import SimultaneousName
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit
from scipy.stats import chi2, norm, studentized_range, t

from app.inference.judges import JudgedInstances, Wins, is_judged, prediction_powered, ranked
from app.inference.judges.rank_sets import (
    Instances,
    Meetings,
    SystemScores,
    covariance_of,
    largest_contrasts,
    squared_radius,
)
from app.inference.types import Floats, Ints
from benchmarks.studies.rank_sets.arena import read_arena
from benchmarks.studies.rank_sets.simulation import (
    FIRST,
    SECOND,
    Design,
    Repetition,
    answers,
    differences_hold,
    draw,
    judged,
    meet,
    one_run,
    ranks_hold,
    theta_holds,
    truth,
    where,
    wins,
)

ALPHA = 0.1


def design(k: int, shown: str = "even", judge: str = "good", people: int = 990) -> Design:
    return Design(k, people, 5346, shown, judge)


def runs(of: Design, count: int) -> list[Repetition]:
    return [one_run(of, np.random.default_rng([of.k, seed])) for seed in range(count)]


def with_more(shown: Instances, people: Wins, judge: Wins, more: Instances, judge_more: Wins) -> JudgedInstances:
    """People and the judge on `shown`, the judge alone on `more`."""
    silence = np.full(more.shape, np.nan)
    return JudgedInstances(np.hstack([shown, more]), np.hstack([people, silence]), [np.hstack([judge, judge_more])])


@pytest.mark.study
@pytest.mark.parametrize(
    ("of", "count"),
    [(design(k, shown), 150) for k in (4, 12) for shown in ("even", "uneven")]
    + [(design(30, shown, judge), 40) for shown, judge in (("even", "good"), ("uneven", "good"), ("uneven", "random"))],
)
def test_the_sandwich_covers(of: Design, count: int) -> None:
    """The ellipsoid at least 1 - alpha - 0.03 of the time, differences and rank-sets 1 - alpha, give or take 2.5
    standard errors.

    With 30 systems and uneven pairs, 14% of the pairs were never met and 28% of the others once.
    """
    draws = (draw(of, np.random.default_rng([of.k, seed])) for seed in range(count))
    drawn, true = [prediction_powered(*data, k=of.k) for data in draws], truth(of.k)
    margin = 2.5 * np.sqrt(ALPHA * (1.0 - ALPHA) / count)
    assert np.mean([theta_holds(one, true, ALPHA) for one in drawn]) >= 1.0 - ALPHA - 0.03 - margin
    stated = [ranked(one, ALPHA) for one in drawn]
    assert np.mean([differences_hold(one, true) for one in stated]) >= 1.0 - ALPHA - margin
    assert np.mean([ranks_hold(one.ranks, true) for one in stated]) >= 1.0 - ALPHA


@pytest.mark.study
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("alone", [1, 2, 5, 20, 200])
def test_theta_is_held_however_few_instances_the_judge_has_alone(k: int, alone: int) -> None:
    """60 instances with people's verdicts, 150 runs: 90%, give or take 2.5 standard errors."""
    of, count, held = Design(k, 60, alone, "even", "good"), 150, 0
    for seed in range(count):
        estimate = prediction_powered(*draw(of, np.random.default_rng([13, k, alone, seed])), k=k)
        held += theta_holds(estimate, truth(k), ALPHA)
    assert held / count == pytest.approx(1.0 - ALPHA, abs=2.5 * np.sqrt(ALPHA * (1.0 - ALPHA) / count))


@pytest.mark.parametrize("lambdas", [None, [1.0]])
def test_a_pair_that_the_judge_judged_alone_once_moves_nothing(lambdas: list[float] | None) -> None:
    """Of 60 instances with people's verdicts 0 won 45; the judge, who saw 42, is right in 57 of them."""
    shown, more = (np.repeat([[0], [1]], size, axis=1) for size in (60, 1))
    people, judge = (wins(np.repeat([FIRST, SECOND], [won, 60 - won])) for won in (45, 42))
    data = with_more(shown, people, judge, more, wins(np.array([FIRST])))
    helped, alone = prediction_powered(*data, k=2, lambdas=lambdas), prediction_powered(shown, people, k=2)
    assert_allclose(alone.theta, [0.75, 0.25])
    assert_array_equal(helped.theta, alone.theta)
    assert_allclose(helped.covariance, alone.covariance)


def test_verdicts_that_are_all_alike_prove_nothing() -> None:
    """By hand: 0 won all four; one more verdict unlike them would make it 0.8. 2 was never met by 1."""
    shown = np.array([[0, 0, 0, 0, 1], [1, 1, 2, 2, 2]])
    people = np.array([[1.0, 1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]])
    alone = ranked(prediction_powered(shown, people, k=3), ALPHA)
    assert alone.estimate.theta[0] == 1.0
    assert alone.estimate.covariance[0, 0] == pytest.approx(0.2**2)
    assert_array_equal(alone.ranks, [[1, 3]] * 3)
    judge = people[:, ::-1]
    helped = prediction_powered(*with_more(shown, people, judge, shown, judge), k=3)
    assert helped.covariance[0, 0] >= 0.2**2


def test_the_published_covariance_does_not() -> None:
    """Erratum 6: with 12 systems it is too small by about (12 / 2)^2, and covers nothing."""
    found = [run.helped for run in runs(design(12), 30)]
    assert not any(theta_holds(one["published"], truth(12), ALPHA) for one in found)
    ratios = [np.trace(one["sandwich"].covariance) / np.trace(one["published"].covariance) for one in found]
    assert np.mean(ratios) == pytest.approx(36.0, rel=0.15)


@pytest.mark.parametrize("shown", ["even", "uneven"])
def test_the_published_covariance_is_that_of_the_paper(shown: str) -> None:
    """Eq. 5 to 7 with their matrices, and lam of eq. 14."""
    k, rng = 5, np.random.default_rng(3)
    data = draw(Design(k, 20 * 6, 20 * 30, shown, "good"), rng)
    estimate = prediction_powered(*data, k=k, covariance="published")
    (lam,), (judge,), both = estimate.lambdas, data.judges, is_judged(data.people)
    a, far = of_the_paper(data.shown[:, ~both], lam * judge[:, ~both], k)
    b, near = of_the_paper(data.shown[:, both], lam * judge[:, both] - data.people[:, both], k)
    assert lam == pytest.approx(lambda_of_the_paper(data, k))
    assert 0.0 < lam < 1.0
    assert_allclose(estimate.theta, a - b, rtol=1e-12)
    assert_allclose(estimate.covariance, far + near, rtol=1e-12, atol=1e-18)
    by_ellipsoid, radius = ranked(estimate, ALPHA, "ellipsoid"), chi2.ppf(1.0 - ALPHA, k)
    for m in range(k):
        v = (far + near)[m, m] + np.diag(far + near) - 2.0 * (far + near)[m]
        above = (a - b - (a - b)[m]) ** 2 > radius * v
        better = (above & (a - b > (a - b)[m])).sum()
        assert by_ellipsoid.ranks[m].tolist() == [1 + better, k - (above.sum() - better)]


def of_the_paper(shown: Instances, w: Wins, k: int) -> tuple[Floats, Floats]:
    """a or b of eq. 5, with its part of eq. 7."""
    a, big = residuals_of_the_paper(shown, w, k)
    return a, big @ big.T / shown.shape[1] ** 2


def lambda_of_the_paper(data: JudgedInstances, k: int) -> float:
    """Algorithm 4, with a transpose in line 8 (erratum 7)."""
    (judge,), both = data.judges, is_judged(data.people)
    near, n = data.shown[:, both], both.sum()
    of_judge, of_people = (residuals_of_the_paper(near, who[:, both], k)[1] for who in (judge, data.people))
    _, alone = of_the_paper(data.shown[:, ~both], judge[:, ~both], k)
    return float(n / len(both) * np.trace(of_judge @ of_people.T) / n**2 / np.trace(alone))


def residuals_of_the_paper(shown: Instances, w: Wins, k: int) -> tuple[Floats, Floats]:
    """a of eq. 5 and A of eq. 7; M and M' (k, n) have a one for the system shown."""
    m, m_, one = np.eye(k)[:, shown[0]], np.eye(k)[:, shown[1]], np.ones((k, 1))
    counts = (one @ ((m + m_) @ np.ones((shown.shape[1], 1))).T) * np.eye(k)
    a = np.linalg.inv(counts) @ (m @ w[0] + m_ @ w[1])
    return a, (one @ (w[0] - m.T @ a)[None, :]) * m + (one @ (w[1] - m_.T @ a)[None, :]) * m_


@pytest.mark.parametrize("k", [4, 12, 30])
def test_a_useless_judge_costs_nothing(k: int) -> None:
    found, theta = runs(design(k, "uneven", "random"), 30), truth(k).theta
    helped = sum(((run.helped["sandwich"].theta - theta) ** 2).sum() for run in found)
    assert helped <= 1.05 * sum(((run.people.theta - theta) ** 2).sum() for run in found)
    assert np.mean([run.helped["sandwich"].lambdas for run in found]) < 0.05
    stated = [np.trace(run.helped["sandwich"].covariance) / np.trace(run.people.covariance) for run in found]
    assert np.mean(stated) <= 1.001
    assert max(stated) < 1.05


def test_a_good_judge_saves_human_verdicts() -> None:
    found, theta = runs(design(6), 30), truth(6).theta
    helped = sum(((run.helped["sandwich"].theta - theta) ** 2).sum() for run in found)
    assert helped < 0.8 * sum(((run.people.theta - theta) ** 2).sum() for run in found)
    assert np.mean([run.helped["sandwich"].lambdas for run in found]) > 0.5


def test_a_judge_who_knows_the_systems_but_not_the_instances_is_left_out() -> None:
    """Who wins how often is in theta already, where people saw every pair; only what varies within pairs helps."""
    k, tuned = 8, []
    for seed in range(20):
        rng = np.random.default_rng([9, seed])
        shown, more = (meet(design(k), count, "even", rng) for count in (560, 2800))
        people, said, said_more = (wins(answers(pairs, truth(k).win, rng)) for pairs in (shown, shown, more))
        tuned.append(prediction_powered(*with_more(shown, people, said, more, said_more), k=k).lambdas)
    assert np.mean(tuned) < 0.04


def test_where_the_judge_was_asked_alone_does_not_move_theta() -> None:
    """People saw every pair; the judge was asked alone about neighbours, who are harder to beat for the best."""
    k, gaps = 8, []
    for seed in range(40):
        rng = np.random.default_rng([4, seed])
        shown, more = (meet(design(k), 600, where, rng) for where in ("even", "near"))
        people, unseen = (answers(pairs, truth(k).win, rng) for pairs in (shown, more))
        said, said_more = (wins(judged(*truly, "good", rng)) for truly in ((people, shown), (unseen, more)))
        helped = prediction_powered(*with_more(shown, wins(people), said, more, said_more), k=k)
        gaps.append(helped.theta - truth(k).theta)
    assert (np.abs(np.mean(gaps, axis=0)) < 4.0 * np.std(gaps, axis=0) / np.sqrt(len(gaps))).all()


def test_a_judge_who_always_agrees_makes_one_large_sample() -> None:
    of, rng = Design(5, 400, 4000, "even", "good"), np.random.default_rng(1)
    shown = np.hstack([meet(of, count, "even", rng) for count in (of.people, of.alone)])
    truly = wins(answers(shown, truth(5).win, rng))
    people = where(np.arange(shown.shape[1]) < of.people, truly)
    helped = prediction_powered(shown, people, [truly], k=5)
    assert 0.85 < helped.lambdas[0] < 1.0
    assert np.trace(helped.covariance) < 0.15 * np.trace(prediction_powered(shown, people, k=5).covariance)


def test_theta_is_the_mean_chance_against_each_other_system_however_often_it_was_met() -> None:
    """By hand: 0 beats 1 in 3 of 4, and ties with 2 in the one time they met."""
    shown = np.array([[0, 0, 1, 0, 2], [1, 1, 0, 1, 0]])
    wins = np.array([[1.0, 1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
    assert_allclose(Meetings(shown, 3).mean_wins(wins).theta, [0.375, 0.25, 0.0])


def test_error_is_what_theta_loses_without_an_instance() -> None:
    """The weights of the others kept as they are."""
    shown, won = np.array([[0, 0, 1, 0, 2], [1, 1, 0, 1, 1]]), np.array([1.0, 0.0, 1.0, 1.0, 0.0])
    found = Meetings(shown, 3).mean_wins(np.array([won, 1.0 - won]))
    without = (0.25 * (0.0 + 0.0 + 1.0)) / 0.75  # of system 0, less its first instance
    assert_allclose(found.theta[0] - without, found.error[0, 0])


def on_prompts(seed: int, prompts: int, omega: float) -> tuple[JudgedInstances, Floats]:
    """Four systems on prompts where each does well or badly by chance, and theta over all prompts there could be."""
    k, (low, high), people, size = 4, np.triu_indices(4, 1), 300, 1500
    s, normal = np.linspace(1.0, -1.0, k), np.random.default_rng(0).normal(0.0, np.sqrt(2.0) * omega, 20_000)
    rng = np.random.default_rng([66, seed])
    u, item, pair = rng.normal(0.0, omega, (prompts, k)), rng.integers(prompts, size=size), np.arange(size) % len(low)
    shown = np.array([low[pair], high[pair]])
    d = s[low[pair]] - s[high[pair]] + u[item, low[pair]] - u[item, high[pair]]
    truly = np.where(rng.random(size) < expit(d), FIRST, SECOND)
    judge = wins(np.where(rng.random(size) < 0.8, truly, SECOND - truly))
    win = np.array([[expit(a - b + normal).mean() if a != b else 0.0 for b in s] for a in s])
    return JudgedInstances(shown, where(np.arange(size) < people, wins(truly)), [judge], item), win.sum(axis=1) / (
        k - 1
    )


def test_error_is_what_theta_loses_without_a_prompt() -> None:
    (shown, people, judges, item), _ = on_prompts(0, 12, 1.0)
    assert item is not None
    estimate = prediction_powered(shown, people, judges, item, k=4)
    lost = []
    for prompt in range(12):
        kept = item != prompt
        rest = shown[:, kept], people[:, kept], [judges[0][:, kept]]
        without = prediction_powered(*rest, k=4, lambdas=estimate.lambdas.tolist())
        lost.append(estimate.theta - without.theta)
    assert_allclose(estimate.covariance, 11.0 / 12.0 * np.array(lost).T @ np.array(lost))
    assert estimate.freedom_of_differences.max() <= 11.0
    assert_allclose(estimate.theta, prediction_powered(shown, people, judges, k=4).theta)


@pytest.mark.parametrize("item", [np.arange(1500), np.zeros(1500, np.int64)])
def test_prompts_that_tell_nothing_of_each_other_change_nothing(item: Ints) -> None:
    """Each instance on its own prompt, or all on one."""
    (shown, people, judges, _), _ = on_prompts(1, 12, 1.0)
    for one, other in (
        (prediction_powered(shown, people, judges, item, k=4), prediction_powered(shown, people, judges, k=4)),
        (prediction_powered(shown, people, item=item, k=4), prediction_powered(shown, people, k=4)),
    ):
        for mine, theirs in zip(one, other, strict=True):
            assert_array_equal(mine, theirs)


def test_differences_hold_on_new_prompts() -> None:
    """20 prompts, 30 runs at a stated 95%, give or take 2.5 standard errors; less often as if prompts were alike."""
    holds, as_if_alike = 0, 0
    for seed in range(30):
        data, theta = on_prompts(100 + seed, 20, 1.0)
        for known, item in ((True, data.item), (False, None)):
            sets = ranked(prediction_powered(*data[:3], item, k=4), 0.05)
            error = sets.estimate.theta - theta
            held = bool((np.abs(error[:, None] - error) <= sets.reach + 1e-12).all())
            holds, as_if_alike = holds + (held and known), as_if_alike + (held and not known)
    assert holds >= 30 * (0.95 - 2.5 * np.sqrt(0.95 * 0.05 / 30))
    assert as_if_alike <= 22


def test_showing_the_other_one_first_changes_nothing() -> None:
    data = draw(design(4, "uneven", people=200), np.random.default_rng(2))
    found = Meetings(data.shown, 4).mean_wins(data.people)
    turned = Meetings(data.shown[::-1], 4).mean_wins(data.people[::-1])
    assert_allclose(turned.theta, found.theta)
    assert_allclose(turned.error, found.error[::-1])


def test_other_names_for_the_systems_change_nothing_else() -> None:
    k, data = 6, draw(design(6, "uneven"), np.random.default_rng(5))
    name = np.random.default_rng(6).permutation(k)
    renamed = data._replace(shown=name[data.shown])
    one, other = (prediction_powered(*these, k=k) for these in (data, renamed))
    assert_allclose(other.theta[name], one.theta)
    assert_allclose(other.covariance[np.ix_(name, name)], one.covariance)
    assert_allclose(other.freedom_of_differences[np.ix_(name, name)], one.freedom_of_differences)
    assert_allclose([*other.lambdas, other.freedom], [*one.lambdas, one.freedom])
    for simultaneous in get_args(SimultaneousName):
        named, renamed_too = (ranked(estimate, ALPHA, simultaneous) for estimate in (one, other))
        assert_allclose(renamed_too.reach[np.ix_(name, name)], named.reach, rtol=1e-6)
        assert_array_equal(renamed_too.ranks[name], named.ranks)


def test_a_judge_who_was_never_asked_alone_is_left_out() -> None:
    shown, people, (judge,), _ = draw(design(4), np.random.default_rng(8))
    helped = prediction_powered(shown, people, [where(is_judged(people), judge)], k=4)
    assert_array_equal(helped.lambdas, [0.0])
    assert_allclose(helped.covariance, prediction_powered(shown, people, k=4).covariance)


def test_lambdas_of_several_judges_minimise_what_varies_within_pairs() -> None:
    """Against a solver that knows no gradient; those that help nothing or less are at their bound."""
    shown, people, (good,), _ = draw(design(4), np.random.default_rng(11))
    random, partial = (
        draw(design(4, judge=judge), np.random.default_rng(11)).judges[0] for judge in ("random", "partial")
    )
    turned = good[::-1]
    judges = [good, partial, where(np.arange(shown.shape[1]) < 3000, random), turned]
    of_people = Meetings(shown, 4).mean_wins(people)
    helps = [Meetings(shown, 4).help_of(people, judge) for judge in judges]

    def spread(lambdas: Floats) -> float:
        alone, _, beside = (np.tensordot(lambdas, np.array(parts), 1) for parts in list(zip(*helps, strict=True))[1:])
        return 1e4 * float((alone**2).sum() + ((beside - of_people.chance) ** 2).sum())

    helped = prediction_powered(shown, people, judges, k=4)
    slow = minimize(spread, np.full(4, 0.3), bounds=[(0.0, 1.0)] * 4, options={"ftol": 1e-12})
    assert_allclose(helped.lambdas, slow.x, atol=1e-3)
    assert helped.lambdas[3] == 0.0 < helped.lambdas[:2].min()
    by_one = prediction_powered(shown, people, [good], k=4)
    assert np.trace(helped.covariance) < np.trace(by_one.covariance)


def test_judges_who_are_left_out_leave_what_the_others_say() -> None:
    shown, people, (judge,), _ = draw(design(4), np.random.default_rng(12))
    random = draw(design(4, judge="random"), np.random.default_rng(12)).judges[0]
    both = prediction_powered(shown, people, [judge, random], k=4, lambdas=[0.4, 0.0])
    one = prediction_powered(shown, people, [judge], k=4, lambdas=[0.4])
    assert_allclose(both.theta, one.theta)
    assert_allclose(both.covariance, one.covariance)
    assert_allclose(
        prediction_powered(shown, people, [judge], k=4, lambdas=[0.0]).theta,
        prediction_powered(shown, people, k=4).theta,
    )


def test_the_largest_contrast_of_independent_systems_is_the_studentised_range() -> None:
    """Tukey's: an independent integration."""
    for k in (2, 6, 30):
        stated = np.quantile(largest_contrasts(np.eye(k)), 0.95)
        assert studentized_range.cdf(stated * np.sqrt(2.0), k, np.inf) == pytest.approx(0.95, abs=0.002)


def test_the_reach_of_contrasts_is_that_of_drawn_ones() -> None:
    """The loop of the docstring, on unequal and dependent scores; and Student's where freedom is finite."""
    rng = np.random.default_rng(3)
    root = rng.standard_normal((5, 5)) * [3.0, 1.0, 1.0, 0.3, 0.1]
    covariance, inf = root @ root.T, np.full((5, 5), np.inf)
    z = rng.multivariate_normal(np.zeros(5), covariance, size=100_000)
    pairs = [(a, b) for a in range(5) for b in range(a)]
    known = SystemScores(np.arange(5.0), covariance, np.zeros(0), np.inf, inf)
    reach = ranked(known, ALPHA).reach
    assert np.diag(reach).tolist() == [0.0] * 5
    q = {reach[a, b] / np.linalg.norm(root[a] - root[b]) for a, b in pairs}
    assert max(q) == pytest.approx(min(q))
    sd = np.array([np.linalg.norm(root[a] - root[b]) for a, b in pairs])
    drawn = np.array([np.abs(z[:, a] - z[:, b]) for a, b in pairs]) / sd[:, None]
    assert (drawn.max(axis=0) <= min(q)).mean() == pytest.approx(1.0 - ALPHA, abs=0.006)
    unsure = ranked(known._replace(freedom_of_differences=np.full((5, 5), 7.0)), ALPHA).reach
    assert t.sf(unsure[1, 0] / sd[0], 7.0) == pytest.approx(norm.sf(min(q)))
    rare, rarer, rarest = (ranked(known, alpha).reach[1, 0] for alpha in (0.006, 0.004, 1e-9))
    assert rare < rarer < 1.15 * rare < rarest


def test_the_radius_is_that_of_hotelling() -> None:
    """chi2 for a covariance that is known; t^2 for one system; none at all with less freedom than systems."""
    assert squared_radius(5, ALPHA, np.inf) == pytest.approx(chi2.ppf(0.9, 5))
    assert squared_radius(5, ALPHA, 1e6) == pytest.approx(chi2.ppf(0.9, 5), rel=1e-4)
    assert squared_radius(1, ALPHA, 9.0) == pytest.approx(t.ppf(0.95, 9) ** 2)
    assert squared_radius(2, ALPHA, 0.5) == np.inf


def test_normal_rows_have_as_much_freedom_as_there_are() -> None:
    rows = np.random.default_rng(7).standard_normal((400, 30))
    assert covariance_of(csr_array(rows))[1] == pytest.approx(400, rel=0.1)
    assert covariance_of(csr_array((3, 2)))[1] == 0.0


def test_freedom_of_differences_is_that_of_each() -> None:
    rows = np.random.default_rng(8).standard_normal((50, 4)) * [1.0, 2.0, 0.1, 0.0]
    freedom = covariance_of(csr_array(rows))[2]
    for a in range(4):
        for b in range(a):
            of_one = covariance_of(csr_array(rows[:, [a]] - rows[:, [b]]))[1]
            assert freedom[a, b] == freedom[b, a] == pytest.approx(of_one)
    assert np.isinf(np.diag(freedom)).all()


def test_rank_sets_by_hand() -> None:
    """Two sd of a difference times sqrt(chi2) is what separates."""
    reach = np.sqrt(2.0 * 0.01 * chi2.ppf(0.9, 3))
    known = SystemScores(
        np.array([2.5 * reach, 1.2 * reach, 0.9 * reach]),
        0.01 * np.eye(3),
        np.zeros(0),
        np.inf,
        np.full((3, 3), np.inf),
    )
    assert_array_equal(ranked(known, ALPHA, "ellipsoid").ranks, [[1, 1], [2, 3], [2, 3]])
    assert (ranked(known, ALPHA).reach < reach).all()


def test_published_theta_of_chatbot_arena(shared_data: Path) -> None:
    """All twelve systems, people and three judges, against the reference values."""
    folder = shared_data / "chatbot_arena_ppr"
    with open(folder / "theta_full.csv") as file:
        reference = sorted(csv.DictReader(file), key=lambda row: row[""])
    data = read_arena(folder)
    for judge, won in data.wins.items():
        expected = [float(row[judge]) for row in reference]
        assert_allclose(Meetings(data.shown, 12).mean_wins(won).theta, expected, atol=1e-9)
