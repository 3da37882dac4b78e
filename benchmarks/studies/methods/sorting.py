"""Sorting by a judge's verdicts, as PAIRS does (Liu et al. 2024), against scores from as many comparisons (PoE C.8).

greedy   merge sort: the heads of two sorted halves are compared, the likelier one goes first
beam     the same, but both ways are followed where p is within GAP of 1/2, and the BEAM likeliest are kept; a
         comparison that several ways need is asked once
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from app.inference.choosing import Criterion, Order, Policy
from app.inference.types import Floats
from app.offline.cases import Case, noisy
from app.offline.ranking import RankingMethod
from app.offline.replay import Setup, open_loop, replay, spearman
from app.offline.simulation import case_seed
from benchmarks.studies.methods.data import HANNA, SUMMEVAL, TOPICALCHAT, VICUNA, DataSet, missing
from benchmarks.studies.methods.markdown import in_hundredths, number, table
from benchmarks.studies.methods.measuring import CONSISTENT, NOISIER, Campaign, Judge, mean_over_documents

BEAM, GAP = 10, 0.1
WAYS = (Criterion.REORDERING, Criterion.RANDOM)

TEXT = """\
## Sorting instead of scoring

As PoE's table 9 (Spearman x 100): PAIRS sorts the texts by merging, and asks for a pair when the sort needs it; `beam`
follows both orders where p is within 0.1 of 1/2, and keeps the ten likeliest ways. `soft-bt` has as many comparisons as
the sort took on that document. A sort asks each question once and believes the answer: with a judge that never
contradicts itself it is as good as the judge's own scores; with one that does, what it got wrong stays wrong."""


def write(campaign: Campaign) -> str:
    sources = [each for each in (SUMMEVAL, TOPICALCHAT, HANNA, VICUNA) if not missing(campaign.datasets, each.folder)]
    rows = [
        _row(campaign, data, judge)
        for data in sources
        for judge in ((CONSISTENT,) if data is VICUNA else (CONSISTENT, NOISIER))
    ]
    columns = [f"{sort}{other}" for sort in ("PAIRS greedy", "PAIRS beam") for other in (" (comparisons)", *_as_many())]
    return f"{TEXT}\n\n{table(['data', 'judge', *columns], rows)}"


def _as_many() -> list[str]:
    return [f": {way} with as many" for way in WAYS]


def _row(campaign: Campaign, data: DataSet, judge: Judge) -> list[str]:
    tasks: Mapping[str, Callable[[], Floats]] = {
        str(("sorting", data.title, part, judge.name, campaign.size.some_documents)): partial(
            _measured, campaign.datasets, data, part, judge, campaign.size.some_documents
        )
        for part in data.parts[: campaign.size.parts]
    }
    by_part = campaign.checkpoints.all(tasks, campaign.pool)
    cells = [data.title, judge.name]
    for sort in range(2):
        asked = number(float(np.mean([part[:, sort, 0].mean() for part in by_part])))
        of_sort, *of_ways = (mean_over_documents([part[:, sort, k] for part in by_part]) for k in range(1, 4))
        cells += [f"{in_hundredths(of_sort)} ({asked})", *map(in_hundredths, of_ways)]
    return cells


def _measured(folder: Path, data: DataSet, part: str, judge: Judge, documents: int) -> Floats:
    """(C, 2, 4) for both sorts: comparisons, Spearman of the sort, and of soft-bt by WAYS with as many comparisons."""
    cases = data.cases(folder, part, documents)
    heard = [noisy(case, judge.noise, np.random.default_rng([0, k])) for k, case in enumerate(cases)]
    return np.array([[_sorted(case, k, beam) for beam in (1, BEAM)] for k, case in enumerate(heard)])


def _sorted(case: Case, k: int, beam: int) -> list[float]:
    order, asked = merge_sort(case.answers, np.random.default_rng([1, k]), beam)
    scores = np.empty(len(order))
    scores[order] = -np.arange(len(order), dtype=np.float64)
    setups = [Setup(Policy(way), Order.BALANCED, case_seed(0, k), RankingMethod("soft-bt")) for way in WAYS]
    curves = [replay(open_loop(case, setup), case, asked) for setup in setups]
    return [float(asked), spearman(scores, case.truth), *(float(spearmans[-1]) for spearmans, _ in curves)]


def merge_sort(answers: Floats, rng: np.random.Generator, beam: int) -> tuple[list[int], int]:
    """The candidates, best first, and how many pairs were asked for. Lots decide where the sort begins."""
    asked: set[tuple[int, int]] = set()

    def sort(part: list[int]) -> list[int]:
        if len(part) < 2:
            return part
        middle = len(part) // 2
        return _merge(sort(part[:middle]), sort(part[middle:]), answers, beam, asked)

    return sort(rng.permutation(len(answers)).tolist()), len(asked)


def _merge(left: list[int], right: list[int], answers: Floats, beam: int, asked: set[tuple[int, int]]) -> list[int]:
    """One list of two sorted ones: the likeliest of the `beam` that are kept at every step."""
    ways: list[tuple[float, list[int], int, int]] = [(0.0, [], 0, 0)]
    for _ in range(len(left) + len(right)):
        longer = [step for way in ways for step in _steps(way, left, right, answers, asked)]
        ways = sorted(longer, key=lambda way: -way[0])[:beam]
    return ways[0][1]


def _steps(
    way: tuple[float, list[int], int, int],
    left: list[int],
    right: list[int],
    answers: Floats,
    asked: set[tuple[int, int]],
) -> list[tuple[float, list[int], int, int]]:
    """The way with one candidate more, from either list."""
    value, merged, i, j = way
    if i == len(left):
        return [(value, [*merged, right[j]], i, j + 1)]
    if j == len(right):
        return [(value, [*merged, left[i]], i + 1, j)]
    a, b = left[i], right[j]
    asked.add((min(a, b), max(a, b)))
    p = float(np.clip(answers[a, b], 1e-6, 1.0 - 1e-6))
    steps = [(value + np.log(p), [*merged, a], i + 1, j), (value + np.log(1.0 - p), [*merged, b], i, j + 1)]
    return steps if abs(p - 0.5) < GAP else steps[:1] if p > 0.5 else steps[1:]
