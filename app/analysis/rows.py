"""Rows of a ranking and of its slices, with what is said of each candidate beside the baseline system."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from nextpair import schemas
from nextpair.words import InferenceTargetName

from app.analysis.judged import JudgedLog
from app.inference.fitting import Published
from app.inference.reporting import Table, against, attenuation, never_missed
from app.inference.targets import Quantity, WinRates, drawn_values
from app.inference.types import Ints

Beside = Mapping[int, schemas.AgainstBaseline]  # by candidate
DIGITS = 9  # of what is estimated: more than any figure is known to, and a third less to send of many candidates


def present_rows(table: Table, log: JudgedLog, beside: Beside) -> list[schemas.Rank]:
    """Best first; comparisons are rows of the log, each by itself."""
    if log.times is not None:
        table = with_counts(table, np.append(log.verdicts.first, log.verdicts.second), np.tile(log.times, 2))
    known = {name: column.tolist() for name, column in table._asdict().items() if len(column)}
    return [
        schemas.Rank(
            key=log.keys[candidate],
            against=beside.get(candidate),
            **{name: _rounded(column[candidate]) for name, column in known.items()},
        )
        for candidate in table.best_first.tolist()
    ]


def without_claims(rows: Sequence[schemas.Rank]) -> list[schemas.Rank]:
    """The rows where verdicts show no signal: no candidate is told apart from another, and no chance is stated."""
    return [row.model_copy(update=_without_claims(row, len(rows))) for row in rows]


def _without_claims(row: schemas.Rank, n: int) -> dict[str, Any]:
    against = row.against and row.against.model_copy(update={"p_better": None})
    if row.rank_interval is None:  # a baseline claims nothing
        return {"against": against}
    return {"rank_interval": (1, n), "tie_group": 1, "p_best": None, "p_top_k": None, "against": against}


def with_counts(table: Table, sides: Ints, times: Ints | None = None) -> Table:
    """The table with other numbers of comparisons; `sides` are the candidates, once for each `times`."""
    return table._replace(comparisons=np.bincount(sides, times, len(table.rank)).astype(np.int64))


def beside_baseline(
    baseline: int | None,
    quantity: Quantity | None,
    published: Published | None,
    target: InferenceTargetName,
    level: float,
) -> Beside:
    """Every other candidate beside the baseline, by the draws of what is ranked; nothing where there is none."""
    if baseline is None or quantity is None or published is None:
        return {}
    verdicts = None if isinstance(quantity, WinRates) else attenuation(published, target)
    values, never = drawn_values(quantity), never_missed(published, baseline)
    figures = {
        i: against(values[:, i] - values[:, baseline], verdicts, never[i], level)
        for i in range(len(never))
        if i != baseline
    }
    return {i: schemas.AgainstBaseline(**each._asdict()) for i, each in figures.items()}


def _rounded(value: Any) -> Any:
    """A figure, or those of an interval, to DIGITS significant ones; counts as they are."""
    if isinstance(value, list):
        return tuple(_rounded(each) for each in value)
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
