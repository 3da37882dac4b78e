"""The sections of docs/benchmarks.md: measure, draw, write."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from app.inference.choosing.selection import Criterion
from app.inference.types import Floats
from app.offline.simulation import Curves
from app.offline.tournaments import Tournament
from benchmarks.studies.methods import acceptance, curves, data, efficiency, experts, figures, large, position_bias
from benchmarks.studies.methods.commentary import ABSOLUTE, BIAS, COUNTS, EXPERTS, LARGE, REVIEWERS, TRIED
from benchmarks.studies.methods.curves import Band, Measured, band, band_of, full
from benchmarks.studies.methods.efficiency import Study
from benchmarks.studies.methods.large import Large
from benchmarks.studies.methods.markdown import figure, mean_and_sd, number, percent, table
from benchmarks.studies.methods.page import Campaign, Section, Write
from benchmarks.studies.methods.position_bias import BiasStudy, Reviewer

MARKS = (0.0, 0.04, 0.07, 0.1, 0.14, 0.18, 0.22, 0.29, 0.36, 0.5, 0.72, 1.0)  # of the last K
ORDER = (Criterion.DETERMINANT, Criterion.REORDERING, Criterion.EXPONENT, Criterion.VARIANCE, Criterion.RANDOM)
STUDIES = {"summeval": efficiency.summeval, "topicalchat": efficiency.topicalchat, "prd_vicuna80": efficiency.vicuna}


def study_of(campaign: Campaign, name: str) -> Study:
    return campaign.measured(name, STUDIES[name])


def efficiency_section(name: str, campaign: Campaign) -> Section:
    study = study_of(campaign, name)
    slug = study.title.lower()
    by_criterion: dict[str, Band] = {criterion: band(study.compared, criterion) for criterion in ORDER}
    by_method: dict[str, Band] = {
        method: band(measured, Criterion.REORDERING) for method, measured in study.methods.items()
    }
    fulls = [_level(study.compared), _level(study.methods["soft-bt"])]
    panels: dict[str, Mapping[str, Band]] = {
        "Criteria (soft-bt)": by_criterion,
        "Methods (asked by reordering)": by_method,
    }
    figures.line_chart(f"efficiency-{slug}", campaign.figures, panels, dict(zip(panels, fulls, strict=True)))
    caption = f"{study.title}: mean over dimensions or judges; bands are one standard deviation over those and seeds"
    sizes = f"Left: {_sample(study.compared)}. Right and below: {_sample(study.methods['soft-bt'])}."
    text = f"## {study.title}\n\n{figure(f'efficiency-{slug}', caption)}\n\n{sizes}\n\n{_methods(study)}"
    return Section(text, _targets(study))


def _level(measured: Measured) -> float:
    return float(np.mean(list(full(measured).values())))


def _sample(measured: Measured) -> str:
    curve = next(iter(measured.values()))
    seeds = len(curve.agreement[Criterion.REORDERING])
    cases = max(each.cases for each in measured.values())
    return f"{len(measured)} dimensions or judges, up to {cases} documents each, {seeds} seed{'s' * (seeds > 1)}"


def _targets(study: Study) -> list[acceptance.Line]:
    lines = {"SummEval": acceptance.of_summeval, "TopicalChat": acceptance.of_topicalchat}
    return [lines[study.title](study)] if study.title in lines else []


def _methods(study: Study) -> str:
    levels = full(study.methods["soft-bt"])
    rows = [
        [
            method,
            number(_level(measured), 3),
            number(_needed(measured, levels)),
        ]
        for method, measured in study.methods.items()
    ]
    return table(["method, asked by reordering", "full set", "comparisons to 90% of soft-bt's full set"], rows)


def counts_section(campaign: Campaign) -> Section:
    summeval, topicalchat, vicuna = (study_of(campaign, name).compared for name in STUDIES)
    more = campaign.measured("other judges", efficiency.other_judges)
    both = campaign.measured("vicuna both orders", efficiency.vicuna_debiased)
    sets = {"SummEval, T = 1": summeval, **more, "TopicalChat": topicalchat}
    sets |= {"Vicuna, balanced order": vicuna, "Vicuna, both orders": both}
    tables = "\n\n".join(f"**{title}** {_size(compared)}\n\n{_counts(compared)}" for title, compared in sets.items())
    return Section(f"{COUNTS}\n\n{tables}")


def _size(measured: Measured) -> str:
    curve = next(iter(measured.values()))
    seeds = len(curve.agreement[Criterion.RANDOM])
    return f"({seeds} seed{'s' * (seeds > 1)}, N(N-1) = {curves.ordered_pairs(measured):.0f})"


def _counts(compared: Measured) -> str:
    counts: dict[str, Floats] = {way: curves.needed(compared, way) for way in (*ORDER, *Tournament)}
    header = ["criterion", *compared, "mean", "of N(N-1)", "of random"]
    return table(header, [_count_row(name, counts, compared) for name in counts])


def _count_row(name: str, counts: Mapping[str, Floats], measured: Measured) -> list[str]:
    mean, share = float(counts[name].mean()), percent(curves.share(counts[name], measured))
    of_random = percent(mean / float(counts[Criterion.RANDOM].mean()))
    return [name, *map(mean_and_sd, counts[name]), number(mean), share, of_random]


def experts_section(campaign: Campaign) -> Section:
    rows = campaign.measured("experts", experts.measure)
    both = campaign.measured("absolute", experts.combined)
    blocks = "\n\n".join(_block(source, rows) for source in dict.fromkeys(row.source for row in rows))
    added = "\n\n".join(_block(source, both) for source in dict.fromkeys(row.source for row in both))
    return Section(f"{EXPERTS}\n\n{blocks}\n\n{ABSOLUTE}\n\n{added}")


def _block(source: str, rows: Sequence[experts.TableRow]) -> str:
    mine = [row for row in rows if row.source == source]
    parts = list(mine[0].spearman)
    header = ["method", *(f"ρ {part}" for part in parts), "**ρ**", *(f"AUROC {part}" for part in parts), "**AUROC**"]
    return f"**{source}**\n\n{table(header, [[row.method, *_marks(row.spearman), *_marks(row.auroc)] for row in mine])}"


def _marks(values: Mapping[str, float]) -> list[str]:
    each = [number(100.0 * value) for value in values.values()]
    return [*each, f"**{number(100.0 * float(np.mean(list(values.values()))))}**"]


def bias_section(campaign: Campaign) -> Section:
    fair = full(study_of(campaign, "summeval").compared)
    study = campaign.measured("bias summeval", position_bias.summeval, fair)
    panels = {
        "SummEval, bias of 1": {name: band(measured, Criterion.REORDERING) for name, measured in study.treated.items()}
    }
    level = float(np.mean(list(study.fair_some.values())))
    figures.line_chart("bias-summeval", campaign.figures, panels, dict.fromkeys(panels, level))
    caption = (
        "SummEval with 1 added to the judge's logits; pairs chosen by reordering; the grey line is the judge without"
    )
    return Section(f"{BIAS}\n\n{figure('bias-summeval', caption)}\n\n{_treated(study)}", acceptance.of_bias(study))


def _treated(study: BiasStudy) -> str:
    rows = [
        [name, number(_needed(measured, study.fair_some)), number(_last(measured.values()), 3)]
        for name, measured in study.treated.items()
    ]
    return table(["what is done about it", "judge calls to 90% of the unbiased full set", "Spearman at the end"], rows)


def _needed(measured: Measured, levels: Mapping[str, float]) -> float:
    return float(curves.needed(measured, Criterion.REORDERING, levels).mean())


def _last(parts: Iterable[Curves]) -> float:
    return float(np.mean([part.mean(Criterion.REORDERING)[:, -1].mean() for part in parts]))


def reviewers_section(campaign: Campaign) -> Section:
    reviewers = campaign.measured("bias vicuna", position_bias.vicuna)
    at_end = {
        judge: {name: _last([curves]) for name, curves in reviewer.treated.items()}
        for judge, reviewer in reviewers.items()
    }
    figures.bar_chart("bias-vicuna", campaign.figures, at_end, figures.AGREEMENT)
    caption = (
        "Vicuna: agreement with people once every pair was asked; in both orders for the last bar, in one otherwise"
    )
    rows = [_reviewer(judge, reviewer) for judge, reviewer in reviewers.items()]
    header = ["judge", "bias", *(name for name in next(iter(reviewers.values())).treated)]
    return Section(f"{figure('bias-vicuna', caption)}\n\n{table(header, rows)}\n\n{REVIEWERS}")


def _reviewer(judge: str, reviewer: Reviewer) -> list[str]:
    delta = f"{reviewer.delta.delta:+.2f} ± {reviewer.delta.sd:.2f}"
    return [judge, delta, *(number(_last([curves]), 3) for curves in reviewer.treated.values())]


def large_section(campaign: Campaign) -> Section:
    limit = int(campaign.size.share * _ordered_pairs(campaign))
    plans = [large.BatchPlan(batch, limit, campaign.size.hanna_seeds, large.BATCHED) for batch in campaign.size.batches]
    plans += [
        large.BatchPlan(batch, limit, campaign.size.hanna_hard_seeds, large.BATCHED_HARD, hard=True)
        for batch in campaign.size.batches
    ]
    batched = [large.measure(campaign.datasets, campaign.size, plan, campaign.checkpoints) for plan in plans]
    one = large.BatchPlan(1, campaign.size.single, 1, large.SINGLE)
    alone = large.measure(
        campaign.datasets, campaign.size._replace(hanna=campaign.size.hanna[:1]), one, campaign.checkpoints
    )
    panels = {
        _title(each): {
            name: band_of(list(runs), each.full.tolist(), each.comparisons) for name, runs in each.curves.items()
        }
        for each in [*batched, alone]
    }
    levels = {_title(each): float(each.full.mean()) for each in [*batched, alone]}
    figures.line_chart("efficiency-hanna", campaign.figures, panels, levels)
    caption = "HANNA, N = 1,056: the mean over dimensions; the grey line is the judge's own scores"
    text = f"{LARGE}\n\n{figure('efficiency-hanna', caption)}\n\n" + "\n\n".join(map(_margins, [*batched, alone]))
    return Section(f"{text}\n\n{TRIED}", [line for each in batched for line in acceptance.of_large(each)])


def _ordered_pairs(campaign: Campaign) -> int:
    n = campaign.size.stories or len(data.hanna(campaign.datasets, campaign.size.hanna[0]).truth)
    return n * (n - 1)


def _title(study: Large) -> str:
    title = "one at a time" if study.batch == 1 else f"batches of {study.batch}"
    return f"{title}, hard verdicts" if study.hard else title


def _margins(study: Large) -> str:
    """Tabulate the curves at some K."""
    marks = np.unique(np.searchsorted(study.comparisons, study.comparisons[-1] * np.array(MARKS)))
    rows = [[name, *(number(float(value), 3) for value in study.mean(name)[marks])] for name in study.curves]
    dimensions, seeds = next(iter(study.curves.values())).shape[:2]
    sizes = f"dimensions: {dimensions}, seeds each: {seeds}; all: {study.full.mean():.3f}"
    title = f"**{_title(study).capitalize()}** ({sizes})"
    return f"{title}\n\n{table(['K', *(f'{study.comparisons[mark]:.0f}' for mark in marks)], rows)}"


ALL: tuple[tuple[tuple[str, ...], Write], ...] = (
    (("summeval",), partial(efficiency_section, "summeval")),
    (("topicalchat",), partial(efficiency_section, "topicalchat")),
    (("prd_vicuna80",), partial(efficiency_section, "prd_vicuna80")),
    (("summeval", "topicalchat", "prd_vicuna80"), counts_section),
    (("summeval",), experts_section),
    (("summeval",), bias_section),
    (("prd_vicuna80",), reviewers_section),
    (("hanna",), large_section),
)
