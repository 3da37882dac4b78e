"""The page of symbols names what is there."""

import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE, INFERENCE = ROOT / "docs/appendix/symbols.md", ROOT / "app/inference"
NAMES = sorted(set(re.findall(r"`([a-z_]+(?:\.\w+)+)`", PAGE.read_text())) - {"app.inference"})


def is_there(name: str) -> bool:
    """Whether a dotted name is something in a module of inference, or a field of a class in one."""
    parts = name.split(".")
    modules = [n for n in range(1, len(parts)) if (INFERENCE / "/".join(parts[:n])).with_suffix(".py").exists()]
    modules = modules or [n for n in range(1, len(parts)) if (INFERENCE / "/".join(parts[:n])).is_dir()]
    if not modules:
        return False
    module: object = import_module(".".join(("app.inference", *parts[: modules[-1]])))
    return reduce(lambda thing, part: getattr(thing, part, None), parts[modules[-1] :], module) is not None


@pytest.mark.parametrize("name", NAMES)
def test_every_name_on_the_page_is_in_the_code(name: str) -> None:
    assert is_there(name)


def test_a_name_that_is_gone_is_noticed() -> None:
    assert len(NAMES) > 40
    assert not is_there("fitting.posterior.Posterior.nothing")
    assert not is_there("fitting.nothing.Posterior")
