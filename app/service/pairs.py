"""Pairs that were judged, with every verdict that counts, and the statistics of items (pair_statistics.py)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import isnan
from typing import NamedTuple
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import PairSort, Winner

from app.inference.judges import JudgedPairs, items_judged, judged_pairs, surprise_of_pairs, surprises
from app.inference.state import Catalogue, Snapshot, expected_verdicts
from app.inference.types import Bools, Floats, Ints
from app.service import posteriors
from app.service.context import Context, existing_judges, existing_set
from app.service.errors import UnknownCandidate, UnknownItem
from app.service.presenting.candidates import TEXT_ITEM, present_item
from app.service.presenting.pairs import OutputPair, fitting, present_sides, texts_of, winner_of
from app.storage import comparisons, judges
from app.storage.schema import Record

EQUAL = 9  # decimals of what sorts: beyond them is rounding


class PairQuery(NamedTuple):
    """Pairs that are wanted: those that match all of these."""

    item: str | None = None
    candidate: str | None = None
    other: str | None = None  # both candidates are in the pair
    judge: str | None = None  # has judged it
    tags: Sequence[str] = ()  # each NAME:VALUE of its item
    sort: PairSort = "recent"


class Figures(NamedTuple):
    """Judged pairs beside what the ranking expects of them."""

    pairs: JudgedPairs
    expected: Floats  # (P,) of low
    surprise: Floats  # (P,)
    of_verdicts: Floats  # (K,) surprise
    order: Ints  # pairs that match, as they are sorted


async def page(ctx: Context, set_id: UUID, query: PairQuery, *, after: int, limit: int) -> schemas.JudgedPairPage:
    """Pairs from behind the first `after` on; one at least if there is.

    Raises UnknownSet, SetDeleted, UnknownItem, UnknownCandidate, UnknownJudge.
    """
    async with ctx.reading() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
        judge = None if query.judge is None else (await existing_judges(db, [query.judge]))[query.judge]
    wanted = _wanted(catalogue, query)
    figures = await ctx.live.compute(_figures, snapshot, wanted, judge, query.sort)
    pairs, listed = figures.pairs, figures.order[after : after + limit].tolist()
    outputs = [OutputPair(int(pairs.item[at]), int(pairs.low[at]), int(pairs.high[at])) for at in listed]
    shown = listed[: fitting(outputs, catalogue)]
    rows_of = _rows_by_pair(pairs, shown)
    every = np.concatenate([np.empty(0, np.int64), *rows_of.values()])
    entries = snapshot.log.entries
    async with ctx.reading() as db:
        texts = await texts_of(db, set_id, outputs[: len(shown)])
        by_id = await judges.by_id(db, set(entries.comparisons.judge[every].tolist()))
        said = await comparisons.words_and_times(db, set_id, entries.seq[every].tolist())
    present = [
        _present(figures, at, _verdicts(snapshot, figures, rows_of[at], by_id, said), catalogue, sides)
        for at, sides in zip(shown, (present_sides(each, set_id, catalogue, texts) for each in outputs), strict=False)
    ]
    until = after + len(shown)
    return schemas.JudgedPairPage(
        version=snapshot.version,
        total=len(figures.order),
        pairs=present,
        next_after=until if until < len(figures.order) else None,
    )


async def items_page(ctx: Context, set_id: UUID, *, after: str | None, limit: int) -> schemas.ItemStatisticsPage:
    """Items in the order in which they joined; none of a set of texts.

    Raises UnknownSet, SetDeleted, UnknownItem (for `after`).
    """
    async with ctx.reading() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
    keys = [key for key, _ in catalogue.items if key != TEXT_ITEM]
    start = 0 if after is None else 1 + _item(catalogue, after)
    listed = await ctx.live.compute(_items_judged, snapshot)
    counts, known = np.stack(listed[:2], axis=1).tolist(), np.stack(listed[2:], axis=1).tolist()
    rows = [
        schemas.ItemStatistics(
            key=keys[at],
            prompt=_start(catalogue.items[at][1]),
            tags=dict(catalogue.tags[at]),
            comparisons=counts[at][0],
            pairs=counts[at][1],
            **dict(zip(("agreement", "disagreement", "surprise"), map(_or_none, known[at]), strict=True)),
        )
        for at in range(start, min(start + limit, len(keys)))
    ]
    has_more = start + limit < len(keys)
    return schemas.ItemStatisticsPage(
        version=snapshot.version, items=rows, next_after=rows[-1].key if has_more else None
    )


def _wanted(catalogue: Catalogue, query: PairQuery) -> tuple[Bools, list[int]]:
    """(I,) items that match, and the candidates who are in the pair. Raises UnknownItem, UnknownCandidate."""
    items = np.ones(len(catalogue.items), np.bool_)
    if query.item is not None:
        items[:] = False
        items[_item(catalogue, query.item)] = True
    for tag in query.tags:
        items &= [tag in (f"{name}:{value}" for name, value in tags.items()) for tags in catalogue.tags]
    sides = [key for key in (query.candidate, query.other) if key is not None]
    for key in sides:
        if key not in catalogue.ids:
            raise UnknownCandidate(f"The set has no candidate {key!r}; check its spelling.")
    return items, [catalogue.ids[key] for key in sides]


def _item(catalogue: Catalogue, key: str) -> int:
    """Raises UnknownItem."""
    if key not in catalogue.item_ids:
        raise UnknownItem(f"The set has no item {key!r}; check its spelling.")
    return catalogue.item_ids[key]


def _figures(snapshot: Snapshot, wanted: tuple[Bools, list[int]], judge: int | None, sort: PairSort) -> Figures:
    pairs, expected = _pairs(snapshot)
    surprise = surprise_of_pairs(pairs, expected)
    items, sides = wanted
    matches = items[pairs.item]
    for side in sides:
        matches &= (pairs.low == side) | (pairs.high == side)
    if judge is not None:
        judged = pairs.pair[snapshot.log.entries.comparisons.judge == judge]
        matches &= np.isin(np.arange(len(matches)), judged)
    by = {"recent": pairs.last, "disagreement": pairs.disagreement, "surprise": surprise}[sort]
    falling = np.round(np.where(np.isnan(by), -np.inf, by), EQUAL)
    order = np.lexsort((-pairs.last, -pairs.verdicts, -falling))
    return Figures(pairs, expected, surprise, surprises(pairs, expected), order[matches[order]])


def _items_judged(snapshot: Snapshot) -> tuple[Ints, Ints, Floats, Floats, Floats]:
    return items_judged(*_pairs(snapshot), snapshot.shown.items)


def _pairs(snapshot: Snapshot) -> tuple[JudgedPairs, Floats]:
    """Pairs that were judged, and the probability that low wins."""
    entries = snapshot.log.entries
    pairs = judged_pairs(entries.comparisons, entries.item, entries.seq, snapshot.model.n)
    return pairs, expected_verdicts(snapshot, pairs.low, pairs.high)


def _rows_by_pair(pairs: JudgedPairs, shown: Sequence[int]) -> dict[int, Ints]:
    """The comparisons on each of these pairs, oldest first."""
    rows = np.flatnonzero(np.isin(pairs.pair, shown))
    rows = rows[np.argsort(pairs.pair[rows], kind="stable")]
    numbers, begins = np.unique(pairs.pair[rows], return_index=True)
    return dict(zip(numbers.tolist(), np.split(rows, begins[1:]), strict=True)) if len(rows) else {}


def _verdicts(
    snapshot: Snapshot,
    figures: Figures,
    rows: Ints,
    by_id: Mapping[int, Record],
    said: Mapping[int, tuple[Winner | None, datetime]],
) -> list[schemas.PairVerdict]:
    seq, (first, second, _, judge, weight) = snapshot.log.entries.seq, snapshot.log.entries.comparisons
    columns = (
        seq[rows].tolist(), judge[rows].tolist(), (0.5 + figures.pairs.lean[rows]).tolist(), weight[rows].tolist(),
        (first[rows] > second[rows]).tolist(), figures.of_verdicts[rows].tolist(),
    )  # fmt: skip
    return [
        schemas.PairVerdict(
            seq=at,
            judge=by_id[who].name,
            kind=by_id[who].kind,
            p_first=p,
            winner="both_bad" if said[at][0] == "both_bad" else winner_of(p),
            weight=stands_for,
            swapped=swapped,
            surprise=_or_none(bits),
            created_at=said[at][1],
        )
        for at, who, p, stands_for, swapped, bits in zip(*columns, strict=True)
    ]


def _present(
    figures: Figures,
    at: int,
    verdicts: list[schemas.PairVerdict],
    catalogue: Catalogue,
    sides: Sequence[schemas.Shown],
) -> schemas.JudgedPair:
    pairs = figures.pairs
    return schemas.JudgedPair(
        item=present_item(catalogue, int(pairs.item[at])),
        first=sides[0],
        second=sides[1],
        verdicts=verdicts,
        agreement=_or_none(float(pairs.agreement[at])),
        disagreement=_or_none(float(pairs.disagreement[at])),
        surprise=_or_none(float(figures.surprise[at])),
        expected=_or_none(float(figures.expected[at])),
    )


def _or_none(value: float) -> float | None:
    return None if isnan(value) else value


def _start(prompt: str | None) -> str | None:
    return prompt and prompt[: schemas.PROMPT_START]
