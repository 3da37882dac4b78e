"""Rankings, one after the other where there are groups."""

import sys
from collections.abc import Sequence

import numpy as np
from nextpair import schemas
from nextpair.words import counted, percent
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from app.files.rankings import AGAINST, NAMED, table_of, write_csv
from app.offline.agreement import JudgeAgreement
from app.offline.printing import Format
from app.offline.printing.tables import NARROWEST, WIDEST, Row, grid, write_json
from app.offline.ranking import SIGNAL, Ranked
from app.offline.win_rates import WinMatrix

MOST_SHOWN = 1000  # rows of a table
MOST_IN_MATRIX = 10  # candidates; JSON has them all
GIVING_WAY = ("interval", "± sd", "tie")  # columns of a table, where names are too long: others tell much the same


def show(rankings: Sequence[Ranked], group_by: Sequence[str], form: Format) -> None:
    """Every row of every ranking; the names of groups stand in front in CSV, above in a table, beside it in JSON."""
    if form == "csv":
        write_csv(((ranked.labels, ranked.ranking) for ranked in rankings), sys.stdout, group_by)
        return
    groups = [dict(zip(group_by, ranked.labels, strict=True)) for ranked in rankings]
    if form == "json":
        answers = [_answer(ranked, group) for ranked, group in zip(rankings, groups, strict=True)]
        write_json(answers if group_by else answers[0])
        return
    console = Console(highlight=False)
    for ranked, group in zip(rankings, groups, strict=True):
        if group:
            console.print(f"[bold]{escape(', '.join(f'{name} = {label}' for name, label in group.items()))}[/]")
        _print(console, ranked)


def _answer(ranked: Ranked, group: dict[str, str]) -> Row:
    """The ranking as the contract has it, and what a file has beside it."""
    beside = {"agreement": ranked.agreement, "left_out": ranked.left_out}
    win_rates = {"win_rates": ranked.matrix._asdict()} if ranked.matrix else {}
    return ({"group": group} if group else {}) | ranked.ranking.model_dump() | beside | win_rates


def _print(console: Console, ranked: Ranked) -> None:
    ranking = ranked.ranking
    console.print(_headline(ranking))
    for sentence in _sentences(ranked):
        console.print(escape(sentence))
    _print_rows(console, ranking, ranking.ranking[:MOST_SHOWN])
    if (rest := len(ranking.ranking) - MOST_SHOWN) > 0:
        console.print(f"and {rest:,} more: --format csv and json have them all.")
    if ranked.matrix:
        console.print("Expected win rates of rows against columns, which are numbered as the rows:")
        console.print(_matrix(ranked.matrix))
    if ranking.slices:
        console.print(escape(ranking.slices.sentence))
        for each in ranking.slices.slices:
            _print_slice(console, ranking, ranking.slices.tag, each)


def _print_rows(console: Console, ranking: schemas.Ranking, rows: Sequence[schemas.Rank]) -> None:
    """Some rows of a ranking, and below them what they say beside the baseline system."""
    console.print(_table(ranking, rows, console))
    if ranking.baseline is not None:
        others = [row for row in rows if row.against]  # not the system itself
        of = "win rates" if ranking.inference_target.name == "all-pairs" else "scores"
        console.print(escape(f"Against {ranking.baseline}, by {of}:"))
        console.print(grid(*table_of(ranking, others, (*NAMED, *AGAINST))))


def _matrix(matrix: WinMatrix) -> Table:
    """The first rows and columns, as many as fit a page."""
    p, shown = matrix.p, min(len(matrix.keys), MOST_IN_MATRIX)
    numbers = [str(place + 1) for place in range(shown)]
    cells = [["" if each is None else percent(each) for each in row[:shown]] for row in p[:shown]]
    rows = [[number, key, *row] for number, key, row in zip(numbers, matrix.keys, cells, strict=False)]
    return grid(["#", "candidate", *numbers], rows)


def _print_slice(console: Console, ranking: schemas.Ranking, tag: str, each: schemas.Slice) -> None:
    counts = f"{counted(each.prompts, 'prompt')} · {counted(each.comparisons, 'comparison')}"
    console.print(f"\n[bold]{escape(f'{tag} = {each.value}')}[/] · {counts}")
    console.print(escape(each.deviation.sentence))
    _print_rows(console, ranking, each.ranking)


def _headline(ranking: schemas.Ranking) -> str:
    entropy = "" if ranking.entropy is None else f" · entropy {ranking.entropy:.2f} nats"
    counts = f"{counted(ranking.comparisons, 'comparison')} · {counted(len(ranking.ranking), 'candidate')}"
    return f"{counts} · {ranking.method.name}, converged{entropy}"


def _sentences(ranked: Ranked) -> list[str]:
    """What stands above the table."""
    ranking, agreement = ranked.ranking, ranked.agreement
    prompts = [ranking.prompts.sentence] if ranking.prompts else []
    sentences = [" ".join([ranking.inference_target.sentence, *prompts])]
    if ranking.first_place:
        sentences.append(ranking.first_place)
    if ranking.confidence and (ranking.signal.claimed or SIGNAL in ranked.left_out):
        sentences += [confidence_line(ranking.confidence), ranking.validation.about]
    if ranked.left_out:
        sentences.append(f"not said of so much: {'; '.join(ranked.left_out)}.")
    if ranking.components > 1:
        sentences.append(f"{ranking.components} components that never met: compare scores within a component only.")
    sentences += [effect.sentence for effect in (ranking.effects or {}).values()]
    sentences += [_bias_line(judge, bias) for judge, bias in (ranking.position_bias or {}).items()]
    sentences += [_effects_line(judge, effects) for judge, effects in (ranking.judge_effects or {}).items()]
    sentences += [_scale_line(judge, scale) for judge, scale in (ranking.absolute_scores or {}).items()]
    if agreed := ranking.validation.agreement_with_people:
        low, high = agreed.interval
        of = f"{agreed.share:.0%} of {counted(agreed.pairs, 'pair')} ({low:.0%} to {high:.0%})"
        sentences.append(f"agreement with people: {of}")
    return [*sentences, *([_agreement_line(agreement, agreement.alpha)] if agreement and agreement.alpha else [])]


def confidence_line(confidence: schemas.Confidence) -> str:
    low, high = (percent(share).removesuffix("%") for share in confidence.interval)
    within = "" if low == "100" else f" ({low} to {high}%)"
    now = f"about {percent(confidence.expected_concordance)} of the pairs are in the right order{within}"
    if confidence.expected_concordance == 1.0:
        now = "all of the pairs are in this order"
    later = [
        f"{percent(each.expected_concordance)} after {counted(each.comparisons, 'comparison')}"
        for each in confidence.forecast[-2:]
    ]
    return "; ".join([now, *later])


def _bias_line(judge: str, bias: schemas.JudgeBias) -> str:
    of_merit = f"{bias.discrimination:.2f} ± {bias.discrimination_sd:.2f}" if bias.discrimination is not None else ""
    c = f", discrimination {of_merit}" if of_merit else ""
    doubt = f". {bias.warning}" if bias.warning else ""
    return f"liking for the first position of {judge}: {bias.delta:+z.2f} ± {bias.sd:.2f}{c}{doubt}"


def _effects_line(judge: str, effects: schemas.JudgeEffects) -> str:
    deviations = ", ".join(f"{each.key} {each.deviation:+z.2f} ± {each.sd:.2f}" for each in effects.largest_deviations)
    return f"judge effects of {judge}: sd {effects.sd:.2f} around the common score, largest deviations {deviations}"


def _scale_line(judge: str, scale: schemas.JudgeScale) -> str:
    """Scores as they are shown, from what the judge said."""
    doubt = "" if scale.converged else ", not converged yet"
    return f"absolute scores of {judge}: {scale.c0:+z.2f} {scale.c1:+z.2f} x what is said{doubt}"


def _agreement_line(agreement: JudgeAgreement, alpha: schemas.Alpha) -> str:
    low, high = alpha.interval
    on = f"on {counted(alpha.pairs, 'pair')} that several judged, of which they dispute {len(agreement.disputes):,}"
    return f"agreement of judges, Krippendorff's alpha: {alpha.value:.2f} ({low:.2f} to {high:.2f}) {on}"


def _table(ranking: schemas.Ranking, ranked: Sequence[schemas.Rank], console: Console) -> Table:
    """Rows with a picture of the intervals where there is room for it, and with fewer columns where names have none."""
    columns, rows = table_of(ranking, ranked)
    plain, unbounded = grid(columns, rows), console.options.update(max_width=sys.maxsize)
    for column in GIVING_WAY:
        if column in columns and console.measure(plain, options=unbounded).maximum > console.width:
            place = columns.index(column)
            columns, *rows = ([*row[:place], *row[place + 1 :]] for row in (columns, *rows))
            plain = grid(columns, rows)
    room = min(console.width - console.measure(plain).maximum - 3, WIDEST)
    if room < NARROWEST:
        return plain
    return grid([*columns, ""], [[*row, picture] for row, picture in zip(rows, _pictures(ranked, room), strict=True)])


def _pictures(rows: Sequence[schemas.Rank], width: int) -> list[str]:
    """One interval per row, drawn `width` columns wide on a common axis."""
    axis = np.array([(row.score, *(row.interval or (row.score, row.score))) for row in rows])
    low, length = axis.min(), max(float(np.ptp(axis)), 1e-12)
    places = np.rint((axis - low) / length * (width - 1)).astype(int)
    return [_whisker(*map(int, row)) for row in places]


def _whisker(middle: int, left: int, right: int) -> str:
    line = [" "] * left + ["├"] + ["─"] * (right - left - 1) + ["┤"] * (right > left)
    line[middle] = "●"
    return "".join(line)
