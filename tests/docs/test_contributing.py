"""CONTRIBUTING names files that exist, and in them what it says is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
TREE = re.findall(r"^( *)([\w/.]+)   ", PAGE.split("```")[3], re.M)
PATHS = sorted({path for path in re.findall(r"`([\w./-]+/[\w./-]+)`", PAGE) if "NAME" not in path})
PLACES = re.findall(r"`(\w+)` (?:in|of) `([\w./-]+\.(?:py|html))`", PAGE)


@pytest.mark.parametrize("path", PATHS)
def test_every_path_is_there(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize(("name", "path"), PLACES)
def test_every_name_is_where_it_is_said_to_be(name: str, path: str) -> None:
    assert re.search(rf"\b{name}\b", (ROOT / path).read_text())


def test_every_package_of_the_tree_is_there() -> None:
    packages, missing = {0: ROOT}, []
    for indent, name in TREE:
        package = packages[len(indent)] / name
        packages[len(indent) + 2] = package
        missing += [] if package.exists() else [name]
    assert not missing
    assert len(TREE) > 20


def test_names_and_paths_were_recognised() -> None:
    assert len(PATHS) > 30
    assert len(PLACES) > 10
