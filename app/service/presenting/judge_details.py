"""One judge of a set: its card, its history, and its latest verdicts."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import numpy as np
from nextpair import schemas

from app.inference.judges import JudgeMoment, Share, judge_history, latest_of
from app.inference.state import Snapshot, raw
from app.inference.types import take
from app.sentences.judges import about_judge, over_time
from app.service.presenting.judge_cards import JudgeRecords, blamed_judges, present_card
from app.service.weighing import WeighedJudges
from app.storage.schema import Record

DEVIATIONS = 12  # of one judge
BY_HOUR = timedelta(days=3)  # from the first verdict to the last: longer times are counted by day


class DatedMoment(NamedTuple):
    """A moment of the history, and the entry of the log at which it is."""

    seq: int
    moment: JudgeMoment


class DatedHistory(NamedTuple):
    latest_of: int
    moments: list[DatedMoment]


def history_of(snapshot: Snapshot, weighed: WeighedJudges, judge_id: int) -> DatedHistory:
    """The history of a judge up to the version that was weighed."""
    entries, is_known = snapshot.log.entries, snapshot.log.entries.seq <= weighed.version
    numbers = np.flatnonzero(snapshot.evidence.judges == judge_id)
    number = int(numbers[0]) if len(numbers) else -1
    comparisons, seq = take(raw(snapshot), is_known), entries.seq[is_known]
    own = seq[comparisons.judge == number]
    moments = judge_history(comparisons, snapshot.model.n, entries.item[is_known], number)
    return DatedHistory(latest_of(len(own)), [DatedMoment(int(own[each.verdicts - 1]), each) for each in moments])


def present_judge_detail(
    set_id: UUID,
    judge: Record,
    weighed: WeighedJudges,
    keys: Sequence[str],
    records: JudgeRecords,
    history: DatedHistory,
    times: Mapping[int, datetime],
    hours: Mapping[datetime, int],
    latest: Sequence[Record],
) -> schemas.JudgeDetail:
    """Args: `times` are those of the moments, by sequence number; `hours` are numbers of verdicts."""
    card = present_card(judge, weighed, keys, records, blamed_judges(weighed, records), DEVIATIONS)
    is_short = not hours or max(hours) - min(hours) < BY_HOUR
    periods = hours if is_short else _by_day(hours)
    return schemas.JudgeDetail(
        set_id=set_id,
        version=weighed.version,
        summary=about_judge(card),
        card=card,
        over_time=over_time(card),
        latest_of=history.latest_of,
        history=[_moment(each.moment, times[each.seq]) for each in history.moments],
        period="hour" if is_short else "day",
        periods=[schemas.JudgePeriod(start=start, verdicts=verdicts) for start, verdicts in periods.items()],
        latest=[_latest(row) for row in latest],
    )


def _by_day(hours: Mapping[datetime, int]) -> Mapping[datetime, int]:
    days: dict[datetime, int] = {}
    for hour, verdicts in hours.items():
        day = hour.replace(hour=0)
        days[day] = days.get(day, 0) + verdicts
    return days


def _moment(moment: JudgeMoment, at: datetime) -> schemas.JudgeMoment:
    pairs, agreeing = moment.pairs, moment.agreeing
    return schemas.JudgeMoment(
        verdicts=moment.verdicts,
        at=at,
        agreement=schemas.Agreement(pairs=pairs, share=agreeing / pairs if pairs else None),
        recent=_share(moment.recent),
        predicted=_share(moment.predicted),
    )


def _latest(row: Record) -> schemas.LatestVerdict:
    return schemas.LatestVerdict(
        seq=row.seq, item=row.item or None, first=row.first, second=row.second, p_first=row.p_first,
        winner=row.winner, latency_ms=row.latency_ms, created_at=row.created_at, voided_by=row.voided_by,
        restores=row.restores,
    )  # fmt: skip


def _share(share: Share | None) -> schemas.RecentShare | None:
    return share and schemas.RecentShare(pairs=share.cases, share=share.share, interval=share.interval)
