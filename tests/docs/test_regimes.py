"""The sizes at which something else is done: one number in the module, its docstring and docs/appendix/scale.md."""

import re
from pathlib import Path

from app.inference import regimes

ROOT = Path(__file__).parents[2]
INFERENCE = ROOT / "app/inference"
NUMBERS = {name: number for name, number in vars(regimes).items() if name.isupper()}
IN_DOCSTRING = re.findall(r"^ {4}([A-Z_]+) +([\d,]+)  ([a-z]+) ", regimes.__doc__ or "", re.M)
ON_THE_PAGE = re.findall(
    r"^\| `([A-Z_]+)` \| ([\d,]+) ([a-z]+) \|", (ROOT / "docs/appendix/scale.md").read_text(), re.M
)


def test_the_docstring_has_every_number() -> None:
    assert {name: int(number.replace(",", "")) for name, number, _ in IN_DOCSTRING} == NUMBERS
    assert len(IN_DOCSTRING) == len(NUMBERS) < 10


def test_the_page_has_the_numbers_and_units_of_the_docstring() -> None:
    assert ON_THE_PAGE == IN_DOCSTRING


def test_every_number_is_used_and_none_is_set_elsewhere() -> None:
    others = [path.read_text() for path in INFERENCE.rglob("*.py") if path.name != "regimes.py"]
    app = [path.read_text() for path in (ROOT / "app").rglob("*.py") if path.name != "regimes.py"]
    names = "|".join(NUMBERS)
    assert not [text for text in others if re.search(rf"^({names})\b.* = ", text, re.M)]
    assert not [name for name in NUMBERS if not any(re.search(rf"\b{name}\b", text) for text in app)]


def test_the_decisions_that_measured_it_are_there() -> None:
    measured = re.findall(r"\[([\d, ]+)\]", " ".join((regimes.__doc__ or "").split()))
    numbers = {int(number) for each in measured for number in each.split(",")}
    assert len(numbers) > 10
    assert all(list((ROOT / "docs/decisions").rglob(f"{number:04}-*.md")) for number in numbers)
