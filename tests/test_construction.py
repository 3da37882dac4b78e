"""How results are made: by keyword, in sight of the type checker; `make check` runs this too.

What comes in from outside is validated where it comes in: JSON by `model_validate_json` anywhere, the rest in `EDGES`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = ("app", "client/nextpair", "judge_worker")
EDGES = {
    "app/api/assignments.py": "a goal in the address of a request",
    "app/cli/service.py": "options that were given",
    "app/service/definitions.py": "columns of JSON in the database",
}
UNSEEN = {"model_validate", "model_construct", "_make"}  # ways of making a thing that no type checker sees into
MOST = 8  # values by position: beyond, two of one type are swapped unseen


def trees() -> Iterator[tuple[str, ast.Module]]:
    for folder in CODE:
        for file in sorted((ROOT / folder).rglob("*.py")):
            if "node_modules" not in file.parts:
                yield str(file.relative_to(ROOT)), ast.parse(file.read_text("utf-8"))


def offences(tree: ast.Module, own: set[str], *, is_edge: bool = False) -> Iterator[tuple[int, str]]:
    """Lines of calls that make something unseen, each with what to write; `own` are names of the project's classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in UNSEEN and not is_edge:
            yield node.lineno, f"{node.attr}: construct it by keyword"
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "dict.fromkeys":
            names = ast.unparse(node.args[0])
            if names.endswith(("model_fields", "_fields")):
                yield node.lineno, f"dict.fromkeys({names}): give the fields their defaults"
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in own and len(node.args) > MOST:
            yield node.lineno, f"{len(node.args)} values by position: name them"


def test_results_are_made_by_keyword() -> None:
    known = dict(trees())
    own = {node.name for tree in known.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    found = [
        f"{file}:{line}: {what}"
        for file, tree in known.items()
        for line, what in offences(tree, own - {"Table"}, is_edge=file in EDGES)  # SQLAlchemy has a Table too
    ]
    assert not found, "\n".join(found)
    assert {*EDGES} <= {*known}


@pytest.mark.parametrize(
    "line",
    [
        "Card.model_validate(unknown | {'judge': judge})",
        "map(Row._make, rows)",
        "Card.model_construct(judge=judge)",
        "dict.fromkeys(schemas.Card.model_fields)",
        "Card(1, 2, 3, 4, 5, 6, 7, 8, 9)",
    ],
)
def test_a_thing_made_unseen_is_found(line: str) -> None:
    assert [*offences(ast.parse(line), {"Card"})]
