"""How many comparisons each way of choosing pairs needs, of judges of every manner."""

from collections.abc import Mapping
from math import ceil

from app.inference.choosing import Criterion
from app.offline.ranking import RankingMethod
from app.offline.simulation import Way
from app.offline.tournaments import Tournament
from benchmarks.studies.methods import figures, measuring
from benchmarks.studies.methods.data import SUMMEVAL, VICUNA, VICUNA_PEOPLE, DataSet
from benchmarks.studies.methods.markdown import command, estimate, figure, in_hundredths, signed, table, verdict
from benchmarks.studies.methods.measuring import (
    CONSISTENT,
    JUDGES,
    NOISIER,
    NOISY,
    Campaign,
    Estimate,
    Judge,
    Measured,
    Plan,
)

WAYS: tuple[Way, ...] = (*Criterion, *Tournament)
DRAWN: tuple[Way, ...] = (Criterion.REORDERING, Criterion.EXPONENT, Criterion.RANDOM, *Tournament)
EVIDENCE: Mapping[str, RankingMethod] = {
    "one vote": RankingMethod("soft-bt"),
    "learnt": RankingMethod("soft-bt", evidence="learnt"),
}
TODAY, DEFAULT = "one vote", "learnt"
SHARE, TARGETS = 0.2, (0.9, 0.95)
MOST = 8.5  # comparisons to 90% on SummEval, by the default with a consistent judge


def write(data: DataSet, campaign: Campaign) -> str:
    judges = (CONSISTENT,) if data is VICUNA else JUDGES
    measured = {judge: _by_evidence(campaign, data, judge) for judge in judges}
    first = next(iter(measured[CONSISTENT].values()))
    cases = max(curves.cases for curves in first.values())
    pairs = measuring.ordered_pairs(first)
    parts = [
        f"## {data.title}",
        f"{len(first)} parts of up to {cases} documents, N(N-1) = {pairs:.0f}; the full set gives "
        f"{in_hundredths(measuring.full(first))} (Spearman x 100).",
        *_targets(data, measured),
        _draw(data, campaign, measured),
        *(_of_judge(judge, by_evidence) for judge, by_evidence in measured.items()),
        f"**Consistent, by part** (comparisons to 90%, {DEFAULT})\n\n{_by_part(measured[CONSISTENT][DEFAULT])}",
        f"**Against `reordering`** (comparisons to 90% that it takes more, {DEFAULT})\n\n{_against(measured)}",
        _commands(data),
    ]
    return "\n\n".join(parts)


def _by_evidence(campaign: Campaign, data: DataSet, judge: Judge) -> Mapping[str, Measured]:
    documents = campaign.size.documents if judge is CONSISTENT else campaign.size.some_documents
    return {
        name: measuring.measure(
            campaign, data, Plan(WAYS, judge, method, limit=_limit(data, judge), pooled=True), documents
        )
        for name, method in EVIDENCE.items()
    }


def _limit(data: DataSet, judge: Judge) -> float:
    """All pairs once, where that is needed and does not take long."""
    return 0.3 if data.title in ("SummEval", "HANNA by prompt") and not judge.noise else 0.5


def _of_judge(judge: Judge, by_evidence: Mapping[str, Measured]) -> str:
    share = ceil(SHARE * measuring.ordered_pairs(next(iter(by_evidence.values()))))
    header = ["pairs by"]
    header += [f"{target:.0%}, {name}" for target in TARGETS for name in by_evidence]
    header += [f"after {share}, {name}" for name in by_evidence]
    rows = [
        [
            way,
            *(estimate(measuring.cost(each, way, target)) for target in TARGETS for each in by_evidence.values()),
            *(in_hundredths(measuring.reached(each, way, share)) for each in by_evidence.values()),
        ]
        for way in WAYS
    ]
    return f"**Judge: {judge.name}**\n\n{table(header, rows)}"


def _by_part(measured: Measured) -> str:
    parts = [{part: curves} for part, curves in measured.items()]
    rows = [[way, *(estimate(measuring.cost(part, way, TARGETS[0])) for part in parts)] for way in WAYS]
    return table(["pairs by", *measured], rows)


def _against(measured: Mapping[Judge, Mapping[str, Measured]]) -> str:
    ways = [way for way in WAYS if way is not Criterion.REORDERING]
    rows = [
        [
            judge.name,
            *(
                signed(measuring.saving(each[DEFAULT], way, each[DEFAULT], Criterion.REORDERING, TARGETS[0]))
                for way in ways
            ),
        ]
        for judge, each in measured.items()
    ]
    return table(["judge", *ways], rows)


def _targets(data: DataSet, measured: Mapping[Judge, Mapping[str, Measured]]) -> list[str]:
    rows = [
        _never_worse(judge, measured[judge]) for judge in (NOISY, NOISIER) if judge in measured and TODAY != DEFAULT
    ]
    if data is SUMMEVAL:
        rows = [*_within(measured[CONSISTENT][DEFAULT]), *rows]
    return [table(["target", "measured", ""], rows)] if rows else []


def _within(measured: Measured) -> list[list[str]]:
    target = f"consistent judge: 90% of the full set within {MOST} comparisons"
    best = min((way for way in WAYS if isinstance(way, Criterion)), key=lambda way: measuring.cost(measured, way, 0.9))
    needed = {way: measuring.cost(measured, way, 0.9) for way in (Criterion.REORDERING, best)}
    return [[target, f"{way}: {estimate(of)}", verdict(of.value <= MOST)] for way, of in needed.items()]


def _never_worse(judge: Judge, by_evidence: Mapping[str, Measured]) -> list[str]:
    now, today = by_evidence[DEFAULT], by_evidence[TODAY]
    saved: Estimate = measuring.saving(now, Criterion.REORDERING, today, Criterion.REORDERING, TARGETS[0])
    text = f"{signed(saved)} comparisons saved by `{DEFAULT}`"
    return [f"{judge.name}: not worse than {TODAY} beyond one error", text, verdict(saved.value >= -saved.error)]


def _draw(data: DataSet, campaign: Campaign, measured: Mapping[Judge, Mapping[str, Measured]]) -> str:
    shown = [judge for judge in (CONSISTENT, NOISIER) if judge in measured]
    panels = {
        f"{judge.name}, {name}": {str(way): measuring.band(each, way) for way in DRAWN}
        for judge in shown
        for name, each in measured[judge].items()
    }
    level = measuring.full(measured[CONSISTENT][TODAY]).value
    name = f"efficiency-{data.folder.replace('prd_', '')}"
    figures.line_chart(name, campaign.figures, panels, dict.fromkeys(panels, level), columns=2)
    caption = f"{data.title}: mean over parts; bands are one standard error; the grey line is the full set"
    return figure(name, caption)


def _commands(data: DataSet) -> str:
    ways = " ".join(f"--criterion {way}" for way in ("all", *Tournament))
    part = data.parts[0]
    lines = [f"nextpair simulate {data.command.format(part=part)} --seeds 1 {ways}"]
    if data is VICUNA:
        return "\n\n".join(["A column of the tables:", command(VICUNA_PEOPLE, *lines)])
    options = ", ".join(f"`{judge.command.strip()}`" for judge in JUDGES if judge.command)
    return f"A column of the tables; with {options} for the other judges:\n\n{command(*lines)}"
