"""Calibration: a judge's probabilities against what others said of the same pairs, before and after its temperature."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import ObjectiveName

from app.inference.reporting import (
    ProbabilityErrors,
    beside_references,
    debiased,
    rejection,
    reliability,
    temperature,
)
from app.inference.state import Snapshot, raw
from app.inference.types import Floats
from app.service import posteriors
from app.service.context import Context, existing_judges, existing_set
from app.service.errors import InvalidRequest

NOBODY = -1


async def read(
    ctx: Context, set_id: UUID, judge: str, reference: Sequence[str], objective: ObjectiveName
) -> schemas.Calibration:
    """Raises UnknownSet, SetDeleted, UnknownJudge, InvalidRequest."""
    async with ctx.reading() as db:
        row = await existing_set(db, set_id)
        if judge in reference:
            raise InvalidRequest(f"reference: {judge!r} is the judge itself; name other judges to validate it against.")
        ids = await existing_judges(db, [judge, *reference])
        _, snapshot = await posteriors.current(ctx, db, row)
    return await ctx.live.compute(_calibration, set_id, snapshot, ids, judge, reference, objective)


def _calibration(
    set_id: UUID,
    snapshot: Snapshot,
    ids: dict[str, int],
    judge: str,
    reference: Sequence[str],
    objective: ObjectiveName,
) -> schemas.Calibration:
    judges = snapshot.evidence.judges
    numbers = {judge_id: number for number, judge_id in enumerate(judges.tolist())}
    references = np.isin(judges, [ids[name] for name in reference])
    p, outcome = beside_references(
        raw(snapshot), snapshot.log.entries.item, numbers.get(ids[judge], NOBODY), references
    )
    fit = temperature(p, outcome, objective)
    is_known = fit.verdicts > 0
    return schemas.Calibration(
        set_id=set_id,
        version=snapshot.version,
        judge=judge,
        reference=list(reference),
        objective=objective,
        verdicts=fit.verdicts,
        temperature=fit.temperature if is_known else None,
        at_bound=fit.at_bound,
        before=_errors(fit.before) if is_known else None,
        after=_errors(fit.after) if is_known else None,
        reason=None if is_known else _without_verdicts(judge, reference),
        reliability=_bins(debiased(p, 1.0), outcome),
        reliability_after=_bins(debiased(p, fit.temperature), outcome),
        rejection=_rejection(debiased(p, 1.0), outcome),
    )


def _without_verdicts(judge: str, reference: Sequence[str]) -> str:
    return (
        f"No pair was judged by {judge} and by {' or '.join(reference)}, so its calibration is unknown: "
        "have a reference judge some of its pairs."
    )


def _errors(errors: ProbabilityErrors) -> schemas.CalibrationErrors:
    return schemas.CalibrationErrors(**errors._asdict())


def _rejection(p: Floats, outcome: Floats) -> list[schemas.Rejection]:
    rows = zip(*(column.tolist() for column in rejection(p, outcome)), strict=True)
    return [schemas.Rejection(rejected=rejected, verdicts=kept, accuracy=right) for rejected, kept, right in rows]


def _bins(p: Floats, outcome: Floats) -> list[schemas.ReliabilityBin]:
    table = reliability(p, outcome)
    rows = zip(*(column.tolist() for column in table), strict=True)
    return [schemas.ReliabilityBin(**dict(zip(table._fields, row, strict=True))) for row in rows]
