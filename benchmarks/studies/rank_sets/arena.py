"""Chatbot Arena, the experiment of PPR 5 on ../shared/data/chatbot_arena_ppr, 96 instances of every pair of 12 systems
in each repetition, some of them with people's verdicts: 15, unless n is swept.
"""

import csv
import gzip
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from nextpair.words import CovarianceName

from app.inference.judges import (
    RankBounds,
    Wins,
    by_people,
    pair_numbers,
    prediction_powered,
    ranked,
    usual_simultaneous,
)
from app.inference.judges.system_scores import Instances, SystemScores
from app.inference.types import Ints
from benchmarks.studies.methods.markdown import table, with_error
from benchmarks.studies.rank_sets.simulation import ALPHA, COVARIANCES, SEED, size, variance, where

HUMAN = "human"
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
        tables.append(f"\n{covariance}, {repetitions} repetitions\n\n{table([*header, 'lambda', 'variance'], rows)}")
        print(f"Chatbot Arena, {covariance}", file=sys.stderr)
    return "\n".join(tables)


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
        return by_people(shown, wins, arena.k, covariance)

    def helped(*judges: str) -> SystemScores:
        return prediction_powered(shown, people, [wins_by[judge] for judge in judges], k=arena.k, covariance=covariance)

    methods = {"baseline": alone(wins_by[HUMAN]), "people alone": alone(people)}
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
    stated, baseline = ([drawn[who] for drawn in repetitions] for who in (name, "baseline"))
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
