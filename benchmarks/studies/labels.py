"""Judges validated against people's labels: `python -m benchmarks.studies.labels` prints the tables of judges.md.

Two judges are right independently in a share of the items, four others have the same error in 40% of them. A row has
the accuracy of each way to weigh them on 319 items with that many labels. And what labels show, by which items people
label.
"""

from collections.abc import Callable

import numpy as np
from nextpair.words import AggregationName

from app.analysis.item_contexts import standardised
from app.inference.judges import ItemContext, binary, examine, needs_context, next_to_label, votes
from app.inference.judges.aggregation import dawid_skene_anchored
from app.inference.types import Floats, Ints
from benchmarks.pages import percent, show, with_error
from benchmarks.studies.running import options, say

ITEMS, MISLED, FOLLOWS = 319, 0.4, 0.95
METHODS: tuple[AggregationName, ...] = ("majority", "dawid-skene", "skill-aggregation", "skill-aggregation-x")
LABELS = (0, 10, 20, 40)


def main() -> None:
    runs = options(__doc__, runs=60).runs
    weighing(runs)
    choosing(runs)


def judged(good: float, seed: int) -> tuple[Ints, Floats]:
    """True classes, and the votes of two good judges and of four with correlated errors."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=ITEMS)
    follows = np.where(rng.random(ITEMS) < MISLED, 1 - truth, truth)[:, None]
    by_good = np.where(rng.random((ITEMS, 2)) < good, truth[:, None], 1 - truth[:, None])
    by_misled = np.where(rng.random((ITEMS, 4)) < FOLLOWS, follows, 1 - follows)
    return truth, np.column_stack([by_good, by_misled]).astype(np.float64)


def weighing(runs: int) -> None:
    """Print accuracies in percent on the items without a label, and in how many runs a good judge is warned of."""
    rows = []
    for good in (0.8, 0.75):
        for labels in LABELS:
            say(f"{good:.0%}, {labels} labels")
            measured = np.array([_accuracies(good, labels, seed) for seed in range(runs)])
            cells = map(percent, measured[:, :-1].T)
            rows.append([f"{good:.0%}", str(labels), *cells, f"{100.0 * measured[:, -1].mean():.0f}%"])
    show(["good judges", "labels", "best judge", *METHODS, "warned of a good judge"], rows)


def _accuracies(good: float, labels: int, seed: int) -> list[float]:
    """The best judge's, then each method's, then whether a good judge is warned of. The context is right in 69%."""
    truth, y = judged(good, seed)
    rng = np.random.default_rng([seed, 1])
    context = ItemContext(standardised((truth + rng.standard_normal(ITEMS))[:, None]), np.arange(ITEMS))
    people, rest = np.full((ITEMS, 1), np.nan), np.arange(ITEMS) >= labels
    people[:labels, 0] = truth[:labels]
    accuracies, is_warned = [float((y == truth[:, None])[rest].mean(axis=0).max())], False
    for method in METHODS:
        group = examine(binary(y), method, rng, votes(binary(people)), context if needs_context(method) else None)
        accuracies.append(float((group.aggregate.labels(rng) == truth)[rest].mean()))
        together = [int(k) for members in group.dependence.groups() for k in members]
        is_warned |= bool({*together, *(doubt.judge for doubt in group.doubts)} & {0, 1})
    return [*accuracies, float(is_warned and labels > 0)]


def choosing(runs: int) -> None:
    """Print the error of the judges' stated accuracies and the accuracy of Dawid-Skene, by which items are labelled."""
    ways: dict[str, Callable[[Floats, int, np.random.Generator], Ints]] = {
        "chance": lambda v, count, rng: rng.permutation(len(v))[:count],
        "most disputed": _most_disputed,
        "alike in votes": lambda v, count, rng: next_to_label(v, np.zeros(len(v), np.bool_), count, rng)[0],
    }
    rows = []
    for name, way in ways.items():
        for labels in LABELS[1:]:
            measured = np.array([_known(way, labels, seed) for seed in range(runs)])
            rows.append([name, str(labels), *(with_error(figures, ".3f") for figures in measured.T)])
    show(["labelled by", "labels", "error of judges' accuracy", "dawid-skene, accuracy"], rows)


def _known(way: Callable[[Floats, int, np.random.Generator], Ints], count: int, seed: int) -> tuple[float, float]:
    truth, y = judged(0.75, seed)
    rng = np.random.default_rng([seed, 2])
    v, labels = votes(binary(y)), np.zeros((ITEMS, 2))
    chosen = way(v, count, rng)
    labels[chosen] = np.eye(2)[truth[chosen]]
    right = y == truth[:, None]
    accuracy = dawid_skene_anchored(v, labels, rng).aggregate.probability.argmax(axis=1) == truth
    return float(np.abs(right[chosen].mean(axis=0) - right.mean(axis=0)).mean()), float(accuracy.mean())


def _most_disputed(v: Floats, count: int, rng: np.random.Generator) -> Ints:
    """Where two judges drawn for an item name the same class with the least chance."""
    agreed = (v.mean(axis=1) ** 2).sum(axis=1)
    return np.argsort(agreed + 1e-9 * rng.random(len(v)))[:count]


if __name__ == "__main__":
    main()
