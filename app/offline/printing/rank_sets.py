"""Rank-sets of systems, by people alone and with the judge's help."""

import sys

import numpy as np
from rich.console import Console

from app.inference.judges import verdicts_saved
from app.offline.printing import Format
from app.offline.printing.tables import Row, count, grid, write_json, write_rows
from app.offline.rank_sets import SystemRanks


def show(ranks: SystemRanks, form: Format) -> None:
    """All systems, best first."""
    rows = [_row(ranks, system) for system in np.argsort(-ranks.helped.theta, kind="stable")]
    if form == "csv":
        write_rows(rows, sys.stdout)
    elif form == "json":
        write_json(_summary(ranks) | {"systems": rows})
    else:
        _print(_summary(ranks), rows)


def _row(ranks: SystemRanks, system: int) -> Row:
    alone, helped = ranks.alone, ranks.helped
    return {
        "system": ranks.systems[system],
        "theta": float(helped.theta[system]),
        "sd": float(np.sqrt(helped.covariance[system, system])),
        "best_rank": int(helped.ranks[system, 0]),
        "worst_rank": int(helped.ranks[system, 1]),
        "theta_people": float(alone.theta[system]),
        "best_rank_people": int(alone.ranks[system, 0]),
        "worst_rank_people": int(alone.ranks[system, 1]),
    }


def _summary(ranks: SystemRanks) -> Row:
    is_honest = ranks.covariance == "sandwich"
    return {
        "alpha": ranks.alpha,
        "covariance": ranks.covariance,
        "lambda": ranks.helped.tuned,
        "instances_people": ranks.by_people,
        "instances_judge": ranks.by_judge,
        "people_saved": verdicts_saved(ranks.alone, ranks.helped, ranks.by_people) if is_honest else None,
    }


def _print(summary: Row, rows: list[Row]) -> None:
    more = summary["people_saved"]
    worth = "" if more is None else f"; the judge is worth {count(more, 'more verdict')} of people"
    people, judge = count(summary["instances_people"], "instance"), f"{summary['instances_judge']:,}"
    sure = f"lambda {summary['lambda']:.2f}, all rank-sets hold with {1.0 - summary['alpha']:.0%}"
    Console(highlight=False).print(f"{people} judged by people, {judge} by the judge, {sure}{worth}")
    columns = ["system", "theta", "sd", "ranks", "people alone", "their ranks"]
    cells = [
        [
            row["system"], f"{row['theta']:.3f}", f"{row['sd']:.3f}", f"{row['best_rank']}-{row['worst_rank']}",
            f"{row['theta_people']:.3f}", f"{row['best_rank_people']}-{row['worst_rank_people']}",
        ]
        for row in rows
    ]  # fmt: skip
    Console(highlight=False).print(grid(columns, cells))
