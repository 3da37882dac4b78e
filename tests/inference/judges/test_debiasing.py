"""Judges whose position bias and temperature are planted."""

import numpy as np
import pytest
from scipy.special import expit, logit

from app.inference.judges.debiasing import ShownAnswers, debias
from app.inference.types import Bools


def shown(seed: int, swaps: tuple[bool, ...]) -> tuple[ShownAnswers, np.ndarray]:
    """Judge 0 likes the first by 1.5 and is twice as sure as it is right; judge 1 does neither. 400 pairs."""
    rng = np.random.default_rng(seed)
    d = rng.normal(size=400)
    truth = (rng.random(400) < expit(d)).astype(float)
    pair, swapped, judge = (np.ravel(part) for part in np.meshgrid(np.arange(400), np.array(swaps), [0, 1]))
    x = np.where(swapped, -d[pair], d[pair])
    p = expit(np.where(judge == 0, 2.0 * (x + 1.5), x))
    return ShownAnswers(p, judge, pair, swapped.astype(np.bool_)), truth


def test_both_orders_tell_the_liking_and_people_tell_the_temperature() -> None:
    answers, truth = shown(0, (False, True))
    found = debias(answers, truth, 2)
    assert found.temperature == pytest.approx([2.0, 1.0], rel=0.35)
    assert found.delta == pytest.approx([3.0, 0.0], abs=1e-6)
    by_first, by_other = (logit(found.p[(answers.judge == 0) & (answers.swapped == way)]) for way in (False, True))
    np.testing.assert_allclose(by_first, -by_other, atol=1e-9)


def test_nothing_is_changed_without_labels_and_other_orders() -> None:
    answers, truth = shown(1, (False,))
    found = debias(answers, np.full_like(truth, np.nan), 2)
    np.testing.assert_allclose(found.p, answers.p, atol=1e-6)


def test_swapping_how_every_pair_is_shown_swaps_the_answers_and_the_liking() -> None:
    answers, truth = shown(2, (False, True))
    turned: Bools = ~answers.swapped
    other = debias(answers._replace(p=1.0 - answers.p, swapped=turned), truth, 2)
    one = debias(answers, truth, 2)
    np.testing.assert_allclose(other.p, 1.0 - one.p, atol=1e-9)
    np.testing.assert_allclose(other.delta, -one.delta, atol=1e-9)
