"""Agreement, disagreement and surprise of pairs of outputs and of items."""

from itertools import combinations
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.inference.judges import ItemsJudged, items_judged, judged_pairs, surprise_of_pairs, surprises
from app.inference.types import Comparisons, Floats, Ints

N, ITEMS = 4, 3
# item, first, second, p of the first, judge, weight
VERDICTS = st.tuples(
    st.integers(0, ITEMS - 1),
    st.permutations(range(N)).map(lambda order: tuple(order[:2])),
    st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0]),
    st.integers(0, 3),
    st.sampled_from([0.5, 1.0, 3.0]),
)
LOGS = st.lists(VERDICTS, min_size=1, max_size=25)
Verdict = tuple[int, tuple[int, int], float, int, float]


def arrays(log: list[Verdict]) -> tuple[Comparisons, Ints, Ints]:
    item, sides, p, judge, weight = zip(*log, strict=True)
    first, second = np.array(sides, np.int64).T
    comparisons = Comparisons(first, second, np.array(p), np.array(judge, np.int64), np.array(weight))
    return comparisons, np.array(item, np.int64), np.arange(1, len(log) + 1)


def expected_of(low: Ints, high: Ints) -> Floats:
    """By scores that fall with the number."""
    return np.asarray(1.0 / (1.0 + np.exp(0.7 * (low - high))))


def winner(p: float) -> int:
    return int(np.sign(p - 0.5))


@given(LOGS)
def test_pairs_have_what_their_verdicts_say(log: list[Verdict]) -> None:
    pairs = judged_pairs(*arrays(log), N)
    expected = expected_of(pairs.low, pairs.high)
    of_pairs, of_verdicts = surprise_of_pairs(pairs, expected), surprises(pairs, expected)
    by_pair: dict[tuple[int, int, int], list[tuple[int, float, float]]] = {}
    for seq, (item, (a, b), p_first, _, votes) in enumerate(log, 1):
        p_low = p_first if a < b else 1.0 - p_first
        by_pair.setdefault((item, min(a, b), max(a, b)), []).append((seq, p_low, votes))
    assert set(by_pair) == set(zip(pairs.item.tolist(), pairs.low.tolist(), pairs.high.tolist(), strict=True))
    for at, place in enumerate(zip(pairs.item.tolist(), pairs.low.tolist(), pairs.high.tolist(), strict=True)):
        seqs, p, weight = map(np.array, zip(*by_pair[place], strict=True))
        q = expected[at]
        bits = -np.log2(p * q + (1.0 - p) * (1.0 - q))
        assert (pairs.verdicts[at], pairs.last[at]) == (len(seqs), seqs.max())
        np.testing.assert_allclose(of_verdicts[pairs.pair == at], bits)
        assert of_pairs[at] == pytest.approx(np.average(bits, weights=weight))
        same = [winner(one) == winner(other) for one, other in combinations(p.tolist(), 2)]
        if not same:
            assert np.isnan(pairs.agreement[at])
            assert np.isnan(pairs.disagreement[at])
            continue
        assert pairs.agreement[at] == pytest.approx(np.mean(same))
        mean = np.average(p, weights=weight)
        unsure = np.average(4.0 * p * (1.0 - p), weights=weight)
        assert pairs.disagreement[at] == pytest.approx(4.0 * mean * (1.0 - mean) - unsure, abs=1e-12)


@settings(deadline=None)  # the first example loads more
@given(LOGS, st.permutations(range(N)), st.data())
def test_other_numbers_and_other_orders_shown_change_nothing(
    log: list[Verdict], number: list[int], data: st.DataObject
) -> None:
    swaps = data.draw(st.lists(st.booleans(), min_size=len(log), max_size=len(log)))
    renamed: list[Verdict] = []
    for (item, (a, b), p, judge, weight), swapped in zip(log, swaps, strict=True):
        sides = (number[a], number[b])
        renamed.append((item, sides[::-1] if swapped else sides, 1.0 - p if swapped else p, judge, weight))
    by_old, by_new = by_last(log, list(range(N))), by_last(renamed, list(np.argsort(number)))
    assert by_old.keys() == by_new.keys()
    for last, figures in by_old.items():
        np.testing.assert_allclose(by_new[last], figures, atol=1e-9)


def by_last(log: list[Verdict], old: list[int]) -> dict[int, list[float]]:
    """Figures of each pair, by its last verdict; what is expected goes by the `old` numbers."""
    pairs = judged_pairs(*arrays(log), N)
    expected = expected_of(np.array(old)[pairs.low], np.array(old)[pairs.high])
    columns = pairs.last, pairs.agreement, pairs.disagreement, surprise_of_pairs(pairs, expected)
    return {int(last): list(figures) for last, *figures in zip(*columns, strict=True)}


@given(LOGS)
def test_items_have_what_their_pairs_have(log: list[Verdict]) -> None:
    pairs = judged_pairs(*arrays(log), N)
    expected = expected_of(pairs.low, pairs.high)
    found, bits = items_judged(pairs, expected, ITEMS + 1), surprises(pairs, expected)
    assert found.comparisons.sum() == len(log)
    assert found.pairs.sum() == len(pairs.item)
    for item in range(ITEMS):
        here, several = pairs.item == item, (pairs.item == item) & (pairs.verdicts > 1)
        said = here[pairs.pair]
        assert (found.comparisons[item], found.pairs[item]) == (said.sum(), here.sum())
        if said.any():
            assert found.surprise[item] == pytest.approx(np.average(bits[said], weights=pairs.weight[said]))
        if several.any():
            of_pairs = pairs.disagreement[several], pairs.verdicts[several]
            assert found.disagreement[item] == pytest.approx(np.average(of_pairs[0], weights=of_pairs[1]), abs=1e-12)
            every = pairs.verdicts[several] * (pairs.verdicts[several] - 1) / 2
            assert found.agreement[item] == pytest.approx(np.average(pairs.agreement[several], weights=every))
        else:
            assert np.isnan([found.agreement[item], found.disagreement[item]]).all()
    assert np.isnan([found.agreement[-1], found.disagreement[-1], found.surprise[-1]]).all()


def test_votes_disagree_by_their_shares_and_a_sure_ranking_is_surprised() -> None:
    votes: list[Verdict] = [(0, (0, 1), p, 0, 1.0) for p in (1.0, 1.0, 1.0, 0.0)]
    ties: list[Verdict] = [(0, (2, 3), 0.5, judge, 1.0) for judge in (0, 1)]
    pairs = judged_pairs(*arrays(votes + ties), N)
    np.testing.assert_allclose(pairs.disagreement, [0.75, 0.0])
    np.testing.assert_allclose(pairs.agreement, [0.5, 1.0])
    np.testing.assert_allclose(surprises(pairs, np.array([0.75, 0.9])), [*[-np.log2(0.75)] * 3, 2.0, 1.0, 1.0])
    assert np.isfinite(surprises(pairs, np.array([1.0, 1.0]))).all()
    assert np.isnan(surprises(pairs, np.array([np.nan, np.nan]))).all()


def test_twenty_thousand_comparisons_take_a_moment() -> None:
    rng, n, k = np.random.default_rng(0), 1000, 20_000
    sides = rng.integers(0, n, (10_000, 2))
    sides[sides[:, 0] == sides[:, 1], 1] += 1
    first, second = np.concatenate([sides, sides]).T % (n + 1)
    comparisons = Comparisons(first, second, rng.random(k), rng.integers(0, 9, k), np.ones(k))

    def compute() -> ItemsJudged:
        pairs = judged_pairs(comparisons, np.zeros(k, np.int64), np.arange(k), n + 1)
        return items_judged(pairs, np.full(len(pairs.item), 0.6), 1)

    compute()
    began = perf_counter()
    assert compute().comparisons[0] == k
    assert perf_counter() - began < 0.3
