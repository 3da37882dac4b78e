"""Certainty: what the figures of a ranking are about, and what people say of the same pairs."""

import numpy as np
from nextpair import schemas

from app.inference.reporting import (
    CalibrationObjective,
    HeldAgainst,
    PairsAgreed,
    agreement_with,
    held_against,
    temperature,
)
from app.inference.state import raw
from app.service.basis import Basis

FEWEST = 20  # verdicts that a temperature is estimated from


def certainty_of(basis: Basis, level: float) -> schemas.Certainty:
    """The judges of kind human against all others, as of the version of the basis."""
    judges = basis.snapshot.evidence.judges
    people = np.isin(judges, np.array(sorted(basis.people), np.int64))
    if not people.any() or people.all():
        return schemas.Certainty(about=schemas.ABOUT_CERTAINTY, agreement_with_people=None, temperature=None)
    log, item = raw(basis.snapshot), basis.snapshot.log.entries.item
    verdicts = {
        int(judges[number]): held_against(log, item, number, people) for number in np.flatnonzero(~people).tolist()
    }
    return schemas.Certainty(
        about=schemas.ABOUT_CERTAINTY,
        agreement_with_people=_agreement(agreement_with(log, item, people, level)),
        temperature={basis.names[judge]: _temperature(each) for judge, each in verdicts.items() if _tells(each)}
        or None,
    )


def _agreement(agreed: PairsAgreed) -> schemas.AgreementWithPeople | None:
    if agreed.share is None or agreed.interval is None:
        return None
    return schemas.AgreementWithPeople(pairs=agreed.pairs, share=agreed.share, interval=agreed.interval)


def _tells(held: HeldAgainst) -> bool:
    """False of few verdicts, and of a judge that only ever names a winner or a tie."""
    return len(held.outcome) >= FEWEST and not np.isin(held.p, (0.0, 0.5, 1.0)).all()


def _temperature(held: HeldAgainst) -> schemas.Temperature:
    fit = temperature(held.p, held.outcome, CalibrationObjective.LOG_LOSS)
    return schemas.Temperature(temperature=fit.temperature, verdicts=fit.verdicts, at_bound=fit.at_bound)
