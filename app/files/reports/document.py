"""The report as HTML: its parts, filled into one template, with the style inside."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.files.reports.forest import ForestFigure
from app.files.reports.seal import LineHash, seal

HERE = Path(__file__).parent
NOTHING_LOADS = "default-src 'none'; base-uri 'none'; form-action 'none'"
UNSAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


class ReportRow(NamedTuple):
    """A candidate in a table of the report, as it is printed."""

    rank: str
    key: str
    figures: Sequence[str]  # one of each column
    group: int | None  # of ties


class ReportTable(NamedTuple):
    columns: Sequence[str]
    rows: Sequence[ReportRow]

    @property
    def groups(self) -> list[list[ReportRow]]:
        """Rows that lie together and are not distinguished from each other."""
        parts = list[list[ReportRow]]()
        for row in self.rows:
            if parts and row.group is not None and parts[-1][-1].group == row.group:
                parts[-1].append(row)
            else:
                parts.append([row])
        return parts


class ReportSlice(NamedTuple):
    """The ranking on one value of a tag."""

    heading: str
    sentence: str
    table: ReportTable


class ReportTag(NamedTuple):
    tag: str
    sentence: str
    slices: Sequence[ReportSlice]


class ReportJudge(NamedTuple):
    """A judge in the table, as it is printed; empty where nothing is known."""

    name: str
    kind: str
    model: str
    verdicts: str
    with_people: str
    bias: str
    cost: str


class ReportCheck(NamedTuple):
    name: str
    verdict: str
    says: str
    figure: str


class ReportParts(NamedTuple):
    """All that a report says."""

    name: str
    question: str
    answer: str
    summary: Sequence[str]
    figures: Sequence[Any]  # ReportFigure
    forest: Sequence[ForestFigure]
    table: ReportTable
    more: ReportTable | None  # the appendix
    tags: Sequence[ReportTag]
    methods: Sequence[str]
    judges: Sequence[ReportJudge]
    judges_summary: str
    checks: Sequence[ReportCheck]
    unchecked: str  # why there are no checks
    limits: Sequence[str]
    bibtex: str
    sealed: Sequence[str]  # what the seal is and is not
    version: int
    program: str  # version of nextpair
    made_at: datetime
    log: LineHash
    log_file: str  # name for the log
    data: Mapping[str, Any]


def file(parts: ReportParts) -> bytes:
    """The report as a file: it loads nothing, runs nothing, and its last line hashes it."""
    return seal(_filled(parts, "").encode())


def page(parts: ReportParts, bar: str) -> tuple[str, str]:
    """The report as a page under a bar of HTML, and the hash of its style for a content security policy."""
    return _filled(parts, bar), policy_hash(_style(parts))


def _filled(parts: ReportParts, bar: str) -> str:
    style = _style(parts)
    policy = "" if bar else f"{NOTHING_LOADS}; style-src {policy_hash(style)}"
    data = json.dumps(parts.data, ensure_ascii=False, indent=1).translate(UNSAFE)
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=parts, style=style, policy=policy, bar=bar, data=data, made_at=f"{parts.made_at:%Y-%m-%d %H:%M} UTC"
        )
    )


def _style(parts: ReportParts) -> str:
    """The sheet, with the name of the set at the top of each printed page, and version and date below."""
    below = f"version {parts.version:,} · {parts.made_at:%Y-%m-%d} · nextpair {parts.program}"
    sheet = (HERE / "report.css").read_text()
    return sheet.replace("var(--name)", _css_string(parts.name)).replace("var(--below)", _css_string(below))


def _css_string(text: str) -> str:
    """The text as a string of CSS: every sign but letters and digits of ASCII by its number."""
    signs = (each if each.isascii() and each.isalnum() else f"\\{ord(each):x} " for each in text[:80])
    return f'"{"".join(signs)}"'


def policy_hash(style: str) -> str:
    return f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'"


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
