"""Diagnostics: how a log looks before anyone believes its ranking."""

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from nextpair import schemas

from app.inference.fitting import TooMany, is_sparse
from app.inference.reporting import LogDiagnostics, Moment, ranking_history
from app.inference.reporting import diagnose as diagnose_log
from app.inference.state import biases, quantity_after, raw
from app.inference.targets import Quantity
from app.service import results
from app.service.basis import Basis
from app.service.context import Context
from app.service.presenting.diagnostics import Failures, present_diagnostics, present_history, with_failures
from app.storage import assignments, judges

MOMENTS, REFITTED = 12, 400  # of a history at most; candidates in all of its moments, where each is published anew


@dataclass(frozen=True)
class Facts:
    """All that diagnostics are made of."""

    basis: Basis

    @cached_property
    def of_log(self) -> LogDiagnostics:
        """All that the log alone says about its judges."""
        snapshot = self.basis.snapshot
        return diagnose_log(raw(snapshot), snapshot.model.n, snapshot.log.entries.item)

    @cached_property
    def of_now(self) -> schemas.Diagnostics:
        """Everything but failures and the history. Raises TooMany."""
        model = self.basis.snapshot.model
        if is_sparse(model):
            raise TooMany(f"diagnostics hold every candidate against every other, and {model.n:,} are too many")
        return present_diagnostics(self.basis, self.of_log, biases(self.basis.snapshot))


async def read(ctx: Context, set_id: UUID) -> schemas.Diagnostics:
    """Those of the log at one version; failures, which are no part of it, as of now.

    Raises UnknownSet, SetDeleted, StillComputing.
    """
    found_set = await results.find(ctx, set_id)
    diagnostics, newer_version = await results.read(
        ctx, found_set, "diagnostics", lambda basis, _: diagnose(Facts(basis))
    )
    judges = with_failures(diagnostics.judges, await failures_of(ctx, set_id))
    return diagnostics.model_copy(update={"judges": judges, "newer_version": newer_version})


async def failures_of(ctx: Context, set_id: UUID) -> Failures:
    """How often each kind, by the judge's name."""
    async with ctx.reading() as db:
        by_id = await assignments.failures(db, set_id)
        names = await judges.names(db, by_id) if by_id else {}
    return {names[judge]: failures for judge, failures in by_id.items()}


def diagnose(facts: Facts) -> schemas.Diagnostics:
    """Everything but failures. Raises TooMany."""
    of_now = facts.of_now
    return of_now.model_copy(update={"history": present_history(_history(facts.basis), facts.basis.snapshot)})


def _history(basis: Basis) -> list[Moment]:
    """About what is ranked now, fewer moments of more candidates; its end is the ranking."""
    snapshot, target, size = basis.snapshot, basis.target().name, basis.snapshot.comparisons.size
    is_ranked = basis.published_for(target).posterior.convergence.converged

    def ranked_after(count: int) -> Quantity | None:
        if count < size:
            return quantity_after(snapshot, count, basis.sought(target))
        return basis.ranked(target) if is_ranked else None

    few = max(REFITTED // max(snapshot.model.n, 1), 2)
    moments = MOMENTS if target == "latent" else min(MOMENTS, few)
    return ranking_history(size, moments, ranked_after, basis.pairs_of)
