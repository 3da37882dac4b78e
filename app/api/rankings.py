"""Routes to rankings in their formats, to predictions of one pair, and to the event stream of a set."""

import io
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from nextpair import schemas
from nextpair.words import CovariateName, FigureWidth, InferenceTargetName, MethodName, ScaleName, VerdictWeightName

from app.api.computed import origin, picture, while_connected
from app.api.dependencies import ContextDep, SetId
from app.api.problems import of_a_set
from app.files import latex
from app.files.pictures import draw_ranking
from app.files.rankings import write_csv
from app.service import events, rankings, results
from app.service.context import Context
from app.service.errors import (
    InvalidRequest,
    NotConverged,
    NotInstalled,
    SameCandidate,
    StillComputing,
    UnknownCandidate,
    VersionUnknown,
)
from app.service.key_lookup import elsewhere_if_many
from app.service.rankings import RankingQuery
from app.service.results import FoundSet

InferenceTargetParam = Annotated[
    InferenceTargetName | None, Query(description="What the result is about; by default the set's inference target.")
]

RankingFormat = Literal["json", "csv", "latex", "svg", "png", "pdf"]

router = APIRouter(prefix="/v1/sets/{set_id}", tags=["read"])


@router.get(
    "/ranking",
    operation_id="ranking",
    response_model=schemas.Ranking,
    responses=of_a_set(VersionUnknown, InvalidRequest, NotConverged, StillComputing, NotInstalled)
    | {304: {"description": "Unchanged."}},
)
async def get_ranking(
    request: Request,
    set_id: SetId,
    ctx: ContextDep,
    method: Annotated[MethodName | None, Query(description="The method; by default the set's expert.")] = None,
    as_of: Annotated[schemas.Seq | None, Query(description="The ranking at this version of the log.")] = None,
    verdict_weight: Annotated[
        VerdictWeightName | None, Query(description="How verdicts are weighted; by default as the set says.")
    ] = None,
    inference_target: InferenceTargetParam = None,
    level: Annotated[float, Query(ge=0.001, le=0.9999, description="Level of intervals and tie groups.")] = 0.95,
    top_k: Annotated[int, Query(ge=1, description="The k of `p_top_k`.")] = 1,
    epsilon: Annotated[
        float, Query(ge=0.0, le=1e9, description="Smallest difference that separates tie groups, in logits.")
    ] = 0.0,
    baseline: Annotated[
        str | None,
        Query(description="Key of a candidate. `against` compares each of the others with it.", examples=["kelp"]),
    ] = None,
    scale: Annotated[ScaleName, Query(description="Unit of scores and their differences.")] = "logit",
    by: Annotated[
        str | None,
        Query(
            description="A tag of the items. `slices` has a ranking for each of its values, about new prompts.",
            examples=["language"],
        ),
    ] = None,
    covariate: Annotated[
        list[CovariateName],
        Query(
            description="Exclude this property of outputs from the scores, such as their length. The ranking is then "
            "as if all outputs were alike in it; `effects` has its size."
        ),
    ] = [],  # noqa: B006  # never changed
    format: Annotated[  # noqa: A002  # the name is the contract's
        RankingFormat, Query(description="JSON, a table as CSV or LaTeX (booktabs), or a picture.")
    ] = "json",
    width: Annotated[
        FigureWidth | None,
        Query(
            description="Width of a picture for a journal, without title, in 8 pt type: `single` is 85 mm, `double` is "
            "174 mm."
        ),
    ] = None,
    fresh: Annotated[
        bool, Query(description="Wait for the ranking of all verdicts so far, instead of the last finished one.")
    ] = False,
    if_none_match: Annotated[
        str | None, Header(alias="If-None-Match", description="ETag of an earlier answer; 304 if nothing changed.")
    ] = None,
) -> object:
    """Read the ranking, best first, with intervals.

    If verdicts arrive faster than it is computed, you get the last finished one. `newer_version` is the next. Every
    format has its version and method, also in the headers `Nextpair-Version` and `Nextpair-Method`; the version that
    is being computed is in `Nextpair-Newer-Version`.
    """
    query = RankingQuery(
        method=method,
        verdict_weight=verdict_weight,
        inference_target=inference_target,
        as_of=as_of,
        level=level,
        top_k=top_k,
        epsilon=epsilon,
        baseline=baseline,
        scale=scale,
        by=by,
        covariates=tuple(covariate),
    )
    found_set = await results.find(ctx, set_id)
    etag = f'"{rankings.fingerprint(found_set, query)}-{format}{"-" + width if width else ""}"'
    if if_none_match is not None and etag in if_none_match:
        return Response(status_code=304, headers={"ETag": etag})
    return await while_connected(request, _answer(ctx, found_set, query, format, width, etag, fresh=fresh))


async def _answer(
    ctx: Context,
    found: FoundSet,
    query: RankingQuery,
    form: RankingFormat,
    width: FigureWidth | None,
    etag: str,
    *,
    fresh: bool,
) -> Response:
    """The ranking in this form; one of an earlier version has no ETag, as its newer version has one."""
    ranking = await rankings.rank(ctx, found, query, fresh=fresh)
    headers = origin(ranking) | ({"ETag": etag} if ranking.newer_version is None else {})
    if form == "json":
        content = await elsewhere_if_many(ranking.ranking, ranking.model_dump_json)
        return Response(content, media_type="application/json", headers=headers)
    if form == "csv":
        content = await elsewhere_if_many(ranking.ranking, partial(_csv, ranking))
        return Response(content, media_type="text/csv; charset=utf-8", headers=headers)
    if form == "latex":
        return Response(latex.table(ranking, found.row.name), media_type=latex.MEDIA_TYPE, headers=headers)
    drawn = await results.beside(ctx, partial(draw_ranking, ranking, found.row.name, form, width))
    return picture(drawn, form, headers)


@router.get("/predict", responses=of_a_set(UnknownCandidate, SameCandidate, InvalidRequest, NotConverged))
async def predict(
    set_id: SetId,
    ctx: ContextDep,
    first: Annotated[str, Query(description="Key of a candidate.", examples=["kelp"])],
    second: Annotated[str, Query(description="Key of another candidate.", examples=["rowan"])],
    inference_target: InferenceTargetParam = None,
) -> schemas.Prediction:
    """Predict one pair: the posterior probability that `first` is better than `second`."""
    return await rankings.predict(ctx, set_id, first, second, inference_target)


async def get_start(
    set_id: SetId,
    ctx: ContextDep,
    after: Annotated[schemas.Seq | None, Query(description="Replay the log after this version.")] = None,
    last_event_id: Annotated[
        schemas.Seq | None, Header(alias="Last-Event-ID", description="Sent by clients that reconnect.")
    ] = None,
) -> int:
    """The version that events start after; by default that of the log before the answer begins.

    Raises UnknownSet, SetDeleted.
    """
    found_set = await results.find(ctx, set_id)
    return next(each for each in (last_event_id, after, int(found_set.row.version)) if each is not None)


@router.get("/events", operation_id="events", response_class=EventSourceResponse, responses=of_a_set())
async def follow(
    set_id: SetId, ctx: ContextDep, start: Annotated[int, Depends(get_start)]
) -> AsyncIterator[ServerSentEvent]:
    """Follow server-sent events: `comparison`, `ranking` (a new version) and `status`. The id is the version.

    You get every event after the answer has begun.
    """
    async for event in events.follow(ctx, set_id, start):
        if event is None:
            yield ServerSentEvent(comment="still here")
        else:
            yield ServerSentEvent(data=event.content, event=event.name, id=str(event.version))


def _csv(ranking: schemas.Ranking) -> str:
    out = io.StringIO()
    write_csv([((), ranking)], out)
    return out.getvalue()
