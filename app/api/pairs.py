"""Routes to judged pairs with their verdicts, and to the statistics of items."""

from typing import Annotated

from fastapi import APIRouter, Query
from nextpair import schemas
from nextpair.words import PairSort

from app.api.bodies import BodyRoute
from app.api.dependencies import ContextDep, Limit, SetId
from app.api.problems import of_a_set
from app.service import pairs
from app.service.errors import UnknownCandidate, UnknownItem, UnknownJudge
from app.service.pairs import PairQuery

router = APIRouter(prefix="/v1/sets/{set_id}", tags=["judges"], route_class=BodyRoute)


@router.get("/pairs", responses=of_a_set(UnknownItem, UnknownCandidate, UnknownJudge))
async def list_judged_pairs(
    set_id: SetId,
    ctx: ContextDep,
    item: Annotated[str | None, Query(description="Pairs on this item.")] = None,
    candidate: Annotated[str | None, Query(description="Pairs of this candidate.")] = None,
    other: Annotated[
        str | None, Query(description="Pairs of this candidate too: with `candidate`, of these two.")
    ] = None,
    judge: Annotated[
        str | None, Query(description="Pairs with a verdict by this judge, beside those of others.")
    ] = None,
    tag: Annotated[
        list[str] | None, Query(description="Pairs on items with this tag, as NAME:VALUE. Repeat it to match several.")
    ] = None,
    sort: Annotated[
        PairSort, Query(description="The last verdict first, or the largest disagreement or surprise.")
    ] = "recent",
    after: Annotated[
        int, Query(ge=0, le=2**31, description="Skip this many pairs; `next_after` of the previous page.")
    ] = 0,
    limit: Limit = 100,
) -> schemas.JudgedPairPage:
    """List pairs that were judged, with both texts and every verdict that counts.

    Each pair says how far its verdicts agree with each other, and how much they surprise the ranking.
    """
    query = PairQuery(item, candidate, other, judge, tag or (), sort)
    return await pairs.page(ctx, set_id, query, after=after, limit=limit)


@router.get("/item-statistics", responses=of_a_set(UnknownItem))
async def list_item_statistics(
    set_id: SetId,
    ctx: ContextDep,
    after: Annotated[str | None, Query(description="`next_after` of the previous page.")] = None,
    limit: Limit = 100,
) -> schemas.ItemStatisticsPage:
    """List items with their agreement, disagreement and surprise, in the order you added them; none in a set of texts.

    It shows on which prompts judges disagree, and where verdicts contradict the ranking.
    """
    return await pairs.items_page(ctx, set_id, after=after, limit=limit)
