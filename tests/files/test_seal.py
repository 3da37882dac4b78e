"""Hashes of reports and logs: what was written is accepted, and one altered byte is refused."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nextpair.schemas import Comparison

from app.files.exports import line_of
from app.files.reports.seal import (
    BadReport,
    ExportedLog,
    LineHash,
    as_of,
    hashed,
    lines_of,
    seal,
    unsealed,
    where_different,
)

VERSION = 400  # entries 1 to 400, with a void at 300
DOCUMENT = (
    "<!doctype html>\n"
    + "".join(f"<p>Figure {n}: {n / 7:.2f} é</p>\n" for n in range(300))
    + '<script type="application/json" id="nextpair-report">{"a": [1, "\\u003c"]}</script>\n</html>\n'
).encode()
REPORT = seal(DOCUMENT)


def entry(seq: int, voided_by: int | None = None) -> Comparison:
    return Comparison(
        seq=seq, set_id=UUID(int=7), item=None, first="kelp é", second="<b>", p_first=seq / 1e6, winner=None,
        weight=1.0, judge="gpt", client_id=None, assignment_id=None, late=False, label_mass=None, latency_ms=1e-7 * seq,
        raw={"text": "1\n2"}, created_at=datetime(2026, 11, 20, 12, 0, seq % 60, tzinfo=UTC), voided_by=voided_by,
    )  # fmt: skip


ENTRIES = [entry(seq, 300 if seq == 17 else None) for seq in range(1, VERSION + 1) if seq != 300]
LINES = [line_of(each) for each in ENTRIES]
LOG = b"".join(LINES)
HASH = hashed(LINES, VERSION)


def hash_of(log: bytes, version: int = VERSION) -> LineHash:
    return hashed(ExportedLog(lines_of(log), version), version)


def altered(content: bytes, place: int, byte: int) -> bytes:
    """The content with another byte in one place."""
    place %= len(content)
    other = byte if byte != content[place] else (byte + 1) % 256
    return content[:place] + bytes([other]) + content[place + 1 :]


def test_a_log_of_an_earlier_version_is_accepted() -> None:
    """Its lines lack what later versions write."""
    later = [line_of(each.model_copy(update={"restores": None, "void_reason": None})) for each in ENTRIES]
    assert len(later[0]) > len(LINES[0])
    assert hash_of(LOG) == HASH
    assert hash_of(b"".join(later)) == hashed(later, VERSION) != HASH


def test_what_was_written_is_accepted() -> None:
    assert unsealed(REPORT) == {"a": [1, "<"]}
    assert hash_of(LOG) == HASH
    assert HASH.lines == VERSION - 1


@given(place=st.integers(0, 10**9), byte=st.integers(0, 255))
def test_one_altered_byte_of_a_report_is_refused(place: int, byte: int) -> None:
    with pytest.raises(BadReport):
        unsealed(altered(REPORT, place, byte))


@pytest.mark.parametrize("place", range(-len(REPORT) + len(DOCUMENT), 0, 7))
def test_the_seal_itself_is_sealed(place: int) -> None:
    with pytest.raises(BadReport):
        unsealed(altered(REPORT, place, ord("0")))


@given(place=st.integers(0, 10**9), byte=st.integers(0, 255))
def test_one_altered_byte_of_a_log_is_refused(place: int, byte: int) -> None:
    with suppress(BadReport):
        assert hash_of(altered(LOG, place, byte)) != HASH


@given(cut=st.integers(1, len(REPORT) - 1))
def test_a_report_that_was_cut_is_refused(cut: int) -> None:
    for part in (REPORT[:-cut], REPORT[cut:], REPORT + b"\n", REPORT[:cut] + b" " + REPORT[cut:]):
        with pytest.raises(BadReport):
            unsealed(part)


def test_numbers_that_mean_the_same_are_not_the_same_bytes() -> None:
    same = LOG.replace(b"e-7", b"E-7", 1)
    assert same != LOG
    with pytest.raises(BadReport, match="line 1 of the log is not written as nextpair exports it"):
        hash_of(same)


def test_a_log_that_has_grown_since_is_accepted() -> None:
    later = [entry(each.seq, VERSION + 2) if each.seq == 3 else each for each in ENTRIES] + [entry(VERSION + 1)]
    log = ExportedLog(map(line_of, later), VERSION)
    assert hashed(log, VERSION) == HASH
    assert log.later == 1
    assert as_of(entry(3, 9), 9).voided_by == 9


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        ([*LINES[:40], line_of(entry(41, 90)), *LINES[41:]], "one of the lines 41 to 42 differs"),
        (LINES[:-3], "it ends after line 396 of 399"),
        ([*LINES[:9], *LINES[10:]], "one of the lines 9 to 10 differs"),
    ],
)
def test_the_message_says_where(lines: Sequence[bytes], where: str) -> None:
    assert where_different(HASH, hash_of(b"".join(lines))) == where


def test_lines_are_exported_in_order() -> None:
    with pytest.raises(BadReport, match="line 2 of the log is out of order"):
        hash_of(LINES[1] + LINES[0])
    with pytest.raises(BadReport, match="line 1 of the log is no comparison"):
        hash_of(b"seq,first\n1,kelp\n")


def test_a_report_says_which_line_was_altered() -> None:
    with pytest.raises(BadReport, match="the report was altered: one of the lines 57 to 58 differs"):
        unsealed(REPORT.replace(b"Figure 56", b"Figure 5x"))
    with pytest.raises(BadReport, match="does not end with its seal"):
        unsealed(b"<p>Not one of ours.</p>")
