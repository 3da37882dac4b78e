"""Rankings under any method at any version, and predictions."""

from functools import partial
from typing import NamedTuple
from uuid import UUID
from zlib import crc32

from nextpair import schemas
from nextpair.words import JOINT, CovariateName, InferenceTargetName, MethodName, ScaleName, VerdictWeightName

from app.analysis import ranking as analysis
from app.analysis.ranking import Origin, RankingRequest, Unconverged, present_target
from app.inference.choosing import Goal, Order, Stop, Stopping
from app.inference.fitting import BASELINES, Covariates, Method, Published, build
from app.inference.reporting import Wanted
from app.inference.reporting import predict as predicted
from app.inference.state import Snapshot, comparisons_left, distance, under
from app.inference.types import Convergence
from app.sentences import stopping as sentences
from app.sentences.fits import ENDS
from app.service.basis import Basis, existing_version, read_basis
from app.service.context import Context, existing_set
from app.service.definitions import stop_of
from app.service.errors import InvalidRequest, NotConverged
from app.service.key_lookup import pair_of
from app.service.presenting.sets import temperatures_of, votes_of
from app.service.results import FoundSet, read


class RankingQuery(NamedTuple):
    """The ranking of a set that is wanted."""

    method: MethodName | None = None  # the set's own by default
    verdict_weight: VerdictWeightName | None = None  # the set's own by default
    inference_target: InferenceTargetName | None = None  # the set's own by default
    as_of: int | None = None
    level: float = 0.95
    top_k: int = 1
    epsilon: float = 0.0
    baseline: str | None = None  # key of a candidate
    scale: ScaleName = "logit"
    by: str | None = None  # a tag of items
    covariates: tuple[CovariateName, ...] = ()


def fingerprint(found: FoundSet, query: RankingQuery) -> str:
    """Changes whenever the ranking may. Raises VersionUnknown."""
    row, known = found.row, crc32(repr((sorted(found.people), sorted(found.repeats.items()))).encode())
    shown = crc32(repr((query.baseline, query.scale, query.by, query.covariates)).encode())
    wanted = "-".join(map(str, (query.level, query.top_k, query.epsilon, f"{shown:x}")))
    method = f"{query.method or row.expert}-{query.verdict_weight or 'own'}-{query.inference_target or 'own'}"
    return f"{existing_version(row, query.as_of)}.{row.revision}.{known:x}-{method}-{wanted}"


async def rank(ctx: Context, found: FoundSet, query: RankingQuery, *, fresh: bool = False) -> schemas.Ranking:
    """Rank at the version that was found, or later; unless `fresh`, at an earlier one where that takes long.

    Raises VersionUnknown, NotConverged, InvalidRequest, Impossible, StillComputing.
    """
    name = f"ranking {query._replace(as_of=None)}"
    answer = await read(ctx, found, name, lambda basis, _: ranking_of(basis, query), query.as_of, fresh=fresh)
    return answer.content.model_copy(update={"newer_version": answer.newer_version})


def ranking_of(basis: Basis, query: RankingQuery) -> schemas.Ranking:
    """Raises NotConverged, InvalidRequest, Impossible."""
    row, name = basis.row, query.method or basis.row.expert
    method = _method(basis.snapshot, name, query.verdict_weight)
    request = RankingRequest(
        name=name, method=method, wanted=Wanted(query.level, query.top_k, query.epsilon),
        own_target=row.inference_target, target=query.inference_target, goal=basis.goal, stop=stop_of(row) or Stop(),
        votes=votes_of(row), temperatures=temperatures_of(row), baseline=query.baseline, scale=query.scale,
        by=query.by, covariates=query.covariates,
    )  # fmt: skip
    origin = Origin(row.id, basis.snapshot.version, basis.tested, partial(present_stopping, basis))
    try:
        return analysis.rank(basis.judged, request, partial(_published, basis, method), origin)
    except Unconverged as error:
        raise _not_converged(str(error), basis.snapshot) from None


def _method(snapshot: Snapshot, name: MethodName, verdict_weight: VerdictWeightName | None) -> Method:
    own = snapshot.interpretation.method
    if name in JOINT:  # biases are its own, beside whatever else it estimates of judges
        return own._replace(expert="soft-bt", parameters=(), position_bias="none", verdict_weight="one-vote")
    if name in (own.expert, *BASELINES):
        return own._replace(verdict_weight=verdict_weight or own.verdict_weight)
    return own._replace(expert=name, parameters=(), verdict_weight=verdict_weight or "one-vote")


def _published(
    basis: Basis, method: Method, target: InferenceTargetName, covariates: Covariates | None = None
) -> Published:
    """Raises InvalidRequest for an impossible method."""
    if method == basis.snapshot.interpretation.method and covariates is None:
        return basis.published_in_rows(target)
    try:
        build(method, basis.snapshot.model.n)
    except ValueError as error:
        raise InvalidRequest(f"method: {error}.") from None
    return under(basis.snapshot, method, basis.dense, target, covariates)


def refuse_unconverged(convergence: Convergence, snapshot: Snapshot) -> None:
    """Raises NotConverged."""
    if not convergence.converged:
        raise _not_converged(ENDS[convergence.outcome], snapshot)


def _not_converged(outcome: str, snapshot: Snapshot) -> NotConverged:
    return NotConverged(
        f"{outcome} This was at version {snapshot.version}: choose another method, or ask again when more is judged."
    )


def present_stopping(basis: Basis) -> schemas.Stopping | None:
    """The distance to the set's stop; None where it has none."""
    rule, target = stop_of(basis.row), basis.target().name
    if rule is None:
        return None
    stopping = stopping_of(basis, rule)
    if stopping is None:
        return schemas.Stopping(converged=False, reason=None, forecast=None)
    low, median, high = stopping.forecast
    return schemas.Stopping(
        converged=stopping.reason is not None,
        reason=stopping.reason,
        forecast=median,
        forecast_interval=None if low is None else (low, high),
        left=stopping.left,
        missing="" if stopping.missing is None else sentences.missing(stopping.missing),
        sentence=sentences.state(stopping, rule, target),
    )


def stopping_of(
    basis: Basis, stop: Stop, goal: Goal | None = None, target: InferenceTargetName | None = None
) -> Stopping | None:
    """The set's distance to a stop by its own method, whichever ranking is asked for.

    None below two candidates, and of very many.

    Args: `goal` and `target` are the set's own by default; with another goal the set is one that stops.
    """
    snapshot = basis.snapshot
    if snapshot.model.n < 2 or not snapshot.posterior.covariance.has_matrix:
        return None
    row, reopen = basis.row, goal is not None or basis.row.stop is not None
    left = comparisons_left(
        snapshot, basis.catalogue.has, Order(row.order), basis.people, row.max_comparisons, reopen=reopen
    )
    target = target or basis.target().name
    goal = basis.goal if goal is None else goal
    return distance(snapshot, basis.published_for(target), stop, goal, left, basis.sought(target))


async def predict(
    ctx: Context, set_id: UUID, first: str, second: str, wanted: InferenceTargetName | None = None
) -> schemas.Prediction:
    """Raises UnknownSet, SetDeleted, UnknownCandidate, SameCandidate, Impossible, NotConverged."""
    async with ctx.engine.connect() as db:
        basis = await read_basis(ctx, db, await existing_set(db, set_id))
    pair, snapshot = pair_of(basis.catalogue, first, second), basis.snapshot
    refuse_unconverged(snapshot.posterior.convergence, snapshot)
    target = basis.target(wanted)
    prediction = await ctx.live.compute(lambda: predicted(basis.ranked(target.name), *pair))
    return schemas.Prediction(
        set_id=set_id,
        version=snapshot.version,
        first=first,
        second=second,
        inference_target=present_target(target),
        **prediction._asdict(),
    )
