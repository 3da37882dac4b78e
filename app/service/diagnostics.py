"""Diagnostics: how a log looks before anyone believes its ranking."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from nextpair import schemas

from app.inference.fitting import TooMany, is_sparse
from app.inference.reporting import LogDiagnostics, ranking_history
from app.inference.reporting import diagnose as diagnose_log
from app.inference.state import biases, raw
from app.service.basis import Basis, read_basis
from app.service.context import Context, existing_set
from app.service.presenting.diagnostics import present_diagnostics
from app.storage import assignments


@dataclass(frozen=True)
class Facts:
    """All that diagnostics are made of."""

    basis: Basis
    failures: Mapping[int, Mapping[str, int]]  # how often each kind, by judge id

    @cached_property
    def of_log(self) -> LogDiagnostics:
        """All that the log alone says about its judges."""
        snapshot = self.basis.snapshot
        return diagnose_log(raw(snapshot), snapshot.model.n, snapshot.log.entries.item)


async def read(ctx: Context, set_id: UUID) -> schemas.Diagnostics:
    """Raises UnknownSet, SetDeleted."""
    return await ctx.live.compute(diagnose, await gather(ctx, set_id))


async def gather(ctx: Context, set_id: UUID) -> Facts:
    """Raises UnknownSet, SetDeleted."""
    async with ctx.engine.connect() as db:
        row = await existing_set(db, set_id)
        failures = await assignments.failures(db, set_id)
        return Facts(await read_basis(ctx, db, row, others=failures), failures)


def diagnose(facts: Facts) -> schemas.Diagnostics:
    """Raises TooMany."""
    snapshot = facts.basis.snapshot
    if is_sparse(snapshot.model):
        raise TooMany(f"diagnostics hold every candidate against every other, and {snapshot.model.n:,} are too many")
    history = ranking_history(snapshot.comparisons, snapshot.model, facts.basis.pairs_of)
    return present_diagnostics(facts.basis, facts.failures, facts.of_log, biases(snapshot), history)
