"""Tables and numbers as text."""

from collections.abc import Iterable, Sequence

import numpy as np

from app.inference.types import Floats


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def percent(value: float) -> str:
    return "–" if np.isnan(value) else f"{100 * value:.1f}%"


def number(value: float, digits: int = 1) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}"


def signed(value: float) -> str:
    return f"{value:+.3f}"


def mean_and_sd(counts: Floats) -> str:
    """Write mean and deviation of (S,) counts over seeds; NaN is a seed that never got there."""
    spread = f" ± {counts.std():.1f}" if len(counts) > 1 else ""
    return "–" if np.isnan(counts).any() else f"{counts.mean():.1f}{spread}"


def verdict(passed: bool) -> str:
    return "pass" if passed else "**missed**"


def figure(name: str, caption: str) -> str:
    return f"![{caption}](figures/{name}.png)\n\n*{caption}.* ([SVG](figures/{name}.svg))"
