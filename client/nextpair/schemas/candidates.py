"""Candidates of a set and the items that systems answered; tables of them, and an estimate of what they take."""

from typing import Annotated

from pydantic import Field

from nextpair.schemas.common import LONGEST_LIST, Key, Metadata, Request, Response, ShortMetadata, Warnings
from nextpair.schemas.comparisons import ComparisonIn
from nextpair.words import TableKind, TableLayout

MOST_TAGS = 20  # of one item
ABOUT_TAGS = "What kind of prompt it is, such as its category: one value by name."


class ItemIn(Request):
    key: Key
    prompt: str | None = Field(default=None, min_length=1, description="What every candidate was asked.")
    tags: dict[Key, Key] = Field(
        default_factory=dict, max_length=MOST_TAGS, description=ABOUT_TAGS, examples=[{"category": "code"}]
    )


class ItemOut(Response):
    key: str
    prompt: str | None
    tags: dict[str, str] = Field(default_factory=dict, description=ABOUT_TAGS)


class ItemPage(Response):
    items: list[ItemOut]
    next_after: str | None


class CandidateIn(Request):
    """One candidate: `text` in a set of texts, `outputs` by item in a set of systems, or its key alone."""

    key: Key = Field(
        description="Its name. It is kept in Unicode's form NFC, without blanks around it or hidden characters."
    )
    text: str | None = Field(
        default=None, min_length=1, description="The text that judges read.", examples=["Sunlight is a mix..."]
    )
    outputs: dict[Key, Annotated[str, Field(min_length=1)] | None] | None = Field(
        default=None, description="Output by item key, for a set of systems. Null if the text is stored elsewhere."
    )
    metadata: ShortMetadata = Field(default_factory=dict)


class CandidateOut(Response):
    key: str
    text: str | None
    outputs: dict[str, str | None] | None
    metadata: Metadata


class CandidatesIn(Request):
    candidates: list[CandidateIn] = Field(min_length=1, max_length=LONGEST_LIST)
    items: list[ItemIn] = Field(
        default_factory=list,
        max_length=LONGEST_LIST,
        description="Items that the outputs refer to. An existing item may get a missing prompt, and new tags.",
    )


class CandidatesAdded(Response):
    created: int
    updated: int
    candidates: int = Field(description="Number of candidates in the set now.")
    warnings: Warnings = Field(default_factory=list)


class CandidatePage(Response):
    candidates: list[CandidateOut]
    next_after: str | None


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


class Estimate(Response):
    """Comparisons until a set stops: what 8 of 10 simulated sets like it took."""

    low: int | None = Field(description="One set in ten takes fewer. Null if nearly all sets never get there.")
    median: int | None = Field(description="Half of the sets take fewer. Null if most sets never get there.")
    high: int | None = Field(description="Nine sets in ten take fewer. Null if some sets never get there.")
    reachable_concordance: float | None = Field(
        description="Highest expected concordance, of 0.95, 0.9 and 0.8, that nine sets in ten reach; null if none."
    )
    sentence: str = Field(examples=["About 60 to 120 comparisons: 8 of 10 simulated sets like this took that many."])
