"""Rank-sets of systems: by people helped by judges, by people alone, and by each judge alone."""

import sys

import numpy as np
from nextpair.words import counted
from rich.console import Console

from app.inference.judges import RankBounds, verdicts_saved
from app.offline.printing import Format
from app.offline.printing.tables import Row, grid, write_json, write_rows
from app.offline.rank_sets import SystemRanks


def show(ranks: SystemRanks, form: Format) -> None:
    """All systems, best first."""
    rows = [_row(ranks, system) for system in np.argsort(-ranks.helped.estimate.theta, kind="stable")]
    if form == "csv":
        write_rows(rows, sys.stdout)
    elif form == "json":
        write_json(_summary(ranks) | {"systems": rows})
    else:
        _print(_summary(ranks), rows)


def _row(ranks: SystemRanks, system: int) -> Row:
    estimate, (best, worst) = ranks.helped.estimate, ranks.helped.ranks[system]
    row = {
        "system": ranks.meetings.systems[system],
        "theta": float(estimate.theta[system]),
        "sd": float(np.sqrt(estimate.covariance[system, system])),
        "best_rank": int(best),
        "worst_rank": int(worst),
    }
    row |= _alone(ranks.by_people, system, "people")
    for judge, sets in zip(ranks.meetings.judges, ranks.by_judges, strict=True):
        row |= _alone(sets, system, f"by_{judge}")
    return row


def _alone(sets: RankBounds, system: int, who: str) -> Row:
    best, worst = (int(rank) for rank in sets.ranks[system])
    theta = float(sets.estimate.theta[system])
    return {f"theta_{who}": theta, f"best_rank_{who}": best, f"worst_rank_{who}": worst}


def _summary(ranks: SystemRanks) -> Row:
    """The fields lambda and instances_judge are about the first judge."""
    (_, judges, verdicts), estimate = ranks.meetings, ranks.helped.estimate
    people = int(verdicts.people.are_there.sum())
    saved = verdicts_saved(ranks.by_people.estimate, estimate, people) if ranks.covariance == "sandwich" else None
    of_judges = [
        {"judge": judge, "lambda": float(lam), "instances": int(wins.are_there.sum())}
        for judge, lam, wins in zip(judges, estimate.lambdas, verdicts.judges, strict=True)
    ]
    return {
        "alpha": ranks.alpha,
        "covariance": ranks.covariance,
        "simultaneous": ranks.simultaneous,
        "lambda": of_judges[0]["lambda"],
        "instances_people": people,
        "instances_judge": of_judges[0]["instances"],
        "judges": of_judges,
        "people_saved": saved,
    }


def _print(summary: Row, rows: list[Row]) -> None:
    more, judges = summary["people_saved"], summary["judges"]
    whose = ", ".join(f"{of['instances']:,} by {of['judge']} (lambda {of['lambda']:.2f})" for of in judges)
    they = "the judge is" if len(judges) == 1 else "the judges are"
    worth = "" if more is None else f"; {they} worth {counted(more, 'more verdict')} of people"
    people, sure = counted(summary["instances_people"], "instance"), f"{1.0 - summary['alpha']:.0%}"
    Console(highlight=False).print(f"{people} judged by people, {whose}, all rank-sets hold with {sure}{worth}")
    alone = {"by people": "_people"} | {f"by {of['judge']}": f"_by_{of['judge']}" for of in judges}
    cells = [
        [row["system"], f"{row['theta']:.3f}", f"{row['sd']:.3f}", _ranks(row)]
        + [f"{row[f'theta{who}']:.3f}  {_ranks(row, who):>5}" for who in alone.values()]
        for row in rows
    ]
    Console(highlight=False).print(grid(["system", "theta", "sd", "ranks", *alone], cells))


def _ranks(row: Row, who: str = "") -> str:
    return f"{row[f'best_rank{who}']}-{row[f'worst_rank{who}']}"
