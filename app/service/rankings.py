"""Reading: rankings under any method at any version, and predictions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

import numpy as np
from nextpair import schemas
from nextpair.words import JUDGE_AWARE, MethodName
from sqlalchemy.ext.asyncio import AsyncConnection

from app.files import plots
from app.inference.choosing.stopping import Stop, Stopping, distance_to_stop
from app.inference.experts import parameters
from app.inference.fitting import judge_aware
from app.inference.fitting.baselines import BASELINES
from app.inference.fitting.model import Method, build
from app.inference.fitting.posterior import scores
from app.inference.reporting import ranking
from app.inference.reporting.bias import Bias
from app.inference.reporting.ranking import Wanted
from app.inference.reporting.standings import Standing, Standings, by_baseline, by_judges, by_posterior
from app.inference.state import snapshot as snapshots
from app.inference.state.snapshot import Catalogue, Published, Snapshot
from app.inference.types import Convergence
from app.service import held_out, posteriors
from app.service.context import Context, existing_set
from app.service.errors import InvalidRequest, NotConverged, SameCandidate, UnknownCandidate, VersionUnknown
from app.service.sets import temperatures_of
from app.storage import judges
from app.storage.schema import Record

NOT_IDENTIFIED = (
    "This judge's verdicts do not tell its liking for the first position from merit: "
    "the estimate is mostly what the priors make of it. Show more pairs, and some of them the other way round."
)


class Asked(NamedTuple):
    """Which ranking of a set."""

    method: MethodName | None  # the set's own by default
    as_of: int | None
    wanted: Wanted


@dataclass(frozen=True)
class Basis:
    """What results are made of, all of it at the snapshot's version."""

    row: Record  # the set
    catalogue: Catalogue
    snapshot: Snapshot
    names: Mapping[int, str]  # of judges, by id
    tested: schemas.HeldOut | None

    @cached_property
    def published(self) -> Published:
        """The posterior by the set's own method."""
        return snapshots.exact(self.snapshot)


async def read_basis(
    ctx: Context, db: AsyncConnection, row: Record, as_of: int | None = None, others: Iterable[int] = ()
) -> Basis:
    """Everything as of that version, the present one by default; names `others` beside the judges of the log.

    Raises VersionUnknown.
    """
    catalogue, snapshot = await _at(ctx, db, row, as_of)
    names = await judges.names(db, {*snapshot.evidence.judges.tolist(), *others})
    return Basis(row, catalogue, snapshot, names, await held_out.read(db, row.id, snapshot))


async def find(ctx: Context, set_id: UUID) -> Record:
    """The set to be ranked. Raises UnknownSet, SetDeleted."""
    async with ctx.reading() as db:
        return await existing_set(db, set_id)


def fingerprint(row: Record, asked: Asked) -> str:
    """Changes whenever the ranking may. Raises VersionUnknown."""
    wanted = "-".join(map(str, asked.wanted))
    return f"{_version(row, asked.as_of)}.{row.revision}-{asked.method or row.expert}-{wanted}"


async def rank(ctx: Context, row: Record, asked: Asked) -> schemas.Ranking:
    """Raises VersionUnknown, NotConverged, InvalidRequest."""
    async with ctx.engine.connect() as db:
        basis = await read_basis(ctx, db, row, asked.as_of)
    return await ctx.live.compute(ranking_of, basis, asked)


async def draw(ctx: Context, ranking: schemas.Ranking, title: str, form: plots.Form) -> bytes:
    """A forest plot."""
    return await ctx.live.compute(_draw, ranking, title, form)


async def predict(ctx: Context, set_id: UUID, first: str, second: str) -> schemas.Prediction:
    """Raises UnknownSet, SetDeleted, UnknownCandidate, SameCandidate, NotConverged."""
    async with ctx.engine.connect() as db:
        catalogue, snapshot = await posteriors.current(ctx, db, await existing_set(db, set_id))
    if first == second:
        raise SameCandidate(f"first and second are both {first!r}; name two different candidates.")
    for key in (first, second):
        if key not in catalogue.ids:
            raise UnknownCandidate(f"The set has no candidate {key!r}.")
    _refuse_unconverged(snapshot.posterior.convergence, snapshot)
    published = await ctx.live.compute(snapshots.exact, snapshot)
    posterior = scores(published.posterior, snapshot.comparisons, published.model)
    prediction = ranking.predict(posterior, catalogue.ids[first], catalogue.ids[second])
    return schemas.Prediction(
        set_id=set_id, version=snapshot.version, first=first, second=second, **prediction._asdict()
    )


def _draw(ranking: schemas.Ranking, title: str, form: plots.Form) -> bytes:
    parts = ranking.components > 1
    rows = [plots.Row(r.key, r.score, r.interval, _note(r, in_parts=parts)) for r in ranking.ranking]
    caption = f"{ranking.comparisons:,} comparisons, {ranking.method.name}, {ranking.method.level:.0%} intervals"
    if parts:
        caption += f" · {ranking.components} parts that were never compared: compare scores within a part only"
    return plots.forest(rows, title, caption, form)


def _note(r: schemas.Rank, *, in_parts: bool) -> str:
    best, worst = r.rank_interval or (r.rank, r.rank)
    part = f", part {r.component + 1}" if in_parts else ""
    return f"rank {plots.span(best, worst)}{part}"


def _refuse_unconverged(convergence: Convergence, snapshot: Snapshot) -> None:
    if not convergence.converged:
        raise NotConverged(
            f"{convergence.outcome.value} This was at version {snapshot.version}: choose another method, or ask again "
            "when more is judged."
        )


async def _at(ctx: Context, db: AsyncConnection, row: Record, as_of: int | None) -> tuple[Catalogue, Snapshot]:
    """The live snapshot where it will do: it may have moved on since `row` was read."""
    _version(row, as_of)
    if as_of is None or as_of == row.version:
        found = await posteriors.current(ctx, db, row)
        if as_of is None or as_of == found[1].version:
            return found
    return await posteriors.at_version(ctx, db, row, as_of)


def _version(row: Record, as_of: int | None) -> int:
    if as_of is not None and as_of > row.version:
        raise VersionUnknown(f"as_of is {as_of}, but the log of this set ends at version {row.version}.")
    return int(row.version) if as_of is None else as_of


def ranking_of(basis: Basis, asked: Asked) -> schemas.Ranking:
    """Raises NotConverged, InvalidRequest."""
    asked = asked._replace(method=asked.method or basis.row.expert)
    snapshot, is_baseline = basis.snapshot, asked.method in BASELINES
    method = _method_of(snapshot, asked)
    published = None if is_baseline else _published(basis, method)
    found = _standings(snapshot, asked, published)
    _refuse_unconverged(found.convergence, snapshot)
    estimates_bias = asked.method == JUDGE_AWARE or (not is_baseline and method.position_bias == "estimate")
    return schemas.Ranking(
        set_id=basis.row.id,
        version=snapshot.version,
        method=_present_method(basis.row, method, asked),
        convergence=present_convergence(found.convergence),
        comparisons=snapshot.comparisons.size,
        components=found.components,
        entropy=found.entropy,
        position_bias=present_biases(found.biases, snapshot, basis.names) if estimates_bias else None,
        absolute_scores=_present_scale(published, basis) if published else None,
        held_out=None if is_baseline else basis.tested,
        stopping=_present_stopping(basis) if basis.row.stop else None,
        ranking=[_present(standing, basis.catalogue) for standing in found.rows],
    )


def _method_of(snapshot: Snapshot, asked: Asked) -> Method:
    own = snapshot.interpretation.method
    if asked.method == JUDGE_AWARE:  # its biases are its own, beside the discriminations
        return own._replace(expert="soft-bt", parameters=(), position_bias="none")
    return own if asked.method in (own.expert, *BASELINES) else own._replace(expert=str(asked.method), parameters=())


def _published(basis: Basis, method: Method) -> Published:
    if method == basis.snapshot.interpretation.method:
        return basis.published
    try:
        build(method, basis.snapshot.model.n)
    except ValueError as error:
        raise InvalidRequest(f"method: {error}.") from None
    return snapshots.under(basis.snapshot, method)


def _standings(snapshot: Snapshot, asked: Asked, published: Published | None) -> Standings:
    if published is None:
        return by_baseline(str(asked.method), snapshot.comparisons, snapshot.model.n)
    if asked.method == JUDGE_AWARE and snapshot.model.n:
        found = judge_aware.fit(snapshot.comparisons, published.model, len(snapshot.evidence.judges))
        return by_judges(found, snapshot.comparisons, asked.wanted)
    return by_posterior(published.posterior, snapshot.comparisons, published.model, asked.wanted)


def present_biases(
    biases: Sequence[Bias], snapshot: Snapshot, names: Mapping[int, str]
) -> dict[str, schemas.JudgeBias]:
    """By the judge's name."""
    return {names[int(snapshot.evidence.judges[bias.judge])]: present_bias(bias) for bias in biases}


def present_bias(bias: Bias) -> schemas.JudgeBias:
    warning = None if bias.identified else NOT_IDENTIFIED
    return schemas.JudgeBias(
        delta=bias.delta,
        sd=bias.sd,
        comparisons=bias.comparisons,
        discrimination=bias.discrimination,
        warning=warning,
    )


def _present_scale(published: Published, basis: Basis) -> dict[str, schemas.JudgeScale] | None:
    """By the judge's name; on the published scores, which are relative to their mean."""
    if published.scale is None:
        return None
    level = published.posterior.mean[: published.model.n].mean()
    judges, scored = basis.snapshot.evidence.judges, np.unique(basis.snapshot.evidence.absolute.judge)
    c0, c1 = published.scale.c0 - level, published.scale.c1
    return {
        basis.names[int(judges[j])]: schemas.JudgeScale(c0=float(c0[j]), c1=float(c1[j]), settled=published.settled)
        for j in scored
    }


def stopping_of(basis: Basis, stop: Stop) -> Stopping | None:
    """By the set's own method, whichever ranking is asked for; None where there is nothing to compare."""
    snapshot = basis.snapshot
    if snapshot.model.n < 2:
        return None
    marginal = scores(basis.published.posterior, snapshot.comparisons, basis.published.model)
    return distance_to_stop(marginal, snapshots.plain_model(snapshot), float(snapshot.comparisons.weight.sum()), stop)


def _present_stopping(basis: Basis) -> schemas.Stopping:
    found = stopping_of(basis, Stop(**basis.row.stop))
    if found is None:
        return schemas.Stopping(converged=False, reason=None, forecast=None)
    return schemas.Stopping.model_validate({"converged": found.reason is not None, **found._asdict()})


def _present(standing: Standing, catalogue: Catalogue) -> schemas.Rank:
    known = standing.uncertainty._asdict() if standing.uncertainty else {}
    return schemas.Rank(
        key=catalogue.keys[standing.candidate],
        rank=standing.rank,
        score=standing.score,
        comparisons=standing.comparisons,
        component=standing.component,
        **known,
    )


def _present_method(row: Record, method: Method, asked: Asked) -> schemas.Method:
    shown = dict.fromkeys(("expert", "expert_parameters", "prior", "prior_variance")) | {"position_bias": "none"}
    if asked.method not in BASELINES:
        shown = method._asdict()
        shown["expert_parameters"] = parameters(method.expert) | dict(shown.pop("parameters"))
    if asked.method == JUDGE_AWARE:
        shown["position_bias"] = "estimate"
    known = {"name": asked.method, "temperatures": temperatures_of(row), **asked.wanted._asdict()}
    return schemas.Method.model_validate(shown | known)


def present_convergence(convergence: Convergence) -> schemas.Convergence:
    return schemas.Convergence(
        converged=convergence.converged,
        iterations=convergence.iterations,
        gradient_norm=convergence.gradient_norm,
        message=convergence.outcome.value,
    )
