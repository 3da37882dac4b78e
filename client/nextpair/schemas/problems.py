"""Problem details (RFC 9457)."""

from pydantic import ConfigDict, Field

from nextpair.schemas.common import Response


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
