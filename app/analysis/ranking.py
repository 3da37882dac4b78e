"""The ranking of a log by any method, with all that is said beside it: GET ranking, and `nextpair rank`."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import JOINT, InferenceTargetChoice, InferenceTargetName, MethodName

from app.analysis.judged import Impossible, JudgedLog
from app.analysis.judges import biases_by_name, present_tastes
from app.inference.choosing import RANKING, Goal, Stop, goal_kinds, prompts_to_settle
from app.inference.experts import parameters
from app.inference.fitting import BASELINES, Method, Published, position_bias_of
from app.inference.reporting import (
    Standing,
    Standings,
    Target,
    Wanted,
    by_baseline,
    by_judges,
    by_posterior,
    first_place,
    prompts_in_words,
)
from app.inference.types import Convergence

Publish = Callable[[InferenceTargetName], Published]  # the posterior that a target is read from


class Unconverged(Exception):
    """A fit that stopped short: it is never shown as a ranking."""


class RankingRequest(NamedTuple):
    """The ranking of a log that is wanted."""

    name: MethodName
    method: Method  # of the posterior, where there is one behind this name
    wanted: Wanted = Wanted()
    own_target: InferenceTargetChoice = "auto"
    target: InferenceTargetName | None = None  # as `own_target` says
    goal: Goal = RANKING
    stop: Stop = Stop()
    votes: Mapping[str, float] = {}  # that an answer is said to be worth, by the judge's name
    temperatures: Mapping[str, float] = {}  # likewise


class Origin(NamedTuple):
    """Where a log comes from, and what is known of it there alone; a file has neither set, tests nor stop."""

    set_id: UUID
    version: int
    held_out: schemas.HeldOut | None = None
    stopping: Callable[[], schemas.Stopping | None] = lambda: None  # wanted of fits that converged alone


def rank(log: JudgedLog, request: RankingRequest, publish: Publish, origin: Origin) -> schemas.Ranking:
    """Raises Impossible, Unconverged, and what `publish` raises."""
    name = request.name
    target = log.target(name, request.own_target, request.target)
    published = None if name in BASELINES else publish(target.name)
    standings = _standings(log, request, target, published)
    if not standings.convergence.converged:
        raise Unconverged(standings.convergence.outcome.value)
    method, stopping, rows = _method(request, published), origin.stopping(), _rows(standings, log)
    tastes = {log.judges[each.judge]: present_tastes(each, log.keys) for each in standings.tastes}
    is_settled = stopping is not None and stopping.converged
    return schemas.Ranking(
        set_id=origin.set_id,
        version=origin.version,
        method=method,
        inference_target=present_target(target),
        convergence=present_convergence(standings.convergence),
        comparisons=log.rows,
        components=standings.components,
        entropy=standings.entropy,
        sureness=_sureness(standings),
        certainty=log.certainty(request.wanted.level),
        signal=schemas.Signal(**log.signal(target.name)._asdict()),
        first_place=_first_place(log, rows, target),
        position_bias=biases_by_name(standings.biases, log.judges) if method.position_bias != "none" else None,
        tastes=tastes if name == "consensus" else None,
        evidence=_evidence(log, published),
        absolute_scores=_scales(log, published),
        held_out=None if name in BASELINES else origin.held_out,
        stopping=stopping,
        prompts=None if is_settled or not published else _prompts(log, request, target, published),
        ranking=rows,
    )


def _standings(log: JudgedLog, request: RankingRequest, target: Target, published: Published | None) -> Standings:
    """Raises Impossible for a method that cannot take so many judges."""
    name, wanted, pairs_of = request.name, request.wanted, partial(goal_kinds, request.goal)
    if published is None:
        return by_baseline(name, log.answers, len(log.keys))
    if name in JOINT and log.keys:
        try:
            return by_judges(name, published.comparisons, published.model, log.people, wanted, pairs_of)
        except ValueError as error:
            raise Impossible("method", error) from None
    is_known = published.posterior.convergence.converged
    quantity = log.quantity(published, target.name) if is_known else None
    return by_posterior(published, wanted, pairs_of, quantity, target.name)


def _rows(standings: Standings, log: JudgedLog) -> list[schemas.Rank]:
    """Best first; comparisons are rows of the log, each by itself."""
    rows = standings.rows
    if log.times is not None:
        sides, times = np.append(log.verdicts.first, log.verdicts.second), np.append(log.times, log.times)
        counts = np.bincount(sides, times, len(log.keys)).astype(np.int64).tolist()
        rows = [row._replace(comparisons=counts[row.candidate]) for row in rows]
    return [_rank(row, log.keys[row.candidate]) for row in rows]


def _rank(standing: Standing, key: str) -> schemas.Rank:
    uncertainty = standing.uncertainty._asdict() if standing.uncertainty else {}
    return schemas.Rank(
        key=key,
        rank=standing.rank,
        score=standing.score,
        comparisons=standing.comparisons,
        component=standing.component,
        **uncertainty,
    )


def _first_place(log: JudgedLog, rows: list[schemas.Rank], target: Target) -> str:
    """Nothing where rows were put together, which loses the signal."""
    if log.times is not None:
        return ""
    ranked = [(row.key, row.rank, row.p_best) for row in rows]
    return first_place(ranked, log.rows, log.signal(target.name), target.name).sentence


def _method(request: RankingRequest, published: Published | None) -> schemas.Method:
    method, name = request.method, request.name
    shown = dict.fromkeys(["expert", "expert_parameters", "prior", "prior_variance", "evidence", "absolute_scale"])
    shown |= {"position_bias": "none"}
    if published:
        shown = method._asdict()
        shown["position_bias"] = "estimate" if name in JOINT else position_bias_of(method, published.model)
        shown["expert_parameters"] = parameters(method.expert) | dict(shown.pop("parameters"))
        shown["evidence"] = "learnt" if method.evidence == "learnt" else request.votes or method.evidence
    more = {"name": name, "temperatures": request.temperatures, **request.wanted._asdict()}
    return schemas.Method.model_validate(shown | more)


def _evidence(log: JudgedLog, published: Published | None) -> schemas.Evidence | None:
    if published is None or published.learnt is None:
        return None
    votes = published.learnt.votes
    by_name = {log.judges[judge]: float(votes[judge]) for judge in np.unique(published.answers.judge).tolist()}
    return schemas.Evidence(scale=published.learnt.scale, votes=by_name)


def _scales(log: JudgedLog, published: Published | None) -> dict[str, schemas.JudgeScale] | None:
    """By the judge's name, on the published scores, which are relative to their mean."""
    if published is None or published.scale is None:
        return None
    level = published.posterior.mean[: published.model.n].mean()
    c0, c1 = published.scale.c0 - level, published.scale.c1
    return {
        log.judges[judge]: schemas.JudgeScale(
            c0=float(c0[judge]), c1=float(c1[judge]), settled=published.scale_converged
        )
        for judge in np.unique(log.absolute.judge).tolist()
    }


def _sureness(standings: Standings) -> schemas.Sureness | None:
    if standings.sureness is None:
        return None
    forecast = [schemas.Foretold(**each._asdict()) for each in standings.forecast]
    return schemas.Sureness(**standings.sureness._asdict(), forecast=forecast)


def _prompts(log: JudgedLog, request: RankingRequest, target: Target, published: Published) -> schemas.Prompts | None:
    """What would settle a ranking that is about new prompts."""
    if target.name != "new-items" or published.model.n < 2:
        return None
    prompts = prompts_to_settle(published, log.item, request.stop, request.goal)
    return prompts and schemas.Prompts(
        judged=prompts.prompts,
        needed=prompts.needed,
        comparisons_suffice=prompts.comparisons_suffice,
        sentence=prompts_in_words(prompts),
    )


def present_target(target: Target) -> schemas.InferenceTarget:
    return schemas.InferenceTarget(**target._asdict())


def present_convergence(convergence: Convergence) -> schemas.Convergence:
    return schemas.Convergence(
        converged=convergence.converged,
        iterations=convergence.iterations,
        gradient_norm=convergence.gradient_norm,
        message=convergence.outcome.value,
    )
