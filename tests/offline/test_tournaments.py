"""Pairs without a model."""

import numpy as np
import pytest

from app.offline.tournaments import PAIRINGS, Tournament


@pytest.mark.parametrize("n", [5, 6])
@pytest.mark.parametrize("kind", Tournament)
def test_a_tournament_has_every_pair_once_and_nobody_twice_in_a_round(kind: Tournament, n: int) -> None:
    exists, points, rng = ~np.eye(n, dtype=np.bool_), np.zeros(n), np.random.default_rng(0)
    pairs = list(PAIRINGS[kind](exists, points, rng))
    assert sorted(map(sorted, pairs)) == [[i, j] for i in range(n) for j in range(i + 1, n)]
    assert len(set(np.ravel(pairs[: n // 2]))) == 2 * (n // 2)
    exists[0, 1] = exists[1, 0] = False
    assert {0, 1} not in map(set, PAIRINGS[kind](exists, points, rng))


def test_swiss_pairs_neighbours_in_the_standings() -> None:
    points = np.zeros(4)
    pairs = PAIRINGS[Tournament.SWISS](~np.eye(4, dtype=np.bool_), points, np.random.default_rng(0))
    won, also_won = (min(next(pairs)) for _ in range(2))
    points[[won, also_won]] = 1.0
    assert set(next(pairs)) == {won, also_won}
