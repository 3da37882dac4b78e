"""The study of verdict weights, made small."""

import numpy as np
import pytest

from app.inference.choosing import Criterion, Goal
from benchmarks.studies.evidence import coverage, goals, page
from benchmarks.studies.evidence.coverage import LENGTHS, CoverageOutcome, CoverageRow, EvidenceSetting
from benchmarks.studies.evidence.goals import GoalWay
from benchmarks.studies.evidence.judges import JUDGES, answering

GOOD = CoverageOutcome(60.0, 0.95, 0.6, 0.62, 20.0, 19.0, 0.95, 5.0, 1.5, 0.01)


@pytest.mark.parametrize("name", JUDGES)
def test_a_judge_is_fair_to_both_orders_and_says_the_same_again(name: str) -> None:
    answer = answering(JUDGES[name], np.array([1.0, 0.0, -1.0]), np.random.default_rng(0))
    one, other = np.array([0]), np.array([1])
    again = {answer(one, other).item() for _ in range(200)}
    assert len(again) == (2 if name == "people" else 1)
    if name != "people":
        assert answer(other, one) == pytest.approx(1.0 - answer(one, other))


@pytest.mark.parametrize(("asked", "pairs"), [(1, [60, 66]), (4, [15, 30]), (10, [6, 12])])
def test_pairs_open_again_when_all_have_been_asked(asked: int, pairs: list[int]) -> None:
    outcomes = coverage.one_run(EvidenceSetting("noisy", 1.0, asked), "one-vote", 0)
    assert [outcome.pairs for outcome in outcomes] == pairs


def test_a_run_can_be_repeated() -> None:
    once, again, other = (
        coverage.one_run(EvidenceSetting("people", 3.0, 1), "one-vote", number) for number in (4, 4, 5)
    )
    assert once == again != other


def test_a_question_about_a_pair_is_soon_answered() -> None:
    goal = Goal(pair=(0, 1))
    curve = goals.question(0.0, GoalWay("", Criterion.KNOWLEDGE, goal), goal, 1)
    assert len(curve) == 190
    assert curve[40].stated > 0.8
    assert curve[40].so == 1.0


def test_the_best_of_consistent_answers_is_soon_known() -> None:
    runs = [goals.search(0.0, goals.SEARCHES[-1], number) for number in range(3)]
    assert sum(run.after_2n for run in runs) >= 2


def test_the_page_counts_the_rows_that_miss() -> None:
    bad = GOOD._replace(ranks=0.90, pairs=30.0)
    rows = [
        CoverageRow(EvidenceSetting("noisy", 1.0, 1), LENGTHS[0], [bad, GOOD]),
        CoverageRow(EvidenceSetting("noisy", 1.0, 4), LENGTHS[1], [GOOD, bad]),
        CoverageRow(
            EvidenceSetting("flat", 1.0, 10), LENGTHS[1], [GOOD, bad._replace(pairs=6.0, claims=0.0, true_claims=0.0)]
        ),
    ]
    text = page.render(rows, 7)
    assert "| ranks hold in at least 93% | 1 of 2 | **missed** |" in text
    assert "| in at least 88% where fewer than 24 pairs were asked | 0 of 1 | pass |" in text
    assert "| noisy | 1 | 1 | 30 → 60 | 90.0 → 95.0 |" in text
