"""The basis of results about a set: its row, its snapshot and the names around it, all of them at one version."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from nextpair import schemas
from nextpair.words import InferenceTargetName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.choosing import Goal, goal_kinds
from app.inference.fitting import Published
from app.inference.reporting import PairsOf, SignalTest, signal_of
from app.inference.state import Catalogue, Snapshot, exact, raw
from app.service import held_out, posteriors
from app.service.context import Context
from app.service.definitions import goal_of
from app.service.errors import VersionUnknown
from app.storage import judges
from app.storage.schema import Record


@dataclass(frozen=True)
class Basis:
    """All that is read of a set for a result."""

    row: Record  # the set
    catalogue: Catalogue
    snapshot: Snapshot
    names: Mapping[int, str]  # of judges, by id
    people: Collection[int]  # ids of those judges in the log who are human
    tested: schemas.HeldOut | None

    @property
    def only_people(self) -> bool:
        """True of a set that somebody judged, and nobody but people."""
        judges = self.snapshot.evidence.judges.tolist()
        return 0 < len(judges) == len(self.people)

    @cached_property
    def goal(self) -> Goal:
        """The set's goal, by numbers of candidates."""
        return goal_of(schemas.Goal.model_validate(self.row.goal), self.catalogue.ids)

    @property
    def pairs_of(self) -> PairsOf:
        """The pairs that matter to the goal."""
        return partial(goal_kinds, self.goal)

    @cached_property
    def published(self) -> Published:
        """The posterior by the set's own method."""
        return exact(self.snapshot)

    @cached_property
    def published_of_all_pairs(self) -> Published:
        """The same, for the win rates that all pairs would give."""
        return exact(self.snapshot, target="all-pairs")

    def published_for(self, target: InferenceTargetName) -> Published:
        """The one of these that the target is read from."""
        return self.published_of_all_pairs if target == "all-pairs" else self.published

    @cached_property
    def signal(self) -> SignalTest:
        """Evidence that verdicts depend on what is compared."""
        return signal_of(raw(self.snapshot), self.snapshot.model.n, self.snapshot.log.entries.item)

    @cached_property
    def signal_on_new_items(self) -> SignalTest:
        """The same, of prompts to come."""
        snapshot = self.snapshot
        return signal_of(raw(snapshot), snapshot.model.n, snapshot.log.entries.item, new_items=True)

    def signal_for(self, target: InferenceTargetName) -> SignalTest:
        """The one of these that bears out a ranking with this target."""
        return self.signal_on_new_items if target == "new-items" else self.signal


async def read_basis(ctx: Context, db: AsyncConnection, row: Record, as_of: int | None = None) -> Basis:
    """Everything as of that version, the present one by default, within a job. Raises VersionUnknown."""
    catalogue, snapshot = await _at(ctx, db, row, as_of)
    names = await judges.names(db, snapshot.evidence.judges.tolist())
    people = await judges.people(db, snapshot.evidence.judges.tolist())
    return Basis(row, catalogue, snapshot, names, people, await held_out.read(db, row.id, snapshot))


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
