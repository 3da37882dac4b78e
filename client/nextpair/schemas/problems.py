"""Errors, as RFC 9457 has them."""

from pydantic import ConfigDict, Field

from nextpair.schemas.common import Response


class Problem(Response):
    """RFC 9457."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)  # what is null is left out

    type: str = Field(examples=["urn:nextpair:problem:unknown-candidate"])
    title: str
    status: int
    detail: str
    errors: list["FieldError"] | None = None


class FieldError(Response):
    pointer: str = Field(examples=["/comparisons/0/p_first"])
    detail: str
