"""The studies, made small: they run, and what they compare is what they say."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from app.analysis.estimate_table import LEVELS, TABLE
from app.inference.choosing import Criterion, Goal
from app.inference.types import Floats
from app.offline.cases import Case
from benchmarks.studies import confidence, evidence, goals, new_items, slices, stops, win_rates
from benchmarks.studies.all_pairs import SHARES, coverage, stopped
from benchmarks.studies.confidence import JudgedSet
from benchmarks.studies.data import HANNA, SUMMEVAL, DataSet, everything
from benchmarks.studies.estimates import EstimateCell, cells, run
from benchmarks.studies.evidence import LENGTHS, CoverageOutcome, CoverageRow, EvidenceSetting
from benchmarks.studies.goals import GoalWay
from benchmarks.studies.signal import changes, cycles, signals
from benchmarks.studies.simulated import JUDGES, answering
from benchmarks.studies.slices import TaggedDesign

pytestmark = pytest.mark.study
NAN = float("nan")
GOOD = CoverageOutcome(60.0, 0.95, 0.6, 0.62, 20.0, 19.0, 0.95, 5.0, 1.5, 0.01)
RUNS = range(100, 105)  # the table of estimates has the runs from 0 on
TIMES = 2.0  # by which the median of so few runs may differ


# all pairs


def test_the_tables_have_every_judge_and_all_pairs_are_known() -> None:
    rows = list(coverage([4], 1))
    assert len(rows) == 3 * 3 * 2 * len(SHARES)
    assert all(row[6].endswith("1.00 / 1.00") for row in rows if row[4] == "1")
    assert {row[3] for row in stopped([4], 1)} == {"1 of 1"}


# estimates


def test_the_table_has_every_cell_of_the_study() -> None:
    assert set(TABLE) == {tuple(cell) for cell in cells()}


@pytest.mark.parametrize(
    ("cell", "stop"),
    [
        (EstimateCell("probabilities", 0, 4, "best"), 0),
        (EstimateCell("votes", 0, 8, "ranking"), 1 + LEVELS.index(0.8)),
        (EstimateCell("probabilities", 50, 8, "best"), 1 + LEVELS.index(0.8)),
    ],
)
def test_sets_take_as_many_comparisons_as_the_table_says(cell: EstimateCell, stop: int) -> None:
    median = np.median([run(cell, number)[stop] for number in RUNS])
    stated = TABLE[cell][stop][1]
    sooner = 2.0 * TIMES if cell.prompts else TIMES  # votes by expectation propagation know new prompts sooner
    assert stated / sooner <= median <= stated * TIMES


# new items


@pytest.mark.parametrize("world", [new_items.WORLDS[2], new_items.WORLDS[9]])
def test_effects_of_prompts_make_rankings_of_new_ones_wider(world: new_items.World) -> None:
    latent, new = new_items.one_run(world, 0)
    assert new.width >= latent.width
    assert new_items.one_run(world, 0) == [latent, new]


@pytest.mark.parametrize(("data", "systems"), [(SUMMEVAL, 12), (HANNA, 11)])
def test_halves_of_the_prompts_are_the_same_systems(data: DataSet, systems: int, shared_data: Path) -> None:
    prompts, n = new_items.by_system(shared_data, data, data.parts[0])
    assert n == systems
    latent, new = new_items.one_split(prompts, n, 20, 0)
    assert 0.0 < new.z2 < latent.z2
    assert np.isfinite(new.claims)


def test_data_that_is_not_there_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not list(new_items.in_halves(tmp_path, 1))
    assert "skipped summeval" in capsys.readouterr().out


# signal


def test_random_verdicts_give_no_signal() -> None:
    ((name, _, *shares),) = islice(signals(3), 1)
    assert name == "random verdicts, random"
    assert shares == ["0.0 ± 0.0"] * 4


def test_a_full_cycle_is_in_doubt_and_a_clear_order_is_not() -> None:
    doubted = dict(cycles(3))
    assert doubted["a cycle, right in 100%"] == "100.0 ± 0.0"
    assert doubted["hard, spread 3"] == "0.0 ± 0.0"


def test_a_row_for_each_kind_of_judge() -> None:
    assert [(row[0], row[2]) for row in islice(changes(1), 2)] == [("12", "is honest too"), ("12", "judges at random")]


# slices


@pytest.mark.parametrize("judge", ["probabilities", "votes"])
def test_where_tags_differ_the_whole_does_not_hold_on_each(judge: str) -> None:
    design = TaggedDesign(judge, (8, 8, 8))
    readings = [slices.one_reading(design, 0.6, np.random.default_rng([1, run])) for run in range(3)]
    of_slices, whole, alone = np.mean(readings, axis=0)
    assert of_slices[0] > max(whole[0], 0.8)
    assert whole[1] < of_slices[1] < alone[1] * 1.5


def test_a_planted_reversal_is_claimed_and_right() -> None:
    tested = slices.one_test(TaggedDesign("probabilities", (10, 10, 10)), True, np.random.default_rng(2))
    assert slices.claimed(tested)
    assert slices.is_right(tested)
    assert tested[0].is_reversal


def test_tables_have_a_row_for_each_design(monkeypatch: pytest.MonkeyPatch) -> None:
    design = TaggedDesign("votes", (2, 4, 9), 0.5)
    monkeypatch.setattr(slices, "INTERVALS", [(TaggedDesign("votes", (3, 3, 3)), 0.3)])
    monkeypatch.setattr(slices, "CLAIMS", [design])
    [of_intervals], [of_claims] = slices.intervals(2), slices.claims(2, 2)
    assert of_intervals[:3] == ["votes", "9", "0.3"]
    assert of_claims[:3] == ["votes", "2 + 4 + 9", "50"]


# stops


def test_one_judge_thinks_again_and_one_repeats_itself() -> None:
    rng, scores = np.random.default_rng(0), np.linspace(0.0, 1.0, stops.N)
    one, other = np.array([0]), np.array([1])
    thinks, repeats = stops.thinker(scores, rng), stops.repeater(scores, rng)
    assert thinks(one, other) != thinks(one, other)
    assert repeats(one, other) == repeats(one, other)
    assert repeats(one, other) != 1.0 - repeats(other, one)


@pytest.mark.parametrize(("judge", "stopped"), [(0, True), (2, False)])
def test_a_leader_is_found_by_who_may_vote_again_and_not_by_who_repeats_itself(judge: int, stopped: bool) -> None:
    course = stops.course(stops.ahead, stops.JUDGES[judge], "one-vote", np.random.default_rng(0))
    assert (course.stopped is not None, course.false) == (stopped, False)


# win rates


def test_a_run_is_the_same_again_and_every_judge_has_a_row() -> None:
    assert win_rates.one_run(win_rates.WORLDS[0], 3) == win_rates.one_run(win_rates.WORLDS[0], 3)
    assert len(list(win_rates.rows(1))) == len(win_rates.WORLDS)


def test_true_rates_are_mean_verdicts() -> None:
    """100,000 prompts, seed 0: a standard error below 0.001."""
    s, rng = np.array([0.4, 0.0, -1.0]), np.random.default_rng(0)
    u = rng.standard_normal((100_000, 3))
    d = (s + u)[:, :, None] - (s + u)[:, None]
    simulated = expit(d).mean(axis=0) - 0.5 * np.eye(3)
    np.testing.assert_allclose(win_rates.true_rates(s, 2.0), simulated, atol=0.004)


def test_with_the_others_held_a_win_rate_is_that_of_the_means() -> None:
    s = np.array([0.4, 0.0, -1.0])
    at_means = win_rates.others_held(s, np.column_stack([s, s]))[:, 0]
    assert at_means[0] == pytest.approx((expit(0.4) + expit(1.4)) / 2.0)


# evidence


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
    outcomes = evidence.one_run(EvidenceSetting("noisy", 1.0, asked), "one-vote", 0)
    assert [outcome.pairs for outcome in outcomes] == pairs


def test_a_run_can_be_repeated() -> None:
    once, again, other = (
        evidence.one_run(EvidenceSetting("people", 3.0, 1), "one-vote", number) for number in (4, 4, 5)
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
    text = evidence.render(rows, 7)
    assert "| ranks hold in at least 93% | 1 of 2 | **missed** |" in text
    assert "| in at least 88% where fewer than 24 pairs were asked | 0 of 1 | pass |" in text
    assert "| noisy | 1 | 1 | 30 → 60 | 90.0 → 95.0 |" in text


# confidence


def case(n: int, seed: int, noise: float = 0.0) -> Case:
    """A judge that answers every pair in both orders, and people who see the same scores."""
    rng = np.random.default_rng([n, seed])
    truth = rng.standard_normal(n)
    offered = expit(truth[:, None] - truth + noise * rng.standard_normal((n, n)))
    np.fill_diagonal(offered, NAN)
    return Case((), [str(i) for i in range(n)], truth, offered)


def test_pairs_are_in_order_or_not_and_ties_are_half() -> None:
    scores, truth = np.array([3.0, 2.0, 1.0, 1.0]), np.array([2.0, 2.0, 3.0, 1.0])
    assert confidence.in_order(scores, truth).tolist() == [0.5, 0.0, 1.0, 0.0, 1.0, 0.5]
    assert confidence.distinguished(truth).tolist() == [False, True, True, True, True, True]


def test_learnt_evidence_makes_a_consistent_judge_surer_of_the_order_that_it_has() -> None:
    one_vote, learnt = (confidence.judged(case(10, 0), 0.3, evidence, 0) for evidence in ("one-vote", "learnt"))
    assert learnt.judge > 0.95
    assert learnt.stated > one_vote.stated + 0.1
    assert learnt.people == learnt.judge  # people have the same scores, and no ties


def test_a_share_of_the_pairs_is_of_different_pairs() -> None:
    answers = everything(case(6, 1))
    some = confidence._some(answers, 9, np.random.default_rng(0))
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
    assert confidence._auroc("stated")(of_part) == auroc
    assert confidence._auroc("minus_entropy")(of_part) == 1.0 - auroc


def test_the_surest_half_is_the_half_of_the_highest_concordance() -> None:
    assert confidence._of_surest_half(part([0.1, 0.9, 0.5, 0.6], [0.0, 0.4, 1.0, 0.6])) == 0.5


def test_a_simulated_judge_is_compared_with_the_truth_at_each_length() -> None:
    rankings = confidence._rankings("consistent", 1.0, 0)
    assert set(rankings) == {(length, name) for length in confidence.LENGTHS for name in ("one-vote", "learnt")}
    learnt = rankings[max(confidence.LENGTHS), "learnt"]
    assert learnt.so > 0.9
    assert learnt.stated == pytest.approx(learnt.so, abs=0.08)
