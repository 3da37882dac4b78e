"""Pictures of results, as SVG, PNG or PDF: the same for the service, its pages and the command line."""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from textwrap import wrap
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from unicodedata import east_asian_width

import numpy as np
from nextpair.words import FigureWidth

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Form = Literal["svg", "png", "pdf"]
Label = Literal["score", "win rate"]  # of what is ranked

MEDIA_TYPES: dict[Form, str] = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
ROW = 0.24  # inches
EDGE, AXIS, TITLE_LINE, CAPTION_LINE = 0.1, 0.5, 0.21, 0.17  # inches: around words, of an axis with title, of a line
TITLE_COLUMNS, CAPTION_COLUMNS = 8, 12  # to the inch
FAINT, INK, ACCENT, SECOND = "#52606d", "#1f2933", "#0072B2", "#D55E00"  # distinct for colour-blind readers too
MOST_ROWS = 400  # that have a name each; more are drawn as a band
BANDS = 1000  # steps of a band
MIDDLE: dict[Label, float] = {"score": 0.0, "win rate": 0.5}  # of a candidate as good as the others are on average
STYLE: dict[Any, Any] = {
    "font.family": ["sans-serif", "Last Resort High-Efficiency"],  # the reader's fonts know more than ours
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "nextpair",
    "pdf.fonttype": 42,  # which journals take
}
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # which says that the last font is never bold
DRAWING = Lock()  # matplotlib's settings are those of the whole process
NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # not even escaped


class CannotDraw(RuntimeError):
    """Matplotlib is not installed."""

    exit_code = 1  # of a command that ends with it


class Paper(NamedTuple):
    """The size of a picture. Journals write titles and captions beside it."""

    inches: float  # wide
    points: float  # of a letter
    longest: int  # columns of a name
    forest: tuple[float, float]  # left and width of its axes, as shares
    has_words: bool  # title and caption
    dpi: int  # of PNG


SCREEN = Paper(9.0, 9.0, 28, (0.28, 0.52), has_words=True, dpi=144)
PAPERS: dict[FigureWidth, Paper] = {
    "single": Paper(85.0 / 25.4, 8.0, 17, (0.36, 0.39), has_words=False, dpi=600),
    "double": Paper(174.0 / 25.4, 8.0, 28, (0.28, 0.56), has_words=False, dpi=600),
}


class ForestRow(NamedTuple):
    """One candidate; or a heading, which has no value."""

    name: str
    value: float | None
    interval: tuple[float, float] | None
    note: str  # at the right


class Curve(NamedTuple):
    name: str
    x: Sequence[float]
    y: Sequence[float]


def forest(
    rows: Sequence[ForestRow],
    title: str,
    caption: str,
    form: Form = "svg",
    label: Label = "score",
    paper: Paper = SCREEN,
    unit: str = "",
    origin: str = "",
) -> bytes:
    """Scores, or win rates, and intervals, best first; of very many only what can be seen, without names.

    Args: `unit` follows the label of the axis; `origin` is kept in the file, where no words show it.
    """
    xlabel = " ".join([label, *unit.split()])
    if len(rows) > MOST_ROWS:
        return _band(rows, title, caption, form, label, xlabel, paper, origin)
    with _sheet(max(len(rows), 1) * ROW, title, caption, paper) as (figure, axes):
        _forest(axes(*paper.forest, xlabel=xlabel), rows, MIDDLE[label], paper.longest)
        return _saved(figure, form, paper, origin)


def _band(
    rows: Sequence[ForestRow],
    title: str,
    caption: str,
    form: Form,
    label: Label,
    ylabel: str,
    paper: Paper,
    origin: str,
) -> bytes:
    """Values by rank, and the widest interval of the candidates next to each other."""
    values = np.array([row.value for row in rows], np.float64)
    ends = np.array([row.interval or (row.value, row.value) for row in rows])
    begins = np.unique(np.linspace(0, len(rows), BANDS, endpoint=False).astype(np.int64))
    low, high = np.minimum.reduceat(ends[:, 0], begins), np.maximum.reduceat(ends[:, 1], begins)
    left = 0.08 * SCREEN.inches / paper.inches
    with _sheet(3.3, title, caption, paper) as (figure, axes):
        ax = axes(left, 0.97 - left, xlabel="rank", ylabel=ylabel)
        ax.fill_between(begins + 1, low, high, color=ACCENT, alpha=0.25, linewidth=0, step="post")
        ax.plot(begins + 1, values[begins], color=INK, linewidth=1.2)
        ax.axhline(MIDDLE[label], color=FAINT, linestyle=":", linewidth=0.8)
        return _saved(figure, form, paper, origin)


def lines(panels: Sequence[tuple[str, str, Curve]], title: str, form: Form = "svg") -> bytes:
    """One panel for each (label of x, label of y, curve)."""
    share = 1.0 / len(panels)
    with _sheet(2.0, title) as (figure, axes):
        for n, (x, y, curve) in enumerate(panels):
            ax = axes((n + 0.18) * share, 0.78 * share, xlabel=x, ylabel=y)
            ax.plot(curve.x, curve.y, color=(ACCENT, SECOND)[n % 2], marker="o", markersize=3)
            ax.grid(visible=True, color="#e4e7eb")
        return _saved(figure, form)


def reliability(curves: Sequence[Curve], rest: Curve, title: str, caption: str, form: Form = "svg") -> bytes:
    """Stated confidence against the share that was right; accuracy of the `rest`, the most confident verdicts."""
    with _sheet(2.5, title, caption) as (figure, axes):
        ax = axes(0.08, 0.4, xlabel="stated confidence", ylabel="share that was right")
        ax.plot([0.5, 1.0], [0.5, 1.0], color=FAINT, linestyle=":", linewidth=1)
        for n, curve in enumerate(curves):
            ax.plot(curve.x, curve.y, color=(ACCENT, SECOND)[n % 2], marker="os"[n % 2], label=curve.name)
        ax.legend(frameon=False)
        ax = axes(0.57, 0.4, xlabel="share of least confident verdicts left out", ylabel="accuracy of the rest")
        ax.plot(rest.x, rest.y, color=ACCENT, marker="o", markersize=3)
        ax.grid(visible=True, color="#e4e7eb")
        return _saved(figure, form)


def span(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}–{worst}"


def _forest(ax: "Axes", rows: Sequence[ForestRow], middle: float, longest: int = SCREEN.longest) -> None:
    at, values = np.arange(len(rows)), np.array([row.value for row in rows], np.float64)
    known = [n for n, row in enumerate(rows) if row.interval is not None]
    ends = np.array([rows[n].interval for n in known], np.float64).reshape(-1, 2)
    ax.hlines(known, ends[:, 0], ends[:, 1], color=ACCENT, linewidth=2)
    ax.scatter(values, at, s=18, color=INK, zorder=3)
    ax.axvline(middle, color=FAINT, linestyle=":", linewidth=0.8)
    ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    ax.set_yticks([])
    beside = ax.get_yaxis_transform()
    for n, row in enumerate(rows):
        weight = "bold" if row.value is None else "normal"
        ax.text(
            -0.02, n, _short(row.name, longest), transform=beside, ha="right", va="center", color=INK, weight=weight
        )
        ax.text(1.02, n, row.note, transform=beside, va="center", color=FAINT)


@contextmanager
def _sheet(
    body: float, title: str, caption: str = "", paper: Paper = SCREEN
) -> Iterator[tuple["Figure", Callable[..., "Axes"]]]:
    """A figure of `body` inches of axes between title and caption, and what makes its axes: from the left, how wide.

    Words are wrapped, and the figure is as high as they and the axis titles need.
    """
    above = _lines(title, TITLE_COLUMNS * paper.inches) if paper.has_words else []
    below = _lines(caption, CAPTION_COLUMNS * paper.inches) if paper.has_words else []
    over = 2 * EDGE + TITLE_LINE * len(above)
    under = AXIS + CAPTION_LINE * len(below) + EDGE
    height = over + body + under
    try:
        import matplotlib as mpl  # takes half a second: only who draws waits for it
        from matplotlib.figure import Figure
    except ImportError as error:
        raise CannotDraw("A picture needs matplotlib: pip install 'nextpair-server[plots]'") from error
    with DRAWING, mpl.rc_context(STYLE | {"font.size": paper.points}):
        figure = Figure((paper.inches, height))
        if paper.has_words:
            figure.text(0.01, 1.0 - EDGE / height, "\n".join(above), va="top", size=11, weight="bold", color=INK)
            figure.text(0.01, EDGE / 2 / height, "\n".join(below), va="bottom", color=FAINT)
        yield (
            figure,
            lambda left, width, **titles: figure.add_axes((left, under / height, width, body / height), **titles),
        )


def _lines(text: str, columns: float) -> list[str]:
    """The text in lines of so many columns."""
    text = _clean(text)
    return wrap(text, max(int(columns * len(text) / max(_columns(text), 1)), 1))


def _columns(text: str) -> int:
    """Columns that a text takes: two for a wide character."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _saved(figure: "Figure", form: Form, paper: Paper = SCREEN, origin: str = "") -> bytes:
    out, undated = BytesIO(), {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
    described = {"Subject" if form == "pdf" else "Description": origin} if origin else {}
    figure.savefig(out, format=form, dpi=paper.dpi, metadata={**undated[form], **described})
    return out.getvalue()


def _short(name: str, longest: int) -> str:
    name = _clean(name)
    if _columns(name) <= longest:
        return name
    while _columns(name) >= longest:
        name = name[:-1]
    return f"{name}…"


def _clean(text: str) -> str:
    return NO_XML.sub("\ufffd", text)
