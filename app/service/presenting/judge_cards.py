"""The card of each judge: figures that its verdicts give of it, what they cost, and what is wrong with it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, get_args

import numpy as np
from nextpair import schemas
from nextpair.words import DiscriminationName, JudgeStatus

from app.analysis.judges import DEVIATIONS_OF_MANY, present_agreement, present_bias, present_judge_effects
from app.inference.judges import Discrimination, Findings, LeaveOneOut, Share
from app.inference.reporting import Bias
from app.inference.types import Ints
from app.sentences.judges import INVERTED, doubt_of, named_for
from app.service.weighing import WeighedJudges
from app.storage.paces import Pace
from app.storage.schema import Record

FAILURES: tuple[schemas.Failure, ...] = get_args(schemas.Failure)
STATUS_OF_DOUBT: dict[str, DiscriminationName] = {"chance": "random", "against": "inverted"}
UNSEEN = -1  # the number of a judge without a verdict that counts: nothing is known by it
Blamed = Mapping[int, tuple[DiscriminationName, str]]  # by number: what it is named for, and the sentence


class JudgeRecords(NamedTuple):
    """Facts on record about the judges of a set beside their verdicts, by judge id."""

    rows: Mapping[int, Record]
    failures: Mapping[int, Mapping[str, int]]
    latencies: Mapping[int, float]  # median, in ms
    paces: Mapping[int, Pace]


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
