"""How often the interval of Krippendorff's alpha holds: `python -m benchmarks.studies.agreement`, for decision 50.

First of samples of pairs, then in the loop: three judges of a set with overlap, who err more on close pairs.
"""

from argparse import ArgumentParser
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference import state
from app.inference.choosing import Criterion, Order, Overlap, Plan, Policy, drawn
from app.inference.fitting import Method
from app.inference.judges import Alpha, krippendorff
from app.inference.state import BlockedPairs, Interpretation, Snapshot
from app.inference.types import Floats
from app.inference.verdicts import directions
from benchmarks.studies.methods.markdown import table


class Panel(NamedTuple):
    """Judges who are right so often, and tie so often; so many of them judge each pair."""

    right: tuple[float, ...]
    ties: float
    each: int


PANELS = [
    Panel((0.8, 0.8, 0.8), 0.0, 2),
    Panel((0.95, 0.95, 0.9), 0.15, 2),
    Panel((0.99, 0.99, 0.99), 0.0, 2),
    Panel((0.5, 0.5, 0.5), 0.0, 2),
    Panel((0.9, 0.9, 0.1), 0.0, 2),
    Panel((0.9, 0.8, 0.7), 0.3, 3),
    Panel((0.9,) * 6, 0.1, 6),
]
SIZES = (8, 15, 30, 60, 200)
N, COMPARISONS, JUDGES = 20, 150, (2.0, 1.0, 0.7)  # candidates of sd 1; what differences are multiplied with
EVERYONE = state.make_catalogue(1, tuple(map(str, range(N))), (("", None),), np.ones((1, N), np.int64))
NOTHING = np.empty(0, np.int64)
NONE_OUT = BlockedPairs(NOTHING, NOTHING, NOTHING, 0)


def main() -> None:
    parser = ArgumentParser(prog="python -m benchmarks.studies.agreement", description=__doc__)
    parser.add_argument("--samples", type=int, default=2000, help="of each size")
    parser.add_argument("--runs", type=int, default=200, help="of the loop, for each criterion")
    chosen = parser.parse_args()
    rng = np.random.default_rng(1)
    rows = [[_words(panel), *_coverage(panel, chosen.samples, rng)] for panel in PANELS]
    print(table(["judges", "alpha", *(f"{size} pairs" for size in SIZES)], rows), flush=True)
    criteria = (Criterion.KNOWLEDGE, Criterion.REORDERING, Criterion.RANDOM)
    rows = [[criterion.value, *_in_the_loop(criterion, chosen.runs)] for criterion in criteria]
    print(
        "\n" + table(["criterion", "of all pairs", "of those asked", "stated", "width", "held, of those asked"], rows)
    )


def _words(panel: Panel) -> str:
    return f"right {', '.join(f'{right:g}' for right in panel.right)}; ties {panel.ties:.0%}; {panel.each} of each pair"


def _coverage(panel: Panel, samples: int, rng: np.random.Generator) -> list[str]:
    """The agreement of very many pairs, and how often intervals of few hold it."""
    true = _alpha(_sample(panel, 200_000, rng)).value
    shares = []
    for size in SIZES:
        held = [_holds(_alpha(_sample(panel, size, rng)), true) for _ in range(samples)]
        shares.append(f"{np.mean(held):.3f}")
    return [f"{true:.2f}", *shares]


def _sample(panel: Panel, pairs: int, rng: np.random.Generator) -> Floats:
    """(M, J) directions."""
    shape = pairs, len(panel.right)
    said = np.where(rng.random(shape) < panel.right, 1.0, -1.0)
    said[rng.random(shape) < panel.ties] = 0.0
    said[rng.random(shape).argsort(axis=1) >= panel.each] = np.nan
    return said


def _in_the_loop(criterion: Criterion, runs: int) -> list[str]:
    """Means over sets of the true alpha of all pairs and of those asked, and of what is stated."""
    figures = np.array([_run(criterion, seed) for seed in range(runs)])
    everything, asked, stated, width, held = figures.mean(axis=0)
    return [f"{everything:.2f}", f"{asked:.2f}", f"{stated:.2f}", f"{width:.2f}", f"{held:.3f}"]


def _run(criterion: Criterion, seed: int) -> tuple[float, float, float, float, bool]:
    rng = np.random.default_rng(seed)
    truth, overlap = rng.standard_normal(N), Overlap(0.2, 2, seed)
    plan = Plan(Policy(criterion), Order.BALANCED, seed, overlap=overlap)
    snapshot = state.empty(Interpretation(Method(), {}), N, 1)
    for _ in range(COMPARISONS):
        snapshot = _judged(snapshot, plan, int(rng.integers(len(JUDGES))), truth, rng)
    votes, disagreeing = state.pair_votes_of(snapshot), _disagreeing(truth)
    alpha = _alpha(directions(votes.p - 0.5)[drawn(overlap, votes.item, votes.low, votes.high)])
    every = 1.0 - 2.0 * float(disagreeing[np.triu_indices(N, 1)].mean())
    asked = 1.0 - 2.0 * float(disagreeing[votes.low, votes.high].mean())
    return every, asked, alpha.value, alpha.interval[1] - alpha.interval[0], _holds(alpha, asked)


def _judged(snapshot: Snapshot, plan: Plan, judge: int, truth: Floats, rng: np.random.Generator) -> Snapshot:
    """The snapshot after one more verdict, by this judge."""
    (chosen,) = state.ask(snapshot, EVERYONE, NONE_OUT, plan, 1, askers=[judge])
    first, second, _ = chosen.pair
    p = float(rng.random() < expit(JUDGES[judge] * (truth[first] - truth[second])))
    new = state.log_from_rows([(snapshot.version + 1, 0, first, second, p, judge, 1.0)])
    return state.advance(snapshot, snapshot.version + 1, new, [])


def _disagreeing(truth: Floats) -> Floats:
    """(N, N) how probably two of the judges, drawn at random, name different winners."""
    p = np.array([expit(c * (truth[:, None] - truth)) for c in JUDGES])
    one, other = p[[0, 0, 1]], p[[1, 2, 2]]
    return np.asarray((one * (1.0 - other) + other * (1.0 - one)).mean(axis=0))


def _alpha(direction: Floats) -> Alpha:
    """Raises ValueError for a sample in which no two judges met."""
    found = krippendorff(direction)
    if found is None:
        raise ValueError("no two judges met")
    return found


def _holds(alpha: Alpha, true: float) -> bool:
    low, high = alpha.interval
    return low <= true <= high


if __name__ == "__main__":
    main()
