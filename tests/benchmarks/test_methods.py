"""The benchmarks of the methods, made small."""

from pathlib import Path

import numpy as np
import pytest

from app.inference.choosing import Criterion
from app.inference.fitting.baselines import BASELINES
from app.inference.types import Floats
from app.offline.cases import Case
from app.offline.replay import spearman
from app.offline.simulation import Curves, Way
from benchmarks.studies import data
from benchmarks.studies.methods import measuring
from benchmarks.studies.methods.__main__ import QUICK, SECTIONS, Section, main, write
from benchmarks.studies.methods.calibration import REJECTED, kept
from benchmarks.studies.methods.scoring import FULL, comparisons, merge_sort, selected_pairs
from benchmarks.studies.methods.symmetry import noisy_answers
from benchmarks.studies.running import Checkpoints
from benchmarks.studies.truth import auroc

pytestmark = pytest.mark.study
RANDOM, VARIANCE = Criterion.RANDOM, Criterion.VARIANCE


def measured(**agreement: list[list[float]]) -> measuring.Measured:
    """One part, one seed: curves of its documents, by criterion."""
    by_way: dict[Way, Floats] = {Criterion(name): np.array([curves]) for name, curves in agreement.items()}
    full = np.ones(len(next(iter(agreement.values()))))
    return {"part": Curves(by_way, by_way, full, full, 6.0, 0)}


def test_a_saving_is_of_the_same_documents() -> None:
    """Both are slow on the same documents: the costs vary, what is saved does not."""
    slow, fast = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    later, sooner = [slow, fast] * 20, [[*slow[1:], 1.0], [*fast[1:], 1.0]] * 20
    both = measured(random=later, variance=sooner)
    saved = measuring.saving(both, VARIANCE, both, RANDOM, 0.9)
    assert (saved.value, saved.error) == (1.0, 0.0)
    assert measuring.cost(both, RANDOM, 0.5).error > 0.3


def test_a_cost_that_is_never_reached_is_a_bound() -> None:
    never = measuring.cost(measured(random=[[0.1, 0.2], [0.2, 0.3]]), RANDOM, 0.9)
    assert (never.value, never.bound) == (3.0, True)


def test_the_error_of_a_mean_is_that_of_its_documents() -> None:
    values = np.random.default_rng(0).normal(0.0, 1.0, 400)
    of_one, of_two = (measuring.mean_over_documents([values] * parts) for parts in (1, 2))
    assert of_one.error == pytest.approx(values.std() / 20, rel=0.15)
    assert of_two.value == of_one.value == pytest.approx(values.mean())


def test_a_sign_that_orders_rankings_by_quality_scores_one() -> None:
    quality = np.array([0.1, 0.2, 0.3, 0.4])
    assert auroc(quality, quality) == 1.0
    assert auroc(np.zeros(4), quality) == 0.5
    assert np.isnan(auroc(np.ones(1), quality[:1]))


def test_a_biased_judge_favours_what_is_shown_first() -> None:
    fair = Case((), ["a", "b"], np.array([1.0, 0.0]), np.array([[np.nan, 0.5], [0.5, np.nan]]))
    biased = data.biased(fair, 1.0)
    assert biased.offered[0, 1] == biased.offered[1, 0] == pytest.approx(1 / (1 + np.exp(-1.0)))


def test_selected_pairs_maximise_the_variance_of_the_difference() -> None:
    """PoE eq. 16 by its slow formula, from a chain through all texts on (eq. 60)."""
    n, rng = 7, np.random.default_rng(0)
    first, second = selected_pairs(np.triu(np.ones((n, n), np.bool_), 1), 14, rng)
    rows = np.eye(n)[first] - np.eye(n)[second]
    assert sorted(np.abs(rows[: n - 1]).sum(axis=0)) == [1, 1, *[2] * (n - 2)]
    assert np.linalg.matrix_rank(rows[: n - 1]) == n - 1
    for k in range(n - 1, 14):
        a = np.linalg.inv(np.vstack([np.eye(n)[0], rows[:k]]).T @ np.vstack([np.eye(n)[0], rows[:k]]))
        v = np.triu(a.diagonal() + a.diagonal()[:, None] - 2.0 * a, 1)
        v[first[:k], second[:k]] = 0.0
        assert v[first[k], second[k]] == pytest.approx(v.max())


def test_methods_are_scored_on_few_pairs_in_both_orders() -> None:
    """As PoE: 13 of 66 pairs of SummEval, not 26."""
    scores = np.arange(12.0)
    offered = 1.0 / (1.0 + np.exp(scores - scores[:, None]))
    np.fill_diagonal(offered, np.nan)
    case = Case((), [str(i) for i in range(12)], scores, offered)
    for chosen, count in (("random", 13), ("selected", 13), (FULL, 66)):
        first, second, p = comparisons(case, 0.2, chosen, np.random.default_rng(0))[:3]
        pairs = set(zip(first.tolist(), second.tolist(), strict=True))
        assert len(pairs) == len(first) == 2 * count
        assert {(j, i) for i, j in pairs} == pairs
        assert set(first.tolist()) == set(range(12))
        np.testing.assert_allclose(p, offered[first, second])


def test_the_win_ratio_keeps_as_much_of_the_full_set_as_published(shared_data: Path) -> None:
    """PoE table 1 has 77.7 to 78.4% with five other judges."""
    cases = [case for part in data.SUMMEVAL.parts for case in data.SUMMEVAL.cases(shared_data, part, None)]
    agreement = {
        chosen: np.mean([spearman(_scores_of_wins(case, chosen, seed), case.truth) for case in cases for seed in seeds])
        for chosen, seeds in (("random", range(4)), (FULL, [0]))
    }
    assert agreement["random"] / agreement[FULL] == pytest.approx(0.78, abs=0.02)


def _scores_of_wins(case: Case, chosen: str, seed: int) -> Floats:
    shown = comparisons(case, 0.2, chosen, np.random.default_rng([seed, int(case.labels[0])]))
    return BASELINES["win-ratio"](shown, len(case.keys)).score


def test_noise_is_drawn_for_either_order_and_the_bias_gives_the_mean() -> None:
    fair = Case((), ["a", "b", "c"], np.arange(3.0), np.where(np.eye(3) > 0.0, np.nan, 0.5))
    answers = noisy_answers(fair, 0.78, np.random.default_rng(0))
    assert np.nanmean(answers) == pytest.approx(0.78)
    assert len(np.unique(answers[~np.isnan(answers)])) == 6


def test_a_sort_by_a_judge_who_never_contradicts_itself_is_its_order() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 7, 12):
        scores = rng.normal(0.0, 1.0, n)
        answers = 1.0 / (1.0 + np.exp(100.0 * (scores - scores[:, None])))
        order, asked = merge_sort(rng.permutation(n).tolist(), answers)
        assert order == np.argsort(-scores).tolist()
        assert n - 1 <= asked <= n * np.ceil(np.log2(n))


def test_what_is_left_out_first_is_the_least_sure() -> None:
    p = np.array([0.9, 0.45, 0.8, 0.5])
    accuracy = kept(p, np.ones(4, np.bool_))
    assert accuracy[0] == pytest.approx(2.5 / 4)
    assert accuracy[np.searchsorted(REJECTED, 0.25)] == pytest.approx(2 / 3)
    assert accuracy[-1] == 1.0


def test_a_section_alone_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    path, campaign = tmp_path / "page.md", measuring.Campaign(tmp_path, tmp_path, QUICK, Checkpoints(None), None)  # type: ignore[arg-type]
    write(campaign, path, [Section("a", (), lambda _: "one"), Section("b", (), lambda _: "two")], ["a", "b"])
    write(campaign, path, [Section("a", (), lambda _: "1"), Section("b", (), lambda _: "2")], ["b"])
    assert path.read_text().endswith("<!-- a -->\n\none\n\n<!-- b -->\n\n2\n")


def test_what_was_kept_is_not_computed_again(tmp_path: Path) -> None:
    assert Checkpoints(tmp_path).once("one", lambda: 1) == 1
    assert Checkpoints(tmp_path).once("one", lambda: 2) == 1
    assert Checkpoints(None).once("one", lambda: 2) == 2


def test_absent_data_is_said_and_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick", "--data", str(tmp_path / "nowhere"), "--docs", str(tmp_path), "--only", "summeval", "hanna"])
    assert "skipped summeval: it is not in the data folder" in capsys.readouterr().err


def test_the_page_and_its_figures_are_written(shared_data: Path, tmp_path: Path) -> None:
    sections = [section.name for section in SECTIONS]
    main(["--quick", "--data", str(shared_data), "--docs", str(tmp_path), "--only", *sections])
    written = (tmp_path / "benchmarks.md").read_text()
    assert all(f"<!-- {name} -->" in written for name in sections)
    drawn = list((tmp_path / "figures").iterdir())
    assert all(f"figures/{path.name}" in written and path.stat().st_size < 300_000 for path in drawn)
    assert len(drawn) == written.count("](figures/")
