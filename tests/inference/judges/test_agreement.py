"""How far judges agree, beyond chance, and how sure that is."""

import numpy as np
import pytest

from app.inference.judges.agreement import agreements, krippendorff
from app.inference.types import Floats
from app.inference.verdicts import directions


def verdicts(rng: np.random.Generator, pairs: int, judges: int, each: int, right: float, ties: float = 0.1) -> Floats:
    """(M, J) directions by judges who are right so often, `each` of them on every pair."""
    truth = np.where(rng.random((pairs, 1)) < 0.5, 1.0, -1.0)
    said = np.where(rng.random((pairs, judges)) < right, truth, -truth)
    said[rng.random(said.shape) < ties] = 0.0
    said[rng.random(said.shape).argsort(axis=1) >= each] = np.nan
    return said


def cohen(one: Floats, other: Floats) -> float:
    """kappa by the table of classes."""
    table = np.array([[((one == a) & (other == b)).mean() for b in (-1, 0, 1)] for a in (-1, 0, 1)])
    chance = table.sum(axis=1) @ table.sum(axis=0)
    return float((np.trace(table) - chance) / (1.0 - chance))


def alpha(direction: Floats) -> float:
    """alpha by the matrix of coincidences."""
    coincidences = np.zeros((3, 3))
    for row in direction:
        said = row[~np.isnan(row)].astype(int) + 1
        for a, one in enumerate(said):
            for b, other in enumerate(said):
                if a != b:
                    coincidences[one, other] += 1.0 / (len(said) - 1)
    by_class, n = coincidences.sum(axis=1), coincidences.sum()
    expected = (n**2 - (by_class**2).sum()) / (n * (n - 1.0))
    return float(1.0 - (n - np.trace(coincidences)) / n / expected)


def test_a_tie_agrees_with_a_tie_only() -> None:
    p = np.array([[0.9, 0.6, 0.5], [0.1, 0.8, np.nan], [0.5, 0.5, 0.5]])
    pairs, agreeing, _ = agreements(directions(p - 0.5))
    assert pairs.tolist() == [[3, 3, 2], [3, 3, 2], [2, 2, 2]]
    assert agreeing.tolist() == [[3, 2, 1], [2, 3, 1], [1, 1, 2]]


def test_kappa_and_alpha_are_those_of_every_pair_both_ways_round() -> None:
    said = verdicts(np.random.default_rng(1), 60, 4, 3, right=0.8)
    said[:20] = np.abs(said[:20])  # many pairs whose better one joined first
    both_ways = np.concatenate([said, -said])
    assert krippendorff(said).value == pytest.approx(alpha(both_ways))  # type: ignore[union-attr]
    met = ~np.isnan(both_ways[:, [0, 1]]).any(axis=1)
    assert agreements(said).kappa[0, 1] == pytest.approx(cohen(*both_ways[met][:, [0, 1]].T))


def test_who_joined_first_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    said = verdicts(rng, 80, 3, 2, right=0.9)
    turned = said * rng.choice([-1.0, 1.0], (80, 1))
    assert krippendorff(turned) == krippendorff(said)
    np.testing.assert_allclose(agreements(turned).kappa, agreements(said).kappa)


def test_coins_agree_by_chance_alone_and_all_alike_is_one() -> None:
    coins = krippendorff(verdicts(np.random.default_rng(3), 20_000, 3, 2, right=0.5, ties=0.2))
    alike = krippendorff(np.tile([[1.0], [-1.0]], (20, 3)))
    assert coins is not None
    assert coins.value == pytest.approx(0.0, abs=0.02)
    assert alike is not None
    assert alike.value == alike.interval[1] == 1.0
    assert 0.7 < alike.interval[0] < 0.95


def test_nothing_is_said_where_no_two_judges_met_or_all_are_ties() -> None:
    alone = np.array([[1.0, np.nan], [np.nan, -1.0]])
    assert krippendorff(alone) is None
    assert krippendorff(np.zeros((5, 2))) is None
    assert np.isnan(agreements(alone).kappa[0, 1])
    assert np.isnan(agreements(np.zeros((5, 2))).kappa).all()


@pytest.mark.parametrize(("right", "ties", "each"), [(0.8, 0.0, 2), (0.95, 0.1, 2), (0.9, 0.2, 3)])
def test_the_interval_holds_the_agreement_of_all_pairs(right: float, ties: float, each: int) -> None:
    """500 samples of 40 pairs: coverage has an error of .01, and the agreement of all pairs one of .005."""
    rng = np.random.default_rng(4)
    true = krippendorff(verdicts(rng, 40_000, 3, each, right, ties))
    assert true is not None
    held = 0
    for _ in range(500):
        sample = krippendorff(verdicts(rng, 40, 3, each, right, ties))
        assert sample is not None
        held += sample.interval[0] <= true.value <= sample.interval[1]
    assert 0.92 <= held / 500 <= 0.985
