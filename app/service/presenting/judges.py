"""Judges: each as it was described, and all of a set as their verdicts have been weighed."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import AggregationName

from app.analysis.judges import present_agreements, present_alpha, present_bias, present_judge_effects
from app.analysis.ranking import present_convergence
from app.inference.choosing import Overlap, drawn
from app.inference.judges import Accuracy, Discrimination, Findings, PairVotes, agreements
from app.inference.state import Catalogue
from app.inference.types import Floats
from app.sentences.judges import INVERTED, ONLY_PEOPLE, about_labels, named_for, warnings
from app.service.weighing import WeighedJudges
from app.storage.schema import Record

FAILURES: tuple[schemas.Failure, ...] = get_args(schemas.Failure)
MOST_LISTED = 100_000  # pairs in one answer
SILENT = dict.fromkeys(
    "skill agreement_with_people agreement same_order swapped "
    "position_bias judge_effects relative_discrimination influence".split()
)


def present_judge(row: Record) -> schemas.JudgeOut:
    return schemas.JudgeOut.model_validate({name: row._mapping[name] for name in schemas.JudgeOut.model_fields})


def present_judges(
    set_id: UUID,
    weighed: WeighedJudges,
    catalogue: Catalogue,
    overlap: Overlap | None,
    rows: Mapping[int, Record],
    failures: Mapping[int, Mapping[str, int]],
    latencies: Mapping[int, float],
    *,
    with_verdicts: bool,
) -> schemas.Judges:
    """A card for each judge in `rows`; those, failures and latencies in ms are by judge id.

    Of a set with `overlap` the agreement is that on the pairs drawn for it.
    """
    method = weighed.conditions.way.method
    findings, convergence = weighed.findings, weighed.findings.group.aggregate.convergence
    names = [rows[judge].name for judge in weighed.judges.tolist()]
    numbers = {judge: number for number, judge in enumerate(weighed.judges.tolist())}
    direction = _drawn(findings.pair_votes, overlap)
    agreed = agreements(direction)
    sizes = {"agreement": int(np.count_nonzero(np.triu(agreed.pairs, 1)))}
    if with_verdicts:
        sizes["verdicts"] = findings.pair_votes.size
    long = [noun for noun, size in sizes.items() if size > MOST_LISTED]
    return schemas.Judges(
        set_id=set_id,
        version=weighed.version,
        method=method,
        convergence=None if convergence is None else present_convergence(convergence),
        people=_people(names, catalogue, weighed),
        warnings=[
            *_warnings(method, [rows[judge] for judge in weighed.judges.tolist()], findings),
            *(f"{noun}: too many to list." for noun in long),
        ],
        judges=[
            _card(row, numbers.get(row.id), weighed, catalogue.keys, failures.get(row.id, {}), latencies.get(row.id))
            for row in sorted(rows.values(), key=lambda row: row.name)
        ],
        agreement=[] if "agreement" in long else present_agreements(agreed, names),
        alpha=present_alpha(direction, drawn=overlap is not None),
        verdicts=_verdicts(catalogue, findings) if with_verdicts and "verdicts" not in long else None,
    )


def _card(
    row: Record,
    number: int | None,
    weighed: WeighedJudges,
    keys: Sequence[str],
    failures: Mapping[str, int],
    latency: float | None,
) -> schemas.JudgeCard:
    """A judge that only failed has no `number` among the weighed."""
    count = 0 if number is None else int(weighed.comparisons[number])
    failed = sum(failures.values())
    answers = count + failed
    return schemas.JudgeCard(
        judge=row.name,
        kind=row.kind,
        model=row.model,
        comparisons=count,
        cost=None if row.cost_per_1000 is None else row.cost_per_1000 * answers / 1000.0,
        median_latency_ms=latency,
        failures={kind: failures[kind] for kind in FAILURES if kind in failures},
        failure_rate=failed / answers if answers else None,
        **(SILENT if number is None else _figures(number, weighed, keys)),
    )


def _figures(number: int, weighed: WeighedJudges, keys: Sequence[str]) -> dict[str, Any]:
    """Figures that a judge's verdicts give of it."""
    findings = weighed.findings
    pairs, agreeing = (int(np.delete(table[number], number).sum()) for table in findings.agreements[:2])
    repeats, influence = findings.repeats[number], findings.influence.get(number)
    bias, discrimination, judge_effects = (
        weighed.biases.get(number),
        findings.discriminations.get(number),
        findings.judge_effects.get(number),
    )
    if bias is not None:
        (aware,) = [each for each in findings.judge_aware if each.judge == number]
        c = {name: getattr(aware, name) for name in ("discrimination", "sd_of_discrimination")}
        bias = bias._replace(**c)
    return {
        "skill": findings.skill.get(number),
        "agreement_with_people": _by_people(number, findings),
        "agreement": _agreement(pairs, agreeing),
        "same_order": schemas.Agreement(**repeats.same_order._asdict()),
        "swapped": schemas.Agreement(**repeats.swapped._asdict()),
        "position_bias": None if bias is None else present_bias(bias),
        "judge_effects": None if judge_effects is None else present_judge_effects(judge_effects, keys),
        "relative_discrimination": None if discrimination is None else present_discrimination(discrimination),
        "influence": None if influence is None else schemas.Influence(**influence._asdict()),
    }


def _by_people(number: int, findings: Findings) -> schemas.Rightness | None:
    """The agreement of a judge with people, who are none of the judges weighed."""
    labels, (places,) = findings.group.labels, np.nonzero(findings.weighed == number)
    by_people = labels.judges[int(places[0])] if labels is not None and len(places) else None
    return None if by_people is None else _rightness(by_people)


def _rightness(rightness: Accuracy) -> schemas.Rightness:
    return schemas.Rightness(pairs=rightness.items, share=rightness.share, interval=rightness.interval)


def _people(names: Sequence[str], catalogue: Catalogue, weighed: WeighedJudges) -> schemas.People:
    findings, are_all_people = weighed.findings, weighed.conditions.people.issuperset(weighed.judges.tolist())
    group, votes, judges = findings.group, findings.pair_votes, [names[number] for number in findings.weighed]
    labels = group.labels
    return schemas.People(
        summary=ONLY_PEOPLE if are_all_people else about_labels(labels, judges),
        pairs=0 if labels is None else labels.items,
        among_themselves=_rightness(labels.among_people) if labels is not None and labels.among_people else None,
        ways={} if labels is None else {way: _rightness(each) for way, each in labels.ways.items()},
        judge_next=[
            schemas.UnjudgedPair(
                item=catalogue.items[int(votes.item[row])][0] or None,
                first=catalogue.keys[int(votes.low[row])],
                second=catalogue.keys[int(votes.high[row])],
            )
            for row in group.to_label
        ],
    )


def present_discrimination(discrimination: Discrimination) -> schemas.RelativeDiscrimination:
    _, *columns = discrimination
    return schemas.RelativeDiscrimination.model_validate(dict(zip(Discrimination._fields[1:], columns, strict=True)))


def _agreement(pairs: int, agreeing: int) -> schemas.Agreement:
    return schemas.Agreement(pairs=pairs, share=agreeing / pairs if pairs else None)


def _drawn(votes: PairVotes, overlap: Overlap | None) -> Floats:
    """(M, J) directions of the votes on the pairs that are drawn for overlap; on all where there is none."""
    return votes.direction if overlap is None else votes.direction[drawn(overlap, votes.item, votes.low, votes.high)]


def _verdicts(catalogue: Catalogue, findings: Findings) -> list[schemas.GroupVerdict]:
    votes = findings.pair_votes
    judges = (~np.isnan(votes.p)).sum(axis=1)
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


def _warnings(method: AggregationName, rows: Sequence[Record], findings: Findings) -> list[str]:
    """Problems of judges, by number in `rows`; that others disagree with people is no fault of theirs."""
    group, names = findings.group, [row.name for row in rows]
    people = {number for number, row in enumerate(rows) if row.kind == "human"}
    references = people | (set(range(len(rows))) - set(findings.weighed.tolist()))
    spared = references | findings.confirmed | {int(findings.weighed[doubt.judge]) for doubt in group.doubts}
    sentences = {}
    for discrimination in findings.discriminations.values():
        if is_to_blame(discrimination, is_right=discrimination.judge in spared):
            sentences[discrimination.judge] = named_for(discrimination, names[discrimination.judge])
    for bias in findings.judge_aware:
        if bias.is_against and bias.judge not in spared:
            sentences.setdefault(bias.judge, f"{names[bias.judge]}: {INVERTED}")
    return [*warnings(group, method, [names[number] for number in findings.weighed]), *sentences.values()]


def is_to_blame(discrimination: Discrimination, *, is_right: bool) -> bool:
    """Whether the judge is named for something, other than that judges disagree with people, or whom people confirm."""
    return discrimination.named == "changed" if is_right else discrimination.named is not None
