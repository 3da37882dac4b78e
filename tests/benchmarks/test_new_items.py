"""The study of prompts to come, made small."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies import new_items
from benchmarks.studies.methods.data import HANNA, SUMMEVAL, DataSet


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
