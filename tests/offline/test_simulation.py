"""Replaying active learning."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from app.files.tables import InputError
from app.inference.choosing.order import Order
from app.inference.choosing.selection import Criterion, Policy
from app.inference.types import by_one_judge
from app.offline import simulation
from app.offline.ranking import Group, Method
from app.offline.simulation import (
    Cost,
    Curves,
    Job,
    Local,
    Problem,
    Setup,
    costs,
    criteria,
    from_pairs,
    from_scores,
    full_set,
    mean_curve,
    problem_seed,
    reach,
    replay,
    simulate,
    spearman,
)

SETUP = Setup(Policy(Criterion.REORDERING), Order.BALANCED, 3, Method("soft-bt"))


def problem(n: int = 6, seed: int = 0) -> Problem:
    scores = dict(zip("abcdefghijkl"[:n], np.random.default_rng(seed).normal(0, 2, n).tolist(), strict=True))
    return from_scores(("g",), scores, scores, 1.0)


def asked(setup: Setup, made: Problem) -> list[tuple[int, int]]:
    loop, pairs = Local(made, setup), []
    while pair := loop.ask():
        loop.tell(*pair, float(made.answers[pair]))
        pairs.append(pair)
    return pairs


def test_scores_become_probabilities_by_the_stated_rule() -> None:
    made = from_scores((), {"x": 3.0, "y": 1.0}, {"x": 1.0, "y": 0.0}, 2.0)
    assert made.offered[0, 1] == pytest.approx(1 / (1 + np.exp(-1.0)))
    assert made.offered[1, 0] == pytest.approx(1 - made.offered[0, 1])
    assert np.isnan(made.offered.diagonal()).all()


def test_pairs_are_averaged_and_the_other_order_is_filled_in() -> None:
    comparisons = by_one_judge(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 2]), np.array([0.6, 0.8, 0.5, 0.9]))
    made = from_pairs(Group((), ["a", "b", "c"], comparisons), {"a": 1.0, "b": 2.0, "c": 3.0})
    assert made.offered[0, 1] == pytest.approx(0.7)
    assert made.answers[1, 0] == 0.5
    assert made.answers[2, 1] == pytest.approx(0.1)
    assert np.isnan(made.answers[0, 2])


def test_a_candidate_without_truth_is_named() -> None:
    with pytest.raises(InputError, match="the judge knows u / y but the truth file has no value for it"):
        from_scores(("u",), {"x": 3.0, "y": 1.0}, {"x": 1.0}, 1.0)


@pytest.mark.parametrize("criterion", Criterion)
def test_every_pair_is_asked_once(criterion: Criterion) -> None:
    pairs = asked(SETUP._replace(policy=Policy(criterion)), problem())
    assert {frozenset(pair) for pair in pairs} == {frozenset((i, j)) for i in range(6) for j in range(i)}
    assert len(pairs) == 15


def test_both_orders_follow_each_other() -> None:
    pairs = asked(SETUP._replace(order=Order.BOTH), problem())
    assert len(pairs) == 30
    assert pairs[1::2] == [(second, first) for first, second in pairs[::2]]


def test_pairs_that_the_judge_was_not_asked_stay_closed() -> None:
    made = from_pairs(
        Group((), ["a", "b", "c"], by_one_judge(np.array([0, 1]), np.array([1, 2]), np.array([0.6, 0.7]))),
        {"a": 1.0, "b": 2.0, "c": 3.0},
    )
    assert {frozenset(pair) for pair in asked(SETUP, made)} == {frozenset((0, 1)), frozenset((1, 2))}


def test_the_same_seed_gives_the_same_pairs() -> None:
    assert asked(SETUP, problem()) == asked(SETUP, problem())
    assert asked(SETUP, problem()) != asked(SETUP._replace(seed=4), problem())


def test_a_batch_is_asked_without_looking_at_answers() -> None:
    once = asked(SETUP._replace(batch=15), problem())
    blind = problem()._replace(offered=np.full((6, 6), 0.5))
    assert once == asked(SETUP._replace(batch=15), blind)


def test_a_replay_ends_at_the_full_set() -> None:
    made = problem()
    curve = replay(Local(made, SETUP), made, 100)
    assert len(curve) == 15
    assert curve[-1] == pytest.approx(full_set(made, SETUP.method)) == pytest.approx(1.0)
    assert len(replay(Local(made, SETUP), made, 4)) == 4


def test_scores_may_come_from_a_baseline() -> None:
    made, by_ratio = problem(), SETUP._replace(method=Method("win-ratio"))
    assert asked(by_ratio, made) == asked(SETUP, made)
    assert replay(Local(made, by_ratio), made, 100)[-1] == pytest.approx(1.0)


def test_spearman_agrees_with_scipy_and_shares_ranks() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        x, y = rng.integers(0, 5, (2, 9)).astype(float)
        assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic)
    assert spearman(np.zeros(4), np.arange(4.0)) == 0.0


def test_a_simulation_does_not_depend_on_how_it_is_run() -> None:
    problems = [problem(5, 0), problem(4, 1)]
    serial = simulate(problems, list(Criterion), 2, SETUP)
    parallel = simulate(problems, list(Criterion), 2, SETUP, run_all=simulation.in_parallel)
    assert all(np.array_equal(serial.curve[c], parallel.curve[c]) for c in Criterion)
    assert serial.curve[Criterion.RANDOM].shape == (2, 10)


def test_constant_truth_is_left_out_and_counted() -> None:
    constant = problem()._replace(truth=np.ones(6))
    curves = simulate([problem(), constant], [Criterion.RANDOM], 1, SETUP)
    assert (curves.problems, curves.constant) == (1, 1)
    with pytest.raises(InputError, match="the truth is the same for every candidate"):
        simulate([constant], [Criterion.RANDOM], 1, SETUP)


def test_a_limit_is_a_share_of_the_ordered_pairs() -> None:
    curves = simulate([problem()], [Criterion.RANDOM], 1, SETUP, limit_share=0.1)
    assert curves.curve[Criterion.RANDOM].shape == (1, 3)


def test_seeds_differ_between_problems_and_fit_a_set() -> None:
    drawn = {problem_seed(seed, k) for seed in range(10) for k in range(10)}
    assert len(drawn) == 100
    assert max(drawn) < 2**32


def test_curves_of_different_lengths_keep_their_last_value() -> None:
    assert mean_curve([np.array([0.0, 1.0]), np.array([0.0, 0.5, 0.0])]).tolist() == [0.0, 0.75, 0.5]


def test_costs() -> None:
    rising = np.array([[0.1, 0.5, 0.9], [0.1, 0.9, 0.8]])
    curves = Curves({Criterion.RANDOM: rising, Criterion.VARIANCE: rising / 2}, 1.0, 10.0, 1, 0)
    random, variance = costs(curves, 0.9)
    assert random._replace(last=0.0) == Cost(Criterion.RANDOM, 2.5, 0.25, 1.0, 2, 0.0)
    assert variance._replace(last=0.0) == Cost(Criterion.VARIANCE, None, None, None, 0, 0.0)
    assert [random.last, variance.last] == pytest.approx([0.85, 0.425])
    assert reach(rising, 0.85) == [3, 2]


def test_criteria() -> None:
    assert criteria(["all"]) == list(Criterion)
    assert criteria(["random", "variance", "random"]) == [Criterion.RANDOM, Criterion.VARIANCE]
    with pytest.raises(InputError, match="no criterion 'best'; use variance"):
        criteria(["best"])


def test_another_loop_can_be_driven() -> None:
    class Scripted:
        def __init__(self) -> None:
            self.told: list[tuple[int, int, float]] = []

        def ask(self) -> tuple[int, int] | None:
            return None if self.told else (2, 0)

        def tell(self, first: int, second: int, p: float) -> None:
            self.told.append((first, second, p))

        def scores(self) -> np.ndarray:
            return made.truth

    made, loop = problem(), Scripted()
    job = Job(made, SETUP, 5)
    assert simulation.run(job, lambda problem, setup: loop).tolist() == [pytest.approx(1.0)]
    assert loop.told == [(2, 0, made.answers[2, 0])]
