"""Tables of candidates, read so that whoever makes a set sees what it would hold."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from nextpair import schemas
from nextpair.names import look_alike

from app.files import battles, candidates, outputs, reading
from app.files.candidates import CandidateColumns
from app.files.columns import texts_of
from app.files.comparisons import ComparisonColumns
from app.files.outputs import OutputColumns
from app.files.tables import Bounds, Fault, InputError, Table, TooManyRows
from app.service.errors import InvalidRequest, SetTooLarge
from app.service.limits import refuse_large_set, refuse_large_text
from app.settings import Settings

FAULTS = 100  # that one report shows
MOST_BYTES = 50_000_000  # of a file, unpacked, and of what is answered
BYTES_OF_CHARACTER = 8  # that the longest line may take: JSON needs six for one that it escapes
MOST_ROWS = schemas.LONGEST_LIST
MOST_COLUMNS = 1000
FIRST_ROWS, LONGEST_CELL = 5, 200  # of a preview, and its characters
OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)")


class NamedColumns(NamedTuple):
    """The columns that a request names, of one kind at most."""

    texts: CandidateColumns = CandidateColumns()
    outputs: OutputColumns = OutputColumns()
    battles: ComparisonColumns = ComparisonColumns()


def read_json(
    settings: Settings, file: str | None, body: bytes, columns: NamedColumns, is_awaited: Callable[[], bool]
) -> bytes:
    """The JSON of what a body holds, which is a file of that name or else typed lines.

    Raises InvalidRequest, SetTooLarge.
    """
    with _refusals():
        table = _table(settings, file, body, is_awaited)
        read = _read(table, columns, settings)
    refuse_large_set(len(read.candidates), max(len(read.items), 1), settings)
    first = {"rows": _first_rows(table), "row_count": len(table.rows)} if file else {"columns": []}
    return _encoded(read.model_copy(update={"warnings": _warnings(read), **first}))


def _warnings(read: schemas.TableRead) -> list[str]:
    judges = dict.fromkeys(each.judge for each in read.comparisons)
    return [*look_alike("candidate", [each.key for each in read.candidates]), *look_alike("judge", judges)]


def preview(settings: Settings, file: str, body: bytes, is_awaited: Callable[[], bool]) -> schemas.TablePreview:
    """The columns and first rows of a file, whatever it holds. Raises InvalidRequest, SetTooLarge."""
    with _refusals():
        table = _table(settings, file, body, is_awaited)
        return schemas.TablePreview(columns=table.columns, rows=_first_rows(table), row_count=len(table.rows))


@contextmanager
def _refusals() -> Iterator[None]:
    """Errors of files as errors of the service."""
    try:
        yield
    except TooManyRows:
        raise SetTooLarge(
            f"The table has more than {MOST_ROWS:,} rows; send fewer, or create the set with `nextpair import`."
        ) from None
    except InputError as error:
        raise InvalidRequest(_by_parameters(str(error))) from None


def _table(settings: Settings, file: str | None, body: bytes, is_awaited: Callable[[], bool]) -> Table:
    """Raises InputError."""
    size, line = min(settings.max_body_bytes, MOST_BYTES), BYTES_OF_CHARACTER * settings.max_text_chars
    bounds = Bounds(size, MOST_ROWS, MOST_COLUMNS, line, is_awaited)
    if file:
        return reading.without_void(reading.parse(file, body, bounds))
    return candidates.typed(io.TextIOWrapper(io.BytesIO(body), "utf-8", "replace"), bounds)


def _first_rows(table: Table) -> list[list[str]]:
    """The first rows, each with the beginning of every cell; cells that are no text are empty."""
    first = table._replace(cells=table.cells.slice(0, FIRST_ROWS), rows=table.rows[:FIRST_ROWS])
    columns = [_beginnings(first, column) for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _beginnings(table: Table, column: str) -> list[str]:
    try:
        return [text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…" for text in texts_of(table, column)]
    except InputError:
        return [""] * len(table.rows)


def _read(table: Table, columns: NamedColumns, settings: Settings) -> schemas.TableRead:
    """What the columns that are named say it holds; else battles, outputs or texts, as it is recognised.

    Raises InputError, SetTooLarge.
    """
    named = [kind for kind, usual in zip(columns, NamedColumns(), strict=True) if kind != usual]
    if len(named) > 1:
        raise InputError("name the columns of one kind: of texts, of the outputs of systems, or of battles")
    if columns.battles in named or (not named and battles.is_like(table)):
        return _read_battles(table, columns.battles, settings)
    used = None if columns.texts in named else outputs.find(table, columns.outputs)
    if used is None:
        return _read_texts(table, columns.texts, settings)
    refuse_large_set(len(used.systems), len(table.rows), settings)
    return _read_outputs(table, used, settings)


def _read_battles(table: Table, columns: ComparisonColumns, settings: Settings) -> schemas.TableRead:
    used = battles.find(table, columns)
    read = battles.read(table, used)
    for item in read.items:
        refuse_large_text(item.prompt, "/items", settings)
    return schemas.TableRead(
        kind="battles",
        layout=None,
        columns=table.columns,
        used=schemas.TableColumns(
            key=None, text=None, system=None, systems=[], prompt=None, prompt_text=None, output=None, tags=[],
            **used._asdict(),
        ),
        candidates=read.candidates,
        items=read.items,
        comparisons=read.comparisons,
        faults=_shown(read.faults),
        fault_count=len(read.faults),
        missing=0,
    )  # fmt: skip


def _read_outputs(table: Table, columns: OutputColumns, settings: Settings) -> schemas.TableRead:
    read = outputs.read(table, columns, settings.max_text_chars)
    used = read.columns
    return schemas.TableRead(
        kind="systems",
        layout=read.layout,
        columns=table.columns,
        used=schemas.TableColumns(
            key=None, text=None, system=used.system, systems=list(used.systems), prompt=used.prompt,
            prompt_text=used.prompt_text, output=used.output, tags=list(used.tags or ()),
        ),
        candidates=read.candidates,
        items=read.items,
        faults=_shown(read.faults),
        fault_count=len(read.faults),
        missing=read.missing,
    )  # fmt: skip


def _read_texts(table: Table, columns: CandidateColumns, settings: Settings) -> schemas.TableRead:
    read = candidates.read(table, columns, settings.max_text_chars)
    return schemas.TableRead(
        kind="texts",
        layout=None,
        columns=table.columns,
        used=schemas.TableColumns(
            key=read.columns.key or None, text=read.columns.text or None, system=None, systems=[], prompt=None,
            prompt_text=None, output=None, tags=[],
        ),
        candidates=read.candidates,
        items=[],
        faults=_shown(read.faults),
        fault_count=len(read.faults),
        missing=0,
    )  # fmt: skip


def _shown(faults: list[Fault]) -> list[schemas.TableFault]:
    return [
        schemas.TableFault(
            place=fault.place, column=fault.column, wrong=fault.wrong, remedy=_by_parameters(fault.remedy)
        )
        for fault in faults[:FAULTS]
    ]


def _by_parameters(text: str) -> str:
    """The text of a command with its options as the parameters of the request."""
    return OPTION.sub(lambda option: f"`{option[1].replace('-', '_')}`", text)


def _encoded(read: schemas.TableRead) -> bytes:
    """The JSON, each entry of its lists by itself: other threads get their turn. Raises InvalidRequest for too much."""
    lists = ("candidates", "items", "comparisons")
    rest = read.model_dump_json(exclude={*lists}).encode()
    entries = (
        b'"%s":[%s]' % (name.encode(), b",".join(_entry(each) for each in getattr(read, name))) for name in lists
    )
    answer = b"%s,%s}" % (rest[:-1], b",".join(entries))
    if len(answer) > MOST_BYTES:
        raise InvalidRequest(f"The table takes more than {MOST_BYTES:,} bytes once read; send it in smaller parts.")
    return answer


def _entry(entry: schemas.CandidateIn | schemas.ItemIn | schemas.ComparisonIn) -> bytes:
    return entry.model_dump_json(exclude_unset=True, exclude_none=isinstance(entry, schemas.ComparisonIn)).encode()
