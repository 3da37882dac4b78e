"""Candidates in a file or in typed lines, as JSON for the page that shows them before a set is created."""

import io
import json
from collections.abc import Callable
from typing import Any

from app.files import candidates, reading
from app.files.candidates import CandidateColumns, ReadCandidates
from app.files.tables import Bounds, InputError, TooManyRows
from app.service.errors import InvalidRequest, SetTooLarge
from app.settings import Settings

FAULTS = 100  # that one report shows
LARGEST_FILE = 50_000_000  # bytes, unpacked
MOST_BYTES = 50_000_000
BYTES_OF_CHARACTER = 8  # that the longest line may take: JSON needs six for one that it escapes
MOST_COLUMNS = 1000  # of a file
MOST_CANDIDATES = 5000  # that a page shows


def preview_json(
    settings: Settings, file: str | None, body: bytes, columns: CandidateColumns, is_awaited: Callable[[], bool]
) -> bytes:
    """Candidates, columns and faults of a body, which is a file of that name or else typed lines.

    Raises InvalidRequest, SetTooLarge.
    """
    size, line = min(settings.max_body_bytes, LARGEST_FILE), BYTES_OF_CHARACTER * settings.max_text_chars
    most = min(settings.max_candidates, MOST_CANDIDATES)
    bounds = Bounds(size, most, MOST_COLUMNS, line, is_awaited)
    try:
        if file:
            table = reading.parse(file, body, bounds)
        else:
            table = candidates.typed(io.TextIOWrapper(io.BytesIO(body), "utf-8", "replace"), bounds)
        read = candidates.read(table, columns, settings.max_text_chars)
    except TooManyRows:
        raise SetTooLarge(
            f"There are more than {most:,} candidates, which is what this page takes (and at most "
            "NEXTPAIR_MAX_CANDIDATES). Leave some out, or create the set by the client or `nextpair import`."
        ) from None
    except InputError as error:
        raise InvalidRequest(str(error)) from None
    return _encoded(read, columns=table.columns if file else [])


def _encoded(read: ReadCandidates, **values: Any) -> bytes:
    """The JSON of an object with these values too. Raises InvalidRequest where it is too large."""
    faults = [
        {"place": fault.place, "column": fault.column, "wrong": fault.wrong, "remedy": fault.remedy}
        for fault in read.faults[:FAULTS]
    ]
    values |= {"key": read.columns.key, "text": read.columns.text, "faults": faults, "fault_count": len(read.faults)}
    rows = b",".join(each.model_dump_json(include={"key", "text"}).encode() for each in read.candidates)
    answer = b'%s, "candidates": [%s]}' % (json.dumps(values).encode()[:-1], rows)
    if len(answer) > MOST_BYTES:
        raise InvalidRequest(f"What is to be shown takes more than {MOST_BYTES:,} bytes; send it in smaller parts.")
    return answer
