"""The ranking of a log by any method, with all that is said beside it: GET ranking, and `nextpair rank`."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, Protocol, cast
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import (
    JOINT,
    AbsoluteScale,
    ExpertName,
    InferenceTargetChoice,
    InferenceTargetName,
    MethodName,
    PositionBias,
    PriorName,
    ScaleName,
)

from app.analysis.covariates import covariates_for, present_effects
from app.analysis.judged import Impossible, JudgedLog
from app.analysis.judges import biases_by_name, present_judge_effects
from app.analysis.rows import beside_baseline, present_rows, without_claims
from app.analysis.scales import in_elo
from app.analysis.slices import Slicing, slices_of, tagged
from app.inference.choosing import RANKING, Goal, Stop, goal_kinds, has_claims, prompts_to_decide
from app.inference.experts import make, parameters
from app.inference.fitting import BASELINES, Covariates, Method, Published, position_bias_of
from app.inference.regimes import RANKED_DENSE
from app.inference.reporting import Standings, Table, Target, Wanted, by_baseline, by_judges, by_posterior
from app.inference.targets import Quantity, drawn_values
from app.inference.types import Convergence
from app.sentences import confidence, inference_targets, prompts, repetition
from app.sentences.fits import ENDS


class Publish(Protocol):
    """The posterior that a target is read from."""

    def __call__(self, target: InferenceTargetName, covariates: Covariates | None = None, /) -> Published: ...


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
    votes: Mapping[str, float] = {}  # that a verdict is set to count for, by the judge's name
    temperatures: Mapping[str, float] = {}  # likewise
    baseline: str | None = None  # key of the candidate that all are compared with
    scale: ScaleName = "logit"
    by: str | None = None  # a tag: the ranking is about new prompts, of each of its values too
    covariates: tuple[str, ...] = ()  # taken out of the scores


class Origin(NamedTuple):
    """Origin of a log, and what is known of it there alone; a file has neither set, tests nor stop."""

    set_id: UUID
    version: int
    held_out: schemas.HeldOut | None = None
    stopping: Callable[[], schemas.Stopping | None] = lambda: None  # wanted of fits that converged alone


def rank(log: JudgedLog, request: RankingRequest, publish: Publish, origin: Origin) -> schemas.Ranking:
    """Raises Impossible, Unconverged, and what `publish` raises."""
    _require_possible(log, request)
    name, level = request.name, request.wanted.level
    by = None if request.by is None else tagged(log, request.by, name, level)
    target = log.target(name, request.own_target, "new-items" if by else request.target)
    covariates = covariates_for(log, request.covariates, name, request.method, target)
    published = None if name in BASELINES else publish(target.name, covariates)
    quantity = _quantity(log, request, target, published)
    standings = _standings(log, request, target, published, quantity)
    if not standings.convergence.converged:
        raise Unconverged(ENDS[standings.convergence.outcome])
    method, stopping = _method(request, published), origin.stopping()
    baseline = None if request.baseline is None else log.keys.index(request.baseline)
    rows = present_rows(standings.table, log, beside_baseline(baseline, quantity, published, target.name, level))
    judge_effects = {log.judges[each.judge]: present_judge_effects(each, log.keys) for each in standings.judge_effects}
    places = [(row.key, row.rank, row.p_best) for row in rows]
    is_without_forecast = stopping is not None and bool(stopping.converged or stopping.missing)
    is_own = request.target is None or request.target == log.target(name, request.own_target).name
    first_place = confidence.first_place(places, log.rows, log.signal(target.name))
    repeats = log.present_repeats() if target.name == "all-pairs" and published and log.times is None else None
    ranking = schemas.Ranking(
        set_id=origin.set_id,
        version=origin.version,
        method=method,
        inference_target=_about(target, log, standings),
        convergence=present_convergence(standings.convergence),
        comparisons=log.rows,
        components=standings.table.components,
        entropy=standings.entropy,
        confidence=_confidence(standings),
        validation=log.validation(level),
        signal=log.present_signal(target.name),
        first_place="" if log.times is not None else first_place.sentence,
        position_bias=biases_by_name(standings.biases, log.judges) if method.position_bias != "none" else None,
        repetition=repeats,
        judge_effects=judge_effects if name == "consensus" else None,
        verdict_weight=_verdict_weight(log, published),
        absolute_scores=_scales(log, published),
        held_out=None if name in BASELINES else origin.held_out,
        stopping=stopping,
        prompts=None if is_without_forecast or not published else _prompts(log, request, target, published),
        baseline=request.baseline,
        effects=present_effects(published, log, target, level) if published and covariates else None,
        slices=by and published and slices_of(Slicing(log, published, request.wanted, baseline, rows[0].key), by),
        ranking=rows if log.states_chances(target.name) else without_claims(rows),
    )
    about_repeats = _about_repeats(log, repeats, published, standings.table) if repeats and published else []
    summary = _summary(log, ranking, places, target, about_repeats, stopping if is_own else None)
    ranking = ranking.model_copy(update={"summary": summary})
    return in_elo(ranking) if request.scale == "elo" else ranking


def _require_possible(log: JudgedLog, request: RankingRequest) -> None:
    """Raises Impossible for what this method, or this log, does not have."""
    name, baseline = request.name, request.baseline
    if request.scale == "elo" and not _has_logits(request):
        raise Impossible("scale", f"the scores of {name} are not logits, which Elo needs; choose the method soft-bt")
    if request.by is not None and request.target not in (None, "new-items"):
        raise Impossible("by", f"slices are about new prompts; omit the inference target {request.target}")
    if baseline is None:
        return
    if baseline not in log.keys:
        raise Impossible("baseline", f"there is no candidate {baseline!r}; name one of the ranking")
    if name in BASELINES or name in JOINT:
        raise Impossible("baseline", f"{name} gives no joint draws of the scores; choose the method soft-bt")
    if len(log.keys) > RANKED_DENSE:
        raise Impossible(
            "baseline", f"there are {len(log.keys):,} candidates, and a baseline takes at most {RANKED_DENSE}"
        )


def _quantity(log: JudgedLog, request: RankingRequest, target: Target, published: Published | None) -> Quantity | None:
    """Quantity that is ranked; None of methods that say it themselves, and of what has not converged."""
    if published is None or request.name in JOINT or not published.posterior.convergence.converged:
        return None
    return log.quantity(published, target.name)


def _standings(
    log: JudgedLog, request: RankingRequest, target: Target, published: Published | None, quantity: Quantity | None
) -> Standings:
    """Raises Impossible for a method that cannot take so many judges."""
    name, wanted, pairs_of = request.name, request.wanted, partial(goal_kinds, request.goal)
    if published is None:
        return by_baseline(name, log.answers, len(log.keys))
    if name in JOINT and log.keys:
        try:
            return by_judges(name, published.comparisons, published.model, log.people, wanted, pairs_of)
        except ValueError as error:
            raise Impossible("method", error) from None
    return by_posterior(published, wanted, pairs_of, quantity, target.name)


def _summary(
    log: JudgedLog,
    ranking: schemas.Ranking,
    places: confidence.Ranked,
    target: Target,
    about_repeats: Sequence[str],
    stopping: schemas.Stopping | None,
) -> list[str]:
    """Ranking, how sure it is, and what to do next."""
    signal = None if log.times is not None else log.signal(target.name)
    claims = confidence.summary(
        places,
        log.rows,
        signal,
        ranking.confidence,
        ranking.method.level,
        ranking.validation.about,
    )
    further = [each.sentence for each in (stopping, ranking.prompts) if each and each.sentence]
    if signal and not signal.claimed and log.rows and not further:
        further = [confidence.next_step(signal, is_complete=target.judged.complete)]
    return [ranking.inference_target.sentence, *claims, *about_repeats, *further]


def _about_repeats(
    log: JudgedLog, repeats: Mapping[str, schemas.Repetition], published: Published, table: Table
) -> list[str]:
    """What is known of judges' repeating themselves, and what the leader's P(best) would be if the unknown ones did."""
    leader = int(table.best_first[0])
    is_unknown = any(judge.known is None and not judge.repeats for judge in repeats.values())
    if not is_unknown or len(table.rank) < 2:
        return repetition.repeated(repeats)
    values = drawn_values(log.quantity(published, "all-pairs", supposing=True))
    p_best = float((values[:, leader] == values.max(axis=1)).mean())
    now = float(table.p_best[leader]) if log.states_chances("all-pairs") else None
    return repetition.repeated(repeats, repetition.would_be(log.keys[leader], p_best, now))


def _about(target: Target, log: JudgedLog, standings: Standings) -> schemas.InferenceTarget:
    about = present_target(target)
    if target.name != "all-pairs" or not log.is_decided(standings.table.best_first):
        return about
    return about.model_copy(update={"sentence": f"{about.sentence} {confidence.DECIDED}"})


def _method(request: RankingRequest, published: Published | None) -> schemas.Method:
    name, method, votes = request.name, request.method if published else None, dict(request.votes)
    bias: PositionBias = "none"
    if published and method:
        bias = "estimate" if name in JOINT else position_bias_of(method, published.model)
    return schemas.Method(
        name=name,
        expert=method and cast("ExpertName", method.expert),
        expert_parameters=method and parameters(method.expert) | dict(method.parameters),
        prior=method and cast("PriorName", method.prior),
        prior_variance=method and method.prior_variance,
        position_bias=bias,
        verdict_weight=method and ("learnt" if method.verdict_weight == "learnt" else votes or "one-vote"),
        absolute_scale=method and cast("AbsoluteScale", method.absolute_scale),
        temperatures=dict(request.temperatures),
        level=request.wanted.level,
        top_k=request.wanted.top_k,
        epsilon=request.wanted.epsilon,
        scale="logit" if _has_logits(request) else None,
    )


def _has_logits(request: RankingRequest) -> bool:
    return request.name not in BASELINES and make(request.method.expert).as_soft_bt is not None


def _verdict_weight(log: JudgedLog, published: Published | None) -> schemas.VerdictWeight | None:
    if published is None or published.learnt is None:
        return None
    votes = published.learnt.votes
    by_name = {log.judges[judge]: float(votes[judge]) for judge in np.unique(published.answers.judge).tolist()}
    return schemas.VerdictWeight(score_variance=published.learnt.scale, effective_votes=by_name)


def _scales(log: JudgedLog, published: Published | None) -> dict[str, schemas.JudgeScale] | None:
    """Scales by the judge's name, on the published scores, which are relative to their mean."""
    if published is None or published.scale is None:
        return None
    level = published.scores.mean.mean()
    c0, c1 = published.scale.c0 - level, published.scale.c1
    return {
        log.judges[judge]: schemas.JudgeScale(
            c0=float(c0[judge]), c1=float(c1[judge]), converged=published.scale_converged
        )
        for judge in np.unique(log.absolute.judge).tolist()
    }


def _confidence(standings: Standings) -> schemas.Confidence | None:
    if standings.confidence is None:
        return None
    forecast = [schemas.ConfidenceForecast(**each._asdict()) for each in standings.forecast]
    return schemas.Confidence(**standings.confidence._asdict(), forecast=forecast)


def _prompts(log: JudgedLog, request: RankingRequest, target: Target, published: Published) -> schemas.Prompts | None:
    is_by_rule = has_claims(request.stop, request.goal, published.model.n)
    aim = prompts.TO_STOP if is_by_rule else prompts.TO_NAME_THE_BEST
    return prompts_needed(log, target, published, request.stop, request.goal, aim)


def prompts_needed(
    log: JudgedLog, target: Target, published: Published, stop: Stop, goal: Goal, aim: str
) -> schemas.Prompts | None:
    """Number of prompts that would reach the `aim`, of a target that is about new prompts."""
    if target.name != "new-items" or published.model.n < 2:
        return None
    forecast = prompts_to_decide(published, log.item, stop, goal)
    return forecast and schemas.Prompts(
        judged=forecast.prompts,
        needed=forecast.needed,
        comparisons_suffice=forecast.comparisons_suffice,
        sentence=prompts.needed(forecast, aim),
    )


def present_target(target: Target) -> schemas.InferenceTarget:
    return schemas.InferenceTarget(name=target.name, sentence=inference_targets.answered(target), also=target.also)


def present_convergence(convergence: Convergence) -> schemas.Convergence:
    return schemas.Convergence(
        converged=convergence.converged,
        iterations=convergence.iterations,
        gradient_norm=convergence.gradient_norm,
        message=ENDS[convergence.outcome],
    )
