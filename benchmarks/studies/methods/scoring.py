"""Every scoring method on the same fifth of the comparisons, random and selected (PoE tables 1, 2 and 5 to 8)."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np
from nextpair.words import MethodName

from app.inference import fitting
from app.inference.choosing import Criterion, Order, Policy
from app.inference.fitting import BASELINES
from app.inference.types import Comparisons, Floats, by_one_judge
from app.offline.cases import Case
from app.offline.ranking import RankingMethod, model_of
from app.offline.replay import LocalLoop, Setup, pearson, replay, spearman
from app.offline.simulation import case_seed
from benchmarks.studies.methods.data import SUMMEVAL, SUMMEVAL_JUDGES, TOPICALCHAT, VICUNA, DataSet, missing, summeval
from benchmarks.studies.methods.markdown import command, in_hundredths, table
from benchmarks.studies.methods.measuring import Campaign, Estimate, mean_over_documents

METHODS: tuple[MethodName, ...] = (
    "win-ratio", "bradley-terry", "poe-g-hard", "average-probability", "gaussian", "phi-beta", "soft-bt",
)  # fmt: skip
SHARE = 0.2  # of the N (N - 1) ordered pairs
CHOSEN = {"random": Criterion.RANDOM, "selected": Criterion.REORDERING}

TEXT = """\
## Scoring methods at 20% of the comparisons

As PoE's tables 1 and 2 (Spearman x 100) and 6 and 8 (Pearson x 100): 20% of N(N-1) comparisons, *random* or *selected*
(by `reordering`), the same ones for every method, and the full set. win-ratio, bradley-terry and poe-g-hard read who
won; the others the probability. PoE's PoE-BT is `soft-bt` and its PoE-g is `gaussian`; where comparisons come from
scores of single texts, they all put a full set in the order of those scores."""


class Sample(NamedTuple):
    """The comparisons of one part that are scored."""

    folder: Path
    data: DataSet
    part: str
    documents: int
    chosen: str  # one of CHOSEN, or "full"


def write(campaign: Campaign) -> str:
    judges = {f"SummEval, {judge}": _by_judge(judge) for judge in SUMMEVAL_JUDGES}
    sources = judges | {
        each.title: each for each in (TOPICALCHAT, VICUNA) if not missing(campaign.datasets, each.folder)
    }
    measured = {
        (title, chosen): _agreement(campaign, data, chosen)
        for title, data in sources.items()
        for chosen in (*CHOSEN, "full")
    }
    tables = [
        f"**{name}**\n\n{table(['judge', 'comparisons', *METHODS], _rows(measured, number))}"
        for number, name in enumerate(("Spearman", "Pearson"))
    ]
    line = f"nextpair simulate {SUMMEVAL.command.format(part='coherence')} --seeds 1 --limit-fraction {SHARE}"
    shown = [f"{line} --method win-ratio --evidence one-vote --criterion random --criterion reordering"]
    return "\n\n".join([TEXT, *tables, "A part of a row, at the end of the curves:", command(*shown)])


def _by_judge(judge: str) -> DataSet:
    return SUMMEVAL._replace(title=f"SummEval {judge}", load=partial(summeval, judge=judge))


def _rows(measured: Mapping[tuple[str, str], Sequence[Sequence[Estimate]]], number: int) -> list[list[str]]:
    return [
        [title, chosen, *(in_hundredths(of_method[number]) for of_method in by_method)]
        for (title, chosen), by_method in measured.items()
    ]


def _agreement(campaign: Campaign, data: DataSet, chosen: str) -> list[list[Estimate]]:
    """For each method Spearman and Pearson."""
    parts = data.parts[: campaign.size.parts]
    samples = [Sample(campaign.datasets, data, part, campaign.size.some_documents, chosen) for part in parts]
    tasks: Mapping[str, Callable[[], Floats]] = {
        str(("scoring", data.title, METHODS, *sample[2:])): partial(_scored, sample) for sample in samples
    }
    by_part = campaign.checkpoints.all(tasks, campaign.pool)
    return [
        [mean_over_documents([part[:, method, number] for part in by_part]) for number in range(2)]
        for method in range(len(METHODS))
    ]


def _scored(sample: Sample) -> Floats:
    """(C, M, 2) Spearman and Pearson of each document and method."""
    cases = sample.data.cases(sample.folder, sample.part, sample.documents)
    return np.array([_agreements(case, _comparisons(case, k, sample.chosen)) for k, case in enumerate(cases)])


def _comparisons(case: Case, k: int, chosen: str) -> Comparisons:
    if chosen not in CHOSEN:
        first, second = np.nonzero(~np.isnan(case.offered))
        return by_one_judge(first, second, case.offered[first, second])
    setup = Setup(Policy(CHOSEN[chosen]), Order.BALANCED, case_seed(0, k), RankingMethod("soft-bt"))
    loop = LocalLoop(case, setup)
    replay(loop, case, ceil(SHARE * case.ordered_pairs))
    return loop.comparisons


def _agreements(case: Case, comparisons: Comparisons) -> list[tuple[float, float]]:
    scores = [_scores(name, comparisons, len(case.keys)) for name in METHODS]
    return [(spearman(each, case.truth), pearson(each, case.truth)) for each in scores]


def _scores(name: MethodName, comparisons: Comparisons, n: int) -> Floats:
    if name in BASELINES:
        return BASELINES[name](comparisons, n).score
    return fitting.fit(comparisons, model_of(RankingMethod(name), n)).mean
