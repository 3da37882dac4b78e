"""One candidate beside another, from draws of all or, of very many, from the difference alone."""

import numpy as np
import pytest

from app.inference.reporting import beside_one, head_to_heads
from app.inference.targets import quantity_of
from tests.analysis.test_ranking import COMPARISONS, ITEM, log, publish

LEVEL = 0.95


def test_of_very_many_the_difference_alone_says_nearly_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    published, judged = publish("latent"), log()
    quantity = quantity_of("latent", published, COMPARISONS, ITEM, judged.has, judged.people)
    drawn = beside_one(quantity, published, "latent", 0, 1, LEVEL)
    monkeypatch.setattr(head_to_heads, "RANKED_DENSE", 2)
    alone = beside_one(quantity, published, "latent", 0, 1, LEVEL)
    assert alone.difference == pytest.approx(quantity.mean[0] - quantity.mean[1], abs=0.01)
    assert (alone.p_better, alone.win_rate) == pytest.approx((drawn.p_better, drawn.win_rate), abs=0.01)
    assert np.allclose(alone.win_rate_interval or (), drawn.win_rate_interval or (), atol=0.02)
