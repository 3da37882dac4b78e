"""The basis of results about a set: its row, its snapshot and the names around it, all of them at one version."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import InferenceTargetName, MethodName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.analysis.judged import JudgedLog
from app.inference.choosing import RANKING, Goal, goal_kinds
from app.inference.fitting import Published, Repetition, is_sparse
from app.inference.regimes import RANKED_DENSE
from app.inference.reporting import Bias, PairsOf, Target, check_predictions
from app.inference.state import Snapshot, Sought, biases, exact, quantity, raw, repetition
from app.inference.targets import Quantity, read_from
from app.inference.types import Floats
from app.live.catalogue import Catalogue
from app.live.jobs import AT_ONCE
from app.service import posteriors
from app.service.context import Context
from app.service.definitions import goal_of
from app.service.errors import VersionUnknown
from app.service.traits import traits_of
from app.storage import comparisons, judges
from app.storage.schema import Record


@dataclass(frozen=True)
class Basis:
    """All that is read of a set for a result."""

    row: Record  # the set
    catalogue: Catalogue
    snapshot: Snapshot
    names: Mapping[int, str]  # of judges, by id
    people: Collection[int]  # ids of those judges in the log who are human
    repeats: Mapping[int, float]  # as of Sought
    tested: schemas.HeldOut | None

    def is_as(self, other: "Basis") -> bool:
        """True where all that results are computed of is the same."""
        is_same = self.snapshot is other.snapshot and self.catalogue is other.catalogue
        mine, theirs = ((each.row, each.names, each.people, each.repeats) for each in (self, other))
        return is_same and mine == theirs

    @property
    def only_people(self) -> bool:
        """True of a set that somebody judged, and nobody but people."""
        judges = self.snapshot.evidence.judges.tolist()
        return 0 < len(judges) == len(self.people)

    @cached_property
    def goal(self) -> Goal:
        """The set's goal, by numbers of candidates."""
        return goal_of(self.row, self.catalogue.ids)

    @property
    def pairs_of(self) -> PairsOf:
        """The pairs that matter to the goal."""
        return partial(goal_kinds, self.goal)

    @property
    def published(self) -> Published:
        """The posterior by the set's own method, as `published_in_rows`."""
        return self.published_in_rows("latent")

    def published_for(self, target: InferenceTargetName) -> Published:
        """The one that the target is read from."""
        return self._publish(read_from(target))

    def published_in_rows(self, target: InferenceTargetName) -> Published:
        """The same without a matrix of many candidates, unless the goal needs one: all that a ranking shows."""
        is_many = target == "latent" and is_sparse(self.snapshot.model, self.dense)
        return self._in_rows if is_many else self.published_for(target)

    @cached_property
    def _in_rows(self) -> Published:
        return exact(self.snapshot, self.dense)

    @property
    def dense(self) -> int | None:
        """Number of candidates beyond which a ranking has no matrix, as `publish` takes it."""
        return RANKED_DENSE if self.goal == RANKING else None

    @cached_property
    def biases(self) -> list[Bias]:
        """Position biases of its judges."""
        return biases(self.snapshot, self.published)

    @cached_property
    def _publish(self) -> Callable[[InferenceTargetName], Published]:
        return cache(lambda target: exact(self.snapshot, target=target))

    @cached_property
    def judged(self) -> JudgedLog:
        """All that was judged, by numbers of candidates and judges."""
        snapshot, evidence = self.snapshot, self.snapshot.evidence
        return JudgedLog(
            keys=self.catalogue.keys,
            judges=[self.names[judge] for judge in evidence.judges.tolist()],
            people=np.isin(evidence.judges, list(self.people)),
            verdicts=raw(snapshot),
            answers=evidence.answers,
            item=evidence.item,
            has=self.catalogue.has,
            prompts=self.row.items,
            absolute=evidence.absolute,
            quantity_by=lambda published, target, supposing: quantity(
                snapshot, published, self._supposed(target) if supposing else self.sought(target)
            ),
            repetition_by=self._repetition,
            outputs=self._outputs,
            tags=self.catalogue.tags,
            order_chance=snapshot.log.entries.order_chance,
            grew=True,
        )

    def _supposed(self, target: InferenceTargetName) -> Sought:
        """What is sought, if judges of whom nothing is known repeated themselves."""
        sought = self.sought(target)
        return sought._replace(
            repeats=dict.fromkeys(self.snapshot.evidence.judges.tolist(), 1.0) | dict(sought.repeats)
        )

    def _repetition(self) -> Repetition:
        return repetition(self.snapshot, self.published_for("all-pairs"), self.sought("all-pairs"))

    def _outputs(self, covariate: str) -> Floats | None:
        """(I, N) ln of lengths; NaN where there is no output, or its text is kept elsewhere."""
        lengths = self.catalogue.lengths.astype(np.float64)
        return np.log1p(np.where(lengths > 0.0, lengths, np.nan)) if covariate == "length" else None

    def sought(self, target: InferenceTargetName) -> Sought:
        """Subject of the confidence of a ranking with this target."""
        return Sought(target, self.catalogue.has, self.people, self.repeats)

    def target(self, wanted: InferenceTargetName | None = None, method: MethodName | None = None) -> Target:
        """The target of a ranking by this method, the set's own by default. Raises Impossible."""
        return self.judged.target(method or self.row.expert, self.row.inference_target, wanted)

    def ranked(self, target: InferenceTargetName) -> Quantity:
        """Quantity that the set's own method ranks for this target. Raises Impossible."""
        return self.judged.quantity(self.published_for(target), target)


async def read_basis(ctx: Context, db: AsyncConnection, row: Record, as_of: int | None = None) -> Basis:
    """Everything as of that version, the present one by default, within a job; shared with jobs about the same.

    Raises VersionUnknown.
    """
    catalogue, snapshot = await _at(ctx, db, row, as_of)
    names = await judges.names(db, snapshot.evidence.judges.tolist())
    traits = (await traits_of(db, {row.id: snapshot.evidence.judges.tolist()}))[row.id]
    basis = Basis(row, catalogue, snapshot, names, *traits, await _tested(db, row.id, snapshot))
    latest = ctx.bases.pop(row.id, basis)
    ctx.bases[row.id] = latest if latest.is_as(basis) else basis
    for set_id in list(ctx.bases)[:-AT_ONCE]:
        del ctx.bases[set_id]
    return ctx.bases[row.id]


async def _tested(db: AsyncConnection, set_id: UUID, snapshot: Snapshot) -> schemas.HeldOut | None:
    """The test on the pairs drawn at random, up to the snapshot's version; None without such a pair."""
    rows = await comparisons.random_ones(db, set_id, snapshot.version)
    if not rows:
        return None
    p, m, sd = np.array([(row.p_first, row.mean_difference, row.sd_difference) for row in rows], np.float64).T
    return schemas.HeldOut(**check_predictions(p, m, sd, snapshot.model.expert)._asdict())


async def _at(ctx: Context, db: AsyncConnection, row: Record, as_of: int | None) -> tuple[Catalogue, Snapshot]:
    """The live snapshot where it will do: it may have moved on since `row` was read."""
    if existing_version(row, as_of) == row.version:
        catalogue, snapshot = await posteriors.current(ctx, db, row)
        if as_of in (None, snapshot.version):
            return catalogue, snapshot
    return await posteriors.at_version(ctx, db, row, existing_version(row, as_of))


def existing_version(row: Record, as_of: int | None) -> int:
    """`as_of`, the present version by default. Raises VersionUnknown."""
    if as_of is not None and as_of > row.version:
        raise VersionUnknown(f"as_of is {as_of}, but the log of this set ends at version {row.version}.")
    return int(row.version) if as_of is None else as_of
