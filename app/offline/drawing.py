"""Pictures of rankings, in files."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

from app.files.pictures import draw_ranking
from app.files.plots import Form
from app.files.tables import InputError
from app.offline.ranking import Ranked


def draw(rankings: Sequence[Ranked], path: str) -> None:
    """One forest plot; with several groups one file each, numbered. Raises InputError."""
    file = Path(path)
    form = cast("Form", file.suffix.removeprefix("."))
    if form not in get_args(Form):
        raise InputError(f"--plot {path}: write a name that ends in .svg or .png")
    for n, (labels, ranking, *_) in enumerate(rankings, 1):
        one = file if len(rankings) == 1 else file.with_stem(f"{file.stem}-{n}")
        try:
            one.write_bytes(draw_ranking(ranking, " / ".join(labels) or "Ranking", form))
        except OSError as error:
            raise InputError(f"{one}: cannot be written ({error.strerror})") from None
