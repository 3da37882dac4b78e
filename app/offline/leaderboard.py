"""Files of comparisons of the same candidates, each by its own criterion, side by side."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from nextpair import schemas

from app.analysis.judged import Impossible
from app.analysis.leaderboard import RankedCriterion, leaderboard, weights_of
from app.files.tables import InputError


def of_files(
    files: Sequence[str], rankings: Sequence[schemas.Ranking], weights: Iterable[str] = ()
) -> schemas.Leaderboard:
    """The rankings of files, each named as its file without the ending; weights are NAME=NUMBER. Raises InputError."""
    criteria = [RankedCriterion(name, None, ranking) for name, ranking in zip(names_of(files), rankings, strict=True)]
    try:
        return leaderboard(criteria, weights_of(weights))
    except Impossible as error:
        raise InputError(f"--criterion-weight: {error.fault}") from None


def refuse_of_several(**options: object) -> None:
    """Raises InputError for an option of one ranking."""
    for name, value in options.items():
        if value:
            raise InputError(f"--{name.replace('_', '-')} is of one file, and several are criteria; rank each alone")


def names_of(files: Sequence[str]) -> list[str]:
    """Names of files up to the first dot; the whole path where two would be alike."""
    short = [Path(file).name.partition(".")[0] or file for file in files]
    times = Counter(short)
    return [name if times[name] == 1 else file for name, file in zip(short, files, strict=True)]
