"""Many runs of active learning, and what each criterion costs."""

import numpy as np
import pytest

from app.files.tables import InputError
from app.inference.choosing import Criterion
from app.inference.types import Floats
from app.offline import simulation
from app.offline.simulation import Curves, Way, case_seed, costs, reach, resampled_costs, simulate, ways
from app.offline.tournaments import Tournament
from tests.offline.factories import SETUP, make_case


@pytest.mark.study
def test_a_simulation_does_not_depend_on_how_it_is_run() -> None:
    cases = [make_case(5, 0), make_case(4, 1)]
    serial = simulate(cases, list(Criterion), 2, SETUP)
    parallel = simulate(cases, list(Criterion), 2, SETUP, run_all=simulation.in_parallel)
    assert all(np.array_equal(serial.agreement[c], parallel.agreement[c]) for c in Criterion)
    assert serial.agreement[Criterion.RANDOM].shape == (2, 2, 10)


def test_constant_truth_is_left_out_and_counted() -> None:
    constant = make_case()._replace(truth=np.ones(6))
    curves = simulate([make_case(), constant], [Criterion.RANDOM], 1, SETUP)
    assert (curves.cases, curves.constant) == (1, 1)
    with pytest.raises(InputError, match="the truth is the same for every candidate"):
        simulate([constant], [Criterion.RANDOM], 1, SETUP)


def test_a_limit_is_a_share_of_the_ordered_pairs() -> None:
    curves = simulate([make_case()], [Criterion.RANDOM], 1, SETUP, limit_share=0.1)
    assert curves.agreement[Criterion.RANDOM].shape == (1, 1, 3)


def test_seeds_differ_between_cases_and_fit_a_set() -> None:
    drawn = {case_seed(seed, k) for seed in range(10) for k in range(10)}
    assert len(drawn) == 100
    assert max(drawn) < 2**32


def test_curves_of_different_lengths_keep_their_last_value() -> None:
    short, long = simulate([make_case(3), make_case(4)], [Tournament.SWISS], 1, SETUP).agreement[Tournament.SWISS][0]
    assert short[2:].tolist() == [short[2]] * 4
    assert long[5] == pytest.approx(1.0)


def test_costs() -> None:
    rising = np.array([[[0.1, 0.5, 0.9]], [[0.1, 0.9, 0.8]]])
    of_both: dict[Way, Floats] = {Criterion.RANDOM: rising, Tournament.SWISS: rising / 2}
    curves = Curves(of_both, of_both, np.ones(1), np.ones(1), 10.0, 0)
    random, swiss = costs(curves, 0.9)
    assert random[:6] == (Criterion.RANDOM, 2.5, None, 0.25, 1.0, 2)
    assert swiss[:6] == (Tournament.SWISS, None, None, None, None, 0)
    assert [random.last, swiss.last] == pytest.approx([0.85, 0.425])
    assert [random.last_pearson, swiss.last_pearson] == pytest.approx([0.85, 0.425])
    assert reach(rising[:, 0], 0.85) == [3, 2]


def test_the_error_of_a_cost_is_its_spread_over_new_drawings_of_the_cases() -> None:
    """Costs 1, 2, ... 9 of cases that reach their own target at once; a mean curve reaches it with the last drawn."""
    rng = np.random.default_rng(0)
    cases = 400
    at = rng.integers(1, 10, cases)
    step = (np.arange(1, 10) >= at[:, None]).astype(np.float64)[None]
    curves = Curves({Criterion.RANDOM: step}, {Criterion.RANDOM: step}, np.ones(cases), np.ones(cases), 90.0, 0)
    drawn = resampled_costs(curves, Criterion.RANDOM, 0.5)
    again = [np.argmax(step[0][rng.integers(cases, size=cases)].mean(axis=0) >= 0.5) + 1 for _ in range(2000)]
    assert drawn.mean() == pytest.approx(np.mean(again), abs=0.15)
    assert drawn.std() == pytest.approx(np.std(again), abs=0.1)
    assert costs(curves, 0.5)[0].error == drawn.std()


def test_noise_belongs_to_the_judge_and_not_to_the_way_of_choosing() -> None:
    """All ways end at the same correlation, below that of the judge without noise."""
    cases = [make_case(8, seed) for seed in range(6)]
    curves = simulate(cases, [Criterion.RANDOM, Tournament.SWISS], 2, SETUP, noise=3.0)
    random, swiss = (curves.mean(way)[:, 27] for way in curves.agreement)
    assert random == pytest.approx(swiss)
    assert random[0] != random[1]
    assert random.max() < 0.95 < curves.full.mean()


def test_ways() -> None:
    assert ways(["all"]) == list(Criterion)
    assert ways(["random", "swiss", "random"]) == [Criterion.RANDOM, Tournament.SWISS]
    with pytest.raises(InputError, match="no criterion 'best'; use variance"):
        ways(["best"])


def test_verdict_weights_are_learnt_from_all_cases_together() -> None:
    """Eight candidates, a judge that never contradicts itself, and as many comparisons as candidates."""
    cases = [make_case(8, seed) for seed in range(20)]
    learnt = SETUP._replace(method=SETUP.method._replace(verdict_weight="learnt"))
    one_vote, alone, together = (
        simulate(cases, [Criterion.REORDERING], 1, setup, 1 / 7).mean(Criterion.REORDERING)[0]
        for setup in (SETUP, learnt, learnt._replace(pooled=True))
    )
    assert len(together) == 8
    assert together[-1] > one_vote[-1] + 0.03
    assert together[-1] >= alone[-1] - 0.005


def test_cases_that_advance_together_learn_at_one_vote_nothing() -> None:
    cases = [make_case(5, 0), make_case(4, 1)]
    apart, together = (simulate(cases, [*Criterion], 1, SETUP._replace(pooled=pooled)) for pooled in (False, True))
    assert all(np.array_equal(apart.agreement[way], together.agreement[way]) for way in Criterion)
