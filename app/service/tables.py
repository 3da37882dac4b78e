"""Tables of candidates, read so that whoever makes a set sees what it would hold."""

import io
import re
from collections.abc import Callable

from nextpair import schemas

from app.files import candidates, outputs, reading
from app.files.candidates import CandidateColumns
from app.files.outputs import OutputColumns
from app.files.tables import Bounds, Fault, InputError, Table, TooManyRows
from app.service.errors import InvalidRequest, SetTooLarge
from app.service.limits import refuse_large_set
from app.settings import Settings

FAULTS = 100  # that one report shows
MOST_BYTES = 50_000_000  # of a file, unpacked, and of what is answered
BYTES_OF_CHARACTER = 8  # that the longest line may take: JSON needs six for one that it escapes
MOST_ROWS = schemas.LONGEST_LIST
MOST_COLUMNS = 1000
OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)")


def read_json(
    settings: Settings,
    file: str | None,
    body: bytes,
    of_texts: CandidateColumns,
    of_outputs: OutputColumns,
    is_awaited: Callable[[], bool],
) -> bytes:
    """The JSON of what a body holds, which is a file of that name or else typed lines.

    Raises InvalidRequest, SetTooLarge.
    """
    size, line = min(settings.max_body_bytes, MOST_BYTES), BYTES_OF_CHARACTER * settings.max_text_chars
    bounds = Bounds(size, MOST_ROWS, MOST_COLUMNS, line, is_awaited)
    try:
        if file:
            table = reading.parse(file, body, bounds)
        else:
            table = candidates.typed(io.TextIOWrapper(io.BytesIO(body), "utf-8", "replace"), bounds)
        read = _read(table, of_texts, of_outputs, settings)
    except TooManyRows:
        raise SetTooLarge(
            f"The table has more than {MOST_ROWS:,} rows; send fewer, or create the set with `nextpair import`."
        ) from None
    except InputError as error:
        raise InvalidRequest(_by_parameters(str(error))) from None
    refuse_large_set(len(read.candidates), max(len(read.items), 1), settings)
    return _encoded(read if file else read.model_copy(update={"columns": []}))


def _read(table: Table, of_texts: CandidateColumns, of_outputs: OutputColumns, settings: Settings) -> schemas.TableRead:
    """Outputs where columns of them are named, or recognised and no columns of texts are named; else texts.

    Raises InputError, SetTooLarge.
    """
    names_texts, names_outputs = of_texts != CandidateColumns(), of_outputs != OutputColumns()
    if names_texts and names_outputs:
        raise InputError("`key` and `text` are columns of rival texts; omit them for outputs of systems")
    used = None if names_texts else outputs.find(table, of_outputs)
    if used is None:
        return _read_texts(table, of_texts, settings)
    refuse_large_set(len(used.systems), len(table.rows), settings)
    return _read_outputs(table, used, settings)


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
    return OPTION.sub(r"`\1`", text)


def _encoded(read: schemas.TableRead) -> bytes:
    """The JSON, each candidate and item by itself: other threads get their turn. Raises InvalidRequest for too much."""
    rest = read.model_dump_json(exclude={"candidates", "items"}).encode()
    candidates, items = (
        b",".join(each.model_dump_json(exclude_unset=True).encode() for each in entries)
        for entries in (read.candidates, read.items)
    )
    answer = b'%s,"candidates":[%s],"items":[%s]}' % (rest[:-1], candidates, items)
    if len(answer) > MOST_BYTES:
        raise InvalidRequest(f"The table takes more than {MOST_BYTES:,} bytes once read; send it in smaller parts.")
    return answer
