"""Ranking a file of comparisons."""

from typing import get_args

import numpy as np
import pytest
from nextpair.words import MethodName

from app.files.comparisons import GroupedComparisons
from app.inference.fitting import baselines
from app.inference.reporting import standings
from app.inference.reporting.ranking import Wanted
from app.inference.types import Convergence, Outcome, by_one_judge
from app.offline.ranking import Group, NotConvergedError, RankingMethod, rank, split

CHAIN = Group(
    ("u",),
    ["low", "mid", "top"],
    by_one_judge(np.array([2, 1, 0]), np.array([1, 0, 2]), np.array([0.8, 0.8, 0.1])),
)


@pytest.mark.parametrize("method", get_args(MethodName))
def test_every_method_orders_a_chain(method: MethodName) -> None:
    ranked = rank(CHAIN, RankingMethod(method))
    assert [ranked.group.keys[s.candidate] for s in ranked.standings.rows] == ["top", "mid", "low"]
    assert [s.rank for s in ranked.standings.rows] == [1, 2, 3]
    assert [s.comparisons for s in ranked.standings.rows] == [2, 2, 2]
    assert ranked.standings.convergence.converged


def test_only_a_posterior_has_uncertainty() -> None:
    top = rank(CHAIN, RankingMethod("soft-bt")).standings.rows[0]
    assert top.uncertainty is not None
    low, high = top.uncertainty.interval
    assert low < top.score < high
    assert rank(CHAIN, RankingMethod("win-ratio")).standings.rows[0].uncertainty is None
    assert rank(CHAIN, RankingMethod("win-ratio")).standings.entropy is None


def test_a_wider_level_gives_wider_intervals() -> None:
    narrow, wide = (
        rank(CHAIN, RankingMethod("soft-bt", wanted=Wanted(level))).standings.rows[0].uncertainty
        for level in (0.5, 0.99)
    )
    assert narrow is not None
    assert wide is not None
    assert np.ptp(narrow.interval) < np.ptp(wide.interval)


def test_components_are_numbered() -> None:
    islands = Group((), ["a", "b", "c", "d"], by_one_judge(np.array([0, 2]), np.array([1, 3]), np.array([1.0, 1.0])))
    ranked = rank(islands, RankingMethod("soft-bt"))
    assert ranked.standings.components == 2
    assert {s.candidate: s.component for s in ranked.standings.rows} == {0: 0, 1: 0, 2: 1, 3: 1}


def test_groups_hold_their_own_candidates() -> None:
    codes = np.array([0, 1, 0]), np.array([0, 2, 1]), np.array([1, 3, 0])
    log = GroupedComparisons(
        ["a", "b", "c", "d"],
        [("u",), ("v",)],
        *codes,
        np.array([0.1, 0.2, 0.3]),
        np.array([1.0, 2.0, 3.0]),
        [""],
        np.zeros(3, np.int64),
    )
    u, v = split(log)
    assert (u.labels, u.keys, u.comparisons.p.tolist()) == (("u",), ["a", "b"], [0.1, 0.3])
    assert u.comparisons.weight.tolist() == [1.0, 3.0]
    assert (v.labels, v.keys, v.comparisons.first.tolist()) == (("v",), ["c", "d"], [0])


def test_an_unconverged_fit_is_no_ranking(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = Convergence(Outcome.MAX_ITERATIONS, 7, 1.0)
    lazy = {"win-ratio": lambda comparisons, n: baselines.BaselineScores(np.zeros(n), stopped)}
    monkeypatch.setattr(standings, "BASELINES", lazy)
    with pytest.raises(NotConvergedError, match="u: win-ratio gives no ranking"):
        rank(CHAIN, RankingMethod("win-ratio"))
