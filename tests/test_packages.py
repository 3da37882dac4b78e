"""What each distribution imports is what it declares."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = {"starlette", "pydantic_core"}  # of FastAPI and Pydantic


def imported(folder: Path) -> set[str]:
    """Packages of others that the modules in a folder import, wherever they do."""
    names = set[str]()
    for file in (each for each in folder.rglob("*.py") if "node_modules" not in each.parts):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - PARTS


def declared(pyproject: Path) -> set[str]:
    """Distributions that a project needs, those of its extras too."""
    project = tomllib.loads(pyproject.read_text("utf-8"))["project"]
    extras = project.get("optional-dependencies", {})
    needed = [*project["dependencies"], *(each for extra in extras.values() for each in extra)]
    return {normalised(re.split(r"[^\w.-]", each)[0]) for each in needed}


def normalised(distribution: str) -> str:
    return distribution.lower().replace("_", "-")


@pytest.mark.parametrize(("project", "packages"), [(".", {"app", "judge_worker"}), ("client", {"nextpair"})])
def test_all_that_is_imported_is_declared(project: str, packages: set[str]) -> None:
    distributions, needed = packages_distributions(), declared(ROOT / project / "pyproject.toml")
    names = set[str]().union(*(imported(ROOT / project / package) for package in packages)) - packages
    assert not [name for name in names if not needed & {name, *map(normalised, distributions.get(name, []))}]
