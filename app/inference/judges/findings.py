"""What a log tells of its judges: agreement, skill, bias, and what the ranking would be without each."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from nextpair.words import AggregationName
from scipy.sparse import csr_array
from scipy.stats import spearmanr

from app.inference.fitting import judge_aware
from app.inference.fitting.model import Model
from app.inference.judges.aggregation import binary
from app.inference.judges.group_verdicts import Doubt, aggregate, departure, doubts, skill
from app.inference.judges.pair_votes import PairVotes, votes_by_pair
from app.inference.judges.skill_aggregation import ItemContext, Step
from app.inference.reporting import diagnostics
from app.inference.reporting.diagnostics import Repeats
from app.inference.reporting.ranking import ranks
from app.inference.types import Bools, Comparisons, Convergence, Floats, Ints, take
from app.inference.verdicts import directions


class Influence(NamedTuple):
    """Of one judge: the ranking with all judges against the one without this one."""

    rank_correlation: float  # Spearman's
    largest_move: int  # ranks by which a candidate moves
    changes_top: bool


class Agreements(NamedTuple):
    """Of pairs of judges, over the cells that both judged."""

    pairs: Ints  # (J, J) cells
    agreeing: Ints  # (J, J) in which they name the same winner; a tie agrees with a tie


class Findings(NamedTuple):
    pair_votes: PairVotes
    p_low: Floats  # (M,) the group's probability that low is better
    aggregation: Convergence | None  # where the method iterates
    skill: Floats | None  # (J,) where the method tells judges apart
    doubts: list[Doubt]
    departure: float  # of the method from the majority
    agreements: Agreements
    repeats: list[Repeats]  # by judge
    discrimination: Floats  # (J,) of the judge-aware fit
    influence: dict[int, Influence]  # by judge; none where there is one judge only
    convergence: Convergence  # of the judge-aware fit


def find(
    raw: Comparisons,
    tempered: Comparisons,
    item: Ints,
    model: Model,
    judges: int,
    method: AggregationName,
    context: ItemContext | None,
    rng: np.random.Generator,
    say: Callable[[str], None],
) -> Findings:
    """Args: both comparisons are the same but for p; `model` is soft-bt without biases; `say` is told how far it is.

    `context` tells what speaks for low, rather than high, in each cell. Which of the two is class 1 is drawn for each
    cell: candidates may have joined in the order of their merit, which is nothing to learn from.
    """
    seen = votes_by_pair(raw, item, judges)
    turned = rng.random(seen.size) < 0.5
    y = binary(np.where(turned[:, None], 1.0 - seen.p, seen.p))
    group = aggregate(y, method, rng, context and _turned(context, turned), lambda step: say(_in_words(step)))
    aware = judge_aware.fit(tempered, model, judges, lambda n: say(f"scores and judges together, round {n}"))
    return Findings(
        seen,
        np.where(turned, group.probability[:, 0], group.probability[:, 1]),
        group.convergence,
        None if group.confusion is None else skill(group.confusion),
        doubts(y),
        departure(group, y),
        agreements(directions(seen.p - 0.5)),
        [_repeats(raw, item, model.n, judge) for judge in range(judges)],
        np.exp(aware.judges.log_c),
        {judge: influence(aware, tempered, model, judge) for judge in range(judges) if judges > 1},
        aware.convergence,
    )


def agreements(direction: Floats) -> Agreements:
    """From the (M, J) directions of cells."""
    said = (~np.isnan(direction)).astype(np.int64)
    named = [(direction == way).astype(np.int64) for way in (-1.0, 0.0, 1.0)]
    return Agreements(said.T @ said, np.sum([way.T @ way for way in named], axis=0))


def influence(found: judge_aware.JudgeAware, comparisons: Comparisons, model: Model, judge: int) -> Influence:
    """What leaving the judge out would change, by down-dating."""
    others = judge_aware.without(found, comparisons, model, judge)
    with_all, without = ranks(found.scores), ranks(others)
    moved = int(np.abs(with_all - without).max(initial=0))
    steady = moved == 0 or len(with_all) < 2
    correlation = 1.0 if steady else float(np.nan_to_num(spearmanr(with_all, without)[0]))
    return Influence(correlation, moved, bool(((with_all == 1) != (without == 1)).any()))


def _in_words(step: Step) -> str:
    return f"{step.fold + 1} of {step.folds} fits to the texts, step {step.iteration}"


def _turned(context: ItemContext, turned: Bools) -> ItemContext:
    return context._replace(x=csr_array(context.x * np.where(turned, -1.0, 1.0)[:, None]))


def _repeats(comparisons: Comparisons, item: Ints, n: int, judge: int) -> Repeats:
    mine = comparisons.judge == judge
    return diagnostics.repeats(take(comparisons, mine), n, item[mine])
