"""Two candidates of a log compared: GET head-to-head."""

from collections.abc import Iterator
from typing import Literal, NamedTuple
from uuid import UUID

import numpy as np
from nextpair import schemas

from app.analysis.judged import JudgedLog
from app.analysis.ranking import present_target, prompts_needed
from app.analysis.slices import MOST_VALUES
from app.inference.choosing import Goal, Stop, Stopping
from app.inference.fitting import Published
from app.inference.reporting import Target, beside_one
from app.inference.targets import Quantity
from app.inference.types import Bools, Floats
from app.inference.verdicts import components, directions, wilson
from app.sentences import head_to_heads as sentences

DECIDED = Stop(goal=0.95)
Source = Literal["verdicts", "others", "absolute-scores", "prior"]


class TwoCandidates(NamedTuple):
    """Two candidates, by number, and the level of their intervals."""

    first: int
    second: int
    level: float = 0.95

    @property
    def goal(self) -> Goal:
        return Goal(pair=(self.first, self.second))


class AllCandidates(NamedTuple):
    """What is known of all candidates."""

    target: Target
    published: Published
    quantity: Quantity


class _Direct(NamedTuple):
    """K verdicts between the two, seen from the first."""

    rows: Bools  # which of the log's they are
    p: Floats  # (K,)
    weight: Floats  # (K,)


def head_to_head(
    log: JudgedLog,
    whole: AllCandidates,
    pair: TwoCandidates,
    stopping: Stopping | None,
    prices: Floats,
    set_id: UUID,
    version: int,
) -> schemas.HeadToHead:
    """Args: `stopping` is the distance to DECIDED with the pair as the goal; `prices` (J,) are of a verdict or NaN."""
    first, second = log.keys[pair.first], log.keys[pair.second]
    target, signal = whole.target, log.signal(whole.target.name)
    beside = beside_one(whole.quantity, whole.published, target.name, *pair)
    direct, source = _direct(log, pair), _source(log, pair)
    assert beside.win_rate is not None
    assert beside.win_rate_interval is not None
    return schemas.HeadToHead(
        set_id=set_id,
        version=version,
        first=first,
        second=second,
        level=pair.level,
        inference_target=present_target(target),
        win_rate=beside.win_rate,
        win_rate_interval=beside.win_rate_interval,
        difference=beside.difference,
        difference_interval=beside.interval,
        p_first_better=beside.p_better if signal.claimed else None,
        source=source,
        signal=log.present_signal(whole.target.name),
        verdicts=_tally(direct, pair.level),
        by_judge=_by_judge(log, direct, pair.level),
        by_tag=list(_by_tag(log, direct, pair.level)),
        to_decide=stopping and _to_decide(log, whole, pair, stopping, _price(log, prices)),
        sentence=sentences.outcome(first, second, beside, target.name, signal, source),
        note=sentences.note(source, signal, is_judged=log.verdicts.size > 0),
    )


def _direct(log: JudgedLog, pair: TwoCandidates) -> _Direct:
    first, second, p, _, weight = log.verdicts
    is_turned = (first == pair.second) & (second == pair.first)
    rows = is_turned | ((first == pair.first) & (second == pair.second))
    return _Direct(rows, np.where(is_turned, 1.0 - p, p)[rows], weight[rows])


def _source(log: JudgedLog, pair: TwoCandidates) -> Source:
    part = components(log.verdicts, len(log.keys))
    if _direct(log, pair).rows.any():
        return "verdicts"
    if part[pair.first] == part[pair.second]:
        return "others"
    return "absolute-scores" if np.isin([pair.first, pair.second], log.absolute.candidate).all() else "prior"


def _tally(direct: _Direct, level: float, among: Bools | slice = slice(None)) -> schemas.PairTally:
    p, weight = direct.p[among], direct.weight[among]
    direction, total = directions(p - 0.5), float(weight.sum())
    losses, ties, wins = (float(weight[direction == side].sum()) for side in (-1.0, 0.0, 1.0))
    share = float(weight @ p) / total if total else None
    return schemas.PairTally(
        comparisons=len(p),
        wins=wins,
        ties=ties,
        losses=losses,
        share=share,
        interval=None if share is None else wilson(share, total, level),
    )


def _by_judge(log: JudgedLog, direct: _Direct, level: float) -> list[schemas.JudgeTally]:
    judge = log.verdicts.judge[direct.rows]
    tallies = [
        schemas.JudgeTally(judge=log.judges[number], **_tally(direct, level, judge == number).model_dump())
        for number in np.unique(judge).tolist()
    ]
    return sorted(tallies, key=lambda tally: (-tally.comparisons, tally.judge))


def _by_tag(log: JudgedLog, direct: _Direct, level: float) -> Iterator[schemas.TagTally]:
    if not log.tags:
        return
    tags = [log.tags[item] for item in log.item[direct.rows].tolist()]
    for tag in sorted({name for of_item in tags for name in of_item}):
        value_of = np.array([of_item.get(tag, "") for of_item in tags])
        has_tag = np.array([tag in of_item for of_item in tags], np.bool_)
        values = np.unique(value_of[has_tag]).tolist()
        if len(values) > MOST_VALUES:
            continue
        for value in values:
            tally = _tally(direct, level, has_tag & (value_of == value))
            yield schemas.TagTally(tag=tag, value=value, **tally.model_dump())


def _price(log: JudgedLog, prices: Floats) -> float | None:
    """Mean price of a verdict, over the verdicts so far whose judge has one."""
    paid = prices[log.verdicts.judge]
    return None if np.isnan(paid).all() else float(np.nanmean(paid))


def _to_decide(
    log: JudgedLog, whole: AllCandidates, pair: TwoCandidates, stopping: Stopping, price: float | None
) -> schemas.ToDecide:
    prompts = (
        None
        if stopping.reason is not None
        else prompts_needed(log, whole.target, whole.published, DECIDED, pair.goal, sentences.AIM)
    )
    low, median, high = stopping.forecast
    return schemas.ToDecide(
        converged=stopping.reason is not None,
        reason=stopping.reason,
        forecast=median,
        forecast_interval=None if low is None else (low, high),
        left=stopping.left,
        sentence=sentences.to_decide(
            stopping,
            prompts.sentence if prompts else "",
            log.signal(whole.target.name),
            is_judged=log.verdicts.size > 0,
        ),
        cost=_times(price, median),
        cost_interval=None if low is None or price is None else (price * low, _times(price, high)),
        prompts=prompts,
    )


def _times(price: float | None, count: int | None) -> float | None:
    return None if price is None or count is None else price * count
