"""Probabilities read the same from Python and on the pages (tests/js/numbers.test.mjs)."""

import pytest
from nextpair.words import percent


@pytest.mark.parametrize(
    ("probability", "shown"),
    [
        (0.0, "0%"),
        (0.004, "<1%"),
        (0.005, "1%"),
        (0.845, "85%"),
        (0.984, "98%"),
        (0.985, "99%"),
        (0.999, ">99%"),
        (1.0, "100%"),
    ],
)
def test_a_probability_is_in_whole_per_cent_halves_up(probability: float, shown: str) -> None:
    assert percent(probability) == shown
