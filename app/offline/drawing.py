"""Pictures of rankings, in files."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

from nextpair.words import counted

from app.files import plots
from app.files.tables import InputError
from app.inference.reporting import Standing
from app.offline.ranking import Ranked


def draw(rankings: Sequence[Ranked], path: str) -> None:
    """One forest plot; with several groups one file each, numbered. Raises InputError."""
    file = Path(path)
    form = cast("plots.Form", file.suffix.removeprefix("."))
    if form not in get_args(plots.Form):
        raise InputError(f"--plot {path}: write a name that ends in .svg or .png")
    for n, ranked in enumerate(rankings, 1):
        _save(ranked, file if len(rankings) == 1 else file.with_stem(f"{file.stem}-{n}"), form)


def _save(ranked: Ranked, file: Path, form: plots.Form) -> None:
    method = ranked.method
    caption = f"{counted(ranked.group.rows, 'comparison')}, {method.name}, {method.wanted.level:.0%} intervals"
    title = " / ".join(ranked.group.labels) or "Ranking"
    rows = [_row(standing, ranked) for standing in ranked.standings.rows]
    try:
        file.write_bytes(plots.forest(rows, title, caption, form))
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({error.strerror})") from None


def _row(standing: Standing, ranked: Ranked) -> plots.ForestRow:
    known = standing.uncertainty
    best, worst = known.rank_interval if known else (standing.rank, standing.rank)
    name = ranked.group.keys[standing.candidate]
    return plots.ForestRow(name, standing.score, known and known.interval, f"rank {plots.span(best, worst)}")
