"""Rankings, with all that is said beside them."""

from collections.abc import Mapping, Sequence

import numpy as np
from nextpair import schemas
from nextpair.words import JOINT, MethodName

from app.inference.choosing import Stopping
from app.inference.experts import parameters
from app.inference.fitting import BASELINES, Method, Published, position_bias_of
from app.inference.reporting import (
    Bias,
    JudgeEffects,
    Standing,
    Standings,
    Target,
    Wanted,
    first_place,
    prompts_in_words,
    warning_of,
)
from app.inference.state import Catalogue, Snapshot
from app.inference.targets import PromptsNeeded
from app.inference.types import Convergence
from app.service.basis import Basis
from app.service.presenting.sets import temperatures_of, votes_of
from app.storage.schema import Record


def present_ranking(
    basis: Basis,
    name: MethodName,
    method: Method,
    target: Target,
    wanted: Wanted,
    published: Published | None,
    standings: Standings,
    stopping: Stopping | None,
    prompts: PromptsNeeded | None,
    certainty: schemas.Certainty,
) -> schemas.Ranking:
    """A ranking by the method of this name; there is no posterior, `published`, behind a baseline."""
    snapshot, how = basis.snapshot, _method(basis.row, name, method, wanted, published)
    return schemas.Ranking(
        set_id=basis.row.id,
        version=snapshot.version,
        method=how,
        inference_target=present_target(target),
        convergence=present_convergence(standings.convergence),
        comparisons=snapshot.comparisons.size,
        components=standings.components,
        entropy=standings.entropy,
        sureness=_sureness(standings),
        certainty=certainty,
        signal=schemas.Signal(**basis.signal_for(target.name)._asdict()),
        first_place=_first_place(standings, basis, target),
        position_bias=present_biases(standings.biases, snapshot, basis.names) if how.position_bias != "none" else None,
        tastes=_tastes(standings, basis) if name == "consensus" else None,
        evidence=_evidence(published, basis) if published else None,
        absolute_scores=_scales(published, basis) if published else None,
        held_out=None if name in BASELINES else basis.tested,
        stopping=_stopping(stopping) if basis.row.stop else None,
        prompts=prompts and _prompts(prompts),
        ranking=[_rank(standing, basis.catalogue) for standing in standings.rows],
    )


def _first_place(standings: Standings, basis: Basis, target: Target) -> str:
    keys, comparisons = basis.catalogue.keys, basis.snapshot.comparisons.size
    ranked = [(keys[row.candidate], row.rank, row.uncertainty and row.uncertainty.p_best) for row in standings.rows]
    return first_place(ranked, comparisons, basis.signal_for(target.name), target.name).sentence


def present_target(target: Target) -> schemas.InferenceTarget:
    return schemas.InferenceTarget(**target._asdict())


def present_biases(
    biases: Sequence[Bias], snapshot: Snapshot, names: Mapping[int, str]
) -> dict[str, schemas.JudgeBias]:
    """Biases by the judge's name."""
    return {names[int(snapshot.evidence.judges[bias.judge])]: present_bias(bias) for bias in biases}


def present_bias(bias: Bias) -> schemas.JudgeBias:
    return schemas.JudgeBias(
        delta=bias.delta,
        sd=bias.sd,
        comparisons=bias.comparisons,
        discrimination=bias.discrimination,
        discrimination_sd=bias.sd_of_discrimination,
        warning=warning_of(bias),
    )


def _tastes(standings: Standings, basis: Basis) -> dict[str, schemas.Tastes]:
    """Tastes by the judge's name."""
    judges, keys = basis.snapshot.evidence.judges, basis.catalogue.keys
    return {basis.names[int(judges[tastes.judge])]: present_tastes(tastes, keys) for tastes in standings.tastes}


def present_tastes(tastes: JudgeEffects, keys: Sequence[str]) -> schemas.Tastes:
    departures = [
        schemas.Departure(key=keys[candidate], departure=departure, sd=sd)
        for candidate, departure, sd in tastes.departures
    ]
    return schemas.Tastes(sd=tastes.sd, departures=departures)


def present_convergence(convergence: Convergence) -> schemas.Convergence:
    return schemas.Convergence(
        converged=convergence.converged,
        iterations=convergence.iterations,
        gradient_norm=convergence.gradient_norm,
        message=convergence.outcome.value,
    )


def _method(
    row: Record, name: MethodName, method: Method, wanted: Wanted, published: Published | None
) -> schemas.Method:
    of_posteriors = "expert", "expert_parameters", "prior", "prior_variance", "evidence", "absolute_scale"
    shown = dict.fromkeys(of_posteriors) | {"position_bias": "none"}
    if name not in BASELINES:
        shown = method._asdict()
        shown["position_bias"] = published and position_bias_of(method, published.model)
        shown["expert_parameters"] = parameters(method.expert) | dict(shown.pop("parameters"))
        shown["evidence"] = "learnt" if method.evidence == "learnt" else votes_of(row) or method.evidence
    if name in JOINT:
        shown["position_bias"] = "estimate"
    return schemas.Method.model_validate(
        shown | {"name": name, "temperatures": temperatures_of(row), **wanted._asdict()}
    )


def _evidence(published: Published, basis: Basis) -> schemas.Evidence | None:
    if published.learnt is None:
        return None
    numbers = np.unique(published.answers.judge)
    judges, votes = basis.snapshot.evidence.judges[numbers], published.learnt.votes[numbers]
    by_name = {basis.names[int(judge)]: float(each) for judge, each in zip(judges, votes, strict=True)}
    return schemas.Evidence(scale=published.learnt.scale, votes=by_name)


def _scales(published: Published, basis: Basis) -> dict[str, schemas.JudgeScale] | None:
    """Scales by the judge's name, on the published scores, which are relative to their mean."""
    if published.scale is None:
        return None
    level = published.posterior.mean[: published.model.n].mean()
    judges, scored = basis.snapshot.evidence.judges, np.unique(basis.snapshot.evidence.absolute.judge)
    c0, c1 = published.scale.c0 - level, published.scale.c1
    return {
        basis.names[int(judges[j])]: schemas.JudgeScale(c0=float(c0[j]), c1=float(c1[j]), settled=published.settled)
        for j in scored
    }


def _sureness(standings: Standings) -> schemas.Sureness | None:
    if standings.sureness is None:
        return None
    forecast = [schemas.Foretold(**each._asdict()) for each in standings.forecast]
    return schemas.Sureness(**standings.sureness._asdict(), forecast=forecast)


def _stopping(stopping: Stopping | None) -> schemas.Stopping:
    if stopping is None:
        return schemas.Stopping(converged=False, reason=None, forecast=None)
    low, median, high = stopping.forecast
    return schemas.Stopping(
        converged=stopping.reason is not None,
        reason=stopping.reason,
        forecast=median,
        forecast_interval=None if low is None else (low, high),
        left=stopping.left,
    )


def _prompts(prompts: PromptsNeeded) -> schemas.Prompts:
    return schemas.Prompts(
        judged=prompts.prompts,
        needed=prompts.needed,
        comparisons_suffice=prompts.comparisons_suffice,
        sentence=prompts_in_words(prompts),
    )


def _rank(standing: Standing, catalogue: Catalogue) -> schemas.Rank:
    uncertainty = standing.uncertainty._asdict() if standing.uncertainty else {}
    return schemas.Rank(
        key=catalogue.keys[standing.candidate],
        rank=standing.rank,
        score=standing.score,
        comparisons=standing.comparisons,
        component=standing.component,
        **uncertainty,
    )
