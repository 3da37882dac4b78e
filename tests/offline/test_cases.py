"""Cases from a judge's scores or verdicts."""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import logit

from app.files.tables import InputError
from app.inference.types import by_one_judge
from app.offline.cases import ScoreColumns, TruthFile, from_pairs, from_scores, load, noisy, tempered
from app.offline.groups import Group


def test_scores_become_probabilities_by_the_stated_rule() -> None:
    case = from_scores((), {"x": 3.0, "y": 1.0}, {"x": 1.0, "y": 0.0})
    assert case.offered[0, 1] == pytest.approx(1 / (1 + np.exp(-2.0)))
    assert case.offered[1, 0] == pytest.approx(1 - case.offered[0, 1])
    assert np.isnan(case.offered.diagonal()).all()


def test_a_temperature_divides_the_logits_and_noise_adds_to_them() -> None:
    case = from_scores((), {"x": 3.0, "y": 1.0}, {"x": 1.0, "y": 0.0})
    assert tempered(case, 2.0).offered[0, 1] == pytest.approx(1 / (1 + np.exp(-1.0)))
    offers = [noisy(case, 0.5, np.random.default_rng(seed)).offered for seed in range(2000)]
    logits = np.array([logit(offered[0, 1]) for offered in offers])
    assert logits.mean() == pytest.approx(2.0, abs=0.05)
    assert logits.std() == pytest.approx(0.5, abs=0.03)
    assert all(offered[1, 0] == pytest.approx(1.0 - offered[0, 1]) for offered in offers)


def test_a_certain_verdict_stays_certain() -> None:
    comparisons = by_one_judge(np.array([0]), np.array([1]), np.array([1.0]))
    case = from_pairs(Group((), ["a", "b"], comparisons), {"a": 1.0, "b": 2.0})
    assert tempered(noisy(case, 1.0, np.random.default_rng(0)), 3.0).offered[0, 1] == 1.0


def test_scores_are_grouped_as_the_truth_is(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("story,score\na,1\nb,2\nc,3\na,2\n")
    (tmp_path / "truth.csv").write_text("story,prompt,value\na,p,5\nb,p,6\nc,q,7\n")
    truth = TruthFile(str(tmp_path / "truth.csv"), "story", "value")
    scores = ScoreColumns("story", "score")
    cases = load([str(tmp_path / "scores.csv")], scores, truth, ["prompt"], []).cases
    assert [(case.labels, case.keys, case.truth.tolist()) for case in cases] == [
        (("p",), ["a", "b"], [5.0, 6.0]),
        (("q",), ["c"], [7.0]),
    ]
    (tmp_path / "truth.csv").write_text("story,prompt,value\na,p,5\nb,p,6\n")
    with pytest.raises(InputError, match="no row for c, so its prompt is not known"):
        load([str(tmp_path / "scores.csv")], scores, truth, ["prompt"], [])


def test_pairs_are_averaged_and_the_other_order_is_filled_in() -> None:
    comparisons = by_one_judge(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 2]), np.array([0.6, 0.8, 0.5, 0.9]))
    case = from_pairs(Group((), ["a", "b", "c"], comparisons), {"a": 1.0, "b": 2.0, "c": 3.0})
    assert case.offered[0, 1] == pytest.approx(0.7)
    assert case.answers[1, 0] == 0.5
    assert case.answers[2, 1] == pytest.approx(0.1)
    assert np.isnan(case.answers[0, 2])


def test_a_candidate_without_truth_is_named() -> None:
    with pytest.raises(InputError, match="the judge knows u / y but the truth file has no value for it"):
        from_scores(("u",), {"x": 3.0, "y": 1.0}, {"x": 1.0})
