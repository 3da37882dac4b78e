"""The benchmark of rank-sets, made small."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies.rank_sets import arena, simulation
from benchmarks.studies.rank_sets.arena import Arena
from benchmarks.studies.rank_sets.simulation import Design

pytestmark = pytest.mark.study


def test_the_simulation_fills_its_table_and_figure(tmp_path: Path) -> None:
    designs = [*simulation.DRAWN[:1], Design(4, 200, 400, "near", "random")]
    measured = {design: simulation.simulate(design, 2) for design in designs}
    for table in (simulation.promises_table, simulation.estimates_table):
        lines = table(measured).splitlines()
        assert [line.count("|") for line in lines] == [lines[0].count("|")] * 4
    simulation.figure(measured, tmp_path)
    assert "k = 4, n = 990, even" in (tmp_path / "rank-sets-coverage.svg").read_text()


def small_arena() -> Arena:
    """Three systems, 100 instances of each pair."""
    rng = np.random.default_rng(0)
    shown = np.repeat([[0, 0, 1], [1, 2, 2]], 100, axis=1)
    said = {who: simulation.wins(rng.integers(3, size=300)) for who in ("human", *arena.JUDGES)}
    return Arena(("x", "y", "z"), shown, said)


def test_the_arena_fills_a_table_for_each_covariance() -> None:
    text = arena.arena_tables(small_arena(), 2)
    assert (
        text.count("| baseline |") == text.count("| people and gpt4 |") == text.count("| people and all three |") == 2
    )


def test_sweeps_fill_their_table_and_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "ALPHAS", (0.4, simulation.ALPHA))
    monkeypatch.setattr(arena, "PEOPLE", (arena.USUAL, 2970))
    swept = arena.sweep(small_arena(), 1)
    assert arena.people_table(swept).count("| 2,970 |") == 2
    arena.sweeps_figures(swept, tmp_path)
    assert "people and claude3opus" in (tmp_path / "rank-sets-alpha.svg").read_text()
    assert "n = 2,970" in (tmp_path / "rank-sets-people.svg").read_text()


def test_the_structure_fills_its_tables_and_figure(tmp_path: Path) -> None:
    drawn = arena.rank_sets(small_arena(), 3)
    assert arena.positions_table(drawn).count("| baseline | 0 |") == 1
    assert arena.rank_sets_table(drawn, ("x", "y", "z")).count("\n| ") == 4
    arena.structure_figure(drawn, ("x", "y", "z"), tmp_path)
    assert "people and gpt35" in (tmp_path / "rank-sets-positions.svg").read_text()


def test_a_position_counts_in_each_rank_set_that_has_it() -> None:
    ranks = np.array([[[1, 2], [2, 2]], [[1, 1], [1, 2]]])
    assert arena.positions(ranks).tolist() == [[1.0, 0.5], [0.5, 1.0]]


def test_every_pair_is_counted_from_0() -> None:
    pair = np.array([7, 3, 7, 3, 7])
    place = arena.places_within_pairs(pair, np.random.default_rng(0))
    assert sorted(zip(pair.tolist(), place.tolist(), strict=True)) == [(3, 0), (3, 1), (7, 0), (7, 1), (7, 2)]


def test_rank_sets_meet_where_each_shares_a_rank() -> None:
    assert arena.intersect(np.array([[1, 2], [2, 3]]), np.array([[2, 2], [1, 2]]))
    assert not arena.intersect(np.array([[1, 2], [2, 3]]), np.array([[3, 3], [1, 2]]))
    assert arena.covers(np.array([[1, 2], [1, 3]]), np.array([[1, 2], [2, 3]]))
    assert not arena.covers(np.array([[1, 2], [2, 3]]), np.array([[1, 3], [2, 3]]))
