"""Rankings under any method at any version, and predictions."""

from typing import NamedTuple
from uuid import UUID
from zlib import crc32

import numpy as np
from nextpair import schemas
from nextpair.words import JOINT, EvidenceName, InferenceTargetName, MethodName

from app.inference.choosing import RANKING, Order, Stop, Stopping, prompts_to_settle
from app.inference.fitting import BASELINES, Method, Published, build, is_certified
from app.inference.regimes import RANKED_DENSE
from app.inference.reporting import Standings, Target, Wanted, by_baseline, by_judges, by_posterior
from app.inference.reporting import predict as predicted
from app.inference.state import Snapshot, comparisons_left, distance, exact, under
from app.inference.targets import PromptsNeeded
from app.inference.types import Convergence
from app.service.basis import Basis, existing_version, read_basis
from app.service.certainty import certainty_of
from app.service.context import Context, existing_set
from app.service.errors import InvalidRequest, NotConverged, SameCandidate, UnknownCandidate
from app.service.presenting.rankings import present_ranking, present_target
from app.service.results import FoundSet, read
from app.service.targets import quantity, sought_of, target_of


class RankingQuery(NamedTuple):
    """The ranking of a set that is wanted."""

    method: MethodName | None = None  # the set's own by default
    evidence: EvidenceName | None = None  # the set's own by default
    inference_target: InferenceTargetName | None = None  # the set's own by default
    as_of: int | None = None
    level: float = 0.95
    top_k: int = 1
    epsilon: float = 0.0


def fingerprint(found: FoundSet, query: RankingQuery) -> str:
    """Changes whenever the ranking may. Raises VersionUnknown."""
    row, people = found.row, crc32(repr(sorted(found.people)).encode())
    wanted = "-".join(map(str, (query.level, query.top_k, query.epsilon)))
    method = f"{query.method or row.expert}-{query.evidence or 'own'}-{query.inference_target or 'own'}"
    return f"{existing_version(row, query.as_of)}.{row.revision}.{people:x}-{method}-{wanted}"


async def rank(ctx: Context, found: FoundSet, query: RankingQuery) -> schemas.Ranking:
    """Raises VersionUnknown, NotConverged, InvalidRequest, StillComputing."""
    name = f"ranking {query._replace(as_of=None)}"
    answer = await read(ctx, found, name, lambda basis, _: ranking_of(basis, query), query.as_of)
    return answer.content.model_copy(update={"newer_version": answer.newer_version})


def ranking_of(basis: Basis, query: RankingQuery) -> schemas.Ranking:
    """Raises NotConverged, InvalidRequest."""
    name: MethodName = query.method or basis.row.expert
    wanted, stop = Wanted(query.level, query.top_k, query.epsilon), basis.row.stop
    target, method = target_of(basis, query.inference_target, name), _method(basis.snapshot, name, query.evidence)
    published = None if name in BASELINES else _published(basis, method, target.name)
    standings = _standings(basis, name, published, target, wanted)
    refuse_unconverged(standings.convergence, basis.snapshot)
    stopping = stopping_of(basis, Stop(**stop)) if stop else None
    certainty = certainty_of(basis, query.level)
    is_met = stopping is not None and stopping.reason is not None
    prompts = None if is_met or not published else _prompts(basis, target, published)
    return present_ranking(basis, name, method, target, wanted, published, standings, stopping, prompts, certainty)


def _prompts(basis: Basis, target: Target, published: Published) -> PromptsNeeded | None:
    """What would settle a ranking that is about new prompts."""
    if target.name != "new-items" or published.model.n < 2:
        return None
    return prompts_to_settle(published, basis.snapshot.evidence.item, Stop(**(basis.row.stop or {})), basis.goal)


def _method(snapshot: Snapshot, name: MethodName, evidence: EvidenceName | None) -> Method:
    own = snapshot.interpretation.method
    if name in JOINT:  # biases are its own, beside whatever else it estimates of judges
        return own._replace(expert="soft-bt", parameters=(), position_bias="none", evidence="one-vote")
    if name in (own.expert, *BASELINES):
        return own._replace(evidence=evidence or own.evidence)
    return own._replace(expert=name, parameters=(), evidence=evidence or "one-vote")


def _published(basis: Basis, method: Method, target: InferenceTargetName) -> Published:
    """Without a matrix of many candidates, unless a goal needs one. Raises InvalidRequest for an impossible method."""
    dense = RANKED_DENSE if basis.goal == RANKING else None
    if method == basis.snapshot.interpretation.method:
        is_many = target == "latent" and is_certified(basis.snapshot.model, dense)
        return exact(basis.snapshot, dense) if is_many else basis.published_for(target)
    try:
        build(method, basis.snapshot.model.n)
    except ValueError as error:
        raise InvalidRequest(f"method: {error}.") from None
    return under(basis.snapshot, method, dense, target)


def _standings(
    basis: Basis, name: MethodName, published: Published | None, target: Target, wanted: Wanted
) -> Standings:
    """Raises InvalidRequest for a method that cannot take so many judges."""
    snapshot, pairs_of = basis.snapshot, basis.pairs_of
    if published is None:
        return by_baseline(name, snapshot.evidence.answers, snapshot.model.n)
    if name in JOINT and snapshot.model.n:
        people = np.isin(snapshot.evidence.judges, list(basis.people))
        try:
            return by_judges(name, published.comparisons, published.model, people, wanted, pairs_of)
        except ValueError as error:
            raise InvalidRequest(f"method: {error}.") from None
    ranked = quantity(basis, published, target) if published.posterior.convergence.converged else None
    return by_posterior(published, wanted, pairs_of, ranked)


def refuse_unconverged(convergence: Convergence, snapshot: Snapshot) -> None:
    """Raises NotConverged."""
    if not convergence.converged:
        raise NotConverged(
            f"{convergence.outcome.value} This was at version {snapshot.version}: choose another method, or ask again "
            "when more is judged."
        )


def stopping_of(basis: Basis, stop: Stop) -> Stopping | None:
    """The set's distance to its stop by its own method, whichever ranking is asked for.

    None below two candidates, and of very many.
    """
    snapshot = basis.snapshot
    if snapshot.model.n < 2 or is_certified(snapshot.model):
        return None
    row = basis.row
    left = comparisons_left(
        snapshot, basis.catalogue, Order(row.order), basis.people, row.max_comparisons, reopen=row.stop is not None
    )
    target = target_of(basis).name
    return distance(snapshot, basis.published_for(target), stop, basis.goal, left, sought_of(basis, target))


async def predict(
    ctx: Context, set_id: UUID, first: str, second: str, wanted: InferenceTargetName | None = None
) -> schemas.Prediction:
    """Raises UnknownSet, SetDeleted, UnknownCandidate, SameCandidate, InvalidRequest, NotConverged."""
    async with ctx.reading() as db:
        basis = await read_basis(ctx, db, await existing_set(db, set_id))
    ids, snapshot = basis.catalogue.ids, basis.snapshot
    if first == second:
        raise SameCandidate(f"first and second are both {first!r}; name two different candidates.")
    for key in (first, second):
        if key not in ids:
            raise UnknownCandidate(f"The set has no candidate {key!r}.")
    refuse_unconverged(snapshot.posterior.convergence, snapshot)
    target = target_of(basis, wanted)
    prediction = await ctx.live.compute(
        lambda: predicted(quantity(basis, basis.published_for(target.name), target), ids[first], ids[second])
    )
    return schemas.Prediction(
        set_id=set_id,
        version=snapshot.version,
        first=first,
        second=second,
        inference_target=present_target(target),
        **prediction._asdict(),
    )
