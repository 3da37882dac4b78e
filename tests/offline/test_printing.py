"""What the tables of rankings say above their rows."""

import pytest
from nextpair.schemas import Confidence

from app.offline.printing.ranking import confidence_line


@pytest.mark.parametrize(
    ("concordance", "interval", "line"),
    [
        (1.0, (1.0, 1.0), "all of the pairs are in this order"),
        (0.996, (1.0, 1.0), "about 99% of the pairs are in the right order"),
        (0.99, (0.996, 1.0), "about 99% of the pairs are in the right order (99 to 100%)"),
        (0.94, (0.9, 0.97), "about 94% of the pairs are in the right order (90 to 97%)"),
    ],
)
def test_all_pairs_are_in_order_only_where_their_expected_share_is_one(
    concordance: float, interval: tuple[float, float], line: str
) -> None:
    assert (
        confidence_line(Confidence(expected_concordance=concordance, pairs=276, interval=interval, forecast=[])) == line
    )
