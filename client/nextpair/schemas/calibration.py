"""One judge's probabilities, measured by other judges' verdicts."""

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
    """A point of the accuracy-rejection curve: it rises where the judge's confidence tells who is right."""

    rejected: float = Field(description="Share of the verdicts left out, those of least confidence max(p, 1 - p).")
    verdicts: int = Field(description="Those left in.")
    accuracy: float = Field(description="Share of right ones among them.")


class CalibrationErrors(Response):
    log_loss: float
    ece: float = Field(description="Expected calibration error, 15 bins; of both orders together, where asked.")
    biased_ece: float = Field(description="The same of single answers: a liking for a position is an error too.")


class Calibration(Response):
    """One judge's probabilities held against what others said of the same pairs."""

    set_id: UUID
    version: int
    judge: str
    reference: list[str]
    objective: ObjectiveName
    verdicts: int = Field(
        description="Comparisons of the judge on pairs that a reference judged too; two in opposite orders count once."
    )
    temperature: float | None = Field(
        description="Null without shared verdicts; 1 where every probability is 1/2, which any temperature fits."
    )
    at_bound: bool = Field(description="The best temperature may lie outside [1/20, 20].")
    before: CalibrationErrors | None = Field(description="At temperature 1; null without shared verdicts.")
    after: CalibrationErrors | None = Field(description="At `temperature`; null without shared verdicts.")
    reason: str | None = Field(None, description="Why there are no figures, and what to do.")
    reliability: list[ReliabilityBin] = Field(description="At temperature 1; empty bins are left out.")
    reliability_after: list[ReliabilityBin]
    rejection: list[Rejection] = Field(description="From nothing left out to nine tenths; at temperature 1.")
