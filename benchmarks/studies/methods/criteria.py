"""Comparisons that each way of choosing pairs needs, for judges of every kind."""

from collections.abc import Mapping, Sequence
from math import ceil

from app.inference.choosing import Criterion
from app.offline.ranking import RankingMethod
from app.offline.simulation import Way
from app.offline.tournaments import Tournament
from benchmarks.studies.methods import figures, measuring
from benchmarks.studies.methods.data import SUMMEVAL, TOPICALCHAT, VICUNA, VICUNA_PEOPLE, DataSet
from benchmarks.studies.methods.markdown import command, estimate, figure, in_hundredths, signed, table, verdict
from benchmarks.studies.methods.measuring import (
    CONSISTENT,
    JUDGES,
    NOISIER,
    NOISY,
    Campaign,
    Estimate,
    JudgeFile,
    Measured,
    MeasuringPlan,
)

WAYS: tuple[Way, ...] = (*Criterion, *Tournament)
SOME: tuple[Way, ...] = (  # where the judge is not the consistent one
    Criterion.REORDERING,
    Criterion.EXPONENT,
    Criterion.KNOWLEDGE,
    Criterion.RANDOM,
    Tournament.ROUND_ROBIN,
)
DRAWN: tuple[Way, ...] = SOME
ALONE: tuple[Way, ...] = (Criterion.KNOWLEDGE, Tournament.ROUND_ROBIN, Criterion.RANDOM)
EVIDENCE: Mapping[str, RankingMethod] = {
    "one vote": RankingMethod("soft-bt"),
    "learnt": RankingMethod("soft-bt", verdict_weight="learnt"),
}
JUDGES_OF = {SUMMEVAL.title: JUDGES, VICUNA.title: (CONSISTENT,)}
BEFORE, DEFAULT = "one vote", "learnt"
OLD, NEW = Criterion.REORDERING, Criterion.KNOWLEDGE  # the default, before decision 40 and since
SHARE, TARGETS = 0.2, (0.9, 0.95)
LEVELS = (*TARGETS, 0.98)
CANDIDATES = (Criterion.REORDERING, Criterion.EXPONENT, Criterion.KNOWLEDGE)  # for the default
MOST = 8.5  # comparisons to 90% on SummEval, by the default with a consistent judge


def write(data: DataSet, campaign: Campaign) -> str:
    judges = JUDGES_OF.get(data.title, (CONSISTENT, NOISIER))
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
        *([_alone(data, campaign)] if data in (SUMMEVAL, TOPICALCHAT) else []),
        f"**Against `reordering`** ({DEFAULT}; Spearman x 100)\n\n{_against(measured)}",
        _commands(data),
    ]
    return "\n\n".join(parts)


def _by_evidence(campaign: Campaign, data: DataSet, judge: JudgeFile) -> Mapping[str, Measured]:
    plan = MeasuringPlan(_ways(judge), judge, limit=_limit(data, judge), pooled=True)
    return {name: measuring.measure(campaign, data, plan._replace(method=method)) for name, method in EVIDENCE.items()}


def _ways(judge: JudgeFile) -> tuple[Way, ...]:
    return WAYS if judge is CONSISTENT else SOME


def _limit(data: DataSet, judge: JudgeFile) -> float:
    """All pairs once, where that is needed and does not take long."""
    return 0.3 if data.title in ("SummEval", "HANNA by prompt") and not judge.noise else 0.5


def _of_judge(judge: JudgeFile, by_evidence: Mapping[str, Measured]) -> str:
    share = _share(next(iter(by_evidence.values())))
    header = ["pairs by"]
    header += [f"{target:.0%}, {name}" for target in TARGETS for name in by_evidence]
    header += [f"after {share}, {name}" for name in by_evidence]
    rows = [
        [
            way,
            *(estimate(measuring.cost(each, way, target)) for target in TARGETS for each in by_evidence.values()),
            *(in_hundredths(measuring.reached(each, way, share)) for each in by_evidence.values()),
        ]
        for way in _ways(judge)
    ]
    return f"**JudgeFile: {judge.name}**\n\n{table(header, rows)}"


def _by_part(measured: Measured) -> str:
    parts = [{part: curves} for part, curves in measured.items()]
    rows = [[way, *(estimate(measuring.cost(part, way, TARGETS[0])) for part in parts)] for way in WAYS]
    return table(["pairs by", *measured], rows)


def _alone(data: DataSet, campaign: Campaign) -> str:
    """What a set costs that has no pool to learn from."""
    plan = MeasuringPlan(ALONE, method=EVIDENCE[DEFAULT], limit=_limit(data, CONSISTENT))
    measured = measuring.measure(campaign, data, plan)
    parts = {"all parts": measured} | {part: {part: curves} for part, curves in measured.items()}
    header = ["pairs by", "share", *parts]
    rows = [
        [way, f"{share:.0%}", *(estimate(measuring.cost(part, way, share)) for part in parts.values())]
        for way in ALONE
        for share in LEVELS
    ]
    title = f"**Consistent, a lone set** (comparisons to a share of the full set, {DEFAULT} on each document by itself)"
    return f"{title}\n\n{table(header, rows)}"


def _against(measured: Mapping[JudgeFile, Mapping[str, Measured]]) -> str:
    """Cost and mean lead, side by side: the latter has smaller errors."""
    ways = [way for way in SOME if way is not OLD]
    rows = [
        [judge.name, what, *cells] for judge, each in measured.items() for what, cells in _margins(each[DEFAULT], ways)
    ]
    return table(["judge", "", *ways], rows)


def _margins(measured: Measured, ways: Sequence[Way]) -> list[tuple[str, list[str]]]:
    share = _share(measured)
    saved = [measuring.saving(measured, way, measured, OLD, TARGETS[0]) for way in ways]
    leads = [measuring.lead(measured, way, measured, OLD, share) for way in ways]
    return [
        ("comparisons to 90% saved", [signed(each) for each in saved]),
        (f"lead, mean of the first {share}", [_signed_in_hundredths(each) for each in leads]),
    ]


def _share(measured: Measured) -> int:
    return ceil(SHARE * measuring.ordered_pairs(measured))


def _signed_in_hundredths(of: Estimate) -> str:
    return f"{100 * of.value:+.2f} ± {100 * of.error:.2f}"


def _targets(data: DataSet, measured: Mapping[JudgeFile, Mapping[str, Measured]]) -> list[str]:
    rows = [row for judge in (NOISY, NOISIER) if judge in measured for row in _never_worse(judge, measured[judge])]
    if data is SUMMEVAL:
        rows = [*_within(measured[CONSISTENT][DEFAULT]), *rows]
    return [table(["target", "measured", ""], rows)] if rows else []


def _within(measured: Measured) -> list[list[str]]:
    target = f"consistent judge: 90% of the full set within {MOST} comparisons"
    needed = {way: measuring.cost(measured, way, TARGETS[0]) for way in CANDIDATES}
    return [[target, f"{way}: {estimate(of)}", verdict(of.value <= MOST)] for way, of in needed.items()]


def _never_worse(judge: JudgeFile, by_evidence: Mapping[str, Measured]) -> list[list[str]]:
    now, before = by_evidence[DEFAULT], by_evidence[BEFORE]
    saved = measuring.saving(now, NEW, before, OLD, TARGETS[0])
    lead = measuring.lead(now, NEW, before, OLD, _share(now))
    target = f"{judge.name}: `{NEW}`, {DEFAULT}, not worse than `{OLD}`, {BEFORE}, beyond one error"
    return [
        [target, f"{signed(saved)} comparisons to 90% saved", verdict(saved.value >= -saved.error)],
        [target, f"{_signed_in_hundredths(lead)} lead, mean of the first 20%", verdict(lead.value >= -lead.error)],
    ]


def _draw(data: DataSet, campaign: Campaign, measured: Mapping[JudgeFile, Mapping[str, Measured]]) -> str:
    shown = [judge for judge in (CONSISTENT, NOISIER) if judge in measured]
    panels = {
        f"{judge.name}, {name}": {str(way): measuring.band(each, way) for way in DRAWN}
        for judge in shown
        for name, each in measured[judge].items()
    }
    level = measuring.full(measured[CONSISTENT][BEFORE]).value
    name = f"efficiency-{data.folder.replace('prd_', '')}"
    figures.line_chart(name, campaign.figures, panels, dict.fromkeys(panels, level), columns=2)
    caption = f"{data.title}: mean over parts; bands are one standard error; the grey line is the full set"
    return figure(name, caption)


def _commands(data: DataSet) -> str:
    ways = " ".join(f"--criterion {way}" for way in ("all", *Tournament))
    part = data.parts[0]
    lines = [
        f"nextpair simulate {data.command.format(part=part)} --seeds 1 {ways} {evidence}"
        for evidence in ("--verdict-weight one-vote", "--pooled")
    ]
    if data is VICUNA:
        return "\n\n".join(["Two columns of the tables:", command(VICUNA_PEOPLE, *lines)])
    options = ", ".join(
        f"`{judge.command.strip()}`" for judge in JUDGES_OF.get(data.title, (NOISIER,)) if judge.command
    )
    return f"Two columns of the tables; with {options} for the other judges:\n\n{command(*lines)}"
