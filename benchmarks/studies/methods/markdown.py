"""Tables and numbers as text."""

from collections.abc import Iterable, Sequence

import numpy as np

from app.inference.types import Floats
from benchmarks.studies.methods.measuring import Estimate


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value: float, digits: int = 1) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}"


def with_error(runs: Sequence[float] | Floats, form: str = ".2f") -> str:
    """The mean of independent runs, and its standard error."""
    return f"{np.mean(runs):{form}} ± {np.std(runs) / np.sqrt(len(runs)):{form}}"


def estimate(of: Estimate, digits: int = 1) -> str:
    return f"{'> ' * of.bound}{of.value:.{digits}f} ± {of.error:.{digits}f}"


def signed(of: Estimate, digits: int = 1) -> str:
    return f"{of.value:+.{digits}f} ± {of.error:.{digits}f}"


def in_hundredths(of: Estimate) -> str:
    return f"{100 * of.value:.1f} ± {100 * of.error:.1f}"


def verdict(passed: bool) -> str:
    return "pass" if passed else "**missed**"


def figure(name: str, caption: str) -> str:
    return f"![{caption}](figures/{name}.svg)\n\n*{caption}.*"


def command(*lines: str) -> str:
    return "\n".join(["```console", *(f"$ {line}" for line in lines), "```"])
