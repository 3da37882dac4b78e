"""What was judged: pairs with every verdict, statistics of items, disputes, and the newest entries of the log."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from nextpair.schemas.assignments import Shown
from nextpair.schemas.candidates import ABOUT_TAGS, ItemOut
from nextpair.schemas.common import Failure, Response
from nextpair.words import JudgeKind, Winner

ABOUT_AGREEMENT = "Share of pairs of verdicts that name the same winner; null if no two verdicts are on one pair."
ABOUT_SURPRISE = (
    "Mean surprise of its verdicts in bits: -log2 of the probability that the ranking gives to what was said. "
    "Random guessing gives 1. Null if the ranking did not converge."
)
ABOUT_SURPRISING = (
    "How many of those have a surprise above 1 bit: random guessing predicts their verdicts better than the ranking."
)
PROMPT_START = 300  # characters of a prompt in a list of items


class PairVerdict(Response):
    """One verdict that counts, read as first against second of its pair."""

    seq: int = Field(description="Sequence number of its comparison in the log.")
    judge: str
    kind: JudgeKind | None
    p_first: float = Field(description="Probability that the listed first is better.")
    winner: Winner
    weight: float = Field(description="Number of equal verdicts it stands for.")
    swapped: bool = Field(description="Whether the judge saw the listed second first.")
    surprise: float | None = Field(description="Surprise of this verdict in bits.")
    created_at: datetime


class JudgedPair(Response):
    """Two outputs on one item, in the order in which their candidates were added."""

    item: ItemOut | None
    first: Shown
    second: Shown
    verdicts: list[PairVerdict] = Field(description="Every verdict that counts, oldest first.")
    agreement: float | None = Field(description=ABOUT_AGREEMENT)
    disagreement: float | None = Field(
        description="4 times the weighted variance of the verdicts: 0 if they agree, 1 if half of them are certain of "
        "each winner. Null with one verdict."
    )
    surprise: float | None = Field(description=ABOUT_SURPRISE)
    expected: float | None = Field(description="Probability that first wins a verdict, by the scores of the ranking.")


class JudgedPairPage(Response):
    version: int = Field(description="Version of the log. Pages of one version are consistent with each other.")
    total: int = Field(description="Number of pairs that match, on all pages together.")
    surprising: int = Field(description=ABOUT_SURPRISING)
    pairs: list[JudgedPair]
    next_after: int | None


class ItemStatistics(Response):
    """An item, and how far the verdicts on its pairs agree with each other and with the ranking."""

    key: str
    prompt: str | None = Field(description=f"The first {PROMPT_START} characters of the prompt.")
    tags: dict[str, str] = Field(description=ABOUT_TAGS)
    comparisons: int
    pairs: int = Field(description="Number of pairs of outputs with a verdict.")
    agreement: float | None = Field(description=ABOUT_AGREEMENT)
    disagreement: float | None = Field(
        description="Mean disagreement of its pairs with two or more verdicts, by how many they have; null without any."
    )
    surprise: float | None = Field(description=ABOUT_SURPRISE)


class ItemStatisticsPage(Response):
    version: int
    total: int = Field(description="Number of items that match, on all pages together.")
    surprising: int = Field(description=ABOUT_SURPRISING)
    items: list[ItemStatistics]
    next_after: int | None


class JudgeVerdict(Response):
    """All verdicts of one judge on a pair, averaged."""

    judge: str
    kind: JudgeKind | None
    p_first: float = Field(description="Mean of its verdicts, in either order.")
    winner: Literal["first", "second", "tie"]


class Dispute(Response):
    seq: int = Field(description="Sequence number of the last verdict on the pair.")
    item: ItemOut | None
    first: Shown
    second: Shown
    verdicts: list[JudgeVerdict] = Field(description="By judge, in order of name.")


class DisputePage(Response):
    disputes: list[Dispute]
    next_after: int | None


class AtWork(Response):
    """Pairs that one worker of a judge holds now."""

    judge: str
    kind: JudgeKind | None
    worker: str = Field(description="The name that the worker gave itself; empty if none.")
    pairs: int
    since: datetime = Field(description="When the first of these pairs was leased.")
    until: datetime = Field(description="When the last of these leases ends.")


class JudgeProgress(Response):
    judge: str
    kind: JudgeKind | None
    verdicts: int = Field(description="Comparisons that count; voided ones do not.")
    last_hour: int = Field(description="Those of the last hour.")
    last_at: datetime | None = Field(description="Time of the latest.")
    failures: dict[Failure, int] = Field(description="Pairs without a verdict, by reason; `skipped` is a person's.")


class LogEntry(Response):
    """A comparison or a void. Candidates, verdict and judge of a void are those of the comparison that it voids."""

    seq: int
    kind: Literal["comparison", "void"]
    item: str | None
    first: str
    second: str
    p_first: float
    winner: Winner | None
    weight: float
    judge: str
    judge_kind: JudgeKind | None
    late: bool
    created_at: datetime
    voids: int | None = Field(description="Of a void: the comparison that no longer counts.")
    reason: str | None = Field(description="Of a void: why.")
    restores: int | None = Field(description="Of a comparison: the voided comparison that it is a copy of.")
    voided_by: int | None = Field(description="The void of the comparison, if there is one.")
    restored_by: int | None = Field(description="The copy of the comparison that counts again, if there is one.")


class Activity(Response):
    set_id: UUID
    version: int
    at_work: list[AtWork] = Field(description="Those who hold pairs now, by judge.")
    judges: list[JudgeProgress] = Field(description="Everyone with a verdict or a failure, most verdicts first.")
    entries: list[LogEntry] = Field(description="Newest first.")
    next_before: int | None = Field(description="Pass as `before` for older entries; null on the last page.")
