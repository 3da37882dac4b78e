"""SkillAggregation beside its paper: `python -m benchmarks.studies.skill_aggregation` prints tables of judges.md.

On ../shared/data/skillagg: the paper's table 1, the slopes of its 6.2, another encoder (6.3, `--encoder` and a folder),
subsets of judges (6.4) and of items (6.5); and simulations, in which no regulariser is right and of contexts that tell
more or less. `--parts` runs some of them alone.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from nextpair.words import AggregationName
from scipy.sparse import csr_array

from app.analysis.item_contexts import standardised
from app.inference.judges import ItemContext, binary, examine
from app.inference.judges.group_verdicts import skill
from app.inference.types import Bools
from benchmarks.pages import show
from benchmarks.studies.judges import LabelledItems, accuracy, load, over_seeds, texts, with_sd
from benchmarks.studies.running import options

DATA_SETS = ("halueval_dialogue", "truthfulqa")


class SkillRow(NamedTuple):
    """A row of the paper's table 1, for judges of 7 and 8 billion parameters."""

    name: str
    method: AggregationName
    regulariser: float | None
    published: tuple[str, str]  # in the order of DATA_SETS


ROWS = (
    SkillRow("average", "average", None, ("76.28", "68.06")),
    SkillRow("majority", "majority", None, ("76.16", "67.47")),
    SkillRow("dawid-skene", "dawid-skene", None, ("76.78", "67.84")),
    SkillRow("train-on-majority", "train-on-majority", None, ("78.78 ± 1.10", "67.32 ± 0.22")),
    SkillRow("crowdlayer", "crowdlayer", None, ("79.27 ± 0.39", "67.74 ± 0.69")),
    SkillRow("skill-aggregation, regulariser 0", "skill-aggregation", 0.0, ("80.22 ± 0.41", "68.07 ± 0.30")),
    SkillRow("skill-aggregation", "skill-aggregation", None, ("80.83 ± 0.33", "68.74 ± 0.13")),
    SkillRow("skill-aggregation-x", "skill-aggregation-x", None, ("81.06 ± 0.14", "68.77 ± 0.21")),
)


def main() -> None:
    """`--encoder` is the folder of a transformer, in place of hashed n-grams."""
    chosen = options(__doc__, parts=list(PARTS), runs=5, encoder="")
    truthful = load("truthfulqa", 0)
    if chosen.encoder:
        truthful = truthful._replace(context=_encoded(truthful.context, chosen.encoder))
    for part in chosen.parts:
        PARTS[part](truthful, chosen.runs)


def beside_the_paper(truthful: LabelledItems, runs: int) -> None:
    """Print accuracies in percent, ours over seeds of splits and of broken ties."""
    dialogue, cells = load("halueval_dialogue", 0), []
    for row in ROWS:
        cells.append([row.name])
        for judged, published in zip((dialogue, truthful), row.published, strict=True):
            cells[-1] += [published, over_seeds(judged, row.method, runs, row.regulariser)]
    columns = [f"{name}, {whose}" for name in DATA_SETS for whose in ("paper", "ours")]
    show(["method", *columns], cells)


def slopes(judged: LabelledItems, _: int) -> None:
    """Print each judge's slope p0 + p1 - 1 beside its accuracy (SA 6.2)."""
    group = examine(binary(judged.y), "skill-aggregation", np.random.default_rng(0), context=judged.context).aggregate
    assert group.confusion is not None
    of_judges, right = skill(group.confusion), np.mean((judged.y > 0.5) == judged.truth[:, None], axis=0)
    rows = [[str(k), f"{100 * a:.1f}", f"{s:.2f}"] for k, (a, s) in enumerate(zip(right, of_judges, strict=True))]
    show(["judge", "accuracy", "slope"], rows)
    print(f"\nPearson correlation {np.corrcoef(right, of_judges)[0, 1]:.3f}", flush=True)


def subsets(judged: LabelledItems, runs: int) -> None:
    """Print accuracies of so many random subsets of three to six judges (SA 6.4)."""
    rng, rows = np.random.default_rng(0), []
    for seed in range(runs):
        judges = np.sort(rng.choice(judged.y.shape[1], rng.integers(3, 7), replace=False))
        some = judged._replace(y=judged.y[:, judges])
        methods: tuple[AggregationName, ...] = ("majority", "dawid-skene", "skill-aggregation")
        figures = [f"{accuracy(some, method, seed):.2f}" for method in methods]
        rows.append([" ".join(map(str, judges)), *figures])
    show(["judges", "majority", "dawid-skene", "skill-aggregation"], rows)


def sizes(judged: LabelledItems, runs: int) -> None:
    """Print accuracies less that of the majority, of random subsets of the items (SA 6.5)."""
    rows = []
    for size in (1000, 2000, 3000, 4000, 5000):
        gains = np.array([_gains(_some_items(judged, size, seed), seed) for seed in range(runs)])
        rows.append([str(size), *(with_sd(gain, "+.2f") for gain in gains.T)])
    show(["items", "crowdlayer", "skill-aggregation"], rows)


def _gains(judged: LabelledItems, seed: int) -> list[float]:
    plain = accuracy(judged, "majority", seed)
    return [accuracy(judged, "crowdlayer", seed) - plain, accuracy(judged, "skill-aggregation", seed) - plain]


def _some_items(judged: LabelledItems, size: int, seed: int) -> LabelledItems:
    assert judged.context is not None
    keep = np.random.default_rng(seed).choice(len(judged.truth), size, replace=False)
    x, group, _ = judged.context
    return LabelledItems(judged.truth[keep], judged.y[keep], ItemContext(x[keep], group[keep]))


def simulation(_: LabelledItems, runs: int) -> None:
    """Print accuracy and skills of judges right in 85, 80, 65 and 60%, with a context right in 84%."""
    rows = []
    for name, regulariser in (("0", 0.0), ("0.1", 0.1), ("chosen", None)):
        accuracies, skills = [], []
        for seed in range(runs):
            judged, rng = _simulated(seed, [0.85, 0.8, 0.65, 0.6], 3.0), np.random.default_rng(seed)
            group = examine(
                binary(judged.y), "skill-aggregation", rng, context=judged.context, regulariser=regulariser
            ).aggregate
            assert group.confusion is not None
            accuracies.append(100.0 * float((group.labels(rng) == judged.truth).mean()))
            skills.append(skill(group.confusion))
        right = " ".join(f"{100 * (1 + s) / 2:.0f}" for s in np.mean(skills, axis=0))
        rows.append([name, with_sd(accuracies), right])
    show(["regulariser", "accuracy", "judges are right in %"], rows)


def contexts(_: LabelledItems, runs: int) -> None:
    """Print accuracies with judges right in 85, 65, 60 and 50%, by how often the context is right."""
    rows = []
    for slope, right in ((0.0, "50%"), (1.25, "71%"), (3.0, "84%")):
        simulated = [_simulated(seed, [0.85, 0.65, 0.6, 0.5], slope) for seed in range(runs)]
        methods: tuple[AggregationName, ...] = ("dawid-skene", "skill-aggregation")
        of_each = [[accuracy(judged, method, seed) for seed, judged in enumerate(simulated)] for method in methods]
        rows.append([right, *map(with_sd, of_each)])
    show(["context is right in", "dawid-skene", "skill-aggregation"], rows)


def _simulated(seed: int, right: Sequence[float], slope: float) -> LabelledItems:
    """1,000 items with judges who are `right` so often, and three numbers; the first times `slope` is a logit."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((1000, 3))
    truth = (slope * x[:, 0] + rng.logistic(size=1000) > 0.0).astype(np.int64)
    correct: Bools = rng.random((1000, len(right))) < right
    y = np.where(correct, truth[:, None], 1 - truth[:, None]).astype(np.float64)
    return LabelledItems(truth, y, ItemContext(standardised(x), np.arange(1000)))


def _encoded(context: ItemContext | None, model: str) -> ItemContext:
    from app.offline import transformer

    assert context is not None
    x: csr_array = transformer.encode(texts("truthfulqa"), transformer.load(model))
    return ItemContext(x, context.group)


PARTS = {
    "table": beside_the_paper,
    "slopes": slopes,
    "subsets": subsets,
    "sizes": sizes,
    "simulation": simulation,
    "contexts": contexts,
}

if __name__ == "__main__":
    main()
