"""Make the demo's judge.csv from its ratings.csv, and battles.csv: python -m examples.make_judge"""

import csv
import math
import random
import sys
from collections.abc import Iterable, Iterator
from itertools import permutations
from pathlib import Path
from statistics import NormalDist, fmean

from app.demo import FOLDER as DEMO

BATTLES = Path(__file__).resolve().with_name("battles.csv")
SEED = 20
RATINGS = ("accuracy", "clarity", "completeness", "engagement")
SCALE = 2.0  # points of overall rating worth one logit
BIAS = 0.25  # logits given to whichever answer is shown first
NOISE = NormalDist(0.0, 0.2)  # logits, drawn once per ordered pair
MODELS = ("finch-max", "heron-2", "wren", "heron-1", "finch-mini", "plover")
STEP = 0.45  # logits between one invented model and the next
TIE = 0.15  # chance that a battle is a tie


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def judge(scores: dict[str, float], rng: random.Random) -> Iterator[tuple[str, ...]]:
    """The probability that the first answer is preferred, for every ordered pair."""
    for first, second in permutations(scores, 2):
        logit = (scores[first] - scores[second]) / SCALE + BIAS
        yield first, second, f"{sigmoid(logit + NOISE.inv_cdf(rng.random())):.4f}"


def battles(rng: random.Random) -> Iterator[tuple[str, ...]]:
    """Two verdicts for every ordered pair of models."""
    for a, b in [*permutations(range(len(MODELS)), 2)] * 2:
        tie, a_wins = rng.random() < TIE, rng.random() < sigmoid(STEP * (b - a))
        yield MODELS[a], MODELS[b], "tie" if tie else "model_a" if a_wins else "model_b"


def write(path: Path, header: str, rows: Iterable[tuple[str, ...]]) -> None:
    lines = [header, *map(",".join, rows)]
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())


def main() -> None:
    with (DEMO / "ratings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    scores = {row["key"]: fmean(int(row[name]) for name in RATINGS) for row in rows}
    if any(float(row["overall"]) != scores[row["key"]] for row in rows):
        sys.exit("ratings.csv: overall must be the mean of the four ratings")
    write(DEMO / "judge.csv", "first,second,p_first", judge(scores, random.Random(SEED)))
    write(BATTLES, "model_a,model_b,winner", battles(random.Random(SEED)))


if __name__ == "__main__":
    main()
