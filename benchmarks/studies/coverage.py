"""Does the confidence of a ranking hold? `python -m benchmarks.studies.coverage` prints the tables of uncertainty.md.

True scores are drawn from the prior, s ~ N(0, I), and verdicts from the model, on pairs that the service's own code
chooses as the log grows:

    soft-bt     p = 1 with probability sigma(s_i - s_j), else 0
    gaussian    p ~ N(beta + (s_i - s_j) / alpha, v / alpha^2): here the posterior is exact, a miss would be a mistake

Over many runs what is stated as 95% should hold in 95% of them, for every way of choosing pairs. No pair is asked twice
before all pairs have been. A standard error is that of independent runs.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise, product
from typing import NamedTuple

import numpy as np

from app.inference import experts
from app.inference.choosing import Criterion, Order, Plan, Policy
from app.inference.fitting import Method, Scores
from app.inference.reporting import Table, Wanted, predict, summary_of
from app.inference.reporting.confidence import tie_groups
from app.inference.state import exact
from app.inference.types import Floats
from benchmarks.loop import Answer, judged
from benchmarks.pages import percent, show
from benchmarks.studies.running import options, say
from benchmarks.studies.simulated import hard_verdicts
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
    """`--quick` takes a fifteenth of the runs, to see that it works."""
    quick = options(__doc__, quick=False).quick
    columns = ["scores %", "ranks together %", "width of ranks", "leader best, stated", "true"]
    columns += [column for epsilon in EPSILONS for column in (f"claims beyond {epsilon:g}", "false %")]
    for expert in RUNS:
        runs, rows, everything = QUICK if quick else RUNS[expert], list[list[str]](), list[list[Coverage]]()
        for n, criterion in product(runs, CRITERIA):
            measured = measure(CoverageSetting(expert, n, criterion), runs[n])
            for length, of_length in zip(LENGTHS, zip(*measured, strict=True), strict=True):
                rows.append(row(n, length, criterion, of_length))
            everything += measured
        show([f"{expert}: N", "comparisons", "selection", "runs", *columns], rows)
        show(["what", "stated", "how many", "mean stated", "true", "± se"], calibration(everything))


def measure(setting: CoverageSetting, runs: int) -> list[list[Coverage]]:
    """How each of LENGTHS is covered in every run."""
    say(" ".join(map(str, setting)))
    key = list(RUNS).index(setting.expert), setting.n, CRITERIA.index(setting.criterion)
    return [list(one_run(setting, np.random.default_rng([SEED, *key, run]))) for run in range(runs)]


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


def row(n: int, length: int, criterion: Criterion, rankings: Sequence[Coverage]) -> list[str]:
    shares = [percent([getattr(ranking, name) for ranking in rankings]) for name in ("marginal", "together")]
    leader = _joined([ranking.leader for ranking in rankings])
    cells = [f"{n}", f"{length}N", criterion, f"{len(rankings)}", *shares]
    cells += [f"{np.mean([ranking.width for ranking in rankings]):.1f}", *(f"{side.mean():.3f}" for side in leader)]
    for claims in zip(*(ranking.claims for ranking in rankings), strict=True):
        true = _joined(claims).true
        cells += [f"{len(true)}", f"{100.0 * (1.0 - true.mean()):.2f}" if len(true) else "–"]
    return cells


def calibration(runs: Sequence[Sequence[Coverage]]) -> Iterator[list[str]]:
    """Yield rows of each kind of probability by bins: how many, the mean stated, the share that came true.

    The standard error lets whatever was stated in one run depend on each other.
    """
    for name in ("best", "top", "before"):
        by_run = [_joined([getattr(ranking, name) for ranking in run]) for run in runs]
        number = np.repeat(np.arange(len(by_run)), [len(run.stated) for run in by_run])
        stated, true = _joined(by_run)
        bins = np.clip(np.searchsorted(EDGES, stated, side="right"), 1, len(EDGES) - 1)
        for k, (low, high) in enumerate(pairwise(EDGES), start=1):
            members = bins == k
            gaps = np.bincount(number[members], (true - stated)[members], len(runs))
            error = float(np.sqrt((gaps * gaps).sum())) / max(int(members.sum()), 1)
            means = [f"{values[members].mean():.4f}" if members.any() else "–" for values in (stated, true)]
            yield [f"P({name})", f"{low:g} to {high:g}", f"{members.sum()}", *means, f"{error:.4f}"]


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


if __name__ == "__main__":
    main()
