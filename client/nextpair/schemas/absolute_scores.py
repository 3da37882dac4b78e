"""Scores that judges give to one candidate alone."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, model_validator

from nextpair.schemas.common import LONGEST_LIST, JudgeName, Key, Request, Response, exactly_one

LARGEST_VALUE, LEAST_VARIANCE = 1e9, 1e-9  # what the numerics can square and divide by
OnScale = Annotated[float, Field(ge=-LARGEST_VALUE, le=LARGEST_VALUE)]  # of a judge of single candidates


class AbsoluteScoreIn(Request):
    """A judge's score of one candidate alone: `probabilities` of the values, or `mean` and `variance`."""

    candidate: Key
    item: Key | None = Field(default=None, description="Required in a set of systems with several items.")
    judge: JudgeName
    probabilities: dict[str, Annotated[float, Field(ge=0.0, le=LARGEST_VALUE)]] | None = Field(
        default=None,
        min_length=1,
        max_length=1000,
        examples=[{"6": 0.1, "7": 0.6, "8": 0.3}],
        description="Probability by value on the judge's scale. They are normalised, so probabilities of the labels "
        'alone are enough. Labels with the same value, such as "7" and " 7", are added up.',
    )
    mean: OnScale | None = Field(default=None, description="Mean score, on the judge's own scale.")
    variance: float | None = Field(
        default=None,
        ge=LEAST_VARIANCE,
        le=LARGEST_VALUE**2,
        description="Variance of the score, in squared units of the judge's scale.",
    )

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.mean is None) != (self.variance is None):
            raise ValueError("mean and variance belong together; send both")
        if self.probabilities is not None:
            _refuse_unusable(self.probabilities)
        return exactly_one(self, "probabilities", "mean")


class AbsoluteScoresIn(Request):
    scores: list[AbsoluteScoreIn] = Field(min_length=1, max_length=LONGEST_LIST)


class AbsoluteScoresAccepted(Response):
    accepted: int
    version: int


class AbsoluteScore(Response):
    """One entry of the log. If a judge scored one output several times, the last counts."""

    seq: int
    set_id: UUID
    item: str | None
    candidate: str
    judge: str
    mean: float
    variance: float = Field(
        description="If it comes from probabilities, with the floor of the set's `absolute_variance`."
    )
    probabilities: dict[str, float] | None
    created_at: datetime


class AbsoluteScorePage(Response):
    scores: list[AbsoluteScore]
    next_after: int | None


def _refuse_unusable(probabilities: dict[str, float]) -> None:
    for value in probabilities:
        try:
            usable = abs(float(value)) <= LARGEST_VALUE
        except ValueError:
            usable = False
        if not usable:
            raise ValueError(f'probabilities has the value {value!r}; name numbers up to 1e9, such as "7"')
    if not sum(probabilities.values()) > 0.0:
        raise ValueError("probabilities are all 0; leave out a judge without a score")
