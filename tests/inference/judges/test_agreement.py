"""How far judges agree, beyond chance, and how sure that is."""

import numpy as np
import pytest

from app.analysis.aggregation import answers_of
from app.inference.judges.aggregation import binary, votes
from app.inference.judges.pair_votes import Krippendorff, PairVotes, agreements, krippendorff, krippendorff_of_items
from app.inference.types import Floats, Ints
from app.inference.verdicts import directions, wilson


def verdicts(rng: np.random.Generator, pairs: int, judges: int, each: int, right: float, ties: float = 0.1) -> Floats:
    """(M, J) directions by judges who are right so often, `each` of them on every pair."""
    truth = np.where(rng.random((pairs, 1)) < 0.5, 1.0, -1.0)
    said = np.where(rng.random((pairs, judges)) < right, truth, -truth)
    said[rng.random(said.shape) < ties] = 0.0
    said[rng.random(said.shape).argsort(axis=1) >= each] = np.nan
    return said


def cast(direction: Floats) -> PairVotes:
    """The votes of (M, J) directions; NaN is none."""
    pair, judge = np.nonzero(~np.isnan(direction))
    row = np.arange(len(direction))
    return PairVotes(row, row, row + 1, pair, judge, direction[pair, judge] / 2.0, direction.shape[1])


def cohen(one: Floats, other: Floats) -> float:
    """kappa by the table of classes."""
    table = np.array([[((one == a) & (other == b)).mean() for b in (-1, 0, 1)] for a in (-1, 0, 1)])
    chance = table.sum(axis=1) @ table.sum(axis=0)
    return float((np.trace(table) - chance) / (1.0 - chance))


def alpha(said: Ints) -> float:
    """alpha of what (M, J) judges said by the matrix of coincidences; -1 is nothing."""
    classes = int(said.max()) + 1
    coincidences = np.zeros((classes, classes))
    for row in said:
        there = row[row >= 0]
        for a, one in enumerate(there):
            for b, other in enumerate(there):
                if a != b:
                    coincidences[one, other] += 1.0 / (len(there) - 1)
    by_class, n = coincidences.sum(axis=1), coincidences.sum()
    expected = (n**2 - (by_class**2).sum()) / (n * (n - 1.0))
    return float(1.0 - (n - np.trace(coincidences)) / n / expected)


def numbered(direction: Floats) -> Ints:
    return np.where(np.isnan(direction), -1, np.nan_to_num(direction) + 1).astype(np.int64)


def test_a_tie_agrees_with_a_tie_only() -> None:
    p = np.array([[0.9, 0.6, 0.5], [0.1, 0.8, np.nan], [0.5, 0.5, 0.5]])
    found, (met, agreed) = agreements(cast(directions(p - 0.5))), cast(directions(p - 0.5)).agreement_with_others
    assert np.column_stack(found[:4]).tolist() == [[0, 1, 3, 2], [0, 2, 2, 1], [1, 2, 2, 1]]
    assert (met.tolist(), agreed.tolist()) == ([5, 5, 4], [3, 3, 2])


def test_a_crowd_has_twos_only_of_those_who_met() -> None:
    """100,000 judges, of whom every two neighbours judged one pair: a matrix of them would take 80 GB."""
    pair = np.repeat(np.arange(50_000), 2)
    row, lean = np.arange(50_000), np.where(np.arange(100_000) % 4 == 3, -0.5, 0.5)
    crowd = PairVotes(row, row, row + 1, pair, np.arange(100_000), lean, 100_000)
    found = agreements(crowd)
    assert crowd.most_twos == 50_000
    assert np.array_equal(np.stack(found[:2]), [2 * row, 2 * row + 1])
    assert np.array_equal(found.agreeing, (row + 1) % 2)
    assert np.array_equal(crowd.agreement_with_others[1], np.repeat((row + 1) % 2, 2))


def test_kappa_and_alpha_are_those_of_every_pair_both_ways_round() -> None:
    said = verdicts(np.random.default_rng(1), 60, 4, 3, right=0.8)
    said[:20] = np.abs(said[:20])  # many pairs whose better one joined first
    both_ways = np.concatenate([said, -said])
    assert krippendorff(cast(said)).value == pytest.approx(alpha(numbered(both_ways)))  # type: ignore[union-attr]
    met = ~np.isnan(both_ways[:, [0, 1]]).any(axis=1)
    assert agreements(cast(said)).kappa[0] == pytest.approx(cohen(*both_ways[met][:, [0, 1]].T))


def test_who_joined_first_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    said = verdicts(rng, 80, 3, 2, right=0.9)
    turned = said * rng.choice([-1.0, 1.0], (80, 1))
    assert krippendorff(cast(turned)) == krippendorff(cast(said))
    np.testing.assert_allclose(agreements(cast(turned)).kappa, agreements(cast(said)).kappa)


def test_random_judges_agree_by_chance_alone_and_all_alike_is_one() -> None:
    random = krippendorff(cast(verdicts(np.random.default_rng(3), 20_000, 3, 2, right=0.5, ties=0.2)))
    alike = krippendorff(cast(np.tile([[1.0], [-1.0]], (20, 3))))
    assert random is not None
    assert random.value == pytest.approx(0.0, abs=0.02)
    assert alike is not None
    assert alike.value == alike.interval[1] == 1.0
    assert 0.7 < alike.interval[0] < 0.95


def test_nothing_is_said_where_no_two_judges_met_or_all_are_ties() -> None:
    alone = np.array([[1.0, np.nan], [np.nan, -1.0]])
    assert krippendorff(cast(alone)) is None
    assert krippendorff(cast(np.zeros((5, 2)))) is None
    assert not agreements(cast(alone)).kappa.size
    assert np.isnan(agreements(cast(np.zeros((5, 2)))).kappa).all()


@pytest.mark.parametrize(("right", "ties", "each"), [(0.8, 0.0, 2), (0.95, 0.1, 2), (0.9, 0.2, 3)])
def test_the_interval_holds_the_agreement_of_all_pairs(right: float, ties: float, each: int) -> None:
    """500 samples of 40 pairs: coverage has an error of .01, and the agreement of all pairs one of .005."""
    rng = np.random.default_rng(4)
    true = krippendorff(cast(verdicts(rng, 40_000, 3, each, right, ties)))
    assert true is not None
    held = 0
    for _ in range(500):
        sample = krippendorff(cast(verdicts(rng, 40, 3, each, right, ties)))
        assert sample is not None
        held += sample.interval[0] <= true.value <= sample.interval[1]
    assert 0.92 <= held / 500 <= 0.985


@pytest.mark.parametrize("pairs", [10, 40, 200])
@pytest.mark.parametrize(("right", "ties"), [(0.8, 0.0), (0.95, 0.1), (0.9, 0.3)])
def test_the_interval_holds_the_kappa_of_all_pairs(right: float, ties: float, pairs: int) -> None:
    """1,000 samples, each of two judges: coverage has an error of .007, and the kappa of all pairs one of .005."""
    rng = np.random.default_rng(5)
    true = agreements(cast(verdicts(rng, 40_000, 2, 2, right, ties))).kappa[0]
    votes = cast(verdicts(rng, 1000 * pairs, 2, 2, right, ties))
    samples = agreements(votes._replace(judge=2 * (votes.pair // pairs) + votes.judge, judges=2000))
    low, high = samples.interval
    assert len(low) == 1000
    assert 0.93 <= np.mean((low <= true) & (true <= high)) <= 0.99


def test_kappa_varies_as_its_samples_do() -> None:
    """The variance behind the interval, from pairs that are left out one after the other."""
    said = verdicts(np.random.default_rng(6), 400, 2, 2, right=0.9, ties=0.3)
    without = [agreements(cast(np.delete(said, row, axis=0))).kappa[0] for row in range(len(said))]
    jackknife = len(said) * np.var(without) * (len(said) - 1.0) / len(said)
    low, high = agreements(cast(said)).interval[:, 0]
    assert (high - low) / (2.0 * 1.96) == pytest.approx(np.sqrt(jackknife), rel=0.02)


def test_kappa_of_judges_who_call_no_ties_has_the_interval_of_a_share() -> None:
    said = verdicts(np.random.default_rng(7), 50, 2, 2, right=0.8, ties=0.0)
    agreed = agreements(cast(said))
    ends = wilson(agreed.agreeing[0] / 50.0, 49.0, 0.95)
    np.testing.assert_allclose(agreed.interval[:, 0], [2.0 * end - 1.0 for end in ends])


def items(rng: np.random.Generator, count: int, judges: int, right: float) -> Ints:
    """(N, K) which of three unequal classes each judge names, -1 where it says nothing."""
    truth = rng.choice(3, (count, 1), p=[0.6, 0.3, 0.1])
    said = np.where(rng.random((count, judges)) < right, truth, rng.integers(3, size=(count, judges)))
    return np.where(rng.random(said.shape) < 0.2, -1, said)


def test_alpha_of_items_is_that_of_the_matrix_of_coincidences() -> None:
    said = items(np.random.default_rng(8), 200, 4, right=0.7)
    found = krippendorff_of_items(votes(answers_of(said, 3)))
    assert found is not None
    assert found.value == pytest.approx(alpha(said))
    assert found.units == int(((said >= 0).sum(axis=1) > 1).sum())


def test_half_votes_are_a_class_of_their_own() -> None:
    y = np.array([[0.5, 0.5], [0.9, 0.8], [0.5, 0.2], [0.1, 0.3]])
    found = krippendorff_of_items(votes(binary(y)))
    assert found is not None
    assert found.value == pytest.approx(alpha(np.array([[2, 2], [1, 1], [2, 0], [0, 0]])))


def test_nothing_is_said_of_items_of_which_all_say_the_same() -> None:
    assert krippendorff_of_items(votes(answers_of(np.ones((5, 2), np.int64), 2))) is None
    assert krippendorff_of_items(votes(answers_of(np.array([[0, -1], [-1, 1]]), 2))) is None


@pytest.mark.parametrize("right", [0.5, 0.9])
def test_the_interval_holds_the_agreement_of_all_items(right: float) -> None:
    """500 samples of 60 items: coverage has an error of .01."""
    rng = np.random.default_rng(9)
    true = alpha_of_items(rng, 40_000, right)
    samples = [alpha_of_items(rng, 60, right) for _ in range(500)]
    held = [sample.interval[0] <= true.value <= sample.interval[1] for sample in samples]
    assert 0.92 <= np.mean(held) <= 0.985


def alpha_of_items(rng: np.random.Generator, count: int, right: float) -> Krippendorff:
    found = krippendorff_of_items(votes(answers_of(items(rng, count, 3, right), 3)))
    assert found is not None
    return found
