"""Tables: what a file holds, before you create a set from it."""

from pydantic import Field

from nextpair.schemas.candidates import CandidateIn, ItemIn
from nextpair.schemas.common import Response
from nextpair.words import TableKind, TableLayout


class TableColumns(Response):
    """Names of columns by their contents. Null or empty where no column has them."""

    key: str | None = Field(description="The key of each text. Without one, texts are numbered.")
    text: str | None
    system: str | None = Field(description="The system that wrote the output, in a long table.")
    systems: list[str] = Field(description="One column of outputs for each system, in a wide table.")
    prompt: str | None = Field(description="What identifies a prompt: an id, or the prompt itself.")
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
    """The contents of a table. `candidates` and `items` are ready for `POST /v1/sets`."""

    kind: TableKind = Field(description="Rival texts, or outputs of systems on several prompts.")
    layout: TableLayout | None = Field(
        description="For outputs of systems: a row for each output (`long`) or each prompt (`wide`)."
    )
    columns: list[str] = Field(description="All columns of the table. Empty for lines without a file name.")
    used: TableColumns
    candidates: list[CandidateIn]
    items: list[ItemIn]
    faults: list[TableFault] = Field(description="Rows that were left out; the first hundred.")
    fault_count: int = Field(description="Number of rows that were left out.")
    missing: int = Field(description="Number of empty or absent outputs, which is fine.")
