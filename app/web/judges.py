"""The judges of a set, compared, and each alone."""

from typing import get_args
from uuid import UUID

from fastapi import APIRouter, Request, Response
from nextpair.words import AggregationName, JudgeKind

from app.api.dependencies import ReadDep
from app.service import judges as all_judges
from app.service import sets
from app.web.set_page import set_page

router = APIRouter(prefix="/sets/{set_id}/judges", include_in_schema=False)


@router.get("")
async def judges_of_set(request: Request, set_id: UUID, db: ReadDep) -> Response:
    """All judges in one table, their agreement, and the disputed pairs."""
    return set_page(request, "judges.html", await sets.get(db, set_id), methods=get_args(AggregationName))


@router.get("/{name:path}")
async def judge_of_set(request: Request, set_id: UUID, name: str, db: ReadDep) -> Response:
    """One judge: its figures, its history, its calibration, and its verdicts. Raises UnknownJudge."""
    judge = await all_judges.get(db, name)
    kinds = get_args(JudgeKind)
    return set_page(request, "judge.html", await sets.get(db, set_id), judge=judge, kinds=kinds, tab="Judges")
