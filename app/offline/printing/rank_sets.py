"""Rank-sets of systems: by people helped by judges, by people alone, and by each judge alone."""

from nextpair import schemas
from nextpair.words import counted
from rich.console import Console

from app.offline.printing import Format
from app.offline.printing.tables import Row, grid, show_as


def show(ranks: schemas.RankSets, by_people: int, form: Format) -> None:
    """All systems, best first; people judged `by_people` instances."""
    rows = (_row(system, ranks) for system in ranks.systems)
    show_as(form, rows, lambda: ranks, lambda: _print(ranks, by_people))


def _row(system: schemas.SystemRankSet, ranks: schemas.RankSets) -> Row:
    best, worst = system.ranks
    row: Row = {"system": system.key, "theta": system.theta, "sd": system.sd, "best_rank": best, "worst_rank": worst}
    whose = ["people", *(f"by_{helping.judge}" for helping in ranks.judges)]
    for who, alone in zip(whose, (system.by_people, *system.by_judges), strict=True):
        best, worst = alone.ranks
        row |= {f"theta_{who}": alone.theta, f"best_rank_{who}": best, f"worst_rank_{who}": worst}
    return row


def _print(ranks: schemas.RankSets, by_people: int) -> None:
    more, judges = ranks.people_saved, ranks.judges
    whose = ", ".join(
        f"{of.instances_by_both + of.instances_by_judge:,} by {of.judge} (lambda {of.tuned_lambda:.2f})"
        for of in judges
    )
    they = "The judge replaces" if len(judges) == 1 else "The judges replace"
    saved = "" if more is None else f" {they} {counted(more, 'verdict')} of people."
    people, level = counted(by_people, "instance"), f"{100.0 * (1.0 - ranks.alpha):g}%"
    together = f"All rank-sets hold together with {level} confidence."
    Console(highlight=False).print(f"{people} judged by people, {whose}. {together}{saved}")
    cells = [
        [system.key, f"{system.theta:.3f}", f"{system.sd:.3f}", _ranks(system)]
        + [f"{alone.theta:.3f}  {_ranks(alone):>5}" for alone in (system.by_people, *system.by_judges)]
        for system in ranks.systems
    ]
    heads = ["system", "theta", "sd", "ranks", "by people", *(f"by {helping.judge}" for helping in judges)]
    Console(highlight=False).print(grid(heads, cells))


def _ranks(of: schemas.RankSet) -> str:
    return f"{of.ranks[0]}-{of.ranks[1]}"
