"""Is a ranking as right as it expects? `python -m benchmarks.studies.confidence`, tables of uncertainty.md.

Simulated judges, whose true order is known, each with pairs chosen by the service's code while it learns:

    stated      the concordance of the published ranking: the share of its pairs that it expects in the right order
    true        the share that it has in the order of the true scores
    interval    how often that is within the interval stated at 95%

Real judges and people. Each set of each data set is ranked from all verdicts of its judge, and from pairs drawn at
random, a fifth of N (N - 1). Each has one vote per verdict, or verdict weights learnt from the set alone.

    judge        the share in the order of all of the judge's verdicts; where these tie, half a pair
    interval     how often that share is within the interval stated at 95%
    people       the share that it has in the order of people, of the pairs that people distinguish
    AUROC        of that, and of minus the entropy, as a sign that a set's Spearman correlation with people is above the
                 median of its part (GPM table 1); 1/2 is chance
    surest half  the mean Spearman correlation once the half of the sets of least concordance is left out

Means are over parts, errors over redrawn sets.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice, product
from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.inference.choosing import Criterion, Order, Plan, Policy
from app.inference.fitting import Method, Published, fit, no_absolute_scores, publish
from app.inference.reporting import Wanted, by_posterior
from app.inference.state import under
from app.inference.types import Bools, Comparisons, Floats, by_one_judge, take
from app.offline.cases import Case
from app.offline.ranking import RankingMethod, model_of
from app.offline.replay import spearman
from benchmarks import loop
from benchmarks.pages import put, table
from benchmarks.studies.data import HANNA, SUMMEVAL, TOPICALCHAT, VICUNA, everything, missing
from benchmarks.studies.evidence import METHODS, SEED, N
from benchmarks.studies.running import DATA, DOCS, options
from benchmarks.studies.simulated import JUDGES, answering
from benchmarks.studies.truth import auroc

SETTINGS = (*((name, 1.0) for name in JUDGES), ("people", 0.2), ("people", 3.0))  # judge, sd of the true scores
LENGTHS = (2 * N, 5 * N)


class HeldOnAverage(NamedTuple):
    """One ranking."""

    stated: float
    so: float
    holds: float


def by_simulation(runs: int) -> str:
    rows = []
    for judge, sd in SETTINGS:
        by_run = [_rankings(judge, sd, run) for run in range(runs)]
        for length in LENGTHS:
            means = (np.mean([run[length, name] for run in by_run], axis=0) for name in METHODS)
            cells = zip(*([f"{100.0 * value:.1f}" for value in mean] for mean in means), strict=True)
            rows.append([judge, f"{sd:g}", f"{length}", *map(" → ".join, cells)])
    return table(["judge", "sd", "comparisons", "stated", "true", "interval"], rows)


def _rankings(judge: str, sd: float, run: int) -> Mapping[tuple[int, str], HeldOnAverage]:
    """By length and kind of evidence, of the same comparisons."""
    rng = np.random.default_rng([SEED, run])
    truth = sd * rng.standard_normal(N)
    answer, plan = answering(JUDGES[judge], truth, rng), Plan(Policy(Criterion.REORDERING), Order.BALANCED, run)
    snapshots = islice(loop.judged(answer, N, METHODS["learnt"], plan), max(LENGTHS))
    return {
        (snapshot.version, name): held(under(snapshot, method), truth)
        for snapshot in snapshots
        if snapshot.version in LENGTHS
        for name, method in METHODS.items()
    }


def held(published: Published, truth: Floats) -> HeldOnAverage:
    confidence = by_posterior(published, Wanted()).confidence
    assert confidence is not None
    so, (low, high) = float(in_order(published.scores.mean, truth).mean()), confidence.interval
    return HeldOnAverage(confidence.expected_concordance, so, float(low <= so <= high))


# Real judges and people

SHARE, RESAMPLES = 0.2, 300
EVIDENCE = {"one-vote": "one vote", "learnt": "learnt"}


class JudgedSet(NamedTuple):
    """One set."""

    stated: float
    judge: float
    holds: float
    people: float
    spearman: float
    minus_entropy: float


Parts = Sequence[Floats]  # (C, 6) of each, a row of JudgedSet for each set
Statistic = Callable[[Floats], float]  # of one part


def on_data_sets(folder: Path, sets: int | None) -> str:
    """Two tables; a data set that is not there is left out."""
    stated, predicting = [], []
    sources = [source for source in (SUMMEVAL, TOPICALCHAT, HANNA, VICUNA) if not missing(folder, source.folder)]
    for source, share, evidence in product(sources, (SHARE, 1.0), EVIDENCE):
        cases = [source.cases(folder, part, sets) for part in source.parts]
        parts = [
            np.array([judged(case, share, evidence, seed) for seed, case in enumerate(of_part)]) for of_part in cases
        ]
        name = [source.title, "all" if share == 1.0 else f"{share:.0%}", EVIDENCE[evidence]]
        means = {field: _mean(parts, field) for field in ("stated", "judge", "holds", "people")}
        if share == 1.0:
            means |= {"judge": "–", "holds": "–"}
        stated.append([*name, *means.values()])
        signs = [_in_percent(parts, _auroc("stated")), _in_percent(parts, _auroc("minus_entropy"))]
        predicting.append([*name, *signs, _mean(parts, "spearman"), _in_percent(parts, _of_surest_half)])
    first = table(["data", "pairs", "verdict weight", "stated", "judge", "interval", "people"], stated)
    columns = ["AUROC expected concordance", "AUROC minus entropy", "Spearman", "of the most confident half"]
    return f"{first}\n\n{table(['data', 'pairs', 'verdict weight', *columns], predicting)}"


def judged(case: Case, share: float, evidence: str, seed: int) -> JudgedSet:
    """The ranking of one set from a share of its N (N - 1) pairs, each asked in one order unless all are."""
    answers, n = everything(case), len(case.keys)
    full = fit(answers, model_of(RankingMethod("soft-bt"), n)).mean
    chosen = answers if share == 1.0 else _some(answers, ceil(share * case.ordered_pairs), np.random.default_rng(seed))
    published = publish(
        chosen, np.zeros(chosen.size, np.int64), no_absolute_scores(), Method(verdict_weight=evidence), n, 1
    )
    standings = by_posterior(published, Wanted())
    assert standings.confidence is not None
    assert standings.entropy is not None
    (low, high), mean = standings.confidence.interval, published.scores.mean
    by_judge = float(in_order(mean, full).mean())
    return JudgedSet(
        standings.confidence.expected_concordance,
        by_judge,
        float(low <= by_judge <= high),
        float(in_order(mean, case.truth)[distinguished(case.truth)].mean()),
        spearman(mean, case.truth),
        -standings.entropy,
    )


def in_order(scores: Floats, truth: Floats) -> Floats:
    """(K,) by pair: 1 where `scores` (N,) put it in the order of `truth` (N,), 0 where in the other, 1/2 in a tie."""
    i, j = np.triu_indices(len(truth), 1)
    mine, true = (np.sign(np.round(values[i] - values[j], 9)) for values in (scores, truth))
    return np.asarray(0.5 + 0.5 * mine * true, np.float64)


def distinguished(truth: Floats) -> Bools:
    """(K,) pairs that `truth` (N,) does not call equal."""
    i, j = np.triu_indices(len(truth), 1)
    return np.asarray(np.round(truth[i] - truth[j], 9) != 0.0)


def _some(answers: Comparisons, count: int, rng: np.random.Generator) -> Comparisons:
    """Draw so many pairs, each of them at random in one of the orders that the judge answered."""
    shuffled = take(answers, rng.permutation(answers.size))
    low, high = np.minimum(shuffled.first, shuffled.second), np.maximum(shuffled.first, shuffled.second)
    _, once = np.unique(np.column_stack([low, high]), axis=0, return_index=True)
    first, second, p, _, _ = take(shuffled, np.sort(once)[:count])
    return by_one_judge(first, second, p)


def _column(part: Floats, field: str) -> Floats:
    return np.asarray(part[:, JudgedSet._fields.index(field)])


def _auroc(sign: str) -> Statistic:
    def statistic(part: Floats) -> float:
        return auroc(_column(part, sign), _column(part, "spearman"))

    return statistic


def _of_surest_half(part: Floats) -> float:
    surest = np.argsort(-_column(part, "stated"), kind="stable")[: (len(part) + 1) // 2]
    return float(_column(part, "spearman")[surest].mean())


def _mean(parts: Parts, field: str) -> str:
    return _in_percent(parts, lambda part: float(_column(part, field).mean()))


def _in_percent(parts: Parts, statistic: Statistic) -> str:
    """The mean over parts, and its error."""
    rng = np.random.default_rng(0)
    drawn = [
        np.nanmean([statistic(part[rng.integers(len(part), size=len(part))]) for part in parts])
        for _ in range(RESAMPLES)
    ]
    return f"{100.0 * np.nanmean([statistic(part) for part in parts]):.1f} ± {100.0 * np.std(drawn):.1f}"


def main() -> None:
    """`--sets` of a part of a data set, `--runs` of every simulated judge."""
    chosen = options(__doc__, data=DATA, docs=DOCS, sets=10_000, runs=40)
    text = f"{by_simulation(chosen.runs)}\n\n{on_data_sets(chosen.data, chosen.sets)}"
    put(chosen.docs / "uncertainty.md", "python -m benchmarks.studies.confidence", text)


if __name__ == "__main__":
    main()
