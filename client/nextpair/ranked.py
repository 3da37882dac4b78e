"""Ranked outputs: a table, a data frame, a picture."""

import html
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from nextpair.schemas import Rank, Ranking
from nextpair.words import counted, percent

T = TypeVar("T")
HEAD = ["rank", "key", "score", "ranks", "wins", "P(best)", "output"]
WIDTH = 60  # characters of an output in a table


class RankedOutputs(Generic[T]):
    """Outputs, best first. It prints as a table with a summary below; `ranking` is the service's whole answer.

    For example:

        print(ranked.best)
        for row in ranked:
            print(row.rank, row.key, round(row.score, 2), row.rank_interval)
        ranked.plot().save("ranking.svg")

    With pandas it becomes a data frame:

        frame = ranked.to_frame()

    In the table, `ranks` is the rank interval, which holds for all outputs together. `wins` is the expected share of
    wins against the others, and `P(best)` the probability that an output is the best.
    """

    def __init__(
        self, ranking: Ranking, keys: Mapping[str, Any], outputs: Mapping[str, T], picture: str | Exception
    ) -> None:
        self.ranking, self.outputs, self._keys, self._picture = ranking, outputs, keys, picture

    @property
    def best(self) -> T:
        """The output that is ranked first."""
        return self.outputs[self.ranking.ranking[0].key]

    def __iter__(self) -> Iterator[Rank]:
        return iter(self.ranking.ranking)

    def __len__(self) -> int:
        return len(self.ranking.ranking)

    def __str__(self) -> str:
        rows = self._rows()
        widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, f"{counted(self.ranking.comparisons, 'comparison')}.", *self.ranking.summary])

    def _rows(self) -> list[list[str]]:
        """The head, and a row for each output; P(best) only where the verdicts depend on the outputs."""
        rows = [HEAD, *(self._cells(row) for row in self)]
        place = HEAD.index("P(best)")
        has_chances = any(row.p_best is not None for row in self)
        return rows if has_chances else [[*row[:place], *row[place + 1 :]] for row in rows]

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        cells = "".join(_html_row("td", row) for row in rows)
        return f"<table><thead>{_html_row('th', head)}</thead><tbody>{cells}</tbody></table>"

    def to_frame(self) -> Any:
        """Make a pandas DataFrame with a row for each output, best first, and its key as it came.

        Raises ImportError without pandas.
        """
        try:
            pandas = import_module("pandas")
        except ImportError as error:
            raise ImportError("to_frame makes a pandas DataFrame; pip install pandas") from error
        return pandas.DataFrame(
            [row.model_dump() | {"key": self._keys[row.key], "output": self.outputs[row.key]} for row in self]
        )

    def plot(self) -> "Picture":
        """Draw scores and intervals. Raises ApiError where the service could not draw them."""
        if isinstance(self._picture, Exception):
            raise self._picture
        return Picture(self._picture)

    def _cells(self, row: Rank) -> list[str]:
        return [
            str(row.rank),
            _shortened(row.key),
            f"{row.score:z.2f}" + ("" if row.sd is None else f" ± {row.sd:.2f}"),
            "" if row.rank_interval is None else f"{row.rank_interval[0]}–{row.rank_interval[1]}",
            "" if row.win_rate is None else f"{row.win_rate:.0%}",
            "" if row.p_best is None else percent(row.p_best),
            _shortened(str(self.outputs[row.key])),
        ]


class Picture:
    """An SVG picture, which notebooks show."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Path | str) -> None:
        Path(path).write_text(self.svg, encoding="utf-8")


def _html_row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"
