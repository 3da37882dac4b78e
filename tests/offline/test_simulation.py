"""Many runs of active learning, and what each criterion costs."""

import numpy as np
import pytest

from app.files.tables import InputError
from app.inference.choosing import Criterion
from app.offline import simulation
from app.offline.simulation import Cost, Curves, Job, case_seed, costs, criteria, mean_curve, reach, simulate
from tests.offline.factories import SETUP, make_case


def test_a_simulation_does_not_depend_on_how_it_is_run() -> None:
    cases = [make_case(5, 0), make_case(4, 1)]
    serial = simulate(cases, list(Criterion), 2, SETUP)
    parallel = simulate(cases, list(Criterion), 2, SETUP, run_all=simulation.in_parallel)
    assert all(np.array_equal(serial.curve[c], parallel.curve[c]) for c in Criterion)
    assert serial.curve[Criterion.RANDOM].shape == (2, 10)


def test_constant_truth_is_left_out_and_counted() -> None:
    constant = make_case()._replace(truth=np.ones(6))
    curves = simulate([make_case(), constant], [Criterion.RANDOM], 1, SETUP)
    assert (curves.cases, curves.constant) == (1, 1)
    with pytest.raises(InputError, match="the truth is the same for every candidate"):
        simulate([constant], [Criterion.RANDOM], 1, SETUP)


def test_a_limit_is_a_share_of_the_ordered_pairs() -> None:
    curves = simulate([make_case()], [Criterion.RANDOM], 1, SETUP, limit_share=0.1)
    assert curves.curve[Criterion.RANDOM].shape == (1, 3)


def test_seeds_differ_between_cases_and_fit_a_set() -> None:
    drawn = {case_seed(seed, k) for seed in range(10) for k in range(10)}
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
            return case.truth

    case, loop = make_case(), Scripted()
    job = Job(case, SETUP, 5)
    assert simulation.run(job, lambda case, setup: loop).tolist() == [pytest.approx(1.0)]
    assert loop.told == [(2, 0, case.answers[2, 0])]
