"""Checks of what holds of a ranking and what does not, in plain words, each with its figure."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from nextpair import schemas

from app.live.jobs import Report
from app.service import results
from app.service.basis import Basis
from app.service.checks import judges, ranking
from app.service.checks.examined import CheckResult, Examined
from app.service.context import Context
from app.service.diagnostics import failures_of, with_failures

CHECKS: dict[str, Callable[[Examined], CheckResult]] = {
    "First place": ranking.first_place_known,
    "Signal": ranking.signal,
    "Connected": ranking.connected,
    "Fit": ranking.fit,
    "Position": judges.position,
    "Agreement of judges": judges.agreement,
    "Judges": judges.judges,
    "Agreement with people": judges.with_people,
    "Consistency": judges.consistency,
    "Cycles": ranking.cycles,
    "Order": ranking.order,
    "Prediction": ranking.prediction,
}


class LogChecks(NamedTuple):
    """All that the log says: every check but that of failures, which are no part of it."""

    version: int
    checks: Sequence[schemas.Check]
    judges: Mapping[str, schemas.JudgeDiagnostics]  # by name


async def read(ctx: Context, set_id: UUID) -> schemas.Checks:
    """All checks at one version; failures, which are no part of the log, as of now.

    Raises UnknownSet, SetDeleted, StillComputing.
    """
    found_set = await results.find(ctx, set_id)
    (version, checks, by_judge), newer_version = await results.read(ctx, found_set, "checks", _find)
    result = judges.failures(with_failures(by_judge, await failures_of(ctx, set_id)))
    failures = schemas.Check(name="Failures", **result._asdict())
    return schemas.Checks(set_id=set_id, version=version, newer_version=newer_version, checks=[*checks, failures])


def _find(basis: Basis, report: Report) -> LogChecks:
    """One check after the other. Raises TooMany."""
    facts, checks = Examined(basis), list[schemas.Check]()
    by_judge = facts.of_now.judges
    for name, check in CHECKS.items():
        report(f"{len(checks)} of {len(CHECKS)} checks are done")
        checks.append(schemas.Check(name=name, **check(facts)._asdict()))
    return LogChecks(basis.snapshot.version, checks, by_judge)
