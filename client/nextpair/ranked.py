"""Ranked outputs: a table, a data frame, a picture."""

import html
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from nextpair.schemas import Rank, Ranking
from nextpair.words import counted, percent

T = TypeVar("T")
HEAD = ["rank", "key", "score", "ranks", "wins", "best", "output"]
WIDTH = 60  # characters of an output in a table


class RankedOutputs(Generic[T]):
    """Outputs, best first. It prints as a table; `ranking` is all that the service says of it.

    In the table, `ranks` are the best and the worst rank that an output may have, which hold for all of them together,
    `wins` is the expected share of wins against all others, and `best` is the probability that it is the best of all.
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
        rows = [HEAD, *(self._cells(row) for row in self)]
        widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        first_place = [self.ranking.first_place] if self.ranking.first_place else []
        prompts = [self.ranking.prompts.sentence] if self.ranking.prompts else []
        target = self.ranking.inference_target.sentence
        return "\n".join([*lines, target, *first_place, *prompts, self._last_line()])

    def _last_line(self) -> str:
        stopping, confidence = self.ranking.stopping, self.ranking.confidence
        sure = (
            "" if confidence is None else f", {_share(confidence.expected_concordance)} of the pairs in the right order"
        )
        unmet = "" if stopping is None or stopping.converged else ", and the rule to stop is not met"
        return f"{counted(self.ranking.comparisons, 'comparison')}{sure}{unmet}"

    def _repr_html_(self) -> str:
        rows = "".join(_html_row("td", self._cells(row)) for row in self)
        return f"<table><thead>{_html_row('th', HEAD)}</thead><tbody>{rows}</tbody></table>"

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each output, best first, and its key as it came.

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
        """Scores and intervals. Raises ApiError where the service could not draw them."""
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
    """An SVG that notebooks show by themselves."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Path | str) -> None:
        Path(path).write_text(self.svg, encoding="utf-8")


def _share(concordance: float) -> str:
    return "all" if concordance == 1.0 else f"about {percent(concordance)}"


def _html_row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"
