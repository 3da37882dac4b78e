"""Findings about judges from a log: agreement, skill, repeats, and what the ranking would be without each.

Their verdicts may be taken without position bias, and as sure as people prove them to be (PoE 3.5 and App. B of GPM).
Judge j gives p to what it is shown first, x = logit p. Debiased, that is

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
from app.inference.judges.aggregation import Probabilities, binary, votes
from app.inference.judges.agreement import agreement_with_others
from app.inference.judges.discrimination import Discrimination, discriminations
from app.inference.judges.group_verdicts import GroupVerdicts, confirmed, examine, skill
from app.inference.judges.pair_votes import PairVotes, votes_by_pair
from app.inference.judges.skill_aggregation import ItemContext, Step
from app.inference.regimes import MOST_EFFECTS, RANKED_DENSE
from app.inference.reporting.bias import Bias
from app.inference.reporting.calibration import tells_temperature, temperature
from app.inference.reporting.confidence import rank_correlation
from app.inference.reporting.diagnostics import Consistency, repeats
from app.inference.reporting.intervals import ranks
from app.inference.reporting.standings import judge_biases
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
    """Skill, agreement, repeats, discrimination and influence of J judges, and what they say together.

    `context` tells what speaks for low, rather than high, of each pair of outputs. Which of the two is class 1 is drawn
    for each: candidates may have joined in the order of their merit, which is nothing to learn from.

    Args:
        raw, tempered: the same comparisons except for p.
        item: (K,) what each comparison was about.
        model: soft-bt without biases.
        people: (J,) who they are.
        say: is called as the work goes on.
    """
    judges, pair_votes = len(people), votes_by_pair(raw, item, len(people))
    turned = rng.random(pair_votes.size) < 0.5
    p = (votes_by_pair(_debiased(raw, item, model.n, people), item, judges) if way.debias else pair_votes).p
    is_tie = directions(pair_votes.p - 0.5) == 0.0 if way.ties == "class" else None
    y = _answers(np.where(turned[:, None], 1.0 - p, p), is_tie)
    weighed = np.flatnonzero(~people) if not people.all() else np.arange(judges)
    anchors = np.setdiff1d(np.arange(judges), weighed)
    if context is not None:
        context = context._replace(x=csr_array(context.x * np.where(turned, -1.0, 1.0)[:, None]))
    group = examine(y[:, weighed], way.method, rng, votes(y[:, anchors]), context, say)
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
        with_others=agreement_with_others(pair_votes),
        discriminations={each.judge: each for each in discriminations(raw, model.n, item)},
        repeats=[
            repeats(take(raw, own), model.n, item[own]) for own in (raw.judge == judge for judge in range(judges))
        ],
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
            fitted = temperature(expit(x[told]), outcome[told])
            temperatures[judge] = fitted.temperature
    return answers._replace(p=expit(x / temperatures[answers.judge]))


def _debiased(comparisons: Comparisons, item: Ints, n: int, people: Bools) -> Comparisons:
    """The comparisons debiased; those of `people` (J,) are the labels of their pairs of outputs."""
    pair, lean = numbered(item, pair_numbers(comparisons, n)), lean_to_lower(comparisons)
    by_people = people[comparisons.judge]
    labels = means(0.5 + lean[by_people], pair[by_people], pair.max(initial=-1) + 1)
    return debias(comparisons, pair, labels, len(people))


def _answers(p: Floats, is_tie: Bools | None) -> Probabilities:
    """(M, J, C) from (M, J) p of class 1, and from which of them are ties where those are a class of their own."""
    y = binary(p)
    if is_tie is None:
        return y
    tie = np.where(np.isnan(p), np.nan, is_tie)
    return np.concatenate([y * (1.0 - tie)[:, :, None], tie[:, :, None]], axis=2)


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
