"""Several judges together: `python -m benchmarks.studies.judges` prints the tables of docs/appendix/judges.md.

Aggregation on ../shared/data/skillagg, with judges who always say yes beside the real ones; judge-aware rankings by
simulation and on ../shared/data/prd_vicuna80; where people's next verdict helps most on chatbot_arena_ppr.
"""

import csv
import gzip
from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np
import pyarrow.parquet as pq
from nextpair.words import AggregationName
from scipy.stats import spearmanr

from app.analysis.item_contexts import hashed_ngrams
from app.inference.choosing.second_opinions import gains
from app.inference.fitting import Method, Scores, build, judge_aware, posterior
from app.inference.judges import (
    Doubt,
    ItemContext,
    RankBounds,
    binary,
    examine,
    needs_context,
    prediction_powered,
    ranked,
)
from app.inference.types import Bools, Floats, Ints, once_each, take
from benchmarks.pages import show, with_error
from benchmarks.studies.rank_sets.arena import HUMAN, Arena, read_arena
from benchmarks.studies.rank_sets.simulation import size, where
from benchmarks.studies.running import DATA, options
from benchmarks.studies.simulated import hard_verdicts
from benchmarks.studies.truth import differences_held

NOT_JUDGES = ("item", "pair", "label", "question_id", "question", "answer")
METHODS: tuple[AggregationName, ...] = get_args(AggregationName)
FIVE = ["gpt4", "gpt35", "claude", "vicuna-13b", "bard"]
P = {"first": 1.0, "tie": 0.5, "second": 0.0}
CASTS = {
    "3 good, 2 useless, 1 adversarial": [2.0, 1.5, 1.2, 0.0, 0.0, -1.0],
    "3 good, 3 useless": [2.0, 1.5, 1.2, 0.0, 0.0, 0.0],
    "6 of falling skill": [1.5, 1.2, 1.0, 0.8, 0.6, 0.5],
    "6 alike": [1.0] * 6,
    "5 good, 1 adversarial": [1.5, 1.5, 1.5, 1.0, 1.0, -1.5],
}
PEOPLE, LOOKS, ALPHA = (200, 400, 600, 800, 1000), 20, 0.05


class LabelledItems(NamedTuple):
    """A data set of items whose truth is known, each with what K judges said."""

    truth: Ints  # (N,)
    y: Floats  # (N, K)
    context: ItemContext | None


def main() -> None:
    """`--seeds` of trainings, `--runs` of simulations."""
    chosen = options(__doc__, seeds=5, runs=60)
    aggregation(chosen.seeds)
    judge_aware_rankings(chosen.runs)
    home_advantages()
    human_checks(max(chosen.runs // 3, 1))


def aggregation(seeds: int) -> None:
    """Print accuracies in percent, over seeds of splits and of broken ties."""
    rows = []
    for name, always in [(n, a) for n in ("halueval_dialogue", "truthfulqa", "halueval_qa") for a in (0, 1, 3)]:
        judged = load(name, always)
        cells = [over_seeds(judged, method, seeds if always == 0 else 1) for method in METHODS]
        rows.append([name, str(always), *cells, str(len(_doubts(judged)))])
    show(["data", "who always say yes", *METHODS, "judges doubted"], rows)


def over_seeds(judged: LabelledItems, method: AggregationName, seeds: int, regulariser: float | None = None) -> str:
    """Accuracies in percent; none where the items do not say what the method reads."""
    if judged.context is None and needs_context(method):
        return "–"
    return with_sd([accuracy(judged, method, seed, regulariser) for seed in range(seeds)])


def with_sd(figures: Sequence[float] | Floats, form: str = ".2f") -> str:
    """Their mean, and the standard deviation of one."""
    return f"{np.mean(figures):{form}}" + (f" ± {np.std(figures, ddof=1):.2f}" if len(figures) > 1 else "")


def accuracy(judged: LabelledItems, method: AggregationName, seed: int, regulariser: float | None = None) -> float:
    """Accuracy in percent."""
    rng = np.random.default_rng(seed)
    labels: Ints = examine(
        binary(judged.y), method, rng, context=judged.context, regulariser=regulariser
    ).aggregate.labels(rng)
    return 100.0 * float((labels == judged.truth).mean())


def _doubts(judged: LabelledItems) -> list[Doubt]:
    nobody = np.empty((len(judged.y), 0, 2))
    return examine(binary(judged.y), "majority", np.random.default_rng(0), nobody).doubts


def load(name: str, always_yes: int) -> LabelledItems:
    rows = pq.read_table(DATA / f"skillagg/{name}.parquet")
    judges = [column for column in rows.column_names if column not in NOT_JUDGES]
    y = np.column_stack([*(rows[judge].to_numpy() for judge in judges), np.ones((len(rows), always_yes))])
    truth, context = rows["label"].to_numpy().astype(np.int64), None
    if "answer" in rows.column_names:
        context = ItemContext(hashed_ngrams(texts(name)), rows["question_id"].to_numpy().astype(np.int64))
    return LabelledItems(truth, y.astype(np.float64), context)


def texts(name: str) -> list[dict[str, str]]:
    """Contents of the items of a data set."""
    columns = pq.read_table(DATA / f"skillagg/{name}.parquet", columns=["question", "answer"]).to_pylist()
    return [{field: str(text) for field, text in row.items()} for row in columns]


def judge_aware_rankings(runs: int) -> None:
    """Print Spearman's correlation with the planted scores of 20 candidates."""
    rows = []
    for cast, c in CASTS.items():
        for count in (300, 600, 2000):
            measured = np.array([_one_ranking(c, count, seed) for seed in range(runs)])
            cells = [with_error(of_method, ".3f") for of_method in measured[:, :2].T]
            rows.append([cast, str(count), *cells, *(f"{share:.0%}" for share in measured[:, 2:].mean(axis=0))])
    columns = ["soft-bt, pooled", "judge-aware", "pooled: 95% intervals hold", "judge-aware: hold"]
    show(["judges", "verdicts", *columns], rows)


def _one_ranking(c: Sequence[float], count: int, seed: int) -> list[float]:
    """Correlations and coverage of differences, pooled and judge-aware in turn."""
    rng, n = np.random.default_rng(seed), 20
    s, judge, first = rng.standard_normal(n), rng.integers(len(c), size=count), rng.integers(n, size=count)
    second = (first + rng.integers(1, n, size=count)) % n
    p = hard_verdicts(np.array(c)[judge] * (s[first] - s[second]), rng)
    log, model = once_each(first, second, p, judge), build(Method(), n)
    pooled = posterior.fit(log, model)
    fits = Scores(pooled.mean, pooled.covariance), judge_aware.fit(log, model, nobody(len(c))).of_scores
    return [*(float(spearmanr(each.mean, s)[0]) for each in fits), *(differences_held(each, s) for each in fits)]


def nobody(judges: int) -> Bools:
    """No judge is a person."""
    return np.zeros(judges, np.bool_)


def home_advantages() -> None:
    with gzip.open(DATA / "prd_vicuna80/llm.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    systems = sorted({row["first"] for row in rows})
    first, second = (np.array([systems.index(row[side]) for row in rows]) for side in ("first", "second"))
    judge = np.array([FIVE.index(row["reviewer"]) for row in rows])
    log, model = once_each(first, second, np.array([P[row["winner"]] for row in rows]), judge), build(Method(), 5)
    fit = judge_aware.fit(log, model, nobody(5))
    cells = []
    for number, name in enumerate(FIVE):
        others = judge_aware.fit(take(log, judge != number), model, nobody(5)).of_scores.mean
        order = " > ".join(systems[k] for k in np.argsort(-others))
        columns = fit.c, fit.sd_of_c, fit.delta, fit.sd_of_delta
        c, sd_of_c, delta, sd_of_delta = (column[number] for column in columns)
        cells.append([name, f"{c:.2f} ± {sd_of_c:.2f}", f"{delta:+.2f} ± {sd_of_delta:.2f}", order])
    show(["judge", "discrimination", "home advantage", "order without it"], cells)
    print("\nof all: " + " > ".join(systems[k] for k in np.argsort(-fit.of_scores.mean)), flush=True)


def human_checks(runs: int) -> None:
    """Print the mean size of the rank-sets after so many verdicts of people; GPT-4 has judged all instances."""
    arena = read_arena(DATA / "chatbot_arena_ppr")
    rows = []
    for how in ("chance", "evenly", "gains"):
        sizes = np.array([_sizes(arena, how, seed) for seed in range(runs)])
        rows.append([how, *map(with_error, sizes.T)])
    show(["instances chosen by", *(f"{n} verdicts" for n in PEOPLE)], rows)


def _sizes(arena: Arena, how: str, seed: int) -> list[float]:
    rng, seen = np.random.default_rng(seed), np.zeros(arena.shown.shape[1], np.bool_)
    counts, sizes = np.zeros((arena.k, arena.k), np.int64), list[float]()
    rank_sets: RankBounds | None = None
    a, b = arena.shown
    for n in range(1, max(PEOPLE) + 1):
        known = rank_sets if how == "gains" else None
        value = np.ones(len(a)) if how == "chance" else gains(known, counts)[a, b]
        value = np.where(seen, -1.0, value)
        pick = int(rng.choice(np.flatnonzero(value >= value.max() * (1.0 - 1e-9))))
        seen[pick] = True
        counts[[a[pick], b[pick]], [b[pick], a[pick]]] += 1
        if n % LOOKS == 0 and np.bincount(np.concatenate([a[seen], b[seen]]), minlength=arena.k).min() >= 2:
            rank_sets = _rank_sets(arena, seen)
        if n in PEOPLE:
            assert rank_sets is not None
            sizes.append(size(rank_sets.ranks))
    return sizes


def _rank_sets(arena: Arena, seen: Bools) -> RankBounds:
    people, judge = where(seen, arena.wins[HUMAN]), arena.wins["gpt4"]
    return ranked(prediction_powered(arena.shown, people, [judge], k=arena.k), ALPHA)


if __name__ == "__main__":
    main()
