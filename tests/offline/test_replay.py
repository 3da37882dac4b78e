"""One run of active learning in this process."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from app.inference import state
from app.inference.choosing import Criterion, Order, Policy
from app.inference.fitting import AbsoluteScores
from app.inference.state import Interpretation
from app.inference.types import by_one_judge
from app.offline.cases import Case, from_pairs
from app.offline.groups import Group
from app.offline.ranking import RankingMethod, definition_of
from app.offline.replay import LocalLoop, Pair, Setup, full_set_scores, open_loop, pearson, replay, spearman
from app.offline.tournaments import Tournament
from tests.offline.factories import SETUP, make_case


def asked(setup: Setup, case: Case) -> list[tuple[int, int]]:
    loop, pairs = open_loop(case, setup), list[Pair]()
    while batch := loop.ask():
        loop.tell(batch, np.array([case.answers[pair] for pair in batch]))
        pairs += batch
    return pairs


@pytest.mark.parametrize("criterion", Criterion)
def test_every_pair_is_asked_once(criterion: Criterion) -> None:
    pairs = asked(SETUP._replace(policy=Policy(criterion)), make_case())
    assert {frozenset(pair) for pair in pairs} == {frozenset((i, j)) for i in range(6) for j in range(i)}
    assert len(pairs) == 15


def test_both_orders_follow_each_other() -> None:
    pairs = asked(SETUP._replace(order=Order.BOTH), make_case())
    assert len(pairs) == 30
    assert pairs[1::2] == [(second, first) for first, second in pairs[::2]]


def test_each_ordered_pair_is_asked_once() -> None:
    pairs = asked(SETUP._replace(order=Order.EACH), make_case())
    assert sorted(pairs) == [(i, j) for i in range(6) for j in range(6) if i != j]
    assert pairs[1] != pairs[0][::-1]


def test_pairs_that_the_judge_was_not_asked_stay_closed() -> None:
    case = from_pairs(
        Group((), ["a", "b", "c"], by_one_judge(np.array([0, 1]), np.array([1, 2]), np.array([0.6, 0.7]))),
        {"a": 1.0, "b": 2.0, "c": 3.0},
    )
    assert {frozenset(pair) for pair in asked(SETUP, case)} == {frozenset((0, 1)), frozenset((1, 2))}


def test_the_same_seed_gives_the_same_pairs() -> None:
    assert asked(SETUP, make_case()) == asked(SETUP, make_case())
    assert asked(SETUP, make_case()) != asked(SETUP._replace(seed=4), make_case())


def test_a_batch_is_asked_without_looking_at_answers() -> None:
    once = asked(SETUP._replace(batch=15), make_case())
    blind = make_case()._replace(offered=np.full((6, 6), 0.5))
    assert once == asked(SETUP._replace(batch=15), blind)


def test_a_curve_stands_still_within_a_batch() -> None:
    case = make_case()
    curve, _ = replay(LocalLoop(case, SETUP._replace(batch=4)), case, 10)
    assert len(curve) == 10
    assert curve[[0, 2, 4, 6, 8]].tolist() == [0.0, 0.0, curve[3], curve[3], curve[7]]
    assert len({0.0, curve[3], curve[7]}) == 3


@pytest.mark.parametrize("tournament", Tournament)
def test_a_tournament_takes_the_place_of_a_criterion(tournament: Tournament) -> None:
    pairs = asked(SETUP._replace(tournament=tournament, order=Order.BOTH), make_case())
    assert len(set(pairs)) == len(pairs) == 30
    assert pairs[1::2] == [(second, first) for first, second in pairs[::2]]


def test_a_replay_ends_at_the_full_set() -> None:
    case = make_case()
    curve = replay(LocalLoop(case, SETUP), case, 100)
    assert curve.shape == (2, 15)
    scores = full_set_scores(case, SETUP.method)
    assert curve[:, -1] == pytest.approx([spearman(scores, case.truth), pearson(scores, case.truth)], abs=1e-3)
    assert curve[0, -1] == pytest.approx(1.0)
    assert replay(LocalLoop(case, SETUP), case, 4).shape == (2, 4)


def test_scores_may_come_from_a_baseline() -> None:
    case, by_ratio = make_case(), SETUP._replace(method=RankingMethod("win-ratio"))
    assert asked(by_ratio, case) == asked(SETUP, case)
    assert replay(LocalLoop(case, by_ratio), case, 100)[0, -1] == pytest.approx(1.0)


def scored(case: Case) -> Case:
    """The case beside the scores of a judge who is half as sure of them as it says."""
    noise = np.random.default_rng(5).normal(0.0, 1.0, 6)
    said = AbsoluteScores(np.arange(6), np.zeros(6, np.int64), 5.0 + case.truth + noise, np.full(6, 0.25))
    return case._replace(absolute=said)


@pytest.mark.parametrize(
    "method",
    [
        RankingMethod("soft-bt"),
        RankingMethod("gaussian", position_bias="closed-form", absolute_scale="given"),
        RankingMethod("soft-bt", verdict_weight="learnt"),
    ],
)
@pytest.mark.parametrize("with_scores", [False, True])
def test_a_loop_holds_what_a_set_of_the_service_holds(method: RankingMethod, *, with_scores: bool) -> None:
    """After every comparison: the same posterior, in the same stages."""
    case = scored(make_case()) if with_scores else make_case()
    loop = LocalLoop(case, SETUP._replace(method=method))
    rows = [(n, 0, *row) for n, row in enumerate(zip(*(column.tolist() for column in case.absolute), strict=True), 1)]
    said = state.log_from_rows([], [state.ScoreRow(seq, item, who, 9, mean, v) for seq, item, who, _, mean, v in rows])
    held = state.advance(state.empty(Interpretation(definition_of(method), {}), 6, 1), len(rows), said, [])
    np.testing.assert_allclose(loop.scores(), held.posterior.mean, atol=1e-9)
    while pairs := loop.ask():
        ((first, second),), seq = pairs, held.version + 1
        p = float(case.answers[first, second])
        loop.tell(pairs, np.array([p]))
        held = state.advance(
            held, seq, state.log_from_rows([state.ComparisonRow(seq, 0, first, second, p, judge=0)]), []
        )
        np.testing.assert_allclose(loop.scores(), held.posterior.mean[:6], atol=1e-7)
    assert loop.snapshot.comparisons.size == 15


def test_absolute_scores_help_from_the_first_comparison_on() -> None:
    case = make_case()._replace(truth=np.arange(6.0))
    said = AbsoluteScores(np.arange(6), np.zeros(6, np.int64), case.truth, np.full(6, 0.01))
    assert replay(LocalLoop(case._replace(absolute=said), SETUP), case, 1)[0, 0] > 0.9


def test_correlations_agree_with_scipy_and_ties_share_ranks() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        x, y = rng.integers(0, 5, (2, 9)).astype(float)
        assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic)
        assert pearson(x, y) == pytest.approx(pearsonr(x, y).statistic)
    assert spearman(np.zeros(4), np.arange(4.0)) == pearson(np.full(4, 0.1), np.arange(4.0)) == 0.0
