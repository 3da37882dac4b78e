"""Rank-sets that systems get, and which ranks are in them, over repetitions of the experiment of PPR 5 on Chatbot
Arena: Fig. 3 and 9, 4 and 10 to 15. With the paper's covariance and ellipsoid, n = 990 and alpha = 0.05.
"""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np

from app.inference.judges import ranked, usual_simultaneous
from app.inference.types import Floats, Ints
from benchmarks.pages import table
from benchmarks.studies.figures import COLOURS, STYLE, grid, save
from benchmarks.studies.rank_sets.arena import JUDGES, Arena, estimates
from benchmarks.studies.rank_sets.simulation import ALPHA, SEED

BASELINE = "baseline"
METHODS = (
    BASELINE, "people alone", *(f"{judge} alone" for judge in JUDGES), *(f"people and {judge}" for judge in JUDGES),
)  # fmt: skip
SHOWN = (BASELINE, "gpt4 alone", "people and gpt4")  # in the paper's Fig. 3 and 4
LARGEST = 60.0  # points squared of a square for probability 1
LEAST = 0.01  # probability that is drawn

RankSetsDrawn = Mapping[str, Ints]  # (R, k, 2) best and worst ranks by method


def rank_sets(arena: Arena, repetitions: int) -> RankSetsDrawn:
    drawn = dict[str, list[Ints]]({method: [] for method in METHODS})
    for number in range(repetitions):
        by_method = estimates(arena, np.random.default_rng([SEED, number]), "published")
        for method in METHODS:
            drawn[method].append(ranked(by_method[method], ALPHA, usual_simultaneous("published")).ranks)
    print(f"structure of rank-sets, {repetitions} repetitions", file=sys.stderr)
    return {method: np.array(of_method) for method, of_method in drawn.items()}


def positions(ranks: Ints) -> Floats:
    """(k, k) how often each rank (column) is in a system's rank-set (row), for (R, k, 2) rank-sets."""
    places = np.arange(1, ranks.shape[1] + 1)
    return np.asarray(((ranks[:, :, :1] <= places) & (places <= ranks[:, :, 1:])).mean(axis=0))


def positions_table(drawn: RankSetsDrawn) -> str:
    """For how many systems the rank that is in most rank-sets is another one than the baseline's."""
    likeliest = {method: positions(ranks).argmax(axis=1) for method, ranks in drawn.items()}
    rows = [
        [
            method,
            str(int((likeliest[method] != likeliest[BASELINE]).sum())),
            f"{positions(ranks).sum(axis=1).mean():.2f}",
        ]
        for method, ranks in drawn.items()
    ]
    return table(["method", "systems whose likeliest rank differs", "size of rank-sets"], rows)


def rank_sets_table(drawn: RankSetsDrawn, systems: Sequence[str]) -> str:
    """The two likeliest rank-sets of each system, and their probabilities; the best by the baseline first."""
    order = np.argsort(drawn[BASELINE].sum(axis=2).mean(axis=0))
    rows = [[systems[m], *(_likeliest(drawn[method][:, m]) for method in SHOWN)] for m in order]
    return table(["system", *SHOWN], rows)


def _likeliest(ranks: Ints) -> str:
    """Args: `ranks` (R, 2) of one system."""
    counts = Counter((best, worst) for best, worst in ranks.tolist())
    return ", ".join(
        f"{best} to {worst}: {count / len(ranks):.2f}" if best < worst else f"{best}: {count / len(ranks):.2f}"
        for (best, worst), count in counts.most_common(2)
    )


def figure(drawn: RankSetsDrawn, systems: Sequence[str], folder: Path) -> None:
    """A panel for each method: a square's area is the probability that the rank is in the system's rank-set."""
    order = np.argsort(drawn[BASELINE].sum(axis=2).mean(axis=0))
    places = np.arange(1, len(systems) + 1)
    with mpl.rc_context(STYLE | {"axes.grid": False}):
        drawing, panels = grid(len(METHODS), 4)
        for ax, method in zip(panels, METHODS, strict=True):
            share = positions(drawn[method])[order]
            system, rank = np.nonzero(share >= LEAST)
            ax.scatter(
                1 + rank, 1 + system, s=LARGEST * share[system, rank], marker="s", color=COLOURS[0], linewidths=0
            )
            ax.set(
                title=method, xlabel="rank", xticks=places[::2], yticks=places, yticklabels=[systems[m] for m in order]
            )
            ax.tick_params(labelsize=6)
            ax.invert_yaxis()
        save(drawing, folder, "rank-sets-positions")
