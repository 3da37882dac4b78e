"""Goals: what a set should find out."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from nextpair.names import normal_name
from nextpair.schemas.common import Key, Request

CandidateKey = Annotated[Key, AfterValidator(normal_name)]


class Goal(Request):
    """What pairs are chosen for. Send one of these, or none for the order of all candidates."""

    top_k: int | None = Field(default=None, ge=1, description="Find the best k candidates.")
    against: CandidateKey | None = Field(default=None, description="Find the candidates that are better than this one.")
    pair: Annotated[tuple[CandidateKey, CandidateKey], Field(strict=False)] | None = Field(
        default=None, examples=[["kelp", "rowan"]], description="Find which of these two is better."
    )

    @model_validator(mode="after")
    def _one(self) -> Self:
        sent = [name for name in ("top_k", "against", "pair") if getattr(self, name) is not None]
        if len(sent) > 1:
            raise ValueError(
                f"send one of top_k, against and pair, or none for the ranking; found {' and '.join(sent)}"
            )
        if self.pair is not None and self.pair[0] == self.pair[1]:
            raise ValueError(f"pair takes two different candidates; found {self.pair[0]!r} twice")
        return self

    @property
    def candidates(self) -> tuple[str, ...]:
        """Keys of the candidates that it names."""
        return self.pair or (() if self.against is None else (self.against,))
