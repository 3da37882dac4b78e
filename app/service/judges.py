"""Judges: what is said of them, and what their verdicts say."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, get_args
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import AggregationName, JudgeKind
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.fitting.model import build
from app.inference.judges.encoders import hashed
from app.inference.judges.findings import Findings, find
from app.inference.judges.group_verdicts import DEPARTS, Doubt, needs_context
from app.inference.judges.skill_aggregation import ItemContext
from app.inference.reporting.bias import Bias
from app.inference.reporting.diagnostics import Agreement
from app.inference.state import snapshot as snapshots
from app.inference.state.snapshot import Catalogue, Interpretation, Snapshot
from app.inference.types import Ints
from app.live.jobs import Question, Say, Underway
from app.service import posteriors
from app.service.context import Context, existing_set
from app.service.diagnostics import present_agreement
from app.service.errors import InvalidRequest, StillComputing, UnknownJudge
from app.service.rankings import present_bias, present_convergence
from app.storage import assignments, candidates, comparisons, judges
from app.storage.schema import Record

FAILURES: tuple[schemas.Failure, ...] = get_args(schemas.Failure)
SEED = 0  # of the splits of a training
MOST_CELLS = 50_000_000  # of a matrix of judges by judges and pairs
MOST_LISTED = 100_000  # pairs in one answer


class Weighed(NamedTuple):
    """What the verdicts of a set say of its judges."""

    version: int
    terms: tuple[Interpretation, tuple[int, ...]]
    judges: Ints  # (J,) ids
    comparisons: Ints  # (J,) how many of each
    biases: Mapping[int, Bias]  # by number, as the set's own method has them
    findings: Findings

    @property
    def size_bytes(self) -> int:
        return sum(each.nbytes for each in (*self.findings.pair_votes, self.findings.p_low, *self.findings.agreements))


class _Known(NamedTuple):
    """What the database says of judges, by id."""

    rows: Mapping[int, Record]
    failures: Mapping[int, Mapping[str, int]]
    latencies: Mapping[int, float]


async def page(db: AsyncConnection, *, kind: JudgeKind | None, after: str | None, limit: int) -> schemas.JudgePage:
    rows = await judges.page(db, kind=kind, after=after or "", limit=limit + 1)
    more = rows[limit - 1].name if len(rows) > limit else None
    return schemas.JudgePage(judges=[_present(row) for row in rows[:limit]], next_after=more)


async def get(db: AsyncConnection, name: str) -> schemas.JudgeOut:
    """Raises UnknownJudge."""
    row = await judges.get(db, name)
    if row is None:
        raise UnknownJudge(f"There is no judge {name!r}; a judge appears with its first verdict, or when described.")
    return _present(row)


async def describe(db: AsyncConnection, name: str, said: schemas.JudgeIn) -> schemas.JudgeOut:
    return _present(await judges.describe(db, name, said.model_dump()))


async def read(ctx: Context, set_id: UUID, method: AggregationName, *, with_verdicts: bool) -> schemas.Judges:
    """At the latest version that was weighed. Raises UnknownSet, SetDeleted, InvalidRequest, StillComputing."""
    async with ctx.engine.connect() as db:
        row = await existing_set(db, set_id)
        _, snapshot = await posteriors.current(ctx, db, row)
    question, work = Question(set_id, method), partial(_prepare, ctx, set_id, method)
    try:
        weighed = await ctx.jobs.result(question, snapshot.version, _terms(snapshot), work)
    except Underway as underway:
        raise StillComputing(f"The judges of this set are being weighed: {underway.said}. Ask again.") from None
    async with ctx.engine.connect() as db:
        catalogue = await posteriors.catalogue_of(ctx, db, row)
        failures = await assignments.failures(db, set_id)
        rows = await judges.by_id(db, {*weighed.judges.tolist(), *failures})
        known = _Known(rows, failures, await comparisons.latencies(db, set_id))
    return await ctx.live.compute(_present_all, set_id, method, weighed, catalogue, known, with_verdicts=with_verdicts)


async def _prepare(ctx: Context, set_id: UUID, method: AggregationName) -> Callable[[Say], Weighed]:
    """Raises UnknownSet, SetDeleted, InvalidRequest."""
    async with ctx.engine.connect() as db:
        row = await existing_set(db, set_id)
        _, snapshot = await posteriors.current(ctx, db, row)
        _refuse_many(len(snapshot.evidence.judges), int(np.count_nonzero(snapshot.shown)))
        context = await _context(db, row, snapshot) if needs_context(method) else None
    return partial(_weigh, snapshot, method, context)


def _refuse_many(judges: int, pairs: int) -> None:
    """Raises InvalidRequest: every judge is held against every other and every pair, in matrices."""
    if judges * (judges + pairs) > MOST_CELLS:
        raise InvalidRequest(
            f"{judges:,} judges of {pairs:,} pairs are too many to be weighed together; give those whose verdicts are "
            "alike in kind one name, or split the set."
        )


def _terms(snapshot: Snapshot) -> tuple[Interpretation, tuple[int, ...]]:
    """What findings depend on beside the log: how it is read, and how many candidates and items there are."""
    return snapshot.interpretation, snapshot.shown.shape


async def _context(db: AsyncConnection, row: Record, snapshot: Snapshot) -> ItemContext:
    """What speaks for low against what speaks for high; whole items stay together. Raises InvalidRequest."""
    at = snapshots.pair_votes_of(snapshot)
    places = {(row.id, int(item), int(who)) for item, *sides in zip(*at[:3], strict=True) for who in sides}
    texts = await candidates.texts(db, sorted(places)) if places else {}
    if not any(texts.values()):
        raise InvalidRequest("method: it reads the candidates' texts, and this set has none; choose dawid-skene.")
    low, high = (
        hashed([{"text": texts[row.id, int(item), int(who)] or ""} for item, who in zip(at.item, side, strict=True)])
        for side in (at.low, at.high)
    )
    one_item = len(np.unique(at.item)) == 1
    return ItemContext((low - high) / np.sqrt(2.0), np.arange(at.size) if one_item else at.item)


def _weigh(snapshot: Snapshot, method: AggregationName, context: ItemContext | None, say: Say) -> Weighed:
    own, tempered = snapshot.interpretation.method, snapshot.comparisons
    model = build(own._replace(expert="soft-bt", parameters=(), position_bias="none"), snapshot.model.n)
    raw, item, many = snapshots.raw(snapshot), snapshot.log.entries.item, len(snapshot.evidence.judges)
    found = find(raw, tempered, item, model, many, method, context, np.random.default_rng(SEED), say)
    counts = np.bincount(tempered.judge, minlength=many)
    biases = {bias.judge: bias for bias in snapshots.biases(snapshot)}
    return Weighed(snapshot.version, _terms(snapshot), snapshot.evidence.judges, counts, biases, found)


def _present(row: Record) -> schemas.JudgeOut:
    return schemas.JudgeOut.model_validate({name: row._mapping[name] for name in schemas.JudgeOut.model_fields})


def _present_all(
    set_id: UUID,
    method: AggregationName,
    weighed: Weighed,
    catalogue: Catalogue,
    known: _Known,
    *,
    with_verdicts: bool,
) -> schemas.Judges:
    ids, found = weighed.judges.tolist(), weighed.findings
    numbers = {judge: number for number, judge in enumerate(ids)}
    order = sorted(known.rows.values(), key=lambda row: row.name)
    names = [known.rows[judge].name for judge in ids]
    convergence = found.aggregation
    sizes = {"agreement": int(np.count_nonzero(np.triu(found.agreements[0], 1)))}
    if with_verdicts:
        sizes["verdicts"] = found.pair_votes.size
    long = [noun for noun, size in sizes.items() if size > MOST_LISTED]
    return schemas.Judges(
        set_id=set_id,
        version=weighed.version,
        method=method,
        convergence=None if convergence is None else present_convergence(convergence),
        warnings=[*_warnings(method, names, found), *(f"{noun}: too many to be listed." for noun in long)],
        judges=[_card(row, numbers.get(row.id), known, weighed) for row in order],
        agreement=[] if "agreement" in long else _pairs(names, found),
        verdicts=_verdicts(catalogue, found) if with_verdicts and "verdicts" not in long else None,
    )


def _card(row: Record, number: int | None, known: _Known, weighed: Weighed) -> schemas.JudgeCard:
    failures = known.failures.get(row.id, {})
    count = 0 if number is None else int(weighed.comparisons[number])
    asked, failed = count + sum(failures.values()), sum(failures.values())
    return schemas.JudgeCard(
        judge=row.name,
        kind=row.kind,
        model=row.model,
        comparisons=count,
        cost=None if row.cost_per_1000 is None else row.cost_per_1000 * asked / 1000.0,
        median_latency_ms=known.latencies.get(row.id),
        failures={kind: failures[kind] for kind in FAILURES if kind in failures},
        failure_rate=failed / asked if asked else None,
        **(NOTHING if number is None else _numbers(number, weighed)),
    )


NOTHING = dict.fromkeys(("skill", "agreement", "same_order", "swapped", "position_bias", "influence"))


def _numbers(judge: int, weighed: Weighed) -> dict[str, object]:
    """What a judge's verdicts say of it."""
    found = weighed.findings
    pairs, agreeing = (np.delete(each[judge], judge).sum() for each in found.agreements)
    repeats = found.repeats[judge]
    influence, bias = found.influence.get(judge), weighed.biases.get(judge)
    if bias is not None:
        bias = bias._replace(discrimination=float(found.discrimination[judge]))
    return {
        "skill": None if found.skill is None else float(found.skill[judge]),
        "agreement": _agreement(int(pairs), int(agreeing)),
        "same_order": present_agreement(repeats.same_order),
        "swapped": present_agreement(repeats.swapped),
        "position_bias": None if bias is None else present_bias(bias),
        "influence": None if influence is None else schemas.Influence(**influence._asdict()),
    }


def _agreement(pairs: int, agreeing: int) -> schemas.Agreement:
    return present_agreement(Agreement(pairs, agreeing / pairs if pairs else None))


def _pairs(names: list[str], found: Findings) -> list[schemas.PairAgreement]:
    pairs, agreeing = found.agreements
    return [
        schemas.PairAgreement(
            judges=(names[i], names[j]), **_agreement(int(pairs[i, j]), int(agreeing[i, j])).model_dump()
        )
        for i in range(len(names))
        for j in range(i + 1, len(names))
        if pairs[i, j]
    ]


def _verdicts(catalogue: Catalogue, found: Findings) -> list[schemas.GroupVerdict]:
    at, said = found.pair_votes, (~np.isnan(found.pair_votes.p)).sum(axis=1)
    rows = zip(at.item, at.low, at.high, found.p_low, said, strict=True)
    return [
        schemas.GroupVerdict(
            item=catalogue.items[item][0] or None,
            first=catalogue.keys[low],
            second=catalogue.keys[high],
            p_first=float(p),
            judges=int(judges),
        )
        for item, low, high, p, judges in rows
    ]


def _warnings(method: AggregationName, names: list[str], found: Findings) -> list[str]:
    said = [_in_words(doubt, names[doubt.judge]) for doubt in found.doubts if doubt.kind != "one_sided"]
    if found.departure >= DEPARTS:
        said.append(
            f"{method} decides against the majority in {found.departure:.0%} of the pairs; look at some of them."
        )
    return said


def _in_words(doubt: Doubt, judge: str) -> str:
    if doubt.kind == "chance":
        return f"{judge} is as good as chance by what the others say (skill {doubt.size:.2f})."
    return f"{judge} is against the others (skill {doubt.size:.2f}): was it asked the same question?"
