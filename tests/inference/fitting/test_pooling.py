"""A pool of sets: what is known of them is found, with the stated confidence."""

import numpy as np
import pytest
from scipy.special import expit

from app.inference.fitting.measurements import WEAK_NOISE
from app.inference.fitting.model import Method, build
from app.inference.fitting.weights import NOISES, SCALES, STEP, VOTES, WEAK_SCALE, Contribution, evidence_apart, pool
from app.inference.regimes import AT_ONCE
from app.inference.types import Comparisons, join, once_each

N = 12
JUDGE = np.array([7])


def judged(rng: np.random.Generator, comparisons: int, scale: float, noise: float | None) -> Comparisons:
    """Random pairs of N candidates; without `noise` the judge votes."""
    s = np.sqrt(scale) * rng.standard_normal(N)
    first, second = np.array([rng.choice(N, 2, replace=False) for _ in range(comparisons)]).T
    d = s[first] - s[second]
    if noise is None:
        p = (rng.random(comparisons) < expit(d)).astype(float)
    else:
        p = expit(d + np.sqrt(noise) * rng.standard_normal(comparisons))
    return once_each(first, second, p, np.zeros(comparisons, np.int64))


def contributions(comparisons: Comparisons) -> list[Contribution]:
    return evidence_apart(comparisons, np.zeros(comparisons.size, np.int64), build(Method(), N), JUDGE)


@pytest.mark.parametrize(("scale", "noise"), [(1.0, 0.1), (1.0, 1.0), (9.0, 0.25), (0.1, 1.0)])
def test_many_small_sets_tell_what_one_cannot(scale: float, noise: float) -> None:
    """60 sets of 12 comparisons, seed 0; the figures lie within two sds of the truth, which are below 1.5."""
    rng = np.random.default_rng(0)
    log_scale, log_noise, _ = pool([each for _ in range(60) for each in contributions(judged(rng, N, scale, noise))])
    assert log_scale is not None
    for found, truth in ((log_scale, scale), (log_noise[7], noise)):
        assert abs(found.mean - np.log(truth)) < 2.0 * found.sd
        assert found.sd < 1.5


def test_what_is_said_is_so() -> None:
    """100 pools of 5 sets that differ by sd 0.5, seed 1: a further set's values lie in 95% intervals in 93% or more."""
    rng, held = np.random.default_rng(1), []
    for _ in range(100):
        scales, noises = np.exp(rng.normal(0.0, 0.5, 6)), np.exp(rng.normal(-1.0, 0.5, 6))
        sets = [contributions(judged(rng, 30, *each)) for each in zip(scales[1:], noises[1:], strict=True)]
        log_scale, log_noise, _ = pool([each for of_set in sets for each in of_set])
        assert log_scale is not None
        held += [
            abs(found.mean - np.log(truth)) < 1.96 * found.sd
            for found, truth in ((log_scale, scales[0]), (log_noise[7], noises[0]))
        ]
    assert 0.93 <= np.mean(held) <= 0.995


def test_few_votes_tell_of_the_scale_by_expectation_propagation() -> None:
    """15 sets of 24 votes, two a candidate, true tau2 = 4, seed 3."""
    rng = np.random.default_rng(3)
    logs = [judged(rng, 24, 4.0, None) for _ in range(15)]
    log_scale, _, _ = pool([each for log in logs for each in contributions(log)])
    assert log_scale is not None
    assert abs(log_scale.mean - np.log(4.0)) < 2.0 * log_scale.sd
    assert log_scale.sd < 1.5


def test_few_votes_of_many_candidates_are_left_out() -> None:
    cast, item = judged(np.random.default_rng(3), 24, 4.0, None), np.zeros(24, np.int64)
    assert not evidence_apart(cast, item, build(Method(), AT_ONCE + 1), JUDGE)


def test_votes_tell_of_the_scale_alone() -> None:
    """40 sets of 60 votes, true tau2 = 4, seed 2; repeats count once."""
    rng = np.random.default_rng(2)
    log_scale, log_noise, _ = pool([each for _ in range(40) for each in contributions(judged(rng, 60, 4.0, None))])
    assert log_scale is not None
    assert log_noise == {}
    assert log_scale.mean == pytest.approx(np.log(4.0), abs=0.6)


def test_judges_are_distinguished_and_votes_go_together() -> None:
    rng = np.random.default_rng(3)
    sets = []
    for _ in range(20):
        fine, rough, votes = (judged(rng, 30, 1.0, noise) for noise in (0.05, 2.0, None))
        rows = [each._replace(judge=each.judge + number) for number, each in enumerate((fine, rough, votes, votes))]
        everything = join(join(rows[0], rows[1]), join(rows[2], rows[3]))
        item, judges = np.zeros(everything.size, np.int64), np.array([3, 8, 9, 11])
        sets.append(evidence_apart(everything, item, build(Method(), N), judges))
    assert [each.judge for each in sets[0]] == [3, 8, VOTES]
    _, log_noise, _ = pool([each for of_set in sets for each in of_set])
    assert log_noise[3].mean < -1.5 < 0.0 < log_noise[8].mean


def test_sets_that_say_nothing_leave_what_was_expected() -> None:
    nothing = Contribution(
        0, np.zeros_like(contributions(judged(np.random.default_rng(4), 3, 1.0, 1.0))[0].log_evidence)
    )
    log_scale, log_noise, _ = pool([nothing] * 3)
    assert log_scale is not None
    assert log_scale.mean == pytest.approx(WEAK_SCALE.mean, abs=0.3)
    assert log_noise[0].mean == pytest.approx(WEAK_NOISE.mean, abs=0.6)
    assert log_noise[0].sd > 1.5


def test_evidence_against_a_scale_has_no_end() -> None:
    """Many answers leave almost every scale thousands of nats behind: none of that is a logarithm of 0, or no number.

    One set of them says nothing that its pool may take up; 40 agree on their scale within a step of the grid.
    """
    x, z = float(SCALES[-1]), float(NOISES[-1])
    peak = -2000.0 * ((SCALES[:, None] - x) ** 2 + (NOISES - z) ** 2)
    alone, many = pool([Contribution(0, peak)]), pool([Contribution(0, peak)] * 40)
    assert alone.log_scale is not None
    assert np.isfinite([*alone.log_scale, *alone.log_noise[0]]).all()
    assert many.log_scale is not None
    assert (many.log_scale.mean, many.log_noise[0].mean) == pytest.approx((x, z), abs=STEP)
