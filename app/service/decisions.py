"""Decisions: the inference target that a set's pairs are chosen for now, and whether it is to stop."""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from nextpair.words import MethodName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.inference.choosing import RANKING, Goal, Stop
from app.inference.reporting import judging_of, own_target
from app.inference.state import Checked, Sought, check
from app.live.posteriors import Decision, LiveSet, Terms
from app.service.context import Context
from app.service.posteriors import CurrentSet
from app.service.traits import traits_of
from app.storage.judges import Traits


class Decided(NamedTuple):
    current: CurrentSet  # its terms with the target that it has now
    checked: Checked


async def decide(ctx: Context, db: AsyncConnection, many: Sequence[CurrentSet]) -> list[Decided]:
    """The decision on each set: the one beside its snapshot, where nothing has changed since."""
    traits = await traits_of(
        db, {each.id: each.snapshot.evidence.judges.tolist() if _aims(each.terms) else () for each in many}
    )
    lives = [ctx.live.get(each.id) for each in many]
    questions = [(each, traits[each.id]) for each in many]
    due = [
        (live, question) for live, question in zip(lives, questions, strict=True) if not _is_decided(live, *question)
    ]
    is_quick = not any(each.terms.stop for _, (each, _) in due)
    decisions = await ctx.live.compute_here_if(is_quick, lambda: [_decision(*question) for _, question in due])
    for (live, _), decision in zip(due, decisions, strict=True):
        live.decision = decision
    return [_decided(live, each) for live, each in zip(lives, many, strict=True)]


def _is_decided(live: LiveSet, current: CurrentSet, traits: Traits) -> bool:
    decision = live.decision
    return (
        decision is not None
        and decision.snapshot is current.snapshot
        and (decision.of_terms, decision.traits) == (current.terms, traits)
    )


def _decision(current: CurrentSet, traits: Traits) -> Decision:
    """Args: `traits` are of its judges, where its target is not fixed."""
    terms, snapshot = current.terms, current.snapshot
    aimed = _aimed(current, traits.people) if _aims(terms) else terms
    sought, checked = Sought(aimed.plan.target, current.catalogue.has, *traits), Checked(None)
    if terms.stop:
        checked = check(snapshot, terms.stop, aimed.plan.goal, sought)
    return Decision(snapshot, terms, traits, aimed, checked)


def _decided(live: LiveSet, current: CurrentSet) -> Decided:
    assert live.decision is not None
    return Decided(current._replace(terms=live.decision.terms), live.decision.checked)


def _aims(terms: Terms) -> bool:
    return terms.inference_target != "latent"


def _aimed(current: CurrentSet, people: frozenset[int]) -> Terms:
    snapshot, terms = current.snapshot, current.terms
    judging = judging_of(
        snapshot.comparisons,
        snapshot.log.entries.item,
        current.catalogue.has,
        np.isin(snapshot.evidence.judges, list(people)),
    )
    method = cast("MethodName", snapshot.interpretation.method.expert)
    name = own_target(judging, method, terms.inference_target)
    plan = terms.plan._replace(target=name, goal=_goal_of(terms) if name != "latent" else terms.plan.goal)
    return terms._replace(plan=plan)


def _goal_of(terms: Terms) -> Goal:
    """The set's goal; the first k where the set wants the ranking, and stops once it knows them."""
    stop, goal = terms.stop, terms.plan.goal
    if stop is None or goal != RANKING or stop != Stop(top_k=stop.top_k, error_level=stop.error_level):
        return goal
    return Goal(top_k=stop.top_k)
