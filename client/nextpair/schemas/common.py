"""Types, limits and base classes that the nouns share; problem details (RFC 9457); health of the service."""

import json
from typing import Annotated, Any, Literal, Self, TypeVar
from uuid import UUID

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)

LONGEST_KEY = 200
LONGEST_LIST = 100_000  # candidates, comparisons and the like in one request
LONGEST_JSON = 100_000  # characters of metadata or of what is kept with a verdict
LARGEST_INTEGER = 2**63 - 1  # that the database holds
MOST_FAULTS = 10_000  # of one request
M = TypeVar("M", bound=BaseModel)
F = TypeVar("F")
Key = Annotated[str, Field(min_length=1, max_length=LONGEST_KEY, examples=["kelp"])]
JudgeName = Annotated[
    str, Field(min_length=1, max_length=200, examples=["alice"], description="Name of the judge: any stable name.")
]
Id = Annotated[UUID, Field(strict=False)]  # JSON has it as text
Probability = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Warnings = Annotated[
    list[str], Field(description="What to check of the request, such as candidates whose names look alike.")
]
Seq = Annotated[int, Field(ge=0, le=LARGEST_INTEGER)]  # a place in the log
Finite = Annotated[float, Field(allow_inf_nan=False)]
Metadata = dict[str, JsonValue]
Generation = Annotated[
    int,
    Field(
        ge=1,
        le=2**31 - 1,
        examples=[1],
        description="The `generation` that came with the assignment. If the lease was handed out again since, the "
        "request is refused and nothing is recorded.",
    ),
]
Failure = Literal["skipped", "refused", "parse_error", "timeout"]


def _short(value: F) -> F:
    """Raises ValueError. Stops at the limit: what is far beyond it would keep everyone else waiting."""
    length = 0
    for part in json.JSONEncoder(default=str).iterencode(value):
        length += len(part)
        if length > LONGEST_JSON:
            raise ValueError(f"takes more than {LONGEST_JSON:,} characters as JSON; send less")
    return value


ShortMetadata = Annotated[Metadata, BeforeValidator(_short)]
ShortJson = Annotated[JsonValue, BeforeValidator(_short)]


class TooManyFaults(Exception):
    """A request with more than `MOST_FAULTS`."""


class Counted:
    """Count of faults that validation carries along to raise TooManyFaults."""

    faults = 0


class Request(BaseModel):
    """Unknown fields are an error, not ignored, and so is a number or a truth value in quotation marks."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="wrap")
    @classmethod
    def _listable(cls, value: Any, validate: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        """Give a body up that has more faults than anyone reads: to list a million takes a gigabyte."""
        counted = info.context
        before = counted.faults if counted else 0
        try:
            return validate(value)
        except ValidationError as error:
            if counted:
                counted.faults = before + error.error_count()  # those of what it holds are among them
                if counted.faults > MOST_FAULTS:
                    raise TooManyFaults from None
            raise


class Response(BaseModel):
    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)  # all of it is sent


class Computed(Response):
    """A result about a set. The log may grow faster than it is computed."""

    set_id: UUID
    version: int
    newer_version: int | None = Field(
        default=None, description="A later version of the log whose result is being computed; null if there is none."
    )


def exactly_one(model: M, *names: str) -> M:
    """The model itself. Raises ValueError unless one of the fields is sent, and no other."""
    sent = [name for name in names if getattr(model, name) is not None]
    if len(sent) != 1:
        raise ValueError(f"send exactly one of {', '.join(names)}; found {' and '.join(sent) or 'none'}")
    return model


class Problem(Response):
    """A problem detail (RFC 9457)."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)  # what is null is left out

    type: str = Field(examples=["urn:nextpair:problem:unknown-candidate"])
    title: str
    status: int
    detail: str = Field(description="What is wrong, why, and what to do.")
    errors: list["FieldError"] | None = None


class FieldError(Response):
    pointer: str = Field(description="JSON pointer to the field.", examples=["/comparisons/0/p_first"])
    detail: str


class Ready(Response):
    status: Literal["ready"]
    migration: str


class Alive(Response):
    status: Literal["ok"]
    version: str
