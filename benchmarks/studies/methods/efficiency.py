"""Comparisons needed: every criterion and the main scoring methods on the sets of a few candidates."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from nextpair.words import MethodName

from app.inference.choosing.order import Order
from app.inference.choosing.selection import Criterion
from app.offline.ranking import RankingMethod
from benchmarks.studies.methods import curves, data
from benchmarks.studies.methods.curves import Measured, Parts
from benchmarks.studies.methods.size import Size

METHODS: tuple[MethodName, ...] = (
    "soft-bt", "gaussian", "phi-beta", "hard-bt", "average-probability", "win-ratio", "bradley-terry", "poe-g-hard",
)  # fmt: skip


class Study(NamedTuple):
    """One data set."""

    title: str
    compared: Measured
    methods: Mapping[str, Measured]  # by method, asked by reordering


def summeval(folder: Path, size: Size) -> Study:
    parts = {part: data.summeval(folder, part)[: size.documents] for part in size.summeval}
    return study("SummEval", parts, size, 0.25)


def other_judges(folder: Path, size: Size) -> dict[str, Measured]:
    """SummEval with other judges, for the table alone."""
    sharp = {part: data.summeval(folder, part, temperature=0.5)[: size.few_documents] for part in size.summeval}
    tying = {part: data.summeval(folder, part, "gpt-4-0314")[: size.few_documents] for part in size.summeval}
    return {
        "SummEval, T = 0.5": curves.compare("SummEval, T = 0.5", sharp, size.few_seeds, limit=0.25),
        "SummEval, gpt-4-0314": curves.compare("SummEval, gpt-4", tying, size.few_seeds, limit=0.5),
    }


def topicalchat(folder: Path, size: Size) -> Study:
    parts = {part: data.topicalchat(folder, part)[: size.documents] for part in size.topicalchat}
    return study("TopicalChat", parts, size)


def vicuna(folder: Path, size: Size) -> Study:
    parts = {judge: data.vicuna(folder, judge)[: size.documents] for judge in size.judges}
    return study("Vicuna", parts, size._replace(seeds=size.some_seeds))


def vicuna_debiased(folder: Path, size: Size) -> Measured:
    parts = {judge: data.vicuna(folder, judge)[: size.documents] for judge in size.judges}
    return curves.compare("Vicuna, both orders", parts, size.some_seeds, Order.BOTH)


def study(title: str, parts: Parts, size: Size, limit: float = 1.0) -> Study:
    compared = curves.compare(title, parts, size.seeds, limit=limit)
    some = {part: cases[: size.few_documents] for part, cases in parts.items()}
    methods: dict[str, Measured] = {
        name: curves.measure(title, some, [Criterion.REORDERING], size.few_seeds, RankingMethod(name), limit=limit)
        for name in METHODS
    }
    return Study(title, compared, methods)
