"""Validation: what people say of the pairs that a ranking is about, and how sure the other judges are beside them."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from app.inference.reporting.calibration import CalibrationObjective, TemperatureFit, tells_temperature, temperature
from app.inference.reporting.references import PairsAgreed, agreement_with, beside_references
from app.inference.types import Bools, Comparisons, Ints


class BesidePeople(NamedTuple):
    agreement_with_people: PairsAgreed | None  # None where people and others have no pair in common
    temperatures: Mapping[int, TemperatureFit] = {}  # by judge, of those whose verdicts tell one


def validation_by_people(comparisons: Comparisons, item: Ints, people: Bools, level: float) -> BesidePeople:
    """People against all other judges.

    Args: `item` (K,) is what each comparison was about; `people` (J,) tells who they are.
    """
    if not people.any() or people.all():
        return BesidePeople(None)
    against = {judge: beside_references(comparisons, item, judge, people) for judge in np.flatnonzero(~people).tolist()}
    temperatures = {
        judge: temperature(beside.p, beside.outcome, CalibrationObjective.LOG_LOSS)
        for judge, beside in against.items()
        if tells_temperature(beside.p)
    }
    return BesidePeople(agreement_with(comparisons, item, people, level), temperatures)
