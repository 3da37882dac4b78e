"""Calibration: one judge's probabilities validated against other judges' verdicts."""

from uuid import UUID

from pydantic import Field

from nextpair.schemas.common import Response
from nextpair.words import ObjectiveName


class ReliabilityBin(Response):
    low: float
    high: float
    verdicts: int
    confidence: float = Field(description="Mean of max(p, 1 - p).")
    accuracy: float = Field(description="Share of right verdicts.")


class Rejection(Response):
    """A point of the accuracy-rejection curve. It rises where the judge's confidence predicts accuracy."""

    rejected: float = Field(description="Share of verdicts left out, those of lowest confidence max(p, 1 - p) first.")
    verdicts: int = Field(description="Number of verdicts left in.")
    accuracy: float = Field(description="Share of right verdicts among them.")


class CalibrationErrors(Response):
    log_loss: float = Field(description="Mean of -log p of the reference's verdict, in nats.")
    ece: float = Field(
        description="Expected calibration error over 15 bins, of both orders averaged where both were asked."
    )
    biased_ece: float = Field(description="The same for single verdicts, so position bias counts as an error.")


class Calibration(Response):
    """One judge's probabilities validated against the verdicts of others on the same pairs."""

    set_id: UUID
    version: int
    judge: str
    reference: list[str]
    objective: ObjectiveName
    verdicts: int = Field(
        description="The judge's comparisons on pairs that a reference also judged. Two in opposite orders count as "
        "one."
    )
    temperature: float | None = Field(
        description="Null without shared pairs. 1 where every probability is 1/2, which any temperature fits."
    )
    at_bound: bool = Field(description="Whether the best temperature may lie outside [1/20, 20].")
    before: CalibrationErrors | None = Field(description="At temperature 1; null without shared pairs.")
    after: CalibrationErrors | None = Field(description="At `temperature`; null without shared pairs.")
    reason: str | None = Field(None, description="Why there are no figures, and what to do.")
    reliability: list[ReliabilityBin] = Field(description="At temperature 1, without empty bins.")
    reliability_after: list[ReliabilityBin] = Field(description="At `temperature`, without empty bins.")
    rejection: list[Rejection] = Field(description="From nothing to nine tenths left out, at temperature 1.")
