"""Pairs that heed who asks: `python -m benchmarks.studies.judges_at_hand` prints the table of decision 49.

Judges ask in turn, drawn at random; each answer has the odds exp(c_j (s_first - s_second)). However pairs are chosen,
the ranking is read by judge-aware in the end. All pairs stay open, and orders are drawn.
"""

import sys
from argparse import ArgumentParser

import numpy as np
from scipy.special import expit
from scipy.stats import spearmanr

from app.inference.choosing.goals import RANKING
from app.inference.choosing.pair_sets import every_pair
from app.inference.choosing.selection import Criterion, Policy, fantasise, select
from app.inference.fitting import judge_aware, no_absolute_scores, publish
from app.inference.fitting.model import Method, build
from app.inference.fitting.posterior import Scores
from app.inference.types import Comparisons, once_each
from benchmarks.studies.judges import CASTS, nobody
from benchmarks.studies.methods.markdown import table

N, LOOKS, REFIT = 20, (100, 200, 300), 25
LITTLE = 0.1  # of the worth of the best judge's answers: who is worth less is passed over
POOLED = ("pooled", "learnt", "learnt, some passed over")
WAYS = {
    "chance": "pairs at random",
    "pooled": "from the posterior of soft-bt, one vote each",
    "learnt": "as by default: that, with votes as they are learnt",
    "learnt, some passed over": "that, and judges of next to no E c_j^2 asked nothing",
    "scores": "from the judge-aware posterior",
    "worth": "that, an answer counting for E c_j^2",
    "worth, some passed over": "that, and judges of next to no E c_j^2 asked nothing",
}


def main() -> None:
    """Print Spearman's correlation after so many answers."""
    parser = ArgumentParser(prog="python -m benchmarks.studies.judges_at_hand", description=__doc__)
    parser.add_argument("--runs", type=int, default=40, help="of each simulation")
    runs = parser.parse_args().runs
    rows = []
    for cast in ("3 good, 2 useless, 1 adversarial", "6 alike"):
        for way, words in WAYS.items():
            measured = np.array([measure(CASTS[cast], way, seed) for seed in range(runs)])
            mean, error = measured.mean(axis=0), measured.std(axis=0) / np.sqrt(runs)
            rows.append([cast, words, *(f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error, strict=True))])
            print(*rows[-1], file=sys.stderr)
    print(table(["judges", "pairs chosen", *(f"{count} answers" for count in LOOKS)], rows), flush=True)


def measure(c: list[float], way: str, seed: int) -> list[float]:
    """Spearman's correlation of the judge-aware ranking with the truth at each look."""
    rng, model = np.random.default_rng(seed), build(Method(), N)
    s = rng.standard_normal(N)
    policy = Policy(Criterion.RANDOM if way == "chance" else Criterion.KNOWLEDGE)
    open_pairs, component = every_pair(N), np.zeros(N, np.int64)
    rows, correlations = list[tuple[int, int, float, int]](), list[float]()
    while len(rows) < LOOKS[-1]:
        if len(rows) % REFIT == 0:
            aware = judge_aware.fit(_log(rows), model, nobody(len(c)))
            scores = _pooled(rows, way, len(c)) if way in POOLED else aware.of_scores
            mean, sigma, *_ = scores
        worths = aware.judges.c**2 + aware.sd_of_judges.c**2
        asked = worths >= LITTLE * worths.max() if "passed over" in way else np.ones(len(c), np.bool_)
        judge = int(rng.choice(np.flatnonzero(asked)))
        worth = model._replace(votes=float(worths[judge])) if "worth" in way else model
        (choice,) = select(mean, sigma, worth, open_pairs, component, policy, RANKING, 1, rng)
        pair = np.array([[choice.i], [choice.j]])
        sigma = fantasise(sigma, mean, worth, *pair)
        first, second = rng.permutation(pair[:, 0]).tolist()
        rows.append((first, second, float(rng.random() < expit(c[judge] * (s[first] - s[second]))), judge))
        if len(rows) in LOOKS:
            ranked = judge_aware.fit(_log(rows), model, nobody(len(c))).scores
            correlations.append(float(spearmanr(ranked, s)[0]))
    return correlations


def _pooled(rows: list[tuple[int, int, float, int]], way: str, judges: int) -> Scores:
    method = Method(evidence="learnt" if "learnt" in way else "one-vote")
    return publish(_log(rows), np.zeros(len(rows), np.int64), no_absolute_scores(), method, N, judges).scores


def _log(rows: list[tuple[int, int, float, int]]) -> Comparisons:
    first, second, p, judge = np.array(rows).reshape(-1, 4).T
    return once_each(first.astype(np.int64), second.astype(np.int64), p, judge.astype(np.int64))


if __name__ == "__main__":
    main()
