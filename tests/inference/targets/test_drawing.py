"""Draws of the scores."""

import numpy as np
import pytest

from app.inference.fitting.integration import mixed
from app.inference.gaussian import Scores
from app.inference.targets import draw_scores
from tests.inference.factories import isotropic


def test_each_draw_has_the_noise_of_the_part_that_it_is_from() -> None:
    parts = [
        (0.7, Scores(np.array([1.0, -1.0]), isotropic(2, 1e-6), noise=0.5)),
        (0.3, Scores(np.array([2.0, -2.0]), isotropic(2, 1e-6), noise=4.0)),
    ]
    draws = draw_scores(mixed(parts), np.arange(2), np.random.default_rng(1), 4000)
    assert (draws.noise == 0.5).mean() == pytest.approx(0.7, abs=0.03)
    assert draws.scores[:, 0] == pytest.approx(np.where(draws.noise == 0.5, 1.0, 2.0), abs=0.01)
