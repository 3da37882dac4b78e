"""Hashes of a log and of a report, so that one altered byte in either is found (docs/decisions/0080)."""

import json
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from nextpair.schemas import Comparison
from pydantic import TypeAdapter, ValidationError

from app.files.exports import Line, Uncompared, line_of

BLOCKS = 256  # parts of a text that have a hash each, to say where it was altered
DIGITS = 8  # of the hash of a part
SEAL = re.compile(rb"<!-- nextpair seal ([0-9a-f]{64}) lines ([1-9][0-9]*) parts ([0-9a-f]*) -->\n")
DATA = re.compile(rb'<script type="application/json" id="nextpair-report">(.*?)</script>', re.DOTALL)
Json = dict[str, Any]
LINE = TypeAdapter[Line](Line)


class BadReport(ValueError):
    """A report, or a log, that is not what was written."""

    exit_code = 1


class LineHash(NamedTuple):
    """SHA-256 of all bytes, and the first digits of the hash of each part of so many lines."""

    sha256: str
    lines: int
    step: int
    parts: str


class LogHasher:
    """Hashes lines, with their ends, one by one, of which there are at most so many."""

    def __init__(self, at_most: int) -> None:
        self._step = max(-(-at_most // BLOCKS), 1)
        self._whole, self._part, self._parts, self._lines = sha256(), sha256(), list[str](), 0

    def add(self, line: bytes) -> None:
        self._whole.update(line)
        self._part.update(line)
        self._lines += 1
        if self._lines % self._step == 0:
            self._end_part()

    def result(self) -> LineHash:
        if self._lines % self._step:
            self._end_part()
        return LineHash(self._whole.hexdigest(), self._lines, self._step, "".join(self._parts))

    def _end_part(self) -> None:
        self._parts.append(self._part.hexdigest()[:DIGITS])
        self._part = sha256()


def hashed(lines: Iterable[bytes], at_most: int) -> LineHash:
    """Hash lines, with their ends, of which there are at most so many."""
    hasher = LogHasher(at_most)
    for line in lines:
        hasher.add(line)
    return hasher.result()


def where_different(stated: LineHash, actual: LineHash) -> str:
    """The first lines that differ, in words."""
    ours, theirs = (
        [each.parts[n : n + DIGITS] for n in range(0, len(each.parts), DIGITS)] for each in (stated, actual)
    )
    part = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    first, last = part * stated.step + 1, (part + 1) * stated.step
    if first > actual.lines:
        return f"it ends after line {actual.lines:,} of {stated.lines:,}"
    return f"line {first:,} differs" if first == last else f"one of the lines {first:,} to {last:,} differs"


def as_of(comparison: Comparison, version: int) -> Comparison:
    """The entry as it was exported at that version, when a later void was not known."""
    is_later = comparison.voided_by is not None and comparison.voided_by > version
    of_void = comparison.model_fields_set & {"voided_by", "void_reason"}
    return comparison.model_copy(update=dict.fromkeys(of_void)) if is_later else comparison


class ExportedLog:
    """Lines of an export in JSON Lines, checked one by one.

    Afterwards, how many are later than the version, and lines of all outputs beside those up to it.
    """

    def __init__(self, lines: Iterable[bytes], version: int) -> None:
        self._lines, self._version, self.later, self.others = lines, version, 0, list[Uncompared]()

    def __iter__(self) -> Iterator[bytes]:
        """Lines up to the version. Raises BadReport at the first that nextpair does not write."""
        before = 0
        for number, line in enumerate(self._lines, 1):
            try:
                entry = LINE.validate_json(line)
            except (ValidationError, UnicodeDecodeError):
                raise BadReport(f"line {number:,} of the log is no comparison of an export in JSON Lines") from None
            if line_of(entry) != line:
                raise BadReport(f"line {number:,} of the log is not written as nextpair exports it")
            if entry.seq is None:
                self.others.append(entry)
                continue
            if entry.seq <= before:
                raise BadReport(f"line {number:,} of the log is out of order: seq {entry.seq} after {before}")
            before = entry.seq
            if entry.seq <= self._version:
                yield line_of(as_of(entry, self._version))
            else:
                self.later += 1
                self.others += (
                    Uncompared(seq=None, set_id=entry.set_id, item=entry.item, first=key)
                    for key in (entry.first, entry.second)
                )


def lines_of(content: bytes) -> list[bytes]:
    """The lines with their ends."""
    return re.findall(rb"[^\n]*\n|[^\n]+\Z", content)


def seal(document: bytes) -> bytes:
    """The document with a last line, which hashes all bytes above it."""
    lines = lines_of(document)
    whole = hashed(lines, len(lines))
    return document + f"<!-- nextpair seal {whole.sha256} lines {whole.lines} parts {whole.parts} -->\n".encode()


def unsealed(report: bytes) -> Json:
    """The data of a report that is as it was written. Raises BadReport."""
    start = report.rfind(b"<!-- nextpair seal ")
    sealed = SEAL.fullmatch(report, start) if start >= 0 else None
    if sealed is None:
        raise BadReport("the report does not end with its seal: it is not a report of nextpair, or its end was altered")
    document = report[:start]
    if seal(document) != report:
        lines = lines_of(document)
        actual, stated = hashed(lines, len(lines)), int(sealed[2])
        step = max(-(-stated // BLOCKS), 1)
        place = where_different(LineHash(sealed[1].decode(), stated, step, sealed[3].decode()), actual)
        raise BadReport(f"the report was altered: {place if stated == actual.lines else 'lines were added or lost'}")
    contents = DATA.findall(document)
    if len(contents) != 1:
        raise BadReport("the report has no data to verify; download it again from a service of this version")
    content: Json = json.loads(contents[0])
    return content
