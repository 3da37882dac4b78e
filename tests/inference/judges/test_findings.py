"""Judges whose position bias and temperature are planted."""

import numpy as np
import pytest
from scipy.special import expit, logit

from app.inference.judges.findings import debias
from app.inference.types import Comparisons, Ints, once_each


def shown(seed: int, swaps: tuple[bool, ...]) -> tuple[Comparisons, Ints, np.ndarray]:
    """Answers, their pairs, and people's labels of 400 pairs.

    Judge 0 likes the first by 1.5 and is twice as sure as it is right; judge 1 does neither.
    """
    rng = np.random.default_rng(seed)
    d = rng.normal(size=400)
    truth = (rng.random(400) < expit(d)).astype(float)
    pair, swapped, judge = (np.ravel(part) for part in np.meshgrid(np.arange(400), np.array(swaps), [0, 1]))
    x = np.where(swapped, -d[pair], d[pair])
    p = expit(np.where(judge == 0, 2.0 * (x + 1.5), x))
    return once_each(swapped.astype(np.int64), 1 - swapped, p, judge), pair, truth


def test_both_orders_tell_the_liking_and_people_tell_the_temperature() -> None:
    """logit p' is (x - delta) / T, with deltas of 3 and 0 and temperatures of 2 and 1."""
    answers, pair, truth = shown(0, (False, True))
    debiased = logit(debias(answers, pair, truth, 2).p)
    for judge, delta, temperature in ((0, 3.0, 2.0), (1, 0.0, 1.0)):
        own = answers.judge == judge
        slope, offset = np.polyfit(debiased[own], logit(answers.p[own]), 1)
        assert slope == pytest.approx(temperature, rel=0.35)
        assert offset == pytest.approx(delta, abs=1e-6)
    by_first, by_other = (debiased[(answers.judge == 0) & (answers.first == way)] for way in (0, 1))
    np.testing.assert_allclose(by_first, -by_other, atol=1e-9)


def test_nothing_is_changed_without_labels_and_other_orders() -> None:
    answers, pair, truth = shown(1, (False,))
    debiased = debias(answers, pair, np.full_like(truth, np.nan), 2)
    np.testing.assert_allclose(debiased.p, answers.p, atol=1e-6)


def test_swapping_how_every_pair_is_shown_swaps_the_answers() -> None:
    answers, pair, truth = shown(2, (False, True))
    turned = answers._replace(p=1.0 - answers.p, first=answers.second, second=answers.first)
    one, other = (debias(each, pair, truth, 2).p for each in (answers, turned))
    np.testing.assert_allclose(other, 1.0 - one, atol=1e-9)
