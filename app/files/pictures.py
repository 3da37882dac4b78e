"""Results as pictures."""

from collections.abc import Sequence

from nextpair import schemas
from nextpair.words import FigureWidth, counted

from app.files import plots
from app.files.rankings import UNITS


def draw_ranking(ranking: schemas.Ranking, title: str, form: plots.Form, width: FigureWidth | None = None) -> bytes:
    """A forest plot, with a part for each slice; of a width for journals without title and caption."""
    paper = plots.SCREEN if width is None else plots.PAPERS[width]
    of_pairs, level = ranking.inference_target.name == "all-pairs", f"{ranking.method.level:.0%}"
    origin = f"version {ranking.version}, {ranking.method.name}"
    source = f"{counted(ranking.comparisons, 'comparison')}, {origin}, {level} intervals"
    caption = f"{ranking.inference_target.sentence} {source}"
    if ranking.components > 1:
        caption += (
            f" · {counted(ranking.components, 'part')} not compared with each other: compare scores within a part only"
        )
    rows, most = _rows(ranking.ranking, ranking), len(ranking.ranking)
    if ranking.slices:
        parts = ranking.slices.slices
        most = max(plots.MOST_ROWS // (1 + len(parts)) - 1, 1)
        rows = [plots.ForestRow("all prompts", None, None, ""), *rows[:most]]
        for each in parts:
            rows.append(plots.ForestRow(each.value, None, None, counted(each.prompts, "prompt")))
            rows += _rows(each.ranking, ranking)[:most]
    if most < len(ranking.ranking):
        caption += f" · the first {most:,} candidates of each part"
    unit = "" if of_pairs or ranking.method.scale is None else f"in {UNITS[ranking.method.scale]}"
    interval = "" if paper.has_words else f" ({level} interval)"
    return plots.forest(
        rows, title, caption, form, "win rate" if of_pairs else "score", paper, f"{unit}{interval}", origin
    )


def _rows(ranks: Sequence[schemas.Rank], ranking: schemas.Ranking) -> list[plots.ForestRow]:
    in_parts, of_pairs = ranking.components > 1, ranking.inference_target.name == "all-pairs"
    return [_row(rank, in_parts=in_parts, of_pairs=of_pairs) for rank in ranks]


def _row(rank: schemas.Rank, *, in_parts: bool, of_pairs: bool) -> plots.ForestRow:
    """The win rate of all pairs where that is what is ranked, else the score."""
    note = _note(rank, in_parts=in_parts)
    if of_pairs and rank.win_rate is not None:
        return plots.ForestRow(rank.key, rank.win_rate, rank.win_rate_interval, note)
    return plots.ForestRow(rank.key, rank.score, rank.interval, note)


def _note(rank: schemas.Rank, *, in_parts: bool) -> str:
    best, worst = rank.rank_interval or (rank.rank, rank.rank)
    part = f", part {rank.component + 1}" if in_parts else ""
    return f"rank {plots.span(best, worst)}{part}"


def draw_history(diagnostics: schemas.Diagnostics, form: plots.Form) -> bytes:
    """Expected concordance, and rank correlation with the current ranking, over the comparisons."""
    moments = diagnostics.history
    count = [float(moment.comparisons) for moment in moments]
    concordance = plots.Curve("expected concordance", count, [moment.concordance for moment in moments])
    stability = plots.Curve("stability", count, [moment.rank_correlation for moment in moments])
    panels = [
        ("comparisons", "expected concordance", concordance),
        ("comparisons", "correlation with current ranking", stability),
    ]
    return plots.lines(panels, "Confidence over time", form)


def draw_reliability(calibration: schemas.Calibration, form: plots.Form) -> bytes:
    """The reliability diagram, before and after the temperature; accuracy without the least confident verdicts."""
    tables = [("as stated", calibration.reliability)]
    if calibration.temperature is not None:
        tables.append((f"temperature {calibration.temperature:.2f}", calibration.reliability_after))
    curves = [plots.Curve(name, [b.confidence for b in bins], [b.accuracy for b in bins]) for name, bins in tables]
    points = calibration.rejection
    rest = plots.Curve("rest", [point.rejected for point in points], [point.accuracy for point in points])
    title = f"{calibration.judge} against {', '.join(calibration.reference)}"
    return plots.reliability(curves, rest, title, calibration.reason or "", form)
