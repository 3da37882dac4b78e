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


Candidate = Annotated[str | None, Query(description="Pairs of this candidate.")]
Other = Annotated[str | None, Query(description="Pairs of this candidate too: with `candidate`, of these two.")]
Judge = Annotated[str | None, Query(description="Pairs with a verdict by this judge, beside those of others.")]
Tag = Annotated[
    list[str] | None, Query(description="Pairs on items with this tag, as NAME:VALUE. Repeat it to match several.")
]
Find = Annotated[
    str | None,
    Query(
        max_length=200,
        description="Text in the key or prompt of the item; in a set of texts, in the key of a candidate. Case is "
        "ignored.",
    ),
]
Skip = Annotated[int, Query(ge=0, le=2**31, description="Skip this many; `next_after` of the previous page.")]


@router.get("/pairs", responses=of_a_set(UnknownItem, UnknownCandidate, UnknownJudge))
async def list_judged_pairs(
    set_id: SetId,
    ctx: ContextDep,
    item: Annotated[str | None, Query(description="Pairs on this item.")] = None,
    candidate: Candidate = None,
    other: Other = None,
    judge: Judge = None,
    tag: Tag = None,
    find: Find = None,
    sort: Annotated[
        PairSort, Query(description="The last verdict first, or the largest disagreement or surprise.")
    ] = "recent",
    after: Skip = 0,
    limit: Limit = 100,
) -> schemas.JudgedPairPage:
    """List pairs that were judged, with both texts and every verdict that counts.

    Each pair says how far its verdicts agree with each other, and how much they surprise the ranking.
    """
    query = PairQuery(item, candidate, other, judge, find, tag or (), sort)
    return await pairs.page(ctx, set_id, query, after=after, limit=limit)


@router.get("/item-statistics", responses=of_a_set(UnknownCandidate, UnknownJudge))
async def list_item_statistics(
    set_id: SetId,
    ctx: ContextDep,
    candidate: Candidate = None,
    other: Other = None,
    judge: Judge = None,
    tag: Tag = None,
    find: Find = None,
    after: Skip = 0,
    limit: Limit = 100,
) -> schemas.ItemStatisticsPage:
    """List items with the agreement, disagreement and surprise of their pairs, in the order you added the items.

    A set of texts has none. Filters of pairs leave out items without such a pair.
    """
    query = PairQuery(None, candidate, other, judge, find, tag or ())
    return await pairs.items_page(ctx, set_id, query, after=after, limit=limit)
