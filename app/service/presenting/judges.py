"""Judges: each as described; all of a set, a card each, as their verdicts have been weighed; one with its history."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, get_args
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import DiscriminationName, JudgeStatus

from app.analysis.judges import (
    DEVIATIONS_OF_MANY,
    MOST_LISTED,
    present_agreement,
    present_agreements,
    present_alpha,
    present_bias,
    present_judge_effects,
)
from app.analysis.ranking import present_convergence
from app.inference.choosing import Overlap, drawn
from app.inference.judges import Discrimination, Findings, JudgeMoment, LeaveOneOut, PairVotes, Share, judge_history
from app.inference.reporting import Bias
from app.inference.state import Snapshot, raw
from app.inference.types import Ints, take
from app.live.catalogue import Catalogue
from app.sentences.judges import (
    INVERTED,
    ONLY_PEOPLE,
    about_judge,
    doubt_of,
    named_for,
    over_time,
    sentences_about_labels,
    warnings,
)
from app.service.weighing import WeighedJudges
from app.storage.paces import Pace
from app.storage.schema import Record

FAILURES: tuple[schemas.Failure, ...] = get_args(schemas.Failure)
STATUS_OF_DOUBT: dict[str, DiscriminationName] = {"chance": "random", "against": "inverted"}
UNSEEN = -1  # the number of a judge without a verdict that counts: nothing is known by it
DEVIATIONS = 12  # of one judge
BY_HOUR = timedelta(days=3)  # from the first verdict to the last: longer times are counted by day
Blamed = Mapping[int, tuple[DiscriminationName, str]]  # by number: what it is named for, and the sentence


class JudgeRecords(NamedTuple):
    """Facts on record about the judges of a set beside their verdicts, by judge id."""

    rows: Mapping[int, Record]
    failures: Mapping[int, Mapping[str, int]]
    latencies: Mapping[int, float]  # median, in ms
    paces: Mapping[int, Pace]


def present_judge(row: Record) -> schemas.JudgeOut:
    return schemas.JudgeOut(
        name=row.name, kind=row.kind, model=row.model, configuration=row.configuration,
        cost_per_1000=row.cost_per_1000, repeats=row.repeats, created_at=row.created_at,
    )  # fmt: skip


# Cards


def present_cards(weighed: WeighedJudges, keys: Sequence[str], records: JudgeRecords) -> list[schemas.JudgeCard]:
    """One for each judge on record, by name; a judge that only failed is not among the weighed."""
    blamed = blamed_judges(weighed, records)
    rows = sorted(records.rows.values(), key=lambda row: row.name)
    return [present_card(row, weighed, keys, records, blamed) for row in rows]


def present_card(
    row: Record,
    weighed: WeighedJudges,
    keys: Sequence[str],
    records: JudgeRecords,
    blamed: Blamed,
    deviations: int = DEVIATIONS_OF_MANY,
) -> schemas.JudgeCard:
    """The card of one judge, with so many of its largest deviations."""
    findings, number = weighed.findings, _place(weighed.judges, row.id)
    count = 0 if number == UNSEEN else int(weighed.comparisons[number])
    failures, pace = records.failures.get(row.id, {}), records.paces.get(row.id)
    failed = sum(failures.values())
    answers = count + failed
    repeats = None if number == UNSEEN else findings.repeats[number]
    bias, effects = _bias(number, weighed), findings.judge_effects.get(number)
    discrimination, influence = findings.discriminations.get(number), findings.influence.get(number)
    status, doubts = _doubts(number, row.name, weighed, blamed)
    return schemas.JudgeCard(
        judge=row.name,
        kind=row.kind,
        model=row.model,
        comparisons=count,
        cost=None if row.cost_per_1000 is None else row.cost_per_1000 * answers / 1000.0,
        median_latency_ms=records.latencies.get(row.id),
        failures={kind: failures[kind] for kind in FAILURES if kind in failures},
        failure_rate=failed / answers if answers else None,
        skill=findings.skill.get(number),
        agreement_with_people=_by_people(number, findings),
        agreement=_with_others(number, findings),
        same_order=repeats and present_agreement(repeats.same_order),
        swapped=repeats and present_agreement(repeats.swapped),
        position_bias=bias and present_bias(bias),
        judge_effects=effects and present_judge_effects(effects, keys, deviations),
        relative_discrimination=discrimination and _present_discrimination(discrimination),
        influence=influence and _present_influence(influence),
        status=status,
        doubts=doubts,
        effective_votes=None if number == UNSEEN or np.isnan(weighed.votes[number]) else float(weighed.votes[number]),
        verdicts_per_hour=3600.0 * pace.gaps / pace.seconds if pace and pace.seconds > 0.0 else None,
        last_verdict_at=pace.last if pace else None,
    )


def blamed_judges(weighed: WeighedJudges, records: JudgeRecords) -> Blamed:
    """Judges that are named for something; that others disagree with people is no fault of theirs."""
    findings, rows = weighed.findings, [records.rows[judge] for judge in weighed.judges.tolist()]
    people = {number for number, row in enumerate(rows) if row.kind == "human"}
    references = people | (set(range(len(rows))) - set(findings.weighed.tolist()))
    doubted = {int(findings.weighed[doubt.judge]) for doubt in findings.group.doubts}
    spared = references | findings.confirmed | doubted
    blamed: dict[int, tuple[DiscriminationName, str]] = {}
    for discrimination in findings.discriminations.values():
        if is_to_blame(discrimination, is_right=discrimination.judge in spared):
            assert discrimination.named is not None
            name = rows[discrimination.judge].name
            blamed[discrimination.judge] = discrimination.named, named_for(discrimination, name)
    for bias in findings.judge_aware:
        if bias.is_against and bias.judge not in spared:
            blamed.setdefault(bias.judge, ("inverted", f"{rows[bias.judge].name}: {INVERTED}"))
    return blamed


def is_to_blame(discrimination: Discrimination, *, is_right: bool) -> bool:
    """Whether the judge is named for something, other than that judges disagree with people, or whom people confirm."""
    return discrimination.named == "changed" if is_right else discrimination.named is not None


def _doubts(number: int, name: str, weighed: WeighedJudges, blamed: Blamed) -> tuple[JudgeStatus | None, list[str]]:
    """The status of a judge, and what is wrong with it in words."""
    group = weighed.findings.group
    doubts = [doubt for doubt in group.doubts if weighed.findings.weighed[doubt.judge] == number]
    named, sentence = blamed.get(number, (None, None))
    sentences = [f"{doubt_of(doubt, name, by_people=group.labels is not None)}." for doubt in doubts]
    of_doubts = (STATUS_OF_DOUBT[doubt.kind] for doubt in doubts if doubt.kind in STATUS_OF_DOUBT)
    status: JudgeStatus | None = named or next(of_doubts, None)
    if status is None and number in weighed.findings.discriminations:
        status = "fine"
    return status, [*sentences, *([sentence] if sentence else [])]


def _place(among: Ints, value: int) -> int:
    (places,) = np.nonzero(among == value)
    return int(places[0]) if len(places) else UNSEEN


def _bias(number: int, weighed: WeighedJudges) -> Bias | None:
    """The position bias of a judge, with its discrimination by judge-aware."""
    bias = weighed.biases.get(number)
    aware = next((each for each in weighed.findings.judge_aware if each.judge == number), None)
    if bias is None or aware is None:
        return bias
    return bias._replace(discrimination=aware.discrimination, sd_of_discrimination=aware.sd_of_discrimination)


def _with_others(number: int, findings: Findings) -> schemas.Agreement | None:
    if number == UNSEEN:
        return None
    pairs, agreeing = (int(each[number]) for each in findings.with_others)
    return schemas.Agreement(pairs=pairs, share=agreeing / pairs if pairs else None)


def _by_people(number: int, findings: Findings) -> schemas.Rightness | None:
    """The agreement of a judge with people, who are none of the judges weighed."""
    labels, place = findings.group.labels, _place(findings.weighed, number)
    by_people = None if labels is None or place == UNSEEN else labels.judges[place]
    return None if by_people is None else present_rightness(by_people)


def present_rightness(rightness: Share) -> schemas.Rightness:
    return schemas.Rightness(pairs=rightness.cases, share=rightness.share, interval=rightness.interval)


def _present_discrimination(discrimination: Discrimination) -> schemas.RelativeDiscrimination:
    return schemas.RelativeDiscrimination(
        overall=discrimination.overall,
        since=discrimination.since,
        before=discrimination.before,
        after=discrimination.after,
        named=discrimination.named,
    )


def _present_influence(influence: LeaveOneOut) -> schemas.Influence:
    return schemas.Influence(
        rank_correlation=influence.rank_correlation,
        largest_move=influence.largest_move,
        changes_top=influence.changes_top,
    )


# One judge of a set


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
    latest, moments = judge_history(comparisons, snapshot.model.n, entries.item[is_known], number)
    return DatedHistory(latest, [DatedMoment(int(own[each.verdicts - 1]), each) for each in moments])


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


# All of a set


def present_judges(
    set_id: UUID,
    weighed: WeighedJudges,
    catalogue: Catalogue,
    overlap: Overlap | None,
    records: JudgeRecords,
    *,
    with_verdicts: bool,
) -> schemas.Judges:
    """A card for each judge on record. Of a set with `overlap` the agreement is that on the pairs drawn for it."""
    method = weighed.conditions.way.method
    findings, convergence = weighed.findings, weighed.findings.group.aggregate.convergence
    names = [records.rows[judge].name for judge in weighed.judges.tolist()]
    votes = _drawn(findings.pair_votes, overlap)
    agreement = present_agreements(votes, names)
    verdicts = _verdicts(catalogue, findings) if with_verdicts else []
    long = [noun for noun, listed in (("agreement", agreement), ("verdicts", verdicts)) if listed is None]
    return schemas.Judges(
        set_id=set_id,
        version=weighed.version,
        method=method,
        convergence=None if convergence is None else present_convergence(convergence),
        people=_people(names, catalogue, weighed),
        warnings=[
            *warnings(findings.group, method, [names[number] for number in findings.weighed]),
            *(sentence for _, sentence in blamed_judges(weighed, records).values()),
            *(f"{noun}: too many to list." for noun in long),
        ],
        judges=present_cards(weighed, catalogue.keys, records),
        agreement=agreement or [],
        alpha=present_alpha(votes, drawn=overlap is not None),
        verdicts=verdicts if with_verdicts else None,
    )


def _people(names: Sequence[str], catalogue: Catalogue, weighed: WeighedJudges) -> schemas.People:
    findings, are_all_people = weighed.findings, weighed.conditions.people.issuperset(weighed.judges.tolist())
    group, votes, judges = findings.group, findings.pair_votes, [names[number] for number in findings.weighed]
    labels = group.labels
    sentences = [ONLY_PEOPLE] if are_all_people else sentences_about_labels(labels, judges)
    return schemas.People(
        summary=" ".join(sentences),
        headline=sentences[0],
        pairs=0 if labels is None else labels.items,
        among_themselves=present_rightness(labels.among_people) if labels is not None and labels.among_people else None,
        ways={} if labels is None else {way: present_rightness(each) for way, each in labels.ways.items()},
        judge_next=[
            schemas.UnjudgedPair(
                item=catalogue.items[int(votes.item[row])][0] or None,
                first=catalogue.keys[int(votes.low[row])],
                second=catalogue.keys[int(votes.high[row])],
            )
            for row in group.to_label
        ],
    )


def _drawn(votes: PairVotes, overlap: Overlap | None) -> PairVotes:
    """The votes on the pairs that are drawn for overlap; all where there is none."""
    return votes if overlap is None else votes.on(drawn(overlap, votes.item, votes.low, votes.high))


def _verdicts(catalogue: Catalogue, findings: Findings) -> list[schemas.GroupVerdict] | None:
    """None of more than can be listed."""
    votes = findings.pair_votes
    if votes.size > MOST_LISTED:
        return None
    judges = votes.counts.sum(axis=1)
    return [
        schemas.GroupVerdict(
            item=catalogue.items[item][0] or None,
            first=catalogue.keys[low],
            second=catalogue.keys[high],
            p_first=float(findings.p_low[row]),
            p_tie=None if findings.p_tie is None else float(findings.p_tie[row]),
            judges=int(judges[row]),
        )
        for row, (item, low, high) in enumerate(zip(votes.item, votes.low, votes.high, strict=True))
    ]
