"""Judged pairs with every verdict on them, and the statistics of items."""

from datetime import datetime

from pydantic import Field

from nextpair.schemas.assignments import Shown
from nextpair.schemas.candidates import ABOUT_TAGS, ItemOut
from nextpair.schemas.common import Response
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
