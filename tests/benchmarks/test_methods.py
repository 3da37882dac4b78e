"""The benchmarks of the methods, made small."""

from pathlib import Path

import numpy as np
import pytest

from app.inference.types import by_one_judge
from app.offline.cases import Case
from benchmarks.studies.methods import acceptance, data
from benchmarks.studies.methods.__main__ import main
from benchmarks.studies.methods.checkpoints import Checkpoints
from benchmarks.studies.methods.curves import band_of
from benchmarks.studies.methods.experts import RankedDocument, auroc
from benchmarks.studies.methods.large import BATCHED, OURS, RIVALS, Large
from benchmarks.studies.methods.position_bias import estimate, together


def large(ours: list[float], others: list[float]) -> Large:
    curves = {who.name: np.array([[ours if who in OURS else others]]) for who in BATCHED}
    return Large(100, False, np.array([100.0, 200.0]), curves, np.array([0.5]))


def test_one_batch_behind_misses_the_target() -> None:
    assert all(line.passed for line in acceptance.of_large(large([0.2, 0.3], [0.1, 0.2])))
    lines = acceptance.of_large(large([0.2, 0.3], [0.1, 0.31]))
    assert len(lines) == len(OURS) * len(RIVALS)
    assert not any(line.passed for line in lines)
    assert "smallest margin -0.010 at K = 200" in lines[0].measured


def test_bands_leave_out_how_hard_a_part_is() -> None:
    parts = [np.array([[0.1, 0.2], [0.2, 0.3]]), np.array([[0.5, 0.6], [0.6, 0.7]])]
    band = band_of(parts, [0.4, 0.8], [1, 2])
    assert band.mean == pytest.approx([0.35, 0.45])
    assert band.sd == pytest.approx([0.05, 0.05])


def test_entropy_that_orders_rankings_by_quality_scores_one() -> None:
    judged = [RankedDocument(agreement, -agreement) for agreement in (0.1, 0.2, 0.3, 0.4)]
    assert auroc(judged) == 1.0
    assert auroc([one._replace(log_det=0.0) for one in judged]) == 0.5
    assert np.isnan(auroc(judged[:1]))


def test_a_biased_judge_favours_what_is_shown_first() -> None:
    fair = Case((), ["a", "b"], np.array([1.0, 0.0]), np.array([[np.nan, 0.5], [0.5, np.nan]]))
    biased = data.biased(fair, 1.0)
    assert biased.offered[0, 1] == biased.offered[1, 0] == pytest.approx(1 / (1 + np.exp(-1.0)))


def test_pooling_documents_sharpens_the_bias() -> None:
    p = np.array([0.7, 0.7])
    log = by_one_judge(np.array([0, 1]), np.array([1, 0]), p)
    alone, pooled = estimate(log, 2), estimate(*together([log] * 20))
    assert pooled.sd < alone.sd
    assert abs(pooled.delta - alone.delta) < alone.sd


def test_what_was_kept_is_not_computed_again(tmp_path: Path) -> None:
    assert Checkpoints(tmp_path).once("one", lambda: 1) == 1
    assert Checkpoints(tmp_path).once("one", lambda: 2) == 1
    assert Checkpoints(None).once("one", lambda: 2) == 2


def test_absent_data_is_said_and_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick", "--data", str(tmp_path / "nowhere"), "--docs", str(tmp_path)])
    assert "skipped summeval: it is not in the data folder" in capsys.readouterr().err
    assert (tmp_path / "benchmarks.md").read_text().startswith("# Benchmarks")


@pytest.mark.slow
def test_the_page_and_its_figures_are_written(shared_data: Path, tmp_path: Path) -> None:
    main(["--quick", "--data", str(shared_data), "--docs", str(tmp_path)])
    page = (tmp_path / "benchmarks.md").read_text()
    for name in ("summeval", "topicalchat", "vicuna", "hanna"):
        assert f"figures/efficiency-{name}.png" in page
    drawn = [path for path in (tmp_path / "figures").iterdir() if path.suffix == ".svg"]
    assert len(drawn) == 6
    assert all(path.stat().st_size < 300_000 and path.with_suffix(".png").exists() for path in drawn)
