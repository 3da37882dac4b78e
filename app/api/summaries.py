"""The route to the summary of a set."""

from typing import Annotated

from fastapi import APIRouter, Header, Request, Response
from nextpair import schemas

from app.api.computed import computed
from app.api.dependencies import ContextDep, SetId
from app.api.problems import of_a_set
from app.service import results, summaries
from app.service.errors import InvalidRequest, NotConverged, StillComputing

router = APIRouter(prefix="/v1/sets/{set_id}", tags=["read"])


@router.get(
    "/summary",
    operation_id="summary",
    response_model=schemas.SetSummary,
    responses=of_a_set(InvalidRequest, NotConverged, StillComputing) | {304: {"description": "Unchanged."}},
)
async def get_summary(
    request: Request,
    response: Response,
    set_id: SetId,
    ctx: ContextDep,
    if_none_match: Annotated[
        str | None, Header(alias="If-None-Match", description="ETag of an earlier answer; 304 if nothing changed.")
    ] = None,
) -> object:
    """Read who leads a set, how sure that is, and how far the set is to its goal."""
    found_set = await results.find(ctx, set_id)
    etag = f'"{await summaries.fingerprint(ctx, found_set)}"'
    if if_none_match is not None and etag in if_none_match:
        return Response(status_code=304, headers={"ETag": etag})
    summary = await computed(request, response, summaries.read(ctx, found_set))
    if isinstance(summary, schemas.SetSummary) and summary.newer_version is None:
        response.headers["ETag"] = etag
    return summary
