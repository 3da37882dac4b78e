"""Findings about judges from a log: agreement, skill, repeats, and what the ranking would be without each.

Debiased, the p of judge j for what it is shown first, x = logit p, becomes (PoE 3.5 and App. B of GPM)

    logit p' = (x - delta_j) / T_j

    delta_j   the mean of x over the pairs that the judge was shown in both orders, each order alike, so that what it
              thinks of the pairs cancels; 0 where there are none
    T_j       the temperature by which people's labels are predicted best, in log loss; 1 of a judge with fewer than
              FEWEST_ANSWERS labelled answers, or who only ever names a winner or a tie

Both orders of a pair together are the mean of p' and 1 - p': two words against each other are half a vote for each.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from nextpair.words import AggregationName, TiesName
from scipy.sparse import csr_array
from scipy.special import expit, logit

from app.inference.experts import unsaturated
from app.inference.fitting import judge_aware
from app.inference.fitting.effects import JudgeEffects, consensus
from app.inference.fitting.model import Model
from app.inference.judges.aggregation import binary, votes
from app.inference.judges.discrimination import Discrimination, discriminations
from app.inference.judges.group_verdicts import GroupVerdicts, confirmed, examine, skill
from app.inference.judges.pair_votes import PairVotes, votes_by_pair
from app.inference.judges.skill_aggregation import ItemContext, Step
from app.inference.regimes import MOST_EFFECTS, RANKED_DENSE
from app.inference.reporting.bias import Bias, judge_biases
from app.inference.reporting.calibration import tells_temperature, temperature
from app.inference.reporting.confidence import rank_correlation
from app.inference.reporting.diagnostics import Consistency, repeats
from app.inference.reporting.intervals import ranks
from app.inference.types import Bools, Comparisons, Floats, Ints, take
from app.inference.verdicts import directions, lean_to_lower, means, numbered, pair_numbers


class Weighing(NamedTuple):
    """Choices of how judges are weighed."""

    method: AggregationName
    debias: bool = False  # verdicts are debiased
    ties: TiesName = "half"  # a tie is half a vote for each of the two, or a class of its own


class LeaveOneOut(NamedTuple):
    """The ranking with all judges against the one without this one."""

    rank_correlation: float  # Spearman's
    largest_move: int  # ranks by which a candidate moves
    changes_top: bool


class Findings(NamedTuple):
    pair_votes: PairVotes
    p_low: Floats  # (M,) the group's probability that low is better
    p_tie: Floats | None  # (M,) that neither is, where a tie is a class
    group: GroupVerdicts
    weighed: Ints  # (K,) the judges in it: all but people, if there are others
    skill: Mapping[int, float]  # by judge, where the method tells judges apart
    with_others: tuple[Ints, Ints]  # (J,) votes of others on the pairs of each judge, and those that agree with it
    repeats: list[Consistency]  # by judge
    discriminations: dict[int, Discrimination]  # by judge; none where verdicts are few
    judge_aware: list[Bias]  # bias and discrimination of each judge by the judge-aware fit; none of many candidates
    judge_effects: dict[int, JudgeEffects]  # by judge; none where they would be too many, or have not converged
    influence: dict[int, LeaveOneOut]  # by judge; none where there is one judge only, or there are many candidates
    confirmed: set[int]  # by number, whom people prove to be better than chance


class FitRound(NamedTuple):
    """A round of a fit of judges."""

    of: Literal["judges", "effects"]
    number: int


Say = Callable[[Step | FitRound], None]


def examine_judges(
    raw: Comparisons,
    tempered: Comparisons,
    item: Ints,
    model: Model,
    people: Bools,
    way: Weighing,
    context: ItemContext | None,
    rng: np.random.Generator,
    say: Say,
) -> Findings:
    """Findings about J judges, of whom some are `people` (J,).

    `context` tells what speaks for low, rather than high, of each pair of outputs. Which of the two is class 1 is drawn
    for each: candidates may have joined in the order of their merit, which is nothing to learn from.

    Args: `raw` and `tempered` are the same comparisons except for p, `item` (K,) what each was about, `model` is
    soft-bt without biases.
    """
    judges, pair_votes = len(people), votes_by_pair(raw, item, len(people))
    turned = rng.random(pair_votes.size) < 0.5
    p = (votes_by_pair(_debiased(raw, item, model.n, people), item, judges) if way.debias else pair_votes).p
    y = binary(np.where(turned[:, None], 1.0 - p, p))
    if way.ties == "class":
        tie = np.where(np.isnan(p), np.nan, directions(pair_votes.p - 0.5) == 0.0)[:, :, None]
        y = np.concatenate([y * (1.0 - tie), tie], axis=2)
    is_weighed = ~people | people.all()
    weighed = np.flatnonzero(is_weighed)
    if context is not None:
        context = context._replace(x=csr_array(context.x * np.where(turned, -1.0, 1.0)[:, None]))
    group = examine(y[:, weighed], way.method, rng, votes(y[:, ~is_weighed]), context, say)
    aware = None
    if model.n <= RANKED_DENSE:
        aware = judge_aware.fit(tempered, model, people, lambda n: say(FitRound("judges", n)))
    probability, confusion = group.aggregate.probability, group.aggregate.confusion
    return Findings(
        pair_votes=pair_votes,
        p_low=np.where(turned, probability[:, 0], probability[:, 1]),
        p_tie=probability[:, 2] if way.ties == "class" else None,
        group=group,
        weighed=weighed,
        skill={} if confusion is None else dict(zip(weighed.tolist(), skill(confusion).tolist(), strict=True)),
        with_others=pair_votes.agreement_with_others,
        discriminations={each.judge: each for each in discriminations(raw, model.n, item)},
        repeats=[repeats(take(raw, raw.judge == judge), model.n, item[raw.judge == judge]) for judge in range(judges)],
        judge_aware=judge_biases(aware, tempered) if aware else [],
        judge_effects=_judge_effects(tempered, model, judges, say),
        influence={judge: influence(aware, tempered, model, judge) for judge in range(judges) if aware and judges > 1},
        confirmed=confirmed(votes(y), people),
    )


def debias(answers: Comparisons, pair: Ints, labels: Floats, judges: int) -> Comparisons:
    """R answers with p' for p.

    Args: `pair` (R,) is that of each; `labels` (M,) are people's shares for the lower-numbered output of each pair, NaN
    where nobody labelled it.
    """
    x, swapped = logit(unsaturated(answers.p)), answers.first > answers.second
    place, shape = answers.judge * len(labels) + pair, (judges, len(labels))
    orders = [means(x[way], place[way], judges * len(labels)).reshape(shape) for way in (~swapped, swapped)]
    bias = np.mean(orders, axis=0)
    delta = np.nansum(bias, axis=1) / np.maximum((~np.isnan(bias)).sum(axis=1), 1)
    x = x - delta[answers.judge]
    outcome, temperatures = np.where(swapped, 1.0 - labels[pair], labels[pair]), np.ones(judges)
    for judge in range(judges):
        told = (answers.judge == judge) & ~np.isnan(outcome)
        if tells_temperature(answers.p[told]):
            temperatures[judge] = temperature(expit(x[told]), outcome[told]).temperature
    return answers._replace(p=expit(x / temperatures[answers.judge]))


def _debiased(comparisons: Comparisons, item: Ints, n: int, people: Bools) -> Comparisons:
    """The comparisons debiased; those of `people` (J,) are the labels of their pairs of outputs."""
    pair, lean = numbered(item, pair_numbers(comparisons, n)), lean_to_lower(comparisons)
    by_people = people[comparisons.judge]
    labels = means(0.5 + lean[by_people], pair[by_people], pair.max(initial=-1) + 1)
    return debias(comparisons, pair, labels, len(people))


def influence(aware: judge_aware.JudgeAware, comparisons: Comparisons, model: Model, judge: int) -> LeaveOneOut:
    """Change of the ranking if the judge were left out, by down-dating."""
    with_all = ranks(aware.of_scores.mean)
    without = ranks(judge_aware.without(aware, comparisons, model, judge))
    moved = int(np.abs(with_all - without).max(initial=0))
    correlation = rank_correlation(with_all, without) if moved else 1.0
    return LeaveOneOut(correlation, moved, bool(((with_all == 1) != (without == 1)).any()))


def _judge_effects(comparisons: Comparisons, model: Model, judges: int, say: Say) -> dict[int, JudgeEffects]:
    if model.n > RANKED_DENSE or not 0 < model.n * judges <= MOST_EFFECTS:
        return {}
    agreed = consensus(comparisons, model, judges, lambda n: say(FitRound("effects", n)))
    judged = np.unique(comparisons.judge).tolist() if agreed.convergence.converged else []
    return {judge: agreed.effects[judge] for judge in judged}
