"""Rank the comparisons of one group with any method.

A posterior method gives the whole row; a baseline gives scores and ranks only.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from app.inference import graph, posterior
from app.inference.baselines import BASELINES
from app.inference.experts import EXPERTS
from app.inference.laplace import Model
from app.inference.ranking import ranks, summarise
from app.inference.types import Comparisons, Convergence, Floats, Ints
from app.tables import Columns, InputError, Labels, Log, read, read_log, where
from app.words import MethodName

METHODS = (*EXPERTS, *BASELINES)
DRAWS_SEED = 0


class NotConvergedError(Exception):
    """A fit that stopped short; it is never shown as a ranking."""

    exit_code = 1


class Group(NamedTuple):
    labels: Labels  # what it is called, one value per group column
    keys: list[str]  # (N,) its candidates
    comparisons: Comparisons


class Method(NamedTuple):
    name: MethodName
    prior_variance: float = 1.0  # of posterior methods
    level: float = 0.95  # of intervals


class Uncertainty(NamedTuple):
    sd: float
    interval: tuple[float, float]
    rank_interval: tuple[int, int]
    p_best: float


class Standing(NamedTuple):
    """One row of a ranking."""

    rank: int
    key: str
    score: float
    uncertainty: Uncertainty | None  # None from a baseline
    comparisons: int
    component: int


class Ranked(NamedTuple):
    labels: Labels
    method: Method
    comparisons: int
    components: int
    convergence: Convergence
    entropy: float | None  # nats; None from a baseline
    standings: list[Standing]  # best first


class _Scored(NamedTuple):
    rank: Ints  # (N,)
    score: Floats  # (N,)
    uncertainty: list[Uncertainty | None]  # (N,)
    entropy: float | None
    convergence: Convergence


def split(log: Log) -> Iterator[Group]:
    """The groups of a log, each among the candidates that it mentions."""
    for code, labels in enumerate(log.groups):
        rows = log.group == code
        pairs = np.array([log.first[rows], log.second[rows]])
        present, renumbered = np.unique(pairs, return_inverse=True)
        first, second = renumbered.reshape(2, -1)
        keys = [log.keys[candidate] for candidate in present]
        yield Group(labels, keys, Comparisons(first, second, log.p[rows]))


def rank_file(
    path: str,
    columns: Columns,
    group_by: Sequence[str],
    conditions: Sequence[tuple[str, str]],
    method: Method,
) -> list[Ranked]:
    """A ranking per group of a file, of the rows that meet `conditions`.

    Raises InputError and NotConvergedError.
    """
    log = read_log([where(read(path), conditions)], columns, group_by)
    return [rank(group, method) for group in split(log)]


def rank(group: Group, method: Method) -> Ranked:
    """The ranking of one group. Raises InputError for an unknown method and NotConvergedError."""
    comparisons, n = group.comparisons, len(group.keys)
    scored = _score(comparisons, n, method)
    if not scored.convergence.converged:
        name = " / ".join(group.labels) or "all comparisons"
        raise NotConvergedError(f"{name}: {method.name} gives no ranking. {scored.convergence.outcome.value}")
    components = graph.components(comparisons, n)
    standings = _standings(group.keys, scored, graph.appearances(comparisons, n), components)
    count = int(components.max(initial=-1)) + 1
    return Ranked(group.labels, method, comparisons.size, count, scored.convergence, scored.entropy, standings)


def _score(comparisons: Comparisons, n: int, method: Method) -> _Scored:
    if method.name in EXPERTS:
        return _by_posterior(comparisons, n, method)
    if method.name not in BASELINES:
        raise InputError(f"unknown method {method.name!r}; use one of {', '.join(METHODS)}")
    score, convergence = BASELINES[method.name](comparisons, n)
    return _Scored(ranks(score), score, [None] * n, None, convergence)


def _by_posterior(comparisons: Comparisons, n: int, method: Method) -> _Scored:
    model = Model(n, EXPERTS[method.name], method.prior_variance)
    fitted = posterior.fit(comparisons, model)
    result = summarise(fitted, method.level, np.random.default_rng(DRAWS_SEED))
    uncertainty = [
        Uncertainty(float(sd), (float(low), float(high)), (int(best), int(worst)), float(p_best))
        for sd, (low, high), (best, worst), p_best in zip(
            result.sd, result.interval, result.rank_interval, result.p_best, strict=True
        )
    ]
    return _Scored(result.rank, result.score, [*uncertainty], result.entropy, fitted.convergence)


def _standings(keys: list[str], scored: _Scored, appearances: Ints, components: Ints) -> list[Standing]:
    rows = zip(
        scored.rank.tolist(),
        keys,
        scored.score.tolist(),
        scored.uncertainty,
        appearances.tolist(),
        (components + 1).tolist(),
        strict=True,
    )
    return sorted((Standing(*row) for row in rows), key=lambda row: (row.rank, -row.score, row.key))
