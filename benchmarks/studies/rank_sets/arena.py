"""Chatbot Arena, the experiment of PPR 5 on ../shared/data/chatbot_arena_ppr, 96 instances of every pair of 12 systems
in each repetition, 15 of them with people's verdicts.
"""

import csv
import gzip
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from nextpair.words import CovarianceName

from app.inference.judges.rank_sets import Instances, RankSets, Wins, by_people, pair_numbers, prediction_powered
from app.inference.types import Bools, Ints
from benchmarks.studies.methods.markdown import table
from benchmarks.studies.rank_sets.simulation import ALPHA, COVARIANCES, SEED, Drawn, size, variance

HUMAN = "human"
JUDGES = ("gpt4", "claude3opus", "gpt35")
PER_PAIR, PER_PAIR_PEOPLE = 96, 15


class Arena(NamedTuple):
    """Chatbot Arena's instances, and what people and judges said of them."""

    k: int
    shown: Instances
    wins: Mapping[str, Wins]  # of HUMAN, and of each of JUDGES


def read_arena(folder: Path) -> Arena:
    with gzip.open(folder / "comparisons.csv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["in12"] == "1"]
    systems = sorted({row["model_a"] for row in rows} | {row["model_b"] for row in rows})
    sides = [np.array([systems.index(row[side]) for row in rows]) for side in ("model_a", "model_b")]
    wins = {
        who: Wins(*(np.array([float(row[who] == side) for row in rows]) for side in "ab")) for who in (HUMAN, *JUDGES)
    }
    return Arena(len(systems), Instances(*sides), wins)


def arena_tables(arena: Arena, repetitions: int) -> str:
    """A table for each covariance. The baseline is people's verdicts on everything."""
    header = ["method", "size of rank-sets", "meets the baseline, %", "theta off the baseline", "lambda", "variance"]
    tables = []
    for covariance in COVARIANCES:
        drawn = [methods(arena, np.random.default_rng([SEED, n]), covariance) for n in range(repetitions)]
        rows = [[name, *_summary(drawn, name)] for name in drawn[0]]
        tables.append(f"\n{covariance}, {repetitions} repetitions\n\n{table(header, rows)}")
        print(f"Chatbot Arena, {covariance}", file=sys.stderr)
    return "\n".join(tables)


def methods(arena: Arena, rng: np.random.Generator, covariance: CovarianceName) -> dict[str, RankSets]:
    """Return the rank-sets of every method, from one draw of the instances."""
    place = places_within_pairs(pair_numbers(arena.shown, arena.k), rng)
    everything, few = place < PER_PAIR, place < PER_PAIR_PEOPLE
    rest = everything & ~few

    def alone(who: str, keep: Bools) -> RankSets:
        return by_people(take_shown(arena.shown, keep), take_wins(arena.wins[who], keep), arena.k, ALPHA, covariance)

    def helped(judge: str) -> RankSets:
        part = Drawn(
            take_shown(arena.shown, few), take_wins(arena.wins[HUMAN], few), take_wins(arena.wins[judge], few),
            take_shown(arena.shown, rest), take_wins(arena.wins[judge], rest),
        )  # fmt: skip
        return prediction_powered(*part, k=arena.k, alpha=ALPHA, covariance=covariance)

    return (
        {"baseline": alone(HUMAN, everything), "people alone": alone(HUMAN, few)}
        | {f"{judge} alone": alone(judge, everything) for judge in JUDGES}
        | {f"people and {judge}": helped(judge) for judge in JUDGES}
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


def _summary(repetitions: Sequence[Mapping[str, RankSets]], name: str) -> list[str]:
    """Cells of a method; its variance is relative to that of people alone."""
    stated, baseline, people = ([drawn[who] for drawn in repetitions] for who in (name, "baseline", "people alone"))
    sizes = np.array([size(one.ranks) for one in stated])
    meets = np.mean([intersect(one.ranks, other.ranks) for one, other in zip(stated, baseline, strict=True)])
    off = np.mean([((one.theta - other.theta) ** 2).mean() for one, other in zip(stated, baseline, strict=True)])
    cells = [f"{sizes.mean():.2f} ± {sizes.std() / np.sqrt(len(sizes)):.2f}", f"{100.0 * meets:.1f}"]
    cells.append(f"{np.sqrt(off):.3f}")
    if " and " not in name:
        return [*cells, "–", "–"]
    return [*cells, f"{np.mean([one.tuned for one in stated]):.2f}", f"{variance(stated) / variance(people):.3f}"]


def take_shown(shown: Instances, keep: Bools) -> Instances:
    return Instances(shown.first[keep], shown.second[keep])


def take_wins(wins: Wins, keep: Bools) -> Wins:
    return Wins(wins.first[keep], wins.second[keep])
