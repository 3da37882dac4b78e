"""Pictures and LaTeX tables of rankings, in files."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

from nextpair.words import FigureWidth

from app.files import latex
from app.files.pictures import draw_ranking
from app.files.plots import Form
from app.files.tables import InputError
from app.offline.ranking import Ranked

UNNAMED = "Ranking"


def draw(rankings: Sequence[Ranked], path: str, width: FigureWidth | None = None) -> None:
    """One forest plot; with several groups one file each, numbered. Raises InputError."""
    form = cast("Form", Path(path).suffix.removeprefix("."))
    if form not in get_args(Form):
        raise InputError(f"--plot {path}: write a name that ends in .svg, .png or .pdf")
    for n, ranked in enumerate(rankings):
        _write(draw_ranking(ranked.ranking, _name(ranked), form, width), path, n, len(rankings))


def write_latex(rankings: Sequence[Ranked], path: str) -> None:
    """One table; with several groups one file each, numbered. Raises InputError."""
    if Path(path).suffix != ".tex":
        raise InputError(f"--latex {path}: write a name that ends in .tex")
    for n, ranked in enumerate(rankings):
        _write(latex.table(ranked.ranking, _name(ranked)).encode(), path, n, len(rankings))


def _name(ranked: Ranked) -> str:
    return " / ".join(ranked.labels) or UNNAMED


def _write(content: bytes, path: str, place: int, of: int) -> None:
    """Raises InputError."""
    file = Path(path)
    one = file if of == 1 else file.with_stem(f"{file.stem}-{place + 1}")
    try:
        one.write_bytes(content)
    except OSError as error:
        raise InputError(f"{one}: cannot be written ({error.strerror})") from None
