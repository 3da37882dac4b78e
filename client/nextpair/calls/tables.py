"""Tables, read before you create a set from them."""

from collections.abc import Sequence

from nextpair.calls.description import Call, path_of, without_none
from nextpair.schemas import TablePreview, TableRead

TABLE_SECONDS = 120.0  # more than the largest file takes


def read_table(
    contents: bytes,
    *,
    file: str | None = None,
    key: str | None = None,
    text: str | None = None,
    system: str | None = None,
    systems: Sequence[str] | None = None,
    prompt: str | None = None,
    output: str | None = None,
    first: str | None = None,
    second: str | None = None,
    winner: str | None = None,
    p_first: str | None = None,
    judge: str | None = None,
    item: str | None = None,
) -> Call[TableRead]:
    """Read a file of that name, or lines of `key: text` without a name. Columns you do not name are recognised."""
    of_battles = without_none(first=first, second=second, winner=winner, p_first=p_first, judge=judge, item=item)
    columns = without_none(file=file, key=key, text=text, system=system, systems=systems, prompt=prompt, output=output)
    columns |= of_battles
    return Call(
        "POST", path_of("tables"), TableRead.model_validate_json, params=columns, body=contents, wait=TABLE_SECONDS
    )


def preview_table(contents: bytes, *, file: str) -> Call[TablePreview]:
    """Read the columns and first rows of a file of that name."""
    path, params = path_of("tables", "preview"), {"file": file}
    return Call("POST", path, TablePreview.model_validate_json, params=params, body=contents, wait=TABLE_SECONDS)
