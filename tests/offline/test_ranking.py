"""Ranking a file of comparisons."""

from itertools import pairwise
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from nextpair.words import ExpertName, MethodName

from app.files.comparisons import ComparisonColumns, GroupedComparisons, read_grouped
from app.files.reading import read
from app.inference.experts import make
from app.inference.fitting import baselines
from app.inference.reporting import Wanted, standings
from app.inference.types import Convergence, Outcome, by_one_judge, once_each, take
from app.offline.groups import Group, split
from app.offline.ranking import NotConvergedError, RankingMethod, rank, rank_file, reads_sums
from app.offline.replay import spearman

CHAIN = Group(
    ("u",),
    ["low", "mid", "top"],
    by_one_judge(np.array([2, 1, 0]), np.array([1, 0, 2]), np.array([0.8, 0.8, 0.1])),
)


@pytest.mark.parametrize("method", get_args(MethodName))
def test_every_method_orders_a_chain(method: MethodName) -> None:
    ranking = rank(CHAIN, RankingMethod(method)).ranking
    assert [row.key for row in ranking.ranking] == ["top", "mid", "low"]
    assert [row.rank for row in ranking.ranking] == [1, 2, 3]
    assert [row.comparisons for row in ranking.ranking] == [2, 2, 2]
    assert ranking.convergence.converged


def test_others_are_validated_against_the_person_who_is_named() -> None:
    """Two models say the opposite of alice, of every pair in both orders."""
    first, second = np.tile([0, 0, 1, 1, 2, 2], 30), np.tile([1, 2, 2, 0, 0, 1], 30)
    judge = np.repeat([0, 1, 2], 60)
    comparisons = once_each(first, second, ((first < second) == (judge == 0)).astype(np.float64), judge)
    group = Group((), ["a", "b", "c"], comparisons, ["alice", "gpt", "llama"])
    alone, held = (
        rank(group, RankingMethod("judge-aware", reference=reference)).ranking for reference in ((), ("alice",))
    )
    assert [[row.key for row in each.ranking] for each in (alone, held)] == [["c", "b", "a"], ["a", "b", "c"]]


def test_only_a_posterior_has_uncertainty() -> None:
    top = rank(CHAIN, RankingMethod("soft-bt")).ranking.ranking[0]
    assert top.interval is not None
    low, high = top.interval
    assert low < top.score < high
    by_baseline = rank(CHAIN, RankingMethod("win-ratio")).ranking
    assert (by_baseline.ranking[0].interval, by_baseline.ranking[0].sd, by_baseline.entropy) == (None, None, None)


def test_a_wider_level_gives_wider_intervals() -> None:
    narrow, wide = (
        rank(CHAIN, RankingMethod("soft-bt", wanted=Wanted(level))).ranking.ranking[0].interval for level in (0.5, 0.99)
    )
    assert narrow is not None
    assert wide is not None
    assert np.ptp(narrow) < np.ptp(wide)


def test_components_are_numbered() -> None:
    islands = Group((), ["a", "b", "c", "d"], by_one_judge(np.array([0, 2]), np.array([1, 3]), np.array([1.0, 1.0])))
    ranking = rank(islands, RankingMethod("soft-bt")).ranking
    assert ranking.components == 2
    assert {row.key: row.component for row in ranking.ranking} == {"a": 0, "b": 0, "c": 1, "d": 1}


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
        [""],
        np.zeros(3, np.int64),
    )
    u, v = split(log)
    assert (u.labels, u.keys, u.comparisons.p.tolist()) == (("u",), ["a", "b"], [0.1, 0.3])
    assert u.comparisons.weight.tolist() == [1.0, 3.0]
    assert (v.labels, v.keys, v.comparisons.first.tolist()) == (("v",), ["c", "d"], [0])


def test_the_pairs_of_a_group_are_those_of_its_own_items() -> None:
    log = GroupedComparisons(
        ["a", "b", "c"],
        [("x",), ("y",)],
        np.array([0, 1, 0, 1]),
        np.array([0, 0, 1, 1]),
        np.array([1, 1, 2, 2]),
        np.full(4, 0.8),
        np.ones(4),
        ["gpt"],
        np.zeros(4, np.int64),
        ["x", "y"],
        np.array([0, 1, 0, 1]),
    )
    y = list(split(log))[1]
    ranking = rank(y, RankingMethod("soft-bt", inference_target="all-pairs")).ranking
    assert (y.items, y.item_of_each.tolist()) == (["y"], [0, 0])
    assert ranking.inference_target.sentence == "By all 3 pairs on 1 prompt, as gpt would judge them."


def test_an_unconverged_fit_is_no_ranking(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = Convergence(Outcome.MAX_ITERATIONS, 7, 1.0)
    lazy = {"win-ratio": lambda comparisons, n: baselines.BaselineScores(np.zeros(n), stopped)}
    monkeypatch.setattr(standings, "BASELINES", lazy)
    with pytest.raises(NotConvergedError, match="u: win-ratio gives no ranking"):
        rank(CHAIN, RankingMethod("win-ratio"))


@pytest.mark.parametrize("name", ["not-converged-plain", "t_newitems_500_10000"])
def test_clean_files_have_a_ranking(shared_data: Path, name: str) -> None:
    path = shared_data.parent / "cases" / "fits" / f"{name}.csv"
    if not path.exists():
        pytest.skip("needs ../shared/cases, which is not here")
    method = RankingMethod("soft-bt", position_bias="auto", verdict_weight="learnt", inference_target="latent")
    (one,) = rank_file(str(path), ComparisonColumns(), [], [], method)
    assert one.ranking.convergence.message == "The fit converged."
    assert one.ranking.verdict_weight is not None


@pytest.mark.parametrize("name", ["one51", "three55", "c37_tie2", "c37_tie3", "c37_top_tie", "c37_cycle", "c03_chain"])
def test_a_ranking_is_in_the_order_of_its_scores(shared_data: Path, name: str) -> None:
    path = shared_data.parent / "cases" / "ranking" / f"{name}.csv"
    if not path.exists():
        pytest.skip("needs ../shared/cases, which is not here")
    method = RankingMethod("soft-bt", position_bias="auto", verdict_weight="learnt", inference_target="auto")
    (one,) = rank_file(str(path), ComparisonColumns(), [], [], method)
    rows = one.ranking.ranking
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)
    for above, below in pairwise(rows):
        if above.rank == below.rank:
            assert (above.score, above.rank_interval) == (below.score, below.rank_interval)
    if name == "c03_chain":
        assert [row.key for row in rows] == [f"p{i:02}" for i in range(15)]
    if name == "one51":
        assert [row.key for row in rows] == ["t0", "t1"]


def test_llm_reviewers_rank_five_systems_as_people_do(shared_data: Path) -> None:
    llm, people = (read_grouped([read(str(shared_data / "prd_vicuna80" / f"{who}.csv.gz"))], ComparisonColumns(), by)
                   for who, by in (("llm", ["reviewer"]), ("human", [])))  # fmt: skip
    by_reviewer = {group.labels: group for group in split(llm)}
    pooled = next(split(llm._replace(groups=[()], group=np.zeros_like(llm.group))))
    expected = scores(restricted(next(split(people)), set(llm.keys)))
    for group in (by_reviewer[("gpt4",)], by_reviewer[("gpt35",)], pooled):
        score_of = scores(group)
        aligned = np.array([[score_of[key], expected[key]] for key in sorted(expected)])
        assert spearman(*aligned.T) == pytest.approx(1.0)


def restricted(group: Group, keys: set[str]) -> Group:
    """Only the comparisons between two candidates of `keys`; the others stay as candidates without any."""
    known = np.array([key in keys for key in group.keys])
    inside = known[group.comparisons.first] & known[group.comparisons.second]
    return group._replace(comparisons=take(group.comparisons, inside), item=group.item_of_each[inside])


def scores(group: Group) -> dict[str, float]:
    return {row.key: row.score for row in rank(group, RankingMethod("soft-bt")).ranking.ranking if row.comparisons}


@pytest.mark.parametrize("name", get_args(ExpertName))
def test_rows_alike_go_together_wherever_the_expert_is_linear_in_p(name: ExpertName) -> None:
    assert reads_sums(RankingMethod(name, verdict_weight="one-vote")) == make(name).linear_in_p
    assert not reads_sums(RankingMethod(name, verdict_weight="one-vote", position_bias="closed-form"))
