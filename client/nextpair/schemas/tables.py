"""Tables: what a file holds, before you create a set from it."""

from pydantic import Field

from nextpair.schemas.candidates import CandidateIn, ItemIn
from nextpair.schemas.common import Response, Warnings
from nextpair.schemas.comparisons import ComparisonIn
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
    first: str | None = Field(default=None, description="The candidate shown first, in battles.")
    second: str | None = Field(default=None, description="The candidate shown second.")
    winner: str | None = Field(default=None, description="Who won, in words.")
    p_first: str | None = Field(default=None, description="Instead of `winner`: the probability that the first won.")
    judge: str | None = Field(default=None, description="Who judged. Without it, the judge is named `import`.")
    item: str | None = Field(default=None, description="What was judged, such as the prompt of a battle.")
    weight: str | None = Field(default=None, description="How many votes a battle stands for.")


class TableFault(Response):
    """A row that cannot be used, and what to do about it."""

    place: str = Field(examples=["line 7"])
    column: str | None
    wrong: str
    remedy: str


class TablePreview(Response):
    """The columns of a table and its first rows, whatever they mean."""

    columns: list[str] = Field(description="All columns of the table. Empty for lines without a file name.")
    rows: list[list[str]] = Field(description="The first rows, each with a cell for each column; long cells are cut.")
    row_count: int = Field(description="Number of rows that can be read.")


class TableRead(Response):
    """The contents of a table. `candidates` and `items` make a set, which then takes `comparisons`."""

    kind: TableKind = Field(
        description="Rival texts, outputs of systems on several prompts, or verdicts on two systems."
    )
    layout: TableLayout | None = Field(
        description="For outputs of systems: a row for each output (`long`) or each prompt (`wide`)."
    )
    columns: list[str] = Field(description="All columns of the table. Empty for lines without a file name.")
    used: TableColumns
    candidates: list[CandidateIn]
    items: list[ItemIn]
    comparisons: list[ComparisonIn] = Field(default_factory=list, description="The verdicts of battles.")
    rows: list[list[str]] = Field(default_factory=list, description="The first rows as they are; long cells are cut.")
    row_count: int = Field(default=0, description="Number of rows that can be read.")
    faults: list[TableFault] = Field(description="Rows that were left out; the first hundred.")
    fault_count: int = Field(description="Number of rows that were left out.")
    missing: int = Field(description="Number of empty or absent outputs, which is fine.")
    warnings: Warnings = Field(default_factory=list)
