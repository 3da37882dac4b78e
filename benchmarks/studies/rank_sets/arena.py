"""Chatbot Arena, the experiment of PPR 5 on ../shared/data/chatbot_arena_ppr, 96 instances of every pair of 12 systems
in each repetition, some of them with people's verdicts: 15, unless n is swept.

sweeps       of PPR 5 and App. D, with the paper's covariance and ellipsoid and with ours: size of rank-sets against how
             often they meet the baseline's (Fig. 1, 2) or cover them (Fig. 7, 8), over alpha and over n
structure    rank-sets that systems get, and which ranks are in them: Fig. 3 and 9, 4 and 10 to 15; with the paper's
             covariance and ellipsoid, n = 990 and alpha = 0.05
"""

import csv
import gzip
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from nextpair.words import CovarianceName

from app.analysis.rank_sets import usual_simultaneous
from app.inference.judges import RankBounds, Wins, pair_numbers, prediction_powered, ranked
from app.inference.judges.rank_sets import Instances, SystemScores
from app.inference.types import Floats, Ints
from benchmarks.pages import table, with_error
from benchmarks.studies.figures import COLOURS, DASHES, STYLE, grid, save
from benchmarks.studies.rank_sets.simulation import ALPHA, COVARIANCES, SEED, size, variance, where
from benchmarks.studies.running import say

HUMAN, BASELINE = "human", "baseline"
JUDGES = ("gpt4", "claude3opus", "gpt35")
PER_PAIR, PER_PAIR_PEOPLE = 96, 15


class Arena(NamedTuple):
    """Chatbot Arena's instances, and what people and judges said of them."""

    systems: Sequence[str]  # (k,)
    shown: Instances
    wins: Mapping[str, Wins]  # of HUMAN, and of each of JUDGES

    @property
    def k(self) -> int:
        return len(self.systems)


def read_arena(folder: Path) -> Arena:
    with gzip.open(folder / "comparisons.csv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["in12"] == "1"]
    systems = sorted({row["model_a"] for row in rows} | {row["model_b"] for row in rows})
    sides = [np.array([systems.index(row[side]) for row in rows]) for side in ("model_a", "model_b")]
    wins = {who: np.array([[float(row[who] == side) for row in rows] for side in "ab"]) for who in (HUMAN, *JUDGES)}
    return Arena(systems, np.array(sides), wins)


def arena_tables(arena: Arena, repetitions: int) -> str:
    """A table for each covariance. The baseline is people's verdicts on everything."""
    header = ["method", "size of rank-sets", "meets the baseline, %", "covers it, %", "theta off the baseline"]
    tables = []
    for covariance in COVARIANCES:
        drawn = [
            {name: ranked(estimate, ALPHA, usual_simultaneous(covariance)) for name, estimate in methods.items()}
            for methods in (estimates(arena, np.random.default_rng([SEED, n]), covariance) for n in range(repetitions))
        ]
        rows = [[name, *_summary(drawn, name)] for name in drawn[0]]
        tables.append(f"{covariance}, {repetitions} repetitions\n\n{table([*header, 'lambda', 'variance'], rows)}")
        say(f"Chatbot Arena, {covariance}")
    return "\n\n".join(tables)


def estimates(
    arena: Arena, rng: np.random.Generator, covariance: CovarianceName, per_pair_people: int = PER_PAIR_PEOPLE
) -> dict[str, SystemScores]:
    """Return what every method says, from one draw of the instances. Judges alone only where n is the usual one."""
    place = places_within_pairs(pair_numbers(arena.shown, arena.k), rng)
    everything = place < PER_PAIR
    shown, few = arena.shown[:, everything], place[everything] < per_pair_people
    wins_by = {who: arena.wins[who][:, everything] for who in (HUMAN, *JUDGES)}
    people = where(few, wins_by[HUMAN])

    def alone(wins: Wins) -> SystemScores:
        return prediction_powered(shown, wins, k=arena.k, covariance=covariance)

    def helped(*judges: str) -> SystemScores:
        return prediction_powered(shown, people, [wins_by[judge] for judge in judges], k=arena.k, covariance=covariance)

    methods = {BASELINE: alone(wins_by[HUMAN]), "people alone": alone(people)}
    methods |= {f"people and {judge}": helped(judge) for judge in JUDGES}
    if per_pair_people != PER_PAIR_PEOPLE:
        return methods
    return (
        methods
        | {"people and all three": helped(*JUDGES)}
        | {f"{judge} alone": alone(wins_by[judge]) for judge in JUDGES}
    )


def places_within_pairs(pair: Ints, rng: np.random.Generator) -> Ints:
    """(n,) 0, 1, ... in random order within each pair of systems."""
    order, place = np.lexsort((rng.random(len(pair)), pair)), np.empty(len(pair), np.int64)
    sorted_pairs = pair[order]
    place[order] = np.arange(len(pair)) - np.searchsorted(sorted_pairs, sorted_pairs)
    return place


def intersect(ranks: Ints, others: Ints) -> bool:
    """Tell whether every system's rank-set meets its other one (PPR 5)."""
    return bool((np.maximum(ranks[:, 0], others[:, 0]) <= np.minimum(ranks[:, 1], others[:, 1])).all())


def covers(ranks: Ints, others: Ints) -> bool:
    """Tell whether every system's rank-set holds its other one (PPR App. D.2, eq. 15)."""
    return bool(((ranks[:, 0] <= others[:, 0]) & (others[:, 1] <= ranks[:, 1])).all())


def _summary(repetitions: Sequence[Mapping[str, RankBounds]], name: str) -> list[str]:
    """Cells of a method; its variance is relative to that of people alone."""
    stated, baseline = ([drawn[who] for drawn in repetitions] for who in (name, BASELINE))
    pairs = list(zip(stated, baseline, strict=True))
    sizes = np.array([size(one.ranks) for one in stated])
    shares = [np.mean([holds(one.ranks, other.ranks) for one, other in pairs]) for holds in (intersect, covers)]
    off = np.mean([((one.estimate.theta - other.estimate.theta) ** 2).mean() for one, other in pairs])
    cells = [with_error(sizes)]
    cells += [*(f"{100.0 * share:.1f}" for share in shares), f"{np.sqrt(off):.3f}"]
    if " and " not in name:
        return [*cells, "–", "–"]
    helped, people = ([drawn[who].estimate for drawn in repetitions] for who in (name, "people alone"))
    lambdas = np.mean([estimate.lambdas for estimate in helped], axis=0)
    return [*cells, ", ".join(f"{lam:.2f}" for lam in lambdas), f"{variance(helped) / variance(people):.3f}"]


# Sweeps

ALPHAS = (0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.075, ALPHA, 0.025, 0.01)
PEOPLE = (66, 132, 198, 462, 990, 1452, 1980, 2442, 2970)  # n
USUAL = 990
NAMES = {"published": "published, ellipsoid", "sandwich": "sandwich, contrasts"}
HELPED = tuple(f"people and {judge}" for judge in JUDGES)
SIZE, MEETS, COVERS = range(3)
MEASURES = {MEETS: "meets the baseline, share of repetitions", COVERS: "covers the baseline, share of repetitions"}


class Cell(NamedTuple):
    """A point of the sweeps."""

    covariance: CovarianceName
    people: int  # n
    method: str
    alpha: float


Sweeps = Mapping[Cell, Floats]  # (3,) mean size, and shares that meet and that cover the baseline


def sweep(arena: Arena, repetitions: int) -> Sweeps:
    """A system has to be in two instances that people judged, so that even the smallest n is enough."""
    measured, pairs = defaultdict[Cell, list[tuple[float, bool, bool]]](list), arena.k * (arena.k - 1) // 2
    for number, covariance, people in product(range(repetitions), COVARIANCES, PEOPLE):
        if people == PEOPLE[0]:
            say(f"sweeps {number + 1}/{repetitions}", end="\r")
        by_method = estimates(arena, np.random.default_rng([SEED, number]), covariance, people // pairs)
        simultaneous = usual_simultaneous(covariance)
        ranks_by_method = {
            method: [ranked(estimate, alpha, simultaneous).ranks for alpha in ALPHAS]
            for method, estimate in by_method.items()
        }
        for method, at_each in ranks_by_method.items():
            for alpha, ours, baseline in zip(ALPHAS, at_each, ranks_by_method[BASELINE], strict=True):
                values = size(ours), intersect(ours, baseline), covers(ours, baseline)
                measured[Cell(covariance, people, method, alpha)].append(values)
    return {cell: np.mean(values, axis=0) for cell, values in measured.items()}


def people_table(sweeps: Sweeps) -> str:
    """Each n at the usual alpha: GPT-4's help, and people alone."""
    rows = []
    for covariance, people in product(COVARIANCES, PEOPLE):
        row = [NAMES[covariance], f"{people:,}"]
        for method in ("people and gpt4", "people alone"):
            mean, meets, covered = sweeps[Cell(covariance, people, method, ALPHA)]
            row += [f"{mean:.2f}", f"{100.0 * meets:.0f}", f"{100.0 * covered:.0f}"]
        rows.append(row)
    shares = ["meets the baseline, %", "covers it, %"]
    return table(["by", "n", "with gpt4: size", *shares, "people alone: size", *shares], rows)


def sweeps_figures(sweeps: Sweeps, folder: Path) -> None:
    """Fig. 1 and 7 in one; Fig. 2, and 8 with our own, which always meet the baseline."""
    papers_first = COVARIANCES[::-1]
    with mpl.rc_context(STYLE):
        drawing, panels = grid(4, 2)
        methods = [cell.method for cell in sweeps if cell == ("published", USUAL, cell.method, ALPHA)]
        for ax, (covariance, measure) in zip(panels, product(papers_first, MEASURES), strict=True):
            for n, method in enumerate(method for method in methods if method != BASELINE):
                _curve(ax, sweeps, covariance, USUAL, method, measure, n)
            ax.set(title=NAMES[covariance], xlabel=MEASURES[measure])
        panels[0].legend(loc="upper left", fontsize=6)
        save(drawing, folder, "rank-sets-alpha")
        drawing, panels = grid(6, 3)
        for ax, (covariance, method) in zip(panels, product(papers_first, HELPED), strict=True):
            measure = MEETS if covariance == "published" else COVERS
            for n, people in enumerate(PEOPLE[1:]):
                _curve(ax, sweeps, covariance, people, method, measure, n, f"n = {people:,}")
            ax.set(title=f"{method}\n{NAMES[covariance]}", xlabel=MEASURES[measure])
        panels[0].legend(loc="upper right", fontsize=6)
        save(drawing, folder, "rank-sets-people")


def _curve(
    ax: Axes,
    sweeps: Sweeps,
    covariance: CovarianceName,
    people: int,
    method: str,
    measure: int,
    number: int,
    label: str | None = None,
) -> None:
    """A point for each alpha, labelled by its method unless otherwise said."""
    points = np.array([sweeps[Cell(covariance, people, method, alpha)] for alpha in ALPHAS])
    ax.plot(
        points[:, measure], points[:, SIZE], label=label or method, color=COLOURS[number], linestyle=DASHES[number],
        linewidth=1.2, marker=".", markersize=3,
    )  # fmt: skip
    ax.set_ylabel("mean size of rank-sets")


# Structure

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
    return {method: np.array(of_method) for method, of_method in drawn.items()}


def positions(ranks: Ints) -> Floats:
    """(k, k) how often each rank (column) is in a system's rank-set (row), for (R, k, 2) rank-sets."""
    places = np.arange(1, ranks.shape[1] + 1)
    return np.asarray(((ranks[:, :, :1] <= places) & (places <= ranks[:, :, 1:])).mean(axis=0))


def positions_table(drawn: RankSetsDrawn) -> str:
    """For how many systems the rank that is in most rank-sets is another one than the baseline's."""
    likeliest = {method: positions(of_method).argmax(axis=1) for method, of_method in drawn.items()}
    rows = []
    for method, of_method in drawn.items():
        others = int((likeliest[method] != likeliest[BASELINE]).sum())
        rows.append([method, str(others), f"{positions(of_method).sum(axis=1).mean():.2f}"])
    return table(["method", "systems whose likeliest rank differs", "size of rank-sets"], rows)


def rank_sets_table(drawn: RankSetsDrawn, systems: Sequence[str]) -> str:
    """The two likeliest rank-sets of each system, and their probabilities; the best by the baseline first."""
    order = np.argsort(drawn[BASELINE].sum(axis=2).mean(axis=0))
    rows = [[systems[m], *(_likeliest(drawn[method][:, m]) for method in SHOWN)] for m in order]
    return table(["system", *SHOWN], rows)


def _likeliest(ranks: Ints) -> str:
    """Args: `ranks` (R, 2) of one system."""
    names = Counter(f"{best} to {worst}" if best < worst else f"{best}" for best, worst in ranks.tolist())
    return ", ".join(f"{name}: {count / len(ranks):.2f}" for name, count in names.most_common(2))


def structure_figure(drawn: RankSetsDrawn, systems: Sequence[str], folder: Path) -> None:
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
