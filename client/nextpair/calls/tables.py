"""Tables, read before you create a set from them."""

from collections.abc import Sequence

from nextpair.calls.description import Call, path_of, without_none
from nextpair.schemas import TableRead

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
) -> Call[TableRead]:
    """Read a file of that name, or lines of `key: text` without a name. Columns you do not name are recognised."""
    columns = without_none(file=file, key=key, text=text, system=system, systems=systems, prompt=prompt, output=output)
    return Call(
        "POST", path_of("tables"), TableRead.model_validate_json, params=columns, body=contents, wait=TABLE_SECONDS
    )
