"""Sorting by a judge's verdicts, as PAIRS does (Liu et al. 2024), against scores from as many comparisons (PoE C.8).

The sort is a merge sort: the heads of two sorted halves are compared, the more likely one goes first. PAIRS has a beam
of merges too, which of sets this small asks for most pairs.
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
from benchmarks.studies.methods.measuring import CONSISTENT, NOISIER, Campaign, JudgeFile, mean_over_documents

WAYS = (Criterion.REORDERING, Criterion.RANDOM)

TEXT = """\
## Sorting instead of scoring

As PoE's table 9 (Spearman x 100): PAIRS sorts the texts by merging, and asks for a pair when the sort needs it.
`soft-bt` has as many comparisons as the sort took on that document. A sort asks each question once and trusts the
verdict: with a judge that never contradicts itself it ends at the judge's own order; otherwise errors stay."""


def write(campaign: Campaign) -> str:
    sources = [each for each in (SUMMEVAL, TOPICALCHAT, HANNA, VICUNA) if not missing(campaign.datasets, each.folder)]
    rows = [
        _row(campaign, source, judge)
        for source in sources
        for judge in ((CONSISTENT,) if source is VICUNA else (CONSISTENT, NOISIER))
    ]
    header = ["data", "judge", "comparisons", "PAIRS", *(f"soft-bt, {way}" for way in WAYS)]
    return f"{TEXT}\n\n{table(header, rows)}"


def _row(campaign: Campaign, source: DataSet, judge: JudgeFile) -> list[str]:
    count = campaign.size.some_documents
    tasks: Mapping[str, Callable[[], Floats]] = {
        str(("sort", source.title, part, judge.name, count)): partial(
            _measured, campaign.datasets, source, part, judge, count
        )
        for part in source.parts[: campaign.size.parts]
    }
    by_part = campaign.checkpoints.all(tasks, campaign.pool)
    comparisons = float(np.mean([part[:, 0].mean() for part in by_part]))
    agreement = [mean_over_documents([part[:, k] for part in by_part]) for k in range(1, 4)]
    return [source.title, judge.name, number(comparisons), *map(in_hundredths, agreement)]


def _measured(folder: Path, source: DataSet, part: str, judge: JudgeFile, documents: int) -> Floats:
    """(C, 4) comparisons, Spearman of the sort, and of soft-bt by WAYS with as many comparisons."""
    cases = source.cases(folder, part, documents)
    noisy_cases = [noisy(case, judge.noise, np.random.default_rng([0, k])) for k, case in enumerate(cases)]
    return np.array([_sorted(case, k) for k, case in enumerate(noisy_cases)])


def _sorted(case: Case, k: int) -> list[float]:
    start = np.random.default_rng([1, k]).permutation(len(case.answers))  # lots decide where the sort begins
    order, comparisons = merge_sort(start.tolist(), case.answers)
    scores = np.empty(len(order))
    scores[order] = -np.arange(len(order), dtype=np.float64)
    setups = [Setup(Policy(way), Order.BALANCED, case_seed(0, k), RankingMethod("soft-bt")) for way in WAYS]
    curves = [replay(open_loop(case, setup), case, comparisons) for setup in setups]
    return [float(comparisons), spearman(scores, case.truth), *(float(spearmans[-1]) for spearmans, _ in curves)]


def merge_sort(part: list[int], answers: Floats) -> tuple[list[int], int]:
    """Sorted candidates, best first, and how many pairs were asked for."""
    if len(part) < 2:
        return part, 0
    (left, in_left), (right, in_right) = (
        merge_sort(half, answers) for half in (part[: len(part) // 2], part[len(part) // 2 :])
    )
    merged: list[int] = []
    comparisons = in_left + in_right
    while left and right:
        comparisons += 1
        ahead = left if answers[left[0], right[0]] >= 0.5 else right
        merged.append(ahead.pop(0))
    return [*merged, *left, *right], comparisons
