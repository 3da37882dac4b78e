"""Tables and numbers as text, and pages of docs/ with a part that is measured."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from app.inference.types import Bools, Floats


def put(page: Path, command: str, text: str) -> None:
    """Put what `command` writes in the place of what it wrote before, between two marks; the rest is by hand."""
    begin, end = (f"<!-- {which} of what {command} writes -->" for which in ("begin", "end"))
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{rest.partition(end)[2]}", encoding="utf-8")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def show(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    print(f"\n{table(header, rows)}", flush=True)


def number(value: float, digits: int = 1) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}"


def with_error(runs: Sequence[float] | Floats, form: str = ".2f") -> str:
    """The mean of independent runs, and its standard error."""
    return f"{np.mean(runs):{form}} ± {np.std(runs) / np.sqrt(len(runs)):{form}}"


def percent(cases: Sequence[bool] | Bools | Floats) -> str:
    """A share of independent runs in percent, and its standard error."""
    return with_error(100.0 * np.asarray(cases, np.float64), ".1f")


def verdict(passed: bool) -> str:
    return "pass" if passed else "**missed**"


def figure(name: str, caption: str) -> str:
    return f"![{caption}](figures/{name}.svg)\n\n*{caption}.*"


def command(*lines: str) -> str:
    return "\n".join(["```console", *(f"$ {line}" for line in lines), "```"])
