"""Signal, cycles, judges that change: `python -m benchmarks.studies.signal` prints the tables of uncertainty.md.

Twelve candidates with scores of spread sd, hard verdicts P(first wins) = sigma(d), d = s_first - s_second, or
probabilities sigma(d + noise). Pairs are chosen by the service's own code, orders are balanced, and no pair is asked
twice before all were. Each figure is a share of independent runs.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice, product

import numpy as np
from scipy.special import expit

from app.inference.choosing import Criterion, Order, Plan, Policy
from app.inference.fitting import Method
from app.inference.judges import Discrimination, discriminations
from app.inference.reporting import CLAIMED, circulation, signal_of
from app.inference.types import Comparisons, Floats, Ints, by_one_judge, once_each, take
from app.service.checks.ranking import RARE
from benchmarks.loop import judged
from benchmarks.pages import percent, show
from benchmarks.studies.coverage import Judge, answering
from benchmarks.studies.running import options
from benchmarks.studies.simulated import hard_verdicts

SEED = 20_262
N, IN_THE_CYCLE, JUDGES, VERDICTS = 12, 11, 4, 360
LENGTHS = (1, 2, 5)  # verdicts for each candidate
LONGEST, AT_ONCE = 10, 3  # verdicts for each candidate; verdicts from look to look

Answer = Callable[[np.random.Generator, Ints, Ints], Floats]  # p, from first and second
Misled = Callable[[np.random.Generator, Floats, Floats], Floats]  # p of a bad judge, from d and how far the log is


def main() -> None:
    runs = options(__doc__, runs=200).runs
    show(["judge", "sd", *(f"by {k}N, %" for k in LENGTHS), f"ever in {LONGEST}N, %"], signals(runs))
    show(["judge", "in doubt, %"], cycles(runs))
    show(["candidates", "sd", "one of the four judges", "flagged, %", "others, %"], changes(runs))


def signals(runs: int) -> Iterable[Sequence[str]]:
    """Yield how often signal is claimed by then, looking after every three verdicts."""
    judges: dict[str, tuple[float, Judge]] = {
        "random verdicts": (0.0, hard_verdicts),
        "random verdicts, the first in 90%": (0.0, lambda d, rng: (rng.random(len(d)) < 0.9).astype(np.float64)),
        "random probabilities": (0.0, noisy(2.0)),
    }
    judges |= {f"hard, spread {sd:g}": (sd, hard_verdicts) for sd in (0.2, 1.0, 3.0)}
    for sd, noise in ((1.0, 1.0), (0.2, 0.1)):
        judges[f"probabilities, spread {sd:g}, noise {noise:g}"] = (sd, noisy(noise))
    for criterion in (Criterion.RANDOM, Criterion.REORDERING):
        for name, (sd, judge) in judges.items():
            most = np.array([_highest(sd, judge, criterion, number) for number in range(runs)])
            shares = [percent(most[:, k * N // AT_ONCE - 1] >= CLAIMED) for k in (*LENGTHS, LONGEST)]
            yield [f"{name}, {criterion}", f"{sd:g}", *shares]


def noisy(noise: float) -> Judge:
    return lambda d, rng: np.asarray(expit(d + noise * rng.standard_normal(len(d))))


def _highest(sd: float, judge: Judge, criterion: Criterion, number: int) -> Floats:
    """(looks,) the highest e-value up to each look."""
    rng = np.random.default_rng([SEED, number])
    answer, plan = answering(judge, rng.normal(0.0, sd, N), rng), Plan(Policy(criterion), Order.BALANCED, number)
    *_, last = islice(judged(answer, N, Method(), plan, batch=AT_ONCE), LONGEST * N // AT_ONCE)
    log, item = last.comparisons, last.evidence.item
    looks = range(AT_ONCE, log.size + 1, AT_ONCE)
    e_values = [signal_of(take(log, slice(k)), N, item[:k], grew=True).e_value for k in looks]
    return np.maximum.accumulate(e_values)


def cycles(runs: int) -> Iterable[tuple[str, str]]:
    """Yield how often the check of cycles is in doubt, for one verdict on each of the 55 pairs of eleven candidates."""
    judges = {f"hard, spread {sd:g}": errs(sd) for sd in (0.0, 0.2, 1.0, 3.0)}
    judges |= {f"a cycle, right in {right:.0%}": is_cyclic(right) for right in (0.8, 0.9, 1.0)}
    for name, judge in judges.items():
        yield name, percent([_doubted(judge, number) for number in range(runs)])


def errs(sd: float) -> Answer:
    def answer(rng: np.random.Generator, first: Ints, second: Ints) -> Floats:
        s = rng.normal(0.0, sd, IN_THE_CYCLE)
        return hard_verdicts(s[first] - s[second], rng)

    return answer


def is_cyclic(right: float) -> Answer:
    """Each candidate beats the next half of the cycle."""

    def answer(rng: np.random.Generator, first: Ints, second: Ints) -> Floats:
        beats = (second - first) % IN_THE_CYCLE < IN_THE_CYCLE / 2
        return np.asarray(beats == (rng.random(len(first)) < right), np.float64)

    return answer


def _doubted(answer: Answer, number: int) -> bool:
    rng, pairs = np.random.default_rng([SEED, number]), np.array(np.triu_indices(IN_THE_CYCLE, 1))
    first, second = np.where(rng.random(pairs.shape[1]) < 0.5, pairs, pairs[::-1])
    log = by_one_judge(first, second, answer(rng, first, second))
    return circulation(log, IN_THE_CYCLE, rng).at_random <= RARE


def changes(runs: int) -> Iterable[Sequence[str]]:
    """Yield how often the bad one of four judges is flagged, and how often a good one is, after 360 verdicts."""
    kinds: dict[str, Misled] = {
        "is honest too": lambda rng, d, when: hard_verdicts(d, rng),
        "judges at random": lambda rng, d, when: hard_verdicts(0.0 * d, rng),
        "judges at random from half way": lambda rng, d, when: hard_verdicts(np.where(when < 0.5, d, 0.0), rng),
        "reverses half way": lambda rng, d, when: hard_verdicts(np.where(when < 0.5, d, -d), rng),
    }
    for n, sd, (kind, misled) in product((N, 20), (0.2, 1.0, 3.0), kinds.items()):
        judges = [each for run in range(runs) for each in _examined(n, sd, misled, run)]
        flagged = [
            percent([each.named is not None for each in judges if (each.judge == 0) is is_bad])
            for is_bad in (True, False)
        ]
        yield [f"{n}", f"{sd:g}", kind, *flagged]


def _examined(n: int, sd: float, misled: Misled, number: int) -> list[Discrimination]:
    rng, pairs = np.random.default_rng([SEED, n, number]), np.array(np.triu_indices(n, 1))
    rounds = -(-VERDICTS // pairs.shape[1])
    shown = np.concatenate([pairs[:, rng.permutation(pairs.shape[1])] for _ in range(rounds)], axis=1)[:, :VERDICTS]
    first, second = np.where(rng.random(VERDICTS) < 0.5, shown, shown[::-1])
    s, judge = rng.normal(0.0, sd, n), rng.integers(JUDGES, size=VERDICTS)
    d = s[first] - s[second]
    p = np.where(judge == 0, misled(rng, d, np.arange(VERDICTS) / VERDICTS), hard_verdicts(d, rng))
    log: Comparisons = once_each(first, second, p, judge)
    return discriminations(log, n, np.zeros(VERDICTS, np.int64))


if __name__ == "__main__":
    main()
