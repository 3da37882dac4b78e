"""Logs in files: their entries in order, and how a set takes them in.

A comparison has an id that copies of its log share: its own client_id, or else its place in the log that it came from.
A void is known by the comparison that it takes back, and a restored comparison by the one that it is a copy of. So a
log can be sent again, from any set that has it, and brings only what is new.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import NamedTuple, TypeAlias, cast

from nextpair import ComparisonIn, Set

from app.files.columns import places_of, texts_or_empty
from app.files.tables import Table

BATCH = 5000  # comparisons in one request
NOT_SAID = "The export did not say why."


class VoidEntry(NamedTuple):
    of: str  # the id of a comparison
    reason: str


class RestoredEntry(NamedTuple):
    id: str
    of: str  # the id of a comparison that was voided


Entry: TypeAlias = ComparisonIn | VoidEntry | RestoredEntry


class Sent(NamedTuple):
    """Numbers of entries."""

    comparisons: int  # that are new
    duplicates: int
    voids: int  # that are new


def entries_of(table: Table, comparisons: Sequence[ComparisonIn]) -> list[Entry]:
    """The entries of a table, from the comparisons of its rows; voids of an export are where they were in its log."""
    if not table.is_log:
        return [*comparisons]
    seqs, voided_by, restores = (places_of(table, column) for column in ("seq", "voided_by", "restores"))
    sets, reasons = (texts_or_empty(table, column) for column in ("set_id", "void_reason"))
    places = list(zip(sets, seqs, strict=True))
    ids = {place: each.client_id or "" for place, each in zip(places, comparisons, strict=True)}
    entries = list[tuple[tuple[str, int], Entry]]()
    for row, comparison in enumerate(comparisons):
        own, original = ids[places[row]], ids.get((sets[row], restores[row]))
        entries.append((places[row], RestoredEntry(own, original) if original else comparison))
        if voided_by[row]:
            entries.append(((sets[row], voided_by[row]), VoidEntry(own, reasons[row] or NOT_SAID)))
    return [entry for _, entry in sorted(entries, key=itemgetter(0))]


class _Log:
    """What a set has, as far as its log was read."""

    def __init__(self, target: Set) -> None:
        self._target, self._read = target, 0
        self.seqs, self.copies, self.voided = dict[str, int](), dict[int, int](), set[int]()

    def read_on(self) -> None:
        for entry in self._target.comparisons(after=self._read):
            self._read = entry.seq
            self.seqs[f"{entry.set_id}/{entry.seq}"] = entry.seq
            if entry.voided_by is not None:
                self.voided.add(entry.seq)
            if entry.restores is not None:
                self.copies[entry.restores] = entry.seq
            elif entry.client_id is not None:
                self.seqs[entry.client_id] = entry.seq


def send(target: Set, entries: Iterable[Entry], progress: Callable[[int], None]) -> Sent:
    """Append the entries to the log of a set, in order, without those that it has already.

    `progress` hears how many were sent.
    """
    accepted = duplicates = voids = 0
    log = _Log(target)
    for are_comparisons, run in groupby(entries, lambda entry: isinstance(entry, ComparisonIn)):
        if are_comparisons:
            while batch := list(islice(run, BATCH)):
                answer = target.add_comparisons(cast("list[ComparisonIn]", batch))
                accepted, duplicates = accepted + answer.accepted, duplicates + answer.duplicates
                progress(len(batch))
            continue
        log.read_on()
        for entry in cast("Iterator[VoidEntry | RestoredEntry]", run):
            seq = log.seqs[entry.of]
            if isinstance(entry, VoidEntry):
                if seq not in log.voided:
                    target.void(seq, reason=entry.reason)
                    log.voided.add(seq)
                    voids += 1
            else:
                is_new = seq not in log.copies
                if is_new:
                    log.copies[seq] = target.restore_comparison(seq).seq
                log.seqs[entry.id] = log.copies[seq]
                accepted, duplicates = accepted + is_new, duplicates + (not is_new)
            progress(1)
    return Sent(accepted, duplicates, voids)
