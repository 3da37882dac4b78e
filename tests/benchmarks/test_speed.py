"""The benchmarks of speed: every section measures something, and what got worse is said. Nothing is said of a clock."""

import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from scipy.optimize import check_grad

from app.inference.fitting import posterior
from benchmarks.pages import put
from benchmarks.speed import choices, drawing, fits, history, many, peers, votes
from benchmarks.speed.machine import new_run
from benchmarks.speed.measuring import Extent, Row, medians
from benchmarks.speed.problem import gradient, hessian_times, loss, simulated_log, winners
from benchmarks.speed.tables import in_words, markdown, show

TINY = Extent(dense=(12,), sparse=(12, 80), seconds=0.0, votes=3, peers=False, services=False)
RUN = new_run()


def test_every_section_in_process_measures_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "FEWEST", 80)
    monkeypatch.setattr(posterior, "DENSE", 79)
    for section in (fits, votes, choices, many):
        rows = list(section.measure(TINY))
        assert {row.n for row in rows} <= {12, 80}
        assert all(row.ratio is not None and row.ratio > 0.0 for row in rows), section.__name__
        assert len({row.name for row in rows}) == len(rows)


def test_ours_ends_at_the_optimum_that_peers_look_for() -> None:
    for n in (12, 80):
        log = simulated_log(n)
        assert np.abs(gradient(fits.our_fit(n, log)(), log, 1.0)).max() < 1e-9


def test_the_objective_given_to_peers_has_its_derivatives() -> None:
    log, rng = simulated_log(12), np.random.default_rng(0)
    s, x = rng.standard_normal((2, 12))
    assert check_grad(loss, gradient, s, log, 0.7) < 1e-5
    slope = (gradient(s + 1e-6 * x, log, 0.7) - gradient(s - 1e-6 * x, log, 0.7)) / 2e-6
    np.testing.assert_allclose(hessian_times(s, x, log, 0.7), slope, atol=1e-7)
    assert set(winners(log).p) == {0.0, 1.0}


def test_a_peer_that_is_not_installed_is_said_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fits, "PEERS_PYTHON", Path("nowhere"))
    rows = [row for row in fits.measure(TINY._replace(peers=True, sparse=(12,))) if row.theirs is None]
    assert [row.beside for row in rows] == [peer.name for peer in fits.PEERS]
    assert all("make install-peers" in row.note for row in rows)


@pytest.mark.parametrize("seconds", [0.0, 0.01])
def test_a_peer_reads_the_problem_and_says_its_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], seconds: float
) -> None:
    def prepare(problem: peers.PeerProblem) -> peers.Fit:
        assert problem.first_won.dtype == np.bool_
        return lambda: np.bincount(problem.first, problem.p, problem.n)

    log = simulated_log(12)
    fits.write_problem(tmp_path / "problem.npz", 12, log)
    monkeypatch.setitem(peers.PEERS, "sums", prepare)
    peers.main(str(tmp_path / "problem.npz"), "sums", seconds)
    answer = json.loads(capsys.readouterr().out)
    assert answer["scores"] == np.bincount(log.first, log.p, 12).tolist()
    assert answer["ms"] > 0.0


def test_peers_are_those_that_the_environment_has() -> None:
    assert [peer.name for peer in fits.PEERS] == list(peers.PEERS)
    pinned = {line.partition("==")[0] for line in Path(peers.__file__).with_suffix(".txt").read_text().splitlines()}
    assert {"scikit-learn", "choix", "evalica", "arena-rank", "openskill", "trueskill"} <= pinned


def test_what_got_worse_by_more_than_a_quarter_shows(tmp_path: Path) -> None:
    path, before = tmp_path / "history.jsonl", [Row("a", 16, "b", 1.0, 2.0), Row("c", 16, "d", 1.0, None)]
    history.append(path, RUN, {"fits": before})
    last = history.last_ratios(path, RUN.machine)
    assert last == {"a, N = 16 / b": 0.5}
    slower, alike = Row("a", 16, "b", 1.3, 2.0), Row("a", 16, "b", 1.2, 2.0)
    assert [history.got_worse(row, last) for row in (slower, alike)] == [True, False]
    console = Console(record=True, width=120)
    show(console, "Fits", [slower], last)
    assert "1/2, WORSE" in console.export_text()
    assert history.last_ratios(path, "another machine") == {}


def test_ratios_read_as_fractions() -> None:
    assert [in_words(ratio) for ratio in (None, 1 / 18, 0.99, 1.64, 250.0)] == ["-", "1/18", "0.99", "1.6", "250"]
    assert markdown([Row("a", 16, "b", 1.0, 20.0, "so")]).endswith("\n| 16 | a | b | 1 ms | 20 ms | 1/20 | so |")


def test_figures_have_a_line_for_each_peer_and_limit(tmp_path: Path) -> None:
    drawing.draw(tmp_path, {"fits": list(fits.measure(TINY)), "votes": list(votes.measure(TINY))})
    assert "scipy Newton-CG" in (tmp_path / "speed-fits.svg").read_text()
    assert votes.LIMIT in (tmp_path / "speed-votes.svg").read_text()


def test_actions_take_turns() -> None:
    order: list[str] = []
    assert len(medians(lambda: order.append("a"), lambda: order.append("b"), seconds=0.0)) == 2
    assert "".join(order) == "abab"


def test_what_is_written_by_hand_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    begin, end = "<!-- begin of what make bench writes -->", "<!-- end of what make bench writes -->"
    page.write_text(f"By hand.\n{begin}\nof another day\n{end}\nMore.\n")
    for _ in range(2):
        put(page, "make bench", r"| \1 | of today |")
    assert page.read_text() == f"By hand.\n{begin}\n\n| \\1 | of today |\n\n{end}\nMore.\n"
