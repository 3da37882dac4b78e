"""Pairs that were judged, with every verdict that counts, and the statistics of items (pair_votes.py)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import isnan
from typing import NamedTuple
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import PairSort, Winner

from app.inference.judges import ItemsJudged, JudgedPairs, judged_pairs
from app.inference.state import Snapshot, expected_verdicts
from app.inference.types import Bools, Floats, Ints
from app.live.catalogue import Catalogue
from app.service import posteriors
from app.service.context import Context, existing_judges, existing_set
from app.service.errors import UnknownItem
from app.service.key_lookup import known_candidate
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
    find: str | None = None  # in the key or prompt of its item; of a set of texts, in the key of one of the two
    tags: Sequence[str] = ()  # each NAME:VALUE of its item
    sort: PairSort = "recent"


class PairFilter(NamedTuple):
    """What a query is for, by numbers."""

    items: Bools  # (I,) that match
    candidates: Bools  # (N,) of whom one is in the pair
    sides: list[int]  # of candidates who are both in the pair
    judge: int | None  # by id


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
    catalogue, snapshot, wanted = await _read(ctx, set_id, query)
    figures = await ctx.live.compute(_figures, snapshot, wanted, query.sort)
    pairs, listed = figures.pairs, figures.order[after : after + limit].tolist()
    outputs = [OutputPair(int(pairs.item[at]), int(pairs.low[at]), int(pairs.high[at])) for at in listed]
    shown = listed[: fitting(outputs, catalogue)]
    rows_of = _rows_by_pair(pairs, shown)
    every = np.concatenate([np.empty(0, np.int64), *rows_of.values()])
    entries = snapshot.log.entries
    async with ctx.reading() as db:
        texts = await texts_of(db, set_id, outputs[: len(shown)])
        by_id = await judges.by_id(db, set(entries.comparisons.judge[every].tolist()))
        words = await comparisons.words_and_times(db, set_id, entries.seq[every].tolist())
    present = [
        _present(figures, at, _verdicts(snapshot, figures, rows_of[at], by_id, words), catalogue, sides)
        for at, sides in zip(shown, (present_sides(each, set_id, catalogue, texts) for each in outputs), strict=False)
    ]
    until = after + len(shown)
    return schemas.JudgedPairPage(
        version=snapshot.version,
        total=len(figures.order),
        surprising=_above_a_coin(figures.surprise[figures.order]),
        pairs=present,
        next_after=until if until < len(figures.order) else None,
    )


async def items_page(
    ctx: Context, set_id: UUID, query: PairQuery, *, after: int, limit: int
) -> schemas.ItemStatisticsPage:
    """Items with their pairs that match, in the order in which they joined, from behind the first `after` on.

    None of a set of texts. Raises UnknownSet, SetDeleted, UnknownItem, UnknownCandidate, UnknownJudge.
    """
    catalogue, snapshot, wanted = await _read(ctx, set_id, query)
    of_pairs = query.candidate is not None or query.other is not None or query.judge is not None
    figures = await ctx.live.compute(_items_judged, snapshot, wanted)
    is_listed = wanted.items & (figures.pairs > 0) if of_pairs else wanted.items
    matching = [at for at in np.flatnonzero(is_listed).tolist() if catalogue.items[at][0] != TEXT_ITEM]
    until = after + limit
    return schemas.ItemStatisticsPage(
        version=snapshot.version,
        total=len(matching),
        surprising=_above_a_coin(figures.surprise[matching]),
        items=[_present_item(catalogue, figures, at) for at in matching[after:until]],
        next_after=until if until < len(matching) else None,
    )


async def _read(ctx: Context, set_id: UUID, query: PairQuery) -> tuple[Catalogue, Snapshot, PairFilter]:
    """Raises UnknownSet, SetDeleted, UnknownItem, UnknownCandidate, UnknownJudge."""
    async with ctx.reading() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
        judge = None if query.judge is None else (await existing_judges(db, [query.judge]))[query.judge]
    return catalogue, snapshot, _wanted(catalogue, query, judge)


def _wanted(catalogue: Catalogue, query: PairQuery, judge: int | None) -> PairFilter:
    """Raises UnknownItem, UnknownCandidate."""
    items, candidates = np.ones(len(catalogue.items), np.bool_), np.ones(len(catalogue.keys), np.bool_)
    if query.item is not None:
        items &= np.arange(len(items)) == _item(catalogue, query.item)
    for tag in query.tags:
        items &= [tag in (f"{name}:{value}" for name, value in tags.items()) for tags in catalogue.tags]
    if query.find:
        text = query.find.casefold()
        if TEXT_ITEM in catalogue.item_ids:
            candidates &= [text in key.casefold() for key in catalogue.keys]
        else:
            items &= [text in f"{key}\n{prompt or ''}".casefold() for key, prompt in catalogue.items]
    sides = [key for key in (query.candidate, query.other) if key is not None]
    return PairFilter(items, candidates, [known_candidate(key, catalogue) for key in sides], judge)


def _item(catalogue: Catalogue, key: str) -> int:
    """Raises UnknownItem."""
    if key not in catalogue.item_ids:
        raise UnknownItem(f"The set has no item {key!r}; check its spelling.")
    return catalogue.item_ids[key]


def _figures(snapshot: Snapshot, wanted: PairFilter, sort: PairSort) -> Figures:
    pairs, expected = _pairs(snapshot)
    surprise, of_verdicts = pairs.surprises(expected)
    by = {"recent": pairs.last, "disagreement": pairs.disagreement, "surprise": surprise}[sort]
    falling = np.round(np.where(np.isnan(by), -np.inf, by), EQUAL)
    order = np.lexsort((-pairs.last, -pairs.verdicts, -falling))
    return Figures(pairs, expected, surprise, of_verdicts, order[_match(snapshot, pairs, wanted)[order]])


def _items_judged(snapshot: Snapshot, wanted: PairFilter) -> ItemsJudged:
    pairs, expected = _pairs(snapshot)
    return pairs.of_items(expected, snapshot.shown.items, _match(snapshot, pairs, wanted))


def _match(snapshot: Snapshot, pairs: JudgedPairs, wanted: PairFilter) -> Bools:
    """(P,) pairs that a query is for."""
    matches = wanted.items[pairs.item] & (wanted.candidates[pairs.low] | wanted.candidates[pairs.high])
    for side in wanted.sides:
        matches &= (pairs.low == side) | (pairs.high == side)
    if wanted.judge is not None:
        judged = pairs.pair[snapshot.log.entries.comparisons.judge == wanted.judge]
        matches &= np.isin(np.arange(len(matches)), judged)
    return matches


def _pairs(snapshot: Snapshot) -> tuple[JudgedPairs, Floats]:
    """Pairs that were judged, and the probability that low wins."""
    entries = snapshot.log.entries
    pairs = judged_pairs(entries.comparisons, entries.item, entries.seq)
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


def _present_item(catalogue: Catalogue, figures: ItemsJudged, at: int) -> schemas.ItemStatistics:
    key, prompt = catalogue.items[at]
    return schemas.ItemStatistics(
        key=key,
        prompt=prompt and prompt[: schemas.PROMPT_START],
        tags=dict(catalogue.tags[at]),
        comparisons=int(figures.comparisons[at]),
        pairs=int(figures.pairs[at]),
        agreement=_or_none(float(figures.agreement[at])),
        disagreement=_or_none(float(figures.disagreement[at])),
        surprise=_or_none(float(figures.surprise[at])),
    )


def _above_a_coin(surprise: Floats) -> int:
    return int((np.round(surprise, EQUAL) > 1.0).sum())


def _or_none(value: float) -> float | None:
    return None if isnan(value) else value
