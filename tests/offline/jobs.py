"""Files of pairs, and jobs that judge them by the scripted engine: the longer text wins, REFUSE is not judged."""

import csv
import random
from pathlib import Path
from typing import Any

from app.files.pairs import PairColumns
from app.offline.judging import JudgingJob, prepare
from judge_worker.settings import load

QUESTION = PairColumns(question="Which is longer?")


def write_pairs(file: Path, pairs: int, seed: int = 0) -> Path:
    """Every twentieth pair has a text that the judge refuses."""
    draws = random.Random(seed)
    texts = {f"c{n}": "x" * (3 * n + 1) for n in range(12)}
    with file.open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["first", "second", "first_text", "second_text", "item", "topic"])
        for n in range(pairs):
            first, second = draws.sample(sorted(texts), 2)
            shown = "REFUSE" if n % 20 == 19 else texts[first]
            rows.writerow([first, second, shown, texts[second], f"i{n % 3}", f"t{n % 2}"])
    return file


def job_of(pairs: Path, folder: Path, rows: int, **settings: Any) -> JudgingJob:
    own = load({"model": "lengths", "engine": "scripted", "batch": 16, **settings}, None, {})
    return prepare(str(pairs), QUESTION, folder, own, rows)


def parts_in(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.glob("part-*.parquet"))}
