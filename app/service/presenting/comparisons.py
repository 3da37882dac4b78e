"""Entries of the log."""

from collections.abc import Mapping
from typing import Any

from nextpair import schemas

from app.storage.schema import Record


def present_comparison(row: Record) -> schemas.Comparison:
    return schemas.Comparison.model_validate({**row._mapping, "item": row.item or None})


def present_verdict(entry: Mapping[str, Any], assignment: Record) -> schemas.Comparison:
    """The comparison that a verdict has just become."""
    names = {
        "item": assignment.item or None, "first": assignment.first_key, "second": assignment.second_key,
        "judge": assignment.judge,
    }  # fmt: skip
    return schemas.Comparison.model_validate({**entry, **names, "voided_by": None})
