"""A ranking as a LaTeX table, for the package booktabs."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from nextpair.schemas import Rank, Ranking
from nextpair.words import counted, percent

from app.files.rankings import UNITS

MEDIA_TYPE = "application/x-tex"
SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "''",
}  # fmt: skip
SPECIAL = re.compile("|".join(map(re.escape, SIGNS)))
UNSEEN = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")  # blanks and control characters: an empty line ends a row
UNLABELLED = re.compile(r"[^a-z0-9]+")


class TexColumn(NamedTuple):
    heading: str
    is_number: bool
    text: Callable[[Rank], str]  # in LaTeX; empty where it is unknown


def escaped(text: str) -> str:
    """The text on one line, so that LaTeX prints every sign of it."""
    return SPECIAL.sub(lambda sign: SIGNS[sign[0]], UNSEEN.sub(" ", text).strip())


def table(ranking: Ranking, name: str) -> str:
    """The ranking, with a part for each slice; the caption says what it is about, its level and its origin."""
    columns = _columns(ranking)
    alignment = "".join("r" if column.is_number else "l" for column in columns)
    heading = " & ".join(column.heading for column in columns)
    body = _lines(ranking.ranking, columns)
    for each in ranking.slices.slices if ranking.slices else ():
        value = escaped(f"{ranking.slices.tag if ranking.slices else ''} = {each.value}")
        prompts = counted(each.prompts, "prompt")
        body += [r"\midrule", rf"\multicolumn{{{len(columns)}}}{{l}}{{{value}, {prompts}}} \\"]
        body += _lines(each.ranking, columns)
    return "\n".join([
        "% Needs \\usepackage{booktabs}; keys that are not Latin need XeLaTeX or LuaLaTeX.",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_caption(ranking, name)}}}",
        rf"  \label{{tab:{_label(name)}}}",
        rf"  \begin{{tabular}}{{{alignment}}}",
        r"    \toprule",
        rf"    {heading} \\",
        r"    \midrule",
        *(f"    {line}" for line in body),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
        "",
    ])  # fmt: skip


def _columns(ranking: Ranking) -> list[TexColumn]:
    rows, decimals = ranking.ranking, 0 if ranking.method.scale == "elo" else 2
    level = rf"{100.0 * ranking.method.level:g}\% interval"
    columns = [
        TexColumn("", True, lambda row: str(row.rank)),
        TexColumn("Candidate", False, lambda row: escaped(row.key)),
    ]
    if any(row.win_rate is not None for row in rows):
        columns.append(TexColumn("Win rate", True, lambda row: _percent(row.win_rate)))
        columns.append(TexColumn(level, True, lambda row: _percents(row.win_rate_interval)))
    columns.append(TexColumn("Score", True, lambda row: _number(row.score, decimals)))
    if any(row.interval is not None for row in rows):
        columns.append(TexColumn(level, True, lambda row: _range(row.interval, decimals)))
        columns.append(TexColumn("Ranks", True, lambda row: _ranks(row.rank_interval)))
    if any(row.p_best is not None for row in rows):
        columns.append(TexColumn("$P(\\mathrm{best})$", True, lambda row: _percent(row.p_best)))
    return [*columns, TexColumn("$n$", True, lambda row: f"{row.comparisons:,}")]


def _lines(rows: Sequence[Rank], columns: Sequence[TexColumn]) -> list[str]:
    return [" & ".join(column.text(row) for column in columns) + r" \\" for row in rows]


def _caption(ranking: Ranking, name: str) -> str:
    about = ranking.inference_target.sentence
    unit = f" Scores are in {UNITS[ranking.method.scale]}." if ranking.method.scale else ""
    jointly = f" Intervals are marginal at {100.0 * ranking.method.level:g}%; rank intervals hold jointly."
    has_intervals = any(row.interval for row in ranking.ranking)
    counts = f"{counted(ranking.comparisons, 'comparison')} of {counted(len(ranking.ranking), 'candidate')}."
    origin = f" Version {ranking.version}, method {ranking.method.name}."
    return escaped(f"{name}. {counts}{origin} {about}{jointly if has_intervals else ''}{unit}")


def _label(name: str) -> str:
    return UNLABELLED.sub("-", name.lower()).strip("-") or "ranking"


def _number(value: float, decimals: int) -> str:
    return f"${value:+z.{decimals}f}$"


def _range(interval: tuple[float, float] | None, decimals: int) -> str:
    return "" if interval is None else " to ".join(_number(end, decimals) for end in interval)


def _percent(share: float | None) -> str:
    return "" if share is None else escaped(percent(share))


def _percents(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else " to ".join(map(_percent, interval))


def _ranks(interval: tuple[int, int] | None) -> str:
    if interval is None:
        return ""
    best, worst = interval
    return str(best) if best == worst else f"{best}--{worst}"
