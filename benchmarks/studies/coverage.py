"""Does the confidence of a ranking hold? `python -m benchmarks.studies.coverage` prints the tables of uncertainty.md.

True scores are drawn from the prior, s ~ N(0, I), and verdicts from the model, on pairs that the service's own code
chooses as the log grows:

    soft-bt     p = 1 with probability sigma(s_i - s_j), else 0
    gaussian    p ~ N(beta + (s_i - s_j) / alpha, v / alpha^2): here the posterior is exact, a miss would be a mistake

Over many runs what is stated as 95% should hold in 95% of them, for every way of choosing pairs. No pair is asked twice
before all pairs have been. A standard error is that of independent runs.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference import experts
from app.inference.choosing import Criterion, Order, Plan, Policy
from app.inference.fitting import Method, Scores
from app.inference.reporting import Table, Wanted, predict, summary_of
from app.inference.reporting.confidence import tie_groups
from app.inference.state import exact
from app.inference.types import Floats
from benchmarks.loop import Answer, judged
from benchmarks.studies.methods.markdown import with_error
from benchmarks.studies.truth import inside

SEED = 20_260
LENGTHS = (2, 5, 20)  # comparisons for each candidate
RUNS = {"soft-bt": {10: 1500, 50: 500, 200: 400}, "gaussian": {10: 1000, 50: 300, 200: 200}}  # of N candidates
QUICK = {10: 100, 50: 20, 200: 2}
SMALL = 10  # its pairs run out within the run, so that batches of n would step over a length
CRITERIA = (Criterion.RANDOM, Criterion.REORDERING, Criterion.VARIANCE)
LEVEL = 0.95
EPSILONS = (0.0, 0.25)  # of tie groups
EDGES = np.array([0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1.0])

Judge = Callable[[Floats, np.random.Generator], Floats]  # from true differences to p


class CoverageSetting(NamedTuple):
    """A row of the tables, except its length."""

    expert: str
    n: int
    criterion: Criterion


class Statements(NamedTuple):
    """Probabilities stated, and whether each came true."""

    stated: Floats  # (n,)
    true: Floats  # (n,) 0 or 1


class Coverage(NamedTuple):
    """Comparison of one ranking with the truth."""

    marginal: float  # share of the marginal intervals that hold their score, less the mean of all
    together: bool  # all rank intervals hold their rank
    width: float  # worst rank minus best, the mean
    leader: Statements  # P(best) of the one at the top
    best: Statements  # P(best) of everyone
    top: Statements  # P(among the best fifth) of everyone
    before: Statements  # P(i before i + 1) in candidate order, which says nothing of the scores
    claims: tuple[Statements, ...]  # by EPSILONS: a later tie group is worse than the first head, by more


def main() -> None:
    parser = ArgumentParser(prog="python -m benchmarks.studies.coverage")
    parser.add_argument("--quick", action="store_true", help="a fifteenth of the runs, to see that it works")
    quick = parser.parse_args().quick
    for expert in RUNS:
        runs = QUICK if quick else RUNS[expert]
        everything: list[list[Coverage]] = []
        print(heading(expert))
        for n, criterion in product(runs, CRITERIA):
            measured = list(measure(CoverageSetting(expert, n, criterion), runs[n]))
            for length, of_length in zip(LENGTHS, zip(*measured, strict=True), strict=True):
                print(row(n, length, criterion, of_length), flush=True)
            everything += measured
        print(calibration(everything), flush=True)


def measure(setting: CoverageSetting, runs: int) -> Iterator[list[Coverage]]:
    """Yield for every run how each of LENGTHS is covered."""
    for number in range(runs):
        rng = np.random.default_rng([SEED, *_key(setting), number])
        yield list(one_run(setting, rng))
        print(f"\r{setting.expert} N={setting.n} {setting.criterion} {number + 1}/{runs}", end=" ", file=sys.stderr)
    print(file=sys.stderr)


def one_run(setting: CoverageSetting, rng: np.random.Generator, lengths: Sequence[int] = LENGTHS) -> Iterator[Coverage]:
    n, truth = setting.n, rng.standard_normal(setting.n)
    plan = Plan(Policy(setting.criterion), Order.BALANCED, int(rng.integers(2**32)))
    batch = n if setting.criterion is Criterion.RANDOM and n > SMALL else max(n // 10, 1)
    method, answer = Method(expert=setting.expert), answering(judge(setting.expert), truth, rng)
    at = {length * n for length in lengths}
    for snapshot in islice(judged(answer, n, method, plan, batch), max(at) // batch):
        if snapshot.version in at:
            yield coverage_of(exact(snapshot).scores, truth, Wanted(LEVEL, top_k=max(n // 5, 1)))


def answering(judge: Judge, truth: Floats, rng: np.random.Generator) -> Answer:
    """The judge at work on candidates with these (N,) scores."""
    return lambda first, second: judge(truth[first] - truth[second], rng)


def judge(expert: str) -> Judge:
    """Return a judge that follows this comparison model."""
    if expert == "soft-bt":
        return hard_verdicts
    alpha, beta, v = (experts.parameters("gaussian")[name] for name in ("alpha", "beta", "v"))
    return lambda d, rng: np.asarray(beta + d / alpha + np.sqrt(v) / alpha * rng.standard_normal(len(d)))


def hard_verdicts(d: Floats, rng: np.random.Generator) -> Floats:
    return (rng.random(len(d)) < expit(d)).astype(np.float64)


def coverage_of(posterior: Scores, truth: Floats, wanted: Wanted) -> Coverage:
    stated, _ = summary_of(posterior, wanted)
    rank, leader = np.argsort(np.argsort(-truth)) + 1, int(np.argmax(stated.score))
    best, top = (rank == 1).astype(np.float64), (rank <= wanted.top_k).astype(np.float64)
    return Coverage(
        float(inside(truth - truth.mean(), stated.interval).mean()),  # scores are relative: decision 14
        bool(inside(rank, stated.rank_interval).all()),
        float(np.diff(stated.rank_interval, axis=1).mean()),
        Statements(stated.p_best[[leader]], best[[leader]]),
        Statements(stated.p_best, best),
        Statements(stated.p_top_k, top),
        _before(posterior, truth),
        tuple(_claims(posterior, stated, truth, wanted._replace(epsilon=epsilon)) for epsilon in EPSILONS),
    )


def heading(expert: str) -> str:
    columns = (
        "N | comparisons | selection | runs | scores % | ranks together % | width of ranks | leader best, stated | true"
    )
    claims = " | ".join(f"claims beyond {epsilon:g} | false %" for epsilon in EPSILONS)
    return table_head(f"{expert}: {columns} | {claims}")


def row(n: int, length: int, criterion: Criterion, rankings: Sequence[Coverage]) -> str:
    marginal, together = ([100.0 * getattr(ranking, name) for ranking in rankings] for name in ("marginal", "together"))
    stated, so = (np.concatenate([ranking.leader[side] for ranking in rankings]).mean() for side in (0, 1))
    cells = [f"{n}", f"{length}N", criterion, f"{len(rankings)}", with_error(marginal), with_error(together)]
    cells += [f"{np.mean([ranking.width for ranking in rankings]):.1f}", f"{stated:.3f}", f"{so:.3f}"]
    for claims in zip(*(ranking.claims for ranking in rankings), strict=True):
        true = np.concatenate([of_run.true for of_run in claims])
        cells += [f"{len(true)}", f"{100.0 * (1.0 - true.mean()):.2f}" if len(true) else "–"]
    return f"| {' | '.join(cells)} |"


def calibration(runs: Sequence[Sequence[Coverage]]) -> str:
    """Tabulate each kind of probability by bins: how many, the mean stated, the share that came true."""
    lines = [table_head("what | stated | how many | mean stated | true | ± se")]
    for name in ("best", "top", "before"):
        by_run = [_joined([getattr(ranking, name) for ranking in run]) for run in runs]
        bins = zip(EDGES[:-1], EDGES[1:], _bins(by_run), strict=True)
        lines += [f"| P({name}) | {low:g} to {high:g} | {cells} |" for low, high, cells in bins]
    return "\n".join(lines) + "\n"


def _bins(runs: Sequence[Statements]) -> list[str]:
    """Cells of each bin. The standard error lets whatever was stated in one run depend on each other."""
    number = np.repeat(np.arange(len(runs)), [len(run.stated) for run in runs])
    stated, true = _joined(runs)
    bins, cells = np.clip(np.searchsorted(EDGES, stated, side="right"), 1, len(EDGES) - 1), []
    for members in (bins == k for k in range(1, len(EDGES))):
        gaps = np.bincount(number[members], (true - stated)[members], len(runs))
        error = float(np.sqrt((gaps * gaps).sum())) / max(int(members.sum()), 1)
        means = [f"{values[members].mean():.4f}" if members.any() else "–" for values in (stated, true)]
        cells.append(f"{members.sum()} | {' | '.join(means)} | {error:.4f}")
    return cells


def _joined(parts: Sequence[Statements]) -> Statements:
    stated, true = (np.concatenate(side) for side in zip(*parts, strict=True))
    return Statements(stated, true)


def _before(posterior: Scores, truth: Floats) -> Statements:
    pairs = [(i, i + 1) for i in range(len(truth) - 1)]
    stated = np.array([predict(posterior, i, j).p_first_better for i, j in pairs])
    return Statements(stated, np.array([float(truth[i] > truth[j]) for i, j in pairs]))


def _claims(posterior: Scores, stated: Table, truth: Floats, wanted: Wanted) -> Statements:
    """Claims that the candidates of later tie groups are worse than the head of the first by more than epsilon."""
    later = tie_groups(posterior, stated.rank_interval, wanted.level, wanted.epsilon) > 1
    worse = truth[int(np.argmax(stated.score))] - truth[later] > wanted.epsilon
    return Statements(np.full(int(later.sum()), wanted.level), worse.astype(np.float64))


def table_head(columns: str) -> str:
    return f"\n| {columns} |\n|{'---|' * (columns.count('|') + 1)}"


def _key(setting: CoverageSetting) -> tuple[int, int, int]:
    return list(RUNS).index(setting.expert), setting.n, CRITERIA.index(setting.criterion)


if __name__ == "__main__":
    main()
