"""The sections of docs/benchmarks.md: measure, draw, write."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from app.inference.choosing.selection import Criterion
from app.inference.types import Floats
from app.offline.simulation import Curves
from benchmarks.studies.methods import acceptance, curves, data, efficiency, experts, figures, large, position_bias
from benchmarks.studies.methods.commentary import ABSOLUTE, BIAS, COUNTS, EXPERTS, LARGE, REVIEWERS, TRIED
from benchmarks.studies.methods.curves import Band, Compared, Measured, band, band_of, full
from benchmarks.studies.methods.efficiency import Study
from benchmarks.studies.methods.large import Large
from benchmarks.studies.methods.markdown import figure, mean_and_sd, number, percent, table
from benchmarks.studies.methods.page import Run, Section, Write
from benchmarks.studies.methods.position_bias import Leaning, Reviewer

MARKS = (0.0, 0.04, 0.07, 0.1, 0.14, 0.18, 0.22, 0.29, 0.36, 0.5, 0.72, 1.0)  # of the last K
ORDER = (Criterion.DETERMINANT, Criterion.REORDERING, Criterion.EXPONENT, Criterion.VARIANCE, Criterion.RANDOM)
STUDIES = {"summeval": efficiency.summeval, "topicalchat": efficiency.topicalchat, "prd_vicuna80": efficiency.vicuna}


def study_of(run: Run, name: str) -> Study:
    return run.keep(name, partial(STUDIES[name], run.folder, run.size))


def efficiency_section(name: str, run: Run) -> Section:
    study = study_of(run, name)
    slug = study.title.lower()
    by_criterion: dict[str, Band] = {criterion: band(study.compared.criteria, criterion) for criterion in ORDER}
    by_method: dict[str, Band] = {method: band(found, Criterion.REORDERING) for method, found in study.methods.items()}
    fulls = [_level(study.compared.criteria), _level(study.methods["soft-bt"])]
    panels: dict[str, Mapping[str, Band]] = {
        "Criteria (soft-bt)": by_criterion,
        "Methods (asked by reordering)": by_method,
    }
    figures.line_chart(f"efficiency-{slug}", run.figures, panels, dict(zip(panels, fulls, strict=True)))
    caption = f"{study.title}: mean over dimensions or judges; bands are one standard deviation over those and seeds"
    sizes = f"Left: {_sample(study.compared.criteria)}. Right and below: {_sample(study.methods['soft-bt'])}."
    text = f"## {study.title}\n\n{figure(f'efficiency-{slug}', caption)}\n\n{sizes}\n\n{_methods(study)}"
    return Section(text, _targets(study))


def _level(found: Measured) -> float:
    return float(np.mean(list(full(found).values())))


def _sample(found: Measured) -> str:
    curve = next(iter(found.values()))
    seeds = len(curve.curve[Criterion.REORDERING])
    cases = max(each.cases for each in found.values())
    return f"{len(found)} dimensions or judges, up to {cases} documents each, {seeds} seed{'s' * (seeds > 1)}"


def _targets(study: Study) -> list[acceptance.Line]:
    of = {"SummEval": acceptance.of_summeval, "TopicalChat": acceptance.of_topicalchat}
    return [of[study.title](study)] if study.title in of else []


def _methods(study: Study) -> str:
    levels = full(study.methods["soft-bt"])
    rows = [
        [
            method,
            number(float(np.mean(list(full(found).values()))), 3),
            number(float(curves.needed(found, Criterion.REORDERING, levels).mean())),
        ]
        for method, found in study.methods.items()
    ]
    return table(["method, asked by reordering", "full set", "comparisons to 90% of soft-bt's full set"], rows)


def counts_section(run: Run) -> Section:
    summeval, topicalchat, vicuna = (study_of(run, name).compared for name in STUDIES)
    more = run.keep("other judges", partial(efficiency.other_judges, run.folder, run.size))
    both = run.keep("vicuna both orders", partial(efficiency.vicuna_debiased, run.folder, run.size))
    sets = {"SummEval, T = 1": summeval, **more, "TopicalChat": topicalchat}
    sets |= {"Vicuna, balanced order": vicuna, "Vicuna, both orders": both}
    tables = "\n\n".join(f"**{title}** {_size(found.criteria)}\n\n{_counts(found)}" for title, found in sets.items())
    return Section(f"{COUNTS}\n\n{tables}")


def _size(found: Measured) -> str:
    curve = next(iter(found.values()))
    seeds = len(curve.curve[Criterion.RANDOM])
    return f"({seeds} seed{'s' * (seeds > 1)}, N(N-1) = {curves.ordered_pairs(found):.0f})"


def _counts(found: Compared) -> str:
    counts = {str(criterion): curves.needed(found.criteria, criterion) for criterion in ORDER}
    counts |= {kind: curves.needed(measured, Criterion.RANDOM) for kind, measured in found.tournaments.items()}
    header = ["criterion", *found.criteria, "mean", "of N(N-1)", "of random"]
    return table(header, [_count_row(name, counts, found.criteria) for name in counts])


def _count_row(name: str, counts: Mapping[str, Floats], measured: Measured) -> list[str]:
    mean, share = float(counts[name].mean()), percent(curves.share(counts[name], measured))
    of_random = percent(mean / float(counts[Criterion.RANDOM].mean()))
    return [name, *map(mean_and_sd, counts[name]), number(mean), share, of_random]


def experts_section(run: Run) -> Section:
    rows = run.keep("experts", partial(experts.measure, run.folder, run.size))
    both = run.keep("absolute", partial(experts.combined, run.folder, run.size))
    blocks = "\n\n".join(_block(source, rows) for source in dict.fromkeys(row.source for row in rows))
    added = "\n\n".join(_block(source, both) for source in dict.fromkeys(row.source for row in both))
    return Section(f"{EXPERTS}\n\n{blocks}\n\n{ABSOLUTE}\n\n{added}")


def _block(source: str, rows: Sequence[experts.Row]) -> str:
    mine = [row for row in rows if row.source == source]
    parts = list(mine[0].spearman)
    header = ["method", *(f"ρ {part}" for part in parts), "**ρ**", *(f"AUROC {part}" for part in parts), "**AUROC**"]
    return f"**{source}**\n\n{table(header, [[row.method, *_marks(row.spearman), *_marks(row.auroc)] for row in mine])}"


def _marks(values: Mapping[str, float]) -> list[str]:
    each = [number(100.0 * value) for value in values.values()]
    return [*each, f"**{number(100.0 * float(np.mean(list(values.values()))))}**"]


def leaning_section(run: Run) -> Section:
    fair = full(study_of(run, "summeval").compared.criteria)
    found = run.keep("bias summeval", partial(position_bias.summeval, run.folder, run.size, fair))
    panels = {"SummEval, bias of 1": {name: band(of, Criterion.REORDERING) for name, of in found.treated.items()}}
    level = float(np.mean(list(found.fair_some.values())))
    figures.line_chart("bias-summeval", run.figures, panels, dict.fromkeys(panels, level))
    caption = (
        "SummEval with 1 added to the judge's logits; pairs chosen by reordering; the grey line is the judge without"
    )
    return Section(f"{BIAS}\n\n{figure('bias-summeval', caption)}\n\n{_treated(found)}", acceptance.of_leaning(found))


def _treated(found: Leaning) -> str:
    rows = [
        [name, number(_asked(of, found.fair_some)), number(_last(of.values()), 3)] for name, of in found.treated.items()
    ]
    return table(["what is done about it", "judge calls to 90% of the unbiased full set", "Spearman at the end"], rows)


def _asked(of: Measured, levels: Mapping[str, float]) -> float:
    return float(curves.needed(of, Criterion.REORDERING, levels).mean())


def _last(of: Iterable[Curves]) -> float:
    return float(np.mean([one.curve[Criterion.REORDERING][:, -1].mean() for one in of]))


def reviewers_section(run: Run) -> Section:
    found = run.keep("bias vicuna", partial(position_bias.vicuna, run.folder, run.size))
    groups = {judge: {name: _last([of]) for name, of in reviewer.treated.items()} for judge, reviewer in found.items()}
    figures.bar_chart("bias-vicuna", run.figures, groups, figures.AGREEMENT)
    caption = (
        "Vicuna: agreement with people once every pair was asked; in both orders for the last bar, in one otherwise"
    )
    rows = [_reviewer(judge, reviewer) for judge, reviewer in found.items()]
    header = ["judge", "bias", *(name for name in next(iter(found.values())).treated)]
    return Section(f"{figure('bias-vicuna', caption)}\n\n{table(header, rows)}\n\n{REVIEWERS}")


def _reviewer(judge: str, reviewer: Reviewer) -> list[str]:
    delta = f"{reviewer.delta.delta:+.2f} ± {reviewer.delta.sd:.2f}"
    return [judge, delta, *(number(_last([of]), 3) for of in reviewer.treated.values())]


def large_section(run: Run) -> Section:
    limit = int(run.size.share * _ordered_pairs(run))
    plans = [large.Plan(batch, limit, run.size.hanna_seeds, large.BATCHED) for batch in run.size.batches]
    plans += [
        large.Plan(batch, limit, run.size.hanna_hard_seeds, large.BATCHED_HARD, hard=True) for batch in run.size.batches
    ]
    found = [large.measure(run.folder, run.size, plan, run.keep) for plan in plans]
    one = large.Plan(1, run.size.single, 1, large.SINGLE)
    alone = large.measure(run.folder, run.size._replace(hanna=run.size.hanna[:1]), one, run.keep)
    panels = {_title(each): _bands(each) for each in [*found, alone]}
    levels = {_title(each): float(each.full.mean()) for each in [*found, alone]}
    figures.line_chart("efficiency-hanna", run.figures, panels, levels)
    caption = "HANNA, N = 1,056: the mean over dimensions; the grey line is the judge's own scores"
    text = f"{LARGE}\n\n{figure('efficiency-hanna', caption)}\n\n" + "\n\n".join(map(_margins, [*found, alone]))
    return Section(f"{text}\n\n{TRIED}", [line for each in found for line in acceptance.of_large(each)])


def _ordered_pairs(run: Run) -> int:
    n = run.size.stories or len(data.hanna(run.folder, run.size.hanna[0]).truth)
    return n * (n - 1)


def _title(found: Large) -> str:
    title = "one at a time" if found.batch == 1 else f"batches of {found.batch}"
    return f"{title}, hard verdicts" if found.hard else title


def _bands(found: Large) -> dict[str, Band]:
    return {name: band_of(list(runs), found.full.tolist(), found.comparisons) for name, runs in found.curves.items()}


def _margins(found: Large) -> str:
    """The curves at some K, and by how much the first of them leads."""
    marks = np.unique(np.searchsorted(found.comparisons, found.comparisons[-1] * np.array(MARKS)))
    rows = [[name, *(number(float(value), 3) for value in found.mean(name)[marks])] for name in found.curves]
    dimensions, seeds = next(iter(found.curves.values())).shape[:2]
    sizes = f"dimensions: {dimensions}, seeds each: {seeds}; all: {found.full.mean():.3f}"
    title = f"**{_title(found).capitalize()}** ({sizes})"
    return f"{title}\n\n{table(['K', *(f'{found.comparisons[mark]:.0f}' for mark in marks)], rows)}"


ALL: tuple[tuple[tuple[str, ...], Write], ...] = (
    (("summeval",), partial(efficiency_section, "summeval")),
    (("topicalchat",), partial(efficiency_section, "topicalchat")),
    (("prd_vicuna80",), partial(efficiency_section, "prd_vicuna80")),
    (("summeval", "topicalchat", "prd_vicuna80"), counts_section),
    (("summeval",), experts_section),
    (("summeval",), leaning_section),
    (("prd_vicuna80",), reviewers_section),
    (("hanna",), large_section),
)
