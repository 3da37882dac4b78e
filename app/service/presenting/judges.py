"""Judges: each as it was described, and all of a set as their verdicts have been weighed."""

from collections.abc import Sequence
from uuid import UUID

from nextpair import schemas
from nextpair.words import AggregationName

from app.analysis.judges import MOST_LISTED, present_agreements, present_alpha
from app.analysis.ranking import present_convergence
from app.inference.choosing import Overlap, drawn
from app.inference.judges import Findings, PairVotes, on_pairs
from app.inference.state import Catalogue
from app.sentences.judges import ONLY_PEOPLE, sentences_about_labels, warnings
from app.service.presenting.judge_cards import Blamed, JudgeRecords, blamed_judges, present_cards, present_rightness
from app.service.weighing import WeighedJudges
from app.storage.schema import Record


def present_judge(row: Record) -> schemas.JudgeOut:
    return schemas.JudgeOut(
        name=row.name, kind=row.kind, model=row.model, configuration=row.configuration,
        cost_per_1000=row.cost_per_1000, repeats=row.repeats, created_at=row.created_at,
    )  # fmt: skip


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
            *_warnings(method, names, findings, blamed_judges(weighed, records)),
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
    return votes if overlap is None else on_pairs(votes, drawn(overlap, votes.item, votes.low, votes.high))


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


def _warnings(method: AggregationName, names: Sequence[str], findings: Findings, blamed: Blamed) -> list[str]:
    """Problems of judges, by number in `names`; that others disagree with people is no fault of theirs."""
    of_group = warnings(findings.group, method, [names[number] for number in findings.weighed])
    return [*of_group, *(sentence for _, sentence in blamed.values())]
