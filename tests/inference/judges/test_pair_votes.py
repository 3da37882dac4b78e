"""Votes, disputes, agreement, disagreement and surprise of pairs of outputs and of items."""

from itertools import combinations
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.inference.judges.pair_votes import DisputedPair, ItemsJudged, disputed_pairs, judged_pairs, votes_by_pair
from app.inference.types import Comparisons, Floats, Ints, once_each

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
    pairs = judged_pairs(*arrays(log))
    expected = expected_of(pairs.low, pairs.high)
    of_pairs, of_verdicts = pairs.surprises(expected)
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
    pairs = judged_pairs(*arrays(log))
    expected = expected_of(np.array(old)[pairs.low], np.array(old)[pairs.high])
    columns = pairs.last, pairs.agreement, pairs.disagreement, pairs.surprises(expected)[0]
    return {int(last): list(figures) for last, *figures in zip(*columns, strict=True)}


@given(LOGS)
def test_items_have_what_their_pairs_have(log: list[Verdict]) -> None:
    pairs = judged_pairs(*arrays(log))
    expected = expected_of(pairs.low, pairs.high)
    found, (_, bits) = pairs.of_items(expected, ITEMS + 1, expected > 0.0), pairs.surprises(expected)
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


@given(LOGS, st.integers(0, N - 1))
def test_items_of_some_pairs_are_those_of_their_verdicts(log: list[Verdict], candidate: int) -> None:
    pairs, rest = judged_pairs(*arrays(log)), [each for each in log if candidate not in each[1]]
    chosen = (pairs.low != candidate) & (pairs.high != candidate)
    some = pairs.of_items(expected_of(pairs.low, pairs.high), ITEMS, chosen)
    assert some.comparisons.sum() == len(rest)
    if rest:
        pairs = judged_pairs(*arrays(rest))
        expected = expected_of(pairs.low, pairs.high)
        for one, other in zip(some, pairs.of_items(expected, ITEMS, expected > 0.0), strict=True):
            np.testing.assert_allclose(one, other)


def test_votes_disagree_by_their_shares_and_a_sure_ranking_is_surprised() -> None:
    votes: list[Verdict] = [(0, (0, 1), p, 0, 1.0) for p in (1.0, 1.0, 1.0, 0.0)]
    ties: list[Verdict] = [(0, (2, 3), 0.5, judge, 1.0) for judge in (0, 1)]
    pairs = judged_pairs(*arrays(votes + ties))
    np.testing.assert_allclose(pairs.disagreement, [0.75, 0.0])
    np.testing.assert_allclose(pairs.agreement, [0.5, 1.0])
    np.testing.assert_allclose(pairs.surprises(np.array([0.75, 0.9]))[1], [*[-np.log2(0.75)] * 3, 2.0, 1.0, 1.0])
    assert np.isfinite(pairs.surprises(np.array([1.0, 1.0]))[1]).all()
    assert np.isnan(pairs.surprises(np.array([np.nan, np.nan]))[1]).all()


def test_twenty_thousand_comparisons_take_a_moment() -> None:
    rng, n, k = np.random.default_rng(0), 1000, 20_000
    sides = rng.integers(0, n, (10_000, 2))
    sides[sides[:, 0] == sides[:, 1], 1] += 1
    first, second = np.concatenate([sides, sides]).T % (n + 1)
    comparisons = Comparisons(first, second, rng.random(k), rng.integers(0, 9, k), np.ones(k))

    def compute() -> ItemsJudged:
        pairs = judged_pairs(comparisons, np.zeros(k, np.int64), np.arange(k))
        return pairs.of_items(np.full(len(pairs.item), 0.6), 1, pairs.verdicts > 0)

    compute()
    began = perf_counter()
    assert compute().comparisons[0] == k
    assert perf_counter() - began < 0.3


def test_both_orders_of_a_pair_are_one_cell_and_repeats_are_averaged() -> None:
    log = once_each(
        np.array([2, 0, 1, 0]), np.array([0, 2, 0, 2]), np.array([0.2, 0.6, 1.0, 0.9]), np.array([0, 0, 1, 1])
    )
    found = votes_by_pair(log, np.array([5, 5, 3, 5]), 3)
    assert (found.item.tolist(), found.low.tolist(), found.high.tolist()) == ([3, 5], [0, 0], [1, 2])
    np.testing.assert_allclose(found.p, [[np.nan, 0.0, np.nan], [0.7, 0.9, np.nan]])


def test_no_comparisons_are_no_cells() -> None:
    nothing = np.empty(0, np.int64)
    found = votes_by_pair(once_each(nothing, nothing, np.empty(0), nothing), nothing, 0)
    assert found.size == 0
    assert found.p.shape == (0, 0)


# item, first, second, p of the first, judge, weight
DISPUTED = [
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


def disputes(upto: int = len(DISPUTED), after: int = 0, limit: int | None = None) -> list[DisputedPair]:
    item, first, second, p, judge, weight = map(np.array, zip(*DISPUTED[:upto], strict=True))
    seq: Ints = np.arange(1, upto + 1)
    return disputed_pairs(Comparisons(first, second, p, judge, weight), item, seq, after=after, limit=limit)


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
