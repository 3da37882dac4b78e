"""Make the demo's judge.csv from its ratings.csv, and the files of this folder: python -m examples.make_judge"""

import csv
import math
import random
import sys
from collections.abc import Iterable, Iterator
from itertools import combinations, groupby, permutations
from pathlib import Path
from shutil import copyfile
from statistics import NormalDist, fmean, pstdev

from app.demo import FOLDER as DEMO

HERE = Path(__file__).resolve().parent
SEED = 20
RATINGS = ("accuracy", "clarity", "completeness", "engagement")
SCALE = 2.0  # points of overall rating worth one logit
BIAS = 0.25  # logits given to whichever answer is shown first
NOISE = NormalDist(0.0, 0.2)  # logits, drawn once per ordered pair
MODELS = ("finch-max", "heron-2", "wren", "heron-1", "finch-mini", "plover")
STEP = 0.45  # logits between one invented model and the next
TIE = 0.15  # chance that a battle is a tie
SHARED = 60  # instances of each two models in instances.csv
TASTE = {"finch-max": 0.0, "heron-2": -0.3, "wren": 0.5, "heron-1": 0.0, "finch-mini": 0.4, "plover": 0.0}
LABELLED = 4  # one sum in so many has alice's label
SUMS = 160
SKILL = {"strict": 0.85, "fair": 0.9, "hasty": 0.7}  # chance to be right
FOOLED = 0.35  # chance that all of TOGETHER err on a sum
TOGETHER = ("echo", "mirror", "parrot", "copy")
TEXTS = {"long": 0.1, "plain": 0.5, "short": 0.0, "terse": -0.1, "vivid": 0.6, "wry": -0.6}  # by their common score
LONG_WINDED = {"long": 1.2, "short": -0.6, "terse": -0.6, "vivid": 0.0, "plain": 0.0, "wry": 0.0}  # taste of verbose
ASSISTANTS = {  # scores by category, in logits: in code finch and heron change places
    "code": {"finch": 1.0, "heron": -0.4, "plover": -0.7, "wren": 0.1},
    "writing": {"finch": 0.3, "heron": 0.8, "plover": -0.9, "wren": -0.2},
    "facts": {"finch": 0.3, "heron": 0.8, "plover": -0.9, "wren": -0.2},
}
PROMPT = NormalDist(0.0, 0.4)  # logits that a prompt adds to a model's score
TASTE_FOR_LENGTH = 0.3  # logits for each standard deviation of ln characters
PEOPLE, EACH, VERBOSE = ("ada", "bob", "cyd"), 40, 1000  # comparisons of each person, and of verbose


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


def instances(rng: random.Random) -> Iterator[tuple[str, ...]]:
    """A judge's verdict on every instance, with tastes of its own, and people's on one in eight, drawn."""
    for a, b in [*combinations(range(len(MODELS)), 2)] * SHARED:
        merit = STEP * (b - a) + rng.gauss(0.0, 1.0)
        gpt = rng.random() < sigmoid(2.0 * (merit + TASTE[MODELS[a]] - TASTE[MODELS[b]]))
        human = rng.random() < sigmoid(2.0 * merit)
        yield MODELS[a], MODELS[b], _winner(gpt), _winner(human) if rng.random() < 1 / 8 else ""


def _winner(a_wins: bool) -> str:
    return "model_a" if a_wins else "model_b"


def sums(rng: random.Random) -> Iterator[tuple[str, ...]]:
    """Right and wrong sums, what judges say of them, and a person's label on some."""
    for number in range(SUMS):
        x, y, right = rng.randrange(2, 50), rng.randrange(2, 50), rng.random() < 0.5
        answer = x + y if right else x + y + rng.choice((-10, -1, 1, 10))
        alone = [right == (rng.random() < skill) for skill in SKILL.values()]
        together = right == (rng.random() >= FOOLED)
        echoes = [together == (rng.random() < 0.95) for _ in TOGETHER]
        label = str(int(right)) if rng.random() < 1 / LABELLED else ""
        yield f"s{number}", f"{x} + {y}?", str(answer), label, *(str(int(each)) for each in (*alone, *echoes))


def tastes(rng: random.Random) -> Iterator[tuple[str, ...]]:
    """People follow the common score; one judge of many verdicts adds a taste for long texts."""
    for judge, count in (*((person, EACH) for person in PEOPLE), ("verbose", VERBOSE)):
        own = LONG_WINDED if judge == "verbose" else dict.fromkeys(TEXTS, 0.0)
        for _ in range(count):
            first, second = rng.sample(sorted(TEXTS), 2)
            difference = TEXTS[first] + own[first] - TEXTS[second] - own[second]
            yield first, second, "first" if rng.random() < sigmoid(difference) else "second", judge


def assistants(outputs: list[dict[str, str]], rng: random.Random) -> Iterator[tuple[str, ...]]:
    """The probability that the first model's output is preferred, for every ordered pair on every prompt."""
    lengths = [math.log(len(row["output"])) for row in outputs]
    middle, spread = fmean(lengths), pstdev(lengths)
    for prompt, rows in groupby(zip(outputs, lengths, strict=True), key=lambda pair: pair[0]["prompt_id"]):
        merits = {
            row["model"]: ASSISTANTS[row["category"]][row["model"]]
            + PROMPT.inv_cdf(rng.random())
            + TASTE_FOR_LENGTH * (length - middle) / spread
            for row, length in rows
        }
        for first, second in permutations(merits, 2):
            logit = merits[first] - merits[second] + BIAS + NOISE.inv_cdf(rng.random())
            yield prompt, first, second, f"{sigmoid(logit):.4f}"


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
    write(HERE / "battles.csv", "model_a,model_b,winner", battles(random.Random(SEED)))
    write(HERE / "instances.csv", "model_a,model_b,gpt,human", instances(random.Random(SEED)))
    judges = ",".join((*SKILL, *TOGETHER))
    write(HERE / "sums.csv", f"item,question,answer,alice,{judges}", sums(random.Random(SEED)))
    write(HERE / "tastes.csv", "first,second,winner,judge", tastes(random.Random(SEED)))
    with (HERE / "assistants.csv").open(encoding="utf-8", newline="") as file:
        outputs = list(csv.DictReader(file))
    write(HERE / "assistants_judged.csv", "prompt_id,first,second,p_first", assistants(outputs, random.Random(SEED)))
    for name in ("assistants.csv", "assistants_judged.csv"):
        copyfile(HERE / name, DEMO / name)


if __name__ == "__main__":
    main()
