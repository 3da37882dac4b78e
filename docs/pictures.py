"""The picture of README.md, docs/images/readme-ranking.svg: `python -m docs.pictures` draws it.

It shows the demo's ranking when its stop rule is met: the recorded judge is replayed through the service's own code.
"""

import csv
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from nextpair import schemas

from app.demo import RANDOM_PAIRS
from app.files import plots
from app.inference.choosing import Criterion
from examples.demo_cost import replay

FILE = Path(__file__).parent / "images/readme-ranking.svg"
SHOWN = 12  # the best candidates; more would fill a screen


def picture() -> bytes:
    ranking = _ranking(replay(Criterion.KNOWLEDGE))
    best, n = ranking.ranking[0], len(ranking.ranking)
    title = f"{best.key} is the best of {n} answers with 95% confidence, after {ranking.comparisons} comparisons"
    caption = (
        f"The best {SHOWN} of the demo's answers, by their share of wins against all others. Lines are 95% intervals. "
        f"Random pairs take {RANDOM_PAIRS} comparisons on average; all pairs in both orders are {n * (n - 1)}."
    )
    return plots.forest([_row(rank) for rank in ranking.ranking[:SHOWN]], title, caption, label="win rate")


def _ranking(judged: list[tuple[str, str, float]]) -> schemas.Ranking:
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log.csv"
        with log.open("w", newline="") as file:
            csv.writer(file).writerows([("first", "second", "p_first"), *judged])
        command = [sys.executable, "-m", "nextpair", "rank", str(log), "--format", "json"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return schemas.Ranking.model_validate_json(printed)


def _row(rank: schemas.Rank) -> plots.ForestRow:
    assert rank.win_rate is not None
    assert rank.rank_interval is not None
    return plots.ForestRow(rank.key, rank.win_rate, rank.win_rate_interval, f"rank {plots.span(*rank.rank_interval)}")


if __name__ == "__main__":
    FILE.write_bytes(picture())
    print("docs/images/readme-ranking.svg is written.")
