"""What a table holds, before a set is made of it."""

from pydantic import Field

from nextpair.schemas.candidates import CandidateIn, ItemIn
from nextpair.schemas.common import Response
from nextpair.words import TableKind, TableLayout


class TableColumns(Response):
    """Names of columns by what they hold; null, or none of them, where there is no such column."""

    key: str | None = Field(description="The key of each text; without one, texts are numbered.")
    text: str | None
    system: str | None = Field(description="Which system wrote the output, in a long table.")
    systems: list[str] = Field(description="A column of outputs for each system, in a wide table.")
    prompt: str | None = Field(description="What tells prompts apart: an id, or the prompt itself.")
    prompt_text: str | None = Field(description="What the systems were asked.")
    output: str | None
    tags: list[str]


class TableFault(Response):
    """A row that cannot be used, and what to do about it."""

    place: str = Field(examples=["line 7"])
    column: str | None
    wrong: str
    remedy: str


class TableRead(Response):
    """What was read of a table; `candidates` and `items` are ready for `POST /v1/sets`."""

    kind: TableKind = Field(description="Rival texts, or the outputs of systems on several prompts.")
    layout: TableLayout | None = Field(
        description="Of systems: a row for each output (long), or for each prompt (wide)."
    )
    columns: list[str] = Field(description="All of the table; none of lines without a file name.")
    used: TableColumns
    candidates: list[CandidateIn]
    items: list[ItemIn]
    faults: list[TableFault] = Field(description="Rows that were left out; the first hundred.")
    fault_count: int = Field(description="All rows that were left out.")
    missing: int = Field(description="Outputs that are empty or absent, which is no fault.")
