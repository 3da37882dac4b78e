"""Pairs of outputs on which judges name different winners."""

import numpy as np

from app.inference.judges.disputes import DisputedPair, disputed_pairs
from app.inference.types import Comparisons, Ints

# item, first, second, p of the first, judge, weight
LOG = [
    (0, 0, 1, 0.9, 7, 1.0),  # 1
    (0, 1, 0, 0.8, 9, 1.0),  # 2: another winner
    (0, 2, 1, 0.9, 7, 1.0),  # 3
    (0, 1, 2, 0.1, 9, 1.0),  # 4: the same
    (0, 0, 2, 1.0, 7, 1.0),  # 5
    (0, 0, 2, 0.5, 9, 1.0),  # 6: a tie
    (1, 0, 1, 0.9, 8, 1.0),  # 7: on another item
    (1, 1, 0, 0.7, 7, 3.0),  # 8: another winner
    (1, 0, 1, 0.9, 7, 1.0),  # 9: the same judge, by less than it has said
    (0, 2, 0, 0.9, 9, 1.0),  # 10: no tie any more
]


def disputes(upto: int = len(LOG), after: int = 0, limit: int | None = None) -> list[DisputedPair]:
    item, first, second, p, judge, weight = map(np.array, zip(*LOG[:upto], strict=True))
    seq: Ints = np.arange(1, upto + 1)
    return disputed_pairs(Comparisons(first, second, p, judge, weight), item, seq, 3, after=after, limit=limit)


def test_a_dispute_has_what_each_judge_said_together() -> None:
    (first,) = disputes(7)
    assert first[:4] == (2, 0, 0, 1)
    np.testing.assert_allclose([first.p_low[7], first.p_low[9]], [0.9, 0.2])
    _, second, third = disputes()
    assert (second[:4], third[:4]) == ((9, 1, 0, 1), (10, 0, 0, 2))
    np.testing.assert_allclose([second.p_low[7], second.p_low[8]], [(3 * 0.3 + 0.9) / 4, 0.9])


def test_disputes_come_in_pages_by_their_last_verdict() -> None:
    assert [each.seq for each in disputes(limit=2)] == [2, 9]
    assert [each.seq for each in disputes(after=9)] == [10]
    assert disputes(1) == []
