"""Judging pairs: the page for annotators, without navigation."""

from typing import Annotated
from urllib.parse import unquote
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from nextpair.schemas import SetOut

from app.api.dependencies import ContextDep
from app.service import named_pairs, sets
from app.web.set_page import set_page
from app.web.texts import WAITING, described

router = APIRouter(prefix="/sets/{set_id}/annotate", include_in_schema=False)


@router.get("")
async def annotate(
    request: Request, set_id: UUID, ctx: ContextDep, item: Annotated[str | None, Query(max_length=200)] = None
) -> Response:
    """Judging pairs; `?pair=A,B&item=K` judges this one. Leases none: the page's script asks for them."""
    reasons = {each: f"{described(each)}. {words}" for each, words in WAITING.items()}
    keys = _keys(request.url.query)
    async with ctx.reading() as db:
        of_set = await sets.get(db, set_id)
        pair = await named_pairs.read(ctx, db, set_id, *keys, item) if keys else None
    return set_page(request, "annotate.html", of_set, reasons=reasons, guide=_guide(of_set), pair=pair and _plain(pair))


def _keys(query: str) -> tuple[str, str] | None:
    """Both keys of `pair=A,B`; a comma in a key is written %2C."""
    named = next((each.removeprefix("pair=") for each in query.split("&") if each.startswith("pair=")), "")
    first, _, second = named.partition(",")
    return (unquote(first), unquote(second)) if first and second else None


def _plain(pair: named_pairs.NamedPair) -> dict[str, object]:
    return {name: part and part.model_dump() for name, part in pair._asdict().items()}


def _guide(of_set: SetOut) -> dict[str, str]:
    """What annotators are to know of the set, by its heading."""
    instructions = of_set.metadata.get("instructions")
    guide = {"Criterion": of_set.attribute, "Instructions": instructions, "Context": of_set.context}
    return {title: content for title, content in guide.items() if content and isinstance(content, str)}
