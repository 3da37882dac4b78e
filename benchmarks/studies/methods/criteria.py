"""Comparisons that each way of choosing pairs needs, for all kinds of judges; HANNA as one set in batches (GPM 6.3)."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil
from pathlib import Path

import numpy as np

from app.inference.choosing import Criterion
from app.inference.types import Floats
from app.offline.cases import Case
from app.offline.ranking import RankingMethod
from app.offline.simulation import Way
from app.offline.tournaments import Tournament
from benchmarks.pages import command, figure, number, table, verdict
from benchmarks.studies import figures
from benchmarks.studies.data import STORIES, SUMMEVAL, TOPICALCHAT, VICUNA, VICUNA_PEOPLE, DataSet, all_stories
from benchmarks.studies.figures import Band, band_of
from benchmarks.studies.methods import measuring
from benchmarks.studies.methods.measuring import (
    CONSISTENT,
    JUDGES,
    NOISIER,
    NOISY,
    Campaign,
    JudgeFile,
    Measured,
    MeasuringPlan,
)

WAYS: tuple[Way, ...] = (*Criterion, *Tournament)
CANDIDATES = (Criterion.REORDERING, Criterion.EXPONENT, Criterion.KNOWLEDGE)  # for the default
SOME: tuple[Way, ...] = (*CANDIDATES, Criterion.RANDOM, Tournament.ROUND_ROBIN)  # of a judge who is not consistent
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
        f"{measuring.full(first).text(100)} (Spearman x 100).",
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
            *(measuring.cost(each, way, target).text() for target in TARGETS for each in by_evidence.values()),
            *(measuring.reached(each, way, share).text(100) for each in by_evidence.values()),
        ]
        for way in _ways(judge)
    ]
    return f"**JudgeFile: {judge.name}**\n\n{table(header, rows)}"


def _by_part(measured: Measured) -> str:
    parts = measuring.by_part(measured).values()
    rows = [[way, *(measuring.cost(part, way, TARGETS[0]).text() for part in parts)] for way in WAYS]
    return table(["pairs by", *measured], rows)


def _alone(data: DataSet, campaign: Campaign) -> str:
    """What a set costs that has no pool to learn from."""
    plan = MeasuringPlan(ALONE, method=EVIDENCE[DEFAULT], limit=_limit(data, CONSISTENT))
    measured = measuring.measure(campaign, data, plan)
    parts = {"all parts": measured} | measuring.by_part(measured)
    header = ["pairs by", "share", *parts]
    rows = [
        [way, f"{share:.0%}", *(measuring.cost(part, way, share).text() for part in parts.values())]
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
        ("comparisons to 90% saved", [each.text(form="+.1f") for each in saved]),
        (f"lead, mean of the first {share}", [each.text(100, "+.2f") for each in leads]),
    ]


def _share(measured: Measured) -> int:
    return ceil(SHARE * measuring.ordered_pairs(measured))


def _targets(data: DataSet, measured: Mapping[JudgeFile, Mapping[str, Measured]]) -> list[str]:
    rows = [row for judge in (NOISY, NOISIER) if judge in measured for row in _never_worse(judge, measured[judge])]
    if data is SUMMEVAL:
        rows = [*_within(measured[CONSISTENT][DEFAULT]), *rows]
    return [table(["target", "measured", ""], rows)] if rows else []


def _within(measured: Measured) -> list[list[str]]:
    target = f"consistent judge: 90% of the full set within {MOST} comparisons"
    needed = {way: measuring.cost(measured, way, TARGETS[0]) for way in CANDIDATES}
    return [[target, f"{way}: {of.text()}", verdict(of.value <= MOST)] for way, of in needed.items()]


def _never_worse(judge: JudgeFile, by_evidence: Mapping[str, Measured]) -> list[list[str]]:
    now, before = by_evidence[DEFAULT], by_evidence[BEFORE]
    saved = measuring.saving(now, NEW, before, OLD, TARGETS[0])
    lead = measuring.lead(now, NEW, before, OLD, _share(now))
    target = f"{judge.name}: `{NEW}`, {DEFAULT}, not worse than `{OLD}`, {BEFORE}, beyond one error"
    return [
        [target, f"{saved.text(form='+.1f')} comparisons to 90% saved", verdict(saved.value >= -saved.error)],
        [target, f"{lead.text(100, '+.2f')} lead, mean of the first 20%", verdict(lead.value >= -lead.error)],
    ]


def _draw(data: DataSet, campaign: Campaign, measured: Mapping[JudgeFile, Mapping[str, Measured]]) -> str:
    shown = [judge for judge in (CONSISTENT, NOISIER) if judge in measured]
    panels = {
        f"{judge.name}, {name}": {str(way): measuring.band(each, way) for way in SOME}
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


# All stories as one set

OURS = (Criterion.KNOWLEDGE, Criterion.REORDERING)
STORY_WAYS: tuple[Way, ...] = (*OURS, Criterion.RANDOM, Tournament.ROUND_ROBIN)
BATCH, SEEDS, MARKS = 100, 3, (200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000)
FROM, AT, LEAST = 300, 1600, 0.93  # comparisons, comparisons, share of the full Spearman

STORIES_TEXT = """\
## HANNA as one set

All 1,056 stories are one set, asked in batches of 100. Shares of the full Spearman correlation: the mean over
dimensions and three seeds, and its standard error over the dimensions."""


def write_stories(campaign: Campaign) -> str:
    load, parts = partial(first_stories, campaign.size.stories), STORIES.parts[: campaign.size.batched_parts]
    source = STORIES._replace(load=load, parts=parts)
    (case,) = source.cases(campaign.datasets, source.parts[0], 1)
    limit = campaign.size.batched / case.ordered_pairs
    measured = {
        (judge, name): measuring.measure(
            campaign, source, MeasuringPlan(STORY_WAYS, judge, method, limit=limit, seeds=SEEDS, batch=BATCH), 1
        )
        for judge in (CONSISTENT, NOISIER)
        for name, method in EVIDENCE.items()
    }
    shares = {key: {way: _shares(of, way) for way in STORY_WAYS} for key, of in measured.items()}
    panels = {
        f"{judge.name}, {name}": {str(way): _band(share) for way, share in by_way.items()}
        for (judge, name), by_way in shares.items()
    }
    figures.line_chart(
        "efficiency-stories", campaign.figures, panels, {}, 2, (figures.COMPARISONS, "share of the full Spearman")
    )
    caption = "HANNA, 1,056 stories: mean over dimensions; bands are one standard error"
    tables = [f"**{judge.name}, {name}**\n\n{_stories_table(by_way)}" for (judge, name), by_way in shares.items()]
    line = (
        f"nextpair simulate {source.command.format(part='RE')} --seeds 3 --limit-fraction 0.0018 --criterion knowledge"
    )
    targets = table(["target", "measured", ""], _stories_targets(shares[CONSISTENT, DEFAULT]))
    return "\n\n".join([STORIES_TEXT, targets, figure("efficiency-stories", caption), *tables, command(line)])


def first_stories(count: int | None, folder: Path, dimension: str) -> list[Case]:
    (case,) = all_stories(folder, dimension)
    return [case._replace(keys=case.keys[:count], truth=case.truth[:count], offered=case.offered[:count, :count])]


def _shares(measured: Measured, way: Way) -> Floats:
    """(parts, K) share of the full Spearman, after each batch."""
    return np.array([curves.mean(way).mean(axis=0)[BATCH - 1 :: BATCH] / curves.full for curves in measured.values()])


def _band(share: Floats) -> Band:
    return band_of(BATCH * np.arange(1.0, share.shape[1] + 1.0), share, ddof=1)


def _stories_table(by_way: Mapping[Way, Floats]) -> str:
    last = BATCH * next(iter(by_way.values())).shape[1]
    marks = [mark for mark in MARKS if mark <= last]
    rows = []
    for way, share in by_way.items():
        band = _band(share)
        at = [mark // BATCH - 1 for mark in marks]
        rows.append([way, *(f"{number(band.mean[k], 3)} ± {number(band.error[k], 3)}" for k in at)])
    return table(["K", *map(str, marks)], rows)


def _stories_targets(by_way: Mapping[Way, Floats]) -> list[list[str]]:
    random, rows = by_way[Criterion.RANDOM], []
    for way in OURS:
        ours = by_way[way]
        lead = (ours - random).mean(axis=0)[FROM // BATCH :]
        at, worst = min(AT // BATCH, ours.shape[1]) - 1, FROM + BATCH * (1 + int(lead.argmin()))
        rows += [
            [
                f"`{way}` ahead of random at every K beyond {FROM}",
                f"smallest lead {lead.min():+.3f} at K = {worst}, mean {lead.mean():+.3f}",
                verdict(bool((lead > 0.0).all())),
            ],
            [
                f"at least {LEAST} of the full Spearman at {AT}",
                f"`{way}` {ours[:, at].mean():.3f}, random {random[:, at].mean():.3f}",
                verdict(bool(ours[:, at].mean() >= LEAST)),
            ],
        ]
    return rows
