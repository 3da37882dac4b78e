"""Rankings and simulations on stdout: tables for people, JSON and CSV for programs."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from app.files import spreadsheets
from app.files.columns import Labels
from app.files.tables import InputError
from app.inference.reporting import Bias, Standing, Uncertainty, Wanted
from app.inference.types import Floats
from app.offline.ranking import Ranked, RankingMethod
from app.offline.simulation import Cost, Curves, Job, Runner

Format = Literal["table", "json", "csv"]
Row = dict[str, Any]

NARROWEST, WIDEST = 11, 48  # columns that a picture of intervals may take
LEVELS = "▁▂▃▄▅▆▇█"
BESIDE_CURVE = 63  # columns of a simulation that the curve leaves
LEFT = ("candidate", "judge", "system", "criterion", "curve", "")


def write_rows(rows: Sequence[Row], file: Any) -> None:
    spreadsheets.write([rows[0], *(row.values() for row in rows)], file)


def write_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


# Rankings


def print_rankings(rankings: Sequence[Ranked], group_by: Sequence[str], form: Format) -> None:
    if form == "json":
        write_json([_ranking_json(ranked, group_by) for ranked in rankings])
    elif form == "csv":
        write_rows(
            [_named(r.group.labels, group_by) | _row(s, r) for r in rankings for s in r.standings.rows],
            sys.stdout,
        )
    else:
        console = Console(highlight=False)
        for ranked in rankings:
            _print_ranking(console, ranked, group_by)


def _ranking_json(ranked: Ranked, group_by: Sequence[str]) -> Row:
    found = ranked.standings
    return {
        "group": _named(ranked.group.labels, group_by),
        "method": _method(ranked.method),
        "comparisons": ranked.group.comparisons.size,
        "components": found.components,
        "convergence": found.convergence._asdict() | {"outcome": found.convergence.outcome.name.lower()},
        "entropy": found.entropy,
        "position_bias": {ranked.group.judges[b.judge]: _bias(b) for b in found.biases},
        "ranking": [_row(standing, ranked) for standing in found.rows],
    }


def _method(method: RankingMethod) -> Row:
    known: Row = method._asdict() | {"parameters": dict(method.parameters)}
    del known["wanted"]
    return known | method.wanted._asdict()


def _bias(bias: Bias) -> Row:
    return {
        "delta": bias.delta,
        "sd": bias.sd,
        "comparisons": bias.comparisons,
        "identified": bias.identified,
        "discrimination": bias.discrimination,
    }


def _named(labels: Labels, group_by: Sequence[str]) -> Row:
    return dict(zip(group_by, labels, strict=True))


def _row(standing: Standing, ranked: Ranked) -> Row:
    u = standing.uncertainty
    low, high = u.interval if u else (None, None)
    best, worst = u.rank_interval if u else (None, None)
    return {
        "rank": standing.rank,
        "key": ranked.group.keys[standing.candidate],
        "score": standing.score,
        "sd": u and u.sd,
        "low": low,
        "high": high,
        "best_rank": best,
        "worst_rank": worst,
        "p_best": u and u.p_best,
        "p_top_k": u and u.p_top_k,
        "tie_group": u and u.tie_group,
        "comparisons": standing.comparisons,
        "component": standing.component,
    }


def _print_ranking(console: Console, ranked: Ranked, group_by: Sequence[str]) -> None:
    if group_by:
        name = ", ".join(f"{column} = {label}" for column, label in _named(ranked.group.labels, group_by).items())
        console.print(f"[bold]{escape(name)}[/]")
    console.print(_headline(ranked))
    if ranked.standings.components > 1:
        console.print(
            f"{ranked.standings.components} components that never met: compare scores within a component only."
        )
    for bias in ranked.standings.biases:
        console.print(_bias_line(bias, ranked.group.judges[bias.judge]))
    console.print(_ranking_table(ranked, console))


def _bias_line(bias: Bias, judge: str) -> str:
    doubt = "" if bias.identified else "; its verdicts do not tell it from merit, so this is mostly the prior's guess"
    c = "" if bias.discrimination is None else f", discrimination {bias.discrimination:.2f}"
    likes = f"liking for the first position{judge and f' of {judge}'}: {bias.delta:+.2f} ± {bias.sd:.2f}"
    return escape(likes + c + doubt)


def _headline(ranked: Ranked) -> str:
    found, comparisons = ranked.standings, count(ranked.group.comparisons.size, "comparison")
    entropy = "" if found.entropy is None else f" · entropy {found.entropy:.2f} nats"
    candidates = count(len(found.rows), "candidate")
    return f"{comparisons} · {candidates} · {ranked.method.name}, converged{entropy}"


def _ranking_table(ranked: Ranked, console: Console) -> Table:
    """The ranking, with a picture of the intervals where there is room for it."""
    columns, rows = _columns(ranked), [_cells(standing, ranked) for standing in ranked.standings.rows]
    plain = grid(columns, rows)
    room = min(console.width - console.measure(plain).maximum - 3, WIDEST)
    if room < NARROWEST:
        return plain
    return grid([*columns, ""], [[*row, pic] for row, pic in zip(rows, pictures(ranked, room), strict=True)])


def grid(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), collapse_padding=True, pad_edge=False)
    for column in columns:
        fold = column == "candidate"
        side: Literal["left", "right"] = "left" if column in LEFT else "right"
        table.add_column(column, justify=side, overflow="fold", no_wrap=not fold)
    for row in rows:
        table.add_row(*map(escape, row))
    return table


def _columns(ranked: Ranked) -> list[str]:
    wanted = ranked.method.wanted
    top = [f"P(top {wanted.top_k})"] if wanted.top_k > 1 else []
    uncertain = ["± sd", f"{100 * wanted.level:g}% interval", "ranks", "tie", "P(best)", *top]
    known = uncertain if ranked.standings.entropy is not None else []
    part = ["part"] if ranked.standings.components > 1 else []
    return ["#", "candidate", "score", *known, "n", *part]


def _cells(standing: Standing, ranked: Ranked) -> list[str]:
    u = standing.uncertainty
    known = _known(u, ranked.method.wanted) if u else []
    part = [str(standing.component)] if ranked.standings.components > 1 else []
    score = f"{standing.score:+.2f}" if u else f"{standing.score:.3f}"
    return [str(standing.rank), ranked.group.keys[standing.candidate], score, *known, str(standing.comparisons), *part]


def _known(u: Uncertainty, wanted: Wanted) -> list[str]:
    chances = [_chance(p) for p in (u.p_best, u.p_top_k)[: 1 + (wanted.top_k > 1)]]
    return [f"{u.sd:.2f}", _interval(*u.interval), _span(*u.rank_interval), str(u.tie_group), *chances]


def _chance(p: float) -> str:
    return "<1%" if p < 0.005 else f"{p:.0%}"


def _interval(low: float, high: float) -> str:
    return f"{low:+.2f} … {high:+.2f}"


def _span(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}-{worst}"


def pictures(ranked: Ranked, width: int) -> list[str]:
    """One interval per row, drawn `width` columns wide on a common axis."""
    spans = [(s.score, *(s.uncertainty.interval if s.uncertainty else (s.score,) * 2)) for s in ranked.standings.rows]
    axis = np.array(spans)
    low, length = axis.min(), max(float(np.ptp(axis)), 1e-12)
    places = np.rint((axis - low) / length * (width - 1)).astype(int)
    return [_whisker(*map(int, row)) for row in places]


def _whisker(middle: int, left: int, right: int) -> str:
    line = [" "] * left + ["├"] + ["─"] * (right - left - 1) + ["┤"] * (right > left)
    line[middle] = "●"
    return "".join(line)


# Simulations


def print_simulation(curves: Curves, costs: Sequence[Cost], target: float, unscored: int, form: Format) -> None:
    if form == "json":
        write_json(_simulation_json(curves, costs, target, unscored))
    elif form == "csv":
        write_rows([cost._asdict() for cost in costs], sys.stdout)
    else:
        _print_simulation(Console(highlight=False), curves, costs, target, unscored)


def write_curves(curves: Curves, path: str) -> None:
    """A CSV with one row per criterion, seed and number of comparisons. Raises InputError."""
    rows = [
        {"criterion": criterion, "seed": seed, "comparisons": k, "spearman": float(value)}
        for criterion, by_seed in curves.curve.items()
        for seed, curve in enumerate(by_seed)
        for k, value in enumerate(curve, 1)
    ]
    try:
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            write_rows(rows, file)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def with_progress(run_all: Runner) -> Runner:
    """The same, with a bar on stderr where that is a terminal."""

    def watched(jobs: Sequence[Job]) -> Iterable[Floats]:
        stderr = Console(stderr=True)
        columns = ("replaying", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=stderr, transient=True, disable=not stderr.is_terminal) as progress:
            yield from progress.track(run_all(jobs), total=len(jobs))

    return watched


@contextmanager
def progress_of(total: int, doing: str) -> Iterator[Callable[[int], None]]:
    """A bar on stderr where that is a terminal; call what it gives with how many more are done."""
    stderr = Console(stderr=True)
    with Progress(console=stderr, transient=True, disable=not stderr.is_terminal) as progress:
        task = progress.add_task(doing, total=total)
        yield lambda done: progress.advance(task, done)


def _simulation_json(curves: Curves, costs: Sequence[Cost], target: float, unscored: int) -> Row:
    return {
        "groups": curves.cases,
        "groups_left_out": curves.constant,
        "candidates_left_out": unscored,
        "ordered_pairs": curves.ordered_pairs,
        "full_set_spearman": curves.full,
        "target": target,
        "target_spearman": target * curves.full,
        "criteria": [cost._asdict() for cost in costs],
    }


def _print_simulation(console: Console, curves: Curves, costs: Sequence[Cost], target: float, unscored: int) -> None:
    seeds = len(next(iter(curves.curve.values())))
    pairs = f"{curves.ordered_pairs:,.5g} ordered pairs"
    console.print(f"{count(curves.cases, 'group')} of {pairs} · {count(seeds, 'seed')}")
    console.print(f"Spearman: {curves.full:.3f} from the full set, so the target is {target * curves.full:.3f}")
    if curves.constant:
        console.print(f"{count(curves.constant, 'group')} left out: the truth is constant there.")
    if unscored:
        console.print(f"{count(unscored, 'candidate')} left out: the judge has no score for them.")
    console.print(_cost_table(curves, costs, target, console.width))


def _cost_table(curves: Curves, costs: Sequence[Cost], target: float, width: int) -> Table:
    top = max(float(curve.max()) for curve in curves.curve.values())
    cells = [[*_cost_cells(cost, len(curves.curve[cost.criterion]))] for cost in costs]
    lines = [spark(curves.curve[cost.criterion], top, min(WIDEST, width - BESIDE_CURVE)) for cost in costs]
    columns = ["criterion", f"to {target:.0%}", "of pairs", "of random", "seeds", "at end", "curve"]
    return grid(columns, [[*row, line] for row, line in zip(cells, lines, strict=True)])


def _cost_cells(cost: Cost, seeds: int) -> list[str]:
    return [
        cost.criterion,
        "never" if cost.comparisons is None else f"{cost.comparisons:.1f}",
        _percent(cost.share),
        _percent(cost.of_random),
        f"{cost.reached}/{seeds}",
        f"{cost.last:.3f}",
    ]


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}%"


def spark(curves: Floats, top: float, width: int) -> str:
    """The mean of (S, K) curves as a line of at most `width` blocks, from 0 to `top`."""
    mean = curves.mean(axis=0)
    at = np.linspace(0, len(mean) - 1, min(max(width, 1), len(mean))).astype(int)
    levels = np.clip(mean[at] / max(top, 1e-12) * len(LEVELS), 0, len(LEVELS) - 1).astype(int)
    return "".join(LEVELS[level] for level in levels)
