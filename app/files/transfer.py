"""Comparisons, candidates, or outputs of systems, from a file into a running service."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from nextpair import CandidateIn, Client, ComparisonIn, ItemIn, NextpairError, Set
from nextpair.names import look_alike
from nextpair.words import InferenceTargetChoice, counted

from app.files import battles, candidates, logs, outputs, reading
from app.files.candidates import CandidateColumns
from app.files.comparisons import ComparisonColumns, with_winner
from app.files.logs import Entry
from app.files.outputs import OutputColumns, ReadOutputs
from app.files.tables import InputError, Say, Table

PART = 20_000_000  # bytes of outputs in one request
AN_OUTPUT = 200  # bytes that the JSON of an output takes beside its text, at most about


class Source(NamedTuple):
    """A file and what its columns mean, named for one of three kinds at most."""

    path: str
    columns: ComparisonColumns
    candidates: CandidateColumns = CandidateColumns()
    outputs: OutputColumns = OutputColumns()
    skip_empty: bool = False  # of comparisons: the rows that do not say who won


class Contents(NamedTuple):
    candidates: list[CandidateIn]
    items: list[ItemIn]
    log: list[Entry]
    outputs: ReadOutputs | None = None  # where the file holds these

    @property
    def comparisons(self) -> list[ComparisonIn]:
        return [entry for entry in self.log if isinstance(entry, ComparisonIn)]


def read(source: Source, say: Say = lambda what: None) -> Contents:
    """Kind of a file, by the named columns, else by what it looks like: comparisons, outputs or candidates.

    `say` is called with the number of rows that are skipped, and with warnings of the judges.
    Raises InputError.
    """
    tables = reading.read_all(source.path, reading.with_void)
    table = tables[0]
    names_candidates = source.candidates != CandidateColumns()
    names_comparisons = source.columns != ComparisonColumns()
    names_outputs = source.outputs != OutputColumns()
    if names_candidates + names_comparisons + names_outputs > 1:
        raise InputError(
            "--key and --text are columns of candidates, --system, --systems, --prompt and --output are of outputs; "
            "name those of one kind, and leave them out for comparisons"
        )
    if not (names_candidates or names_comparisons) and (columns := outputs.find(table, source.outputs)):
        return _read_outputs(tables, columns)
    is_like_battles = names_comparisons or battles.is_like(table)
    if names_candidates or (not is_like_battles and candidates.look_like_candidates(table)):
        return Contents(_read_candidates(tables, source), [], [])
    if not is_like_battles:
        there = ", ".join(table.columns)
        remedy = "give --first and --second of comparisons, or --key and --text of candidates, or --system of outputs"
        raise InputError(f"{table.name}: these columns are not known: {there}; {remedy}")
    return _read_battles(tables, source, say)


def _read_battles(tables: Sequence[Table], source: Source, say: Say) -> Contents:
    if source.skip_empty:
        tables = [*with_winner(tables, battles.find(tables[0], source.columns), say)]
    columns = [battles.find(table, source.columns) for table in tables]
    rows = [battles.rows_of(table, used) for table, used in zip(tables, columns, strict=True)]
    comparisons = battles.identified(each for part in rows for each in part)
    rest = iter(comparisons)
    log = [entry for table in tables for entry in logs.entries_of(table, list(islice(rest, len(table.rows))))]
    for warning in look_alike("judge", dict.fromkeys(each.judge for each in comparisons)):
        say(warning)
    return Contents(battles.candidates_of(comparisons, tables), battles.items_of(tables, columns), log)


def _read_outputs(tables: Sequence[Table], columns: OutputColumns) -> Contents:
    if len(tables) > 1:
        raise InputError(
            f"{tables[1].name}: outputs come from one file; put those of all systems into {tables[0].name}"
        )
    read = outputs.read(tables[0], columns)
    for fault in read.faults[:1]:
        raise fault.error(tables[0].name)
    return Contents(read.candidates, read.items, [], read)


def _read_candidates(tables: Sequence[Table], source: Source) -> list[CandidateIn]:
    parts = [candidates.read(table, source.candidates) for table in tables]
    for table, part in zip(tables, parts, strict=True):
        for fault in part.faults[:1]:
            raise fault.error(table.name)
    return [candidate for part in parts for candidate in part.candidates]


def create(
    service: Client,
    name: str,
    question: str,
    contents: Contents,
    inference_target: InferenceTargetChoice = "auto",
    project: str | None = None,
) -> Set:
    """A new set with the candidates of the file, or none where a part of it is refused."""
    first, *rest = _parts(contents)
    target = service.sets.create(
        name=name,
        question=question,
        candidates=first[0],
        items=first[1],
        inference_target=inference_target,
        project=project,
    )
    try:
        for part in rest:
            target.add_candidates(*part)
    except NextpairError:
        target.delete()
        raise
    return target


def add(target: Set, contents: Contents) -> tuple[int, list[str]]:
    """The candidates of the file into a set; returns how many are new there, and the warnings of the service."""
    added = [target.add_candidates(*part) for part in _parts(contents)]
    return sum(each.created for each in added), [warning for each in added for warning in each.warnings]


def _parts(contents: Contents) -> Iterator[tuple[list[CandidateIn], list[ItemIn]]]:
    """Requests of about PART bytes: every candidate with its outputs for some of the items."""
    sizes = [len((item.prompt or "").encode()) for item in contents.items]
    for candidate in contents.candidates:
        texts = candidate.outputs or {}
        for n, item in enumerate(contents.items):
            sizes[n] += AN_OUTPUT + len((texts.get(item.key) or "").encode())
    ends = np.cumsum(sizes) // PART
    for part in np.unique(ends) if contents.items else [0]:
        items = [item for item, end in zip(contents.items, ends.tolist(), strict=True) if end == part]
        yield [_about(candidate, items) for candidate in contents.candidates], items


def _about(candidate: CandidateIn, items: Sequence[ItemIn]) -> CandidateIn:
    """The candidate with its outputs for these items alone."""
    if candidate.outputs is None:
        return candidate
    there = {item.key: candidate.outputs[item.key] for item in items if item.key in candidate.outputs}
    return candidate.model_copy(update={"outputs": there})


def summary(read: ReadOutputs) -> str:
    """Number of systems, prompts and outputs of a file, and those that will not be compared."""
    answers = Counter(key for system in read.candidates for key in system.outputs or {})
    silent = sum(not system.outputs for system in read.candidates)
    alone = sum(answers[item.key] < 2 for item in read.items)
    left_out = [f"{counted(silent, 'system')} without outputs"] if silent else []
    left_out += [f"{counted(alone, 'prompt')} with fewer than 2 outputs"] if alone else []
    return (
        f"{counted(len(read.candidates), 'system')}, {counted(len(read.items), 'prompt')}, "
        f"{counted(answers.total(), 'output')}, {read.missing:,} missing"
        + (f"; columns of systems {', '.join(read.columns.systems)}" if read.columns.systems else "")
        + (f"; tags {', '.join(read.columns.tags)}" if read.columns.tags else "")
        + (f"; not compared: {', '.join(left_out)}" if left_out else "")
    )
