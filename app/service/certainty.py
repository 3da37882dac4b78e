"""Certainty: what the figures of a ranking are about, and what people say of the same pairs."""

import numpy as np
from nextpair import schemas

from app.inference.reporting import TemperatureFit, certainty_beside_people
from app.inference.state import raw
from app.service.basis import Basis


def certainty_of(basis: Basis, level: float) -> schemas.Certainty:
    """The judges of kind human against all others, as of the version of the basis."""
    judges, item = basis.snapshot.evidence.judges, basis.snapshot.log.entries.item
    people = np.isin(judges, np.array(sorted(basis.people), np.int64))
    agreed, temperatures = certainty_beside_people(raw(basis.snapshot), item, people, level)
    return schemas.Certainty(
        about=schemas.ABOUT_CERTAINTY,
        agreement_with_people=agreed and schemas.AgreementWithPeople(**agreed._asdict()),
        temperature={basis.names[int(judges[judge])]: _temperature(fit) for judge, fit in temperatures.items()} or None,
    )


def _temperature(fit: TemperatureFit) -> schemas.Temperature:
    return schemas.Temperature(temperature=fit.temperature, verdicts=fit.verdicts, at_bound=fit.at_bound)
