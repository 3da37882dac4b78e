"""Confidence compared with the truth."""

import numpy as np
import pytest
from scipy.special import expit

from app.inference.types import Floats
from app.offline.cases import Case
from benchmarks.studies.confidence import data_sets, simulation
from benchmarks.studies.confidence.data_sets import JudgedSet
from benchmarks.studies.methods.experts import everything

NAN = float("nan")


def case(n: int, seed: int, noise: float = 0.0) -> Case:
    """A judge that answers every pair in both orders, and people who see the same scores."""
    rng = np.random.default_rng([n, seed])
    truth = rng.standard_normal(n)
    offered = expit(truth[:, None] - truth + noise * rng.standard_normal((n, n)))
    np.fill_diagonal(offered, NAN)
    return Case((), [str(i) for i in range(n)], truth, offered)


def test_pairs_are_in_order_or_not_and_ties_are_half() -> None:
    scores, truth = np.array([3.0, 2.0, 1.0, 1.0]), np.array([2.0, 2.0, 3.0, 1.0])
    assert data_sets.in_order(scores, truth).tolist() == [0.5, 0.0, 1.0, 0.0, 1.0, 0.5]
    assert data_sets.distinguished(truth).tolist() == [False, True, True, True, True, True]


def test_learnt_evidence_makes_a_consistent_judge_surer_of_the_order_that_it_has() -> None:
    one_vote, learnt = (data_sets.judged(case(10, 0), 0.3, evidence, 0) for evidence in ("one-vote", "learnt"))
    assert learnt.judge > 0.95
    assert learnt.stated > one_vote.stated + 0.1
    assert learnt.people == learnt.judge  # people have the same scores, and no ties


def test_a_share_of_the_pairs_is_of_different_pairs() -> None:
    answers = everything(case(6, 1))
    some = data_sets._some(answers, 9, np.random.default_rng(0))
    pairs = {frozenset(pair) for pair in zip(some.first.tolist(), some.second.tolist(), strict=True)}
    assert some.size == len(pairs) == 9
    assert (some.first > some.second).any()
    assert (some.first < some.second).any()


def part(stated: list[float], spearman: list[float]) -> Floats:
    return np.array([JudgedSet(s, NAN, NAN, NAN, r, -s) for s, r in zip(stated, spearman, strict=True)])


@pytest.mark.parametrize(
    ("stated", "auroc"), [([0.1, 0.2, 0.3, 0.4], 1.0), ([0.4, 0.3, 0.2, 0.1], 0.0), ([0.1, 0.3, 0.2, 0.4], 0.75)]
)
def test_a_sign_that_orders_sets_by_quality_scores_one(stated: list[float], auroc: float) -> None:
    of_part = part(stated, [0.0, 0.1, 0.8, 0.9])
    assert data_sets._auroc("stated")(of_part) == auroc
    assert data_sets._auroc("minus_entropy")(of_part) == 1.0 - auroc


def test_the_surest_half_is_the_half_of_the_highest_concordance() -> None:
    assert data_sets._of_surest_half(part([0.1, 0.9, 0.5, 0.6], [0.0, 0.4, 1.0, 0.6])) == 0.5


def test_a_simulated_judge_is_compared_with_the_truth_at_each_length() -> None:
    rankings = simulation._rankings("consistent", 1.0, 0)
    assert set(rankings) == {(length, name) for length in simulation.LENGTHS for name in ("one-vote", "learnt")}
    learnt = rankings[max(simulation.LENGTHS), "learnt"]
    assert learnt.so > 0.9
    assert learnt.stated == pytest.approx(learnt.so, abs=0.08)
