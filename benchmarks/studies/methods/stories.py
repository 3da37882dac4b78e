"""HANNA's 1,056 stories as one set, in batches of 100 (GPM 6.3)."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np

from app.inference.choosing import Criterion
from app.inference.types import Floats
from app.offline.cases import Case
from app.offline.simulation import Way
from app.offline.tournaments import Tournament
from benchmarks.studies.methods import figures, measuring
from benchmarks.studies.methods.criteria import DEFAULT, EVIDENCE
from benchmarks.studies.methods.data import STORIES, all_stories
from benchmarks.studies.methods.markdown import command, figure, number, table, verdict
from benchmarks.studies.methods.measuring import CONSISTENT, NOISIER, Band, Campaign, Measured, MeasuringPlan

JUDGES = (CONSISTENT, NOISIER)
OURS = (Criterion.KNOWLEDGE, Criterion.REORDERING)
WAYS: tuple[Way, ...] = (*OURS, Criterion.RANDOM, Tournament.ROUND_ROBIN)
BATCH, SEEDS, MARKS = 100, 3, (200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000)
FROM, AT, LEAST = 300, 1600, 0.93  # comparisons, comparisons, share of the full Spearman

TEXT = """\
## HANNA as one set

All 1,056 stories are one set, asked in batches of 100. Shares of the full Spearman correlation: the mean over
dimensions and three seeds, and its standard error over the dimensions."""


def write(campaign: Campaign) -> str:
    load, parts = partial(first_stories, campaign.size.stories), STORIES.parts[: campaign.size.batched_parts]
    source = STORIES._replace(load=load, parts=parts)
    (case,) = source.cases(campaign.datasets, source.parts[0], 1)
    limit = campaign.size.batched / case.ordered_pairs
    measured = {
        (judge, name): measuring.measure(
            campaign, source, MeasuringPlan(WAYS, judge, method, limit=limit, seeds=SEEDS, batch=BATCH), 1
        )
        for judge in JUDGES
        for name, method in EVIDENCE.items()
    }
    shares = {key: {way: _share(of, way) for way in WAYS} for key, of in measured.items()}
    panels = {
        f"{judge.name}, {name}": {str(way): _band(share) for way, share in by_way.items()}
        for (judge, name), by_way in shares.items()
    }
    figures.line_chart(
        "efficiency-stories", campaign.figures, panels, {}, 2, (figures.COMPARISONS, "share of the full Spearman")
    )
    caption = "HANNA, 1,056 stories: mean over dimensions; bands are one standard error"
    tables = [f"**{judge.name}, {name}**\n\n{_table(by_way)}" for (judge, name), by_way in shares.items()]
    line = (
        f"nextpair simulate {source.command.format(part='RE')} --seeds 3 --limit-fraction 0.0018 --criterion knowledge"
    )
    targets = table(["target", "measured", ""], _targets(shares[CONSISTENT, DEFAULT]))
    return "\n\n".join([TEXT, targets, figure("efficiency-stories", caption), *tables, command(line)])


def first_stories(count: int | None, folder: Path, dimension: str) -> list[Case]:
    (case,) = all_stories(folder, dimension)
    return [case._replace(keys=case.keys[:count], truth=case.truth[:count], offered=case.offered[:count, :count])]


def _share(measured: Measured, way: Way) -> Floats:
    """(parts, K) share of the full Spearman, after each batch."""
    return np.array([curves.mean(way).mean(axis=0)[BATCH - 1 :: BATCH] / curves.full for curves in measured.values()])


def _band(share: Floats) -> Band:
    error = share.std(axis=0, ddof=min(1, len(share) - 1)) / np.sqrt(len(share))
    return Band(BATCH * np.arange(1.0, share.shape[1] + 1.0), share.mean(axis=0), np.asarray(error, np.float64))


def _table(by_way: Mapping[Way, Floats]) -> str:
    last = BATCH * next(iter(by_way.values())).shape[1]
    marks = [mark for mark in MARKS if mark <= last]
    rows = []
    for way, share in by_way.items():
        band = _band(share)
        at = [mark // BATCH - 1 for mark in marks]
        rows.append([way, *(f"{number(band.mean[k], 3)} ± {number(band.error[k], 3)}" for k in at)])
    return table(["K", *map(str, marks)], rows)


def _targets(by_way: Mapping[Way, Floats]) -> list[list[str]]:
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
