"""HANNA's 1,056 stories: one pair at a time, and in batches of 100 and 400."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from app.inference.choosing.asking import NONE_LEASED, Draws, Plan, next_pairs
from app.inference.choosing.order import Order
from app.inference.choosing.selection import Batch, Criterion, Policy, upper_triangle
from app.inference.fitting import posterior
from app.inference.fitting.model import Method, build
from app.inference.types import Comparisons, Floats, Ints, by_one_judge, join, no_comparisons
from app.offline.replay import spearman
from benchmarks.studies.methods import data
from benchmarks.studies.methods.checkpoints import Checkpoints
from benchmarks.studies.methods.size import Size


class Contender(NamedTuple):
    """A way of choosing pairs."""

    name: str
    policy: Policy


REORDERING = Contender("reordering, greedy", Policy(Criterion.REORDERING))
MIXED = Contender("half random, half reordering", Policy(Criterion.REORDERING, random_share=0.5))
RANDOM = Contender("random", Policy(Criterion.RANDOM))
TOP = Contender("reordering, top b", Policy(Criterion.REORDERING, batch=Batch.TOP))
DETERMINANT_TOP = Contender("determinant, top b", Policy(Criterion.DETERMINANT, batch=Batch.TOP))
OURS, RIVALS = (REORDERING, MIXED), (RANDOM, TOP, DETERMINANT_TOP)
DRAWS = 20_262  # the seed of hard verdicts
BATCHED = (*OURS, *RIVALS)
BATCHED_HARD = (REORDERING, *RIVALS)
SINGLE = (REORDERING, RANDOM)


class Large(NamedTuple):
    """Curves of one batch size, all on the same K; dimensions and seeds are rows."""

    batch: int
    hard: bool
    comparisons: Floats  # (K,)
    curves: dict[str, Floats]  # by contender, (D, S, K)
    full: Floats  # (D,) the judge's own scores

    def mean(self, name: str) -> Floats:
        """(K,) over dimensions and seeds."""
        return np.asarray(self.curves[name].mean(axis=(0, 1)), dtype=np.float64)


class BatchPlan(NamedTuple):
    """Batches to measure."""

    batch: int
    limit: int  # comparisons
    seeds: int
    contenders: tuple[Contender, ...]
    hard: bool = False  # each pair's verdict is drawn once with probability p, instead of p itself


def measure(folder: Path, size: Size, plan: BatchPlan, checkpoints: Checkpoints) -> Large:
    stories = [_some(data.hanna(folder, dimension), size.stories) for dimension in size.hanna]
    curves = {
        who.name: np.array([_runs(*of, plan, who, checkpoints) for of in zip(size.hanna, stories, strict=True)])
        for who in plan.contenders
    }
    comparisons = np.minimum(np.arange(plan.batch, plan.limit + plan.batch, plan.batch), plan.limit).astype(np.float64)
    full = np.array([spearman(some.judged, some.truth) for some in stories])
    return Large(plan.batch, plan.hard, comparisons, curves, full)


def _runs(
    dimension: str, stories: data.Stories, plan: BatchPlan, who: Contender, checkpoints: Checkpoints
) -> list[Floats]:
    """Return a curve for each seed."""
    name = f"hanna {dimension} b={plan.batch}{' hard' * plan.hard} {who.name}"
    return [
        checkpoints.once(f"{name} seed {seed}", partial(curve, stories, plan, who.policy, seed))
        for seed in range(plan.seeds)
    ]


def curve(stories: data.Stories, plan: BatchPlan, policy: Policy, seed: int) -> Floats:
    """(limit / batch,) correlation with people after every batch."""
    asking = Plan(policy, Order.BALANCED, seed)
    return np.array([spearman(mean, stories.truth) for mean in _means(stories, plan, asking)])


def _means(stories: data.Stories, plan: BatchPlan, asking: Plan) -> Iterator[Floats]:
    n = len(stories.judged)
    model, log, open_pairs = build(Method(), n), no_comparisons(), upper_triangle(n).copy()
    state = posterior.prior(model)
    draws = np.random.default_rng([DRAWS, asking.seed]).random((n, n)) if plan.hard else None
    while log.size < plan.limit:
        count, rng = min(plan.batch, plan.limit - log.size), Draws(asking, log.size, leased=0)
        chosen = next_pairs(state, model, log, NONE_LEASED, open_pairs, asking, count, rng)
        new = _answers(stories, np.array([[pair.first, pair.second] for pair in chosen]), draws)
        open_pairs[new.first, new.second] = open_pairs[new.second, new.first] = False
        log = join(log, new)
        state = posterior.fold(state, log, model) if plan.batch == 1 else posterior.fit(log, model, start=state.mean)
        yield state.mean


def _answers(stories: data.Stories, pairs: Ints, draws: Floats | None) -> Comparisons:
    """Args: draws, (N, N), decide hard verdicts: whoever asks for a pair hears the same."""
    first, second = pairs.T
    p = expit(stories.judged[first] - stories.judged[second])
    return by_one_judge(first, second, p if draws is None else np.asarray(draws[first, second] < p, dtype=np.float64))


def _some(stories: data.Stories, count: int | None) -> data.Stories:
    return data.Stories(stories.keys[:count], stories.judged[:count], stories.truth[:count])
